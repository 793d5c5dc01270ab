// NodeDef bytes to a dvt_parsed_node. Field numbers are those of the public node_def.proto.
#include "graph/node_parse.h"

enum {
  NODE_NAME = 1,
  NODE_OP = 2,
  NODE_INPUT = 3,
  NODE_DEVICE = 4,
  NODE_ATTR = 5,
  NODE_DEBUG_INFO = 6,
  NODE_TYPE = 7
};
enum { MAX_CHECKED_FOR_DUPLICATES = 64 };

bool dvt_parse_map_entry(dvt_str bytes, dvt_str *out_key, dvt_str *out_value) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  *out_key = *out_value = DVT_STR("");
  while (dvt_wire_next_short(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == 1) *out_key = field.bytes;
    if (field.number == 2) *out_value = field.bytes;
  }
  return !wire.bad;
}

static dvt_status malformed(const dvt_parsed_node *node) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Invalid GraphDef: the NodeDef of '" DVT_STR_FMT "' is malformed or cut short",
                   DVT_STR_ARG(node->name));
}

static dvt_status add_input(dvt_parsed_node *node, dvt_str input) {
  if (!dvt_grow((void **)&node->inputs, &node->input_capacity, node->input_count + 1, sizeof *node->inputs))
    return dvt_error_out_of_memory(sizeof *node->inputs * node->input_count);
  node->inputs[node->input_count++] = input;
  return NULL;
}

// A key given twice keeps its last value, as in protobuf.
static dvt_attr *attr_slot(dvt_parsed_node *node, dvt_str name) {
  for (size_t i = 0; i < node->attr_count && node->attr_count < MAX_CHECKED_FOR_DUPLICATES; i++)
    if (dvt_str_eq(node->attrs[i].name, name)) return &node->attrs[i];
  if (!dvt_grow((void **)&node->attrs, &node->attr_capacity, node->attr_count + 1, sizeof *node->attrs))
    return NULL;
  return &node->attrs[node->attr_count++];
}

static dvt_status add_attr(dvt_parsed_node *node, dvt_str entry) {
  dvt_str name, value;
  if (!dvt_parse_map_entry(entry, &name, &value)) return malformed(node);
  if (name.len && name.data[0] == '_' && dvt_str_eq(name, DVT_STR("_output_shapes"))) {
    node->output_shapes = value.data ? value : DVT_STR("");
    return NULL;
  }
  dvt_attr *attr = attr_slot(node, name);
  if (!attr) return dvt_error_out_of_memory(sizeof *attr * node->attr_count);
  *attr = (dvt_attr){name, value};
  if (name.len == 6 && dvt_str_eq(name, DVT_STR("_class"))) node->class_attr = (int32_t)(attr - node->attrs);
  return NULL;
}

dvt_status dvt_parse_node(dvt_str bytes, dvt_parsed_node *node) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  node->name = node->op = node->device = node->extra = DVT_STR("");
  node->output_shapes = (dvt_str){NULL, 0};
  node->input_count = node->attr_count = 0;
  node->class_attr = -1;
  dvt_buf_clear(&node->extra_bytes);
  while (dvt_wire_next_short(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == NODE_NAME)
      node->name = field.bytes;
    else if (field.number == NODE_OP)
      node->op = field.bytes;
    else if (field.number == NODE_INPUT)
      DVT_RETURN_IF_ERROR(add_input(node, field.bytes));
    else if (field.number == NODE_DEVICE)
      node->device = field.bytes;
    else if (field.number == NODE_ATTR)
      DVT_RETURN_IF_ERROR(add_attr(node, field.bytes));
    else if (field.number == NODE_DEBUG_INFO || field.number == NODE_TYPE)
      dvt_wire_put_bytes(&node->extra_bytes, field.number, field.bytes);
  }
  if (wire.bad) return malformed(node);
  if (node->extra_bytes.failed) return dvt_error_out_of_memory(node->extra_bytes.len);
  if (node->extra_bytes.len) node->extra = dvt_buf_str(&node->extra_bytes);
  return NULL;
}

bool dvt_parse_node_op(dvt_str bytes, dvt_str *out_op, dvt_str *out_name) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  *out_op = *out_name = DVT_STR("");
  while (dvt_wire_next_short(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == NODE_NAME) *out_name = field.bytes;
    if (field.number == NODE_OP) *out_op = field.bytes;
  }
  return !wire.bad;
}

dvt_status dvt_parsed_node_copy(const dvt_parsed_node *node, dvt_arena *arena, dvt_parsed_node *out) {
  size_t input_bytes = node->input_count * sizeof *node->inputs,
         attr_bytes = node->attr_count * sizeof *node->attrs;
  *out = *node;
  out->inputs = dvt_arena_alloc(arena, input_bytes);
  out->attrs = dvt_arena_alloc(arena, attr_bytes);
  if (!out->inputs || !out->attrs) return dvt_error_out_of_memory(input_bytes + attr_bytes);
  if (input_bytes) memcpy(out->inputs, node->inputs, input_bytes);
  if (attr_bytes) memcpy(out->attrs, node->attrs, attr_bytes);
  if (node->extra.len && !dvt_arena_copy_str(arena, node->extra, &out->extra))
    return dvt_error_out_of_memory(node->extra.len);
  out->extra_bytes = (dvt_buf){0};
  out->input_capacity = out->attr_capacity = 0;
  return NULL;
}

void dvt_parsed_node_deinit(dvt_parsed_node *node) {
  dvt_free(node->inputs);
  dvt_free(node->attrs);
  dvt_buf_deinit(&node->extra_bytes);
  *node = (dvt_parsed_node){0};
}
