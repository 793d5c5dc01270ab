// Evaluating a tensor of a graph that depends on nothing but constants: TF_TryEvaluateConstant.
#include "exec/expand.h"

static bool is_constant(const dvt_expansion *x) {
  for (size_t i = 0; i < x->order_count; i++) {
    const dvt_session_node *sn = x->nodes[x->order[i]].session_node;
    bool pure_kernel =
        sn->kind == DVT_NODE_KERNEL && !sn->op->def.op->is_stateful && x->nodes[x->order[i]].input_count > 0;
    if (!pure_kernel && sn->kind != DVT_NODE_CONST && sn->kind != DVT_NODE_NOOP) return false;
  }
  return true;
}

// A needed placeholder makes the expansion fail; that is an answer here, not an error.
static dvt_status ask(TF_Session *session, TF_Output output, bool *out_is_constant) {
  dvt_expansion x = {0};
  atomic_int *entered;
  DVT_RETURN_IF_ERROR(dvt_session_begin(session, &entered));
  pthread_mutex_lock(&session->build_lock);
  dvt_status status = dvt_expand(session, &session->root, NULL, 0, &output, 1, NULL, 0, &x);
  *out_is_constant = !status && is_constant(&x);
  pthread_mutex_unlock(&session->build_lock);
  dvt_expansion_deinit(&x);
  dvt_session_leave(entered);
  if (dvt_status_code(status) != TF_INVALID_ARGUMENT) return status;
  dvt_status_free(status);
  return NULL;
}

static dvt_status check_output(const TF_Graph *graph, TF_Output output) {
  if (!output.oper || output.oper->graph != graph)
    return dvt_error(TF_INVALID_ARGUMENT, "the output to evaluate is NULL or belongs to another graph");
  if (output.index < 0 || output.index >= output.oper->def.output_count)
    return dvt_error(TF_OUT_OF_RANGE, "'" DVT_STR_FMT "' has %d outputs, asked for output %d",
                     DVT_STR_ARG(output.oper->def.name), output.oper->def.output_count, output.index);
  return NULL;
}

dvt_status dvt_graph_evaluate_constant(TF_Graph *graph, TF_Output output, TF_Tensor **out_value) {
  TF_Session *session;
  bool constant = false;
  if (!graph) return dvt_error(TF_INVALID_ARGUMENT, "the graph is NULL");
  DVT_RETURN_IF_ERROR(check_output(graph, output));
  DVT_RETURN_IF_ERROR(dvt_session_create(graph, NULL, &session));
  *out_value = NULL;
  dvt_status status = ask(session, output, &constant);
  if (!status && constant)
    status = dvt_session_run(session, NULL, NULL, NULL, 0, &output, out_value, 1, NULL, 0, NULL);
  dvt_session_destroy(session);
  return status;
}
