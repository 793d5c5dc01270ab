// `dovetail bench`: how long a model takes to open and to run, what its time goes to, how much memory it
// needs; and the same for another libtensorflow, whose runs take turns with ours.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#include "against.h"
#include "dtype.h"
#include "input.h"
#include "json.h"
#include "profile.h"

enum { DEFAULT_WARMUP = 3, MIN_RUNS = 10, MAX_RUNS = 1000, BLOCKS = 10 };
#define DEFAULT_MS 3000.0  // that the timed runs take together

typedef struct times {
  double *ms;
  int count;
  double p50, p90, p99, min, mean;
} times;

typedef struct bench {
  const cli_options *options;
  dvt_model *model;
  const dvt_tensor_info *inputs[CLI_MAX_LIST], *outputs[CLI_MAX_LIST];
  const char *input_names[CLI_MAX_LIST], *output_names[CLI_MAX_LIST];
  TF_Tensor *values[CLI_MAX_LIST], *results[CLI_MAX_LIST];
  int input_count, output_count;
  double open_ms, first_ms;
  int64_t peak_bytes, their_peak_bytes;
  times ours, theirs;
  against *against;
  double difference;  // greatest scaled; NaN when no output could be compared
  const char *difference_of;
  TF_Status *status;
} bench;

// ---- inputs ----

// Numbers that look like data: floating-point ones in -1..1, integers 0 or 1, always the same.
static void fill(TF_Tensor *t) {
  uint32_t state = 12345;
  int64_t count = TF_TensorElementCount(t);
  size_t size = count ? TF_TensorByteSize(t) / (size_t)count : 0;
  char *at = TF_TensorData(t);
  dtype_kind kind = dtype_kind_of(TF_TensorType(t));
  for (int64_t i = 0; i < count; ++i, at += size) {
    state = state * 1664525u + 1013904223u;
    float value = (float)(state >> 8) * 0x1p-23f - 1;
    double wide = value;
    if (TF_TensorType(t) == TF_FLOAT)
      memcpy(at, &value, sizeof value);
    else if (TF_TensorType(t) == TF_DOUBLE)
      memcpy(at, &wide, sizeof wide);
    else if (kind == KIND_INT || kind == KIND_UINT || kind == KIND_BOOL)
      at[0] = (char)(state >> 31);
  }
}

static TF_Tensor *made_value(const dvt_tensor_info *info, TF_Status *status) {
  int64_t dims[254], count = 1;
  for (int d = 0; d < info->rank && d < 254; ++d) {
    dims[d] = info->dims[d] < 0 ? 1 : info->dims[d];
    if (__builtin_mul_overflow(count, dims[d], &count)) count = INT64_MAX / 16;
  }
  size_t size = info->dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(info->dtype);
  TF_Tensor *t = size == 0 || info->rank < 0
                     ? NULL
                     : TF_AllocateTensor(info->dtype, dims, info->rank, (size_t)count * size);
  if (!t) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "no value can be made up for the input '%s'; give one with --input %s=FILE", info->name,
             info->name);
    return NULL;
  }
  memset(TF_TensorData(t), 0, TF_TensorByteSize(t));  // of strings: empty ones
  if (info->dtype != TF_STRING) fill(t);
  return t;
}

static int find_input(const bench *b, const dvt_tensor_info *info) {
  for (int i = 0; i < b->input_count; ++i)
    if (strcmp(b->inputs[i]->tensor, info->tensor) == 0) return i;
  return -1;
}

static int add_input(bench *b, const dvt_tensor_info *info, const char *file) {
  if (b->input_count == CLI_MAX_LIST)
    return cli_error(CLI_USAGE, "the model has more than %d inputs.", CLI_MAX_LIST);
  TF_Tensor *value = file ? input_read(file, info, b->status) : made_value(info, b->status);
  if (!value)
    return cli_error(CLI_BAD_INPUT, "%s%s%s.", file ? file : "", file ? ": " : "", TF_Message(b->status));
  b->inputs[b->input_count] = info;
  b->input_names[b->input_count] = info->tensor;
  b->values[b->input_count++] = value;
  return CLI_OK;
}

static int prepare_inputs(bench *b) {
  const cli_options *options = b->options;
  int count = dvt_model_input_count(b->model, options->signature), exit_code = CLI_OK;
  for (int i = 0; i < options->input_count && exit_code == CLI_OK; ++i) {
    char name[1024];
    const char *equals = strchr(options->inputs[i], '=');
    int len = equals ? (int)(equals - options->inputs[i]) : 0;
    if (len == 0 || equals[1] == '\0' || len >= (int)sizeof name)
      return cli_error(CLI_USAGE, "--input '%s' is not NAME=FILE, as in --input x=x.npy.",
                       options->inputs[i]);
    snprintf(name, sizeof name, "%.*s", len, options->inputs[i]);
    const dvt_tensor_info *info = dvt_model_find_input(b->model, options->signature, name, b->status);
    if (!info) return cli_error(CLI_USAGE, "%s", TF_Message(b->status));
    exit_code = add_input(b, info, equals + 1);
  }
  for (int i = 0; i < count && exit_code == CLI_OK; ++i) {
    const dvt_tensor_info *info = dvt_model_input(b->model, options->signature, i);
    if (find_input(b, info) < 0) exit_code = add_input(b, info, NULL);
  }
  return exit_code;
}

static int prepare_outputs(bench *b) {
  const cli_options *options = b->options;
  int count = dvt_model_output_count(b->model, options->signature);
  if (options->output_count) count = options->output_count;
  if (count < 0 || count > CLI_MAX_LIST)
    return cli_error(CLI_USAGE,
                     "the model %s has no such signature, or none to choose; see dovetail inspect.",
                     options->positional[0]);
  for (int i = 0; i < count; ++i) {
    b->outputs[i] = options->output_count
                        ? dvt_model_find_output(b->model, options->signature, options->outputs[i], b->status)
                        : dvt_model_output(b->model, options->signature, i);
    if (!b->outputs[i]) return cli_error(CLI_USAGE, "%s", TF_Message(b->status));
    b->output_names[i] = b->outputs[i]->tensor;
  }
  b->output_count = count;
  return count ? CLI_OK : cli_error(CLI_USAGE, "the model has no outputs; name tensors with --output.");
}

// ---- running ----

static void drop_results(bench *b) {
  for (int i = 0; i < b->output_count; ++i) {
    TF_DeleteTensor(b->results[i]);
    b->results[i] = NULL;
  }
}

static int run_once(bench *b, double *out_ms) {
  drop_results(b);
  double begin = now_ms();
  dvt_model_run(b->model, b->options->signature, b->input_names, b->values, b->input_count, b->output_names,
                b->results, b->output_count, b->status);
  *out_ms = now_ms() - begin;
  return TF_GetCode(b->status) == TF_OK ? CLI_OK : cli_error(CLI_RUN_FAILED, "%s", TF_Message(b->status));
}

static int their_runs(bench *b, int count, double *out_ms) {
  return against_run(b->against, count, out_ms)
             ? CLI_OK
             : cli_error(CLI_RUN_FAILED, "--against: the other library failed.");
}

// Runs before the timed ones; *out_ms is how long one takes.
static int warm_up(bench *b, double *out_ms) {
  int count = b->options->warmup ? b->options->warmup : DEFAULT_WARMUP;
  double their_ms;
  for (int i = 0; i < count; ++i) {
    int exit_code = run_once(b, out_ms);
    if (exit_code == CLI_OK && b->against) exit_code = their_runs(b, 1, &their_ms);
    if (exit_code != CLI_OK) return exit_code;
  }
  return CLI_OK;
}

// Ours and theirs take turns in blocks: both see the machine as it is over the whole time, and neither runs
// while the other's threads are still looking for work.
static int time_runs(bench *b, int count) {
  b->ours.ms = calloc((size_t)count, sizeof *b->ours.ms);
  b->theirs.ms = calloc((size_t)count, sizeof *b->theirs.ms);
  if (!b->ours.ms || !b->theirs.ms) return cli_error(CLI_RUN_FAILED, "out of memory");
  int exit_code = CLI_OK;
  for (int block = 0, at = 0; at < count && exit_code == CLI_OK; ++block) {
    int end = (int)((int64_t)count * (block + 1) / BLOCKS);
    for (int i = at; i < end && exit_code == CLI_OK; ++i) exit_code = run_once(b, &b->ours.ms[i]);
    if (exit_code == CLI_OK && b->against && end > at) exit_code = their_runs(b, end - at, b->theirs.ms + at);
    at = end;
  }
  b->ours.count = count;
  b->theirs.count = b->against ? count : 0;
  return exit_code;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// The smallest value that at least this share of the runs does not exceed.
static double percentile(const times *t, double share) {
  int at = (int)ceil(share * t->count) - 1;
  return t->ms[at < 0 ? 0 : at];
}

static void summarise(times *t) {
  if (t->count == 0) return;
  qsort(t->ms, (size_t)t->count, sizeof *t->ms, by_value);
  for (int i = 0; i < t->count; ++i) t->mean += t->ms[i] / t->count;
  t->min = t->ms[0];
  t->p50 = percentile(t, 0.5);
  t->p90 = percentile(t, 0.9);
  t->p99 = percentile(t, 0.99);
}

// ---- comparing ----

static double element(const TF_Tensor *t, int64_t i) {
  const char *data = TF_TensorData(t);
  switch (TF_TensorType(t)) {
    case TF_FLOAT:
      return ((const float *)(const void *)data)[i];
    case TF_DOUBLE:
      return ((const double *)(const void *)data)[i];
    case TF_INT32:
      return ((const int32_t *)(const void *)data)[i];
    case TF_INT64:
      return (double)((const int64_t *)(const void *)data)[i];
    case TF_UINT8:
    case TF_BOOL:
      return ((const unsigned char *)data)[i];
    default:
      return NAN;
  }
}

static bool is_comparable(const TF_Tensor *t) {
  TF_DataType dtype = TF_TensorType(t);
  return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_INT32 || dtype == TF_INT64 ||
         dtype == TF_UINT8 || dtype == TF_BOOL;
}

// Greatest difference over greatest magnitude; infinite when dtypes, shapes or places of NaN and infinity
// differ.
static double scaled_difference(const TF_Tensor *a, const TF_Tensor *b) {
  double difference = 0, scale = 0;
  bool same = TF_TensorType(a) == TF_TensorType(b) && TF_NumDims(a) == TF_NumDims(b);
  for (int d = 0; same && d < TF_NumDims(a); ++d) same = TF_Dim(a, d) == TF_Dim(b, d);
  for (int64_t i = 0; same && i < TF_TensorElementCount(a); ++i) {
    double x = element(a, i), y = element(b, i);
    if (isfinite(x) && isfinite(y)) {
      difference = fmax(difference, fabs(x - y));
      scale = fmax(scale, fabs(y));
    } else {
      same = (isnan(x) && isnan(y)) || x == y;
    }
  }
  return !same ? INFINITY : difference == 0 ? 0 : difference / fmax(scale, 1e-30);
}

static void compare(bench *b) {
  b->difference = NAN;
  for (int i = 0; i < b->output_count; ++i) {
    const TF_Tensor *theirs = against_output(b->against, i);
    if (!theirs || !is_comparable(b->results[i])) continue;
    double difference = scaled_difference(b->results[i], theirs);
    if (isnan(b->difference) || difference > b->difference) {
      b->difference = difference;
      b->difference_of = b->outputs[i]->name;
    }
  }
}

// ---- showing ----

static void print_times(const char *name, double open_ms, double first_ms, const times *t, int64_t bytes) {
  printf("  %-18s %9.2f %9.2f %9.3f %9.3f %9.3f %9.3f %8.1f\n", name, open_ms, first_ms, t->p50, t->p90,
         t->p99, t->min, (double)bytes * 1e-6);
}

static void print_text(const bench *b) {
  const dvt_model_info *info = dvt_model_describe(b->model);
  printf("%s: %s, %d runs", info->path, info->format, b->ours.count);
  if (b->options->threads) printf(", %d thread%s", b->options->threads, b->options->threads == 1 ? "" : "s");
  puts("");
  for (int i = 0; i < b->input_count; ++i) {
    char text[DTYPE_TEXT_BYTES];
    int64_t dims[254];
    int rank = TF_NumDims(b->values[i]);
    for (int d = 0; d < rank; ++d) dims[d] = TF_Dim(b->values[i], d);
    printf("  in %-24s %s\n", b->inputs[i]->name, dtype_text(TF_TensorType(b->values[i]), dims, rank, text));
  }
  printf("\n  %-18s %9s %9s %9s %9s %9s %9s %8s\n", "", "open ms", "first ms", "p50 ms", "p90 ms", "p99 ms",
         "min ms", "peak MB");
  print_times("dovetail", b->open_ms, b->first_ms, &b->ours, b->peak_bytes);
  if (b->against) {
    const against_facts *facts = against_get_facts(b->against);
    char name[64];
    snprintf(name, sizeof name, "TensorFlow %s", facts->version);
    print_times(name, facts->load_ms + facts->open_ms, facts->first_ms, &b->theirs, b->their_peak_bytes);
    printf("\n  ratio of p50 %.3f, of min %.3f (below 1: dovetail is faster)\n", b->ours.p50 / b->theirs.p50,
           b->ours.min / b->theirs.min);
    if (isnan(b->difference))
      puts("  no output has a dtype that can be compared");
    else
      printf("  greatest scaled difference of the outputs %.3g ('%s')\n", b->difference, b->difference_of);
  }
  profile_print(b->model);
}

static void times_json(json *j, const char *key, double open_ms, double first_ms, const times *t,
                       int64_t bytes) {
  json_open(j, key, '{');
  json_number(j, "open_ms", open_ms);
  json_number(j, "first_ms", first_ms);
  json_number(j, "p50_ms", t->p50);
  json_number(j, "p90_ms", t->p90);
  json_number(j, "p99_ms", t->p99);
  json_number(j, "min_ms", t->min);
  json_number(j, "mean_ms", t->mean);
  json_int(j, "peak_bytes", bytes);
}

static void print_json(const bench *b) {
  json j = {.file = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "model", dvt_model_describe(b->model)->path);
  json_string(&j, "format", dvt_model_describe(b->model)->format);
  json_int(&j, "runs", b->ours.count);
  json_int(&j, "threads", b->options->threads);
  times_json(&j, "dovetail", b->open_ms, b->first_ms, &b->ours, b->peak_bytes);
  json_close(&j, '}');
  if (b->against) {
    const against_facts *facts = against_get_facts(b->against);
    times_json(&j, "against", facts->open_ms, facts->first_ms, &b->theirs, b->their_peak_bytes);
    json_string(&j, "version", facts->version);
    json_number(&j, "load_ms", facts->load_ms);
    json_close(&j, '}');
    json_number(&j, "ratio_p50", b->ours.p50 / b->theirs.p50);
    json_number(&j, "ratio_min", b->ours.min / b->theirs.min);
    json_number(&j, "difference", b->difference);
    json_string(&j, "difference_of", b->difference_of);
  }
  profile_json(&j, b->model);
  json_close(&j, '}');
}

// ---- the verb ----

static int start_other(bench *b) {
  if (!b->options->against) return CLI_OK;
  cli_stage(b->options, "starting the library in %s", b->options->against);
  b->against = against_start(b->options, b->model, b->inputs, b->values, b->input_count, b->outputs,
                             b->output_count, b->status);
  cli_stage(b->options, NULL);
  if (!b->against)
    return cli_error(CLI_RUN_FAILED, "--against %s: %s.", b->options->against, TF_Message(b->status));
  compare(b);
  return CLI_OK;
}

static int measure(bench *b) {
  const cli_options *options = b->options;
  double once_ms = 0, profiled_ms;
  int exit_code = run_once(b, &b->first_ms);
  if (exit_code == CLI_OK) exit_code = start_other(b);
  cli_stage(options, "running %s", options->positional[0]);
  if (exit_code == CLI_OK) exit_code = warm_up(b, &once_ms);
  int fitting = (int)fmin(fmax(DEFAULT_MS / fmax(once_ms, 1e-3), MIN_RUNS), MAX_RUNS);
  if (exit_code == CLI_OK) exit_code = time_runs(b, options->runs ? options->runs : fitting);
  b->peak_bytes = peak_bytes();
  dvt_model_set_profiling(b->model, true);
  if (exit_code == CLI_OK) exit_code = run_once(b, &profiled_ms);
  cli_stage(options, NULL);
  return exit_code;
}

static int work(bench *b) {
  int exit_code = CLI_OK;
  double begin = now_ms();
  b->model = cli_open_model(b->options, b->options->positional[0], false, &exit_code);
  b->open_ms = now_ms() - begin;
  if (!b->model) return exit_code;
  exit_code = prepare_outputs(b);
  if (exit_code == CLI_OK) exit_code = prepare_inputs(b);
  if (exit_code == CLI_OK) exit_code = measure(b);
  if (exit_code != CLI_OK) return exit_code;
  summarise(&b->ours);
  summarise(&b->theirs);
  if (b->against) b->their_peak_bytes = against_stop(b->against);
  return CLI_OK;
}

static int run(const cli_options *options) {
  if (options->positional_count != 1)
    return cli_error(CLI_USAGE, "bench wants one MODEL. See dovetail bench --help.");
  bench *b = calloc(1, sizeof *b);
  if (!b) return cli_error(CLI_RUN_FAILED, "out of memory");
  b->options = options;
  b->status = TF_NewStatus();
  int exit_code = work(b);
  if (exit_code == CLI_OK && options->json)
    print_json(b);
  else if (exit_code == CLI_OK)
    print_text(b);
  against_free(b->against);
  drop_results(b);
  for (int i = 0; i < b->input_count; ++i) TF_DeleteTensor(b->values[i]);
  free(b->ours.ms);
  free(b->theirs.ms);
  dvt_model_close(b->model);
  TF_DeleteStatus(b->status);
  free(b);
  return exit_code;
}

const cli_verb cli_bench = {
    "bench",
    "MODEL",
    "Times a model: opening, first run, percentiles, ops, memory",
    "sioptgnwaj",
    "Inputs that are not given are made up: floating-point numbers in -1..1, integers 0 or 1, sizes that are "
    "open 1.\n"
    "first ms holds the planning of the graph. The table of ops is of one more run, which is not among those "
    "timed.\n"
    "\n"
    "--against DIR runs the same on the libtensorflow_cc.so.2 of DIR (of a TensorFlow wheel: "
    "site-packages/tensorflow),\n"
    "in a process of its own, by turns, and tells the ratio and how far the outputs lie apart. Its open ms "
    "includes\n"
    "loading the library.\n"
    "\n"
    "Examples:\n"
    "  dovetail bench model_dir\n"
    "  dovetail bench model.json --threads 2 --runs 200 --json\n"
    "  dovetail bench model_dir --input x=x.npy --against venv/lib/python3.11/site-packages/tensorflow\n",
    run};
