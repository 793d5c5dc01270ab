// An expansion as the shape engine reads it (graph/shapes.h): see infer.h.
#include "exec/infer.h"

#include "op/shape_algebra.h"

static const TF_Tensor *constant(void *arg, int32_t node, int output) {
  const dvt_expansion *x = arg;
  const dvt_expanded_node *n = &x->nodes[node];
  return n->is_constant ? &n->session_node->constants[output] : NULL;
}

// Calls are inlined: their nodes stand for effects only.
static bool has_shapes(const dvt_session_node *node) {
  switch ((dvt_node_kind)node->kind) {
    case DVT_NODE_CALL:
    case DVT_NODE_CALL_ENTER:
    case DVT_NODE_ARG:
    case DVT_NODE_RETVAL:
    case DVT_NODE_PLACEHOLDER:
      return false;
    default:
      return true;
  }
}

// Only what a placeholder declares is checked of what is fed, and a declared scalar may be anything.
static void infer_feeds(const dvt_expansion *x, dvt_shapes *to) {
  for (int i = 0; i < x->feed_count; i++) {
    const dvt_node_def *def = &x->feeds[i].oper->def;
    dvt_str value, proto;
    dvt_shape shape = NULL;
    if (!dvt_str_is(def->op->name, "Placeholder") && !dvt_str_is(def->op->name, "PlaceholderV2")) continue;
    if (!dvt_node_attr(def, DVT_STR("shape"), &value)) continue;
    dvt_status status = dvt_attr_get_shape(value, &proto);
    if (!status) status = dvt_shape_of_proto(to->arena, proto, &shape);
    if (!status && shape && shape->rank > 0) to->feeds[i] = shape;
    dvt_status_free(status);
  }
}

dvt_status dvt_shapes_infer(const dvt_expansion *x, dvt_shapes *out) {
  size_t count = x->node_count;
  const dvt_node_def **defs = dvt_calloc(count + 1, sizeof *defs);
  int32_t *first_input = dvt_calloc(count + 1, sizeof *first_input);
  dvt_status status =
      defs && first_input ? NULL : dvt_error_out_of_memory(count * (sizeof *defs + sizeof *first_input));
  for (size_t i = 0; !status && i < count; i++) {
    if (has_shapes(x->nodes[i].session_node)) defs[i] = &x->nodes[i].session_node->op->def;
    first_input[i] = x->nodes[i].first_input;
  }
  dvt_net net = {.node_count = count,
                 .defs = defs,
                 .first_input = first_input,
                 .sources = x->inputs,
                 .order = x->order,
                 .order_count = x->order_count,
                 .constant = constant,
                 .arg = (void *)(uintptr_t)x,
                 .graph_def_version = x->session->graph_def_version};
  if (!status) status = dvt_shapes_begin(&net, x->feed_count, out);
  if (!status) {
    infer_feeds(x, out);
    status = dvt_shapes_run(&net, out);
  }
  dvt_free(defs);
  dvt_free(first_input);
  return status;
}
