// The GraphDef with its weights: Const nodes of the graph and of its functions come without values and get
// those of the weight of their name.
#include "graph/tfjs_internal.h"
#include "tensor/proto_fields.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"

// Field numbers of the public graph.proto, function.proto, node_def.proto, attr_value.proto.
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, LIBRARY_FUNCTION = 1, FUNCTION_NODE = 3 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_ATTR = 5, ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { MAX_ARGS = 16 };  // of a fused node: far beyond any
enum {
  ATTR_LIST = 1,
  ATTR_STRING = 2,
  ATTR_INT = 3,
  ATTR_TYPE = 6,
  ATTR_TENSOR = 8,
  LIST_TYPE = 6,
  TENSOR_VERSION = 3
};

static dvt_str bytes_of(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}

// ---- nodes ----

static dvt_str attr_of(dvt_str node, const char *name) {
  dvt_wire wire = dvt_wire_open(node);
  dvt_field field;
  dvt_str found = {0};
  while (dvt_wire_next(&wire, &field))
    if (field.number == NODE_ATTR && dvt_str_is(bytes_of(field.bytes, ENTRY_KEY), name))
      found = bytes_of(field.bytes, ENTRY_VALUE);
  return found;
}

static dvt_status check_shape(const tfjs_reader *r, const tfjs_weight *w, dvt_str tensor) {
  int64_t dims[DVT_MAX_RANK];
  int rank;
  dvt_field field;
  if (!dvt_wire_find(tensor, DVT_TENSOR_SHAPE, DVT_WIRE_BYTES, &field)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(field.bytes, dims, DVT_MAX_RANK, &rank));
  bool same = rank == w->rank || rank < 0;
  for (int i = 0; same && i < rank; ++i) same = dims[i] == w->dims[i] || dims[i] < 0;
  if (same) return NULL;
  dvt_buf ours = {0}, theirs = {0};
  dvt_shape_describe(w->dims, w->rank, &ours);
  dvt_shape_describe(dims, rank, &theirs);
  dvt_status status =
      tfjs_error(r,
                 "weight '%s' has the shape %s in the manifest and %s in the graph. They do not belong "
                 "together.",
                 w->name.data, ours.data ? ours.data : "?", theirs.data ? theirs.data : "?");
  dvt_buf_deinit(&ours);
  dvt_buf_deinit(&theirs);
  return status;
}

// A Const that no weight belongs to must bring its own values; an empty one has none to bring.
static dvt_status check_own_value(const tfjs_reader *r, dvt_str name, dvt_str node) {
  dvt_str tensor = bytes_of(attr_of(node, "value"), ATTR_TENSOR);
  dvt_wire wire = dvt_wire_open(tensor);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number != DVT_TENSOR_DTYPE && field.number != DVT_TENSOR_SHAPE &&
        field.number != TENSOR_VERSION)
      return NULL;
  int64_t dims[DVT_MAX_RANK], count = 1;
  int rank = 0;
  if (tensor.len)
    DVT_RETURN_IF_ERROR(dvt_shape_from_proto(bytes_of(tensor, DVT_TENSOR_SHAPE), dims, DVT_MAX_RANK, &rank));
  if (rank > 0) dvt_status_free(dvt_shape_count(dims, rank, &count));
  if (count == 0) return NULL;
  return tfjs_error(r,
                    "the node '" DVT_STR_FMT
                    "' is a constant without a value: weightsManifest has no weight of that "
                    "name. A part of the manifest is missing.",
                    DVT_STR_ARG(name));
}

static dvt_status put_value(const tfjs_reader *r, tfjs_weight *w, dvt_str node, dvt_buf *out) {
  dvt_str tensor = bytes_of(attr_of(node, "value"), ATTR_TENSOR);
  dvt_field type;
  int dtype = w->dtype;
  DVT_RETURN_IF_ERROR(check_shape(r, w, tensor));
  if (dvt_wire_find(attr_of(node, "dtype"), ATTR_TYPE, DVT_WIRE_VARINT, &type) && type.value <= DVT_DTYPE_MAX)
    dtype = (int)type.value;
  size_t attr = dvt_wire_begin(out, NODE_ATTR);
  dvt_wire_put_bytes(out, ENTRY_KEY, DVT_STR("value"));
  size_t value = dvt_wire_begin(out, ENTRY_VALUE), proto = dvt_wire_begin(out, ATTR_TENSOR);
  DVT_RETURN_IF_ERROR(tfjs_weight_to_proto(r, w, dtype, out));
  dvt_wire_end(out, proto);
  dvt_wire_end(out, value);
  dvt_wire_end(out, attr);
  w->used = true;
  return NULL;
}

// The op _FusedConv2D has since got an attr for the dtypes of its further inputs, which all were T before.
static void put_fused_conv(uint32_t number, dvt_str node, dvt_buf *out) {
  dvt_field count = {0}, type = {0};
  bool known = dvt_wire_find(attr_of(node, "num_args"), ATTR_INT, DVT_WIRE_VARINT, &count) &&
               dvt_wire_find(attr_of(node, "T"), ATTR_TYPE, DVT_WIRE_VARINT, &type) &&
               count.value <= MAX_ARGS;
  size_t begin = dvt_wire_begin(out, number);
  dvt_buf_append_str(out, node);
  if (known && !attr_of(node, "TArgs").len) {
    size_t attr = dvt_wire_begin(out, NODE_ATTR);
    dvt_wire_put_bytes(out, ENTRY_KEY, DVT_STR("TArgs"));
    size_t value = dvt_wire_begin(out, ENTRY_VALUE), list = dvt_wire_begin(out, ATTR_LIST);
    for (uint64_t i = 0; i < count.value; ++i) dvt_wire_put_varint(out, LIST_TYPE, type.value);
    dvt_wire_end(out, list);
    dvt_wire_end(out, value);
    dvt_wire_end(out, attr);
  }
  dvt_wire_end(out, begin);
}

// TensorFlow.js finds a table by the name of its node, in the graph and in the initializer alike.
static void put_table(uint32_t number, dvt_str name, dvt_str node, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, number);
  dvt_wire wire = dvt_wire_open(node);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number != NODE_ATTR || !dvt_str_is(bytes_of(field.bytes, ENTRY_KEY), "shared_name"))
      dvt_wire_put_field(&field, out);
  size_t attr = dvt_wire_begin(out, NODE_ATTR);
  dvt_wire_put_bytes(out, ENTRY_KEY, DVT_STR("shared_name"));
  size_t value = dvt_wire_begin(out, ENTRY_VALUE);
  dvt_wire_put_bytes(out, ATTR_STRING, name);
  dvt_wire_end(out, value);
  dvt_wire_end(out, attr);
  dvt_wire_end(out, begin);
}

static dvt_status put_node(const tfjs_reader *r, uint32_t number, dvt_str node, dvt_buf *out) {
  dvt_str name = bytes_of(node, NODE_NAME), op = bytes_of(node, NODE_OP);
  tfjs_weight *w = dvt_map_get(&r->by_name, name);
  if (!w) {
    if (dvt_str_is(op, "Const")) DVT_RETURN_IF_ERROR(check_own_value(r, name, node));
    if (dvt_str_is(op, "_FusedConv2D"))
      put_fused_conv(number, node, out);
    else if (dvt_str_is(op, "HashTableV2") || dvt_str_is(op, "HashTable"))
      put_table(number, name, node, out);
    else
      dvt_wire_put_bytes(out, number, node);
    return NULL;
  }
  if (!dvt_str_is(op, "Const"))
    return tfjs_error(r,
                      "weight '%s' belongs to a node of the op '" DVT_STR_FMT "'; only a Const can hold it.",
                      w->name.data, DVT_STR_ARG(op));
  size_t begin = dvt_wire_begin(out, number);
  dvt_wire wire = dvt_wire_open(node);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number != NODE_ATTR || !dvt_str_is(bytes_of(field.bytes, ENTRY_KEY), "value"))
      dvt_wire_put_field(&field, out);
  DVT_RETURN_IF_ERROR(put_value(r, w, node, out));
  dvt_wire_end(out, begin);
  return NULL;
}

// ---- functions and the whole ----

static dvt_status put_function(const tfjs_reader *r, dvt_str function, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, LIBRARY_FUNCTION);
  dvt_wire wire = dvt_wire_open(function);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == FUNCTION_NODE)
      DVT_RETURN_IF_ERROR(put_node(r, FUNCTION_NODE, field.bytes, out));
    else
      dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, begin);
  return NULL;
}

static dvt_status put_library(const tfjs_reader *r, dvt_str library, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, GRAPH_LIBRARY);
  dvt_wire wire = dvt_wire_open(library);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == LIBRARY_FUNCTION)
      DVT_RETURN_IF_ERROR(put_function(r, field.bytes, out));
    else
      dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, begin);
  return NULL;
}

static dvt_status check_all_used(const tfjs_reader *r) {
  const tfjs_weight *unused = NULL;
  size_t count = 0;
  for (size_t i = 0; i < r->weight_count; ++i) {
    if (r->weights[i]->used) continue;
    if (count++ == 0) unused = r->weights[i];
  }
  if (count == 0) return NULL;
  return tfjs_error(
      r,
      "%zu of the %zu weights, first '%s', belong to no node of the graph. The manifest and the graph do "
      "not belong together.",
      count, r->weight_count, unused->name.data);
}

dvt_status tfjs_graph_fill(tfjs_reader *r, dvt_str topology, bool all_used, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(topology);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == GRAPH_NODE)
      DVT_RETURN_IF_ERROR(put_node(r, GRAPH_NODE, field.bytes, out));
    else if (field.number == GRAPH_LIBRARY)
      DVT_RETURN_IF_ERROR(put_library(r, field.bytes, out));
    else
      dvt_wire_put_field(&field, out);
  }
  if (out->failed) return dvt_error_out_of_memory(out->len);
  return all_used ? check_all_used(r) : NULL;
}

dvt_status tfjs_initializer_fill(tfjs_reader *r, dvt_str initializer, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(initializer);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == GRAPH_NODE)
      DVT_RETURN_IF_ERROR(put_node(r, GRAPH_NODE, field.bytes, out));
    else if (field.number != GRAPH_LIBRARY)
      dvt_wire_put_field(&field, out);
  }
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}
