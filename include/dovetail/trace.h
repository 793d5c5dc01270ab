// Spans: a kernel names the parts of its work, and traces of a step show them under its node. RunOptions.trace_level and
// dvt_model_set_profiling switch tracing on; while it is off, beginning a span costs a call and a comparison. Stock's C
// ABI has no way to do this; a kernel that uses it runs in Dovetail only.
#ifndef DOVETAIL_TRACE_H_
#define DOVETAIL_TRACE_H_

#include <stdbool.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// A span that was begun; 0 when the step is not traced. It is a number, which owns nothing.
typedef int64_t dvt_trace_span;

// Whether the step is traced: for work that only describes spans.
// Threads: from compute or compute_async, until the kernel has returned or called done; any thread. Since: dovetail
DVT_EXPORT bool dvt_trace_is_on(const TF_OpKernelContext *ctx);

// Begins a span on the calling thread. Spans of one thread should nest; spans of different threads are independent.
// 0 when the step is not traced, or when the span cannot be recorded.
// Owner: `name`, UTF-8, is copied. Threads: as dvt_trace_is_on. Since: dovetail
DVT_EXPORT dvt_trace_span dvt_trace_begin(TF_OpKernelContext *ctx, const char *name);

// Adds a named number to an open span: rows, bytes, iterations. A span has room for four. Does nothing when `span` is 0.
// Owner: `name`, UTF-8, is copied. Threads: as dvt_trace_is_on. Errors: a span that is not an open one of this kernel, or
// has no room, is logged. Since: dovetail
DVT_EXPORT void dvt_trace_number(TF_OpKernelContext *ctx, dvt_trace_span span, const char *name, int64_t value);

// Ends the span. One that is never ended is shown as unfinished until the end of the step. Does nothing when `span` is 0.
// Threads: as dvt_trace_is_on, also another thread than the one that began it.
// Errors: a span that is not an open one of this kernel is logged. Since: dovetail
DVT_EXPORT void dvt_trace_end(TF_OpKernelContext *ctx, dvt_trace_span span);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_TRACE_H_
