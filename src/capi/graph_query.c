// Asking and marking a graph as a whole: finding operations, static shapes, the GraphDef, versions, op
// definitions.
#include "base/log.h"
#include "base/schema.h"
#include "capi/buffer.h"
#include "dovetail/dovetail.h"
#include "graph/function.h"
#include "graph/shapes.h"
#include "op/registry.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api_experimental.h"

TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name) {
  if (!graph || !oper_name) return NULL;
  pthread_mutex_lock(&graph->lock);
  TF_Operation *node = dvt_graph_find(graph, dvt_str_from(oper_name));
  pthread_mutex_unlock(&graph->lock);
  return node;
}

TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos) {
  if (!graph || !pos) return NULL;
  pthread_mutex_lock(&graph->lock);
  TF_Operation *node = *pos < graph->node_count ? graph->nodes[(*pos)++] : NULL;
  pthread_mutex_unlock(&graph->lock);
  return node;
}

static dvt_status check_output(const TF_Graph *graph, TF_Output output) {
  if (!output.oper || output.oper->graph != graph)
    return dvt_error(TF_INVALID_ARGUMENT, "Node %s was not found in the graph",
                     output.oper ? output.oper->def.name.data : "NULL");
  if (output.index >= 0 && output.index < output.oper->def.output_count) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Node '%s' has %d outputs; there is no output %d",
                   output.oper->def.name.data, output.oper->def.output_count, output.index);
}

static dvt_status set_shape(TF_Graph *graph, TF_Output output, const int64_t *dims, int rank) {
  dvt_shape given = NULL;
  dvt_shape *shape = &output.oper->output_shapes[output.index];
  if (rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a shape has at most %d dimensions, got %d", DVT_MAX_RANK, rank);
  for (int i = 0; i < rank; i++)
    if (dims[i] < -1)
      return dvt_error(TF_INVALID_ARGUMENT, "dimension %d is %lld; give -1 for an unknown one", i,
                       (long long)dims[i]);
  if (rank >= 0) DVT_RETURN_IF_ERROR(dvt_shape_make(&graph->shapes, dims, rank, true, &given));
  return dvt_shape_merge(&graph->shapes, *shape, given, shape);
}

void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims, const int num_dims,
                            TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_output(graph, output);
  if (!error) error = set_shape(graph, output, dims, num_dims);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status) {
  int rank = -1;
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_output(graph, output);
  if (!error) {
    dvt_shape shape = output.oper->output_shapes[output.index];
    rank = shape ? shape->rank : -1;
  }
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
  return rank;
}

void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
                            TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = check_output(graph, output);
  if (!error) {
    dvt_shape shape = output.oper->output_shapes[output.index];
    int rank = shape ? shape->rank : -1;
    if (num_dims != rank)
      error = dvt_error(TF_INVALID_ARGUMENT, "Expected rank is %d but actual rank is %d", num_dims, rank);
    for (int i = 0; !error && i < rank; i++) dims[i] = dvt_dim_known(shape->dims[i]) ? shape->dims[i] : -1;
  }
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

void dvt_graph_refine_shapes(TF_Graph *graph, TF_Status *status) {
  pthread_mutex_lock(&graph->lock);
  dvt_status error = dvt_graph_refine(graph);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(error, status);
}

void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status) {
  dvt_buf out = {0};
  pthread_mutex_lock(&graph->lock);
  dvt_status error = dvt_graph_to_proto(graph, &out);
  pthread_mutex_unlock(&graph->lock);
  if (error)
    dvt_buf_deinit(&out);
  else
    error = dvt_buf_to_tf_buffer(&out, output_graph_def);
  dvt_status_to_tf(error, status);
}

void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def, TF_Status *status) {
  dvt_buf out = {0};
  dvt_str name = dvt_str_from(op_name);
  pthread_mutex_lock(&graph->lock);
  const dvt_op_def *op = dvt_graph_find_op(graph, name);
  pthread_mutex_unlock(&graph->lock);
  dvt_status error = op ? NULL : dvt_op_lookup_or_error(name, &op);
  if (!error) {
    dvt_op_def_to_proto(op, &out);
    error = dvt_buf_to_tf_buffer(&out, output_op_def);
  }
  dvt_status_to_tf(error, status);
}

void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status) {
  dvt_buf out = {0};
  pthread_mutex_lock(&graph->lock);
  dvt_graph_versions_to_proto(graph, &out);
  pthread_mutex_unlock(&graph->lock);
  dvt_status_to_tf(dvt_buf_to_tf_buffer(&out, output_version_def), status);
}

const char *TF_GraphDebugString(TF_Graph *graph, size_t *len) {
  dvt_buf wire = {0}, text = {0};
  pthread_mutex_lock(&graph->lock);
  dvt_status error = dvt_graph_to_proto(graph, &wire);
  pthread_mutex_unlock(&graph->lock);
  if (!error) error = dvt_text_print(&dvt_schema_graph_def, dvt_buf_str(&wire), false, &text);
  dvt_buf_deinit(&wire);
  if (!error && !text.data) dvt_buf_append(&text, "", 0);
  if (error || text.failed) {
    dvt_log(DVT_ERROR, "TF_GraphDebugString: %s", error ? dvt_status_message(error) : "out of memory");
    dvt_status_free(error);
    dvt_buf_deinit(&text);
    return NULL;
  }
  if (len) *len = text.len;
  return dvt_buf_release(&text);
}
