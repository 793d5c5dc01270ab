// The checked calls of debug mode; see checked.h.
#include "kernel/checked.h"

#include "base/catch.h"
#include "base/handles.h"
#include "tensor/guard.h"
#include "tensorflow/c/tf_tstring.h"

// What the kernel sees is `ctx`; `real` is the executor's context, which is there for as long as the call.
typedef struct dvt_checked_call {
  TF_OpKernelContext ctx;
  TF_OpKernelContext *real;
  dvt_step *step;
  const dvt_debug_origin *origin;
  atomic_bool is_over;
  struct TF_AsyncOpKernelDoneCallback done;  // asynchronous kernels: stands before the executor's
  dvt_kernel over_kernel;                    // what the context has once the call is over
  dvt_step over_step;
  struct {
    uint64_t sum;  // of its contents before the call
    bool is_forwarded;
  } inputs[];
} dvt_checked_call;

// What a dead context still points to: a node without inputs and outputs, a step that has nothing.
static const dvt_op_def over_op = {.name = {"(over)", 6}};
static const dvt_node_def over_node = {.name = {"(over)", 6}, .op = &over_op};
static const dvt_kernel_def over_def = {.op = {"(over)", 6}};

dvt_str dvt_kernel_plugin_name(const dvt_kernel *kernel) {
  const dvt_load *load = kernel->def->load;
  return load && load->plugin_name ? dvt_str_from(load->plugin_name) : DVT_STR("");
}

static const dvt_debug_origin *origin_of(const dvt_kernel *kernel) {
  return dvt_debug_origin_of(dvt_kernel_plugin_name(kernel), kernel->def->op, kernel->node->name);
}

static void fail_context(void *arg, const char *what) {
  dvt_context_fail(arg, dvt_error(TF_INTERNAL, "%s", what));
}

TF_OpKernelContext *dvt_checked_context(const TF_OpKernelContext *ctx, const char *function) {
  dvt_checked_call *call = ctx->checked;
  if (!atomic_load(&call->is_over)) return call->real;
  char whose[256];
  dvt_debug_origin_text(call->origin, whose, sizeof whose);
  dvt_debug_report(
      function,
      "the kernel context of a call of %s was used after that call; a context is good until compute "
      "returns, or done is called",
      whose);
  return NULL;
}

static bool refuse(TF_Status *status, TF_Code code, const char *function, const char *why) {
  if (status) dvt_status_to_tf(dvt_error(code, "%s: %s", function, why), status);
  return true;
}

bool dvt_checked_refuses_context(const TF_OpKernelContext *ctx, const char *function, TF_Status *status) {
  if (!dvt_debug_has(DVT_DEBUG_CALLS)) return false;
  if (!dvt_handle_is_known(ctx, DVT_HANDLE_CONTEXT, function))
    return refuse(status, TF_INVALID_ARGUMENT, function, "what was given is no kernel context");
  if (!ctx->checked || dvt_checked_context(ctx, function)) return false;
  return refuse(status, TF_FAILED_PRECONDITION, function,
                "the call that this kernel context was made for is over");
}

bool dvt_checked_refuses_construction(const TF_OpKernelConstruction *ctx, const char *function,
                                      TF_Status *status) {
  char whose[256];
  if (!dvt_debug_has(DVT_DEBUG_CALLS)) return false;
  if (!dvt_handle_is_known(ctx, DVT_HANDLE_CONSTRUCTION, function))
    return refuse(status, TF_INVALID_ARGUMENT, function, "what was given is no kernel construction");
  if (!ctx->over) return false;
  dvt_debug_origin_text(ctx->over, whose, sizeof whose);
  dvt_debug_report(function,
                   "the kernel construction of %s was used after its create function had returned; keep what "
                   "is needed of it in the kernel's state",
                   whose);
  return refuse(status, TF_FAILED_PRECONDITION, function,
                "the create function that this kernel construction was made for has returned");
}

dvt_step *dvt_checked_step(const TF_OpKernelContext *ctx) { return ctx->checked->step; }

static uint64_t sum_bytes(const void *data, size_t bytes) {
  const uint8_t *p = data;
  uint64_t sum = UINT64_C(0xcbf29ce484222325), word;
  for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
    memcpy(&word, p, sizeof word);
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 29;
  }
  for (; bytes; p++, bytes--) sum = (sum ^ *p) * UINT64_C(0x100000001b3);
  return sum;
}

// Objects have a life of their own: only what refers to them is compared.
static uint64_t sum_of(const TF_Tensor *t) {
  if (!t || dvt_tensor_is_empty(t)) return 0;
  size_t bytes = DVT_MIN((size_t)dvt_tensor_count(t) * dvt_dtype_stride(t->dtype), t->buffer->capacity);
  uint64_t sum = sum_bytes(t->data, bytes);
  if (t->dtype != TF_STRING || !t->buffer->element_dtype) return sum;
  const TF_TString *strings = t->data;
  for (size_t i = 0; i < bytes / sizeof *strings; i++)
    sum += sum_bytes(TF_TString_GetDataPointer(&strings[i]), TF_TString_GetSize(&strings[i])) * (i + 1);
  return sum;
}

void dvt_checked_note_forward(TF_OpKernelContext *ctx, const dvt_buffer *buffer) {
  dvt_checked_call *call = ctx->checked;
  for (int i = 0; i < ctx->input_count; i++)
    if (ctx->inputs[i] && ctx->inputs[i]->buffer == buffer && ctx->last_use && ctx->last_use[i])
      call->inputs[i].is_forwarded = true;
}

// Was the input's memory given to an output? Then it may change.
static bool is_forwarded(const dvt_checked_call *call, int i) {
  const TF_OpKernelContext *ctx = call->real;
  if (call->inputs[i].is_forwarded) return true;
  if (!ctx->last_use || !ctx->last_use[i]) return false;
  for (int o = 0; o < ctx->output_count; o++)
    if (ctx->outputs[o].is_set && ctx->outputs[o].tensor.buffer == ctx->inputs[i]->buffer) return true;
  return false;
}

static void check_input(const dvt_checked_call *call, int i) {
  const TF_Tensor *t = call->real->inputs[i];
  if (!t || dvt_tensor_is_empty(t)) return;
  if (dvt_debug_has(DVT_DEBUG_MEMORY)) dvt_guard_check(t->buffer, "compute");
  if (!dvt_debug_has(DVT_DEBUG_INPUTS) || is_forwarded(call, i) || sum_of(t) == call->inputs[i].sum) return;
  dvt_buf text = {0};
  dvt_tensor_describe(t, 0, &text);
  dvt_debug_report(
      "compute",
      "input %d, " DVT_STR_FMT
      ", was changed. Inputs are others' too: write into outputs, or take the input's memory with "
      "TF_ForwardInputOrAllocateOutput",
      i, DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
}

// Executors know their own context.
static const bool *unread_outputs(const TF_OpKernelContext *ctx) {
  const TF_OpKernelContext *real = ctx->checked->real;
  return real->view->unread_outputs(real);
}
static bool is_expensive(const TF_OpKernelContext *ctx) {
  const TF_OpKernelContext *real = ctx->checked->real;
  return real->view->is_expensive(real);
}
static const dvt_executor_view real_view = {unread_outputs, is_expensive};

static dvt_checked_call *call_new(TF_OpKernelContext *real) {
  dvt_checked_call *call = dvt_calloc(1, sizeof *call + (size_t)real->input_count * sizeof *call->inputs);
  if (!call) return NULL;
  memcpy(&call->ctx, real, sizeof call->ctx);
  // Every handle is the kernel's own, and every tensor has memory of its own.
  call->ctx.lender = NULL;
  call->ctx.temp_slots = NULL;
  call->ctx.checked = call;
  if (real->view) call->ctx.view = &real_view;
  call->real = real;
  call->step = real->step;
  call->origin = origin_of(real->kernel);
  dvt_handle_made(&call->ctx, DVT_HANDLE_CONTEXT);
  for (int i = 0; i < real->output_count; i++) real->outputs[i].slot = NULL;
  for (int i = 0; i < real->input_count && dvt_debug_has(DVT_DEBUG_INPUTS); i++)
    call->inputs[i].sum = sum_of(real->inputs[i]);
  return call;
}

// The ledger forgets it when its memory goes.
static void end_handle(const void *handle, dvt_handle_kind kind) {
  (void)dvt_handle_may_delete(handle, kind, "compute");
}

// From here on the kernel's context is dead.
static void call_end(dvt_checked_call *call) {
  dvt_debug_call current = {call->origin, fail_context, call->real}, *outer = dvt_debug_current;
  dvt_debug_current = &current;
  for (int i = 0; i < call->real->input_count; i++) check_input(call, i);
  for (int i = 0; i < call->real->output_count && dvt_debug_has(DVT_DEBUG_MEMORY); i++)
    if (call->real->outputs[i].is_set) dvt_guard_check(call->real->outputs[i].tensor.buffer, "compute");
  dvt_debug_current = outer;
  atomic_store(&call->is_over, true);
  call->over_kernel =
      (dvt_kernel){.def = &over_def, .node = &over_node, .device = call->real->kernel->device};
  call->over_step.device = call->real->step->device;
  call->ctx.kernel = &call->over_kernel;
  call->ctx.step = &call->over_step;
  call->ctx.view = NULL;
  call->ctx.inputs = NULL;
  call->ctx.outputs = NULL;
  call->ctx.input_count = call->ctx.output_count = 0;
  end_handle(&call->ctx, DVT_HANDLE_CONTEXT);
  dvt_handle_retire(call);
}

static void checked_done(void *arg) {
  dvt_checked_call *call = arg;
  struct TF_AsyncOpKernelDoneCallback *done = call->real->done;
  call_end(call);
  done->done(done->arg);
}

static void run_compute(void *arg) { dvt_kernel_compute(&((dvt_checked_call *)arg)->ctx); }

void dvt_checked_compute(TF_OpKernelContext *ctx) {
  bool is_async = !ctx->kernel->def->compute;
  dvt_checked_call *call = call_new(ctx);
  if (!call) {
    dvt_context_fail(ctx, dvt_error_out_of_memory(sizeof *call));
    if (is_async) ctx->done->done(ctx->done->arg);
    return;
  }
  call->done = (struct TF_AsyncOpKernelDoneCallback){.done = checked_done, .arg = call};
  call->ctx.done = &call->done;
  dvt_debug_call current = {call->origin, fail_context, &call->ctx}, *outer = dvt_debug_current;
  dvt_debug_current = &current;
  dvt_exception *thrown = dvt_catch_call(run_compute, call);
  dvt_debug_current = outer;
  if (thrown) dvt_kernel_threw(&call->ctx, thrown);
  if (!is_async) call_end(call);
}

static void fail_construction(void *arg, const char *what) {
  TF_OpKernelConstruction *construction = arg;
  if (!construction->status) construction->status = dvt_error(TF_INTERNAL, "%s", what);
}

// A construction that outlives its kernel, and what it points to then.
typedef struct checked_construction {
  TF_OpKernelConstruction seen;
  dvt_kernel over_kernel;
} checked_construction;

static TF_OpKernelConstruction *construction_new(const TF_OpKernelConstruction *given) {
  checked_construction *c = dvt_calloc(1, sizeof *c);
  if (!c) return NULL;
  c->seen = *given;
  c->over_kernel = (dvt_kernel){.def = &over_def, .node = &over_node, .device = given->kernel->device};
  dvt_handle_made(&c->seen, DVT_HANDLE_CONSTRUCTION);
  return &c->seen;
}

static void construction_end(TF_OpKernelConstruction *seen, const dvt_debug_origin *whose) {
  seen->over = whose;
  seen->kernel = &((checked_construction *)seen)->over_kernel;
  seen->session = NULL;
  seen->status = NULL;
  end_handle(seen, DVT_HANDLE_CONSTRUCTION);
  dvt_handle_retire(seen);
}

TF_OpKernelConstruction *dvt_checked_life_begin(dvt_checked_life *life, const dvt_kernel *kernel,
                                                TF_OpKernelConstruction *construction) {
  *life = (dvt_checked_life){.given = construction, .is_on = dvt_debug_has(DVT_DEBUG_CALLS)};
  if (!life->is_on) return construction;
  life->seen = construction ? construction_new(construction) : NULL;
  life->outer = dvt_debug_current;
  TF_OpKernelConstruction *used = life->seen ? life->seen : construction;
  life->call = (dvt_debug_call){origin_of(kernel), used ? fail_construction : NULL, used};
  dvt_debug_current = &life->call;
  return used;
}

void dvt_checked_life_end(dvt_checked_life *life) {
  if (!life->is_on) return;
  dvt_debug_current = life->outer;
  if (!life->seen) return;
  life->given->status = life->seen->status;
  construction_end(life->seen, life->call.origin);
}
