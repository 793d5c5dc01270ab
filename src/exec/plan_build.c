// The last part of making a plan: kernels for the nodes that are left after folding and fusing, laid out in
// topological order.
#include "exec/plan.h"

typedef struct builder {
  TF_Session *session;
  const dvt_expansion *x;
  dvt_plan *plan;
  int32_t *position;  // of an expanded node in plan->nodes; -1: dropped
  int32_t *constant;  // first constant of a dropped node in plan->constants; -1: none used yet
} builder;

static bool is_dropped(const builder *b, int32_t expanded) { return b->position[expanded] < 0; }

// Decides whether a node stays in the plan, and makes its kernel if it does.
static dvt_status settle(builder *b, int32_t expanded) {
  const dvt_expanded_node *n = &b->x->nodes[expanded];
  if (n->is_constant) return NULL;
  if (n->session_node->kind == DVT_NODE_KERNEL)
    DVT_RETURN_IF_ERROR(dvt_session_node_make_kernel(b->session, n->session_node));
  b->position[expanded] = b->plan->node_count++;
  return NULL;
}

static void add_constant(dvt_plan *plan, dvt_session_node *node, int32_t output) {
  plan->constants[plan->constant_count] = &node->constants[output];
  plan->constant_values[plan->constant_count++] = (dvt_plan_value){node, output};
}

// A source of the expansion as a source of the plan: outputs of dropped nodes are constants.
static dvt_source plan_source(builder *b, dvt_source source) {
  if (source.node < 0) return source;
  if (!is_dropped(b, source.node)) return (dvt_source){b->position[source.node], source.index};
  dvt_session_node *sn = b->x->nodes[source.node].session_node;
  dvt_plan *plan = b->plan;
  int32_t *first = &b->constant[source.node];
  if (*first < 0) {
    *first = plan->constant_count;
    for (int32_t i = 0; i < sn->op->def.output_count; i++) add_constant(plan, sn, i);
  }
  return (dvt_source){DVT_SOURCE_CONST, *first + source.index};
}

// Does the value keep its buffer unchanged for as long as somebody holds it? Constants do, and so do
// variables, whose writers copy a buffer that is shared. The producer is laid out already.
static bool is_stable(const dvt_plan *plan, dvt_source source) {
  if (source.node < 0) return source.node == DVT_SOURCE_CONST;
  const dvt_plan_node *producer = &plan->nodes[source.node];
  if (!producer->session_node || dvt_plan_node_kind(producer) != DVT_NODE_KERNEL) return false;
  dvt_str op = dvt_plan_node_def(producer)->op->name;
  if (dvt_str_eq(op, DVT_STR("ReadVariableOp"))) return true;
  return dvt_str_eq(op, DVT_STR("Identity")) && plan->stable_inputs[producer->first_input];
}

static void lay_out_node(builder *b, int32_t expanded) {
  const dvt_expanded_node *from = &b->x->nodes[expanded];
  dvt_plan *plan = b->plan;
  dvt_plan_node *to = &plan->nodes[b->position[expanded]];
  int32_t input = to == plan->nodes ? 0 : to[-1].first_input + to[-1].input_count;
  int32_t control = to == plan->nodes ? 0 : to[-1].first_control + to[-1].control_count;
  *to = (dvt_plan_node){.session_node = from->session_node,
                        .first_input = input,
                        .input_count = from->input_count,
                        .first_control = control,
                        .constant = -1};
  for (int32_t i = 0; i < from->input_count; i++) {
    plan->inputs[input + i] = plan_source(b, b->x->inputs[from->first_input + i]);
    plan->stable_inputs[input + i] = is_stable(plan, plan->inputs[input + i]);
  }
  for (int32_t i = 0; i < from->control_count; i++) {
    int32_t producer = b->x->controls[from->first_control + i];
    if (!is_dropped(b, producer)) plan->controls[control + to->control_count++] = b->position[producer];
  }
  if (from->session_node->kind == DVT_NODE_CONST) {
    to->constant = plan->constant_count;
    add_constant(plan, from->session_node, 0);
  }
}

static size_t most_constants(const dvt_expansion *x) {
  size_t count = 0;
  for (size_t i = 0; i < x->node_count; i++) {
    const dvt_session_node *sn = x->nodes[i].session_node;
    if (sn->constants) count += (size_t)sn->op->def.output_count;
  }
  return count;
}

static dvt_status allocate(builder *b, int fetch_count) {
  dvt_plan *plan = b->plan;
  const dvt_expansion *x = b->x;
  plan->nodes = dvt_arena_calloc(&plan->arena, (size_t)plan->node_count, sizeof *plan->nodes);
  plan->inputs = dvt_arena_calloc(&plan->arena, x->input_count, sizeof *plan->inputs);
  plan->stable_inputs = dvt_arena_calloc(&plan->arena, x->input_count, sizeof *plan->stable_inputs);
  plan->controls = dvt_arena_calloc(&plan->arena, x->control_count, sizeof *plan->controls);
  plan->fetches = dvt_arena_calloc(&plan->arena, (size_t)fetch_count, sizeof *plan->fetches);
  plan->constants = dvt_arena_calloc(&plan->arena, most_constants(x), sizeof *plan->constants);
  plan->constant_values = dvt_arena_calloc(&plan->arena, most_constants(x), sizeof *plan->constant_values);
  if (!plan->nodes || !plan->inputs || !plan->stable_inputs || !plan->controls || !plan->fetches ||
      !plan->constants || !plan->constant_values)
    return dvt_error_out_of_memory(x->input_count * sizeof *plan->inputs);
  return NULL;
}

static void note_read(const dvt_plan *plan, bool *unread, const int32_t *first, dvt_source source) {
  if (source.node >= 0 && plan->nodes[source.node].unread_outputs)
    unread[first[source.node] + source.index] = false;
}

static dvt_status find_unread_outputs(dvt_plan *plan, int fetch_count) {
  int32_t total = 0, inputs = 0;
  int32_t *first = dvt_malloc(((size_t)plan->node_count + 1) * sizeof *first);
  for (int32_t i = 0; first && i < plan->node_count; i++) {
    first[i] = total;
    inputs += plan->nodes[i].input_count;
    if (dvt_plan_node_kind(&plan->nodes[i]) == DVT_NODE_KERNEL)
      total += dvt_plan_node_def(&plan->nodes[i])->output_count;
  }
  bool *unread = first ? dvt_arena_alloc(&plan->arena, (size_t)total + 1) : NULL;
  if (unread) {
    memset(unread, true, (size_t)total);
    for (int32_t i = 0; i < plan->node_count; i++)
      if (dvt_plan_node_kind(&plan->nodes[i]) == DVT_NODE_KERNEL)
        plan->nodes[i].unread_outputs = unread + first[i];
    for (int32_t i = 0; i < inputs; i++) note_read(plan, unread, first, plan->inputs[i]);
    for (int i = 0; i < fetch_count; i++) note_read(plan, unread, first, plan->fetches[i]);
  }
  dvt_free(first);
  return unread ? NULL : dvt_error_out_of_memory((size_t)total + 1);
}

static bool suits_array(const dvt_plan *plan) {
  for (int32_t i = 0; i < plan->node_count; i++) {
    dvt_node_kind kind = dvt_plan_node_kind(&plan->nodes[i]);
    if (kind >= DVT_NODE_SWITCH) return false;
    if (kind == DVT_NODE_KERNEL && !plan->nodes[i].session_node->kernel_def->compute) return false;
  }
  return true;
}

static dvt_status build(builder *b, int fetch_count) {
  const dvt_expansion *x = b->x;
  for (size_t i = 0; i < x->order_count; i++) DVT_RETURN_IF_ERROR(settle(b, x->order[i]));
  DVT_RETURN_IF_ERROR(allocate(b, fetch_count));
  for (size_t i = 0; i < x->order_count; i++)
    if (!is_dropped(b, x->order[i])) lay_out_node(b, x->order[i]);
  for (int i = 0; i < fetch_count; i++) b->plan->fetches[i] = plan_source(b, x->fetches[i]);
  for (int32_t i = 0; i < b->plan->constant_count; i++)
    DVT_RETURN_IF_ERROR(dvt_session_node_complete_constant(b->plan->constant_values[i].node));
  b->plan->has_array = suits_array(b->plan);
  return find_unread_outputs(b->plan, fetch_count);
}

dvt_status dvt_plan_build(TF_Session *session, const dvt_expansion *x, int fetch_count, dvt_plan *plan) {
  size_t count = x->node_count + 1;
  int32_t *positions = dvt_malloc(2 * count * sizeof *positions);
  if (!positions) return dvt_error_out_of_memory(2 * count * sizeof *positions);
  for (size_t i = 0; i < 2 * count; i++) positions[i] = -1;
  builder b = {
      .session = session, .x = x, .plan = plan, .position = positions, .constant = positions + count};
  dvt_status status = build(&b, fetch_count);
  dvt_free(positions);
  return status;
}
