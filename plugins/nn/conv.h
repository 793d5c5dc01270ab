// Convolutions: what the driver (conv2d.c), the typed loops (conv_loops.c, conv_other_loops.c) and the paths
// for f32 (conv_onednn.c, conv_narrow_loops.c, conv_signal_loops.c) agree on. Inputs are NHWC, filters height
// x width x input channels x output channels.
#ifndef DOVETAIL_PLUGINS_NN_CONV_H_
#define DOVETAIL_PLUGINS_NN_CONV_H_

#include "common/call.h"
#include "common/epilogue.h"
#include "common/packed.h"
#include "nn/window.h"

// Computes output rows [begin, end), counted over all images.
typedef void (*dvp_conv_rows)(const dvp_window *w, const void *in, const void *filter, void *out,
                              int64_t begin, int64_t end);

typedef struct dvp_conv_kernel {
  dvp_conv_rows rows;
  int ps_per_mac;
  bool fast;                 // f32: try the paths below first
  dvp_epilogue_apply apply;  // for fused ops; NULL where there are none
} dvp_conv_kernel;

// The f32 paths that are compiled for each instruction set. They return false after the call has failed.
typedef struct dvp_conv_paths {
  const dvp_packed_code *(*packed)(void);
  bool (*is_signal)(const dvp_window *w);
  bool (*signal)(dvp_call *call, const dvp_window *w, const void *in, const void *filter, void *out);
  bool (*narrow)(dvp_call *call, const dvp_window *w, const void *in, const void *filter, void *out);
} dvp_conv_paths;

// Conv2D, DepthwiseConv2dNative and their fused forms, which share the driver. A depthwise filter [height,
// width, channels, multiplier] lies in memory as that of a convolution with a group per channel.
void *dvp_conv2d_create(TF_OpKernelConstruction *ctx);
void *dvp_depthwise_create(TF_OpKernelConstruction *ctx);
void *dvp_fused_conv2d_create(TF_OpKernelConstruction *ctx);
void *dvp_fused_depthwise_create(TF_OpKernelConstruction *ctx);
void dvp_conv2d_destroy(void *state);
void dvp_conv2d_run(void *state, TF_OpKernelContext *ctx, const dvp_conv_kernel *kernel,
                    const dvp_conv_paths *paths);

// ---- oneDNN ----
// Primitives of one node, made when a geometry is first seen.
typedef struct dvp_conv_cache dvp_conv_cache;
dvp_conv_cache *dvp_conv_cache_new(void);
void dvp_conv_cache_delete(dvp_conv_cache *cache);

typedef enum dvp_conv_answer { DVP_CONV_DONE, DVP_CONV_NOT_SUITED, DVP_CONV_FAILED } dvp_conv_answer;

// NOT_SUITED when oneDNN has no optimised code for this geometry; FAILED after the call has failed.
// `filter_is_stable`: the filter's memory holds the same values in every step, so what is made from it may
// be kept. `after` (NULL: none) is applied to the result; its summand may be in `out` already.
dvp_conv_answer dvp_conv_onednn(dvp_call *call, dvp_conv_cache *cache, const dvp_window *w, const void *in,
                                const void *filter, bool filter_is_stable, const dvp_epilogue *after,
                                dvp_epilogue_apply apply, void *out);

// ---- packed filters (conv_packed.c) ----
// NOT_SUITED for geometries that it does not know. `after` as above, but its summand is not in `out` when it
// scales.
dvp_conv_answer dvp_conv_packed(dvp_call *call, dvp_keeper *keeper, const dvp_packed_code *code,
                                const dvp_window *w, const void *in, const void *filter,
                                const dvp_epilogue *after, dvp_epilogue_apply apply, void *out);

// ---- padding ----
// The input with its borders as zeros, in scratch memory; *w becomes a window without padding. Element
// size 4.
const float *dvp_pad_image(dvp_call *call, dvp_window *w, const float *in, TF_Tensor **out_scratch);

#endif  // DOVETAIL_PLUGINS_NN_CONV_H_
