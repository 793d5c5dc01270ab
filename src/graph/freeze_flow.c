// Freezing: which tensors are handles of variables. Handles come from VarHandleOp and are handed on by
// control flow, as arguments and results of functions, and by Identity; all other uses end there.
#include <stdlib.h>

#include "graph/freeze_internal.h"
#include "op/attr.h"
#include "tensorflow/c/tf_datatype.h"

static const struct {
  const char *op;
  dvt_handle_use use;
} uses[] = {
    {"VarHandleOp", DVT_USE_VARIABLE},
    {"Identity", DVT_USE_PASS},
    {"Enter", DVT_USE_PASS},
    {"Exit", DVT_USE_PASS},
    {"NextIteration", DVT_USE_PASS},
    {"Switch", DVT_USE_PASS},
    {"IdentityN", DVT_USE_PASS_LIST},
    {"Merge", DVT_USE_MERGE},
    {"PartitionedCall", DVT_USE_CALL},
    {"StatefulPartitionedCall", DVT_USE_CALL},
    {"While", DVT_USE_LOOP},
    {"StatelessWhile", DVT_USE_LOOP},
    {"If", DVT_USE_BRANCH},
    {"StatelessIf", DVT_USE_BRANCH},
    {"Case", DVT_USE_CASE},
    {"StatelessCase", DVT_USE_CASE},
    {"ReadVariableOp", DVT_USE_READ},
    {"ResourceGather", DVT_USE_GATHER},
    {"ResourceGatherNd", DVT_USE_GATHER_ND},
    {"VariableShape", DVT_USE_SHAPE},
    {"VarIsInitializedOp", DVT_USE_IS_SET},
    {"DisableCopyOnRead", DVT_USE_NOTHING},
};

dvt_handle_use dvt_freeze_use_of(const dvt_freezer *f, dvt_str op) {
  for (size_t i = 0; i < DVT_COUNT_OF(uses); ++i)
    if (dvt_str_is(op, uses[i].op)) return uses[i].use;
  return dvt_map_get(&f->functions, op) ? DVT_USE_NAMED_CALL : DVT_USE_UNKNOWN;
}

dvt_str dvt_freeze_attr(dvt_str node, const char *name) {
  dvt_wire wire = dvt_wire_open(node);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == NODE_ATTR && field.type == DVT_WIRE_BYTES &&
        dvt_str_is(dvt_freeze_bytes(field.bytes, ENTRY_KEY), name))
      return dvt_freeze_bytes(field.bytes, ENTRY_VALUE);
  return (dvt_str){0};
}

// ---- functions named in attrs ----

enum { ATTR_FUNC = 10, LIST_FUNC = 9 };

dvt_wire dvt_freeze_functions_of(dvt_str attr_value) {
  dvt_str list = dvt_freeze_bytes(attr_value, ATTR_LIST);
  return dvt_wire_open(list.len ? list : attr_value);
}

bool dvt_freeze_next_function(dvt_wire *wire, dvt_str *out_name) {
  dvt_field field;
  while (dvt_wire_next(wire, &field)) {
    if (field.type != DVT_WIRE_BYTES || (field.number != ATTR_FUNC && field.number != LIST_FUNC)) continue;
    *out_name = dvt_freeze_bytes(field.bytes, 1);  // NameAttrList.name
    return true;
  }
  return false;
}

static bool same_dtypes(const dvt_freeze_scope *scope, const dvt_frozen **args, size_t count) {
  for (size_t i = 0; i < scope->arg_count; ++i) {
    int a = scope->args[i] ? scope->args[i]->dtype : 0, b = i < count && args[i] ? args[i]->dtype : 0;
    if (a != b) return false;
  }
  return true;
}

// A function that takes variables gets a name of its own, because others may call it with none.
static bool name_instance(dvt_freezer *f, dvt_freeze_scope *scope) {
  if (!scope->has_frozen_args) return scope->name = scope->source_name, true;
  dvt_buf name = {0};
  bool ok = true, taken = true;
  for (int i = 1; ok && taken; ++i) {
    dvt_buf_clear(&name);
    dvt_buf_printf(&name, DVT_STR_FMT "_frozen", DVT_STR_ARG(scope->source_name));
    if (i > 1) dvt_buf_printf(&name, "_%d", i);
    taken = dvt_map_get(&f->functions, dvt_buf_str(&name)) != NULL;
    for (const dvt_freeze_scope *other = f->first; other && !taken; other = other->next)
      taken = other != scope && dvt_str_eq(other->name, dvt_buf_str(&name));
    ok = !name.failed;
  }
  ok = ok && dvt_arena_copy_str(&f->arena, dvt_buf_str(&name), &scope->name);
  dvt_buf_deinit(&name);
  return ok;
}

dvt_status dvt_freeze_instance(dvt_freezer *f, dvt_str name, const dvt_frozen **args, size_t arg_count,
                               dvt_freeze_scope **out) {
  *out = NULL;
  const dvt_str *proto = dvt_map_get(&f->functions, name);
  if (!proto) return NULL;
  for (dvt_freeze_scope *scope = f->first; scope; scope = scope->next) {
    if (!dvt_str_eq(scope->source_name, name) || !same_dtypes(scope, args, arg_count)) continue;
    *out = scope;
    return NULL;
  }
  dvt_freeze_scope *scope = dvt_arena_calloc(&f->arena, 1, sizeof *scope);
  if (!scope) return dvt_error_out_of_memory(sizeof *scope);
  scope->proto = *proto;
  scope->source_name = name;
  if (f->last)
    f->last->next = scope;
  else
    f->first = scope;
  f->last = scope;
  DVT_RETURN_IF_ERROR(dvt_freeze_scope_read(f, scope));
  for (size_t i = 0; i < scope->arg_count && i < arg_count; ++i) {
    scope->args[i] = args[i];
    scope->has_frozen_args |= args[i] != NULL;
  }
  *out = scope;
  return name_instance(f, scope) ? NULL : dvt_error_out_of_memory(name.len);
}

dvt_status dvt_freeze_result(dvt_freezer *f, dvt_freeze_scope *scope, size_t index, const dvt_frozen **out) {
  dvt_status status = NULL;
  *out = NULL;
  if (index >= scope->ret_count || scope->ret_dtypes[index] != TF_RESOURCE || scope->is_looking) return NULL;
  scope->is_looking = true;  // a function that calls itself gets its answer from the other branch
  dvt_wire wire = dvt_wire_open(scope->proto);
  dvt_field field;
  while (!status && dvt_wire_next(&wire, &field))
    if (field.number == FUNCTION_RET && field.type == DVT_WIRE_BYTES &&
        dvt_str_eq(dvt_freeze_bytes(field.bytes, ENTRY_KEY), scope->ret_names[index]))
      status = dvt_freeze_value(f, scope, dvt_freeze_bytes(field.bytes, ENTRY_VALUE), out);
  scope->is_looking = false;
  return status;
}

// ---- tensors ----

// "node", "node:1" (graph), "node:output:1" (function); *out_output is what follows the node's name.
dvt_freeze_node *dvt_freeze_producer(const dvt_freeze_scope *scope, dvt_str ref, dvt_str *out_output) {
  size_t colon = dvt_str_find(ref, ':');
  dvt_str name = dvt_str_make(ref.data, colon < ref.len ? colon : ref.len);
  if (out_output) *out_output = colon < ref.len ? dvt_str_drop(ref, colon + 1) : (dvt_str){0};
  for (size_t i = 0; i < scope->arg_count; ++i)
    if (dvt_str_eq(scope->arg_names[i], name)) return NULL;
  return dvt_map_get(&scope->by_name, name);
}

// The flat index of an output of ops whose outputs are all of one list.
static size_t output_index(dvt_str output) {
  size_t colon = dvt_str_find(output, ':');
  if (colon < output.len) output = dvt_str_drop(output, colon + 1);
  char digits[24] = {0};
  memcpy(digits, output.data ? output.data : "", DVT_MIN(output.len, sizeof digits - 1));
  return (size_t)strtoul(digits, NULL, 10);
}

// Whether attr `name`, a dtype or a list of them, says resource at `index`: most tensors are ruled out by
// that.
static bool says_resource(const dvt_freeze_node *node, const char *name, size_t index) {
  dvt_str attr = dvt_freeze_attr(node->proto, name);
  dvt_attr_list list;
  uint64_t dtype = 0;
  int single = 0;
  dvt_status status = dvt_attr_get_type(attr, &single);
  if (!status) return single == TF_RESOURCE;
  dvt_status_free(status);
  status = dvt_attr_list_open(attr, TF_ATTR_TYPE, &list);
  bool found = !status;
  for (size_t i = 0; found && i <= index; ++i) found = dvt_attr_list_next(&list, &dtype, NULL);
  dvt_status_free(status);
  return found && dtype == TF_RESOURCE;
}

static dvt_status variable_of(dvt_freezer *f, const dvt_freeze_node *node, const dvt_frozen **out) {
  dvt_str container = {0}, name = {0};
  int dtype = 0;
  dvt_str attr = dvt_freeze_attr(node->proto, "container");
  if (attr.data) DVT_RETURN_IF_ERROR(dvt_attr_get_string(attr, &container));
  attr = dvt_freeze_attr(node->proto, "shared_name");
  if (attr.data) DVT_RETURN_IF_ERROR(dvt_attr_get_string(attr, &name));
  DVT_RETURN_IF_ERROR(dvt_attr_get_type(dvt_freeze_attr(node->proto, "dtype"), &dtype));
  if (!name.len) name = node->name;
  dvt_buf key = {0};
  dvt_buf_printf(&key, DVT_STR_FMT "/" DVT_STR_FMT, DVT_STR_ARG(container), DVT_STR_ARG(name));
  dvt_frozen *found = key.failed ? NULL : dvt_map_get(&f->variables, dvt_buf_str(&key));
  bool ok = !key.failed;
  if (ok && !found) {
    dvt_str kept;
    found = dvt_arena_calloc(&f->arena, 1, sizeof *found);
    ok = found && dvt_arena_copy_str(&f->arena, dvt_buf_str(&key), &kept) &&
         dvt_map_put(&f->variables, kept, found);
    if (ok) *found = (dvt_frozen){dtype, container, name};
  }
  dvt_buf_deinit(&key);
  *out = found;
  return ok ? NULL : dvt_error_out_of_memory(sizeof *found);
}

dvt_status dvt_freeze_inputs(dvt_freezer *f, dvt_freeze_scope *scope, const dvt_freeze_node *node,
                             size_t first, const dvt_frozen ***out_values, size_t *out_count) {
  size_t count = node->data_count > first ? node->data_count - first : 0;
  *out_values = dvt_arena_calloc(&f->arena, count + 1, sizeof **out_values);
  *out_count = count;
  if (!*out_values) return dvt_error_out_of_memory(count * sizeof **out_values);
  for (size_t i = 0; i < count; ++i)
    DVT_RETURN_IF_ERROR(dvt_freeze_value(f, scope, node->inputs[first + i], &(*out_values)[i]));
  return NULL;
}

// A result of the function that attr `name` names, or the first of its list.
static dvt_status result_of(dvt_freezer *f, dvt_freeze_scope *scope, const dvt_freeze_node *node,
                            const char *attr, size_t first, size_t index, const dvt_frozen **out) {
  const dvt_frozen **args;
  size_t count;
  dvt_str function;
  dvt_freeze_scope *called;
  dvt_wire wire = dvt_freeze_functions_of(dvt_freeze_attr(node->proto, attr));
  if (!dvt_freeze_next_function(&wire, &function)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_freeze_inputs(f, scope, node, first, &args, &count));
  DVT_RETURN_IF_ERROR(dvt_freeze_instance(f, function, args, count, &called));
  return called ? dvt_freeze_result(f, called, index, out) : NULL;
}

static dvt_status result_of_named(dvt_freezer *f, dvt_freeze_scope *scope, const dvt_freeze_node *node,
                                  dvt_str output, const dvt_frozen **out) {
  const dvt_frozen **args;
  size_t count, colon = dvt_str_find(output, ':');
  dvt_freeze_scope *called;
  DVT_RETURN_IF_ERROR(dvt_freeze_inputs(f, scope, node, 0, &args, &count));
  DVT_RETURN_IF_ERROR(dvt_freeze_instance(f, node->op, args, count, &called));
  if (!called) return NULL;
  size_t index = output_index(output);
  for (size_t i = 0; colon < output.len && i < called->ret_count; ++i)
    if (dvt_str_eq(called->ret_names[i], dvt_str_make(output.data, colon))) index = i;
  return dvt_freeze_result(f, called, index, out);
}

// A loop's NextIteration leads back to it, and hands on what the loop was entered with.
static dvt_status merged(dvt_freezer *f, dvt_freeze_scope *scope, const dvt_freeze_node *node,
                         const dvt_frozen **out) {
  for (size_t i = 0; i < node->data_count && !*out; ++i) {
    const dvt_freeze_node *from = dvt_freeze_producer(scope, node->inputs[i], NULL);
    if (from && !dvt_str_is(from->op, "NextIteration"))
      DVT_RETURN_IF_ERROR(dvt_freeze_value(f, scope, node->inputs[i], out));
  }
  return NULL;
}

static dvt_status one_value(dvt_freezer *f, dvt_freeze_scope *scope, dvt_freeze_node *node) {
  if (node->is_known) return NULL;
  node->is_known = true;  // before looking: a circle without NextIteration ends here
  if (node->use == DVT_USE_VARIABLE) return variable_of(f, node, &node->value);
  if (!says_resource(node, "T", 0)) return NULL;
  if (node->use == DVT_USE_MERGE) return merged(f, scope, node, &node->value);
  return node->data_count ? dvt_freeze_value(f, scope, node->inputs[0], &node->value) : NULL;
}

dvt_status dvt_freeze_value(dvt_freezer *f, dvt_freeze_scope *scope, dvt_str ref, const dvt_frozen **out) {
  dvt_str output;
  *out = NULL;
  for (size_t i = 0; i < scope->arg_count; ++i)
    if (dvt_str_eq(scope->arg_names[i], ref)) return *out = scope->args[i], NULL;
  dvt_freeze_node *node = dvt_freeze_producer(scope, ref, &output);
  if (!node) return NULL;
  size_t index = output_index(output);
  switch (node->use) {
    case DVT_USE_VARIABLE:
    case DVT_USE_PASS:
    case DVT_USE_MERGE:
      DVT_RETURN_IF_ERROR(one_value(f, scope, node));
      *out = node->value;
      return NULL;
    case DVT_USE_PASS_LIST:
    case DVT_USE_LOOP:
      if (index >= node->data_count || !says_resource(node, "T", index)) return NULL;
      return dvt_freeze_value(f, scope, node->inputs[index], out);
    case DVT_USE_CALL:
      if (!says_resource(node, "Tout", index)) return NULL;
      return result_of(f, scope, node, "f", 0, index, out);
    case DVT_USE_BRANCH:
      if (!says_resource(node, "Tout", index)) return NULL;
      return result_of(f, scope, node, "then_branch", 1, index, out);
    case DVT_USE_CASE:
      if (!says_resource(node, "Tout", index)) return NULL;
      return result_of(f, scope, node, "branches", 1, index, out);
    case DVT_USE_NAMED_CALL:
      return result_of_named(f, scope, node, output, out);
    default:
      return NULL;
  }
}
