// Storage for the outputs of a dataflow walk. Nodes run in no fixed order, so a slot may be reused only by a
// node that surely runs after the slot's value has died: slots are handed down from a node to one of its
// readers. In loops every output has a slot of its own in each iteration's storage.
#include "exec/flow.h"

typedef struct builder {
  dvt_flow *flow;
  int32_t *pool;       // by node: first of the slots it may use, -1 = none
  int32_t *next_free;  // by slot
  int32_t *slots;      // by output: flow->output_slots
} builder;

#define READERS_LOOKED_AT 16  // values read more often are not reused

// Is the output read exactly once, and not fetched?
static bool is_read_once(const dvt_flow *flow, const dvt_flow_node *node, int32_t output) {
  int reads = 0;
  if (node->edge_count > READERS_LOOKED_AT) return false;
  for (int32_t k = 0; k < node->edge_count; k++) {
    const dvt_flow_edge *edge = &flow->edges[node->first_edge + k];
    if (edge->output == output) reads += edge->reader == DVT_FLOW_FETCH ? 2 : 1;
  }
  return reads == 1;
}

static int32_t take(builder *b, int32_t node, dvt_flow_frame *frame) {
  int32_t slot = b->pool[node];
  if (slot < 0) return frame->slot_count++;
  b->pool[node] = b->next_free[slot];
  return slot;
}

static void give(builder *b, int32_t node, int32_t slot) {
  b->next_free[slot] = b->pool[node];
  b->pool[node] = slot;
}

static void assign_outputs(builder *b, int32_t index) {
  dvt_flow *flow = b->flow;
  const dvt_flow_node *node = &flow->nodes[index];
  int32_t *slots = &b->slots[node->first_slot];
  for (int32_t o = 0; o < node->output_count; o++)
    slots[o] = node->kind == DVT_NODE_KERNEL && dvt_dtype_in_slot(node->session_node->op->def.output_types[o])
                   ? 0
                   : -1;
  for (int32_t k = 0; k < node->edge_count; k++) {
    const dvt_flow_edge *edge = &flow->edges[node->first_edge + k];
    if (edge->reader == DVT_FLOW_FETCH) slots[edge->output] = -1;
  }
  for (int32_t o = 0; o < node->output_count; o++)
    if (slots[o] == 0) slots[o] = take(b, index, &flow->frames[node->frame]);
}

// After the node, the values that only it read are dead. Nodes that pass values on unchanged keep them alive.
static void collect_inputs(builder *b, int32_t index) {
  const dvt_flow *flow = b->flow;
  const dvt_flow_node *node = &flow->nodes[index];
  if (node->kind != DVT_NODE_KERNEL) return;
  for (int32_t k = 0; k < node->input_count; k++) {
    dvt_source source = flow->plan->inputs[node->first_input + k];
    if (source.node < 0) continue;
    const dvt_flow_node *producer = &flow->nodes[source.node];
    int32_t slot = producer->output_count ? b->slots[producer->first_slot + source.index] : -1;
    if (producer->frame == 0 && slot >= 0 && is_read_once(flow, producer, source.index)) give(b, index, slot);
  }
}

// The first reader that always runs after this node. A Merge may run before.
static void hand_down(builder *b, int32_t index) {
  const dvt_flow *flow = b->flow;
  const dvt_flow_node *node = &flow->nodes[index];
  for (int32_t k = 0; k < node->edge_count && b->pool[index] >= 0; k++) {
    int32_t reader = flow->edges[node->first_edge + k].reader;
    if (reader < 0 || flow->nodes[reader].kind == DVT_NODE_MERGE || flow->nodes[reader].frame != 0) continue;
    while (b->pool[index] >= 0) {
      int32_t slot = b->pool[index];
      b->pool[index] = b->next_free[slot];
      give(b, reader, slot);
    }
  }
}

dvt_status dvt_flow_assign_slots(dvt_flow *flow) {
  size_t nodes = (size_t)flow->node_count, outputs = (size_t)flow->output_count;
  flow->output_slots = dvt_arena_calloc(&flow->plan->arena, outputs, sizeof *flow->output_slots);
  int32_t *scratch = dvt_malloc((nodes + outputs + 1) * sizeof *scratch);
  if (!flow->output_slots || !scratch) {
    dvt_free(scratch);
    return dvt_error_out_of_memory((nodes + outputs) * sizeof *scratch);
  }
  builder b = {.flow = flow, .pool = scratch, .next_free = scratch + nodes, .slots = flow->output_slots};
  for (size_t i = 0; i < nodes; i++) b.pool[i] = -1;
  for (int32_t i = 0; i < flow->node_count; i++) {
    assign_outputs(&b, i);
    if (flow->nodes[i].frame != 0) continue;
    collect_inputs(&b, i);
    hand_down(&b, i);
  }
  dvt_free(scratch);
  return NULL;
}
