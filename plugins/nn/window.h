// Sliding windows over images: the attributes and the geometry that convolutions and pools share. Kernels
// work on NHWC; NCHW tensors are transposed on the way in and out.
#ifndef DOVETAIL_PLUGINS_NN_WINDOW_H_
#define DOVETAIL_PLUGINS_NN_WINDOW_H_

#include "common/call.h"

typedef enum dvp_padding { DVP_PADDING_SAME, DVP_PADDING_VALID, DVP_PADDING_EXPLICIT } dvp_padding;

// Attributes of a node, checked once. Index 0 is height, 1 width.
typedef struct dvp_window_attrs {
  bool nchw;
  dvp_padding padding;
  int64_t stride[2], dilation[2], ksize[2];
  int64_t before[2], after[2];  // EXPLICIT only
} dvp_window_attrs;

// Reads strides, padding, data_format, dilations and explicit_paddings where `op` has them, and ksize for
// pools. A bad value fails the construction.
void dvp_window_attrs_read(TF_OpKernelConstruction *ctx, bool pool, dvp_window_attrs *out);

// One convolution or pool, in NHWC terms.
typedef struct dvp_window {
  int64_t batch, in[2], channels;  // input
  int64_t k[2], out[2], out_channels;
  int64_t groups, group_channels;  // channels that one output channel sees
  int64_t stride[2], dilation[2], before[2], after[2];
} dvp_window;

// Sets in, k, strides, dilations; finds `out` and the paddings. INVALID_ARGUMENT when the result would be
// negative.
bool dvp_window_resolve(dvp_call *call, const dvp_window_attrs *attrs, dvp_window *window);

// Batch, height, width, channels of a 4-D view in either format, and the dims of the result in that format.
void dvp_window_dims(const dvp_window_attrs *attrs, const dvp_view *view, int64_t out_nhwc[4]);
void dvp_window_shape(const dvp_window_attrs *attrs, const dvp_window *window, int64_t out_dims[4]);

// A copy of an NCHW tensor in NHWC order in scratch memory, and back. Dims are NHWC.
void *dvp_to_nhwc(dvp_call *call, TF_DataType dtype, const int64_t nhwc[4], const void *data,
                  TF_Tensor **out_scratch);
void dvp_from_nhwc(dvp_call *call, TF_DataType dtype, const int64_t nhwc[4], const void *data, void *out);

#endif  // DOVETAIL_PLUGINS_NN_WINDOW_H_
