// Spans in traces: a host without them records nothing.
#include "binding.h"
#include "dovetail/trace.h"

bool DVT_POLYFILL(dvt_trace_is_on)(const TF_OpKernelContext *ctx) {
  (void)ctx;
  return false;
}

dvt_trace_span DVT_POLYFILL(dvt_trace_begin)(TF_OpKernelContext *ctx, const char *name) {
  (void)ctx, (void)name;
  return (dvt_trace_span){0};
}

void DVT_POLYFILL(dvt_trace_number)(TF_OpKernelContext *ctx, dvt_trace_span span, const char *name,
                                    int64_t value) {
  (void)ctx, (void)span, (void)name, (void)value;
}

void DVT_POLYFILL(dvt_trace_end)(TF_OpKernelContext *ctx, dvt_trace_span span) { (void)ctx, (void)span; }
