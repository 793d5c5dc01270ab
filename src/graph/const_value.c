// What is known about the values of a new node's inputs while the graph is built: constants, and integers
// that are computed from constants and shapes (Shape, Size, Rank, Pack, ConcatV2, StridedSlice, Cast,
// Identity). Shape functions ask through the hooks at the end; nothing is computed before they ask.
#include "graph/graph.h"
#include "tensor/dtype.h"
#include "tensor/tensor_proto.h"

enum { MAX_DEPTH = 8, MAX_IDENTITIES = 64, MAX_ELEMENTS = DVT_MAX_RANK };
// Nodes may be read by many inputs of each other, so that depth alone does not bound the work; and a constant
// of a few bytes may stand for gigabytes. Shapes and what else shape functions look at are far smaller.
enum { MAX_STEPS = 4096, MAX_CONST_ELEMENTS = 1 << 16, MAX_CONST_STRING_BYTES = 1 << 24 };

typedef struct evaluation {
  int depth, steps;
} evaluation;

// A scalar or vector of integers, each known or not.
typedef struct int_vector {
  bool is_scalar;
  int count;  // 1 for a scalar
  struct {
    int64_t value;  // known: the number; unknown: the symbol (< 0) of the dim it is, or 0
    bool known;
  } at[MAX_ELEMENTS];
} int_vector;

struct dvt_known_value {
  struct dvt_known_value *next;
  int index;
  TF_Tensor tensor;
};

static bool is_op(const TF_Operation *node, dvt_str name) { return dvt_str_eq(node->def.op->name, name); }

static dvt_edge through_identities(dvt_edge source) {
  for (int i = 0; i < MAX_IDENTITIES && source.node; i++) {
    if (!is_op(source.node, DVT_STR("Identity")) || source.node->def.input_count != 1) break;
    source = source.node->inputs[0];
  }
  return source;
}

static bool is_small(dvt_str proto, int dtype, const int64_t *dims, int rank) {
  int64_t count = 0;
  dvt_status status = dvt_shape_count(dims, rank < 0 ? 0 : rank, &count);
  dvt_status_free(status);
  if (status || count > MAX_CONST_ELEMENTS) return false;
  return dtype != TF_STRING || (uint64_t)count * proto.len <= MAX_CONST_STRING_BYTES;
}

static bool const_tensor(const TF_Operation *node, TF_Tensor *out) {
  dvt_str value, proto;
  int64_t dims[DVT_MAX_RANK];
  int dtype, rank;
  if (!is_op(node, DVT_STR("Const")) || !dvt_node_attr(&node->def, DVT_STR("value"), &value)) return false;
  dvt_status status = dvt_attr_get_tensor(value, &proto);
  if (!status) status = dvt_tensor_proto_header(proto, &dtype, dims, DVT_MAX_RANK, &rank);
  bool small = !status && is_small(proto, dtype, dims, rank);
  if (small) status = dvt_tensor_from_proto(proto, out);
  dvt_status_free(status);
  return small && !status;
}

static bool is_index_dtype(int dtype) { return dtype == TF_INT32 || dtype == TF_INT64; }

static bool from_const(const TF_Operation *node, int_vector *out) {
  TF_Tensor tensor = {0};
  if (!is_index_dtype(node->def.output_types[0]) || !const_tensor(node, &tensor)) return false;
  int64_t count = dvt_tensor_count(&tensor);
  bool fits = tensor.rank <= 1 && count <= MAX_ELEMENTS && is_index_dtype(tensor.dtype);
  if (fits) {
    out->is_scalar = tensor.rank == 0;
    out->count = (int)count;
    for (int i = 0; i < out->count; i++) {
      out->at[i].known = true;
      out->at[i].value = tensor.dtype == TF_INT64 ? ((int64_t *)tensor.data)[i] : ((int32_t *)tensor.data)[i];
    }
  }
  dvt_tensor_reset(&tensor);
  return fits;
}

static void set_scalar(int_vector *out, int64_t value, bool known) {
  out->is_scalar = true;
  out->count = 1;
  out->at[0].value = value;
  out->at[0].known = known;
}

static dvt_shape input_shape(const TF_Operation *node, int i) {
  dvt_edge source = node->inputs[i];
  return source.node ? source.node->output_shapes[source.index] : NULL;
}

static bool from_shape(const TF_Operation *node, int_vector *out) {
  dvt_shape shape = input_shape(node, 0);
  if (!shape || shape->rank > MAX_ELEMENTS) return false;
  out->is_scalar = false;
  out->count = shape->rank;
  for (int i = 0; i < shape->rank; i++) {
    out->at[i].value = shape->dims[i];
    out->at[i].known = dvt_dim_known(shape->dims[i]);
  }
  return true;
}

static bool from_size(const TF_Operation *node, int_vector *out) {
  dvt_shape shape = input_shape(node, 0);
  int64_t size = 1;
  if (!shape || !dvt_shape_is_full(shape)) return false;
  for (int i = 0; i < shape->rank; i++)
    if (__builtin_mul_overflow(size, shape->dims[i], &size)) return false;
  set_scalar(out, size, true);
  return true;
}

static bool evaluate(dvt_edge source, evaluation *e, int_vector *out);

static bool from_pack(const TF_Operation *node, evaluation *e, int_vector *out) {
  int_vector part;
  dvt_str value;
  int64_t axis = 0;
  if (dvt_node_attr(&node->def, DVT_STR("axis"), &value)) {
    dvt_status status = dvt_attr_get_int(value, &axis);
    dvt_status_free(status);
    if (status || axis != 0) return false;
  }
  if (node->def.input_count > MAX_ELEMENTS) return false;
  out->is_scalar = false;
  out->count = node->def.input_count;
  for (int i = 0; i < out->count; i++) {
    bool found = evaluate(node->inputs[i], e, &part);
    if (found && !part.is_scalar) return false;
    out->at[i].known = found && part.at[0].known;
    out->at[i].value = found ? part.at[0].value : 0;
  }
  return true;
}

static bool single(const TF_Operation *node, int input, evaluation *e, int64_t *out_value) {
  int_vector v;
  if (!evaluate(node->inputs[input], e, &v) || v.count != 1 || !v.at[0].known) return false;
  *out_value = v.at[0].value;
  return true;
}

static bool from_concat(const TF_Operation *node, evaluation *e, int_vector *out) {
  int_vector part;
  int64_t axis;
  int parts = node->def.input_count - 1;
  if (parts < 1 || !single(node, parts, e, &axis) || axis != 0) return false;
  out->is_scalar = false;
  out->count = 0;
  for (int i = 0; i < parts; i++) {
    if (!evaluate(node->inputs[i], e, &part) || part.is_scalar || part.count > MAX_ELEMENTS - out->count)
      return false;
    memcpy(out->at + out->count, part.at, sizeof part.at[0] * (size_t)part.count);
    out->count += part.count;
  }
  return true;
}

static int64_t mask_of(const TF_Operation *node, dvt_str name) {
  dvt_str value;
  int64_t mask = 0;
  if (dvt_node_attr(&node->def, name, &value)) dvt_status_free(dvt_attr_get_int(value, &mask));
  return mask;
}

static int64_t clamp(int64_t at, int64_t low, int64_t high) { return at < low ? low : at > high ? high : at; }

// vector[begin:end:stride] or vector[begin] with the masks of the op.
static bool from_slice(const TF_Operation *node, evaluation *e, int_vector *out) {
  int_vector v;
  int64_t begin, end, stride;
  if (node->def.input_count != 4 || mask_of(node, DVT_STR("ellipsis_mask")) ||
      mask_of(node, DVT_STR("new_axis_mask")))
    return false;
  if (!evaluate(node->inputs[0], e, &v) || v.is_scalar || !single(node, 1, e, &begin) ||
      !single(node, 2, e, &end) || !single(node, 3, e, &stride) || stride == 0)
    return false;
  bool back = stride < 0;
  if (begin < 0) begin += v.count;
  if (mask_of(node, DVT_STR("shrink_axis_mask")) & 1) {
    if (begin < 0 || begin >= v.count) return false;
    set_scalar(out, v.at[begin].value, v.at[begin].known);
    return true;
  }
  if (end < 0) end += v.count;
  begin = mask_of(node, DVT_STR("begin_mask")) & 1
              ? (back ? v.count - 1 : 0)
              : clamp(begin, back ? -1 : 0, back ? v.count - 1 : v.count);
  end = mask_of(node, DVT_STR("end_mask")) & 1 ? (back ? -1 : v.count)
                                               : clamp(end, back ? -1 : 0, back ? v.count - 1 : v.count);
  stride = clamp(stride, -MAX_ELEMENTS - 1, MAX_ELEMENTS + 1);
  out->is_scalar = false;
  out->count = 0;
  for (int64_t i = begin; back ? i > end : i < end; i += stride) out->at[out->count++] = v.at[i];
  return true;
}

static bool compute(const TF_Operation *node, evaluation *e, int_vector *out) {
  if (is_op(node, DVT_STR("Const"))) return from_const(node, out);
  if (node->def.input_count == 0 || !is_index_dtype(node->def.output_types[0])) return false;
  if (is_op(node, DVT_STR("Shape"))) return from_shape(node, out);
  if (is_op(node, DVT_STR("Size"))) return from_size(node, out);
  if (is_op(node, DVT_STR("Rank"))) {
    dvt_shape shape = input_shape(node, 0);
    if (shape) set_scalar(out, shape->rank, true);
    return shape != NULL;
  }
  if (is_op(node, DVT_STR("Pack"))) return from_pack(node, e, out);
  if (is_op(node, DVT_STR("ConcatV2"))) return from_concat(node, e, out);
  if (is_op(node, DVT_STR("StridedSlice"))) return from_slice(node, e, out);
  if (is_op(node, DVT_STR("Cast")) && is_index_dtype(node->def.input_types[0]))
    return evaluate(node->inputs[0], e, out);
  return false;
}

// Scalars and vectors of known length whose elements are unknown count as evaluated.
static bool evaluate(dvt_edge source, evaluation *e, int_vector *out) {
  source = through_identities(source);
  if (!source.node || e->depth >= MAX_DEPTH || e->steps >= MAX_STEPS) return false;
  ++e->depth;
  ++e->steps;
  bool computed = source.index == 0 && compute(source.node, e, out);
  --e->depth;
  if (computed) return true;
  dvt_shape shape = source.node->output_shapes[source.index];
  if (!shape || shape->rank > 1) return false;
  if (shape->rank == 1 && (shape->dims[0] < 0 || shape->dims[0] > MAX_ELEMENTS)) return false;
  out->is_scalar = shape->rank == 0;
  out->count = shape->rank == 0 ? 1 : (int)shape->dims[0];
  memset(out->at, 0, sizeof out->at[0] * (size_t)out->count);
  return true;
}

static bool known_ints(dvt_edge source, TF_Tensor *out) {
  int dtype = source.node->def.output_types[source.index];
  int_vector v;
  evaluation e = {0};
  if (!is_index_dtype(dtype) || !evaluate(source, &e, &v)) return false;
  for (int i = 0; i < v.count; i++)
    if (!v.at[i].known || (dtype == TF_INT32 && v.at[i].value != (int32_t)v.at[i].value)) return false;
  int64_t dim = v.count;
  dvt_status status = dvt_tensor_init_allocate(out, dtype, &dim, v.is_scalar ? 0 : 1);
  for (int i = 0; !status && i < v.count; i++) {
    if (dtype == TF_INT64)
      ((int64_t *)out->data)[i] = v.at[i].value;
    else
      ((int32_t *)out->data)[i] = (int32_t)v.at[i].value;
  }
  dvt_status_free(status);
  return status == NULL;
}

const TF_Tensor *dvt_known_input_tensor(void *known_inputs, int index) {
  dvt_known_inputs *known = known_inputs;
  if (index < 0 || index >= known->count) return NULL;
  for (struct dvt_known_value *v = known->values; v; v = v->next)
    if (v->index == index) return &v->tensor;
  dvt_edge source = through_identities(known->inputs[index]);
  if (!source.node) return NULL;
  struct dvt_known_value *value = dvt_arena_calloc(&known->graph->scratch, 1, sizeof *value);
  if (!value || (!const_tensor(source.node, &value->tensor) && !known_ints(source, &value->tensor)))
    return NULL;
  value->index = index;
  value->next = known->values;
  known->values = value;
  return &value->tensor;
}

bool dvt_known_input_as_shape(void *known_inputs, int index, dvt_shape *out_shape) {
  dvt_known_inputs *known = known_inputs;
  int_vector v;
  dvt_dim dims[MAX_ELEMENTS];
  evaluation e = {0};
  if (index < 0 || index >= known->count || !evaluate(known->inputs[index], &e, &v)) return false;
  if (v.is_scalar) {  // the scalar -1 stands for a shape of unknown rank
    if (!v.at[0].known || v.at[0].value != -1) return false;
    *out_shape = NULL;
    return true;
  }
  for (int i = 0; i < v.count; i++) {
    if (v.at[i].known && v.at[i].value < -1) return false;
    bool is_dim = v.at[i].known ? v.at[i].value >= 0 : v.at[i].value < 0;
    dims[i] = is_dim ? v.at[i].value : dvt_dim_new_unknown(&known->graph->shapes);
  }
  dvt_status status = dvt_shape_make(&known->graph->shapes, dims, v.count, false, out_shape);
  dvt_status_free(status);
  return status == NULL;
}

static dvt_status shape_from_proto(TF_Graph *graph, dvt_str proto, dvt_shape *out_shape) {
  dvt_dim dims[DVT_MAX_RANK];
  int rank;
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank));
  *out_shape = NULL;
  return rank < 0 ? NULL : dvt_shape_make(&graph->shapes, dims, rank, true, out_shape);
}

enum { MAX_HANDLE_VALUES = 64 };

// HandleData { 1 is_set, 2 shape_and_type { 1 shape, 2 dtype } }.
static dvt_status read_handle_data(TF_Graph *graph, dvt_str data, const dvt_handle_shapes **out_handle) {
  dvt_shape_and_type values[MAX_HANDLE_VALUES];
  int count = 0;
  dvt_wire wire = dvt_wire_open(data);
  dvt_field field, part;
  while (dvt_wire_next(&wire, &field) && count < MAX_HANDLE_VALUES) {
    if (field.number != 2 || field.type != DVT_WIRE_BYTES) continue;
    dvt_shape_and_type *value = &values[count++];
    *value = (dvt_shape_and_type){NULL, 0};
    if (dvt_wire_find(field.bytes, 2, DVT_WIRE_VARINT, &part)) value->dtype = (int)(int32_t)part.value;
    if (dvt_wire_find(field.bytes, 1, DVT_WIRE_BYTES, &part))
      DVT_RETURN_IF_ERROR(shape_from_proto(graph, part.bytes, &value->shape));
  }
  return count ? dvt_handle_shapes_make(&graph->shapes, values, count, out_handle) : NULL;
}

// What a VarHandleOp declares.
static dvt_status read_variable_attrs(TF_Graph *graph, const dvt_node_def *def,
                                      const dvt_handle_shapes **out_handle) {
  dvt_shape_and_type declared = {NULL, 0};
  dvt_str shape, dtype, proto;
  if (!dvt_node_attr(def, DVT_STR("shape"), &shape) || !dvt_node_attr(def, DVT_STR("dtype"), &dtype))
    return NULL;
  DVT_RETURN_IF_ERROR(dvt_attr_get_shape(shape, &proto));
  DVT_RETURN_IF_ERROR(dvt_attr_get_type(dtype, &declared.dtype));
  DVT_RETURN_IF_ERROR(shape_from_proto(graph, proto, &declared.shape));
  return dvt_handle_shapes_make(&graph->shapes, &declared, 1, out_handle);
}

const dvt_handle_shapes *dvt_known_input_handle(void *known_inputs, int index) {
  dvt_known_inputs *known = known_inputs;
  const dvt_handle_shapes *handle = NULL;
  dvt_str data;
  if (index < 0 || index >= known->count) return NULL;
  dvt_edge source = through_identities(known->inputs[index]);
  if (!source.node) return NULL;
  dvt_status status = NULL;
  if (dvt_graph_handle_data(known->graph, source, &data))
    status = read_handle_data(known->graph, data, &handle);
  else if (is_op(source.node, DVT_STR("VarHandleOp")))
    status = read_variable_attrs(known->graph, &source.node->def, &handle);
  dvt_status_free(status);
  return status ? NULL : handle;
}

dvt_str dvt_known_input_name(void *known_inputs, int index) {
  dvt_known_inputs *known = known_inputs;
  dvt_edge source = index >= 0 && index < known->count ? known->inputs[index] : (dvt_edge){NULL, 0};
  if (!source.node) return DVT_STR("?");
  if (source.index == 0) return source.node->def.name;
  dvt_buf text = {0};
  dvt_str name = source.node->def.name;
  dvt_buf_printf(&text, DVT_STR_FMT ":%d", DVT_STR_ARG(name), source.index);
  dvt_str copy = name;
  if (!text.failed && dvt_arena_copy_str(&known->graph->scratch, dvt_buf_str(&text), &copy)) name = copy;
  dvt_buf_deinit(&text);
  return name;
}

void dvt_known_inputs_deinit(dvt_known_inputs *known) {
  for (struct dvt_known_value *v = known->values; v; v = v->next) dvt_tensor_reset(&v->tensor);
  known->values = NULL;
}
