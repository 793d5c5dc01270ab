// Changing nodes that are in the graph already. Each change is counted and noted, so that sessions can tell
// of changes that come too late for them; what they read of a node is replaced, never overwritten, so that
// they may keep it. Shapes are not inferred anew, as in stock.
#include "graph/graph.h"

struct dvt_handle_data {
  dvt_handle_data *next;
  dvt_edge output;
  dvt_str proto;
};

// Without memory for the note the change is only counted.
static void note_change(TF_Operation *node, const char *what) {
  TF_Graph *graph = node->graph;
  long long number = atomic_fetch_add_explicit(&graph->change_count, 1, memory_order_release) + 1;
  dvt_graph_change *change = dvt_arena_alloc(&graph->arena, sizeof *change);
  if (!change) return;
  *change = (dvt_graph_change){node, what, number, graph->changes};
  graph->changes = change;
}

dvt_status dvt_graph_update_edge(TF_Graph *graph, dvt_edge source, TF_Operation *node, int input) {
  if (source.index < 0 || source.index >= source.node->def.output_count)
    return dvt_error(
        TF_OUT_OF_RANGE,
        "Cannot update edge. Output index [%d] is greater than the number of total outputs [%d].",
        source.index, source.node->def.output_count);
  if (input < 0 || input >= node->def.input_count)
    return dvt_error(TF_OUT_OF_RANGE,
                     "Cannot update edge. Input index [%d] is greater than the number of total inputs [%d].",
                     input, node->def.input_count);
  dvt_edge old = node->inputs[input];
  dvt_shape was = old.node->output_shapes[old.index], is = source.node->output_shapes[source.index], merged;
  dvt_status status = dvt_shape_merge(&graph->shapes, was, is, &merged);
  if (status) {
    dvt_buf text = {0};
    dvt_shape_print(is, &text);
    dvt_buf_printf(&text, " and ");
    dvt_shape_print(was, &text);
    dvt_status_free(status);
    status = dvt_error(TF_INVALID_ARGUMENT, "Cannot update edge, incompatible shapes: %s.",
                       text.data ? text.data : "");
    dvt_buf_deinit(&text);
    return status;
  }
  size_t bytes = (size_t)node->def.input_count * sizeof *node->inputs;
  dvt_edge *before = node->inputs, *inputs = dvt_arena_alloc(&graph->arena, bytes);
  if (!inputs) return dvt_error_out_of_memory(bytes);
  memcpy(inputs, before, bytes);
  node->inputs = inputs;
  status = dvt_graph_set_input(node, input, source);
  if (status) {
    node->inputs = before;
    return status;
  }
  note_change(node, "updating input tensor");
  return NULL;
}

dvt_status dvt_graph_add_control_input(TF_Operation *node, TF_Operation *before) {
  TF_Graph *graph = node->graph;
  for (int32_t i = 0; i < node->control_input_count; i++)
    if (node->control_inputs[i] == before) return NULL;
  size_t count = (size_t)node->control_input_count;
  TF_Operation **grown = dvt_arena_alloc(&graph->arena, (count + 1) * sizeof *grown);
  dvt_consumer *reader = dvt_arena_alloc(&graph->arena, sizeof *reader);
  if (!grown || !reader) return dvt_error_out_of_memory((count + 1) * sizeof *grown);
  if (count) memcpy(grown, node->control_inputs, count * sizeof *grown);
  grown[count] = before;
  *reader = (dvt_consumer){node, -1, -1, before->consumers};
  before->consumers = reader;
  node->control_inputs = grown;
  node->control_input_count++;
  note_change(node, "adding control input");
  return NULL;
}

void dvt_graph_remove_control_inputs(TF_Operation *node) {
  for (int32_t i = 0; i < node->control_input_count; i++) {
    dvt_consumer **at = &node->control_inputs[i]->consumers;
    while ((*at)->node != node || (*at)->input != -1) at = &(*at)->next;
    *at = (*at)->next;
  }
  node->control_input_count = 0;
  note_change(node, "removing all control inputs");
}

dvt_status dvt_graph_set_attr(TF_Operation *node, dvt_str name, dvt_str value) {
  dvt_arena *arena = &node->graph->arena;
  dvt_str kept_name, kept_value;
  if (!dvt_arena_copy_str(arena, value, &kept_value)) return dvt_error_out_of_memory(value.len);
  for (int32_t i = 0; i < node->def.attr_count; i++) {
    if (!dvt_str_eq(node->def.attrs[i].name, name)) continue;
    node->def.attrs[i].value = kept_value;
    note_change(node, "setting attribute");
    return NULL;
  }
  size_t count = (size_t)node->def.attr_count;
  dvt_attr *grown = dvt_arena_alloc(arena, (count + 1) * sizeof *grown);
  if (!grown || !dvt_arena_copy_str(arena, name, &kept_name)) return dvt_error_out_of_memory(name.len);
  if (count) memcpy(grown, node->def.attrs, count * sizeof *grown);
  grown[count] = (dvt_attr){kept_name, kept_value};
  node->def.attrs = grown;
  node->def.attr_count++;
  note_change(node, "setting attribute");
  return NULL;
}

void dvt_graph_clear_attr(TF_Operation *node, dvt_str name) {
  int32_t kept = 0, count = node->def.attr_count;
  for (int32_t i = 0; i < count; i++)
    if (!dvt_str_eq(node->def.attrs[i].name, name)) node->def.attrs[kept++] = node->def.attrs[i];
  node->def.attr_count = kept;
  if (kept != count) note_change(node, "clearing attribute");
}

dvt_status dvt_graph_set_device(TF_Operation *node, dvt_str device) {
  if (!dvt_arena_copy_str(&node->graph->arena, device, &node->def.device))
    return dvt_error_out_of_memory(device.len);
  note_change(node, "setting device");
  return NULL;
}

dvt_status dvt_graph_set_extra(TF_Operation *node, uint32_t field_number, dvt_str message) {
  dvt_wire wire = dvt_wire_open(node->extra);
  dvt_field field;
  dvt_buf extra = {0};
  while (dvt_wire_next(&wire, &field))
    if (field.number != field_number) dvt_wire_put_bytes(&extra, field.number, field.bytes);
  dvt_wire_put_bytes(&extra, field_number, message);
  bool copied = !extra.failed && dvt_arena_copy_str(&node->graph->arena, dvt_buf_str(&extra), &node->extra);
  dvt_buf_deinit(&extra);
  if (!copied) return dvt_error_out_of_memory(message.len);
  note_change(node, "setting fulltype");
  return NULL;
}

dvt_status dvt_graph_append_input(TF_Operation *node, dvt_edge source) {
  dvt_arena *arena = &node->graph->arena;
  size_t count = (size_t)node->def.input_count;
  dvt_edge *inputs = dvt_arena_alloc(arena, (count + 1) * sizeof *inputs);
  int16_t *types = dvt_arena_alloc(arena, (count + 1) * sizeof *types);
  dvt_consumer *reader = dvt_arena_alloc(arena, sizeof *reader);
  if (!inputs || !types || !reader) return dvt_error_out_of_memory((count + 1) * sizeof *inputs);
  if (count) {
    memcpy(inputs, node->inputs, count * sizeof *inputs);
    memcpy(types, node->def.input_types, count * sizeof *types);
  }
  inputs[count] = source;
  types[count] = source.node->def.output_types[source.index];
  *reader = (dvt_consumer){node, (int32_t)count, source.index, source.node->consumers};
  source.node->consumers = reader;
  node->inputs = inputs;
  node->def.input_types = types;
  node->def.input_count++;
  note_change(node, "adding input tensor");
  return NULL;
}

static dvt_handle_data *find_handle_data(const TF_Graph *graph, dvt_edge output) {
  dvt_handle_data *data = graph->handle_data;
  while (data && (data->output.node != output.node || data->output.index != output.index)) data = data->next;
  return data;
}

dvt_status dvt_graph_set_handle_data(TF_Graph *graph, dvt_edge output, dvt_str proto) {
  dvt_str kept;
  if (!dvt_arena_copy_str(&graph->arena, proto, &kept)) return dvt_error_out_of_memory(proto.len);
  dvt_handle_data *data = find_handle_data(graph, output);
  if (!data) {
    data = dvt_arena_alloc(&graph->arena, sizeof *data);
    if (!data) return dvt_error_out_of_memory(sizeof *data);
    *data = (dvt_handle_data){.next = graph->handle_data, .output = output};
    graph->handle_data = data;
  }
  data->proto = kept;
  return NULL;
}

bool dvt_graph_handle_data(const TF_Graph *graph, dvt_edge output, dvt_str *out_proto) {
  const dvt_handle_data *data = find_handle_data(graph, output);
  if (data) *out_proto = data->proto;
  return data != NULL;
}
