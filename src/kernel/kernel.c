// The life of a kernel instance: create with a construction context, compute with a context, destroy. What
// kernels do with their contexts is in context.c.
#include "kernel/kernel.h"

#include <pthread.h>

#include "base/catch.h"
#include "base/log.h"
#include "kernel/checked.h"

static pthread_mutex_t fail_mutex = PTHREAD_MUTEX_INITIALIZER;

// Marks the flat elements of arg `name` in the arrays of inputs or outputs, which are made on first use.
static dvt_status mark_host_memory(const dvt_node_def *node, dvt_str name, dvt_arena *arena, uint8_t **inputs,
                                   uint8_t **outputs) {
  bool is_input = dvt_op_def_find_input(node->op, name) >= 0;
  if (!is_input && dvt_op_def_find_output(node->op, name) < 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "HostMemory args '" DVT_STR_FMT "' not found in OpDef of op '" DVT_STR_FMT
                     "', needed by {{node " DVT_STR_FMT
                     "}}. Correct the name given to TF_KernelBuilder_HostMemory",
                     DVT_STR_ARG(name), DVT_STR_ARG(node->op->name), DVT_STR_ARG(node->name));
  uint8_t **flags = is_input ? inputs : outputs;
  size_t count = (size_t)(is_input ? node->input_count : node->output_count);
  if (!*flags) *flags = dvt_arena_calloc(arena, count, 1);
  if (!*flags) return dvt_error_out_of_memory(count);
  int start = 0, stop = 0;
  DVT_RETURN_IF_ERROR(is_input ? dvt_node_input_range(node, name, &start, &stop)
                               : dvt_node_output_range(node, name, &start, &stop));
  for (int i = start; i < stop; i++) (*flags)[i] = 1;
  return NULL;
}

static dvt_status find_host_memory(dvt_kernel *kernel, dvt_arena *arena) {
  uint8_t *inputs = NULL, *outputs = NULL;
  for (int i = 0; i < kernel->def->host_memory_count; i++)
    DVT_RETURN_IF_ERROR(
        mark_host_memory(kernel->node, kernel->def->host_memory_args[i], arena, &inputs, &outputs));
  kernel->host_memory_inputs = inputs;
  kernel->host_memory_outputs = outputs;
  return NULL;
}

typedef struct life_call {  // of create or delete
  dvt_kernel *kernel;
  TF_OpKernelConstruction *construction;
} life_call;

static void run_create(void *arg) {
  life_call *call = arg;
  call->kernel->state = call->kernel->def->create(call->construction);
}

static void run_destroy(void *arg) {
  life_call *call = arg;
  call->kernel->def->destroy(call->kernel->state);
}

static void destroy_state(dvt_kernel *kernel) {
  if (!kernel->def->destroy) return;
  life_call call = {.kernel = kernel};
  dvt_checked_life life;
  dvt_checked_life_begin(&life, kernel, NULL);
  dvt_status status = dvt_exception_status(dvt_catch_call(run_destroy, &call), "the delete function");
  dvt_checked_life_end(&life);
  if (!status) return;
  dvt_log(DVT_ERROR, "kernel of {{node " DVT_STR_FMT "}}, op '" DVT_STR_FMT "': %s",
          DVT_STR_ARG(kernel->node->name), DVT_STR_ARG(kernel->def->op), dvt_status_message(status));
  dvt_status_free(status);
}

// The kernel's state, or the error that create reported, or that it threw something: then there is no state.
static dvt_status create_state(dvt_kernel *kernel, TF_OpKernelConstruction *construction) {
  if (!kernel->def->create) return NULL;
  life_call call = {kernel, construction};
  dvt_checked_life life;
  call.construction = dvt_checked_life_begin(&life, kernel, construction);
  dvt_exception *thrown = dvt_catch_call(run_create, &call);
  dvt_checked_life_end(&life);
  if (DVT_UNLIKELY(thrown != NULL)) {
    dvt_status_free(construction->status);
    return dvt_exception_status(thrown, "the create function");
  }
  if (!construction->status) return NULL;
  destroy_state(kernel);
  return construction->status;
}

dvt_status dvt_kernel_create(const dvt_kernel_def *def, const dvt_node_def *node, const dvt_device *device,
                             int graph_def_version, const dvt_str *input_names, struct TF_Session *session,
                             dvt_arena *arena, dvt_kernel *out_kernel) {
  dvt_kernel kernel = {.def = def,
                       .node = node,
                       .device = device,
                       .graph_def_version = graph_def_version,
                       .input_names = input_names};
  if (!def->compute && !def->compute_async)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "the kernel registered for op '" DVT_STR_FMT
                     "' has no compute function, needed by {{node " DVT_STR_FMT
                     "}}. Pass one to TF_NewKernelBuilder",
                     DVT_STR_ARG(def->op), DVT_STR_ARG(node->name));
  DVT_RETURN_IF_ERROR(dvt_op_check_deprecation(node->op, graph_def_version));
  DVT_RETURN_IF_ERROR(find_host_memory(&kernel, arena));
  for (int i = 0; i < DVT_MIN(node->input_count, DVT_KERNEL_NEAR_TYPES); i++)
    kernel.near_input_types[i] = node->input_types[i];
  for (int i = 0; i < DVT_MIN(node->output_count, DVT_KERNEL_NEAR_TYPES); i++)
    kernel.near_output_types[i] = node->output_types[i];
  TF_OpKernelConstruction construction = {.kernel = &kernel, .session = session};
  DVT_RETURN_IF_ERROR(create_state(&kernel, &construction));
  if (def->load) atomic_fetch_add(&def->load->instances, 1);
  *out_kernel = kernel;
  return NULL;
}

void dvt_kernel_destroy(dvt_kernel *kernel) {
  if (!kernel || !kernel->def) return;
  destroy_state(kernel);
  if (kernel->def->load) atomic_fetch_sub(&kernel->def->load->instances, 1);
  kernel->def = NULL;
  kernel->state = NULL;
}

void dvt_context_fail(TF_OpKernelContext *ctx, dvt_status status) {
  if (!status) return;
  if (DVT_UNLIKELY(ctx->checked != NULL)) {
    ctx = dvt_checked_context(ctx, "TF_OpKernelContext_Failure");
    if (!ctx) {
      dvt_status_free(status);
      return;
    }
  }
  pthread_mutex_lock(&fail_mutex);
  bool first = !ctx->status;
  if (first) ctx->status = status;
  pthread_mutex_unlock(&fail_mutex);
  if (!first) dvt_status_free(status);
}

dvt_status dvt_context_failure(TF_OpKernelContext *ctx) {
  if (DVT_UNLIKELY(ctx->checked != NULL)) {
    ctx = dvt_checked_context(ctx, "TF_OpKernelContext_GetStatus");
    if (!ctx) return NULL;
  }
  pthread_mutex_lock(&fail_mutex);
  dvt_status status = dvt_status_clone(ctx->status);
  pthread_mutex_unlock(&fail_mutex);
  return status;
}

void dvt_kernel_compute(TF_OpKernelContext *ctx) {
  const dvt_kernel_def *def = ctx->kernel->def;
  if (DVT_LIKELY(def->compute != NULL)) {
    def->compute(ctx->kernel->state, ctx);
    return;
  }
  ctx->done->context = ctx;
  ctx->done->kernel = ctx->kernel;
  atomic_store_explicit(&ctx->done->runs, 0, memory_order_relaxed);
  def->compute_async(ctx->kernel->state, ctx, ctx->done);
}

static void run_compute(void *ctx) { dvt_kernel_compute(ctx); }

void dvt_kernel_compute_safely(TF_OpKernelContext *ctx) {
  if (dvt_debug_has(DVT_DEBUG_CALLS)) {
    dvt_checked_compute(ctx);
    return;
  }
  dvt_exception *thrown = dvt_catch_call(run_compute, ctx);
  if (DVT_UNLIKELY(thrown != NULL)) dvt_kernel_threw(ctx, thrown);
}

void dvt_kernel_threw(TF_OpKernelContext *ctx, struct dvt_exception *thrown) {
  dvt_status status = dvt_exception_status(thrown, "the compute function");
  if (ctx->kernel->def->compute) {
    dvt_context_fail(ctx, status);
  } else if (atomic_fetch_add(&ctx->done->runs, 1) == 0) {
    // It will not report that it is done.
    dvt_context_fail(ctx, status);
    ctx->done->done(ctx->done->arg);
  } else {
    dvt_log(DVT_ERROR, "%s", dvt_status_message(status));
    dvt_status_free(status);
  }
}

static dvt_status missing_output(const TF_OpKernelContext *ctx, int i) {
  return dvt_error(TF_INTERNAL,
                   "Missing %d-th output from {{node " DVT_STR_FMT "}}: the kernel of op '" DVT_STR_FMT
                   "' returned without an error and without setting it",
                   i, DVT_STR_ARG(ctx->kernel->node->name), DVT_STR_ARG(ctx->kernel->def->op));
}

static dvt_status wrong_output(const TF_OpKernelContext *ctx, int i, int declared) {
  return dvt_error(TF_INTERNAL,
                   "Output %d of type %s does not match declared output type %s for node {{node " DVT_STR_FMT
                   "}}",
                   i, dvt_dtype_name(ctx->outputs[i].tensor.dtype), dvt_dtype_name(declared),
                   DVT_STR_ARG(ctx->kernel->node->name));
}

static dvt_status check_output(const TF_OpKernelContext *ctx, int i, bool allow_unset) {
  const dvt_kernel_output *output = &ctx->outputs[i];
  if (!output->is_set)
    return allow_unset || (ctx->unread_outputs && ctx->unread_outputs[i]) ? NULL : missing_output(ctx, i);
  int declared = dvt_kernel_output_type(ctx->kernel, i);
  int expected = declared > DVT_DTYPE_REF_OFFSET ? TF_RESOURCE : declared;
  return output->tensor.dtype == expected ? NULL : wrong_output(ctx, i, declared);
}

dvt_status dvt_context_finish(TF_OpKernelContext *ctx, bool allow_unset) {
  dvt_status status = ctx->status;
  ctx->status = NULL;
  for (int i = 0; i < ctx->output_count && !status; i++) status = check_output(ctx, i, allow_unset);
  if (DVT_LIKELY(!status)) return NULL;
  for (int i = 0; i < ctx->output_count; i++) {
    if (ctx->outputs[i].is_set) dvt_tensor_reset(&ctx->outputs[i].tensor);
    ctx->outputs[i].is_set = false;
  }
  return status;
}
