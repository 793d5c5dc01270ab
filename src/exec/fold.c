// Constant folding: kernels found for the expanded nodes, constants decoded, nodes that depend on nothing but
// constants evaluated (rule 185). The second part of making a plan, after expand.c and before fuse.c.
#include "base/buf.h"
#include "exec/plan.h"

static bool owns_no_state(const dvt_node_def *def) {
  for (int32_t i = 0; i < def->output_count; i++)
    if (!dvt_dtype_in_slot(def->output_types[i]) && def->output_types[i] != TF_STRING) return false;
  return def->output_count > 0 && def->input_count > 0 && !def->op->is_stateful;
}

// Could the node be evaluated now? Its producers come earlier, so theirs is known.
static bool may_fold(const dvt_expansion *x, const dvt_expanded_node *n) {
  const dvt_session_node *sn = n->session_node;
  if (!x->session->config.fold_constants || sn->kind != DVT_NODE_KERNEL || sn->fold == DVT_FOLD_NEVER)
    return false;
  if (n->control_count > 0 || !owns_no_state(&sn->op->def) || !sn->kernel_def->compute) return false;
  for (int32_t i = 0; i < n->input_count; i++) {
    dvt_source source = x->inputs[n->first_input + i];
    if (source.node < 0 || !x->nodes[source.node].is_constant) return false;
  }
  return true;
}

static dvt_status fold(const dvt_expansion *x, const dvt_expanded_node *n) {
  dvt_session_node *sn = n->session_node;
  if (sn->fold == DVT_FOLD_CONSTANT) return NULL;
  const dvt_session_node *first = x->nodes[x->inputs[n->first_input].node].session_node;
  if (!first->constants->buffer && dvt_str_is(sn->op->def.op->name, "Identity"))
    return dvt_session_node_repeat_constant(x->session, sn, first);
  DVT_RETURN_IF_ERROR(dvt_session_node_make_kernel(x->session, sn));
  // Its functions make plans of their own, for which this one's lock must be free.
  if (sn->kernel.calls_functions) sn->fold = DVT_FOLD_NEVER;
  if (sn->fold == DVT_FOLD_NEVER) return NULL;
  TF_Tensor **inputs = dvt_calloc((size_t)n->input_count, sizeof *inputs);
  if (!inputs) return dvt_error_out_of_memory((size_t)n->input_count * sizeof *inputs);
  dvt_status status = NULL;
  for (int32_t i = 0; !status && i < n->input_count; i++) {
    dvt_source source = x->inputs[n->first_input + i];
    const dvt_session_node *producer = x->nodes[source.node].session_node;
    status = dvt_session_node_complete_constant(producer);
    inputs[i] = &producer->constants[source.index];
  }
  if (!status) status = dvt_session_node_fold(x->session, sn, inputs);
  dvt_free(inputs);
  return status;
}

static dvt_status settle(const dvt_expansion *x, dvt_expanded_node *n) {
  dvt_session_node *sn = n->session_node;
  if (sn->kind == DVT_NODE_CONST) {
    DVT_RETURN_IF_ERROR(dvt_session_node_read_constant(x->session, sn));
    n->is_constant = n->control_count == 0;
  } else if (may_fold(x, n)) {
    DVT_RETURN_IF_ERROR(fold(x, n));
    n->is_constant = sn->fold == DVT_FOLD_CONSTANT;
  }
  return NULL;
}

static bool is_among(const dvt_op_def *op, const dvt_op_def *const *ops, int count) {
  for (int i = 0; i < count; i++)
    if (ops[i] == op) return true;
  return false;
}

// The other ops without a kernel, each once, so that the first failing run tells everything that is missing.
static dvt_status annotate_missing(const dvt_expansion *x, dvt_status first, size_t at) {
  enum { SHOWN = 10 };
  const dvt_op_def *first_op = x->nodes[x->order[at]].session_node->op->def.op, *ops[SHOWN + 1];
  dvt_buf others = {0};
  int count = 0;
  for (size_t i = at + 1; i < x->order_count && count <= SHOWN; i++) {
    dvt_session_node *sn = x->nodes[x->order[i]].session_node;
    const dvt_op_def *op = sn->op->def.op;
    if (sn->kind != DVT_NODE_KERNEL || sn->kernel_def || op == first_op || is_among(op, ops, count)) continue;
    dvt_status status = dvt_session_node_find_kernel(x->session, sn);
    if (!status) continue;
    dvt_status_free(status);
    ops[count++] = op;
    if (count <= SHOWN)
      dvt_buf_printf(&others, "%s" DVT_STR_FMT, count > 1 ? ", " : "", DVT_STR_ARG(op->name));
  }
  if (count > 0 && !others.failed)
    first = dvt_status_annotate(first, "\nOther nodes lack a kernel too, of the ops: %s%s", others.data,
                                count > SHOWN ? ", ..." : "");
  dvt_buf_deinit(&others);
  return first;
}

static dvt_status find_kernels(const dvt_expansion *x) {
  for (size_t i = 0; i < x->order_count; i++) {
    dvt_session_node *sn = x->nodes[x->order[i]].session_node;
    if (sn->kind != DVT_NODE_KERNEL) continue;
    dvt_status status = dvt_session_node_find_kernel(x->session, sn);
    if (status) return annotate_missing(x, status, i);
  }
  return NULL;
}

dvt_status dvt_fold(dvt_expansion *x) {
  DVT_RETURN_IF_ERROR(find_kernels(x));
  for (size_t i = 0; i < x->order_count; i++) DVT_RETURN_IF_ERROR(settle(x, &x->nodes[x->order[i]]));
  return NULL;
}
