// The program of a pattern's tree. Repetitions are written out as often as they are needed at least, and once
// more each for what may follow.
#include "text/regex_internal.h"

// Beyond it a pattern is refused, as it is in stock for the memory it would take.
#define MAX_STEPS 200000

static int add_step(dvx_regex *r, dvx_step_kind kind, int index) {
  if (r->step_count == r->step_capacity) {
    int capacity = r->step_capacity * 2 + 32;
    dvx_step *steps =
        capacity <= 2 * MAX_STEPS + 32 ? realloc(r->steps, (size_t)capacity * sizeof(*steps)) : NULL;
    if (!steps) return -1;
    r->steps = steps;
    r->step_capacity = capacity;
  }
  if (r->step_count >= MAX_STEPS) return -1;
  r->steps[r->step_count] = (dvx_step){.kind = kind, .index = index, .next = r->step_count + 1};
  return r->step_count++;
}

static bool emit(dvx_regex *r, int at);

// A split at `split` between going on with the next step and the place that the program has reached now.
static void close_split(dvx_regex *r, int split, bool greedy) {
  int body = split + 1;
  r->steps[split].next = greedy ? body : r->step_count;
  r->steps[split].second = greedy ? r->step_count : body;
}

// The child once or more: a split behind it goes back. (A split before it, for none or more, would try what
// the child's empty text leaves over in the wrong order.)
static bool emit_loop(dvx_regex *r, const dvx_node *node) {
  int body = r->step_count;
  if (!emit(r, node->child)) return false;
  int split = add_step(r, STEP_SPLIT, 0);
  if (split < 0) return false;
  r->steps[split].next = node->greedy ? body : split + 1;
  r->steps[split].second = node->greedy ? split + 1 : body;
  return true;
}

static bool emit_repeat(dvx_regex *r, const dvx_node *node) {
  for (int i = 0; i < node->min - (node->max < 0); i++)
    if (!emit(r, node->child)) return false;
  if (node->max < 0 && node->min > 0) return emit_loop(r, node);
  if (node->max < 0) {
    int split = add_step(r, STEP_SPLIT, 0);
    if (split < 0 || !emit_loop(r, node)) return false;
    close_split(r, split, node->greedy);
    return true;
  }
  // Each optional copy is reached only through the one before it; all splits leave to the same place.
  int copies = node->max - node->min;
  int *splits = malloc((size_t)DVP_MAX(copies, 1) * sizeof(*splits));
  bool fine = splits != NULL;
  for (int i = 0; fine && i < copies; i++) {
    splits[i] = add_step(r, STEP_SPLIT, 0);
    fine = splits[i] >= 0 && emit(r, node->child);
  }
  for (int i = 0; fine && i < copies; i++) close_split(r, splits[i], node->greedy);
  free(splits);
  return fine;
}

static bool emit_choice(dvx_regex *r, const dvx_node *node) {
  int before = -1;  // the jumps to the end, linked through `second`
  for (int child = node->child; child >= 0; child = r->nodes[child].next) {
    bool is_last = r->nodes[child].next < 0;
    int split = is_last ? 0 : add_step(r, STEP_SPLIT, 0);
    if (split < 0 || !emit(r, child)) return false;
    if (is_last) break;
    int jump = add_step(r, STEP_JUMP, 0);
    if (jump < 0) return false;
    r->steps[jump].second = before;
    before = jump;
    close_split(r, split, true);
  }
  while (before >= 0) {
    int jump = before;
    before = r->steps[jump].second;
    r->steps[jump].next = r->step_count;
  }
  return true;
}

static bool emit(dvx_regex *r, int at) {
  const dvx_node node = r->nodes[at];
  switch (node.kind) {
    case NODE_EMPTY:
      return true;
    case NODE_CLASS:
      return add_step(r, STEP_CLASS, node.index) >= 0;
    case NODE_ASSERT:
      return add_step(r, STEP_ASSERT, node.index) >= 0;
    case NODE_GROUP:
      if (node.index >= DVX_REGEX_GROUPS) return emit(r, node.child);
      return add_step(r, STEP_SAVE, 2 * node.index) >= 0 && emit(r, node.child) &&
             add_step(r, STEP_SAVE, 2 * node.index + 1) >= 0;
    case NODE_REPEAT:
      return emit_repeat(r, &node);
    case NODE_LIST:
      for (int child = node.child; child >= 0; child = r->nodes[child].next)
        if (!emit(r, child)) return false;
      return true;
    case NODE_CHOICE:
      return emit_choice(r, &node);
  }
  return false;
}

bool dvx_regex_emit(dvx_regex *r, int root) { return emit(r, root) && add_step(r, STEP_MATCH, 0) >= 0; }
