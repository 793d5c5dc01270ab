// `dovetail ops` and the list of a plugin's ops.
#include <string.h>

#include "list.h"

typedef struct op_list {
  const cli_options *options;
  json *json;
  int shown;
} op_list;

static bool wanted(const cli_options *options, const char *op) {
  for (int i = 0; i < options->positional_count; ++i)
    if (strcmp(options->positional[i], op) == 0) return true;
  return options->positional_count == 0;
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
  if (!wanted(list->options, op->name)) return;
  ++list->shown;
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
  op_list list = {options, options->json ? &j : NULL, 0};
  if (!cli_load_plugins(options)) return CLI_BAD_PLUGIN;
  if (options->json) json_open(&j, NULL, '[');
  if (!options->json && !options->positional_count) printf("%-32s %-14s kernels\n", "op", "plugin");
  dvt_list_ops(NULL, visit, &list);
  if (options->json) json_close(&j, ']');
  if (list.shown == 0 && options->positional_count)
    return cli_error(CLI_USAGE, "no plugin registers the op '%s'. dovetail ops lists all.",
                     options->positional[0]);
  return CLI_OK;
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
