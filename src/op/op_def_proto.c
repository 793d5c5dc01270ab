// Serialised OpDefs to parsed definitions and back. Field numbers are those of the public op_def.proto.
#include "op/op_def.h"
#include "op/op_def_check.h"
#include "tensor/dtype.h"

// OpDef
enum {
  OP_NAME = 1,
  OP_INPUT = 2,
  OP_OUTPUT = 3,
  OP_ATTR = 4,
  OP_DEPRECATION = 8,
  OP_AGGREGATE = 16,
  OP_STATEFUL = 17,
  OP_COMMUTATIVE = 18,
  OP_UNINITIALIZED = 19
};
// OpDef.ArgDef
enum {
  ARG_NAME = 1,
  ARG_TYPE = 3,
  ARG_TYPE_ATTR = 4,
  ARG_NUMBER_ATTR = 5,
  ARG_TYPE_LIST_ATTR = 6,
  ARG_IS_REF = 16
};
// OpDef.AttrDef
enum {
  ATTR_NAME = 1,
  ATTR_TYPE = 2,
  ATTR_DEFAULT = 3,
  ATTR_HAS_MINIMUM = 5,
  ATTR_MINIMUM = 6,
  ATTR_ALLOWED = 7
};

typedef struct parser {
  dvt_op_def *op;
  dvt_arena *arena;
  dvt_buf errors;
  dvt_buf extra;
} parser;

static bool parse_attr_type(dvt_str type, dvt_attr_def *attr) {
  if (dvt_str_starts_with(type, DVT_STR("list(")) && type.data[type.len - 1] == ')') {
    attr->is_list = true;
    type = dvt_str_make(type.data + 5, type.len - 6);
  }
  for (int kind = 0; kind <= TF_ATTR_FUNC; kind++) {
    if (kind == TF_ATTR_PLACEHOLDER || !dvt_str_is(type, dvt_attr_kind_name(kind))) continue;
    attr->kind = (int8_t)kind;
    return true;
  }
  return false;
}

static bool parse_attr(parser *p, dvt_str bytes, dvt_attr_def *attr) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  dvt_str type = {0};
  while (dvt_wire_next(&wire, &field)) {
    bool is_bytes = field.type == DVT_WIRE_BYTES, is_varint = field.type == DVT_WIRE_VARINT;
    if (field.number == ATTR_NAME && is_bytes) attr->name = field.bytes;
    if (field.number == ATTR_TYPE && is_bytes) type = field.bytes;
    if (field.number == ATTR_DEFAULT && is_bytes) {
      attr->default_value = field.bytes;
      attr->has_default = true;
    }
    if (field.number == ATTR_HAS_MINIMUM && is_varint) attr->has_minimum = field.value != 0;
    if (field.number == ATTR_MINIMUM && is_varint) attr->minimum = (int64_t)field.value;
    if (field.number == ATTR_ALLOWED && is_bytes) attr->allowed = field.bytes;
  }
  if (wire.bad) return false;
  if (!parse_attr_type(type, attr))
    dvt_spec_error(&p->errors,
                   "Unrecognized type '" DVT_STR_FMT "' in attr '" DVT_STR_FMT "' in Op '" DVT_STR_FMT "'",
                   DVT_STR_ARG(type), DVT_STR_ARG(attr->name), DVT_STR_ARG(p->op->name));
  return true;
}

static bool parse_arg(parser *p, dvt_str bytes, bool is_output, dvt_arg_def *out_arg) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  dvt_arg_spec spec = {0};
  while (dvt_wire_next(&wire, &field)) {
    if (field.type == DVT_WIRE_BYTES) {
      if (field.number == ARG_NAME) spec.name = field.bytes;
      if (field.number == ARG_TYPE_ATTR) spec.type_attr = field.bytes;
      if (field.number == ARG_NUMBER_ATTR) spec.number_attr = field.bytes;
      if (field.number == ARG_TYPE_LIST_ATTR) spec.type_list_attr = field.bytes;
    } else if (field.type == DVT_WIRE_VARINT) {
      if (field.number == ARG_TYPE) spec.dtype = (int)(int32_t)field.value;
      if (field.number == ARG_IS_REF) spec.is_ref = field.value != 0;
    }
  }
  if (wire.bad) return false;
  dvt_op_def_resolve_arg(p->op, &spec, is_output, &p->errors, out_arg);
  return true;
}

static bool parse_deprecation(dvt_str bytes, dvt_op_def *op) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == 1 && field.type == DVT_WIRE_VARINT) op->deprecated_since = (int32_t)field.value;
    if (field.number == 2 && field.type == DVT_WIRE_BYTES) op->deprecation_text = field.bytes;
  }
  return !wire.bad;
}

// First walk: how many of each, the plain fields, and the bytes of what is kept without being understood.
static dvt_status scan(parser *p, dvt_str bytes) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  size_t inputs = 0, outputs = 0, attrs = 0;
  dvt_op_def *op = p->op;
  bool ok = true;
  const uint8_t *at = wire.next;
  for (; ok && dvt_wire_next(&wire, &field); at = wire.next) {
    bool is_bytes = field.type == DVT_WIRE_BYTES, flag = field.value != 0;
    if (field.number == OP_NAME && is_bytes)
      op->name = field.bytes;
    else if (field.number == OP_INPUT && is_bytes)
      inputs++;
    else if (field.number == OP_OUTPUT && is_bytes)
      outputs++;
    else if (field.number == OP_ATTR && is_bytes)
      attrs++;
    else if (field.number == OP_DEPRECATION && is_bytes)
      ok = parse_deprecation(field.bytes, op);
    else if (field.number == OP_AGGREGATE)
      op->is_aggregate = flag;
    else if (field.number == OP_STATEFUL)
      op->is_stateful = flag;
    else if (field.number == OP_COMMUTATIVE)
      op->is_commutative = flag;
    else if (field.number == OP_UNINITIALIZED)
      op->allows_uninitialized_input = flag;
    else
      dvt_buf_append(&p->extra, at, (size_t)(wire.next - at));
  }
  if (wire.bad || !ok)
    return dvt_error(TF_INVALID_ARGUMENT, "malformed OpDef: not a well-formed protocol buffer");
  if (inputs > INT16_MAX || outputs > INT16_MAX || attrs > DVT_MAX_OP_ATTRS)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "OpDef '" DVT_STR_FMT
        "' has %zu inputs, %zu outputs and %zu attrs; at most %d inputs, %d outputs and %d attrs "
        "are allowed",
        DVT_STR_ARG(op->name), inputs, outputs, attrs, INT16_MAX, INT16_MAX, DVT_MAX_OP_ATTRS);
  op->attrs = dvt_arena_calloc(p->arena, attrs, sizeof *op->attrs);
  op->inputs = dvt_arena_calloc(p->arena, inputs, sizeof *op->inputs);
  op->outputs = dvt_arena_calloc(p->arena, outputs, sizeof *op->outputs);
  if (!op->attrs || !op->inputs || !op->outputs || p->extra.failed ||
      !dvt_arena_copy_str(p->arena, op->name, &op->name) ||
      !dvt_arena_copy_str(p->arena, dvt_buf_str(&p->extra), &op->extra))
    return dvt_error_out_of_memory((inputs + outputs + attrs) * sizeof *op->attrs);
  return NULL;
}

static dvt_status parse(parser *p, dvt_str bytes, bool is_function) {
  DVT_RETURN_IF_ERROR(scan(p, bytes));
  dvt_op_def *op = p->op;
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  bool ok = true;
  while (ok && dvt_wire_next(&wire, &field))
    if (field.number == OP_ATTR && field.type == DVT_WIRE_BYTES)
      ok = parse_attr(p, field.bytes, &op->attrs[op->attr_count++]);
  if (ok && p->errors.len == 0) dvt_op_def_check_attrs(op, NULL, &p->errors);
  wire = dvt_wire_open(bytes);
  while (ok && dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == OP_INPUT) ok = parse_arg(p, field.bytes, false, &op->inputs[op->input_count++]);
    if (field.number == OP_OUTPUT) ok = parse_arg(p, field.bytes, true, &op->outputs[op->output_count++]);
  }
  if (!ok)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "malformed OpDef '" DVT_STR_FMT
                     "': an argument or attr is not a well-formed protocol buffer",
                     DVT_STR_ARG(op->name));
  if (!is_function) {
    dvt_op_def_check_name(op->name, &p->errors);
    if (p->errors.len == 0) dvt_op_def_check_unique_names(op, NULL, &p->errors);
  }
  return dvt_spec_errors_to_status(&p->errors);
}

static dvt_status from_proto(dvt_str bytes, dvt_arena *arena, bool is_function, const dvt_op_def **out_op) {
  parser p = {.op = dvt_arena_calloc(arena, 1, sizeof *p.op), .arena = arena};
  if (!p.op) return dvt_error_out_of_memory(sizeof *p.op);
  dvt_status status = parse(&p, bytes, is_function);
  dvt_buf_deinit(&p.errors);
  dvt_buf_deinit(&p.extra);
  if (!status) *out_op = p.op;
  return status;
}

dvt_status dvt_op_def_from_proto(dvt_str bytes, dvt_arena *arena, const dvt_op_def **out_op) {
  return from_proto(bytes, arena, false, out_op);
}

dvt_status dvt_op_def_from_signature(dvt_str bytes, dvt_arena *arena, const dvt_op_def **out_op) {
  return from_proto(bytes, arena, true, out_op);
}

static void put_bytes_unless_empty(dvt_buf *out, uint32_t number, dvt_str bytes) {
  if (bytes.len) dvt_wire_put_bytes(out, number, bytes);
}

static void put_flag(dvt_buf *out, uint32_t number, bool flag) {
  if (flag) dvt_wire_put_varint(out, number, 1);
}

static void put_arg(const dvt_op_def *op, const dvt_arg_def *arg, uint32_t number, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, number);
  put_bytes_unless_empty(out, ARG_NAME, arg->name);
  if (arg->dtype) dvt_wire_put_varint(out, ARG_TYPE, (uint64_t)arg->dtype);
  if (arg->type_attr >= 0) dvt_wire_put_bytes(out, ARG_TYPE_ATTR, op->attrs[arg->type_attr].name);
  if (arg->number_attr >= 0) dvt_wire_put_bytes(out, ARG_NUMBER_ATTR, op->attrs[arg->number_attr].name);
  if (arg->type_list_attr >= 0)
    dvt_wire_put_bytes(out, ARG_TYPE_LIST_ATTR, op->attrs[arg->type_list_attr].name);
  put_flag(out, ARG_IS_REF, arg->is_ref);
  dvt_wire_end(out, begin);
}

static void put_attr(const dvt_attr_def *attr, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, OP_ATTR);
  put_bytes_unless_empty(out, ATTR_NAME, attr->name);
  dvt_wire_put_bytes(out, ATTR_TYPE, dvt_str_from(dvt_attr_def_type_name(attr)));
  if (attr->has_default) dvt_wire_put_bytes(out, ATTR_DEFAULT, attr->default_value);
  put_flag(out, ATTR_HAS_MINIMUM, attr->has_minimum);
  if (attr->minimum) dvt_wire_put_varint(out, ATTR_MINIMUM, (uint64_t)attr->minimum);
  put_bytes_unless_empty(out, ATTR_ALLOWED, attr->allowed);
  dvt_wire_end(out, begin);
}

void dvt_op_def_to_proto(const dvt_op_def *op, dvt_buf *out) {
  put_bytes_unless_empty(out, OP_NAME, op->name);
  for (int i = 0; i < op->input_count; i++) put_arg(op, &op->inputs[i], OP_INPUT, out);
  for (int i = 0; i < op->output_count; i++) put_arg(op, &op->outputs[i], OP_OUTPUT, out);
  for (int i = 0; i < op->attr_count; i++) put_attr(&op->attrs[i], out);
  dvt_buf_append_str(out, op->extra);
  if (op->deprecated_since) {
    size_t begin = dvt_wire_begin(out, OP_DEPRECATION);
    dvt_wire_put_varint(out, 1, (uint64_t)(int64_t)op->deprecated_since);
    put_bytes_unless_empty(out, 2, op->deprecation_text);
    dvt_wire_end(out, begin);
  }
  put_flag(out, OP_AGGREGATE, op->is_aggregate);
  put_flag(out, OP_STATEFUL, op->is_stateful);
  put_flag(out, OP_COMMUTATIVE, op->is_commutative);
  put_flag(out, OP_UNINITIALIZED, op->allows_uninitialized_input);
}
