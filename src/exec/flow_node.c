// Running one node of a dataflow walk: the executor's own kinds, which move values, and kernels.
#include "exec/flow_run.h"

// An input that arrived over an edge belongs to the node and can be moved; constants and feeds are shared.
static dvt_status pass_on(dvt_execution *e, int32_t input, int32_t output) {
  e->outputs[output].is_set = true;
  if (e->last_use[input]) {
    dvt_value_move(&e->outputs[output].tensor, e->inputs[input]);
    return NULL;
  }
  return dvt_tensor_init_copy(&e->outputs[output].tensor, e->inputs[input]);
}

static bool is_scalar_of(const TF_Tensor *t, int dtype) {
  return t->dtype == dtype && t->rank == 0 && t->buffer && t->buffer->bytes >= dvt_dtype_size(dtype);
}

// A bool chooses one of two outputs, an int32 one of any number; a number out of range chooses the last.
static dvt_status run_switch(dvt_execution *e, const dvt_flow_node *node) {
  const TF_Tensor *predicate = e->inputs[1];
  if (is_scalar_of(predicate, TF_BOOL)) return pass_on(e, 0, *(const uint8_t *)predicate->data ? 1 : 0);
  if (is_scalar_of(predicate, TF_INT32)) {
    int32_t index = *(const int32_t *)predicate->data;
    return pass_on(e, 0, index < 0 || index >= node->output_count ? node->output_count - 1 : index);
  }
  dvt_buf text = {0};
  dvt_tensor_describe(predicate, 0, &text);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "The second input must be a scalar, but it has shape " DVT_STR_FMT
                                ": a Switch decides by one bool, a _SwitchN by one int32",
                                DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status run_merge(dvt_execution *e, const dvt_flow_node *node) {
  for (int32_t i = 0; i < node->input_count; i++) {
    if (dvt_tensor_is_empty(e->inputs[i])) continue;
    if (node->wants_index) {
      DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(&e->outputs[1].tensor, TF_INT32, NULL, 0));
      *(int32_t *)e->outputs[1].tensor.data = i;
    }
    return pass_on(e, i, 0);
  }
  return dvt_error(TF_INTERNAL, "Merge became ready without a live input");
}

// In a malformed loop an edge can bring a value more than once, in place of another edge's.
static dvt_status check_inputs(const dvt_execution *e, const dvt_flow_node *node) {
  for (int32_t i = 0; i < node->input_count; i++)
    if (DVT_UNLIKELY(dvt_tensor_is_empty(e->inputs[i])))
      return dvt_error(TF_INVALID_ARGUMENT,
                       "input %d never came, another input came more than once: an Exit must hang on the "
                       "condition of its loop",
                       (int)i);
  return NULL;
}

static dvt_status run_kernel(dvt_execution *e, const dvt_flow_node *node) {
  TF_OpKernelContext *ctx = &e->ctx;
  ctx->kernel = &node->session_node->kernel;
  ctx->inputs = e->inputs;
  ctx->last_use = e->last_use;
  ctx->stable_inputs = e->state->flow->plan->stable_inputs + node->first_input;
  ctx->unread_outputs = e->state->flow->plan->nodes[e->task.node].unread_outputs;
  ctx->outputs = e->outputs;
  ctx->input_count = node->input_count;
  ctx->output_count = node->output_count;
  ctx->frame_id = (uint64_t)e->task.iteration->frame->index;
  ctx->iteration_id = e->task.iteration->number;
  dvt_status malformed = check_inputs(e, node);
  if (DVT_UNLIKELY(malformed != NULL)) {
    if (!node->is_async) return malformed;
    dvt_context_fail(ctx, malformed);
    ctx->done->done(ctx->done->arg);
    return NULL;
  }
  if (node->is_async) {
    ctx->lender = NULL;  // it may report from another thread
    dvt_kernel_compute_safely(ctx);
    return NULL;
  }
  dvt_lender *outer = dvt_lender_current;
  ctx->lender = dvt_lender_current = &e->lender;
  dvt_kernel_compute_safely(ctx);
  if (DVT_UNLIKELY(dvt_lender_has_open(&e->lender))) dvt_lender_settle(&e->lender);
  dvt_lender_current = outer;
  return dvt_context_finish(ctx, false);
}

static void begin_trace(dvt_execution *e) {
  e->trace.profile = e->state->profile;
  e->trace.plan = e->state->plan;
  e->trace.node = e->task.node;
  atomic_store_explicit(&e->trace.output_bytes, 0, memory_order_relaxed);
  atomic_store_explicit(&e->trace.temp_bytes, 0, memory_order_relaxed);
  e->ctx.trace = &e->trace;
}

void dvt_execution_begin(dvt_execution *e) {
  dvt_flow_state *state = e->state;
  const dvt_flow *flow = state->flow;
  const dvt_flow_node *node = &flow->nodes[e->task.node];
  dvt_iteration *it = e->task.iteration;
  e->ctx.trace = NULL;
  if (DVT_UNLIKELY(state->profile != NULL)) begin_trace(e);
  for (int32_t i = 0; i < node->input_count; i++) {
    dvt_source source = flow->plan->inputs[node->first_input + i];
    e->last_use[i] = source.node >= 0 || (source.node == DVT_SOURCE_FEED && flow->feed_moves[source.index]);
    e->inputs[i] = source.node >= 0                 ? &it->entries[node->first_entry + i].tensor
                   : source.node == DVT_SOURCE_FEED ? &state->feeds[source.index].tensor
                                                    : flow->plan->constants[source.index];
  }
  for (int32_t i = 0; i < node->output_count; i++) {
    int32_t slot = flow->output_slots[node->first_slot + i];
    // The tensor is empty: made so, or handed on, or dropped by the last node.
    e->outputs[i].is_set = false;
    e->outputs[i].slot = slot < 0 ? NULL : &it->slots[slot];
  }
}

dvt_status dvt_execution_run(dvt_execution *e) {
  const dvt_flow_node *node = &e->state->flow->nodes[e->task.node];
  switch ((dvt_node_kind)node->kind) {
    case DVT_NODE_KERNEL:
      return run_kernel(e, node);
    case DVT_NODE_CONST:
      return dvt_tensor_init_copy(&e->outputs[0].tensor, &node->session_node->constants[0]);
    case DVT_NODE_SWITCH:
      return run_switch(e, node);
    case DVT_NODE_MERGE:
      return run_merge(e, node);
    case DVT_NODE_ENTER:
    case DVT_NODE_EXIT:
    case DVT_NODE_NEXT_ITERATION:
    case DVT_NODE_LOOP_COND:
      return pass_on(e, 0, 0);
    default:
      return NULL;
  }
}

static void drop_input(dvt_kernel_output *value) {
  if (value->is_passed_on) value->tensor.buffer = NULL;
  value->is_passed_on = false;
  dvt_value_drop(&value->tensor);
}

void dvt_execution_drop_inputs(dvt_execution *e) {
  const dvt_flow_node *node = &e->state->flow->nodes[e->task.node];
  dvt_kernel_output *entries = &e->task.iteration->entries[node->first_entry];
  const dvt_flow *flow = e->state->flow;
  for (int32_t i = 0; i < node->input_count; i++) {
    dvt_source source = flow->plan->inputs[node->first_input + i];
    drop_input(&entries[i]);
    if (source.node == DVT_SOURCE_FEED && flow->feed_moves[source.index])
      drop_input(&e->state->feeds[source.index]);
  }
}

void dvt_execution_drop_outputs(dvt_execution *e) {
  const dvt_flow_node *node = &e->state->flow->nodes[e->task.node];
  for (int32_t i = 0; i < node->output_count; i++) dvt_value_drop(&e->outputs[i].tensor);
}

static bool is_expensive(const TF_OpKernelContext *ctx) {
  const dvt_execution *e = (const dvt_execution *)((const char *)ctx - offsetof(dvt_execution, ctx));
  return dvt_node_is_expensive(&e->state->plan->nodes[e->task.node]);
}

static const bool *unread_outputs(const TF_OpKernelContext *ctx) { return ctx->unread_outputs; }
static const dvt_executor_view view = {unread_outputs, is_expensive};

// One block: the execution, then its arrays, large enough for any node of the plan.
dvt_execution *dvt_execution_new(dvt_flow_state *state) {
  size_t inputs = (size_t)state->flow->most_inputs, outputs = (size_t)state->flow->most_outputs;
  dvt_execution *e = dvt_calloc(
      1, sizeof *e + outputs * sizeof *e->outputs + inputs * (sizeof *e->inputs + sizeof *e->last_use));
  if (!e) return NULL;
  e->outputs = (void *)(e + 1);
  e->inputs = (void *)(e->outputs + outputs);
  e->last_use = (void *)(e->inputs + inputs);
  e->state = state;
  e->ctx.step = &state->step;
  e->ctx.view = &view;
  return e;
}

void dvt_execution_free(dvt_execution *e) {
  dvt_lender_deinit(&e->lender);
  dvt_free(e);
}
