// Calls of kernels in debug mode. Each call gets a context of its own, which is dead afterwards, so that its
// use is known; inputs are compared with what they were, and the guard zones of inputs and outputs are looked
// at. What is found fails the call.
#ifndef DVT_KERNEL_CHECKED_H_
#define DVT_KERNEL_CHECKED_H_

#include "base/debug.h"
#include "kernel/kernel.h"

// Runs the kernel with all checks; as dvt_kernel_compute_safely otherwise.
void dvt_checked_compute(TF_OpKernelContext *ctx);
// What a context of a checked call stands for; NULL, after a report, when its call is over.
TF_OpKernelContext *dvt_checked_context(const TF_OpKernelContext *ctx, const char *function) DVT_COLD;
// The step of the call, also after it: work that the kernel deferred keeps the step from ending.
dvt_step *dvt_checked_step(const TF_OpKernelContext *ctx) DVT_COLD;

// For the functions of the C ABI: in debug mode, is what `function` was given no context, or that of a call
// that is over? Then it is reported, and `status` (NULL: it has none) gets an error.
bool dvt_checked_refuses_context(const TF_OpKernelContext *ctx, const char *function,
                                 TF_Status *status) DVT_COLD;
bool dvt_checked_refuses_construction(const TF_OpKernelConstruction *ctx, const char *function,
                                      TF_Status *status) DVT_COLD;
static DVT_ALWAYS_INLINE bool dvt_context_refuses(const TF_OpKernelContext *ctx, const char *function,
                                                  TF_Status *status) {
  return dvt_debug_is_on() && dvt_checked_refuses_context(ctx, function, status);
}
static DVT_ALWAYS_INLINE bool dvt_construction_refuses(const TF_OpKernelConstruction *ctx,
                                                       const char *function, TF_Status *status) {
  return dvt_debug_is_on() && dvt_checked_refuses_construction(ctx, function, status);
}

// The kernel took over the buffer of an input, or may have: it may change.
void dvt_checked_note_forward(TF_OpKernelContext *ctx, const dvt_buffer *buffer) DVT_COLD;

// Around create and delete: what they do is theirs in reports. `construction` may be NULL. Returns what
// create is to get: in debug mode a construction that is known to be over afterwards.
typedef struct dvt_checked_life {
  dvt_debug_call call, *outer;
  TF_OpKernelConstruction *given, *seen;  // seen: NULL when out of memory
  bool is_on;
} dvt_checked_life;
TF_OpKernelConstruction *dvt_checked_life_begin(dvt_checked_life *life, const dvt_kernel *kernel,
                                                TF_OpKernelConstruction *construction);
void dvt_checked_life_end(dvt_checked_life *life);

// For messages: "" when the host program registered the kernel.
dvt_str dvt_kernel_plugin_name(const dvt_kernel *kernel);

#endif  // DVT_KERNEL_CHECKED_H_
