// TF_Function: a FunctionDef's bytes with its signature parsed, reference-counted. Libraries of them are in
// function_library.c, bodies in function_body.c.
#include "graph/function.h"

#include "graph/node_parse.h"

enum { FUNCTION_SIGNATURE = 1, FUNCTION_NODE = 3, FUNCTION_ATTR = 5 };

static void unknown_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx;
  (void)status;  // both start as they should end: shapes unknown, status OK
}

static dvt_status parse(TF_Function *function) {
  dvt_field field;
  const dvt_op_def *parsed;
  if (!dvt_wire_valid(function->proto) ||
      !dvt_wire_find(function->proto, FUNCTION_SIGNATURE, DVT_WIRE_BYTES, &field))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Invalid FunctionDef: the bytes are malformed or hold no signature");
  DVT_RETURN_IF_ERROR(dvt_op_def_from_signature(field.bytes, &function->arena, &parsed));
  if (parsed->name.len == 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid FunctionDef: its signature has no name");
  dvt_op_def *signature = dvt_arena_alloc(&function->arena, sizeof *signature);
  if (!signature || !dvt_arena_copy_str(&function->arena, parsed->name, &function->name))
    return dvt_error_out_of_memory(sizeof *signature);
  *signature = *parsed;
  signature->name = function->name;
  signature->shape_fn = unknown_shapes;
  function->signature = signature;
  return NULL;
}

dvt_status dvt_function_from_proto(dvt_str proto, TF_Function **out_function) {
  TF_Function *function = dvt_calloc(1, sizeof *function);
  if (!function) return dvt_error_out_of_memory(sizeof *function);
  atomic_init(&function->refs, 1);
  dvt_status status = NULL;
  if (!dvt_arena_copy_str(&function->arena, proto, &function->proto))
    status = dvt_error_out_of_memory(proto.len);
  if (!status) status = parse(function);
  if (status)
    dvt_function_release(function);
  else
    *out_function = function;
  return status;
}

TF_Function *dvt_function_retain(TF_Function *function) {
  atomic_fetch_add_explicit(&function->refs, 1, memory_order_relaxed);
  return function;
}

void dvt_function_release(TF_Function *function) {
  if (!function || atomic_fetch_sub_explicit(&function->refs, 1, memory_order_acq_rel) != 1) return;
  dvt_arena_deinit(&function->arena);
  dvt_free(function);
}

bool dvt_function_attr(const TF_Function *function, dvt_str name, dvt_str *out_value) {
  dvt_wire wire = dvt_wire_open(function->proto);
  dvt_field field;
  bool found = false;
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, value;
    if (field.number != FUNCTION_ATTR || field.type != DVT_WIRE_BYTES) continue;
    if (!dvt_parse_map_entry(field.bytes, &key, &value) || !dvt_str_eq(key, name)) continue;
    *out_value = value;
    found = true;
  }
  return found;
}

static const dvt_attr *find_attr(const dvt_parsed_node *node, dvt_str name) {
  for (size_t i = 0; i < node->attr_count; i++)
    if (dvt_str_eq(node->attrs[i].name, name)) return &node->attrs[i];
  return NULL;
}

static bool nodes_equal(const dvt_parsed_node *a, const dvt_parsed_node *b) {
  if (!dvt_str_eq(a->name, b->name) || !dvt_str_eq(a->op, b->op) || !dvt_str_eq(a->device, b->device) ||
      a->input_count != b->input_count || a->attr_count != b->attr_count)
    return false;
  for (size_t i = 0; i < a->input_count; i++)
    if (!dvt_str_eq(a->inputs[i], b->inputs[i])) return false;
  for (size_t i = 0; i < a->attr_count; i++) {
    const dvt_attr *other = find_attr(b, a->attrs[i].name);
    if (!other || !dvt_attr_equal(a->attrs[i].value, other->value)) return false;
  }
  return true;
}

static bool node_bytes_equal(dvt_str a, dvt_str b) {
  if (dvt_str_eq(a, b)) return true;
  dvt_parsed_node x = {0}, y = {0};
  dvt_status first = dvt_parse_node(a, &x), second = dvt_parse_node(b, &y);
  bool equal = !first && !second && nodes_equal(&x, &y);
  dvt_status_free(first);
  dvt_status_free(second);
  dvt_parsed_node_deinit(&x);
  dvt_parsed_node_deinit(&y);
  return equal;
}

static size_t count_fields(dvt_str proto, const dvt_field *like) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  size_t count = 0;
  while (dvt_wire_next(&wire, &field))
    count += field.number == like->number && field.type == like->type && field.value == like->value &&
             (field.type != DVT_WIRE_BYTES || dvt_str_eq(field.bytes, like->bytes));
  return count;
}

enum { MAX_COMPARED_ENTRIES = 4096 };  // the comparison is quadratic

// Map entries (everything but nodes) in any order: each must occur as often in the other.
static bool entries_equal(dvt_str a, dvt_str b) {
  dvt_wire wire = dvt_wire_open(a);
  dvt_field field;
  int compared = 0;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == FUNCTION_NODE) continue;
    if (++compared > MAX_COMPARED_ENTRIES || count_fields(a, &field) != count_fields(b, &field)) return false;
  }
  return true;
}

static bool next_node(dvt_wire *wire, dvt_str *out_node) {
  dvt_field field;
  while (dvt_wire_next(wire, &field)) {
    if (field.number != FUNCTION_NODE || field.type != DVT_WIRE_BYTES) continue;
    *out_node = field.bytes;
    return true;
  }
  return false;
}

bool dvt_function_equal(const TF_Function *a, const TF_Function *b) {
  if (dvt_str_eq(a->proto, b->proto)) return true;
  dvt_wire x = dvt_wire_open(a->proto), y = dvt_wire_open(b->proto);
  dvt_str p = {0}, q = {0};
  for (;;) {
    bool more = next_node(&x, &p);
    if (next_node(&y, &q) != more) return false;
    if (!more) break;
    if (!node_bytes_equal(p, q)) return false;
  }
  return entries_equal(a->proto, b->proto) && entries_equal(b->proto, a->proto);
}
