// What the gradients of convolutions and pools share: `w` is the window of the forward op, the gradient by
// its output comes in, and a tensor of the input's or the filter's shape goes out. Kernels work on NHWC.
#ifndef DOVETAIL_PLUGINS_NN_WINDOW_GRAD_H_
#define DOVETAIL_PLUGINS_NN_WINDOW_GRAD_H_

#include "nn/window.h"

// The state of these kernels, freed with free: their dvp_window_attrs.
void *dvp_window_grad_create(TF_OpKernelConstruction *ctx);
void *dvp_pool_grad_create(TF_OpKernelConstruction *ctx);

// The four sizes that vector input `index` spells. INVALID_ARGUMENT, naming `what`, for others and for
// negative ones.
bool dvp_window_sizes(dvp_call *call, int index, const char *what, int64_t out[4]);

// Whether a tensor has rank 4; INVALID_ARGUMENT, naming `what`, if not.
bool dvp_window_rank(dvp_call *call, const dvp_view *view, const char *what);

// Resolves *w, whose batch, in, channels, k and out_channels are set, and holds `grad` against its output.
bool dvp_window_grad_resolve(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *grad,
                             const char *what, dvp_window *w);

// The view's data in NHWC order, in *out_scratch where it had to be copied. NULL after a failure.
const void *dvp_window_nhwc(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *view,
                            TF_Tensor **out_scratch);

// Where a result of these NHWC dims is written: `out`, or *out_scratch when it has to be moved there by
// dvp_window_finish. NULL after a failure.
void *dvp_window_target(dvp_call *call, const dvp_window_attrs *attrs, TF_DataType dtype,
                        const int64_t nhwc[4], void *out, TF_Tensor **out_scratch);
void dvp_window_finish(dvp_call *call, const dvp_window_attrs *attrs, TF_DataType dtype,
                       const int64_t nhwc[4], const void *target, void *out);

#endif  // DOVETAIL_PLUGINS_NN_WINDOW_GRAD_H_
