// `dovetail ops` and the list of a plugin's ops.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "list.h"

typedef struct op_list {
  const cli_options *options;
  json *json;
  bool shows;                // dovetail ops show
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

static void json_args(json *j, const char *key, const dvt_op_arg_info *args, int count) {
  json_open(j, key, '[');
  for (int i = 0; i < count; ++i) {
    json_open(j, NULL, '{');
    json_string(j, "name", args[i].name);
    json_string(j, "type", args[i].type);
    json_close(j, '}');
  }
  json_close(j, ']');
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
  json_string(j, "shape_function_origin", op->shape_function[0] ? op->shape_function : NULL);
  json_args(j, "inputs", op->inputs, op->input_count);
  json_args(j, "outputs", op->outputs, op->output_count);
  json_open(j, "attributes", '[');
  for (int i = 0; i < op->attr_count; ++i) {
    const dvt_op_attr_info *attr = &op->attr_list[i];
    json_open(j, NULL, '{');
    json_string(j, "name", attr->name);
    json_string(j, "type", attr->type);
    json_string(j, "allowed", attr->allowed[0] ? attr->allowed : NULL);
    json_string(j, "default", attr->default_value);
    if (attr->has_minimum) json_int(j, "minimum", attr->minimum);
    json_close(j, '}');
  }
  json_close(j, ']');
  json_string(j, "deprecation", op->deprecation[0] ? op->deprecation : NULL);
  json_string(j, "doc", op->doc[0] ? op->doc : NULL);
  json_close(j, '}');
}

void list_op_text(const dvt_op_info *op) {
  printf("%s%s\n", op->name, op->signature);
  if (op->attrs[0]) printf("    attrs    %s\n", op->attrs);
  printf("    plugin   %s, %d kernel%s%s%s\n", op->plugin[0] ? op->plugin : "(runtime)", op->kernel_count,
         op->kernel_count == 1 ? "" : "s", op->is_stateful ? ", stateful" : "",
         op->has_shape_function ? "" : ", no shape function");
}

// ---- dovetail ops show ----

static void show_args(const char *title, const dvt_op_arg_info *args, int count) {
  for (int i = 0; i < count; ++i) printf("  %-8s %-24s %s\n", i ? "" : title, args[i].name, args[i].type);
}

static void show_attr(const dvt_op_attr_info *attr, bool first) {
  printf("  %-8s %-24s %s", first ? "attrs" : "", attr->name, attr->type);
  if (attr->has_minimum) printf(" >= %" PRId64, attr->minimum);
  if (attr->allowed[0]) printf(" in {%s}", attr->allowed);
  printf(attr->default_value ? "  default %s\n" : "  must be given\n", attr->default_value);
}

static void show_kernel(void *arg, const dvt_kernel_info *kernel) {
  bool *first = arg;
  printf("  %-8s %-8s %-14s %s%s%s\n", *first ? "kernels" : "", kernel->device,
         kernel->plugin[0] ? kernel->plugin : "(runtime)",
         kernel->constraints[0] ? kernel->constraints : "any dtypes", kernel->label[0] ? "  label " : "",
         kernel->label);
  *first = false;
}

static void show_op(const dvt_op_info *op) {
  printf("%s%s\n", op->name, op->signature);
  if (op->doc[0]) printf("\n%s\n\n", op->doc);
  if (op->deprecation[0]) printf("  deprecated %s\n", op->deprecation);
  printf("  plugin   %s%s\n", op->plugin[0] ? op->plugin : "(runtime)", op->is_stateful ? ", stateful" : "");
  show_args("inputs", op->inputs, op->input_count);
  show_args("outputs", op->outputs, op->output_count);
  for (int i = 0; i < op->attr_count; ++i) show_attr(&op->attr_list[i], i == 0);
  printf("  shapes   %s\n", op->shape_function[0] ? op->shape_function : "no shape function");
  if (op->kernel_count == 0) printf("  kernels  none\n");
}

static void visit(void *arg, const dvt_op_info *op) {
  op_list *list = arg;
  if (!wanted(list, op->name)) return;
  if (list->json)
    list_op_json(list->json, op);
  else if (list->shows)
    show_op(op);
  else if (list->options->positional_count)
    list_op_text(op);
  else
    printf("%-32s %-14s %3d  %s\n", op->name, op->plugin[0] ? op->plugin : "(runtime)", op->kernel_count,
           op->signature);
}

// The registries may not be listed while one of them is, so kernels come after the op.
static void show_kernels(const op_list *list) {
  for (int i = 0; i < list->options->positional_count; ++i) {
    bool first = true;
    if (!list->found[i]) continue;
    if (list->options->positional_count > 1) printf("\n%s\n", list->options->positional[i]);
    dvt_list_kernels(list->options->positional[i], NULL, show_kernel, &first);
  }
}

static int run(const cli_options *given) {
  json j = {.file = stdout};
  cli_options without_show = *given;
  bool shows = given->positional_count > 0 && strcmp(given->positional[0], "show") == 0;
  if (shows) {
    without_show.positional_count--;
    memmove(without_show.positional, without_show.positional + 1,
            sizeof without_show.positional[0] * (size_t)without_show.positional_count);
  }
  const cli_options *options = &without_show;
  op_list list = {.options = options, .json = options->json ? &j : NULL, .shows = shows};
  int exit_code = CLI_OK;
  if (shows && !options->positional_count)
    return cli_error(CLI_USAGE, "ops show wants the names of ops. See dovetail ops --help.");
  if (!cli_load_plugins(options)) return CLI_BAD_PLUGIN;
  if (options->json) json_open(&j, NULL, '[');
  if (!options->json && !options->positional_count) printf("%-32s %-14s kernels\n", "op", "plugin");
  dvt_list_ops(NULL, visit, &list);
  if (options->json) json_close(&j, ']');
  if (shows && !options->json) show_kernels(&list);
  for (int i = 0; i < options->positional_count; ++i)
    if (!list.found[i])
      exit_code = cli_error(CLI_USAGE, "no plugin registers the op '%s'.%s%s%s dovetail ops lists all.",
                            options->positional[i], list.near[i].common ? " Did you mean '" : "",
                            list.near[i].op, list.near[i].common ? "'?" : "");
  return exit_code;
}

const cli_verb cli_ops = {
    "ops",
    "[show] [OP]...",
    "Lists the ops of the standard plugins and of those given with --plugin",
    "pj",
    "With names, shows these ops with their attributes; with show, each argument, attribute and kernel\n"
    "on a line of its own, and whose shape function it has. --json exports all of that.\n"
    "\n"
    "Examples:\n"
    "  dovetail ops\n"
    "  dovetail ops MatMul Conv2D\n"
    "  dovetail ops show StridedSlice\n"
    "  dovetail ops --plugin my_ops.so --json\n",
    run};
