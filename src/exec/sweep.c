// Dropping nodes that nobody needs any more after a change of an expansion: see expand.h.
#include "exec/expand.h"

static void mark(int32_t *stack, size_t *depth, int32_t node, bool *live) {
  if (node < 0 || live[node]) return;
  live[node] = true;
  stack[(*depth)++] = node;
}

static void mark_all(const dvt_expansion *x, int32_t *stack, bool *live) {
  size_t depth = 0;
  for (size_t i = 0; i < x->root_count; i++) mark(stack, &depth, x->roots[i], live);
  while (depth > 0) {
    const dvt_expanded_node *n = &x->nodes[stack[--depth]];
    for (int32_t k = 0; k < n->input_count; k++)
      mark(stack, &depth, x->inputs[n->first_input + k].node, live);
    for (int32_t k = 0; k < n->control_count; k++)
      mark(stack, &depth, x->controls[n->first_control + k], live);
  }
}

dvt_status dvt_expansion_sweep(dvt_expansion *x, const int32_t *helper) {
  int32_t *stack = dvt_malloc((x->node_count + 1) * sizeof *stack);
  int32_t *order = dvt_malloc((x->node_count + 1) * sizeof *order);
  bool *live = dvt_calloc(x->node_count + 1, sizeof *live);
  bool fine = stack && order && live;
  if (fine) {
    size_t count = 0;
    mark_all(x, stack, live);
    for (size_t i = 0; i < x->order_count; i++) {
      int32_t node = x->order[i];
      if (!live[node]) continue;
      if (helper && helper[node] >= 0) order[count++] = helper[node];
      order[count++] = node;
    }
    dvt_free(x->order);
    x->order = order;
    x->order_count = count;
    x->order_capacity = x->node_count + 1;
  } else {
    dvt_free(order);
  }
  dvt_free(stack);
  dvt_free(live);
  return fine ? NULL : dvt_error_out_of_memory(x->node_count * sizeof *stack);
}
