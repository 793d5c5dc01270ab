// From a plan to the tables of the dataflow walk: frames, edges from producers to readers, how many arrivals
// each node waits for.
#include <stdlib.h>

#include "exec/flow.h"

static bool attr_is_on(const dvt_node_def *def, dvt_str name) {
  dvt_str value;
  bool on = false;
  if (!dvt_node_attr(def, name, &value)) return false;
  dvt_status status = dvt_attr_get_bool(value, &on);
  dvt_status_free(status);
  return !status && on;
}

static void init_node(dvt_flow *flow, int32_t index) {
  const dvt_plan_node *from = &flow->plan->nodes[index];
  dvt_session_node *sn = from->session_node;
  dvt_flow_node *to = &flow->nodes[index];
  bool call = sn->kind == DVT_NODE_CALL || sn->kind == DVT_NODE_CALL_ENTER;
  *to = (dvt_flow_node){.session_node = sn,
                        .kind = sn->kind,
                        .is_async = sn->kind == DVT_NODE_KERNEL && !sn->kernel_def->compute,
                        .child_frame = -1,
                        .first_input = from->first_input,
                        .input_count = from->input_count,
                        .control_count = from->control_count,
                        .output_count = call ? 0 : sn->op->def.output_count,
                        .first_slot = flow->output_count};
  if (sn->kind == DVT_NODE_ENTER) to->is_constant_enter = attr_is_on(&sn->op->def, DVT_STR("is_constant"));
  flow->output_count += to->output_count;
  flow->most_inputs = DVT_MAX(flow->most_inputs, to->input_count);
  flow->most_outputs = DVT_MAX(flow->most_outputs, to->output_count);
}

// Merge waits for its controls and one live input: the lowest bit of the count stands for "no live input
// yet". Constants and feeds are there from the start.
static int32_t arrivals(const dvt_flow *flow, const dvt_flow_node *node) {
  int32_t edges = 0;
  for (int32_t k = 0; k < node->input_count; k++)
    edges += flow->plan->inputs[node->first_input + k].node >= 0;
  if (node->kind != DVT_NODE_MERGE) return edges + node->control_count;
  return (edges == node->input_count) + 2 * node->control_count;
}

static void number_within_frames(dvt_flow *flow) {
  for (int32_t i = 0; i < flow->node_count; i++) {
    dvt_flow_node *node = &flow->nodes[i];
    dvt_flow_frame *frame = &flow->frames[node->frame];
    node->local = frame->node_count++;
    node->first_entry = frame->entry_count;
    node->initial_pending = arrivals(flow, node);
    frame->entry_count += node->input_count;
    if (node->frame == 0 && node->initial_pending == 0)
      flow->initially_ready[flow->initially_ready_count++] = i;
  }
}

static dvt_status list_pending(dvt_flow *flow) {
  for (int32_t f = 0; f < flow->frame_count; f++) {
    dvt_flow_frame *frame = &flow->frames[f];
    frame->initial_pending =
        dvt_arena_alloc(&flow->plan->arena, (size_t)frame->node_count * sizeof *frame->initial_pending);
    if (!frame->initial_pending) return dvt_error_out_of_memory((size_t)frame->node_count * 4);
  }
  for (int32_t i = 0; i < flow->node_count; i++)
    flow->frames[flow->nodes[i].frame].initial_pending[flow->nodes[i].local] = flow->nodes[i].initial_pending;
  return NULL;
}

// Calls visit for every edge of the graph.
static void visit_edges(dvt_flow *flow, void (*visit)(dvt_flow *flow, int32_t producer, dvt_flow_edge edge)) {
  const dvt_plan *plan = flow->plan;
  for (int32_t i = 0; i < flow->node_count; i++) {
    const dvt_plan_node *node = &plan->nodes[i];
    for (int32_t k = 0; k < node->input_count; k++) {
      dvt_source source = plan->inputs[node->first_input + k];
      if (source.node >= 0)
        visit(flow, source.node, (dvt_flow_edge){.reader = i, .input = k, .output = source.index});
    }
    for (int32_t k = 0; k < node->control_count; k++)
      visit(flow, plan->controls[node->first_control + k],
            (dvt_flow_edge){.reader = i, .input = -1, .output = -1});
  }
  for (int32_t i = 0; i < plan->fetch_count; i++) {
    dvt_source source = plan->fetches[i];
    if (source.node >= 0)
      visit(flow, source.node, (dvt_flow_edge){.reader = DVT_FLOW_FETCH, .input = i, .output = source.index});
  }
}

static void count_edge(dvt_flow *flow, int32_t producer, dvt_flow_edge edge) {
  (void)edge;
  flow->nodes[producer].edge_count++;
  flow->edge_count++;
}

static void store_edge(dvt_flow *flow, int32_t producer, dvt_flow_edge edge) {
  dvt_flow_node *node = &flow->nodes[producer];
  flow->edges[node->first_edge + node->edge_count++] = edge;
  if (node->kind == DVT_NODE_MERGE && edge.output == 1) node->wants_index = true;
}

// By output, control edges last; then in the plan's order. A walk hands values on from the end of this list.
static int compare_edges(const void *a, const void *b) {
  const dvt_flow_edge *x = a, *y = b;
  uint32_t xo = (uint32_t)x->output, yo = (uint32_t)y->output;  // -1 is the largest
  if (xo != yo) return xo < yo ? -1 : 1;
  if (x->reader != y->reader) return x->reader < y->reader ? -1 : 1;
  return (x->input > y->input) - (x->input < y->input);
}

static dvt_status build_edges(dvt_flow *flow) {
  visit_edges(flow, count_edge);
  flow->edges = dvt_arena_calloc(&flow->plan->arena, (size_t)flow->edge_count, sizeof *flow->edges);
  if (!flow->edges) return dvt_error_out_of_memory((size_t)flow->edge_count * sizeof *flow->edges);
  int32_t first = 0;
  for (int32_t i = 0; i < flow->node_count; i++) {
    flow->nodes[i].first_edge = first;
    first += flow->nodes[i].edge_count;
    flow->nodes[i].edge_count = 0;
  }
  visit_edges(flow, store_edge);
  for (int32_t i = 0; i < flow->node_count; i++) {
    const dvt_flow_node *node = &flow->nodes[i];
    dvt_flow_edge *edges = flow->edges + node->first_edge;
    if (node->edge_count > 1) qsort(edges, (size_t)node->edge_count, sizeof *edges, compare_edges);
    for (int32_t k = 0; k < node->edge_count; k++)
      edges[k].is_last = k == 0 || edges[k - 1].output != edges[k].output;
  }
  return NULL;
}

// A node in a loop reads a feed in every iteration.
static dvt_status find_moving_feeds(dvt_flow *flow) {
  const dvt_plan *plan = flow->plan;
  flow->feed_moves =
      dvt_arena_calloc(&flow->plan->arena, (size_t)plan->feed_count + 1, sizeof *flow->feed_moves);
  int32_t *reads = dvt_calloc((size_t)plan->feed_count + 1, sizeof *reads);
  if (!flow->feed_moves || !reads) {
    dvt_free(reads);
    return dvt_error_out_of_memory((size_t)plan->feed_count * sizeof *reads);
  }
  for (int32_t i = 0; i < flow->node_count; i++)
    for (int32_t k = 0; k < flow->nodes[i].input_count; k++) {
      dvt_source source = plan->inputs[flow->nodes[i].first_input + k];
      if (source.node == DVT_SOURCE_FEED) reads[source.index] += flow->nodes[i].frame == 0 ? 1 : 2;
    }
  for (int32_t i = 0; i < plan->fetch_count; i++)
    if (plan->fetches[i].node == DVT_SOURCE_FEED) reads[plan->fetches[i].index] += 2;
  for (int32_t i = 0; i < plan->feed_count; i++) flow->feed_moves[i] = plan->owns_feeds && reads[i] == 1;
  dvt_free(reads);
  return NULL;
}

static dvt_status build(dvt_flow *flow) {
  for (int32_t i = 0; i < flow->node_count; i++) init_node(flow, i);
  DVT_RETURN_IF_ERROR(dvt_flow_find_frames(flow));
  number_within_frames(flow);
  DVT_RETURN_IF_ERROR(find_moving_feeds(flow));
  DVT_RETURN_IF_ERROR(list_pending(flow));
  DVT_RETURN_IF_ERROR(build_edges(flow));
  return dvt_flow_assign_slots(flow);
}

dvt_status dvt_flow_make(dvt_plan *plan) {
  size_t count = (size_t)plan->node_count;
  dvt_flow *flow = dvt_arena_calloc(&plan->arena, 1, sizeof *flow);
  if (!flow) return dvt_error_out_of_memory(sizeof *flow);
  flow->plan = plan;
  flow->node_count = plan->node_count;
  flow->nodes = dvt_arena_calloc(&plan->arena, count, sizeof *flow->nodes);
  flow->initially_ready = dvt_arena_calloc(&plan->arena, count, sizeof *flow->initially_ready);
  if (!flow->nodes || !flow->initially_ready) return dvt_error_out_of_memory(count * sizeof *flow->nodes);
  DVT_RETURN_IF_ERROR(build(flow));
  atomic_store(&plan->flow, flow);
  return NULL;
}

// The build lock also guards the plan's arena.
dvt_status dvt_flow_of_plan(dvt_plan *plan, dvt_flow **out_flow) {
  dvt_flow *flow = atomic_load_explicit(&plan->flow, memory_order_acquire);
  dvt_status status = NULL;
  if (!flow) {
    pthread_mutex_lock(&plan->session->build_lock);
    if (!atomic_load(&plan->flow)) status = dvt_flow_make(plan);
    flow = atomic_load(&plan->flow);
    pthread_mutex_unlock(&plan->session->build_lock);
  }
  if (!status) *out_flow = flow;
  return status;
}
