// TF_NewGraph to TF_FinishOperation: graphs, and operations under construction. Attributes are set in
// graph_set_attr.c.
#include "base/handles.h"
#include "base/log.h"
#include "graph/builder.h"
#include "plugin/plugin.h"

TF_Graph *TF_NewGraph(void) {
  TF_Graph *graph = NULL;
  dvt_plugin_autoload_init();
  dvt_status status = dvt_graph_create(&graph);
  if (status) dvt_log(DVT_ERROR, "TF_NewGraph: %s", dvt_status_message(status));
  dvt_status_free(status);
  return graph;
}

void TF_DeleteGraph(TF_Graph *graph) {
  if (graph && dvt_handle_may_delete(graph, DVT_HANDLE_GRAPH, "TF_DeleteGraph")) dvt_graph_release(graph);
}

static TF_OperationDescription *new_operation(TF_Graph *graph, const char *op_type, const char *oper_name,
                                              bool locked) {
  if (!graph || !op_type || !oper_name) {
    dvt_log(DVT_ERROR, "TF_NewOperation needs a graph, an op type and a name, got NULL");
    return NULL;
  }
  if (dvt_handle_is_bad(graph, DVT_HANDLE_GRAPH, "TF_NewOperation")) return NULL;
  return dvt_builder_create(graph, dvt_str_from(op_type), dvt_str_from(oper_name), locked);
}

TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type, const char *oper_name) {
  return new_operation(graph, op_type, oper_name, false);
}

TF_OperationDescription *TF_NewOperationLocked(TF_Graph *graph, const char *op_type, const char *oper_name) {
  return new_operation(graph, op_type, oper_name, true);
}

void TF_SetDevice(TF_OperationDescription *desc, const char *device) {
  if (desc) dvt_builder_set_device(desc, dvt_str_from(device));
}

void TF_AddInput(TF_OperationDescription *desc, TF_Output input) {
  if (desc) dvt_builder_add_input(desc, (dvt_edge){input.oper, input.index});
}

void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs) {
  if (desc) dvt_builder_add_input_list(desc, inputs, num_inputs);
}

void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input) {
  if (desc) dvt_builder_add_control_input(desc, input);
}

void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op) {
  if (desc && op) dvt_builder_add_colocation(desc, DVT_STR("loc:@"), op->def.name);
}

static TF_Operation *finish_operation(TF_OperationDescription *desc, bool locked, TF_Status *status) {
  TF_Operation *node = NULL;
  dvt_status error = desc ? dvt_builder_finish(desc, locked, &node)
                          : dvt_error(TF_INVALID_ARGUMENT, "TF_FinishOperation got no operation description");
  dvt_status_to_tf(error, status);
  return node;
}

TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status) {
  return finish_operation(desc, false, status);
}

TF_Operation *TF_FinishOperationLocked(TF_OperationDescription *desc, TF_Status *status) {
  return finish_operation(desc, true, status);
}
