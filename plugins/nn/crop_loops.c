// CropAndResize: boxes of images, given in parts of their size, resized to one size; outside the image is a
// given value.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

typedef struct crop_state {
  bool nearest;
  float outside;
} crop_state;

static void *crop_create(TF_OpKernelConstruction *ctx) {
  crop_state *state = dvp_state_new(ctx, sizeof(*state));
  char method[16];
  if (!state) return NULL;
  dvp_attr_string(ctx, "method", method, sizeof(method));
  state->nearest = strcmp(method, "nearest") == 0;
  state->outside = dvp_attr_float(ctx, "extrapolation_value");
  return state;
}
static void crop_destroy(void *state) { free(state); }

typedef struct crop {
  const crop_state *options;
  const void *images;
  const float *boxes;      // top, left, bottom, right
  const int32_t *indices;  // the image of each box
  int64_t in[2], out[2], channels;
  float *result;
} crop;

// Where output position `at` of `axis` is in the image; false outside of it, NaN included.
static bool place(const crop *c, const float *box, int axis, int64_t at, float *out) {
  float low = box[axis], high = box[axis + 2], last = (float)(c->in[axis] - 1);
  if (c->out[axis] > 1)
    *out = low * last + (float)at * ((high - low) * last / (float)(c->out[axis] - 1));
  else
    *out = 0.5f * (low + high) * last;
  return *out >= 0 && *out <= last;
}

// Units are output rows of all boxes.
#define CROP(t, unused)                                                                        \
  static void pixel_##t(const crop *c, const dvp_##t *image, float y, float x, float *out) {   \
    int64_t row = c->in[1] * c->channels;                                                      \
    if (c->options->nearest) {                                                                 \
      const dvp_##t *in = image + (int64_t)roundf(y) * row + (int64_t)roundf(x) * c->channels; \
      for (int64_t k = 0; k < c->channels; k++) out[k] = (float)DVP_LOAD_##t(in[k]);           \
      return;                                                                                  \
    }                                                                                          \
    float top = floorf(y), left = floorf(x);                                                   \
    const float down = y - top, across = x - left;                                             \
    const dvp_##t *a = image + (int64_t)top * row, *b = image + (int64_t)ceilf(y) * row;       \
    int64_t l = (int64_t)left * c->channels, r = (int64_t)ceilf(x) * c->channels;              \
    for (int64_t k = 0; k < c->channels; k++) {                                                \
      const float tl = (float)DVP_LOAD_##t(a[l + k]), tr = (float)DVP_LOAD_##t(a[r + k]),      \
                  bl = (float)DVP_LOAD_##t(b[l + k]), br = (float)DVP_LOAD_##t(b[r + k]);      \
      const float high = tl + (tr - tl) * across, low = bl + (br - bl) * across;               \
      out[k] = high + (low - high) * down;                                                     \
    }                                                                                          \
  }                                                                                            \
  static void crop_##t##_rows(void *arg, int64_t begin, int64_t end) {                         \
    const crop *c = arg;                                                                       \
    float *out = c->result + begin * c->out[1] * c->channels, y, x;                            \
    for (int64_t unit = begin; unit < end; unit++) {                                           \
      int64_t box = unit / c->out[0];                                                          \
      const dvp_##t *image =                                                                   \
          (const dvp_##t *)c->images + c->indices[box] * c->in[0] * c->in[1] * c->channels;    \
      bool row_inside = place(c, c->boxes + 4 * box, 0, unit % c->out[0], &y);                 \
      for (int64_t i = 0; i < c->out[1]; i++, out += c->channels) {                            \
        if (row_inside && place(c, c->boxes + 4 * box, 1, i, &x))                              \
          pixel_##t(c, image, y, x, out);                                                      \
        else                                                                                   \
          for (int64_t k = 0; k < c->channels; k++) out[k] = c->options->outside;              \
      }                                                                                        \
    }                                                                                          \
  }                                                                                            \
  DVP_COMPUTE(crop_##t##_compute) { crop_and_resize(call, state, crop_##t##_rows); }

static bool crop_open(dvp_call *call, dvp_view *images, dvp_view *boxes, dvp_view *indices, crop *c) {
  char text[DVP_SHAPE_TEXT];
  int64_t size[2];
  int rank, count;
  if (!dvp_input(call, 0, images) || !dvp_input(call, 1, boxes) || !dvp_input(call, 2, indices) ||
      !dvp_input_ints(call, 3, "crop_size", size, 2, &rank, &count))
    return false;
  if (images->rank != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input image must be 4-D, but is %s",
                    dvp_shape_text(images->dims, images->rank, text));
  if (images->dims[1] < 1 || images->dims[2] < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "image dimensions must be positive");
  if (rank != 1 || count != 2 || size[0] < 1 || size[1] < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "crop_size must be two positive numbers, but has %d", count);
  if (boxes->rank != 2 || boxes->dims[1] != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "boxes must have shape [n, 4], but have %s",
                    dvp_shape_text(boxes->dims, boxes->rank, text));
  if (indices->rank != 1 || indices->count != boxes->dims[0])
    return dvp_fail(call, TF_INVALID_ARGUMENT, "box_index has incompatible shape %s for %" PRId64 " boxes",
                    dvp_shape_text(indices->dims, indices->rank, text), boxes->dims[0]);
  c->indices = indices->data;
  for (int64_t i = 0; i < indices->count; i++)
    if (c->indices[i] < 0 || c->indices[i] >= images->dims[0])
      return dvp_fail(call, TF_OUT_OF_RANGE,
                      "box_index has values outside [0, batch_size): %d for %" PRId64 " images",
                      c->indices[i], images->dims[0]);
  c->images = images->data;
  c->boxes = boxes->data;
  c->channels = images->dims[3];
  for (int i = 0; i < 2; i++) {
    c->in[i] = images->dims[1 + i];
    c->out[i] = size[i];
  }
  return true;
}

static void crop_and_resize(dvp_call *call, const crop_state *state, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view images, boxes, indices;
  crop c = {.options = state};
  if (!crop_open(call, &images, &boxes, &indices, &c)) return;
  int64_t dims[4] = {indices.count, c.out[0], c.out[1], c.channels};
  c.result = dvp_output(call, 0, dims, 4);
  if (!c.result || dvp_product(dims, 0, 4) == 0) return;
  dvp_parallel(call, dims[0] * dims[1], dims[2] * dims[3] * 2000, rows, &c);
}
DVP_REALS(CROP, )
static const dvp_kernel crop_and_resize_rows[] = {DVP_REALS(DVP_ROW, crop)};
DVP_DEFINE_SET(crop_and_resize, "T", crop_create, crop_destroy, crop_and_resize_rows);
