// Names of a plan's nodes and values; see plan_names.h.
#include "exec/plan_names.h"

void dvt_plan_node_name(const dvt_plan *plan, int32_t node, dvt_buf *out) {
  dvt_session_node_name(plan->nodes[node].session_node, out);
}

static int compare_keys(const TF_Output *a, const TF_Output *b) {
  int order = dvt_str_compare(a->oper->def.name, b->oper->def.name);
  return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Stock numbers what is fed and what is fetched in the order of their names.
static void key_name(const char *prefix, const TF_Output *keys, int32_t count, int32_t i, dvt_buf *out) {
  int32_t position = 0;
  for (int32_t k = 0; k < count; k++) {
    int order = compare_keys(&keys[k], &keys[i]);
    position += order < 0 || (order == 0 && k < i);
  }
  dvt_buf_printf(out, "%s" DVT_STR_FMT "_%d_%d", prefix, DVT_STR_ARG(keys[i].oper->def.name), keys[i].index,
                 (int)position);
}

void dvt_plan_feed_name(const dvt_plan *plan, int32_t feed, dvt_buf *out) {
  key_name("_arg_", plan->feed_keys, plan->feed_count, feed, out);
}

void dvt_plan_fetch_name(const dvt_plan *plan, int32_t fetch, dvt_buf *out) {
  key_name("_retval_", plan->fetch_keys, plan->fetch_count, fetch, out);
}

void dvt_plan_constant_name(const dvt_plan *plan, int32_t constant, dvt_buf *out) {
  dvt_session_node_name(plan->constant_values[constant].node, out);
}

void dvt_plan_source_name(const dvt_plan *plan, dvt_source source, dvt_buf *out) {
  int32_t output = source.index;
  if (source.node == DVT_SOURCE_FEED) {
    dvt_plan_feed_name(plan, source.index, out);
    return;
  }
  if (source.node == DVT_SOURCE_CONST) {
    output = plan->constant_values[source.index].output;
    dvt_plan_constant_name(plan, source.index, out);
  } else {
    dvt_plan_node_name(plan, source.node, out);
  }
  if (output > 0) dvt_buf_printf(out, ":%d", (int)output);
}

void dvt_plan_input_names(const dvt_plan *plan, int32_t node, dvt_str between, dvt_buf *out) {
  const dvt_plan_node *n = &plan->nodes[node];
  for (int32_t i = 0; i < n->input_count; i++) {
    if (i) dvt_buf_append_str(out, between);
    dvt_plan_source_name(plan, plan->inputs[n->first_input + i], out);
  }
}
