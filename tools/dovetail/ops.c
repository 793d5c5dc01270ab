// `dovetail ops` and the list of a plugin's ops.
#include <ctype.h>
#include <string.h>

#include "list.h"

typedef struct op_list {
  const cli_options *options;
  json *json;
  bool found[CLI_MAX_LIST];  // by the position of the name
  struct {
    char op[96];
    size_t common;  // how many letters it shares with the name from the start
  } near[CLI_MAX_LIST];
} op_list;

static size_t common_start(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n])) ++n;
  return n;
}

// Remembers for each name whether it is this op, and the op that begins most like it.
static bool wanted(op_list *list, const char *op) {
  const cli_options *options = list->options;
  bool is_wanted = options->positional_count == 0;
  for (int i = 0; i < options->positional_count; ++i) {
    const char *name = options->positional[i];
    size_t common = common_start(name, op);
    if (strcmp(name, op) == 0) is_wanted = list->found[i] = true;
    if (common <= list->near[i].common || common < 3 || common * 2 < strlen(name)) continue;
    list->near[i].common = common;
    snprintf(list->near[i].op, sizeof list->near[i].op, "%s", op);
  }
  return is_wanted;
}

void list_op_json(json *j, const dvt_op_info *op) {
  json_open(j, NULL, '{');
  json_string(j, "name", op->name);
  json_string(j, "signature", op->signature);
  json_string(j, "attrs", op->attrs);
  json_string(j, "plugin", op->plugin);
  json_int(j, "kernels", op->kernel_count);
  json_bool(j, "stateful", op->is_stateful);
  json_bool(j, "shape_function", op->has_shape_function);
  json_close(j, '}');
}

void list_op_text(const dvt_op_info *op) {
  printf("%s%s\n", op->name, op->signature);
  if (op->attrs[0]) printf("    attrs    %s\n", op->attrs);
  printf("    plugin   %s, %d kernel%s%s%s\n", op->plugin[0] ? op->plugin : "(runtime)", op->kernel_count,
         op->kernel_count == 1 ? "" : "s", op->is_stateful ? ", stateful" : "",
         op->has_shape_function ? "" : ", no shape function");
}

static void visit(void *arg, const dvt_op_info *op) {
  op_list *list = arg;
  if (!wanted(list, op->name)) return;
  if (list->json)
    list_op_json(list->json, op);
  else if (list->options->positional_count)
    list_op_text(op);
  else
    printf("%-32s %-14s %3d  %s\n", op->name, op->plugin[0] ? op->plugin : "(runtime)", op->kernel_count,
           op->signature);
}

static int run(const cli_options *options) {
  json j = {.file = stdout};
  op_list list = {.options = options, .json = options->json ? &j : NULL};
  int exit_code = CLI_OK;
  if (!cli_load_plugins(options)) return CLI_BAD_PLUGIN;
  if (options->json) json_open(&j, NULL, '[');
  if (!options->json && !options->positional_count) printf("%-32s %-14s kernels\n", "op", "plugin");
  dvt_list_ops(NULL, visit, &list);
  if (options->json) json_close(&j, ']');
  for (int i = 0; i < options->positional_count; ++i)
    if (!list.found[i])
      exit_code = cli_error(CLI_USAGE, "no plugin registers the op '%s'.%s%s%s dovetail ops lists all.",
                            options->positional[i], list.near[i].common ? " Did you mean '" : "",
                            list.near[i].op, list.near[i].common ? "'?" : "");
  return exit_code;
}

const cli_verb cli_ops = {"ops",
                          "[OP]...",
                          "Lists the ops of the standard plugins and of those given with --plugin",
                          "pj",
                          "With names, shows these ops with their attributes.\n"
                          "\n"
                          "Examples:\n"
                          "  dovetail ops\n"
                          "  dovetail ops MatMul Conv2D\n"
                          "  dovetail ops --plugin my_ops.so --json\n",
                          run};
