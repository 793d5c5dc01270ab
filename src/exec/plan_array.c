// The tables of the array walk: a step for each kernel call, numbered values, which of them are last used
// where, and a slot of storage for each output, shared by outputs that do not live at the same time.
#include "exec/plan.h"

#define SLOTS_LOOKED_AT 32  // of the free ones, for each output: keeps wide graphs linear

typedef struct slot_info {
  int64_t bytes;  // of the outputs it was given so far, as far as shapes tell; 0 = unknown
  int32_t next_free;
} slot_info;

typedef struct builder {
  dvt_plan *plan;
  dvt_array_plan *array;
  int32_t *first_output;  // by node; -1: no step
  int32_t *last_step;     // by output: step that reads it last; INT32_MAX: fetched
  int32_t *uses;          // by output: scratch, zero between steps
  slot_info *slots;
  int32_t free_slots;  // list through next_free, -1 = end
} builder;

static dvt_source array_source(const builder *b, dvt_source source) {
  if (source.node == DVT_SOURCE_FEED && b->plan->owns_feeds) return (dvt_source){0, source.index};
  if (source.node < 0) return source;
  const dvt_plan_node *node = &b->plan->nodes[source.node];
  if (node->constant >= 0) return (dvt_source){DVT_SOURCE_CONST, node->constant};
  return (dvt_source){0, b->first_output[source.node] + source.index};
}

static void count(builder *b) {
  b->array->output_count = b->array->feed_count = b->plan->owns_feeds ? b->plan->feed_count : 0;
  for (int32_t i = 0; i < b->plan->node_count; i++) {
    const dvt_plan_node *node = &b->plan->nodes[i];
    b->first_output[i] = -1;
    if (dvt_plan_node_kind(node) != DVT_NODE_KERNEL) continue;
    b->first_output[i] = b->array->output_count;
    b->array->step_count++;
    b->array->input_count += node->input_count;
    b->array->output_count += dvt_plan_node_def(node)->output_count;
  }
}

static dvt_status allocate(builder *b) {
  dvt_array_plan *array = b->array;
  dvt_arena *arena = &b->plan->arena;
  size_t outputs = (size_t)array->output_count, inputs = (size_t)array->input_count;
  array->steps = dvt_arena_calloc(arena, (size_t)array->step_count, sizeof *array->steps);
  array->inputs = dvt_arena_calloc(arena, inputs, sizeof *array->inputs);
  array->last_use = dvt_arena_calloc(arena, inputs, sizeof *array->last_use);
  array->releases = dvt_arena_calloc(arena, outputs, sizeof *array->releases);
  array->slots = dvt_arena_calloc(arena, outputs, sizeof *array->slots);
  b->plan->array_fetches =
      dvt_arena_calloc(arena, (size_t)b->plan->fetch_count, sizeof *b->plan->array_fetches);
  if (!array->steps || !array->inputs || !array->last_use || !array->releases || !array->slots ||
      !b->plan->array_fetches)
    return dvt_error_out_of_memory((size_t)array->step_count * sizeof *array->steps);
  return NULL;
}

// A reference (dtype + 100) travels as a resource tensor.
static const uint8_t *expected_types(dvt_plan *plan, const dvt_node_def *def) {
  uint8_t *types = dvt_arena_alloc(&plan->arena, (size_t)def->output_count);
  for (int32_t i = 0; types && i < def->output_count; i++)
    types[i] = (uint8_t)(def->output_types[i] > DVT_DTYPE_REF_OFFSET ? TF_RESOURCE : def->output_types[i]);
  return types;
}

static dvt_status add_steps(builder *b) {
  int32_t step_index = 0, input = 0;
  for (int32_t i = 0; i < b->plan->node_count; i++) {
    const dvt_plan_node *node = &b->plan->nodes[i];
    if (b->first_output[i] < 0) continue;
    const dvt_node_def *def = dvt_plan_node_def(node);
    dvt_array_step *step = &b->array->steps[step_index++];
    *step = (dvt_array_step){.kernel = &node->session_node->kernel,
                             .output_types = expected_types(b->plan, def),
                             .stable_inputs = b->plan->stable_inputs + node->first_input,
                             .first_input = input,
                             .input_count = node->input_count,
                             .first_output = b->first_output[i],
                             .output_count = def->output_count,
                             .node = i};
    if (!step->output_types) return dvt_error_out_of_memory((size_t)def->output_count);
    for (int32_t k = 0; k < node->input_count; k++)
      b->array->inputs[input++] = array_source(b, b->plan->inputs[node->first_input + k]);
  }
  return NULL;
}

static void find_last_uses(builder *b) {
  dvt_array_plan *array = b->array;
  for (int32_t i = 0; i < array->feed_count; i++) b->last_step[i] = -1;
  for (int32_t s = 0; s < array->step_count; s++) {
    const dvt_array_step *step = &array->steps[s];
    for (int32_t k = 0; k < step->output_count; k++) b->last_step[step->first_output + k] = s;
    for (int32_t k = 0; k < step->input_count; k++) {
      dvt_source source = array->inputs[step->first_input + k];
      if (source.node >= 0) b->last_step[source.index] = s;
    }
  }
  for (int32_t i = 0; i < b->plan->fetch_count; i++) {
    dvt_source source = array_source(b, b->plan->fetches[i]);
    b->plan->array_fetches[i] = source;
    if (source.node >= 0) b->last_step[source.index] = INT32_MAX;
  }
}

// Counts how often a step reads each value, or forgets the counts again.
static void count_uses(builder *b, const dvt_array_step *step, bool forget) {
  for (int32_t k = 0; k < step->input_count; k++) {
    dvt_source source = b->array->inputs[step->first_input + k];
    if (source.node >= 0) b->uses[source.index] = forget ? 0 : b->uses[source.index] + 1;
  }
}

// An input may be forwarded only where nobody reads it afterwards, this step's other inputs included.
static void mark_last_uses(builder *b) {
  dvt_array_plan *array = b->array;
  for (int32_t s = 0; s < array->step_count; s++) {
    const dvt_array_step *step = &array->steps[s];
    count_uses(b, step, false);
    for (int32_t k = 0; k < step->input_count; k++) {
      dvt_source source = array->inputs[step->first_input + k];
      array->last_use[step->first_input + k] =
          source.node >= 0 && b->last_step[source.index] == s && b->uses[source.index] == 1;
    }
    count_uses(b, step, true);
  }
}

// Lists, for each step, the values whose last reader it is: its inputs, each once, and outputs nobody reads.
static void list_releases(builder *b) {
  dvt_array_plan *array = b->array;
  int32_t total = 0;
  for (int32_t s = 0; s < array->step_count; s++) {
    dvt_array_step *step = &array->steps[s];
    step->first_release = total;
    for (int32_t k = 0; k < step->input_count; k++) {
      dvt_source source = array->inputs[step->first_input + k];
      if (source.node < 0 || b->last_step[source.index] != s || b->uses[source.index]++) continue;
      array->releases[total++] = source.index;
    }
    count_uses(b, step, true);
    for (int32_t k = 0; k < step->output_count; k++)
      if (b->last_step[step->first_output + k] == s) array->releases[total++] = step->first_output + k;
    step->release_count = total - step->first_release;
  }
}

// Bytes of an output whose shape is known when the plan is made; 0 otherwise.
static int64_t known_bytes(const TF_Operation *op, int32_t index) {
  dvt_shape shape = op->output_shapes ? op->output_shapes[index] : NULL;
  size_t bytes = 0;
  if (!shape || !dvt_shape_is_full(shape)) return 0;
  dvt_status status = dvt_shape_bytes(op->def.output_types[index], shape->dims, shape->rank, &bytes);
  dvt_status_free(status);
  return status ? 0 : (int64_t)bytes;
}

// The smallest free slot that is large enough, else the largest, which then grows; -1 when none is free.
static int32_t take_slot(builder *b, int64_t bytes) {
  int32_t *best = NULL, looked_at = 0;
  for (int32_t *link = &b->free_slots; *link >= 0; link = &b->slots[*link].next_free) {
    int64_t have = b->slots[*link].bytes, best_has = best ? b->slots[*best].bytes : 0;
    bool fits = have >= bytes, best_fits = best && best_has >= bytes;
    if (!best || (fits && (!best_fits || have < best_has)) || (!fits && !best_fits && have > best_has))
      best = link;
    if (have == bytes || ++looked_at == SLOTS_LOOKED_AT) break;
  }
  if (!best) return -1;
  int32_t slot = *best;
  *best = b->slots[slot].next_free;
  return slot;
}

static int32_t new_slot(builder *b) {
  b->slots[b->array->slot_count] = (slot_info){0};
  return b->array->slot_count++;
}

// Outputs get their slots before the step's inputs give theirs up: a kernel reads while it writes.
static void assign_slots(builder *b) {
  dvt_array_plan *array = b->array;
  b->free_slots = -1;
  for (int32_t i = 0; i < array->feed_count; i++) array->slots[i] = -1;
  for (int32_t s = 0; s < array->step_count; s++) {
    const dvt_array_step *step = &array->steps[s];
    const TF_Operation *op = b->plan->nodes[step->node].session_node->op;
    for (int32_t k = 0; k < step->output_count; k++) {
      int32_t output = step->first_output + k, slot = -1;
      if (b->last_step[output] != INT32_MAX && dvt_dtype_in_slot(op->def.output_types[k])) {
        int64_t bytes = known_bytes(op, k);
        slot = take_slot(b, bytes);
        if (slot < 0) slot = new_slot(b);
        b->slots[slot].bytes = DVT_MAX(b->slots[slot].bytes, bytes);
      }
      array->slots[output] = slot;
    }
    for (int32_t r = 0; r < step->release_count; r++) {
      int32_t slot = array->slots[array->releases[step->first_release + r]];
      if (slot < 0) continue;
      b->slots[slot].next_free = b->free_slots;
      b->free_slots = slot;
    }
  }
}

static dvt_status build(builder *b) {
  DVT_RETURN_IF_ERROR(allocate(b));
  DVT_RETURN_IF_ERROR(add_steps(b));
  size_t outputs = (size_t)b->array->output_count + 1;
  b->last_step = dvt_malloc(outputs * sizeof *b->last_step);
  b->slots = dvt_malloc(outputs * sizeof *b->slots);
  b->uses = dvt_calloc(outputs, sizeof *b->uses);
  if (!b->last_step || !b->slots || !b->uses) return dvt_error_out_of_memory(outputs * sizeof *b->slots);
  find_last_uses(b);
  mark_last_uses(b);
  list_releases(b);
  // The graph's lock guards inferred shapes, which later edges may refine.
  pthread_mutex_lock(&b->plan->session->graph->lock);
  assign_slots(b);
  pthread_mutex_unlock(&b->plan->session->graph->lock);
  return NULL;
}

dvt_status dvt_plan_build_array(dvt_plan *plan) {
  builder b = {.plan = plan, .array = &plan->array};
  b.first_output = dvt_malloc(((size_t)plan->node_count + 1) * sizeof *b.first_output);
  if (!b.first_output) return dvt_error_out_of_memory((size_t)plan->node_count * sizeof *b.first_output);
  count(&b);
  dvt_status status = build(&b);
  dvt_free(b.first_output);
  dvt_free(b.last_step);
  dvt_free(b.slots);
  dvt_free(b.uses);
  return status;
}
