// Windows that slide over volumes [batch, planes, rows, columns, channels]: attributes and geometry that
// Conv3D, its gradient and the pools share.
#ifndef DOVETAIL_PLUGINS_NN_VOLUME_H_
#define DOVETAIL_PLUGINS_NN_VOLUME_H_

#include "common/call.h"

typedef struct dvp_volume_attrs {
  bool same;  // padding SAME; else VALID
  int64_t stride[3], dilation[3], ksize[3];
} dvp_volume_attrs;

// Reads strides, padding, data_format, dilations and, for pools, ksize. A bad value fails the construction.
void *dvp_volume_create(TF_OpKernelConstruction *ctx);
void *dvp_volume_pool_create(TF_OpKernelConstruction *ctx);
void dvp_volume_destroy(void *attrs);

typedef struct dvp_volume {
  int64_t batch, in[3], channels, k[3], out[3], out_channels;
  int64_t stride[3], dilation[3], before[3];
} dvp_volume;

// Finds `out` and the paddings from `in` and `k`. INVALID_ARGUMENT when the window does not fit. With padding
// SAME and strides longer than the window, the elements that no window sees are shared between both ends
// where `centred` is set (then `before` is negative), as stock does for Conv3D and pools, or are all at the
// far end, as it does for the gradient.
bool dvp_volume_resolve(dvp_call *call, const dvp_volume_attrs *attrs, bool centred, dvp_volume *v);

// Runs `rows` over lines of `lines` columns: units are lines [batch, planes, rows] of `dims`.
typedef void (*dvp_volume_lines)(const dvp_volume *v, const void *a, const void *b, void *out, int64_t begin,
                                 int64_t end);
void dvp_volume_run(dvp_call *call, const dvp_volume *v, dvp_volume_lines lines, const int64_t dims[3],
                    double cost_of_line, const void *a, const void *b, void *out);

#endif  // DOVETAIL_PLUGINS_NN_VOLUME_H_
