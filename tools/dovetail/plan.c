// `dovetail plan`: what the runtime makes of a model's signature before it runs - nodes before and after,
// what was folded and fused, which ops run.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

typedef struct tally {
  const char *op, *plugin, *made_of;
  int count;
} tally;

// Adds to the row of the same op and parts; `rows` has room for one more.
static void count_in(tally *rows, int *row_count, const dvt_planned_node *n) {
  const char *made_of = n->made_of ? n->made_of : "";
  for (int i = 0; i < *row_count; ++i)
    if (strcmp(rows[i].op, n->op) == 0 && strcmp(rows[i].plugin, n->plugin) == 0 &&
        strcmp(rows[i].made_of, made_of) == 0) {
      ++rows[i].count;
      return;
    }
  rows[(*row_count)++] = (tally){n->op, n->plugin, made_of, 1};
}

static int most_first(const void *a, const void *b) {
  const tally *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  int order = strcmp(x->op, y->op);
  return order ? order : strcmp(x->made_of, y->made_of);
}

static bool has_fate(const dvt_planned_node *n, const char *fate) { return strcmp(n->fate, fate) == 0; }

// Nodes of the model with the fate; NULL: all.
static int count_fate(const dvt_planned_node *nodes, int count, const char *fate) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += !nodes[i].made_of && (!fate || has_fate(&nodes[i], fate));
  return found;
}

static int count_made(const dvt_planned_node *nodes, int count) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += nodes[i].made_of != NULL;
  return found;
}

static void print_list(const dvt_planned_node *nodes, int count, const char *fate, const char *title) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (nodes[i].made_of || !has_fate(&nodes[i], fate)) continue;
    if (!any) printf("\n%s\n", title);
    any = true;
    printf("  %-24s %s", nodes[i].op, nodes[i].node);
    if (nodes[i].into && strcmp(nodes[i].into, nodes[i].node) != 0) printf("  ->  %s", nodes[i].into);
    putchar('\n');
  }
}

static void print_text(const dvt_model *model, const char *signature, const dvt_planned_node *nodes,
                       int count, const tally *rows, int row_count) {
  int runs = count_fate(nodes, count, "runs"), made = count_made(nodes, count);
  printf("%s: %s, signature %s\n", dvt_model_describe(model)->path, dvt_model_describe(model)->format,
         signature && signature[0] ? signature : "(none)");
  printf("  before  %5d nodes: %d constants, %d others\n", count_fate(nodes, count, NULL),
         count_fate(nodes, count, "constant"),
         count_fate(nodes, count, NULL) - count_fate(nodes, count, "constant"));
  printf("  after   %5d nodes: %d of the model, %d made\n", runs + made, runs, made);
  printf("          %5d folded, %d shared, %d fused, %d unneeded\n", count_fate(nodes, count, "folded"),
         count_fate(nodes, count, "shared"), count_fate(nodes, count, "fused"),
         count_fate(nodes, count, "unneeded"));
  printf("\nwhat runs\n  %-28s %-10s %6s  %s\n", "op", "plugin", "nodes", "stands for");
  for (int i = 0; i < row_count; ++i)
    printf("  %-28s %-10s %6d%s%s\n", rows[i].op, rows[i].plugin[0] ? rows[i].plugin : "(runtime)",
           rows[i].count, rows[i].made_of[0] ? "  " : "", rows[i].made_of);
  print_list(nodes, count, "folded", "folded into constants");
  print_list(nodes, count, "shared", "shared (-> the node that computes the same)");
  print_list(nodes, count, "fused", "fused (-> the node that does the work)");
}

static void print_json(const dvt_model *model, const char *signature, const dvt_planned_node *nodes,
                       int count, const tally *rows, int row_count) {
  static const char *const fates[] = {"constant", "folded", "shared", "fused", "unneeded", "runs"};
  json j = {.file = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "model", dvt_model_describe(model)->path);
  json_string(&j, "signature", signature);
  json_int(&j, "before", count_fate(nodes, count, NULL));
  json_int(&j, "after", count_fate(nodes, count, "runs") + count_made(nodes, count));
  for (size_t i = 0; i < DVT_COUNT_OF(fates); ++i) json_int(&j, fates[i], count_fate(nodes, count, fates[i]));
  json_int(&j, "made", count_made(nodes, count));
  json_open(&j, "ops", '[');
  for (int i = 0; i < row_count; ++i) {
    json_open(&j, NULL, '{');
    json_string(&j, "op", rows[i].op);
    json_string(&j, "plugin", rows[i].plugin);
    json_int(&j, "nodes", rows[i].count);
    json_string(&j, "stands_for", rows[i].made_of[0] ? rows[i].made_of : NULL);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_open(&j, "nodes", '[');
  for (int i = 0; i < count; ++i) {
    json_open(&j, NULL, '{');
    json_string(&j, "node", nodes[i].node);
    json_string(&j, "op", nodes[i].op);
    json_string(&j, "fate", nodes[i].fate);
    json_string(&j, "plugin", nodes[i].plugin);
    json_string(&j, "into", nodes[i].into);
    json_string(&j, "made_of", nodes[i].made_of);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_close(&j, '}');
}

static int show(const cli_options *options, dvt_model *model) {
  const char *signature = options->signature ? options->signature : dvt_model_default_signature(model);
  dvt_planned_node *nodes = NULL;
  TF_Status *status = TF_NewStatus();
  int count = dvt_model_plan(model, options->signature, &nodes, status), row_count = 0, exit_code = CLI_OK;
  tally *rows = count ? calloc((size_t)count, sizeof *rows) : NULL;
  if (TF_GetCode(status) != TF_OK)
    exit_code =
        cli_error(TF_GetCode(status) == TF_NOT_FOUND ? CLI_USAGE : CLI_BAD_MODEL, "%s", TF_Message(status));
  else if (count && !rows)
    exit_code = cli_error(CLI_RUN_FAILED, "out of memory");
  TF_DeleteStatus(status);
  for (int i = 0; exit_code == CLI_OK && i < count; ++i)
    if (has_fate(&nodes[i], "runs")) count_in(rows, &row_count, &nodes[i]);
  if (exit_code == CLI_OK) {
    if (row_count) qsort(rows, (size_t)row_count, sizeof *rows, most_first);
    (options->json ? print_json : print_text)(model, signature, nodes, count, rows, row_count);
  }
  free(rows);
  dvt_planned_nodes_free(nodes);
  return exit_code;
}

static int run(const cli_options *options) {
  int exit_code = CLI_OK;
  if (options->positional_count != 1)
    return cli_error(CLI_USAGE, "plan wants one MODEL. See dovetail plan --help.");
  if (options->optimize) setenv("DOVETAIL_OPTIMIZE", options->optimize, 1);
  dvt_model *model = cli_open_model(options, options->positional[0], false, &exit_code);
  if (!model) return exit_code;
  exit_code = show(options, model);
  dvt_model_close(model);
  return exit_code;
}

const cli_verb cli_plan = {
    "plan",
    "MODEL",
    "Tells what the runtime makes of a model: nodes before and after, what was folded, shared and fused",
    "spgzj",
    "Constants are folded, equal nodes run once, chains of element-wise nodes become one node, and "
    "convolutions\n"
    "and matrix products are fused with the bias, normalisation, residual and activation that follow.\n"
    "--optimize, or DOVETAIL_OPTIMIZE for every program, switches that off.\n"
    "\n"
    "Examples:\n"
    "  dovetail plan model_dir\n"
    "  dovetail plan graph.pb --json\n"
    "  dovetail plan graph.pb --optimize fold,fuse\n",
    run};
