// include/dovetail/kernel_context.h: what a kernel asks of its step: cancellation, time, container, threads.
#include <time.h>

#include "base/code_owner.h"
#include "capi/context_error.h"
#include "dovetail/kernel_context.h"
#include "kernel/context.h"

static TF_StringView view(dvt_str s) { return (TF_StringView){s.data, s.len}; }

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// Steps reckon with the monotonic clock.
static int64_t unix_us(int64_t monotonic_ns) {
  return (clock_ns(CLOCK_REALTIME) + monotonic_ns - clock_ns(CLOCK_MONOTONIC)) / 1000;
}

bool TF_OpKernelContext_Deadline(TF_OpKernelContext *ctx, int64_t *deadline_us) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return false;
  int64_t deadline = ctx->step->deadline_ns;
  if (deadline) *deadline_us = unix_us(deadline);
  return deadline != 0;
}

int64_t TF_OpKernelContext_StartTime(TF_OpKernelContext *ctx) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return 0;
  const dvt_step *step = dvt_step_outermost(ctx->step);
  if (step->start_ns) return unix_us(step->start_ns);
  if (step->wants_start) atomic_store_explicit(step->wants_start, true, memory_order_relaxed);
  return clock_ns(CLOCK_REALTIME) / 1000;
}

TF_StringView TF_OpKernelContext_StepContainer(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR(""))
                                                  : view(dvt_step_use_container(ctx->step));
}

TF_StringView TF_OpKernelContext_SessionHandle(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->step->session_handle);
}

// ConfigProto.experimental (16), in it session_metadata (11): name (1), version (2).
bool TF_OpKernelContext_SessionMetadata(TF_OpKernelContext *ctx, TF_StringView *name, int64_t *version) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return false;
  dvt_field experimental, metadata, field;
  if (!dvt_wire_find(ctx->step->config_proto, 16, DVT_WIRE_BYTES, &experimental) ||
      !dvt_wire_find(experimental.bytes, 11, DVT_WIRE_BYTES, &metadata))
    return false;
  if (name)
    *name = view(dvt_wire_find(metadata.bytes, 1, DVT_WIRE_BYTES, &field) ? field.bytes : DVT_STR(""));
  if (version)
    *version = dvt_wire_find(metadata.bytes, 2, DVT_WIRE_VARINT, &field) ? (int64_t)field.value : 0;
  return true;
}

bool TF_OpKernelContext_RunAllKernelsInline(TF_OpKernelContext *ctx) {
  return !dvt_context_refuses(ctx, __func__, NULL) && (ctx->step->in_caller || !ctx->step->pool);
}

// What waits in the pool may outlast the step, so it keeps its plugin from being unloaded.
typedef struct closure {
  void (*fn)(void *arg);
  void *arg;
  dvt_owned_kind *counted;
} closure;

static void run_closure(void *arg) {
  closure c = *(closure *)arg;
  dvt_free(arg);
  c.fn(c.arg);
  dvt_owned_drop(c.counted);
}

static dvt_status closure_new(void (*fn)(void *arg), void *arg, closure **out_closure) {
  static const char key;
  const void *code;
  closure *c = dvt_malloc(sizeof *c);
  if (!c) return dvt_error_out_of_memory(sizeof *c);
  DVT_CODE_ADDRESS(fn, &code);
  *c = (closure){fn, arg,
                 dvt_owned_take(dvt_code_owner_find(code), &key, "closures that did not run yet", NULL)};
  *out_closure = c;
  return NULL;
}

void TF_OpKernelContext_Run(TF_OpKernelContext *ctx, void (*fn)(void *arg), void *arg, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  bool is_inline = TF_OpKernelContext_RunAllKernelsInline(ctx);
  dvt_pool *pool = ctx->step->pool;
  closure *c = NULL;
  dvt_status error = NULL;
  if (!fn)
    error = dvt_error(TF_INVALID_ARGUMENT, "TF_OpKernelContext_Run: fn is NULL");
  else if (!is_inline)
    error = closure_new(fn, arg, &c);
  bool failed = error != NULL;
  // The kernel, and with it its status and context, may be over when fn has run.
  dvt_context_answer(ctx, error, status);
  if (failed) return;
  if (is_inline)
    fn(arg);
  else
    dvt_pool_schedule_task(pool, run_closure, c, 0, DVT_ANY_THREAD);
}

bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx) {
  return !dvt_context_refuses(ctx, __func__, NULL) && dvt_step_is_cancelled(ctx->step);
}

int64_t TF_OpKernelContext_RegisterCancellation(TF_OpKernelContext *ctx, void (*callback)(void *arg),
                                                void *arg, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return 0;
  int64_t token = 0;
  dvt_status error =
      callback ? dvt_step_on_cancel(ctx->step, callback, arg, &token)
               : dvt_error(TF_INVALID_ARGUMENT, "TF_OpKernelContext_RegisterCancellation: callback is NULL");
  dvt_context_answer(ctx, error, status);
  return token;
}

bool TF_OpKernelContext_DeregisterCancellation(TF_OpKernelContext *ctx, int64_t token) {
  return !dvt_context_refuses(ctx, __func__, NULL) && dvt_step_off_cancel(ctx->step, token, true);
}

bool TF_OpKernelContext_TryDeregisterCancellation(TF_OpKernelContext *ctx, int64_t token) {
  return !dvt_context_refuses(ctx, __func__, NULL) && dvt_step_off_cancel(ctx->step, token, false);
}
