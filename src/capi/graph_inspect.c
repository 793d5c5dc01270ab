// Asking an operation: names, inputs, outputs, readers, its NodeDef. Attributes are read in graph_get_attr.c.
// What can change after an operation was made (its edges, its device) is read under the graph's lock.
#include "base/log.h"
#include "capi/buffer.h"
#include "graph/graph.h"

const char *TF_OperationName(TF_Operation *oper) { return oper ? oper->def.name.data : NULL; }

const char *TF_OperationOpType(TF_Operation *oper) { return oper ? oper->def.op->name.data : NULL; }

const char *TF_OperationDevice(TF_Operation *oper) {
  if (!oper) return NULL;
  pthread_mutex_lock(&oper->graph->lock);
  const char *device = oper->def.device.data;
  pthread_mutex_unlock(&oper->graph->lock);
  return device;
}

int TF_OperationNumOutputs(TF_Operation *oper) { return oper ? oper->def.output_count : 0; }

int TF_OperationNumInputs(TF_Operation *oper) { return oper ? oper->def.input_count : 0; }

static bool has_output(TF_Output output) {
  return output.oper && output.index >= 0 && output.index < output.oper->def.output_count;
}

static bool has_input(TF_Input input) {
  return input.oper && input.index >= 0 && input.index < input.oper->def.input_count;
}

TF_DataType TF_OperationOutputType(TF_Output oper_out) {
  if (has_output(oper_out)) return (TF_DataType)oper_out.oper->def.output_types[oper_out.index];
  dvt_log(DVT_ERROR, "TF_OperationOutputType: there is no output %d", oper_out.index);
  return (TF_DataType)0;
}

TF_DataType TF_OperationInputType(TF_Input oper_in) {
  if (has_input(oper_in)) return (TF_DataType)oper_in.oper->def.input_types[oper_in.index];
  dvt_log(DVT_ERROR, "TF_OperationInputType: there is no input %d", oper_in.index);
  return (TF_DataType)0;
}

static int list_length(TF_Operation *oper, const char *arg_name, bool output, TF_Status *status) {
  int start = 0, stop = 0;
  dvt_str name = dvt_str_from(arg_name);
  dvt_status error = output ? dvt_node_output_range(&oper->def, name, &start, &stop)
                            : dvt_node_input_range(&oper->def, name, &start, &stop);
  if (error) {
    dvt_status_free(error);
    error = dvt_error(TF_INVALID_ARGUMENT, "%s arg '%s' not found in op " DVT_STR_FMT,
                      output ? "Output" : "Input", arg_name ? arg_name : "", DVT_STR_ARG(oper->def.op->name));
  }
  int length = error ? -1 : stop - start;
  dvt_status_to_tf(error, status);
  return length;
}

int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status) {
  return list_length(oper, arg_name, true, status);
}

int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status) {
  return list_length(oper, arg_name, false, status);
}

TF_Output TF_OperationInput(TF_Input oper_in) {
  if (!oper_in.oper) return (TF_Output){NULL, -1};
  dvt_edge source = {NULL, -1};
  pthread_mutex_lock(&oper_in.oper->graph->lock);
  if (has_input(oper_in)) source = oper_in.oper->inputs[oper_in.index];
  pthread_mutex_unlock(&oper_in.oper->graph->lock);
  return (TF_Output){source.node, source.index};
}

void TF_OperationAllInputs(TF_Operation *oper, TF_Output *inputs, int max_inputs) {
  if (!oper) return;
  pthread_mutex_lock(&oper->graph->lock);
  for (int i = 0; i < oper->def.input_count && i < max_inputs; i++)
    inputs[i] = (TF_Output){oper->inputs[i].node, oper->inputs[i].index};
  pthread_mutex_unlock(&oper->graph->lock);
}

// The readers of an output (-1: the nodes behind control edges); the list is newest first, answers oldest
// first.
static int count_readers(const TF_Operation *oper, int32_t output) {
  int count = 0;
  for (const dvt_consumer *c = oper->consumers; c; c = c->next) count += c->output == output;
  return count;
}

int TF_OperationOutputNumConsumers(TF_Output oper_out) {
  if (!has_output(oper_out)) return 0;
  pthread_mutex_lock(&oper_out.oper->graph->lock);
  int count = count_readers(oper_out.oper, oper_out.index);
  pthread_mutex_unlock(&oper_out.oper->graph->lock);
  return count;
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers, int max_consumers) {
  if (!has_output(oper_out)) return 0;
  pthread_mutex_lock(&oper_out.oper->graph->lock);
  int count = count_readers(oper_out.oper, oper_out.index), at = count;
  for (const dvt_consumer *c = oper_out.oper->consumers; c; c = c->next)
    if (c->output == oper_out.index && --at < max_consumers) consumers[at] = (TF_Input){c->node, c->input};
  pthread_mutex_unlock(&oper_out.oper->graph->lock);
  return count;
}

int TF_OperationNumControlInputs(TF_Operation *oper) { return TF_OperationGetControlInputs(oper, NULL, 0); }

int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs, int max_control_inputs) {
  if (!oper) return 0;
  pthread_mutex_lock(&oper->graph->lock);
  int count = oper->control_input_count;
  for (int i = 0; i < count && i < max_control_inputs; i++) control_inputs[i] = oper->control_inputs[i];
  pthread_mutex_unlock(&oper->graph->lock);
  return count;
}

int TF_OperationNumControlOutputs(TF_Operation *oper) {
  if (!oper) return 0;
  pthread_mutex_lock(&oper->graph->lock);
  int count = count_readers(oper, -1);
  pthread_mutex_unlock(&oper->graph->lock);
  return count;
}

int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs,
                                  int max_control_outputs) {
  if (!oper) return 0;
  pthread_mutex_lock(&oper->graph->lock);
  int count = count_readers(oper, -1), at = count;
  for (const dvt_consumer *c = oper->consumers; c; c = c->next)
    if (c->output == -1 && --at < max_control_outputs) control_outputs[at] = c->node;
  pthread_mutex_unlock(&oper->graph->lock);
  return count;
}

void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status) {
  dvt_buf out = {0};
  pthread_mutex_lock(&oper->graph->lock);
  dvt_operation_to_proto(oper, &out);
  pthread_mutex_unlock(&oper->graph->lock);
  dvt_status_to_tf(dvt_buf_to_tf_buffer(&out, output_node_def), status);
}
