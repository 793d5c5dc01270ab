// The array walk: a plan's kernels one after another in the caller's thread. Per step of the plan it sets a
// few pointers of one context, calls the kernel, looks whether the outputs are there, and drops the values
// that were read for the last time. Everything else was decided when the plan was made.
#include "base/catch.h"
#include "base/debug.h"
#include "device/pool.h"
#include "exec/run.h"
#include "tensor/loan.h"

// The first runs of a state look for outputs whose slot is still in use when they are allocated: forwarding
// and kernels that keep a tensor let a buffer outlive the value it was made for. Such an output gets a slot
// of its own.
#define CAREFUL_RUNS 4
#define TEMP_SLOTS 4  // for TF_AllocateTemp, shared by all kernels of a state

typedef struct own_slot {
  dvt_slot slot;
  struct own_slot *next;
} own_slot;

typedef struct array_state {
  dvt_pooled_state pooled;
  dvt_plan *plan;
  TF_OpKernelContext ctx;
  dvt_step step;
  dvt_lender lender;
  dvt_node_trace trace;
  TF_Tensor **inputs;
  dvt_kernel_output *outputs;
  TF_Tensor *feeds;
  TF_Tensor **handles;
  dvt_slot *slots;
  own_slot *own_slots;
  dvt_slot temp_slots[TEMP_SLOTS];
  int careful_runs;
} array_state;

static TF_Tensor *value_of(const array_state *s, dvt_source source) {
  if (source.node == DVT_SOURCE_FEED) return &s->feeds[source.index];
  if (source.node == DVT_SOURCE_CONST) return s->plan->constants[source.index];
  return &s->outputs[source.index].tensor;
}

// ---- what a kernel may ask of its place in the plan ----

// The step that runs in the context. Steps are in the order of their outputs; those without outputs have the
// position of the next one that has some.
static const dvt_plan_node *node_of(const TF_OpKernelContext *ctx) {
  const array_state *s = (const array_state *)((const char *)ctx - offsetof(array_state, ctx));
  const dvt_array_step *steps = s->plan->array.steps;
  int32_t first_output = (int32_t)(ctx->outputs - s->outputs), low = 0, high = s->plan->array.step_count - 1;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (steps[middle].first_output < first_output)
      low = middle + 1;
    else
      high = middle;
  }
  while (steps[low].kernel != ctx->kernel) low++;
  return &s->plan->nodes[steps[low].node];
}

static const bool *unread_outputs(const TF_OpKernelContext *ctx) { return node_of(ctx)->unread_outputs; }
static bool is_expensive(const TF_OpKernelContext *ctx) { return dvt_node_is_expensive(node_of(ctx)); }
static const dvt_executor_view view = {unread_outputs, is_expensive};

static void state_free(array_state *s) {
  dvt_lender_deinit(&s->lender);
  dvt_step_deinit(&s->step);
  for (int32_t i = 0; i < s->plan->array.slot_count; i++) dvt_slot_deinit(&s->slots[i]);
  for (int i = 0; i < TEMP_SLOTS; i++) dvt_slot_deinit(&s->temp_slots[i]);
  while (s->own_slots) {
    own_slot *own = s->own_slots;
    s->own_slots = own->next;
    dvt_slot_deinit(&own->slot);
    dvt_free(own);
  }
  dvt_free(s);
}

// One block: the state, then its arrays.
static array_state *state_new(dvt_plan *plan) {
  const dvt_array_plan *a = &plan->array;
  size_t inputs = (size_t)a->input_count * sizeof(TF_Tensor *),
         outputs = (size_t)a->output_count * sizeof(dvt_kernel_output);
  size_t feeds = (size_t)plan->feed_count * sizeof(TF_Tensor),
         handles = (size_t)plan->fetch_count * sizeof(TF_Tensor *);
  size_t slots = (size_t)a->slot_count * sizeof(dvt_slot);
  array_state *s = dvt_calloc(1, sizeof *s + inputs + outputs + feeds + handles + slots);
  if (!s) return NULL;
  char *next = (char *)(s + 1);
  s->plan = plan;
  s->outputs = (void *)next;
  s->feeds = (void *)(next += outputs);
  s->inputs = (void *)(next += feeds);
  s->handles = (void *)(next += inputs);
  s->slots = (void *)(next + handles);
  s->careful_runs = CAREFUL_RUNS;
  for (int32_t i = 0; i < a->output_count; i++)
    s->outputs[i].slot = a->slots[i] < 0 ? NULL : &s->slots[a->slots[i]];
  for (int32_t i = 0; i < a->input_count; i++) s->inputs[i] = value_of(s, a->inputs[i]);
  s->ctx.step = &s->step;
  s->ctx.view = &view;
  s->trace.plan = plan;
  s->ctx.lender = &s->lender;
  s->ctx.temp_slots = s->temp_slots;
  s->ctx.temp_slot_count = TEMP_SLOTS;
  dvt_step_init(&s->step, plan->session);
  return s;
}

static array_state *state_take(dvt_plan *plan) {
  array_state *s = (array_state *)dvt_state_pool_take(&plan->array_states);
  if (s) return s;
  s = state_new(plan);
  if (s && !dvt_state_pool_adopt(&plan->array_states, &s->pooled)) {
    state_free(s);
    return NULL;
  }
  return s;
}

static inline bool is_buffer_busy(const dvt_slot *slot) {
  return slot->buffer && atomic_load_explicit(&slot->buffer->refs, memory_order_acquire) > 1;
}

static bool is_shared_slot(const array_state *s, const dvt_slot *slot) {
  return slot >= s->slots && slot < s->slots + s->plan->array.slot_count;
}

static void separate_slots(array_state *s, const dvt_array_step *step) {
  for (int32_t i = 0; i < step->output_count; i++) {
    dvt_kernel_output *output = &s->outputs[step->first_output + i];
    if (!output->slot || !is_shared_slot(s, output->slot) || !is_buffer_busy(output->slot)) continue;
    own_slot *own = dvt_calloc(1, sizeof *own);
    if (!own) return;  // the slot's buffer is replaced on use instead
    own->next = s->own_slots;
    s->own_slots = own;
    output->slot = &own->slot;
  }
}

static inline void drop_value(dvt_kernel_output *value) {
  TF_Tensor *t = &value->tensor;
  if (value->is_passed_on || dvt_slot_take_back(value->slot, t->buffer)) t->buffer = NULL;
  value->is_set = value->is_passed_on = false;
  dvt_value_drop(t);
}

static inline bool outputs_are_fine(const TF_OpKernelContext *ctx, const dvt_array_step *step) {
  if (DVT_UNLIKELY(ctx->status != NULL)) return false;
  for (int32_t i = 0; i < step->output_count; i++)
    if (DVT_UNLIKELY(!ctx->outputs[i].is_set || ctx->outputs[i].tensor.dtype != step->output_types[i]))
      return false;
  return true;
}

// NULL when the kernel only left unset what nobody reads.
static dvt_status DVT_COLD step_failed(array_state *s, const dvt_array_step *step) {
  s->ctx.unread_outputs = s->plan->nodes[step->node].unread_outputs;
  dvt_status status = dvt_context_finish(&s->ctx, false);
  s->ctx.unread_outputs = NULL;
  if (!status) return NULL;
  return dvt_node_failed(status, s->plan->nodes[step->node].session_node, s->ctx.inputs, step->input_count);
}

static inline dvt_status call_kernel(array_state *s, const dvt_array_step *step, bool checked) {
  const dvt_array_plan *a = &s->plan->array;
  TF_OpKernelContext *ctx = &s->ctx;
  ctx->kernel = step->kernel;
  ctx->inputs = s->inputs + step->first_input;
  ctx->last_use = a->last_use + step->first_input;
  ctx->stable_inputs = step->stable_inputs;
  ctx->outputs = s->outputs + step->first_output;
  ctx->input_count = step->input_count;
  ctx->output_count = step->output_count;
  atomic_store_explicit(&ctx->temp_slots_used, 0, memory_order_relaxed);
  if (checked)
    dvt_kernel_compute_safely(ctx);
  else
    dvt_kernel_compute(ctx);
  if (DVT_UNLIKELY(dvt_lender_has_open(&s->lender))) dvt_lender_settle(&s->lender);
  return DVT_LIKELY(outputs_are_fine(ctx, step)) ? NULL : step_failed(s, step);
}

static inline void release_values(array_state *s, const dvt_array_step *step) {
  const int32_t *release = s->plan->array.releases + step->first_release,
                *end = release + step->release_count;
  for (; release < end; release++) drop_value(&s->outputs[*release]);
}

static dvt_status walk(array_state *s) {
  const dvt_array_step *step = s->plan->array.steps, *end = step + s->plan->array.step_count;
  TF_Session *session = s->plan->session;
  for (; step < end; step++) {
    if (DVT_UNLIKELY(dvt_session_is_closed(session))) return dvt_step_check(&s->step, session);
    dvt_status status = call_kernel(s, step, false);
    if (DVT_UNLIKELY(status != NULL)) return dvt_step_reason(&s->step, session, status);
    release_values(s, step);
  }
  return NULL;
}

static dvt_status call_measured(array_state *s, const dvt_array_step *step, bool checked) {
  int64_t start = dvt_now_ns();
  dvt_status status = call_kernel(s, step, checked);
  if (!status) dvt_node_cost(&s->plan->nodes[step->node], dvt_now_ns() - start);
  return status;
}

// `*last_end` is when the node before had ended.
static dvt_status call_traced(array_state *s, const dvt_array_step *step, bool checked, int32_t thread,
                              int64_t *last_end) {
  dvt_node_trace *trace = &s->trace;
  dvt_profile *profile = trace->profile;
  trace->node = step->node;
  atomic_store_explicit(&trace->output_bytes, 0, memory_order_relaxed);
  atomic_store_explicit(&trace->temp_bytes, 0, memory_order_relaxed);
  int64_t around = dvt_called_enter(), start = dvt_profile_now(profile);
  dvt_status status = call_kernel(s, step, checked);
  int64_t end = dvt_profile_now(profile);
  dvt_profile_entry entry = {.plan = s->plan,
                             .node = step->node,
                             .thread = thread,
                             .scheduled_ns = *last_end,
                             .start_ns = start,
                             .end_ns = end,
                             .called_ns = dvt_called_leave(around),
                             .output_bytes = atomic_load_explicit(&trace->output_bytes, memory_order_relaxed),
                             .temp_bytes = atomic_load_explicit(&trace->temp_bytes, memory_order_relaxed),
                             .has_failed = status != NULL};
  dvt_profile_add(profile, &entry, s->outputs + step->first_output, step->output_count);
  *last_end = end;
  return status;
}

// The same with everything that is not wanted in the steady state: slots that must be separated, clocks,
// deadlines, the checks of debug mode.
static dvt_status walk_carefully(array_state *s, const dvt_run *run, bool checked) {
  const dvt_array_plan *a = &s->plan->array;
  int64_t last_end = run->profile ? dvt_profile_now(run->profile) : 0;
  int32_t thread = run->profile ? dvt_pool_worker_index(s->plan->session->pool) : 0;
  for (int32_t i = 0; i < a->step_count; i++) {
    const dvt_array_step *step = &a->steps[i];
    DVT_RETURN_IF_ERROR(dvt_step_check(&s->step, s->plan->session));
    if (s->careful_runs > 0) separate_slots(s, step);
    dvt_status status = run->profile   ? call_traced(s, step, checked, thread, &last_end)
                        : run->measure ? call_measured(s, step, checked)
                                       : call_kernel(s, step, checked);
    if (DVT_UNLIKELY(status != NULL)) return dvt_step_reason(&s->step, s->plan->session, status);
    release_values(s, step);
  }
  if (s->careful_runs > 0) s->careful_runs--;
  return dvt_step_check(&s->step, s->plan->session);
}

// Feeds are the caller's for the whole step, so they are borrowed: no reference is taken. Unless the plan
// owns them.
static void take_feeds(array_state *s, const dvt_run *run) {
  if (s->plan->owns_feeds) {
    for (int32_t i = 0; i < s->plan->feed_count; i++) dvt_value_move(&s->outputs[i].tensor, run->feeds[i]);
    return;
  }
  for (int32_t i = 0; i < s->plan->feed_count; i++) s->feeds[i] = *run->feeds[i];
}

static void drop_values(array_state *s) {
  for (int32_t i = 0; i < s->plan->array.output_count; i++) drop_value(&s->outputs[i]);
}

static dvt_status new_handle(const TF_Tensor *value, bool deep, TF_Tensor **out_handle) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  // Who fetches from a session owns what he gets and may write into it; a constant must survive that.
  dvt_status status = deep ? dvt_tensor_clone(value, handle) : dvt_tensor_init_copy(handle, value);
  if (status) {
    dvt_tensor_handle_delete(handle);
    return status;
  }
  *out_handle = handle;
  return NULL;
}

// Feeds that no step read.
static void drop_feeds(array_state *s) {
  for (int32_t i = 0; i < s->plan->array.feed_count; i++) dvt_value_drop(&s->outputs[i].tensor);
}

static dvt_status fetch(array_state *s, dvt_run *run) {
  const dvt_plan *plan = s->plan;
  dvt_status status = NULL;
  int32_t done = 0;
  for (; done < plan->fetch_count; done++) {
    dvt_source source = plan->array_fetches[done];
    bool deep = source.node == DVT_SOURCE_CONST && !run->caller;
    status = new_handle(value_of(s, source), deep, &s->handles[done]);
    if (DVT_UNLIKELY(status != NULL)) break;
  }
  if (DVT_UNLIKELY(status != NULL)) {
    while (done > 0) dvt_tensor_handle_delete(s->handles[--done]);
    return status;
  }
  for (int32_t i = 0; i < plan->fetch_count; i++) {
    run->fetched[i] = s->handles[i];
    dvt_source source = plan->array_fetches[i];
    if (source.node >= 0) drop_value(&s->outputs[source.index]);
  }
  drop_feeds(s);
  return NULL;
}

static dvt_status run_in(array_state *s, dvt_run *run) {
  take_feeds(s, run);
  bool checked = dvt_debug_has(DVT_DEBUG_CALLS);
  bool careful = checked || run->measure || s->careful_runs > 0 || run->profile || run->deadline_ns;
  s->trace.profile = run->profile;
  s->ctx.trace = DVT_UNLIKELY(run->profile != NULL) ? &s->trace : NULL;
  DVT_RETURN_IF_ERROR(careful ? walk_carefully(s, run, checked) : walk(s));
  DVT_RETURN_IF_ERROR(dvt_step_finish(&s->step, NULL));
  return fetch(s, run);
}

typedef struct step_call {
  array_state *state;
  dvt_run *run;
  dvt_status status;
} step_call;

static void run_step_call(void *arg) {
  step_call *call = arg;
  call->status = run_in(call->state, call->run);
}

// The frames between the kernel that threw and dvt_array_run are gone; what they worked on is in the state.
static dvt_status DVT_COLD kernel_threw(array_state *s, dvt_exception *thrown) {
  const dvt_array_step *step = s->plan->array.steps, *end = step + s->plan->array.step_count;
  while (step < end && (s->ctx.outputs != s->outputs + step->first_output || s->ctx.kernel != step->kernel))
    step++;
  if (step == end) return dvt_exception_status(thrown, "a function of the step");
  dvt_kernel_threw(&s->ctx, thrown);
  dvt_lender_settle(&s->lender);
  return step_failed(s, step);
}

dvt_status dvt_array_run(dvt_run *run) {
  array_state *s = state_take(run->plan);
  if (!s) return dvt_error_out_of_memory(sizeof *s);
  dvt_lender *outer = dvt_lender_current;
  dvt_lender_current = &s->lender;
  dvt_step_begin(&s->step, run);
  step_call call = {.state = s, .run = run};
  dvt_exception *thrown = dvt_catch_call(run_step_call, &call);
  dvt_status status = DVT_UNLIKELY(thrown != NULL) ? kernel_threw(s, thrown) : call.status;
  dvt_lender_current = outer;
  if (DVT_UNLIKELY(status != NULL)) {
    dvt_step_cancel(&s->step);
    status = dvt_step_finish(&s->step, status);
    drop_values(s);
  }
  dvt_state_pool_give(&run->plan->array_states, &s->pooled);
  return status;
}

void dvt_array_states_deinit(dvt_plan *plan) {
  for (dvt_pooled_state *p = atomic_load(&plan->array_states.all), *next; p; p = next) {
    next = p->next;
    state_free((array_state *)p);
  }
  dvt_state_pool_deinit(&plan->array_states);
}

void dvt_array_cancel(dvt_plan *plan) {
  for (dvt_pooled_state *p = atomic_load(&plan->array_states.all); p; p = p->next)
    dvt_step_cancel(&((array_state *)p)->step);
}
