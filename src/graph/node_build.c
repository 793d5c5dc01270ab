// Adding one node to a graph: every check stock makes when a node is created, shape inference, and the edges.
// A node takes one block of the arena; nothing is visible in the graph before all checks have passed.
#include "base/log.h"
#include "graph/graph.h"
#include "tensor/dtype.h"

#define MAX_OUTPUTS ((size_t)1 << 24)  // of all nodes of a graph

static dvt_status check_name(const dvt_new_node *node) {
  if (!node->check_name || DVT_LIKELY(dvt_node_name_is_valid(node->name))) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Node '" DVT_STR_FMT
                   "': Node name contains invalid characters. A name starts with a letter, digit "
                   "or '.' and goes on with those and '_', '-', '/' and '>'",
                   DVT_STR_ARG(node->name));
}

// One block: the operation, then its arrays, largest alignment first.
static TF_Operation *allocate_node(TF_Graph *graph, const dvt_new_node *node) {
  size_t attrs = (size_t)node->attr_count, inputs = (size_t)node->input_count,
         controls = (size_t)node->control_input_count;
  size_t bytes = sizeof(TF_Operation) + attrs * sizeof(dvt_attr) + inputs * sizeof(dvt_edge) +
                 controls * sizeof(TF_Operation *);
  char *at = dvt_arena_alloc(&graph->arena, bytes);
  if (!at) return NULL;
  TF_Operation *op = (TF_Operation *)at;
  at += sizeof *op;
  *op = (TF_Operation){.graph = graph, .extra = node->extra};
  op->def = (dvt_node_def){
      .name = node->name, .device = node->device, .op = node->op, .attr_count = node->attr_count};
  op->def.attrs = (dvt_attr *)at;
  at += attrs * sizeof(dvt_attr);
  op->inputs = (dvt_edge *)at;
  at += inputs * sizeof(dvt_edge);
  op->control_inputs = (TF_Operation **)at;
  if (attrs) memcpy(op->def.attrs, node->attrs, attrs * sizeof(dvt_attr));
  if (inputs) memcpy(op->inputs, node->inputs, inputs * sizeof(dvt_edge));
  return op;
}

static void copy_controls(TF_Graph *graph, const dvt_new_node *node, TF_Operation *op) {
  if (node->control_input_count == 0) return;
  uint32_t walk = ++graph->seen;
  for (int32_t i = 0; i < node->control_input_count; i++) {
    TF_Operation *before = node->control_inputs[i];
    if (before->seen == walk) continue;
    before->seen = walk;
    op->control_inputs[op->control_input_count++] = before;
  }
}

DVT_COLD static dvt_status input_count_error(const TF_Operation *op, int32_t given) {
  dvt_buf text = {0};
  dvt_buf_printf(&text, "NodeDef expected inputs '");
  for (int32_t i = 0; i < op->def.input_count; i++)
    dvt_buf_printf(&text, "%s%s", i ? ", " : "", dvt_dtype_name(op->def.input_types[i]));
  dvt_buf_printf(&text, "' do not match %d inputs specified; ", given);
  dvt_op_def_describe(op->def.op, &text);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "%s; NodeDef: {{node " DVT_STR_FMT "}}",
                                text.data ? text.data : "wrong number of inputs", DVT_STR_ARG(op->def.name));
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status check_input(const TF_Operation *op, int32_t i, dvt_edge source) {
  const dvt_node_def *producer = &source.node->def;
  if (DVT_UNLIKELY(source.index < 0 || source.index >= producer->output_count))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT "': Connecting to invalid output %d of source node " DVT_STR_FMT
                     " which has %d outputs.",
                     DVT_STR_ARG(op->def.name), source.index, DVT_STR_ARG(producer->name),
                     producer->output_count);
  int expected = op->def.input_types[i], actual = producer->output_types[source.index];
  if (DVT_LIKELY(dvt_dtypes_connect(expected, actual))) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Input %d of node " DVT_STR_FMT " was passed %s from " DVT_STR_FMT
                   ":%d incompatible with expected %s.",
                   i, DVT_STR_ARG(op->def.name), dvt_dtype_name(actual), DVT_STR_ARG(producer->name),
                   source.index, dvt_dtype_name(expected));
}

static dvt_status check_inputs(const TF_Operation *op, const dvt_new_node *node) {
  if (DVT_UNLIKELY(op->def.input_count != node->input_count)) return input_count_error(op, node->input_count);
  for (int32_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i].node)
      DVT_RETURN_IF_ERROR(check_input(op, i, node->inputs[i]));
    else if (!node->allow_back_edges)
      return dvt_error(TF_INVALID_ARGUMENT, "Input %d of node " DVT_STR_FMT " is not connected", i,
                       DVT_STR_ARG(op->def.name));
  }
  return NULL;
}

static dvt_status infer_shapes(TF_Graph *graph, TF_Operation *op) {
  enum { FEW = 16 };
  dvt_shape few[FEW], *inputs = few;
  if (!op->def.op->shape_fn && !graph->require_shape_fns) return NULL;
  if (op->def.input_count > FEW) {
    inputs = dvt_arena_alloc(&graph->scratch, sizeof *inputs * (size_t)op->def.input_count);
    if (!inputs) return dvt_error_out_of_memory(sizeof *inputs * (size_t)op->def.input_count);
  }
  for (int32_t i = 0; i < op->def.input_count; i++) {
    dvt_edge source = op->inputs[i];
    inputs[i] = source.node ? source.node->output_shapes[source.index] : NULL;
  }
  dvt_known_inputs known = {.inputs = op->inputs, .count = op->def.input_count, .graph = graph};
  TF_ShapeInferenceContext ctx = {.node = &op->def,
                                  .arena = &graph->shapes,
                                  .inputs = inputs,
                                  .outputs = op->output_shapes,
                                  .output_handles = op->handles,
                                  .graph_def_version = graph->producer_version,
                                  .input_tensor = dvt_known_input_tensor,
                                  .input_as_shape = dvt_known_input_as_shape,
                                  .input_handle = dvt_known_input_handle,
                                  .input_name = dvt_known_input_name,
                                  .arg = &known,
                                  .scratch = &graph->scratch};
  dvt_status status = dvt_shape_infer(&ctx);
  dvt_known_inputs_deinit(&known);
  dvt_arena_reset(&graph->scratch);
  return status;
}

static bool has_handles(const dvt_node_def *def) {
  for (int32_t i = 0; i < def->output_count; i++)
    if (def->output_types[i] == TF_RESOURCE || def->output_types[i] == TF_VARIANT) return true;
  return false;
}

static dvt_status allocate_outputs(TF_Graph *graph, TF_Operation *op) {
  size_t count = (size_t)op->def.output_count;
  op->output_shapes = dvt_arena_calloc(&graph->arena, count, sizeof(dvt_shape));
  if (!op->output_shapes) return dvt_error_out_of_memory(sizeof(dvt_shape) * count);
  if (!has_handles(&op->def)) return NULL;
  op->handles = dvt_arena_calloc(&graph->arena, count, sizeof *op->handles);
  return op->handles ? NULL : dvt_error_out_of_memory(sizeof *op->handles * count);
}

static dvt_status resolve(TF_Graph *graph, const dvt_new_node *node, TF_Operation *op) {
  DVT_RETURN_IF_ERROR(dvt_node_resolve(&op->def, &graph->arena));
  DVT_RETURN_IF_ERROR(check_inputs(op, node));
  if (op->def.op->deprecated_since)
    DVT_RETURN_IF_ERROR(dvt_op_check_deprecation(op->def.op, graph->producer_version));
  // An attr of a few bytes gives a node up to a quarter of a million outputs.
  if (graph->output_count + (size_t)op->def.output_count > MAX_OUTPUTS)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "the nodes of the graph have more than %zu outputs with the %d of '" DVT_STR_FMT "'",
                     MAX_OUTPUTS, op->def.output_count, DVT_STR_ARG(op->def.name));
  DVT_RETURN_IF_ERROR(allocate_outputs(graph, op));
  return infer_shapes(graph, op);
}

static inline void add_consumer(dvt_consumer *reader, TF_Operation *producer, TF_Operation *node,
                                int32_t input, int32_t output) {
  *reader = (dvt_consumer){node, input, output, producer->consumers};
  producer->consumers = reader;
}

// Makes the node findable and its producers know it; the last steps, of which only the first two can fail.
static dvt_status enter(TF_Graph *graph, TF_Operation *op) {
  if (DVT_UNLIKELY(graph->node_count == INT32_MAX))
    return dvt_error(TF_RESOURCE_EXHAUSTED, "a graph holds at most %d nodes", INT32_MAX);
  size_t edges = (size_t)op->def.input_count + (size_t)op->control_input_count;
  dvt_consumer *reader = dvt_arena_alloc(&graph->arena, edges * sizeof *reader);
  if (!reader ||
      !dvt_grow((void **)&graph->nodes, &graph->node_capacity, graph->node_count + 1, sizeof *graph->nodes))
    return dvt_error_out_of_memory(edges * sizeof *reader);
  void **slot = dvt_map_slot_for(&graph->by_name, op->def.name);
  if (!slot) return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  if (DVT_UNLIKELY(*slot != NULL))
    return dvt_error(TF_INVALID_ARGUMENT, "Duplicate node name in graph: '" DVT_STR_FMT "'",
                     DVT_STR_ARG(op->def.name));
  *slot = op;
  op->id = (int32_t)graph->node_count;
  graph->nodes[graph->node_count++] = op;
  graph->output_count += (size_t)op->def.output_count;
  for (int32_t i = 0; i < op->def.input_count; i++)
    if (op->inputs[i].node) add_consumer(reader++, op->inputs[i].node, op, i, op->inputs[i].index);
  for (int32_t i = 0; i < op->control_input_count; i++)
    add_consumer(reader++, op->control_inputs[i], op, -1, -1);
  return NULL;
}

dvt_status dvt_graph_add_node(TF_Graph *graph, const dvt_new_node *node, TF_Operation **out_node) {
  DVT_RETURN_IF_ERROR(check_name(node));
  TF_Operation *op = allocate_node(graph, node);
  if (!op) return dvt_error_out_of_memory(sizeof *op);
  if (!op->def.device.data) op->def.device = DVT_STR("");
  copy_controls(graph, node, op);
  DVT_RETURN_IF_ERROR(resolve(graph, node, op));
  DVT_RETURN_IF_ERROR(enter(graph, op));
  *out_node = op;
  return NULL;
}

dvt_status dvt_graph_set_input(TF_Operation *node, int input, dvt_edge source) {
  TF_Graph *graph = node->graph;
  DVT_RETURN_IF_ERROR(check_input(node, input, source));
  dvt_consumer *reader = dvt_arena_alloc(&graph->arena, sizeof *reader);
  if (!reader) return dvt_error_out_of_memory(sizeof *reader);
  TF_Operation *old = node->inputs[input].node;
  if (old) {
    dvt_consumer **at = &old->consumers;
    while ((*at)->node != node || (*at)->input != input) at = &(*at)->next;
    *at = (*at)->next;
  }
  node->inputs[input] = source;
  add_consumer(reader, source.node, node, input, source.index);
  return NULL;
}
