// include/dovetail/trace.h: kernels name spans of their work, which go into the profile of the step.
#include "dovetail/trace.h"

#include "base/log.h"
#include "device/pool.h"
#include "exec/profile.h"
#include "kernel/checked.h"

bool dvt_trace_is_on(const TF_OpKernelContext *ctx) {
  return !dvt_context_refuses(ctx, __func__, NULL) && ctx->trace != NULL;
}

dvt_trace_span dvt_trace_begin(TF_OpKernelContext *ctx, const char *name) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return 0;
  if (DVT_LIKELY(!ctx->trace)) return 0;
  return dvt_profile_span_begin(ctx->trace, dvt_str_from(name), dvt_pool_worker_index(ctx->step->pool));
}

static void DVT_COLD log_misuse(const TF_OpKernelContext *ctx, const char *function, dvt_trace_span span) {
  dvt_log(DVT_ERROR, "%s: %lld is no open span of {{node " DVT_STR_FMT "}}, or has no room; ignored",
          function, (long long)span, DVT_STR_ARG(ctx->kernel->node->name));
}

void dvt_trace_number(TF_OpKernelContext *ctx, dvt_trace_span span, const char *name, int64_t value) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  if (DVT_LIKELY(!span) || !ctx->trace) return;
  if (!dvt_profile_span_number(ctx->trace, span, dvt_str_from(name), value))
    log_misuse(ctx, "dvt_trace_number", span);
}

void dvt_trace_end(TF_OpKernelContext *ctx, dvt_trace_span span) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  if (DVT_LIKELY(!span) || !ctx->trace) return;
  if (!dvt_profile_span_end(ctx->trace, span)) log_misuse(ctx, "dvt_trace_end", span);
}
