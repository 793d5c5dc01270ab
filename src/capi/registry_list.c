// Listing the plugins', ops' and kernels' registries for embedders and the `dovetail` command, as readable
// text.
#include <inttypes.h>
#include <stdlib.h>

#include "capi/registry_op.h"
#include "kernel/registry.h"
#include "op/registry.h"
#include "plugin/plugin.h"

const char *dvt_load_plugin(const char *path, TF_Status *status) {
  dvt_plugin *plugin = NULL;
  dvt_plugin_autoload_init();
  dvt_status result = path ? dvt_plugin_load(path, &plugin)
                           : dvt_error(TF_INVALID_ARGUMENT, "dvt_load_plugin: the path is NULL.");
  const char *name = result ? NULL : plugin->name;
  dvt_status_to_tf(result, status);
  return name;
}

static const char *plugin_name(const dvt_plugin *plugin) { return plugin ? plugin->name : ""; }

static bool belongs(const dvt_plugin *plugin, const char *wanted) {
  return !wanted || strcmp(plugin_name(plugin), wanted) == 0;
}

// ---- text ----

static void put_types(const uint8_t *dtypes, size_t count, dvt_buf *out) {
  for (size_t i = 0; i < count; ++i) dvt_buf_printf(out, "%s%s", i ? ", " : "", dvt_dtype_name(dtypes[i]));
}

// ---- kernels ----

typedef struct kernel_list {
  const dvt_kernel_def **defs;
  size_t count, capacity;
  const char *op, *plugin;
} kernel_list;

static void collect_kernel(void *arg, const dvt_kernel_def *def) {
  kernel_list *list = arg;
  if ((list->op && !dvt_str_is(def->op, list->op)) || !belongs(def->plugin, list->plugin)) return;
  if (dvt_grow((void **)&list->defs, &list->capacity, list->count + 1, sizeof *list->defs))
    list->defs[list->count++] = def;
}

static int by_op(const void *a, const void *b) {
  const dvt_kernel_def *x = *(const dvt_kernel_def *const *)a, *y = *(const dvt_kernel_def *const *)b;
  int order = dvt_str_compare(x->op, y->op);
  return order ? order : dvt_str_compare(x->device_type, y->device_type);
}

static kernel_list kernels_collect(const char *op, const char *plugin) {
  kernel_list list = {.op = op, .plugin = plugin};
  dvt_kernel_registry_visit(collect_kernel, &list);
  if (list.count) qsort(list.defs, list.count, sizeof *list.defs, by_op);
  return list;
}

static void show_kernel(const dvt_kernel_def *def, dvt_buf *text,
                        void (*visit)(void *, const dvt_kernel_info *), void *arg) {
  dvt_buf_clear(text);
  dvt_buf_append(text, "", 0);
  for (int i = 0; i < def->constraint_count; ++i) {
    const dvt_kernel_constraint *c = &def->constraints[i];
    dvt_buf_printf(text, "%s" DVT_STR_FMT " in {", i ? ", " : "", DVT_STR_ARG(c->attr));
    put_types(c->dtypes, (size_t)c->dtype_count, text);
    dvt_buf_append_byte(text, '}');
  }
  size_t op = text->len + 1, device, label;
  dvt_buf_printf(text, "%c" DVT_STR_FMT "%c", 0, DVT_STR_ARG(def->op), 0);
  device = text->len;
  dvt_buf_printf(text, DVT_STR_FMT "%c", DVT_STR_ARG(def->device_type), 0);
  label = text->len;
  dvt_buf_append_str(text, def->label);
  if (text->failed) return;
  dvt_kernel_info info = {text->data + op,           text->data + device,      text->data,
                          text->data + label,        plugin_name(def->plugin), def->priority,
                          def->compute_async != NULL};
  visit(arg, &info);
}

void dvt_list_kernels(const char *op, const char *plugin,
                      void (*visit)(void *arg, const dvt_kernel_info *kernel), void *arg) {
  if (!plugin) {
    dvt_plugin_autoload_init();
    dvt_op_registry_load_all();
  }
  kernel_list list = kernels_collect(op, plugin);
  dvt_buf text = {0};
  for (size_t i = 0; i < list.count; ++i) show_kernel(list.defs[i], &text, visit, arg);
  dvt_buf_deinit(&text);
  dvt_free(list.defs);
}

// ---- ops ----

typedef struct op_walk {
  const char *plugin;
  kernel_list kernels;  // all, sorted by op
  dvt_arena arena;      // what visit sees of one op
  void (*visit)(void *arg, const dvt_op_info *op);
  void *arg;
} op_walk;

static int count_kernels(const kernel_list *list, dvt_str op) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dvt_str_compare(list->defs[middle]->op, op) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  int count = 0;
  while (low < list->count && dvt_str_eq(list->defs[low]->op, op)) ++low, ++count;
  return count;
}

static void show_op(void *arg, const dvt_op_def *op) {
  op_walk *walk = arg;
  dvt_op_info info;
  if (!belongs(op->plugin, walk->plugin) || !dvt_op_info_fill(op, &walk->arena, &info)) return;
  info.plugin = plugin_name(op->plugin);
  info.kernel_count = count_kernels(&walk->kernels, op->name);
  walk->visit(walk->arg, &info);
  dvt_arena_reset(&walk->arena);
}

void dvt_list_ops(const char *plugin, void (*visit)(void *arg, const dvt_op_info *op), void *arg) {
  if (!plugin) {
    dvt_plugin_autoload_init();
    dvt_op_registry_load_all();
  }
  op_walk walk = {.plugin = plugin, .kernels = kernels_collect(NULL, NULL), .visit = visit, .arg = arg};
  dvt_op_registry_visit(show_op, &walk);
  dvt_arena_deinit(&walk.arena);
  dvt_free(walk.kernels.defs);
}
