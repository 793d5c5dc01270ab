// include/dovetail/kernel_context.h: what a kernel asks of its step: cancellation, time, container, threads.
#include <time.h>

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
  int64_t deadline = ctx->step->deadline_ns;
  if (deadline) *deadline_us = unix_us(deadline);
  return deadline != 0;
}

int64_t TF_OpKernelContext_StartTime(TF_OpKernelContext *ctx) {
  const dvt_step *step = dvt_step_outermost(ctx->step);
  if (step->start_ns) return unix_us(step->start_ns);
  if (step->wants_start) atomic_store_explicit(step->wants_start, true, memory_order_relaxed);
  return clock_ns(CLOCK_REALTIME) / 1000;
}

TF_StringView TF_OpKernelContext_StepContainer(TF_OpKernelContext *ctx) {
  return view(dvt_step_use_container(ctx->step));
}

TF_StringView TF_OpKernelContext_SessionHandle(TF_OpKernelContext *ctx) {
  return view(ctx->step->session_handle);
}

// ConfigProto.experimental (16), in it session_metadata (11): name (1), version (2).
bool TF_OpKernelContext_SessionMetadata(TF_OpKernelContext *ctx, TF_StringView *name, int64_t *version) {
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
  return ctx->step->in_caller || !ctx->step->pool;
}

void TF_OpKernelContext_Run(TF_OpKernelContext *ctx, void (*fn)(void *arg), void *arg, TF_Status *status) {
  if (!fn) {
    dvt_context_answer(ctx, dvt_error(TF_INVALID_ARGUMENT, "TF_OpKernelContext_Run: fn is NULL"), status);
    return;
  }
  // First: the kernel may be over before this returns, and its status with it.
  TF_SetStatus(status, TF_OK, "");
  if (TF_OpKernelContext_RunAllKernelsInline(ctx))
    fn(arg);
  else
    dvt_pool_schedule(ctx->step->pool, fn, arg);
}

bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx) { return dvt_step_is_cancelled(ctx->step); }

int64_t TF_OpKernelContext_RegisterCancellation(TF_OpKernelContext *ctx, void (*callback)(void *arg),
                                                void *arg, TF_Status *status) {
  int64_t token = 0;
  dvt_status error =
      callback ? dvt_step_on_cancel(ctx->step, callback, arg, &token)
               : dvt_error(TF_INVALID_ARGUMENT, "TF_OpKernelContext_RegisterCancellation: callback is NULL");
  dvt_context_answer(ctx, error, status);
  return token;
}

bool TF_OpKernelContext_DeregisterCancellation(TF_OpKernelContext *ctx, int64_t token) {
  return dvt_step_off_cancel(ctx->step, token, true);
}

bool TF_OpKernelContext_TryDeregisterCancellation(TF_OpKernelContext *ctx, int64_t token) {
  return dvt_step_off_cancel(ctx->step, token, false);
}
