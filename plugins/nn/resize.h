// Where resized images take their pixels from: attributes and taps that the resizing ops and their gradients
// share. A tap is a pixel of the input, along one axis, and its weight.
#ifndef DOVETAIL_PLUGINS_NN_RESIZE_H_
#define DOVETAIL_PLUGINS_NN_RESIZE_H_

#include "common/call.h"

typedef struct dvp_resize_attrs {
  bool align_corners, half_pixel;
} dvp_resize_attrs;

// The state of the kernels, freed with free.
void *dvp_resize_create(TF_OpKernelConstruction *ctx);

// One axis of a resize of `in` pixels to `out`.
typedef struct dvp_resize_axis {
  int64_t in, out;
  float scale;
  bool align_corners, half_pixel;
} dvp_resize_axis;
dvp_resize_axis dvp_resize_axis_make(const dvp_resize_attrs *attrs, int64_t in, int64_t out);

// What output pixel `at` is made of: one pixel, two, or four.
typedef struct dvp_resize_pair {
  int64_t low, high;
  float part;  // of the way from low to high
} dvp_resize_pair;
typedef struct dvp_resize_four {
  int64_t at[4];
  float weight[4];
} dvp_resize_four;
int64_t dvp_resize_nearest(const dvp_resize_axis *axis, int64_t at);
dvp_resize_pair dvp_resize_bilinear(const dvp_resize_axis *axis, int64_t at);
dvp_resize_four dvp_resize_bicubic(const dvp_resize_axis *axis, int64_t at);

#endif  // DOVETAIL_PLUGINS_NN_RESIZE_H_
