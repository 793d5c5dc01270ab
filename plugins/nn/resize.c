// The attributes and taps of resize.h.
#include "nn/resize.h"

#include <math.h>

void *dvp_resize_create(TF_OpKernelConstruction *ctx) {
  dvp_resize_attrs *attrs = dvp_state_new(ctx, sizeof(*attrs));
  if (!attrs) return NULL;
  attrs->align_corners = dvp_attr_bool(ctx, "align_corners");
  attrs->half_pixel = dvp_attr_bool(ctx, "half_pixel_centers");
  if (attrs->align_corners && attrs->half_pixel)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "If half_pixel_centers is True, align_corners must be False.");
  return attrs;
}

dvp_resize_axis dvp_resize_axis_make(const dvp_resize_attrs *attrs, int64_t in, int64_t out) {
  bool aligned = attrs->align_corners && out > 1;
  return (dvp_resize_axis){in, out, aligned ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out,
                           attrs->align_corners, attrs->half_pixel};
}

static float place(const dvp_resize_axis *axis, int64_t at) {
  return axis->half_pixel ? ((float)at + 0.5f) * axis->scale - 0.5f : (float)at * axis->scale;
}
static int64_t clamp(int64_t i, int64_t size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }

int64_t dvp_resize_nearest(const dvp_resize_axis *axis, int64_t at) {
  float x = axis->half_pixel ? ((float)at + 0.5f) * axis->scale : (float)at * axis->scale;
  return clamp((int64_t)(axis->align_corners ? roundf(x) : floorf(x)), axis->in);
}

dvp_resize_pair dvp_resize_bilinear(const dvp_resize_axis *axis, int64_t at) {
  float x = place(axis, at), low = floorf(x);
  return (dvp_resize_pair){clamp((int64_t)low, axis->in), clamp((int64_t)ceilf(x), axis->in), x - low};
}

// Keys' kernel for distances below 1 and from 1 to 2, looked up at 1024ths as stock does.
static float near_weight(float a, float x) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
static float far_weight(float a, float x) {
  return ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
}

dvp_resize_four dvp_resize_bicubic(const dvp_resize_axis *axis, int64_t at) {
  dvp_resize_four four;
  float x = place(axis, at), low = floorf(x), a = axis->half_pixel ? -0.5f : -0.75f;
  float part = (float)lrintf((x - low) * 1024) / 1024;
  float weights[4] = {far_weight(a, part), near_weight(a, part), near_weight(a, 1 - part),
                      far_weight(a, 1 - part)};
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    int64_t index = (int64_t)low - 1 + i;
    four.at[i] = clamp(index, axis->in);
    four.weight[i] = axis->half_pixel && four.at[i] != index ? 0 : weights[i];
    sum += four.weight[i];
  }
  // With half pixels the taps outside the image are left out and the rest weigh more.
  if (axis->half_pixel && fabsf(sum) >= 1000 * 1.17549435e-38f)
    for (int i = 0; i < 4; i++) four.weight[i] /= sum;
  return four;
}
