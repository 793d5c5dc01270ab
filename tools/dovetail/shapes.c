// `dovetail shapes`: the shapes that a model's nodes have as far as they are known before it runs.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dtype.h"
#include "json.h"

enum { MAX_RANK = 254 };

typedef struct feeds {
  dvt_fed_dims at[CLI_MAX_LIST];
  int64_t dims[CLI_MAX_LIST][MAX_RANK];
  int count;
} feeds;

// "2x224x224x3", "?x3", "" or "scalar".
static bool parse_dims(const char *text, int64_t *dims, int *out_rank) {
  int rank = 0;
  if (strcmp(text, "scalar") == 0) text = "";
  while (*text) {
    char *end = (char *)(uintptr_t)text + 1;
    if (rank == MAX_RANK) return false;
    errno = 0;
    dims[rank] = *text == '?' ? -1 : *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -2;
    if (errno || dims[rank] < -1 || (*end && *end != 'x') || (*end == 'x' && !end[1])) return false;
    rank++;
    text = *end ? end + 1 : end;
  }
  *out_rank = rank;
  return true;
}

// "NAME=2x3"; names may hold '=' no more than file names do, so the last one counts.
static int parse_feeds(const cli_options *options, feeds *out) {
  for (int i = 0; i < options->feed_count; ++i) {
    char *text = (char *)(uintptr_t)options->feeds[i], *equals = strrchr(text, '=');
    if (!equals || equals == text || !parse_dims(equals + 1, out->dims[i], &out->at[i].rank))
      return cli_error(CLI_USAGE, "--feed wants NAME=2x3 with ? for a size that is open, got '%s'.", text);
    *equals = '\0';
    out->at[i].name = text;
    out->at[i].dims = out->dims[i];
    out->count = i + 1;
  }
  return CLI_OK;
}

static const char *dtype_of(const dvt_inferred_output *row) {
  return row->output < 0 ? "" : dtype_name(row->dtype);
}

static void print_text(const char *path, const dvt_inferred_output *rows, int count) {
  const char *function = NULL;
  for (int i = 0; i < count; ++i) {
    const dvt_inferred_output *r = &rows[i];
    if (!function || strcmp(function, r->function) != 0)
      printf("%s%s %s\n", function ? "\n" : "", r->function[0] ? "function" : "graph",
             r->function[0] ? r->function : path);
    function = r->function;
    if (r->output > 0)
      printf("  %-24s :%-2d %-10s %s\n", "", r->output, dtype_of(r), r->shape);
    else
      printf("  %-24s %-3s %-10s %-24s %s\n", r->op, "", dtype_of(r), r->shape, r->node);
    if (r->error && r->output <= 0) printf("    error: %s\n", r->error);
  }
}

static void print_json(const char *path, const dvt_inferred_output *rows, int count) {
  json j = {.file = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "model", path);
  json_open(&j, "nodes", '[');
  for (int i = 0; i < count;) {
    const dvt_inferred_output *r = &rows[i];
    json_open(&j, NULL, '{');
    json_string(&j, "function", r->function[0] ? r->function : NULL);
    json_string(&j, "node", r->node);
    json_string(&j, "op", r->op);
    if (r->error) json_string(&j, "error", r->error);
    json_open(&j, "outputs", '[');
    do {
      if (rows[i].output < 0) continue;
      json_open(&j, NULL, '{');
      json_string(&j, "dtype", dtype_of(&rows[i]));
      json_string(&j, "shape", rows[i].shape);
      json_shape(&j, "dims", rows[i].dims, rows[i].rank);
      json_close(&j, '}');
    } while (++i < count && rows[i].output > 0);
    json_close(&j, ']');
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_close(&j, '}');
}

static int show(const cli_options *options, dvt_model *model, const feeds *fed) {
  dvt_inferred_output *rows = NULL;
  TF_Status *status = TF_NewStatus();
  int count = dvt_model_infer_shapes(model, fed->at, fed->count, &rows, status), exit_code = CLI_OK;
  if (TF_GetCode(status) != TF_OK)
    exit_code = cli_error(fed->count ? CLI_USAGE : CLI_BAD_MODEL, "%s", TF_Message(status));
  else
    (options->json ? print_json : print_text)(dvt_model_describe(model)->path, rows, count);
  TF_DeleteStatus(status);
  dvt_inferred_outputs_free(rows);
  return exit_code;
}

static int run(const cli_options *options) {
  if (options->positional_count != 1)
    return cli_error(CLI_USAGE, "shapes wants one MODEL. See dovetail shapes --help.");
  feeds *fed = calloc(1, sizeof *fed);
  if (!fed) return cli_error(CLI_RUN_FAILED, "out of memory");
  int exit_code = parse_feeds(options, fed);
  dvt_model *model =
      exit_code == CLI_OK ? cli_open_model(options, options->positional[0], true, &exit_code) : NULL;
  if (model) exit_code = show(options, model, fed);
  dvt_model_close(model);
  free(fed);
  return exit_code;
}

const cli_verb cli_shapes = {"shapes",
                             "MODEL",
                             "Tells the shapes of a model's nodes as far as they are known before it runs",
                             "epgj",
                             "Every node of the graph, then of the functions as they are called. A size that "
                             "is not known has a name: N,\n"
                             "N1... or how it is computed, (N-3)/2. Equal names are equal sizes; ? is a "
                             "shape of unknown rank. With --feed the\n"
                             "model is looked at for inputs of these shapes.\n"
                             "\n"
                             "Examples:\n"
                             "  dovetail shapes model_dir\n"
                             "  dovetail shapes graph.pb --feed image=1x224x224x3\n"
                             "  dovetail shapes graph.pb --json\n",
                             run};
