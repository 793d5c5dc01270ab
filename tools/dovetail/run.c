// `dovetail run`: opens a model, reads the inputs, runs it once, shows and writes the outputs.
#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#include "dtype.h"
#include "input.h"
#include "output.h"
#include "profile.h"

typedef struct job {
  const cli_options *options;
  dvt_model *model;
  const char *input_names[CLI_MAX_LIST];
  const char *input_files[CLI_MAX_LIST];
  const dvt_tensor_info *input_infos[CLI_MAX_LIST];
  TF_Tensor *inputs[CLI_MAX_LIST];
  const char *output_names[CLI_MAX_LIST];
  output *outputs;
  TF_Tensor **values;
  int output_count;
  double open_ms, run_ms;
  TF_Status *status;
} job;

// "NAME=FILE" -> a copy of NAME, and FILE. False when malformed.
static bool split_input(job *j, int index) {
  const char *text = j->options->inputs[index], *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] == '\0') return false;
  char *name = strndup(text, (size_t)(equals - text));
  j->input_names[index] = name;
  j->input_files[index] = equals + 1;
  return name != NULL;
}

static int read_inputs(job *j) {
  for (int i = 0; i < j->options->input_count; ++i) {
    const char *file = j->input_files[i];
    j->input_infos[i] = dvt_model_find_input(j->model, j->options->signature, j->input_names[i], j->status);
    if (!j->input_infos[i]) return cli_error(CLI_USAGE, "%s", TF_Message(j->status));
    for (int k = 0; k < i; ++k)
      if (strcmp(j->input_infos[k]->tensor, j->input_infos[i]->tensor) == 0)
        return cli_error(CLI_USAGE, "the input '%s' is given twice: --input %s and --input %s.",
                         j->input_infos[i]->name, j->options->inputs[k], j->options->inputs[i]);
    j->inputs[i] = input_read(file, j->input_infos[i], j->status);
    if (!j->inputs[i])
      return cli_error(CLI_BAD_INPUT, "%s, given for the input '%s': %s.", file, j->input_infos[i]->name,
                       TF_Message(j->status));
  }
  return CLI_OK;
}

static int no_signature(const job *j) {
  char names[1024] = "";
  size_t at = 0;
  for (int i = 0; i < dvt_model_signature_count(j->model) && at < sizeof names; ++i)
    at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", i ? ", " : "",
                           dvt_model_signature_name(j->model, i));
  const char *model = j->options->positional[0], *wanted = j->options->signature;
  if (!names[0])
    return cli_error(CLI_USAGE, "the model %s has no signatures; name tensors with --output.", model);
  if (strcmp(names, "''") == 0)
    return cli_error(CLI_USAGE, "the model %s is a bare graph without signatures; leave out --signature.",
                     model);
  if (!wanted)
    return cli_error(CLI_USAGE, "the model %s has several signatures; choose one of %s with --signature.",
                     model, names);
  return cli_error(CLI_USAGE, "the model %s has no signature '%s'; it has %s.", model, wanted, names);
}

static int choose_outputs(job *j) {
  const cli_options *options = j->options;
  int all = dvt_model_output_count(j->model, options->signature);
  j->output_count = options->output_count ? options->output_count : all;
  if (j->output_count < 0) return no_signature(j);
  j->outputs = calloc((size_t)j->output_count + 1, sizeof *j->outputs);
  j->values = calloc((size_t)j->output_count + 1, sizeof *j->values);
  if (!j->outputs || !j->values) return cli_error(CLI_RUN_FAILED, "out of memory");
  for (int i = 0; i < j->output_count; ++i) {
    j->outputs[i].info = options->output_count ? dvt_model_find_output(j->model, options->signature,
                                                                       options->outputs[i], j->status)
                                               : dvt_model_output(j->model, options->signature, i);
    if (!j->outputs[i].info) return cli_error(CLI_USAGE, "%s", TF_Message(j->status));
  }
  if (j->output_count == 0)
    return cli_error(CLI_USAGE, "the model has no outputs; name tensors with --output.");
  return CLI_OK;
}

// Did the run not begin because an input is missing? Only the library knows which inputs the outputs need.
static bool lacks_input(const job *j) {
  return TF_GetCode(j->status) == TF_INVALID_ARGUMENT &&
         j->options->input_count < dvt_model_input_count(j->model, j->options->signature) &&
         strstr(TF_Message(j->status), " also needs the input") != NULL;
}

// Also of a run that failed; what it reports comes first then.
static int write_trace(const job *j) {
  if (!j->options->trace) return CLI_OK;
  TF_Status *status = TF_NewStatus();
  int exit_code = CLI_OK;
  if (!profile_write_trace(j->model, j->options->trace, status) && TF_GetCode(j->status) == TF_OK)
    exit_code = cli_error(CLI_NO_OUTPUT, "%s", TF_Message(status));
  TF_DeleteStatus(status);
  return exit_code;
}

static int run_model(job *j) {
  const cli_options *options = j->options;
  dvt_model_set_profiling(j->model, options->profile || options->trace);
  cli_stage(options, "running %s", options->positional[0]);
  double begin = now_ms();
  dvt_model_run(j->model, options->signature, j->input_names, j->inputs, options->input_count,
                options->output_count ? options->outputs : NULL, j->values, j->output_count, j->status);
  j->run_ms = now_ms() - begin;
  cli_stage(options, NULL);
  int exit_code = write_trace(j);
  if (TF_GetCode(j->status) != TF_OK)
    return cli_error(lacks_input(j) ? CLI_USAGE : CLI_RUN_FAILED, "%s", TF_Message(j->status));
  for (int i = 0; i < j->output_count; ++i) j->outputs[i].tensor = j->values[i];
  return exit_code;
}

static void print_text(const job *j) {
  const dvt_model_info *info = dvt_model_describe(j->model);
  const char *signature =
      j->options->signature ? j->options->signature : dvt_model_default_signature(j->model);
  printf("%s: %s%s%s, opened in %.1f ms, run in %.1f ms\n", info->path, info->format,
         signature && signature[0] ? ", signature " : "", signature ? signature : "", j->open_ms, j->run_ms);
  for (int i = 0; i < j->options->input_count; ++i) {
    int64_t dims[254];
    char text[DTYPE_TEXT_BYTES];
    int rank = TF_NumDims(j->inputs[i]);
    for (int d = 0; d < rank; ++d) dims[d] = TF_Dim(j->inputs[i], d);
    printf("  in   %-20s %-28s  %s\n", j->input_infos[i]->name,
           dtype_text(TF_TensorType(j->inputs[i]), dims, rank, text), j->input_files[i]);
  }
  for (int i = 0; i < j->output_count; ++i) output_print(&j->outputs[i], j->options->out_dir);
  if (j->options->profile) profile_print(j->model);
}

static void print_json(const job *j) {
  json out = {.file = stdout};
  json_open(&out, NULL, '{');
  json_string(&out, "model", j->options->positional[0]);
  json_string(&out, "format", dvt_model_describe(j->model)->format);
  json_string(&out, "signature",
              j->options->signature ? j->options->signature : dvt_model_default_signature(j->model));
  json_number(&out, "open_ms", j->open_ms);
  json_number(&out, "run_ms", j->run_ms);
  json_string(&out, "out_dir", j->options->out_dir);
  json_open(&out, "outputs", '[');
  for (int i = 0; i < j->output_count; ++i) output_json(&out, &j->outputs[i], true);
  json_close(&out, ']');
  if (j->options->profile) profile_json(&out, j->model);
  json_close(&out, '}');
}

static int work(job *j) {
  int exit_code = CLI_OK;
  double begin = now_ms();
  j->model = cli_open_model(j->options, j->options->positional[0], false, &exit_code);
  j->open_ms = now_ms() - begin;
  if (j->model) exit_code = read_inputs(j);
  if (exit_code == CLI_OK) exit_code = choose_outputs(j);
  if (exit_code == CLI_OK) exit_code = run_model(j);
  if (exit_code != CLI_OK) return exit_code;
  if (j->options->out_dir && !outputs_write(j->options->out_dir, j->outputs, j->output_count, j->status))
    return cli_error(CLI_NO_OUTPUT, "%s", TF_Message(j->status));
  if (j->options->json)
    print_json(j);
  else
    print_text(j);
  return CLI_OK;
}

static int run(const cli_options *options) {
  if (options->positional_count != 1)
    return cli_error(
        CLI_USAGE,
        "run wants one MODEL: a SavedModel directory, a GraphDef file, a meta graph (.meta) or a model.json. See dovetail run --help.");
  job *j = calloc(1, sizeof *j);
  if (!j) return cli_error(CLI_RUN_FAILED, "out of memory");
  j->options = options;
  j->status = TF_NewStatus();
  int exit_code = CLI_OK;
  for (int i = 0; i < options->input_count && exit_code == CLI_OK; ++i)
    if (!split_input(j, i))
      exit_code =
          cli_error(CLI_USAGE, "--input '%s' is not NAME=FILE, as in --input x=x.npy.", options->inputs[i]);
  if (exit_code == CLI_OK) exit_code = work(j);
  for (int i = 0; i < options->input_count; ++i) {
    TF_DeleteTensor(j->inputs[i]);
    free((char *)j->input_names[i]);
  }
  for (int i = 0; j->outputs && i < j->output_count; ++i) TF_DeleteTensor(j->outputs[i].tensor);
  free(j->outputs);
  free(j->values);
  dvt_model_close(j->model);
  TF_DeleteStatus(j->status);
  free(j);
  return exit_code;
}

const cli_verb cli_run = {
    "run",
    "MODEL",
    "Runs a model once",
    "siodpgtfTj",
    "NAME is an input's or output's name in the signature, a tensor name (node:0 or node), or a position (0 "
    "is the first).\n"
    "A graph without signatures takes its placeholders as inputs and gives the nodes that nobody consumes.\n"
    "\n"
    "What FILE becomes (nothing is resized, cut or guessed; what does not fit is an error):\n"
    "  .npy        the array as it is. Integers become another integer or a floating-point dtype if every "
    "value stays\n"
    "              exact; floating-point values are rounded to the input's floating-point dtype.\n"
    "  .png .jpg   [height,width,channels] or [1,height,width,channels] with the input's height, width and "
    "channels.\n"
    "              uint8 inputs get 0..255, uint16 inputs 0..65535, floating-point inputs 0..1. Grey becomes "
    "RGB if the\n"
    "              input has 3 channels; opaque transparency is dropped. A string input gets the file's "
    "bytes.\n"
    "  .wav        [samples], [1,samples], [samples,channels] or [1,samples,channels]. Floating-point inputs "
    "get -1..1,\n"
    "              int16 and int32 inputs full-range integers. A string input gets the file's bytes.\n"
    "  .txt        a scalar string input gets the whole file without its last line end; [n] and [n,1] a "
    "string a line.\n"
    "\n"
    "Outputs: DIR/NAME.npy, and DIR/outputs.json, a list of objects with name, tensor, file, dtype and "
    "shape.\n"
    "dtypes have NumPy's names (float32, float64, float16); messages about ops say float, double and half "
    "as\n"
    "TensorFlow does.\n"
    "Strings are written as NumPy 'S' arrays, bfloat16 as raw 2-byte elements (view them with ml_dtypes).\n"
    "\n"
    "Examples:\n"
    "  dovetail run model_dir --input image=cat.png\n"
    "  dovetail run model_dir --input 0=x.npy --output scores --out-dir out --profile\n"
    "  dovetail run graph.pb --input x:0=x.npy --output y --plugin my_ops.so --json\n"
    "  dovetail run model_dir --input 0=x.npy --trace trace.json\n",
    run};
