// What is known about the values of a new node's inputs while the graph is built: constants, and what is
// computed from constants and shapes (op/known_value.h). Shape functions ask through the hooks at the end;
// nothing is computed before they ask, and nothing is kept.
#include "graph/graph.h"
#include "op/known_value.h"
#include "op/shape_algebra.h"
#include "tensor/dtype.h"
#include "tensor/tensor_proto.h"

enum { MAX_DEPTH = 64, MAX_IDENTITIES = 64 };
// Nodes may be read by many inputs of each other, so that depth alone does not bound the work; and a constant
// of a few bytes may stand for gigabytes. Shapes and what else shape functions look at are far smaller.
enum { MAX_STEPS = 1024, MAX_CONST_ELEMENTS = 1 << 16, MAX_CONST_STRING_BYTES = 1 << 24 };

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

static bool is_small(dvt_str proto, int64_t most, int dtype, const int64_t *dims, int rank) {
  int64_t count = 0;
  dvt_status status = dvt_shape_count(dims, rank < 0 ? 0 : rank, &count);
  dvt_status_free(status);
  if (status || count > most) return false;
  return dtype != TF_STRING || (uint64_t)count * proto.len <= MAX_CONST_STRING_BYTES;
}

bool dvt_const_tensor(const dvt_node_def *def, int64_t most, TF_Tensor *out) {
  dvt_str value, proto;
  int64_t dims[DVT_MAX_RANK];
  int dtype, rank;
  if (!dvt_str_is(def->op->name, "Const") || !dvt_node_attr(def, DVT_STR("value"), &value)) return false;
  dvt_status status = dvt_attr_get_tensor(value, &proto);
  if (!status) status = dvt_tensor_proto_header(proto, &dtype, dims, DVT_MAX_RANK, &rank);
  bool small = !status && is_small(proto, most, dtype, dims, rank);
  if (small) status = dvt_tensor_from_proto(proto, out);
  dvt_status_free(status);
  return small && !status;
}

// ---- values of nodes, from their producers' ----

typedef struct evaluation {
  TF_Graph *graph;
  int depth, steps;
} evaluation;

typedef struct node_inputs {
  evaluation *e;
  const TF_Operation *node;
} node_inputs;

static dvt_shape shape_of(dvt_edge source) {
  return source.node ? source.node->output_shapes[source.index] : NULL;
}

static dvt_shape shape_of_input(void *arg, int index) {
  const node_inputs *in = arg;
  return shape_of(in->node->inputs[index]);
}

static const dvt_value *value_of(evaluation *e, dvt_edge source);

static const dvt_value *value_of_input(void *arg, int index) {
  const node_inputs *in = arg;
  return value_of(in->e, in->node->inputs[index]);
}

static const dvt_value *value_of_const(evaluation *e, const TF_Operation *node) {
  TF_Tensor tensor = {0};
  if (!dvt_const_tensor(&node->def, DVT_VALUE_MAX_COUNT, &tensor)) return NULL;
  const dvt_value *value = dvt_value_of_tensor(&e->graph->scratch, &tensor);
  dvt_tensor_reset(&tensor);
  return value;
}

static const dvt_value *value_of(evaluation *e, dvt_edge source) {
  if (!source.node || e->depth >= MAX_DEPTH || e->steps >= MAX_STEPS) return NULL;
  const TF_Operation *node = source.node;
  if (!dvt_value_has_dtype(node->def.output_types[source.index])) return NULL;
  if (is_op(node, DVT_STR("Const"))) return value_of_const(e, node);
  ++e->depth;
  ++e->steps;
  node_inputs in = {e, node};
  dvt_value_inputs inputs = {shape_of_input, value_of_input, &in};
  const dvt_value *value = dvt_value_compute(&e->graph->scratch, &e->graph->shapes, &node->def, source.index,
                                             node->output_shapes[source.index], &inputs);
  --e->depth;
  return value;
}

static const dvt_value *value_at(const dvt_known_inputs *known, int index) {
  evaluation e = {.graph = known->graph};
  return value_of(&e, known->inputs[index]);
}

static bool known_small(const dvt_known_inputs *known, int index, TF_Tensor *out) {
  const dvt_value *value = value_at(known, index);
  return value && dvt_value_to_tensor(value, out);
}

const TF_Tensor *dvt_known_input_tensor(void *known_inputs, int index) {
  dvt_known_inputs *known = known_inputs;
  if (index < 0 || index >= known->count) return NULL;
  for (struct dvt_known_value *v = known->values; v; v = v->next)
    if (v->index == index) return &v->tensor;
  dvt_edge source = through_identities(known->inputs[index]);
  if (!source.node) return NULL;
  struct dvt_known_value *value = dvt_arena_calloc(&known->graph->scratch, 1, sizeof *value);
  if (!value || (!dvt_const_tensor(&source.node->def, MAX_CONST_ELEMENTS, &value->tensor) &&
                 !known_small(known, index, &value->tensor)))
    return NULL;
  value->index = index;
  value->next = known->values;
  known->values = value;
  return &value->tensor;
}

bool dvt_known_input_as_shape(void *known_inputs, int index, dvt_shape *out_shape) {
  dvt_known_inputs *known = known_inputs;
  if (index < 0 || index >= known->count) return false;
  const dvt_value *value = value_at(known, index);
  dvt_shape shape = shape_of(known->inputs[index]);
  if (!value && shape && shape->rank <= 1)
    value = dvt_value_new(&known->graph->scratch, TF_INT64, shape->dims, shape->rank);
  return value && dvt_value_to_shape(value, &known->graph->shapes, out_shape);
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
      DVT_RETURN_IF_ERROR(dvt_shape_of_proto(&graph->shapes, part.bytes, &value->shape));
  }
  return count ? dvt_handle_shapes_make(&graph->shapes, values, count, out_handle) : NULL;
}

const dvt_handle_shapes *dvt_graph_known_handle(TF_Graph *graph, dvt_edge source) {
  const dvt_handle_shapes *handle = NULL;
  dvt_str data;
  if (!dvt_graph_handle_data(graph, source, &data))
    return source.node->handles ? source.node->handles[source.index] : NULL;
  dvt_status_free(read_handle_data(graph, data, &handle));
  return handle;
}

const dvt_handle_shapes *dvt_known_input_handle(void *known_inputs, int index) {
  dvt_known_inputs *known = known_inputs;
  if (index < 0 || index >= known->count || !known->inputs[index].node) return NULL;
  return dvt_graph_known_handle(known->graph, known->inputs[index]);
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
