// `dovetail kernels` and the list of a plugin's kernels. `kernels why` is in why.c.
#include <string.h>

#include "list.h"

typedef struct kernel_list {
  json *json;
  int shown;
} kernel_list;

void list_kernel_json(json *j, const dvt_kernel_info *kernel) {
  json_open(j, NULL, '{');
  json_string(j, "op", kernel->op);
  json_string(j, "device", kernel->device);
  json_string(j, "constraints", kernel->constraints);
  json_string(j, "label", kernel->label);
  json_string(j, "plugin", kernel->plugin);
  json_int(j, "priority", kernel->priority);
  json_bool(j, "async", kernel->is_async);
  json_close(j, '}');
}

void list_kernel_text(const dvt_kernel_info *kernel) {
  printf("%-32s %-8s %-14s %s", kernel->op, kernel->device, kernel->plugin[0] ? kernel->plugin : "(runtime)",
         kernel->constraints);
  if (kernel->label[0]) printf("  label '%s'", kernel->label);
  if (kernel->priority) printf("  priority %d", kernel->priority);
  puts(kernel->is_async ? "  async" : "");
}

static void visit(void *arg, const dvt_kernel_info *kernel) {
  kernel_list *list = arg;
  if (list->shown++ == 0 && !list->json) printf("%-32s %-8s %-14s dtypes\n", "op", "device", "plugin");
  if (list->json)
    list_kernel_json(list->json, kernel);
  else
    list_kernel_text(kernel);
}

static int run(const cli_options *options) {
  json j = {.file = stdout};
  kernel_list list = {options->json ? &j : NULL, 0};
  if (options->positional_count > 0 && strcmp(options->positional[0], "why") == 0) return list_why(options);
  if (!cli_load_plugins(options)) return CLI_BAD_PLUGIN;
  if (options->json) json_open(&j, NULL, '[');
  if (options->positional_count == 0) dvt_list_kernels(NULL, NULL, visit, &list);
  int exit_code = CLI_OK;
  const char *without[CLI_MAX_LIST];
  int without_count = 0;
  for (int i = 0; i < options->positional_count; ++i) {
    int before = list.shown;
    dvt_list_kernels(options->positional[i], NULL, visit, &list);
    if (list.shown == before) without[without_count++] = options->positional[i];
  }
  if (options->json) json_close(&j, ']');
  for (int i = 0; i < without_count; ++i)
    exit_code = cli_error(CLI_USAGE, "no plugin has a kernel for the op '%s'. dovetail kernels lists all.",
                          without[i]);
  return exit_code;
}

const cli_verb cli_kernels = {
    "kernels",
    "[OP]...",
    "Lists the kernels of the standard plugins and of those given with --plugin",
    "psgzj",
    "`kernels why MODEL NODE` tells which kernel a node of a model takes, in its graph and its "
    "functions,\n"
    "and for every other kernel of the op why it is not taken: its device, label, dtypes or "
    "priority;\n"
    "also what the plan of --signature makes of the node.\n"
    "\n"
    "Examples:\n"
    "  dovetail kernels MatMul\n"
    "  dovetail kernels --json\n"
    "  dovetail kernels why model_dir dense/MatMul\n",
    run};
