// Which frame each node of a plan belongs to. Enter leads into a frame, Exit out of it; everything else is in
// the frame its inputs come from, nodes without inputs in the root frame. Constants and feeds are in every
// frame.
#include "exec/flow.h"

#define DEFAULT_PARALLEL_ITERATIONS 10
#define MAX_PARALLEL_ITERATIONS 1000
#define MAX_FRAME_DEPTH 1000  // running frames end and are dropped by recursion

static dvt_status add_frame(dvt_flow *flow, dvt_flow_frame frame) {
  dvt_flow_frame *bigger = flow->frames;
  if ((size_t)flow->frame_count >= flow->frame_capacity) {
    size_t capacity = flow->frame_capacity ? 2 * flow->frame_capacity : 4;
    bigger = dvt_arena_calloc(&flow->plan->arena, capacity, sizeof *bigger);
    if (!bigger) return dvt_error_out_of_memory(capacity * sizeof *bigger);
    if (flow->frame_count) memcpy(bigger, flow->frames, (size_t)flow->frame_count * sizeof *bigger);
    flow->frame_capacity = capacity;
  }
  flow->frames = bigger;
  flow->frames[flow->frame_count++] = frame;
  return NULL;
}

static int32_t parallel_iterations(const dvt_node_def *def) {
  dvt_str value;
  int64_t n = DEFAULT_PARALLEL_ITERATIONS;
  if (dvt_node_attr(def, DVT_STR("parallel_iterations"), &value)) {
    dvt_status status = dvt_attr_get_int(value, &n);
    dvt_status_free(status);
  }
  return (int32_t)DVT_MIN(DVT_MAX(n, 1), MAX_PARALLEL_ITERATIONS);
}

// The entry for a frame's key (value: its index; NULL when it is new). Keys live in the plan's arena.
static dvt_status find_frame(dvt_flow *flow, int32_t parent, const dvt_instance *owner, dvt_str name,
                             void ***out_slot) {
  size_t bytes = sizeof parent + sizeof owner + name.len;
  char *key = dvt_arena_alloc(&flow->plan->arena, bytes);
  if (!key) return dvt_error_out_of_memory(bytes);
  memcpy(key, &parent, sizeof parent);
  memcpy(key + sizeof parent, &owner, sizeof owner);
  if (name.len) memcpy(key + sizeof parent + sizeof owner, name.data, name.len);
  *out_slot = dvt_map_slot_for(&flow->frames_by_name, dvt_str_make(key, bytes));
  return *out_slot ? NULL : dvt_error_out_of_memory(sizeof(dvt_map_slot));
}

static dvt_status enter_frame(dvt_flow *flow, dvt_flow_node *enter) {
  const dvt_node_def *def = &enter->session_node->op->def;
  const dvt_instance *owner = enter->session_node->owner;
  dvt_str value = {0}, name;
  void **slot;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(def, DVT_STR("frame_name"), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_string(value, &name));
  int32_t depth = flow->frames[enter->frame].depth + 1;
  if (depth > MAX_FRAME_DEPTH)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "loops are nested more than %d deep\n\t [[{{node " DVT_STR_FMT "}}]]", MAX_FRAME_DEPTH,
                     DVT_STR_ARG(def->name));
  DVT_RETURN_IF_ERROR(find_frame(flow, enter->frame, owner, name, &slot));
  if (!*slot) {
    *slot = (void *)(uintptr_t)flow->frame_count;  // the root frame is 0, so this is not NULL
    DVT_RETURN_IF_ERROR(add_frame(flow, (dvt_flow_frame){.parent = enter->frame,
                                                         .depth = depth,
                                                         .owner = owner,
                                                         .name = name,
                                                         .parallel_iterations = parallel_iterations(def)}));
  }
  enter->child_frame = (int32_t)(uintptr_t)*slot;
  flow->frames[enter->child_frame].enter_count++;
  return NULL;
}

// The frame that the outputs of the node are in.
static int32_t frame_of_outputs(const dvt_flow *flow, const dvt_flow_node *node) {
  if (node->kind == DVT_NODE_ENTER) return node->child_frame;
  if (node->kind == DVT_NODE_EXIT) return flow->frames[node->frame].parent;
  return node->frame;
}

static dvt_status node_error(const dvt_flow_node *node, const char *what) {
  dvt_buf name = {0};
  dvt_session_node_name(node->session_node, &name);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "%s\n\t [[{{node " DVT_STR_FMT "}}]]", what,
                                DVT_STR_ARG(dvt_buf_str(&name)));
  dvt_buf_deinit(&name);
  return status;
}

static dvt_status join_frame(const dvt_flow *flow, const dvt_flow_node *node, int32_t producer,
                             int32_t *frame) {
  int32_t from = frame_of_outputs(flow, &flow->nodes[producer]);
  if (*frame >= 0 && *frame != from)
    return node_error(
        node,
        "the node's inputs come from different loops; values enter a loop through Enter and leave it "
        "through Exit");
  *frame = from;
  return NULL;
}

static dvt_status check_kind(const dvt_flow *flow, const dvt_flow_node *node) {
  bool leads_on = node->kind == DVT_NODE_EXIT || node->kind == DVT_NODE_NEXT_ITERATION;
  if (leads_on && node->frame == 0)
    return node_error(node, "Exit and NextIteration belong inside a loop, but no Enter leads here");
  if (node->kind != DVT_NODE_MERGE || node->frame == 0) return NULL;
  for (int32_t k = 0; k < node->input_count; k++)
    if (flow->plan->inputs[node->first_input + k].node < 0)
      return node_error(
          node,
          "a Merge inside a loop reads a constant or a feed directly; values enter a loop through "
          "Enter");
  return NULL;
}

// Producers come first in a plan, but for NextIterations, which are in their Merge's frame anyway.
static dvt_status place(dvt_flow *flow, int32_t index) {
  const dvt_plan *plan = flow->plan;
  dvt_flow_node *node = &flow->nodes[index];
  int32_t frame = -1;
  for (int32_t k = 0; k < node->input_count; k++) {
    int32_t producer = plan->inputs[node->first_input + k].node;
    if (producer >= 0 && producer < index) DVT_RETURN_IF_ERROR(join_frame(flow, node, producer, &frame));
  }
  for (int32_t k = 0; k < node->control_count; k++)
    DVT_RETURN_IF_ERROR(join_frame(flow, node, plan->controls[plan->nodes[index].first_control + k], &frame));
  node->frame = frame < 0 ? 0 : frame;
  DVT_RETURN_IF_ERROR(check_kind(flow, node));
  return node->kind == DVT_NODE_ENTER ? enter_frame(flow, node) : NULL;
}

// A back edge must come from the Merge's own frame.
static dvt_status check_back_edges(const dvt_flow *flow) {
  for (int32_t i = 0; i < flow->node_count; i++) {
    const dvt_flow_node *node = &flow->nodes[i];
    for (int32_t k = 0; k < node->input_count; k++) {
      int32_t producer = flow->plan->inputs[node->first_input + k].node;
      if (producer > i && flow->nodes[producer].frame != node->frame)
        return node_error(node, "a NextIteration of another loop leads to this Merge");
    }
  }
  return NULL;
}

static dvt_status check_fetches(const dvt_flow *flow) {
  for (int32_t i = 0; i < flow->plan->fetch_count; i++) {
    int32_t producer = flow->plan->fetches[i].node;
    if (producer >= 0 && frame_of_outputs(flow, &flow->nodes[producer]) != 0)
      return node_error(
          &flow->nodes[producer],
          "a value inside a loop cannot be fetched, it is different in each iteration; fetch what an Exit "
          "gives");
  }
  return NULL;
}

static dvt_status place_all(dvt_flow *flow) {
  DVT_RETURN_IF_ERROR(add_frame(flow, (dvt_flow_frame){.parent = -1, .parallel_iterations = 1}));
  for (int32_t i = 0; i < flow->node_count; i++) DVT_RETURN_IF_ERROR(place(flow, i));
  return NULL;
}

dvt_status dvt_flow_find_frames(dvt_flow *flow) {
  dvt_status status = place_all(flow);
  dvt_map_deinit(&flow->frames_by_name);
  DVT_RETURN_IF_ERROR(status);
  DVT_RETURN_IF_ERROR(check_back_edges(flow));
  return check_fetches(flow);
}
