// TF_Session*: sessions on graphs, partial runs, SavedModels.
#include "exec/session.h"

#include "base/handles.h"
#include "base/log.h"
#include "capi/buffer.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status) {
  TF_Session *session = NULL;
  dvt_status_to_tf(dvt_session_create(graph, opts, &session), status);
  return session;
}

static dvt_status parse_run_options(const TF_Buffer *run_options, dvt_run_options *out_options) {
  return dvt_run_options_parse(run_options ? dvt_tf_buffer_str(run_options) : (dvt_str){0}, out_options);
}

static bool is_empty(TF_Graph *graph) {
  pthread_mutex_lock(&graph->lock);
  bool empty = graph->node_count == 0;
  pthread_mutex_unlock(&graph->lock);
  return empty;
}

// The MetaGraphDef's buffer is filled last, when nothing can fail any more.
static dvt_status load(const TF_SessionOptions *options, const TF_Buffer *run_options, const char *directory,
                       const char *const *tags, int tag_count, TF_Graph *graph, TF_Buffer *meta_graph_def,
                       TF_Session **out_session) {
  dvt_run_options run;
  dvt_saved_model *model;
  dvt_buf meta = {0};
  if (!directory || tag_count < 0 || (tag_count > 0 && !tags))
    return dvt_error(TF_INVALID_ARGUMENT, "the SavedModel's directory or its list of tags is NULL");
  if (!graph) return dvt_error(TF_INVALID_ARGUMENT, "the graph is NULL");
  if (!is_empty(graph))
    return dvt_error(TF_INVALID_ARGUMENT, "Graph is non-empty: a SavedModel is loaded into a new graph");
  DVT_RETURN_IF_ERROR(parse_run_options(run_options, &run));
  DVT_RETURN_IF_ERROR(dvt_saved_model_open(directory, tags, tag_count, &model));
  TF_Session *session = NULL;
  if (meta_graph_def) dvt_buf_append_str(&meta, model->meta_graph);
  dvt_status status = dvt_session_load_saved_model(model, options, &run, graph, &session);
  if (!status && meta_graph_def) status = dvt_buf_to_tf_buffer(&meta, meta_graph_def);
  dvt_buf_deinit(&meta);
  dvt_saved_model_close(model);
  if (status)
    dvt_session_destroy(session);
  else
    *out_session = session;
  return status;
}

TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options,
                                         const TF_Buffer *run_options, const char *export_dir,
                                         const char *const *tags, int tags_len, TF_Graph *graph,
                                         TF_Buffer *meta_graph_def, TF_Status *status) {
  TF_Session *session = NULL;
  dvt_status_to_tf(
      load(session_options, run_options, export_dir, tags, tags_len, graph, meta_graph_def, &session),
      status);
  return session;
}

void TF_CloseSession(TF_Session *session, TF_Status *status) {
  if (session) dvt_session_close(session);
  dvt_status_to_tf(session ? NULL : dvt_error(TF_INVALID_ARGUMENT, "TF_CloseSession: the session is NULL"),
                   status);
}

void TF_DeleteSession(TF_Session *session, TF_Status *status) {
  if (session && dvt_handle_may_delete(session, DVT_HANDLE_SESSION, "TF_DeleteSession"))
    dvt_session_destroy(session);
  dvt_status_to_tf(NULL, status);
}

static dvt_status run_with_buffers(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                                   TF_Tensor **output_values, int noutputs,
                                   const TF_Operation *const *targets, int ntargets,
                                   TF_Buffer *run_metadata) {
  dvt_run_options options;
  dvt_buf metadata = {0};
  DVT_RETURN_IF_ERROR(parse_run_options(run_options, &options));
  if (run_metadata && run_metadata->data)
    return dvt_error(TF_INVALID_ARGUMENT, "Passing non-empty run_metadata is invalid.");
  dvt_status status =
      dvt_session_run(session, &options, inputs, input_values, ninputs, outputs, output_values, noutputs,
                      targets, ntargets, run_metadata ? &metadata : NULL);
  // A step that failed tells what it did, too.
  bool has_metadata = run_metadata && (!status || metadata.len);
  dvt_status written = has_metadata ? dvt_buf_to_tf_buffer(&metadata, run_metadata) : NULL;
  for (int i = 0; i < noutputs && written && !status; i++) {
    dvt_tensor_handle_delete(output_values[i]);
    output_values[i] = NULL;
  }
  if (status)
    dvt_status_free(written);
  else
    status = written;
  dvt_buf_deinit(&metadata);
  return status;
}

// As in stock, programs may rely on output_values being NULL after a failure.
static void clear(TF_Tensor **values, int count) {
  for (int i = 0; values && i < count; i++) values[i] = NULL;
}

void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                   TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                   int ntargets, TF_Buffer *run_metadata, TF_Status *status) {
  clear(output_values, noutputs);
  dvt_status result;
  if (session && dvt_handle_is_bad(session, DVT_HANDLE_SESSION, "TF_SessionRun"))
    result = dvt_error(TF_FAILED_PRECONDITION, "TF_SessionRun was given no session, or one that was deleted");
  else if (run_options || run_metadata)
    result = run_with_buffers(session, run_options, inputs, input_values, ninputs, outputs, output_values,
                              noutputs, target_opers, ntargets, run_metadata);
  else
    result = dvt_session_run(session, NULL, inputs, input_values, ninputs, outputs, output_values, noutputs,
                             target_opers, ntargets, NULL);
  dvt_status_to_tf(result, status);
}

void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs, const TF_Output *outputs,
                         int noutputs, const TF_Operation *const *target_opers, int ntargets,
                         const char **handle, TF_Status *status) {
  char *made = NULL;
  *handle = NULL;
  dvt_status_to_tf(
      dvt_partial_run_setup(session, inputs, ninputs, outputs, noutputs, target_opers, ntargets, &made),
      status);
  *handle = made;
}

void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs,
                    TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                    TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                    int ntargets, TF_Status *status) {
  clear(output_values, noutputs);
  dvt_status_to_tf(dvt_partial_run(session, handle, inputs, input_values, ninputs, outputs, output_values,
                                   noutputs, target_opers, ntargets),
                   status);
}

void TF_DeletePRunHandle(const char *handle) { dvt_free((char *)(uintptr_t)handle); }

// Every run sees the nodes that the graph has by then, so there is nothing to show.
void TF_ExtendSession(TF_Session *session, TF_Status *status) {
  dvt_status_to_tf(session ? NULL : dvt_error(TF_INVALID_ARGUMENT, "TF_ExtendSession: the session is NULL"),
                   status);
}

unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result,
                                     TF_Status *status) {
  TF_Tensor *value = NULL;
  dvt_status_to_tf(dvt_graph_evaluate_constant(graph, output, &value), status);
  *result = value;
  return value != NULL;
}

// ---- named queues ----

static dvt_status find_queue_node(TF_Session *session, const char *format, int tensor_id,
                                  TF_Operation **out_op) {
  dvt_buf name = {0};
  dvt_buf_printf(&name, "%s%d", format, tensor_id);
  if (!session || name.failed) {
    dvt_buf_deinit(&name);
    return dvt_error(TF_INVALID_ARGUMENT, "the session is NULL");
  }
  TF_Graph *graph = dvt_session_graph(session);
  pthread_mutex_lock(&graph->lock);
  *out_op = dvt_graph_find(graph, dvt_buf_str(&name));
  pthread_mutex_unlock(&graph->lock);
  dvt_status status = *out_op
                          ? NULL
                          : dvt_error(TF_INVALID_ARGUMENT,
                                      "the graph has no node '%s'; build the queue's nodes first", name.data);
  dvt_buf_deinit(&name);
  return status;
}

TF_Tensor *TF_DequeueNamedTensor(TF_Session *session, int tensor_id, TF_Status *status) {
  TF_Output output = {0};
  TF_Tensor *value = NULL;
  dvt_status result = find_queue_node(session, "fifo_queue_dequeue_", tensor_id, &output.oper);
  if (!result) result = dvt_session_run(session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL);
  dvt_status_to_tf(result, status);
  return value;
}

void TF_EnqueueNamedTensor(TF_Session *session, int tensor_id, TF_Tensor *tensor, TF_Status *status) {
  TF_Output input = {0};
  TF_Operation *enqueue = NULL;
  dvt_status result = find_queue_node(session, "fifo_queue_enqueue_", tensor_id, &enqueue);
  if (!result) result = find_queue_node(session, "arg_tensor_enqueue_", tensor_id, &input.oper);
  const TF_Operation *target = enqueue;
  if (!result) result = dvt_session_run(session, NULL, &input, &tensor, 1, NULL, NULL, 0, &target, 1, NULL);
  dvt_status_to_tf(result, status);
}
