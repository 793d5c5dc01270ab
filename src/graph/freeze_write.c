// Freezing: writing nodes and functions with tensors in place of handles of variables.
#include "graph/freeze_internal.h"
#include "op/attr.h"
#include "tensor/tensor_proto.h"
#include "tensorflow/c/tf_datatype.h"

enum { MAX_REFUSED = 6 };

typedef struct writer {
  dvt_freezer *f;
  dvt_freeze_scope *scope;
  const dvt_freeze_node *node;
  dvt_buf *out;
} writer;

// ---- parts of nodes ----

static void put_attr(const writer *w, const char *name, const dvt_buf *value) {
  size_t attr = dvt_wire_begin(w->out, NODE_ATTR);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, dvt_str_from(name));
  dvt_wire_put_bytes(w->out, ENTRY_VALUE, dvt_buf_str(value));
  dvt_wire_end(w->out, attr);
  w->out->failed |= value->failed;
}

static void put_type_attr(const writer *w, const char *name, int dtype) {
  dvt_buf value = {0};
  dvt_attr_put_type(&value, dtype);
  put_attr(w, name, &value);
  dvt_buf_deinit(&value);
}

// An attr of the old node under the name that the new one has for it.
static void put_copied_attr(const writer *w, const char *from, const char *to) {
  dvt_str value = dvt_freeze_attr(w->node->proto, from);
  if (!value.data) return;
  size_t attr = dvt_wire_begin(w->out, NODE_ATTR);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, dvt_str_from(to));
  dvt_wire_put_bytes(w->out, ENTRY_VALUE, value);
  dvt_wire_end(w->out, attr);
}

// A node that is replaced has one output, which functions call "output".
static dvt_status put_ref(const writer *w, uint32_t number, dvt_str ref) {
  const dvt_frozen *value = NULL;
  dvt_str output;
  dvt_freeze_node *from = w->scope->source_name.len ? dvt_freeze_producer(w->scope, ref, &output) : NULL;
  bool replaced = from && from->use == DVT_USE_VARIABLE;
  if (from && from->use >= DVT_USE_READ && from->data_count) {
    DVT_RETURN_IF_ERROR(dvt_freeze_value(w->f, w->scope, from->inputs[0], &value));
    replaced = value != NULL;
  }
  if (!replaced || !output.len) {
    dvt_wire_put_bytes(w->out, number, ref);
    return NULL;
  }
  dvt_buf name = {0};
  dvt_buf_printf(&name, DVT_STR_FMT ":output:0", DVT_STR_ARG(from->name));
  dvt_wire_put_bytes(w->out, number, dvt_buf_str(&name));
  w->out->failed |= name.failed;
  dvt_buf_deinit(&name);
  return NULL;
}

static size_t begin(const writer *w, uint32_t number, const char *suffix, const char *op) {
  dvt_buf name = {0};
  dvt_buf_printf(&name, DVT_STR_FMT "%s", DVT_STR_ARG(w->node->name), suffix);
  size_t at = dvt_wire_begin(w->out, number);
  dvt_wire_put_bytes(w->out, NODE_NAME, dvt_buf_str(&name));
  dvt_wire_put_bytes(w->out, NODE_OP, dvt_str_from(op));
  dvt_str device = dvt_freeze_bytes(w->node->proto, NODE_DEVICE);
  if (device.len) dvt_wire_put_bytes(w->out, NODE_DEVICE, device);
  w->out->failed |= name.failed;
  dvt_buf_deinit(&name);
  return at;
}

static void put_controls(const writer *w) {
  for (size_t i = w->node->data_count; i < w->node->input_count; ++i)
    dvt_wire_put_bytes(w->out, NODE_INPUT, w->node->inputs[i]);
}

// Constants belong to a loop's frame by waiting for a node of it.
static void put_frame_of(const writer *w, dvt_str ref) {
  const dvt_freeze_node *from = dvt_freeze_producer(w->scope, ref, NULL);
  dvt_buf name = {0};
  if (!from) return;
  dvt_buf_printf(&name, "^" DVT_STR_FMT, DVT_STR_ARG(from->name));
  dvt_wire_put_bytes(w->out, NODE_INPUT, dvt_buf_str(&name));
  w->out->failed |= name.failed;
  dvt_buf_deinit(&name);
}

static dvt_status put_value(const writer *w, const TF_Tensor *value) {
  dvt_buf proto = {0}, attr = {0};
  put_type_attr(w, "dtype", (int)value->dtype);
  dvt_status status = dvt_tensor_to_proto(value, &proto);
  dvt_attr_put_tensor_proto(&attr, dvt_buf_str(&proto));
  attr.failed |= proto.failed;
  if (!status) put_attr(w, "value", &attr);
  dvt_buf_deinit(&proto);
  dvt_buf_deinit(&attr);
  return status;
}

// ---- nodes that are replaced ----

static dvt_status put_variable(const writer *w, uint32_t number, const dvt_frozen *variable) {
  TF_Tensor value = {0};
  DVT_RETURN_IF_ERROR(w->f->spec->read(w->f->spec->arg, variable->container, variable->name, &value));
  size_t node = begin(w, number, "", "Const");
  put_controls(w);
  dvt_status status = put_value(w, &value);
  dvt_wire_end(w->out, node);
  dvt_tensor_reset(&value);
  return status;
}

static dvt_status put_scalar_node(const writer *w, uint32_t number, const char *suffix, int dtype,
                                  uint32_t bits, dvt_str frame) {
  TF_Tensor value = {0};
  DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(&value, dtype, NULL, 0));
  memcpy(value.data, &bits, dtype == TF_BOOL ? 1 : sizeof bits);
  size_t node = begin(w, number, suffix, "Const");
  put_frame_of(w, frame);
  if (!suffix[0]) put_controls(w);
  dvt_status status = put_value(w, &value);
  dvt_wire_end(w->out, node);
  dvt_tensor_reset(&value);
  return status;
}

static dvt_status put_gather(const writer *w, uint32_t number, const dvt_frozen *variable) {
  bool nd = w->node->use == DVT_USE_GATHER_ND;
  int64_t batch_dims = 0;
  dvt_str attr = dvt_freeze_attr(w->node->proto, "batch_dims");
  if (attr.data) DVT_RETURN_IF_ERROR(dvt_attr_get_int(attr, &batch_dims));
  if (w->node->data_count != 2)
    return dvt_error(TF_INVALID_ARGUMENT, "node '" DVT_STR_FMT "' has %zu inputs, %d are wanted.",
                     DVT_STR_ARG(w->node->name), w->node->data_count, 2);
  if (!nd)
    DVT_RETURN_IF_ERROR(
        put_scalar_node(w, number, "/axis", TF_INT32, (uint32_t)batch_dims, w->node->inputs[1]));
  size_t node = begin(w, number, "", nd ? "GatherNd" : "GatherV2");
  for (size_t i = 0; i < 2; ++i) DVT_RETURN_IF_ERROR(put_ref(w, NODE_INPUT, w->node->inputs[i]));
  if (!nd) {
    dvt_buf axis = {0};
    dvt_buf_printf(&axis, DVT_STR_FMT "/axis%s", DVT_STR_ARG(w->node->name),
                   w->scope->source_name.len ? ":output:0" : "");
    dvt_wire_put_bytes(w->out, NODE_INPUT, dvt_buf_str(&axis));
    w->out->failed |= axis.failed;
    dvt_buf_deinit(&axis);
  }
  put_controls(w);
  put_type_attr(w, "Tparams", variable->dtype);
  put_copied_attr(w, "Tindices", "Tindices");
  if (!nd) {
    put_type_attr(w, "Taxis", TF_INT32);
    put_copied_attr(w, "batch_dims", "batch_dims");
  }
  dvt_wire_end(w->out, node);
  return NULL;
}

static dvt_status put_reader(const writer *w, uint32_t number, const char *op, const dvt_frozen *variable) {
  size_t node = begin(w, number, "", op);
  DVT_RETURN_IF_ERROR(put_ref(w, NODE_INPUT, w->node->inputs[0]));
  put_controls(w);
  put_type_attr(w, "T", variable->dtype);
  if (w->node->use == DVT_USE_SHAPE) put_copied_attr(w, "out_type", "out_type");
  dvt_wire_end(w->out, node);
  return NULL;
}

static dvt_status put_nothing(const writer *w, uint32_t number) {
  size_t node = begin(w, number, "", "NoOp");
  put_frame_of(w, w->node->inputs[0]);
  put_controls(w);
  dvt_wire_end(w->out, node);
  return NULL;
}

// ---- nodes that are kept ----

// What a list of dtypes or shapes, or a single dtype, is about; some are variables.
typedef struct change {
  const dvt_frozen **values;
  size_t count;
} change;

static bool any(const dvt_frozen **values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (values[i]) return true;
  return false;
}

// The dtypes of `value`, a list or a single one, with those of variables in their places.
static dvt_status changed_types(dvt_str value, const change *c, dvt_buf *out) {
  dvt_attr_info info;
  dvt_attr_list list;
  uint64_t dtype;
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (!info.is_list) {
    size_t first = 0;
    while (!c->values[first]) ++first;
    dvt_attr_put_type(out, c->values[first]->dtype);
    return NULL;
  }
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_TYPE, &list));
  size_t room = info.list_size > 0 ? (size_t)info.list_size : 0;
  int *dtypes = dvt_calloc(room + 1, sizeof *dtypes);
  if (!dtypes) return dvt_error_out_of_memory(room * sizeof *dtypes);
  size_t count = 0;
  for (; count < room && dvt_attr_list_next(&list, &dtype, NULL); ++count)
    dtypes[count] = count < c->count && c->values[count] ? c->values[count]->dtype : (int)dtype;
  dvt_attr_put_type_list(out, dtypes, count);
  dvt_free(dtypes);
  return NULL;
}

// The shapes of `value`, unknown where a variable is: its handle's shape was that of a scalar.
static dvt_status changed_shapes(dvt_str value, const change *c, dvt_buf *out) {
  dvt_attr_list list;
  dvt_str shape;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  size_t outer = dvt_wire_begin(out, ATTR_LIST);
  for (size_t i = 0; dvt_attr_list_next(&list, NULL, &shape); ++i) {
    size_t at = dvt_wire_begin(out, LIST_SHAPE);
    if (i < c->count && c->values[i])
      dvt_wire_put_varint(out, SHAPE_UNKNOWN_RANK, 1);
    else
      dvt_buf_append_str(out, shape);
    dvt_wire_end(out, at);
  }
  dvt_wire_end(out, outer);
  return NULL;
}

// A function of an attr or, when it is a list, of all of it, by its name for these arguments. Names stand in
// messages whose other fields, the attrs of the call, stay.
static dvt_status changed_functions(const writer *w, dvt_str value, const dvt_frozen **args, size_t count,
                                    dvt_buf *out) {
  enum { FUNC = 10, LIST_FUNC = 9, FUNC_NAME = 1 };
  dvt_wire wire = dvt_wire_open(value);
  dvt_field field, inner;
  while (dvt_wire_next(&wire, &field)) {
    bool is_list = field.number == ATTR_LIST;
    if (field.type != DVT_WIRE_BYTES || (!is_list && field.number != FUNC && field.number != LIST_FUNC)) {
      dvt_wire_put_field(&field, out);
      continue;
    }
    size_t at = dvt_wire_begin(out, field.number);
    if (is_list) {
      DVT_RETURN_IF_ERROR(changed_functions(w, field.bytes, args, count, out));
    } else {
      dvt_freeze_scope *called;
      dvt_str name = dvt_freeze_bytes(field.bytes, FUNC_NAME);
      DVT_RETURN_IF_ERROR(dvt_freeze_instance(w->f, name, args, count, &called));
      dvt_wire_put_bytes(out, FUNC_NAME, called ? called->name : name);
      dvt_wire parts = dvt_wire_open(field.bytes);
      while (dvt_wire_next(&parts, &inner))
        if (inner.number != FUNC_NAME) dvt_wire_put_field(&inner, out);
    }
    dvt_wire_end(out, at);
  }
  return NULL;
}

static bool holds_functions(dvt_str value) {
  dvt_wire wire = dvt_freeze_functions_of(value);
  dvt_str name;
  return dvt_freeze_next_function(&wire, &name);
}

// One attr of a node whose inputs from `first` on are `args` and whose outputs are `rets`.
typedef struct ends {
  size_t first;
  const dvt_frozen **args, **rets;
  size_t arg_count, ret_count;
} ends;

static dvt_status put_kept_attr(const writer *w, dvt_str name, dvt_str value, const ends *e) {
  dvt_buf changed = {0};
  dvt_status status = NULL;
  bool ins = any(e->args, e->arg_count), outs = any(e->rets, e->ret_count);
  bool is_type = dvt_str_is(name, "T"), is_shape = dvt_str_is(name, "output_shapes");
  change in = {e->args, e->arg_count};
  change result = {e->rets, e->ret_count};
  if (holds_functions(value))
    status = changed_functions(w, value, in.values, in.count, &changed);
  else if (ins && (is_type || dvt_str_is(name, "Tin")))
    status = changed_types(value, &in, &changed);
  else if (outs && dvt_str_is(name, "Tout"))
    status = changed_types(value, &result, &changed);
  else if (outs && is_shape)
    status = changed_shapes(value, &result, &changed);
  else if ((ins || outs) && dvt_str_starts_with(name, DVT_STR("_")))
    return NULL;  // what was noted about handles: their dtypes and shapes, the shapes of outputs
  else
    dvt_buf_append_str(&changed, value);
  size_t attr = dvt_wire_begin(w->out, NODE_ATTR);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, name);
  dvt_wire_put_bytes(w->out, ENTRY_VALUE, dvt_buf_str(&changed));
  dvt_wire_end(w->out, attr);
  w->out->failed |= changed.failed;
  dvt_buf_deinit(&changed);
  return status;
}

// All but inputs, name and op are in the old order; op is that of the called function when that has a new
// name.
static dvt_status put_kept(const writer *w, uint32_t number, const ends *e) {
  dvt_str op = w->node->op;
  dvt_wire wire = dvt_wire_open(w->node->proto);
  dvt_field field;
  if (w->node->use == DVT_USE_NAMED_CALL) {
    dvt_freeze_scope *called;
    DVT_RETURN_IF_ERROR(dvt_freeze_instance(w->f, op, e->args, e->arg_count, &called));
    if (called) op = called->name;
  }
  size_t node = dvt_wire_begin(w->out, number);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == NODE_OP)
      dvt_wire_put_bytes(w->out, NODE_OP, op);
    else if (field.number == NODE_INPUT)
      DVT_RETURN_IF_ERROR(put_ref(w, NODE_INPUT, field.bytes));
    else if (field.number == NODE_ATTR)
      DVT_RETURN_IF_ERROR(put_kept_attr(w, dvt_freeze_bytes(field.bytes, ENTRY_KEY),
                                        dvt_freeze_bytes(field.bytes, ENTRY_VALUE), e));
    else
      dvt_wire_put_field(&field, w->out);
  }
  dvt_wire_end(w->out, node);
  return NULL;
}

// What the outputs are; only of ops that hand handles on.
static dvt_status find_results(const writer *w, ends *e) {
  const dvt_frozen **values;
  size_t count = 0;
  dvt_str function;
  const char *attr = w->node->use == DVT_USE_CALL     ? "f"
                     : w->node->use == DVT_USE_LOOP   ? "body"
                     : w->node->use == DVT_USE_BRANCH ? "then_branch"
                     : w->node->use == DVT_USE_CASE   ? "branches"
                                                      : NULL;
  if (!attr) return NULL;
  dvt_freeze_scope *called;
  dvt_wire wire = dvt_freeze_functions_of(dvt_freeze_attr(w->node->proto, attr));
  if (!dvt_freeze_next_function(&wire, &function)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_freeze_instance(w->f, function, e->args, e->arg_count, &called));
  if (!called) return NULL;
  count = called->ret_count;
  values = dvt_arena_calloc(&w->f->arena, count + 1, sizeof *values);
  if (!values) return dvt_error_out_of_memory(count * sizeof *values);
  for (size_t i = 0; i < count; ++i) DVT_RETURN_IF_ERROR(dvt_freeze_result(w->f, called, i, &values[i]));
  e->rets = values;
  e->ret_count = count;
  return NULL;
}

static void refuse(const writer *w, const char *what, dvt_str name) {
  dvt_freezer *f = w->f;
  if (f->refused_count++ < MAX_REFUSED)
    dvt_buf_printf(&f->refused, "%s%s '" DVT_STR_FMT "' is used by " DVT_STR_FMT " (node '" DVT_STR_FMT "')",
                   f->refused_count > 1 ? ", " : "", what, DVT_STR_ARG(name), DVT_STR_ARG(w->node->op),
                   DVT_STR_ARG(w->node->name));
  else if (f->refused_count == MAX_REFUSED + 1)
    dvt_buf_printf(&f->refused, ", and more");
}

static bool is_table(dvt_str op) {
  return dvt_str_starts_with(op, DVT_STR("HashTable")) ||
         dvt_str_starts_with(op, DVT_STR("MutableHashTable")) ||
         dvt_str_starts_with(op, DVT_STR("MutableDenseHashTable"));
}

static dvt_status put_other(const writer *w, uint32_t number) {
  dvt_handle_use use = w->node->use;
  ends e = {.first = use == DVT_USE_BRANCH || use == DVT_USE_CASE};
  DVT_RETURN_IF_ERROR(dvt_freeze_inputs(w->f, w->scope, w->node, e.first, &e.args, &e.arg_count));
  if (use == DVT_USE_UNKNOWN && is_table(w->node->op)) refuse(w, "the table", w->node->name);
  if (use == DVT_USE_UNKNOWN)
    for (size_t i = 0; i < e.arg_count; ++i)
      if (e.args[i]) refuse(w, "the variable", e.args[i]->name);
  if (use == DVT_USE_MERGE && !any(e.args, e.arg_count)) e.arg_count = 0;
  DVT_RETURN_IF_ERROR(find_results(w, &e));
  return put_kept(w, number, &e);
}

dvt_status dvt_freeze_write_node(dvt_freezer *f, dvt_freeze_scope *scope, dvt_freeze_node *node,
                                 uint32_t number, dvt_buf *out) {
  const writer w = {f, scope, node, out};
  const dvt_frozen *variable = NULL;
  if (node->use == DVT_USE_VARIABLE) {
    DVT_RETURN_IF_ERROR(dvt_freeze_value(f, scope, node->name, &variable));
    return put_variable(&w, number, variable);
  }
  if (node->use >= DVT_USE_READ && node->data_count)
    DVT_RETURN_IF_ERROR(dvt_freeze_value(f, scope, node->inputs[0], &variable));
  if (!variable) return put_other(&w, number);
  switch (node->use) {
    case DVT_USE_READ:
      return put_reader(&w, number, "Identity", variable);
    case DVT_USE_SHAPE:
      return put_reader(&w, number, "Shape", variable);
    case DVT_USE_IS_SET:
      return put_scalar_node(&w, number, "", TF_BOOL, 1, node->inputs[0]);
    case DVT_USE_NOTHING:
      return put_nothing(&w, number);
    default:
      return put_gather(&w, number, variable);
  }
}

// ---- functions ----

static void put_arg(dvt_str arg, const dvt_frozen *variable, uint32_t number, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(arg);
  dvt_field field;
  size_t at = dvt_wire_begin(out, number);
  while (dvt_wire_next(&wire, &field)) {
    if (variable && (field.number == ARG_HANDLE || field.number == ARG_FULL_TYPE)) continue;
    if (variable && field.number == ARG_TYPE) field.value = (uint64_t)variable->dtype;
    dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, at);
}

static dvt_status put_signature(dvt_freezer *f, dvt_freeze_scope *scope, dvt_str signature, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(signature);
  dvt_field field;
  size_t args = 0, rets = 0, at = dvt_wire_begin(out, FUNCTION_SIGNATURE);
  while (dvt_wire_next(&wire, &field)) {
    const dvt_frozen *variable = NULL;
    if (field.number == OP_NAME) {
      dvt_wire_put_bytes(out, OP_NAME, scope->name);
    } else if (field.number == OP_INPUT && args < scope->arg_count) {
      put_arg(field.bytes, scope->args[args++], OP_INPUT, out);
    } else if (field.number == OP_OUTPUT) {
      DVT_RETURN_IF_ERROR(dvt_freeze_result(f, scope, rets++, &variable));
      put_arg(field.bytes, variable, OP_OUTPUT, out);
    } else {
      dvt_wire_put_field(&field, out);
    }
  }
  dvt_wire_end(out, at);
  return NULL;
}

// An entry of the attrs of arguments, which are numbered; number 0 is left out of the bytes.
static bool is_of_frozen_arg(const dvt_freeze_scope *scope, dvt_str entry) {
  dvt_field key;
  size_t index = dvt_wire_find(entry, ENTRY_KEY, DVT_WIRE_VARINT, &key) ? (size_t)key.value : 0;
  return index < scope->arg_count && scope->args[index];
}

static dvt_status put_result(const writer *w, dvt_str entry) {
  size_t at = dvt_wire_begin(w->out, FUNCTION_RET);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, dvt_freeze_bytes(entry, ENTRY_KEY));
  dvt_status status = put_ref(w, ENTRY_VALUE, dvt_freeze_bytes(entry, ENTRY_VALUE));
  dvt_wire_end(w->out, at);
  return status;
}

dvt_status dvt_freeze_write_function(dvt_freezer *f, dvt_freeze_scope *scope, dvt_buf *out) {
  const writer w = {f, scope, NULL, out};
  dvt_wire wire = dvt_wire_open(scope->proto);
  dvt_field field;
  size_t nodes = 0, at = dvt_wire_begin(out, LIBRARY_FUNCTION);
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    bool dropped = scope->has_frozen_args &&
                   ((field.number == FUNCTION_ARG_ATTR && is_of_frozen_arg(scope, field.bytes)) ||
                    field.number == FUNCTION_RESOURCE_ARG_ID ||
                    (field.number == FUNCTION_ATTR &&
                     dvt_str_is(dvt_freeze_bytes(field.bytes, ENTRY_KEY), "_input_shapes")));
    if (dropped) continue;
    if (field.number == FUNCTION_SIGNATURE)
      DVT_RETURN_IF_ERROR(put_signature(f, scope, field.bytes, out));
    else if (field.number == FUNCTION_NODE)
      DVT_RETURN_IF_ERROR(dvt_freeze_write_node(f, scope, &scope->nodes[nodes++], FUNCTION_NODE, out));
    else if (field.number == FUNCTION_RET)
      DVT_RETURN_IF_ERROR(put_result(&w, field.bytes));
    else
      dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, at);
  return NULL;
}
