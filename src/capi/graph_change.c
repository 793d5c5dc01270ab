// Changing operations that are in a graph already.
#include "base/log.h"
#include "capi/buffer.h"
#include "graph/graph.h"

static dvt_status check_node(const TF_Graph *graph, const TF_Operation *node) {
  if (node && node->graph == graph) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Node %s was not found in the graph",
                   node ? node->def.name.data : "NULL");
}

static dvt_status check_output(const TF_Graph *graph, TF_Output output) {
  DVT_RETURN_IF_ERROR(check_node(graph, output.oper));
  if (output.index >= 0 && output.index < output.oper->def.output_count) return NULL;
  return dvt_error(TF_OUT_OF_RANGE, "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                   output.oper->def.name.data, output.oper->def.op->name.data, output.oper->def.output_count,
                   output.index);
}

// For entry points without a status.
static void report(const char *function, dvt_status error) {
  if (error) dvt_log(DVT_ERROR, "%s: %s", function, dvt_status_message(error));
  dvt_status_free(error);
}

void TF_UpdateEdge(TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, new_src.oper);
  if (!error) error = check_node(graph, dst.oper);
  if (!error)
    error = dvt_graph_update_edge(graph, (dvt_edge){new_src.oper, new_src.index}, dst.oper, dst.index);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

void TF_AddOperationControlInput(TF_Graph *graph, TF_Operation *op, TF_Operation *input) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, op);
  if (!error) error = check_node(graph, input);
  if (!error) error = dvt_graph_add_control_input(op, input);
  pthread_mutex_unlock(&graph->lock);
  report("TF_AddOperationControlInput", error);
}

void TF_RemoveAllControlInputs(TF_Graph *graph, TF_Operation *op) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, op);
  if (!error) dvt_graph_remove_control_inputs(op);
  pthread_mutex_unlock(&graph->lock);
  report("TF_RemoveAllControlInputs", error);
}

void TF_SetAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Buffer *attr_value_proto,
                TF_Status *status) {
  dvt_str value = dvt_tf_buffer_str(attr_value_proto);
  dvt_attr_info info;
  dvt_status error = dvt_attr_inspect(value, &info);
  if (error) {
    dvt_status_free(error);
    error = dvt_error(TF_INVALID_ARGUMENT, "Unparseable AttrValue proto for attr '%s'", attr_name);
  }
  pthread_mutex_lock(&graph->lock);
  if (!error) error = check_node(graph, op);
  if (!error) error = dvt_graph_set_attr(op, dvt_str_from(attr_name), value);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

void TF_ClearAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, op);
  if (!error) dvt_graph_clear_attr(op, dvt_str_from(attr_name));
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

void TF_SetFullType(TF_Graph *graph, TF_Operation *op, const TF_Buffer *full_type_proto) {
  enum { NODE_FULL_TYPE = 7 };
  dvt_str proto = dvt_tf_buffer_str(full_type_proto);
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, op);
  if (!error && !dvt_wire_valid(proto))
    error = dvt_error(TF_INVALID_ARGUMENT, "Unparseable FullTypeDef proto");
  if (!error) error = dvt_graph_set_extra(op, NODE_FULL_TYPE, proto);
  pthread_mutex_unlock(&graph->lock);
  report("TF_SetFullType", error);
}

void TF_SetRequestedDevice(TF_Graph *graph, TF_Operation *op, const char *device) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_node(graph, op);
  if (!error) error = dvt_graph_set_device(op, dvt_str_from(device));
  pthread_mutex_unlock(&graph->lock);
  report("TF_SetRequestedDevice", error);
}

void TF_SetRequireShapeInferenceFns(TF_Graph *graph, bool require) {
  pthread_mutex_lock(&graph->lock);
  graph->require_shape_fns = require;
  pthread_mutex_unlock(&graph->lock);
}

TF_Buffer *TF_GetHandleShapeAndType(TF_Graph *graph, TF_Output output) {
  dvt_str proto = DVT_STR("");
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_output(graph, output);
  if (!error) dvt_graph_handle_data(graph, (dvt_edge){output.oper, output.index}, &proto);
  TF_Buffer *buffer = error ? NULL : TF_NewBufferFromString(proto.data, proto.len);
  pthread_mutex_unlock(&graph->lock);
  report("TF_GetHandleShapeAndType", error);
  return buffer;
}

void TF_SetHandleShapeAndType(TF_Graph *graph, TF_Output output, const void *proto, size_t proto_len,
                              TF_Status *status) {
  dvt_str bytes = dvt_str_make(proto, proto_len);
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_output(graph, output);
  if (!error && !dvt_wire_valid(bytes))
    error = dvt_error(TF_INVALID_ARGUMENT, "Couldn't deserialize HandleData proto");
  if (!error) error = dvt_graph_set_handle_data(graph, (dvt_edge){output.oper, output.index}, bytes);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

static dvt_status append_while_input(TF_Graph *graph, TF_Output source, TF_Operation *node) {
  DVT_RETURN_IF_ERROR(check_output(graph, source));
  DVT_RETURN_IF_ERROR(check_node(graph, node));
  dvt_str op = node->def.op->name;
  if (dvt_str_eq(op, DVT_STR("While")) || dvt_str_eq(op, DVT_STR("StatelessWhile")))
    return dvt_graph_append_input(node, (dvt_edge){source.oper, source.index});
  return dvt_error(TF_INTERNAL, "dst argument to AddWhileEdgeHack should be a While op, got: " DVT_STR_FMT,
                   DVT_STR_ARG(op));
}

void TF_AddWhileInputHack(TF_Graph *graph, TF_Output new_src, TF_Operation *dst, TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = append_while_input(graph, new_src, dst);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}
