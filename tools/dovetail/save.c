// `dovetail convert`: a model's graph as one GraphDef file. (convert.c changes dtypes of inputs.)
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "dtype.h"
#include "json.h"

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), tail = strlen(end);
  return len >= tail && strcmp(text + len - tail, end) == 0;
}

static const char *default_name(const dvt_model *model) {
  const char *name = dvt_model_default_signature(model);
  return name ? name : dvt_model_signature_name(model, 0);
}

// The names a GraphDef does not keep, with what they stand for.
static void print_ends(const dvt_model *model) {
  const char *s = default_name(model);
  for (int out = 0; s && out < 2; ++out) {
    int count = out ? dvt_model_output_count(model, s) : dvt_model_input_count(model, s);
    for (int i = 0; i < count; ++i) {
      const dvt_tensor_info *info = out ? dvt_model_output(model, s, i) : dvt_model_input(model, s, i);
      char text[DTYPE_TEXT_BYTES];
      printf("  %-4s %-28s %-28s %s\n", out ? "out" : "in", info->tensor,
             dtype_text(info->dtype, info->dims, info->rank, text),
             strcmp(info->name, info->tensor) == 0 ? "" : info->name);
    }
  }
}

static void print_json(const dvt_model *model, const char *path, int64_t bytes) {
  json j = {.file = stdout};
  const char *s = default_name(model);
  json_open(&j, NULL, '{');
  json_string(&j, "model", dvt_model_describe(model)->path);
  json_string(&j, "file", path);
  json_int(&j, "bytes", bytes);
  for (int out = 0; out < 2; ++out) {
    int count = !s ? 0 : out ? dvt_model_output_count(model, s) : dvt_model_input_count(model, s);
    json_open(&j, out ? "outputs" : "inputs", '[');
    for (int i = 0; i < count; ++i) {
      const dvt_tensor_info *info = out ? dvt_model_output(model, s, i) : dvt_model_input(model, s, i);
      json_open(&j, NULL, '{');
      json_string(&j, "name", info->name);
      json_string(&j, "tensor", info->tensor);
      json_close(&j, '}');
    }
    json_close(&j, ']');
  }
  json_close(&j, '}');
}

// Only variables make it necessary to load the model.
static dvt_model *open_model(const cli_options *options, int *out_exit) {
  dvt_model *model = cli_open_model(options, options->positional[0], true, out_exit);
  if (!model || dvt_model_describe(model)->variable_count == 0) return model;
  dvt_model_close(model);
  return cli_open_model(options, options->positional[0], false, out_exit);
}

static int run(const cli_options *options) {
  int exit_code = CLI_OK;
  if (options->positional_count != 2)
    return cli_error(CLI_USAGE, "convert wants a MODEL and the FILE to write. See dovetail convert --help.");
  const char *path = options->positional[1];
  if (!ends_with(path, ".pb") && !ends_with(path, ".pbtxt"))
    return cli_error(CLI_USAGE, "convert writes a GraphDef; FILE ends in .pb or .pbtxt, '%s' does not.",
                     path);
  dvt_model *model = open_model(options, &exit_code);
  if (!model) return exit_code;
  TF_Status *status = TF_NewStatus();
  struct stat info;
  dvt_model_save_graph(model, path, status);
  TF_Code code = TF_GetCode(status);
  if (code != TF_OK)
    exit_code = cli_error(code == TF_UNIMPLEMENTED ? CLI_BAD_MODEL : CLI_NO_OUTPUT, "%s", TF_Message(status));
  else if (stat(path, &info) != 0)
    exit_code = cli_error(CLI_NO_OUTPUT, "%s was written and is gone.", path);
  else if (options->json)
    print_json(model, path, (int64_t)info.st_size);
  else {
    printf("%s: GraphDef, %" PRId64 " bytes\n", path, (int64_t)info.st_size);
    print_ends(model);
  }
  TF_DeleteStatus(status);
  dvt_model_close(model);
  return exit_code;
}

const cli_verb cli_convert = {
    "convert",
    "MODEL FILE",
    "Writes a model's graph as one GraphDef file, .pb or .pbtxt",
    "pgj",
    "Weights of a TensorFlow.js model become constants, in the dtype that the "
    "graph has; its fused ops become ordinary "
    "ones,\n"
    "so that every TensorFlow can load the file. A GraphDef keeps no signature: "
    "what its inputs and outputs are called "
    "is\n"
    "printed. Of a SavedModel it holds what the default signature needs (all signatures when "
    "there is none), with the\n"
    "variables as constants; refused are models that write variables, look up "
    "in tables or read assets.\n"
    "\n"
    "Examples:\n"
    "  dovetail convert model.json graph.pb\n"
    "  dovetail convert saved_model_dir frozen.pb\n"
    "  dovetail convert graph.pb graph.pbtxt\n",
    run};
