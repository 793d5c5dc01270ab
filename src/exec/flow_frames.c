// Frames and iterations of a running dataflow walk: where the outputs of a node go, when an iteration may
// start and when it is over. The semantics are those of v1 control flow: a dead value kills its readers up to
// the next Merge; NextIteration carries live values into the next iteration and stops dead ones; what leaves
// through Exit dead in the last iteration (a loop on a branch not taken) is dead outside.
#include "exec/flow.h"

static dvt_flow_frame *info_of(const dvt_flow_state *state, int32_t frame) {
  return &state->flow->frames[frame];
}

void dvt_flow_fail(dvt_flow_state *state, dvt_status status) {
  if (!status) return;
  if (state->error) {
    dvt_status_free(status);
    return;
  }
  state->error = status;
}

static void out_of_memory(dvt_flow_state *state, size_t bytes) {
  dvt_flow_fail(state, dvt_error_out_of_memory(bytes));
}

// One block: the iteration, then its arrays.
static dvt_iteration *iteration_new(dvt_flow_state *state, dvt_frame *frame, int64_t number) {
  const dvt_flow_frame *info = frame->info;
  size_t nodes = (size_t)info->node_count;
  dvt_iteration *it = state->free_iterations[frame->index];
  if (it) {
    state->free_iterations[frame->index] = it->next;
  } else {
    size_t entries = (size_t)info->entry_count * sizeof *it->entries,
           slots = (size_t)info->slot_count * sizeof(dvt_slot);
    it = dvt_calloc(1, sizeof *it + entries + slots + 2 * nodes * sizeof(int32_t));
    if (!it) {
      out_of_memory(state, entries);
      return NULL;
    }
    it->entries = (dvt_kernel_output *)(it + 1);
    it->slots = (dvt_slot *)((char *)(it + 1) + entries);
    it->pending = (int32_t *)((char *)it->slots + slots);
    it->dead = it->pending + nodes;
  }
  it->frame = frame;
  it->number = number;
  it->outstanding = 0;
  it->children = NULL;
  it->next = NULL;
  if (nodes) {
    memcpy(it->pending, info->initial_pending, nodes * sizeof *it->pending);
    memset(it->dead, 0, nodes * sizeof *it->dead);
  }
  return it;
}

static void iteration_end(dvt_flow_state *state, dvt_iteration *it) {
  for (int32_t i = 0; i < it->frame->info->entry_count; i++) dvt_value_drop(&it->entries[i].tensor);
  it->next = state->free_iterations[it->frame->index];
  state->free_iterations[it->frame->index] = it;
}

static dvt_frame *frame_new(dvt_flow_state *state, int32_t index, dvt_iteration *parent) {
  dvt_frame *frame = state->free_frames[index];
  if (frame)
    state->free_frames[index] = frame->sibling;
  else
    frame = dvt_calloc(1, sizeof *frame);
  if (!frame) {
    out_of_memory(state, sizeof *frame);
    return NULL;
  }
  frame->info = info_of(state, index);
  frame->index = index;
  frame->parent = parent ? parent->frame : NULL;
  frame->parent_iteration = parent;
  frame->iteration_count = 0;
  frame->open_iterations = 1;
  frame->pending_enters = frame->info->enter_count;
  frame->sibling = NULL;
  frame->iterations = iteration_new(state, frame, 0);
  if (frame->iterations) return frame;
  frame->sibling = state->free_frames[index];
  state->free_frames[index] = frame;
  return NULL;
}

static void drop_held(dvt_held_value *held, size_t *count) {
  for (size_t i = 0; i < *count; i++) dvt_value_drop(&held[i].value);
  *count = 0;
}

static void frame_end(dvt_flow_state *state, dvt_frame *frame) {
  drop_held(frame->invariants, &frame->invariant_count);
  drop_held(frame->next_roots, &frame->next_root_count);
  frame->dead_exit_count = 0;
  frame->iterations = NULL;
  dvt_frame **link = &state->open_frames[frame->index];
  while (*link && *link != frame) link = &(*link)->next_open;
  if (*link) *link = frame->next_open;  // the root frame is in no list
  frame->sibling = state->free_frames[frame->index];
  state->free_frames[frame->index] = frame;
}

static void push_ready(dvt_flow_state *state, dvt_iteration *it, int32_t node, bool is_dead) {
  if (!dvt_array_reserve(&state->ready, &state->ready_capacity, state->ready_count + 1,
                         sizeof *state->ready)) {
    out_of_memory(state, sizeof *state->ready);
    return;
  }
  state->ready[state->ready_count++] = (dvt_ready){it, node, is_dead};
  it->outstanding++;
}

static void store_value(dvt_flow_state *state, TF_Tensor *to, TF_Tensor *from, bool move) {
  dvt_value_drop(to);  // in a malformed graph a loop may end more than once
  if (move)
    dvt_value_move(to, from);
  else
    dvt_flow_fail(state, dvt_tensor_init_copy(to, from));
}

typedef struct arrival {
  bool wanted, ready, ready_dead;
} arrival;

// The lowest bit of a Merge's count is set until a live input has arrived; controls count two each. A count
// of 0 means that the Merge has become ready.
static arrival arrive_at_merge(const dvt_flow_node *node, int32_t *pending, int32_t *dead, bool control,
                               bool is_dead, bool from_enter) {
  arrival a = {0};
  if (control) {
    if (*pending < 2) return a;
    *pending -= 2;
  } else if (is_dead) {
    // No iteration follows when the loop is entered dead, so nothing will come over the back edge.
    *dead = from_enter ? node->input_count : *dead + 1;
  } else {
    a.wanted = *pending & 1;
    *pending &= ~1;
    a.ready = a.wanted && *pending == 0;
    return a;
  }
  a.ready_dead = *dead >= node->input_count;
  a.ready = (control && *pending == 0) || (*pending == 1 && a.ready_dead);
  if (a.ready) *pending = 0;
  return a;
}

// `value` is NULL for control edges and empty when dead.
static void deliver(dvt_flow_state *state, const dvt_flow_edge *edge, dvt_iteration *it, TF_Tensor *value,
                    bool is_dead, bool move, bool from_enter) {
  const dvt_flow_node *node = &state->flow->nodes[edge->reader];
  int32_t *pending = &it->pending[node->local], *dead = &it->dead[node->local];
  arrival a = {0};
  if (node->kind == DVT_NODE_MERGE) {
    a = arrive_at_merge(node, pending, dead, edge->input < 0, is_dead, from_enter);
  } else if (*pending > 0) {  // else the node has run, or is running: only in a malformed graph
    *dead += is_dead;
    a.wanted = edge->input >= 0 && !is_dead;
    a.ready = --*pending == 0;
    a.ready_dead = *dead > 0 && node->kind != DVT_NODE_CONTROL_TRIGGER;
  }
  if (a.wanted) store_value(state, &it->entries[node->first_entry + edge->input].tensor, value, move);
  if (a.ready) push_ready(state, it, edge->reader, a.ready_dead);
}

static void fetch(dvt_flow_state *state, const dvt_flow_edge *edge, TF_Tensor *value) {
  if (!dvt_tensor_is_empty(value)) store_value(state, &state->fetched[edge->input], value, edge->is_last);
}

// Hands the outputs to all readers in iteration `it`, the last in the plan's order first: ready nodes are a
// stack. `outputs` NULL: everything is dead. `keep`: values are wanted again, for other iterations.
static void hand_on(dvt_flow_state *state, int32_t index, dvt_iteration *it, dvt_kernel_output *outputs,
                    bool keep) {
  const dvt_flow_node *node = &state->flow->nodes[index];
  bool from_enter = node->kind == DVT_NODE_ENTER;
  for (int32_t k = node->edge_count - 1; k >= 0; k--) {
    const dvt_flow_edge *edge = &state->flow->edges[node->first_edge + k];
    TF_Tensor *value = edge->output >= 0 && outputs ? &outputs[edge->output].tensor : NULL;
    bool is_dead = !outputs || (value && dvt_tensor_is_empty(value));
    if (edge->reader != DVT_FLOW_FETCH)
      deliver(state, edge, it, value, is_dead, edge->is_last && !keep, from_enter);
    else if (value)
      fetch(state, edge, value);
  }
}

static void hand_on_held(dvt_flow_state *state, dvt_held_value *held, dvt_iteration *it) {
  dvt_kernel_output output = {0};
  if (!held->is_dead) dvt_flow_fail(state, dvt_tensor_init_copy(&output.tensor, &held->value));
  hand_on(state, held->node, it, held->is_dead ? NULL : &output, false);
  dvt_value_drop(&output.tensor);
}

static void hold(dvt_flow_state *state, dvt_held_value **items, size_t *count, size_t *capacity, int32_t node,
                 dvt_kernel_output *outputs) {
  if (!dvt_array_reserve(items, capacity, *count + 1, sizeof **items)) {
    out_of_memory(state, sizeof **items);
    return;
  }
  dvt_held_value *held = &(*items)[(*count)++];
  *held = (dvt_held_value){.node = node, .is_dead = !outputs};
  if (outputs) dvt_flow_fail(state, dvt_tensor_init_copy(&held->value, &outputs[0].tensor));
}

// Starts the iteration after the newest one: with what NextIterations left waiting, and the loop's
// invariants.
static dvt_iteration *next_iteration(dvt_flow_state *state, dvt_frame *frame) {
  dvt_iteration *it = iteration_new(state, frame, frame->iteration_count + 1);
  if (!it) return NULL;
  frame->iteration_count++;
  frame->open_iterations++;
  frame->dead_exit_count = 0;
  dvt_iteration **last = &frame->iterations;
  while (*last) last = &(*last)->next;
  *last = it;
  for (size_t i = 0; i < frame->next_root_count; i++) hand_on_held(state, &frame->next_roots[i], it);
  drop_held(frame->next_roots, &frame->next_root_count);
  for (size_t i = 0; i < frame->invariant_count; i++) hand_on_held(state, &frame->invariants[i], it);
  return it;
}

static dvt_frame *child_frame(dvt_flow_state *state, dvt_iteration *it, int32_t index) {
  for (dvt_frame *f = state->open_frames[index]; f; f = f->next_open)
    if (f->parent_iteration == it) return f;
  dvt_frame *frame = frame_new(state, index, it);
  if (!frame) return NULL;
  frame->sibling = it->children;
  frame->previous = NULL;
  if (it->children) it->children->previous = frame;
  it->children = frame;
  frame->next_open = state->open_frames[index];
  state->open_frames[index] = frame;
  return frame;
}

static void end_iterations(dvt_flow_state *state, dvt_frame *frame);

static void propagate_enter(dvt_flow_state *state, const dvt_ready *task, dvt_kernel_output *outputs) {
  const dvt_flow_node *node = &state->flow->nodes[task->node];
  dvt_frame *child = child_frame(state, task->iteration, node->child_frame);
  if (!child) return;
  if (node->is_constant_enter) {
    hold(state, &child->invariants, &child->invariant_count, &child->invariant_capacity, task->node, outputs);
    for (dvt_iteration *it = child->iterations; it; it = it->next)
      hand_on(state, task->node, it, outputs, true);
  } else {
    hand_on(state, task->node, child->iterations, outputs, false);
  }
  child->pending_enters--;
  end_iterations(state, child);
}

static void propagate_exit(dvt_flow_state *state, const dvt_ready *task, dvt_kernel_output *outputs) {
  dvt_frame *frame = task->iteration->frame;
  if (outputs) {
    hand_on(state, task->node, frame->parent_iteration, outputs, false);
    return;
  }
  if (task->iteration->number != frame->iteration_count) return;
  if (!dvt_array_reserve(&frame->dead_exits, &frame->dead_exit_capacity, frame->dead_exit_count + 1,
                         sizeof(int32_t)))
    out_of_memory(state, sizeof(int32_t));
  else
    frame->dead_exits[frame->dead_exit_count++] = task->node;
}

static void propagate_next_iteration(dvt_flow_state *state, const dvt_ready *task,
                                     dvt_kernel_output *outputs) {
  dvt_frame *frame = task->iteration->frame;
  if (!outputs) return;
  dvt_iteration *next = task->iteration->next;
  if (!next && frame->open_iterations >= frame->info->parallel_iterations) {
    hold(state, &frame->next_roots, &frame->next_root_count, &frame->next_root_capacity, task->node, outputs);
    return;
  }
  if (!next) next = next_iteration(state, frame);
  if (next) hand_on(state, task->node, next, outputs, false);
}

// A loop that ended without a live Exit in its last iteration was never entered alive.
static void end_frame(dvt_flow_state *state, dvt_frame *frame) {
  dvt_iteration *outer = frame->parent_iteration;
  if (frame->sibling) frame->sibling->previous = frame->previous;
  *(frame->previous ? &frame->previous->sibling : &outer->children) = frame->sibling;
  for (size_t i = 0; i < frame->dead_exit_count; i++)
    hand_on(state, frame->dead_exits[i], outer, NULL, false);
  frame_end(state, frame);
  end_iterations(state, outer->frame);
}

// Ends the oldest iterations that have nothing left to do, which may make room for a waiting one, and the
// frame with the last. The root frame stays until the step ends.
static void end_iterations(dvt_flow_state *state, dvt_frame *frame) {
  if (!frame->parent) return;
  while (frame->iterations && !state->error) {
    dvt_iteration *oldest = frame->iterations;
    if (oldest->outstanding > 0 || oldest->children || (oldest->number == 0 && frame->pending_enters > 0))
      return;
    frame->iterations = oldest->next;
    frame->open_iterations--;
    iteration_end(state, oldest);
    if (frame->next_root_count > 0) next_iteration(state, frame);
  }
  if (!state->error) end_frame(state, frame);
}

void dvt_frames_propagate(dvt_flow_state *state, const dvt_ready *task, dvt_kernel_output *outputs) {
  if (task->is_dead) outputs = NULL;
  switch ((dvt_node_kind)state->flow->nodes[task->node].kind) {
    case DVT_NODE_ENTER:
      propagate_enter(state, task, outputs);
      break;
    case DVT_NODE_EXIT:
      propagate_exit(state, task, outputs);
      break;
    case DVT_NODE_NEXT_ITERATION:
      propagate_next_iteration(state, task, outputs);
      break;
    default:
      hand_on(state, task->node, task->iteration, outputs, false);
  }
  task->iteration->outstanding--;
  end_iterations(state, task->iteration->frame);
}

bool dvt_frames_begin(dvt_flow_state *state) {
  state->root = frame_new(state, 0, NULL);
  if (!state->root) return false;
  for (int32_t i = state->flow->initially_ready_count - 1; i >= 0; i--)
    push_ready(state, state->root->iterations, state->flow->initially_ready[i], false);
  return true;
}

static void drop_frame(dvt_flow_state *state, dvt_frame *frame) {
  for (dvt_iteration *it = frame->iterations, *next; it; it = next) {
    next = it->next;
    for (dvt_frame *f = it->children, *sibling; f; f = sibling) {
      sibling = f->sibling;
      drop_frame(state, f);
    }
    iteration_end(state, it);
  }
  frame_end(state, frame);
}

void dvt_frames_end(dvt_flow_state *state) {
  if (state->root) drop_frame(state, state->root);
  state->root = NULL;
}

void dvt_frames_free(dvt_flow_state *state) {
  for (int32_t f = 0; f < state->flow->frame_count; f++) {
    for (dvt_frame *frame = state->free_frames[f], *next; frame; frame = next) {
      next = frame->sibling;
      dvt_free(frame->invariants);
      dvt_free(frame->next_roots);
      dvt_free(frame->dead_exits);
      dvt_free(frame);
    }
    for (dvt_iteration *it = state->free_iterations[f], *next; it; it = next) {
      next = it->next;
      for (int32_t i = 0; i < info_of(state, f)->slot_count; i++) dvt_slot_deinit(&it->slots[i]);
      dvt_free(it);
    }
  }
}
