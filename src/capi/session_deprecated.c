// TF_DeprecatedSession: the sessions of the first C API. The graph belongs to the session and grows by
// TF_ExtendGraph; tensors and nodes are given by name.
#include "capi/unimplemented.h"
#include "exec/session.h"
#include "graph/import.h"
#include "tensorflow/c/c_api.h"

struct TF_DeprecatedSession {
  TF_Graph *graph;
  TF_Session *session;
};

static dvt_status create(const TF_SessionOptions *options, TF_DeprecatedSession **out_session) {
  TF_DeprecatedSession *session = dvt_calloc(1, sizeof *session);
  if (!session) return dvt_error_out_of_memory(sizeof *session);
  dvt_status status = dvt_graph_create(&session->graph);
  if (!status) status = dvt_session_create(session->graph, options, &session->session);
  if (status) {
    dvt_graph_release(session->graph);
    dvt_free(session);
    return status;
  }
  *out_session = session;
  return NULL;
}

static dvt_status null_session(const void *session, const char *function) {
  return session ? NULL : dvt_error(TF_INVALID_ARGUMENT, "%s: the session is NULL", function);
}

TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *options, TF_Status *status) {
  TF_DeprecatedSession *session = NULL;
  dvt_status_to_tf(create(options, &session), status);
  return session;
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status) {
  if (session) dvt_session_close(session->session);
  dvt_status_to_tf(null_session(session, "TF_CloseDeprecatedSession"), status);
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status) {
  if (session) {
    dvt_session_destroy(session->session);
    dvt_graph_release(session->graph);
    dvt_free(session);
  }
  dvt_status_to_tf(NULL, status);
}

void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers, TF_Status *status) {
  (void)opt, (void)containers, (void)ncontainers;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_Reset),
                           "variables belong to their session: delete the session and make a new one",
                           status);
}

static dvt_status extend(TF_DeprecatedSession *session, dvt_str graph_def) {
  DVT_RETURN_IF_ERROR(null_session(session, "TF_ExtendGraph"));
  pthread_mutex_lock(&session->graph->lock);
  dvt_status status = dvt_graph_import(session->graph, graph_def, NULL, NULL);
  pthread_mutex_unlock(&session->graph->lock);
  return status;
}

void TF_ExtendGraph(TF_DeprecatedSession *session, const void *proto, size_t proto_len, TF_Status *status) {
  dvt_status_to_tf(extend(session, dvt_str_make(proto, proto_len)), status);
}

// ---- names ----

// A call's feeds, fetches and targets, found in the graph.
typedef struct resolved {
  TF_Output *inputs, *outputs;
  const TF_Operation **targets;
} resolved;

static dvt_status find_output(TF_Graph *graph, const char *name, TF_Output *out) {
  dvt_str node;
  bool control = false;
  if (!name || !dvt_parse_tensor_name(dvt_str_from(name), &node, &out->index, &control) || control)
    return dvt_error(TF_INVALID_ARGUMENT, "'%s' is no tensor name; one like 'node' or 'node:0' is wanted",
                     name ? name : "");
  out->oper = dvt_graph_find(graph, node);
  if (!out->oper)
    return dvt_error(TF_INVALID_ARGUMENT, "the session's graph has no node '" DVT_STR_FMT "'",
                     DVT_STR_ARG(node));
  return NULL;
}

static dvt_status find_all(TF_Graph *graph, const char **inputs, int ninputs, const char **outputs,
                           int noutputs, const char **targets, int ntargets, resolved *r) {
  for (int i = 0; i < ninputs; i++) DVT_RETURN_IF_ERROR(find_output(graph, inputs[i], &r->inputs[i]));
  for (int i = 0; i < noutputs; i++) DVT_RETURN_IF_ERROR(find_output(graph, outputs[i], &r->outputs[i]));
  for (int i = 0; i < ntargets; i++) {
    r->targets[i] = dvt_graph_find(graph, dvt_str_from(targets[i]));
    if (!r->targets[i])
      return dvt_error(TF_NOT_FOUND, "the session's graph has no node '%s'", targets[i] ? targets[i] : "");
  }
  return NULL;
}

static void release(resolved *r) {
  dvt_free(r->inputs);
  dvt_free(r->outputs);
  dvt_free(r->targets);
}

static dvt_status resolve(TF_DeprecatedSession *session, const char *function, const char **inputs,
                          int ninputs, const char **outputs, int noutputs, const char **targets, int ntargets,
                          resolved *r) {
  DVT_RETURN_IF_ERROR(null_session(session, function));
  if (ninputs < 0 || noutputs < 0 || ntargets < 0 || (ninputs && !inputs) || (noutputs && !outputs) ||
      (ntargets && !targets))
    return dvt_error(TF_INVALID_ARGUMENT, "%s: an array of names is NULL or its count negative", function);
  r->inputs = dvt_calloc((size_t)ninputs + 1, sizeof *r->inputs);
  r->outputs = dvt_calloc((size_t)noutputs + 1, sizeof *r->outputs);
  r->targets = dvt_calloc((size_t)ntargets + 1, sizeof *r->targets);
  if (!r->inputs || !r->outputs || !r->targets)
    return dvt_error_out_of_memory((size_t)ninputs * sizeof *r->inputs);
  pthread_mutex_lock(&session->graph->lock);
  dvt_status status = find_all(session->graph, inputs, ninputs, outputs, noutputs, targets, ntargets, r);
  pthread_mutex_unlock(&session->graph->lock);
  return status;
}

// The first C API takes the fed tensors over, whatever happens.
static void take_inputs(TF_Tensor **inputs, int count) {
  for (int i = 0; inputs && i < count; i++) TF_DeleteTensor(inputs[i]);
}

static void clear(TF_Tensor **values, int count) {
  for (int i = 0; values && i < count; i++) values[i] = NULL;
}

void TF_Run(TF_DeprecatedSession *session, const TF_Buffer *run_options, const char **input_names,
            TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs, int noutputs,
            const char **target_oper_names, int ntargets, TF_Buffer *run_metadata, TF_Status *status) {
  resolved r = {0};
  clear(outputs, noutputs);
  dvt_status result = resolve(session, "TF_Run", input_names, ninputs, output_names, noutputs,
                              target_oper_names, ntargets, &r);
  if (result)
    dvt_status_to_tf(result, status);
  else
    TF_SessionRun(session->session, run_options, r.inputs, inputs, ninputs, r.outputs, outputs, noutputs,
                  r.targets, ntargets, run_metadata, status);
  take_inputs(inputs, ninputs);
  release(&r);
}

void TF_PRunSetup(TF_DeprecatedSession *session, const char **input_names, int ninputs,
                  const char **output_names, int noutputs, const char **target_oper_names, int ntargets,
                  const char **handle, TF_Status *status) {
  resolved r = {0};
  *handle = NULL;
  dvt_status result = resolve(session, "TF_PRunSetup", input_names, ninputs, output_names, noutputs,
                              target_oper_names, ntargets, &r);
  if (result)
    dvt_status_to_tf(result, status);
  else
    TF_SessionPRunSetup(session->session, r.inputs, ninputs, r.outputs, noutputs, r.targets, ntargets, handle,
                        status);
  release(&r);
}

void TF_PRun(TF_DeprecatedSession *session, const char *handle, const char **input_names, TF_Tensor **inputs,
             int ninputs, const char **output_names, TF_Tensor **outputs, int noutputs,
             const char **target_oper_names, int ntargets, TF_Status *status) {
  resolved r = {0};
  clear(outputs, noutputs);
  dvt_status result = resolve(session, "TF_PRun", input_names, ninputs, output_names, noutputs,
                              target_oper_names, ntargets, &r);
  if (result)
    dvt_status_to_tf(result, status);
  else
    TF_SessionPRun(session->session, handle, r.inputs, inputs, ninputs, r.outputs, outputs, noutputs,
                   r.targets, ntargets, status);
  take_inputs(inputs, ninputs);
  release(&r);
}
