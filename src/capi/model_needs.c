// Which ops a model has, which of them running its signatures reaches, and what is missing to run those.
// Works on the bytes of the GraphDef, because a graph with unknown ops cannot be imported. Reached is what
// the outputs of the signatures and the loading of variables depend on; of a called function, what its
// results depend on and its stateful nodes.
#include <inttypes.h>
#include <stdlib.h>

#include "capi/model.h"
#include "kernel/registry.h"
#include "op/registry.h"
#include "plugin/plugin.h"

enum { ATTR_LIST = 1, ATTR_PLACEHOLDER = 9, ATTR_FUNC = 10, LIST_FUNC = 9, FUNC_NAME = 1 };

typedef struct need_node {
  dvt_str name, op, proto;
  bool reached;
} need_node;

// The graph itself or the body of a function.
typedef struct need_scope {
  dvt_str name, proto;  // of the function
  need_node *nodes;
  size_t count;
  dvt_map by_name;
  bool entered;
  struct need_scope *next;  // entered and not walked yet
} need_scope;

typedef struct needs {
  dvt_model *model;
  dvt_arena arena;  // only for the length of the analysis
  need_scope graph, initializer;
  need_scope *functions;
  size_t function_count;
  dvt_map function_by_name;
  need_scope *queue;
  need_node **stack;
  size_t depth, stack_capacity;
  dvt_map uses;  // op -> dvt_op_use
  dvt_op_use **order;
  size_t op_count, order_capacity;
  const dvt_kernel_def **kernels;  // found by needed nodes, one an op and dtype after the other
  size_t kernel_count, kernel_capacity;
  bool failed;  // out of memory
} needs;

static dvt_op_use *use_of(needs *n, dvt_str op) {
  void **slot = dvt_map_slot_for(&n->uses, op);
  if (!slot) return NULL;
  if (*slot) return *slot;
  dvt_op_use *use = dvt_arena_calloc(&n->arena, 1, sizeof *use);
  if (use) use->op = dvt_model_copy(n->model, op);
  if (!use || !use->op ||
      !dvt_grow((void **)&n->order, &n->order_capacity, n->op_count + 1, sizeof *n->order)) {
    dvt_map_remove(&n->uses, op);
    return NULL;
  }
  n->order[n->op_count++] = use;
  *slot = use;
  return use;
}

// ---- reading ----

static bool scope_read(needs *n, need_scope *scope, dvt_str proto, uint32_t node_field) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_str node;
  size_t count = 0;
  while (dvt_proto_next(&wire, node_field, &node)) ++count;
  scope->nodes = dvt_arena_calloc(&n->arena, count + 1, sizeof *scope->nodes);
  if (!scope->nodes || !dvt_map_reserve(&scope->by_name, count)) return false;
  wire = dvt_wire_open(proto);
  while (scope->count < count && dvt_proto_next(&wire, node_field, &node)) {
    need_node *to = &scope->nodes[scope->count++];
    *to = (need_node){dvt_proto_bytes(node, NODE_NAME), dvt_proto_bytes(node, NODE_OP), node, false};
    dvt_op_use *use = use_of(n, to->op);
    if (!use || !dvt_map_put(&scope->by_name, to->name, to)) return false;
    ++use->count;
  }
  return true;
}

static bool read_all(needs *n) {
  dvt_str library = dvt_proto_bytes(n->model->graph_def, GRAPH_LIBRARY), function;
  dvt_wire wire = dvt_wire_open(library);
  size_t count = 0;
  while (dvt_proto_next(&wire, LIBRARY_FUNCTION, &function)) ++count;
  n->functions = dvt_arena_calloc(&n->arena, count + 1, sizeof *n->functions);
  if (!n->functions) return false;
  wire = dvt_wire_open(library);
  while (n->function_count < count && dvt_proto_next(&wire, LIBRARY_FUNCTION, &function)) {
    need_scope *scope = &n->functions[n->function_count++];
    scope->proto = function;
    scope->name = dvt_proto_bytes(dvt_proto_bytes(function, FUNCTION_SIGNATURE), OP_NAME);
    if (!scope_read(n, scope, function, FUNCTION_NODE) ||
        !dvt_map_put(&n->function_by_name, scope->name, scope))
      return false;
  }
  return scope_read(n, &n->graph, n->model->graph_def, GRAPH_NODE) &&
         scope_read(n, &n->initializer, dvt_buf_str(&n->model->initializer), GRAPH_NODE);
}

// ---- reaching ----

// "^node", "node:1", "node:output:0" -> the node.
static void reach(needs *n, need_scope *scope, dvt_str input) {
  if (input.len && input.data[0] == '^') input = dvt_str_drop(input, 1);
  input.len = dvt_str_find(input, ':');
  need_node *node = dvt_map_get(&scope->by_name, input);
  if (!node || node->reached) return;
  node->reached = true;
  if (!dvt_grow((void **)&n->stack, &n->stack_capacity, n->depth + 1, sizeof *n->stack)) {
    n->failed = true;
    return;
  }
  n->stack[n->depth++] = node;
}

static void enter(needs *n, dvt_str function) {
  need_scope *scope = dvt_map_get(&n->function_by_name, function);
  if (!scope || scope->entered) return;
  scope->entered = true;
  scope->next = n->queue;
  n->queue = scope;
}

// Functions that an attribute names.
static void enter_attr(needs *n, dvt_str value) {
  enter(n, dvt_proto_bytes(dvt_proto_bytes(value, ATTR_FUNC), FUNC_NAME));
  dvt_wire list = dvt_wire_open(dvt_proto_bytes(value, ATTR_LIST));
  dvt_str func;
  while (dvt_proto_next(&list, LIST_FUNC, &func)) enter(n, dvt_proto_bytes(func, FUNC_NAME));
}

static void follow(needs *n, need_scope *scope) {
  while (n->depth > 0) {
    need_node *node = n->stack[--n->depth];
    dvt_wire wire = dvt_wire_open(node->proto);
    dvt_field field;
    enter(n, node->op);
    while (dvt_wire_next(&wire, &field)) {
      if (field.type != DVT_WIRE_BYTES) continue;
      if (field.number == NODE_INPUT) reach(n, scope, field.bytes);
      if (field.number == NODE_ATTR) enter_attr(n, dvt_proto_bytes(field.bytes, ENTRY_VALUE));
    }
  }
}

static void reach_signatures(needs *n) {
  const dvt_model *model = n->model;
  for (int i = 0; i < model->signature_count; ++i)
    for (int j = 0; j < model->signatures[i].output_count; ++j)
      reach(n, &n->graph, dvt_str_from(model->signatures[i].outputs[j].info.tensor));
  const dvt_saved_model *saved = model->saved_model;
  if (saved) {
    reach(n, &n->graph, saved->restore_op);
    reach(n, &n->graph, saved->init_op);
  }
  for (size_t i = 0; model->signature_count == 0 && i < n->graph.count; ++i)
    reach(n, &n->graph, n->graph.nodes[i].name);
  follow(n, &n->graph);
  for (size_t i = 0; i < n->initializer.count; ++i) n->initializer.nodes[i].reached = true;
}

static void reach_function(needs *n, need_scope *scope) {
  dvt_wire wire = dvt_wire_open(scope->proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.type == DVT_WIRE_BYTES &&
        (field.number == FUNCTION_RET || field.number == FUNCTION_CONTROL_RET))
      reach(n, scope, dvt_proto_bytes(field.bytes, ENTRY_VALUE));
  for (size_t i = 0; i < scope->count; ++i) {
    const dvt_op_def *op = dvt_op_lookup(scope->nodes[i].op);
    if (op && op->is_stateful) reach(n, scope, scope->nodes[i].name);
  }
  follow(n, scope);
}

// ---- what is missing ----

static const char *formatted(needs *n, const char *format, ...) DVT_PRINTF(2, 3);
static const char *formatted(needs *n, const char *format, ...) {
  va_list args;
  dvt_buf text = {0};
  va_start(args, format);
  dvt_buf_vprintf(&text, format, args);
  va_end(args);
  const char *copy = text.failed ? NULL : dvt_model_copy(n->model, dvt_buf_str(&text));
  n->failed |= !copy;
  dvt_buf_deinit(&text);
  return copy;
}

// A node of a generic function: its attributes are known only when it is called.
bool dvt_node_is_generic(const dvt_node_def *def) {
  for (int32_t i = 0; i < def->attr_count; ++i)
    if (dvt_proto_bytes(def->attrs[i].value, ATTR_PLACEHOLDER).len) return true;
  return false;
}

bool dvt_node_from_proto(dvt_str proto, const dvt_op_def *op, dvt_arena *arena, dvt_node_def *out_def) {
  dvt_str entry;
  size_t count = 0;
  dvt_wire wire = dvt_wire_open(proto);
  while (dvt_proto_next(&wire, NODE_ATTR, &entry)) ++count;
  dvt_attr *attrs = dvt_arena_calloc(arena, count + 1, sizeof *attrs);
  if (!attrs || count > INT32_MAX) return false;
  wire = dvt_wire_open(proto);
  for (size_t i = 0; i < count && dvt_proto_next(&wire, NODE_ATTR, &entry); ++i)
    attrs[i] = (dvt_attr){dvt_proto_bytes(entry, ENTRY_KEY), dvt_proto_bytes(entry, ENTRY_VALUE)};
  *out_def = (dvt_node_def){.name = dvt_proto_bytes(proto, NODE_NAME),
                            .device = dvt_proto_bytes(proto, NODE_DEVICE),
                            .op = op,
                            .attrs = attrs,
                            .attr_count = (int32_t)count};
  return true;
}

// Neighbouring nodes often have the same.
static void add_kernel(needs *n, const dvt_kernel_def *kernel) {
  if (n->kernel_count && n->kernels[n->kernel_count - 1] == kernel) return;
  if (dvt_grow((void **)&n->kernels, &n->kernel_capacity, n->kernel_count + 1, sizeof *n->kernels))
    n->kernels[n->kernel_count++] = kernel;
  else
    n->failed = true;
}

static void check_kernel(needs *n, const need_node *node, const dvt_op_def *op, dvt_op_use *use) {
  dvt_arena arena = {0};
  dvt_node_def def;
  bool ok = dvt_node_from_proto(node->proto, op, &arena, &def);
  n->failed |= !ok;
  if (ok && !dvt_node_is_generic(&def)) {
    const dvt_kernel_def *kernel = NULL;
    dvt_status status = dvt_node_resolve(&def, &arena);
    if (!status) status = dvt_kernel_find(&def, DVT_STR("CPU"), &kernel);
    if (status && !use->missing) use->missing = formatted(n, "%s", dvt_status_message(status));
    if (!status && !use->plugin) use->plugin = kernel->plugin ? formatted(n, "%s", kernel->plugin->name) : "";
    if (!status) add_kernel(n, kernel);
    dvt_status_free(status);
  }
  dvt_arena_deinit(&arena);
}

static void check_node(needs *n, const need_node *node) {
  dvt_op_use *use = dvt_map_get(&n->uses, node->op);
  ++use->needed;
  if (dvt_map_get(&n->function_by_name, node->op) || dvt_exec_runs_op(node->op)) {
    use->plugin = "";
    return;
  }
  const dvt_op_def *op = dvt_op_lookup(node->op);
  if (op)
    check_kernel(n, node, op, use);
  else if (!use->missing)
    use->missing = formatted(n, "no plugin registers the op '" DVT_STR_FMT "'; load one that does",
                             DVT_STR_ARG(node->op));
}

// A graph can be imported only when every op of its own nodes is defined, whether it is reached or not.
static void check_definitions(needs *n) {
  for (size_t i = 0; i < n->graph.count; ++i) {
    const need_node *node = &n->graph.nodes[i];
    dvt_op_use *use = dvt_map_get(&n->uses, node->op);
    if (use->missing || dvt_map_get(&n->function_by_name, node->op) || dvt_op_lookup(node->op)) continue;
    use->missing = formatted(n,
                             "no plugin registers the op '" DVT_STR_FMT
                             "', which opening the model needs; load one that "
                             "does",
                             DVT_STR_ARG(node->op));
  }
}

static void check_scope(needs *n, const need_scope *scope) {
  for (size_t i = 0; i < scope->count; ++i)
    if (scope->nodes[i].reached) check_node(n, &scope->nodes[i]);
}

// ---- results ----

static int most_frequent_first(const void *a, const void *b) {
  const dvt_op_use *x = *(dvt_op_use *const *)a, *y = *(dvt_op_use *const *)b;
  return x->count == y->count ? strcmp(x->op, y->op) : x->count < y->count ? 1 : -1;
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t) * (const dvt_kernel_def *const *)a,
            y = (uintptr_t) * (const dvt_kernel_def *const *)b;
  return x < y ? -1 : x > y;
}

static void keep_kernels(needs *n) {
  dvt_model *model = n->model;
  size_t kept = 0;
  if (n->kernel_count) qsort(n->kernels, n->kernel_count, sizeof *n->kernels, by_address);
  for (size_t i = 0; i < n->kernel_count; ++i)
    if (kept == 0 || n->kernels[kept - 1] != n->kernels[i]) n->kernels[kept++] = n->kernels[i];
  dvt_kernel_use *uses = dvt_arena_calloc(&model->arena, kept + 1, sizeof *uses);
  for (size_t i = 0; uses && i < kept; ++i) {
    const dvt_kernel_def *kernel = n->kernels[i];
    uses[i] = (dvt_kernel_use){
        dvt_model_copy(model, kernel->op), dvt_model_copy(model, kernel->class_name),
        dvt_model_copy(model, kernel->plugin ? dvt_str_from(kernel->plugin->name) : (dvt_str){0})};
    n->failed |= !uses[i].op || !uses[i].kernel_class || !uses[i].plugin;
  }
  n->failed |= !uses;
  model->node_kernels = uses;
  model->node_kernel_count = kept;
}

static void keep_results(needs *n) {
  dvt_model *model = n->model;
  dvt_op_use *ops = dvt_arena_calloc(&model->arena, n->op_count + 1, sizeof *ops);
  n->failed |= !ops;
  if (n->failed) return;
  if (n->op_count) qsort(n->order, n->op_count, sizeof *n->order, most_frequent_first);
  for (size_t i = 0; i < n->op_count; ++i) {
    ops[i] = *n->order[i];
    model->missing_count += ops[i].missing != NULL;
  }
  model->ops = ops;
  model->op_count = (int)n->op_count;
  keep_kernels(n);
}

static void analyse(dvt_model *model) {
  needs n = {.model = model};
  n.failed = !read_all(&n);
  if (!n.failed) {
    reach_signatures(&n);
    while (n.queue) {
      need_scope *scope = n.queue;
      n.queue = scope->next;
      reach_function(&n, scope);
    }
    check_definitions(&n);
    check_scope(&n, &n.graph);
    check_scope(&n, &n.initializer);
    for (size_t i = 0; i < n.function_count; ++i) check_scope(&n, &n.functions[i]);
  }
  keep_results(&n);
  model->ops_known = !n.failed;
  for (size_t i = 0; i < n.function_count; ++i) dvt_map_deinit(&n.functions[i].by_name);
  dvt_map_deinit(&n.graph.by_name);
  dvt_map_deinit(&n.initializer.by_name);
  dvt_map_deinit(&n.function_by_name);
  dvt_map_deinit(&n.uses);
  dvt_free(n.order);
  dvt_free(n.kernels);
  dvt_free(n.stack);
  dvt_arena_deinit(&n.arena);
}

static void ensure(dvt_model *model) {
  pthread_mutex_lock(&model->lock);
  if (!model->ops_known) analyse(model);
  pthread_mutex_unlock(&model->lock);
}

int dvt_model_op_count(dvt_model *model) {
  if (!model) return 0;
  ensure(model);
  return model->op_count;
}

const dvt_op_use *dvt_model_op(dvt_model *model, int index) {
  if (!model) return NULL;
  ensure(model);
  return index >= 0 && index < model->op_count ? &model->ops[index] : NULL;
}

int dvt_model_missing_count(dvt_model *model) {
  if (!model) return 0;
  ensure(model);
  return model->missing_count;
}
