// ResizeBilinear, ResizeBicubic and ResizeNearestNeighbor: output pixels are found in the input by scale,
// with corners aligned or with the centres of pixels half a pixel in.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/resize.h"

// A resize of [batch, in[0], in[1], channels] to [batch, out[0], out[1], channels].
typedef struct resize {
  int64_t batch, in[2], out[2], channels;
  dvp_resize_axis axes[2];
  size_t pixel_bytes;
  const void *taps[2];  // of rows and columns; their type is the method's
  const char *data;
  void *result;
  bool failed;
} resize;

static bool resize_open(dvp_call *call, const dvp_resize_attrs *attrs, resize *r) {
  dvp_view in;
  int64_t size[2];
  int rank, count;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "size", size, 2, &rank, &count)) return false;
  if (in.rank != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input must be 4-dimensional %s",
                    dvp_shape_text(in.dims, in.rank, text));
  if (rank != 1 || count != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "shape_t must have two elements, but has %d", count);
  *r = (resize){.batch = in.dims[0],
                .in = {in.dims[1], in.dims[2]},
                .out = {size[0], size[1]},
                .channels = in.dims[3],
                .pixel_bytes = (size_t)in.dims[3] * TF_DataTypeSize(in.dtype),
                .data = in.data};
  if (size[0] <= 0 || size[1] <= 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "output dimensions must be positive, got %" PRId64 "x%" PRId64,
                    size[0], size[1]);
  if (r->channels < 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "image must have at least one channel");
  if (r->in[0] < 1 || r->in[1] < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input image must be of non-zero size");
  for (int i = 0; i < 2; i++) r->axes[i] = dvp_resize_axis_make(attrs, r->in[i], r->out[i]);
  int64_t dims[4] = {r->batch, r->out[0], r->out[1], r->channels};
  r->result = dvp_output(call, 0, dims, 4);
  return r->result != NULL;
}

// Taps of both axes in scratch memory, `bytes` each; false after a failure. `make` fills one.
static bool make_taps(dvp_call *call, resize *r, size_t bytes,
                      void (*make)(const resize *, int, int64_t, void *), TF_Tensor **out_scratch) {
  char *taps = dvp_temp(call, bytes * (size_t)(r->out[0] + r->out[1]), out_scratch);
  if (!taps) return false;
  for (int axis = 0; axis < 2; axis++) {
    r->taps[axis] = taps;
    for (int64_t i = 0; i < r->out[axis]; i++, taps += bytes) make(r, axis, i, taps);
  }
  return true;
}

// ---- nearest: any dtype ----

static void nearest_row(const resize *r, const int64_t *columns, const char *in, char *out) {
  size_t bytes = r->pixel_bytes;
#define COPY(type)                        \
  for (int64_t x = 0; x < r->out[1]; x++) \
  memcpy(out + x * (int64_t)sizeof(type), in + columns[x], sizeof(type))
  switch (bytes) {
    case 1:
      COPY(uint8_t);
      return;
    case 2:
      COPY(uint16_t);
      return;
    case 4:
      COPY(uint32_t);
      return;
    case 8:
      COPY(uint64_t);
      return;
    default:
      for (int64_t x = 0; x < r->out[1]; x++, out += bytes) memcpy(out, in + columns[x], bytes);
  }
}

// Units are output rows of all images. Taps are byte offsets in the image and in the row.
static void nearest_rows(void *arg, int64_t begin, int64_t end) {
  const resize *r = arg;
  const int64_t *rows = r->taps[0];
  size_t out_bytes = (size_t)r->out[1] * r->pixel_bytes;
  int64_t image_bytes = r->in[0] * r->in[1] * (int64_t)r->pixel_bytes;
  char *out = (char *)r->result + (size_t)begin * out_bytes;
  for (int64_t unit = begin; unit < end; unit++, out += out_bytes) {
    int64_t y = unit % r->out[0];
    if (unit > begin && y > 0 && rows[y] == rows[y - 1])
      memcpy(out, out - out_bytes, out_bytes);
    else
      nearest_row(r, r->taps[1], r->data + unit / r->out[0] * image_bytes + rows[y], out);
  }
}

// A byte offset.
static void nearest_tap(const resize *r, int axis, int64_t at, void *out) {
  *(int64_t *)out =
      dvp_resize_nearest(&r->axes[axis], at) * (int64_t)r->pixel_bytes * (axis == 0 ? r->in[1] : 1);
}

DVP_COMPUTE(nearest_compute) {
  resize r;
  TF_Tensor *scratch = NULL;
  if (!resize_open(call, state, &r) || r.batch == 0) return;
  if (make_taps(call, &r, sizeof(int64_t), nearest_tap, &scratch))
    dvp_parallel(call, r.batch * r.out[0], r.out[1] * (int64_t)r.pixel_bytes * 200, nearest_rows, &r);
  dvp_free_temp(scratch);
}
DVP_DEFINE_ANY(resize_nearest, dvp_resize_create, free, nearest_compute);

// ---- bilinear: to f32 ----

static void bilinear_tap(const resize *r, int axis, int64_t at, void *out) {
  *(dvp_resize_pair *)out = dvp_resize_bilinear(&r->axes[axis], at);
}

#define BILINEAR(t, unused)                                                                                \
  static void bilinear_##t##_rows(void *arg, int64_t begin, int64_t end) {                                 \
    const resize *r = arg;                                                                                 \
    const dvp_resize_pair *rows = r->taps[0], *columns = r->taps[1];                                       \
    int64_t channels = r->channels, row = r->in[1] * channels;                                             \
    float *out = (float *)r->result + begin * r->out[1] * channels;                                        \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      const dvp_##t *image = (const dvp_##t *)r->data + unit / r->out[0] * r->in[0] * row;                 \
      const dvp_resize_pair *y = &rows[unit % r->out[0]];                                                  \
      const dvp_##t *top = image + y->low * row, *bottom = image + y->high * row;                          \
      for (int64_t x = 0; x < r->out[1]; x++, out += channels) {                                           \
        const float part = columns[x].part;                                                                \
        const dvp_##t *tl = top + columns[x].low * channels, *tr = top + columns[x].high * channels;       \
        const dvp_##t *bl = bottom + columns[x].low * channels, *br = bottom + columns[x].high * channels; \
        for (int64_t c = 0; c < channels; c++) {                                                           \
          const float a = (float)DVP_LOAD_##t(tl[c]), b = (float)DVP_LOAD_##t(tr[c]),                      \
                      d = (float)DVP_LOAD_##t(bl[c]), e = (float)DVP_LOAD_##t(br[c]);                      \
          const float high = a + (b - a) * part, low = d + (e - d) * part;                                 \
          out[c] = high + (low - high) * y->part;                                                          \
        }                                                                                                  \
      }                                                                                                    \
    }                                                                                                      \
  }                                                                                                        \
  static void to_float_##t##_rows(void *arg, int64_t begin, int64_t end) {                                 \
    const resize *r = arg;                                                                                 \
    const int64_t width = r->in[1] * r->channels;                                                          \
    const dvp_##t *in = (const dvp_##t *)r->data;                                                          \
    float *out = r->result;                                                                                \
    for (int64_t i = begin * width; i < end * width; i++) out[i] = (float)DVP_LOAD_##t(in[i]);             \
  }                                                                                                        \
  DVP_COMPUTE(bilinear_##t##_compute) {                                                                    \
    resize r;                                                                                              \
    if (resize_open(call, state, &r)) bilinear(call, &r, bilinear_##t##_rows, to_float_##t##_rows);        \
  }

// A resize to the same size is a copy, so that infinities do not become NaN.
static void bilinear(dvp_call *call, resize *r, void (*rows)(void *, int64_t, int64_t),
                     void (*copy)(void *, int64_t, int64_t)) {
  TF_Tensor *scratch = NULL;
  int64_t width = r->out[1] * r->channels;
  if (r->batch == 0) return;
  if (r->in[0] == r->out[0] && r->in[1] == r->out[1])
    dvp_parallel(call, r->batch * r->out[0], width * 300, copy, r);
  else if (make_taps(call, r, sizeof(dvp_resize_pair), bilinear_tap, &scratch))
    dvp_parallel(call, r->batch * r->out[0], width * 2000, rows, r);
  dvp_free_temp(scratch);
}
DVP_REALS(BILINEAR, )
static const dvp_kernel resize_bilinear_rows[] = {DVP_REALS(DVP_ROW, bilinear)};
DVP_DEFINE_SET(resize_bilinear, "T", dvp_resize_create, free, resize_bilinear_rows);

// ---- bicubic: to f32, four taps each way ----

static void bicubic_tap(const resize *r, int axis, int64_t at, void *out) {
  *(dvp_resize_four *)out = dvp_resize_bicubic(&r->axes[axis], at);
}

#define BICUBIC(t, unused)                                                                                  \
  static void bicubic_##t##_rows(void *arg, int64_t begin, int64_t end) {                                   \
    resize *r = arg;                                                                                        \
    const dvp_resize_four *rows = r->taps[0], *columns = r->taps[1];                                        \
    int64_t channels = r->channels, row = r->in[1] * channels;                                              \
    float *line = malloc((size_t)row * sizeof(float)), *out = (float *)r->result;                           \
    if (!line) {                                                                                            \
      __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);                                                 \
      return;                                                                                               \
    }                                                                                                       \
    out += begin * r->out[1] * channels;                                                                    \
    for (int64_t unit = begin; unit < end; unit++) {                                                        \
      const dvp_##t *image = (const dvp_##t *)r->data + unit / r->out[0] * r->in[0] * row;                  \
      const dvp_resize_four *y = &rows[unit % r->out[0]];                                                   \
      const dvp_##t *a = image + y->at[0] * row, *b = image + y->at[1] * row, *d = image + y->at[2] * row,  \
                    *e = image + y->at[3] * row;                                                            \
      for (int64_t i = 0; i < row; i++)                                                                     \
        line[i] = (float)DVP_LOAD_##t(a[i]) * y->weight[0] + (float)DVP_LOAD_##t(b[i]) * y->weight[1] +     \
                  (float)DVP_LOAD_##t(d[i]) * y->weight[2] + (float)DVP_LOAD_##t(e[i]) * y->weight[3];      \
      for (int64_t x = 0; x < r->out[1]; x++, out += channels) {                                            \
        const dvp_resize_four *f = &columns[x];                                                             \
        for (int64_t c = 0; c < channels; c++)                                                              \
          out[c] =                                                                                          \
              line[f->at[0] * channels + c] * f->weight[0] + line[f->at[1] * channels + c] * f->weight[1] + \
              line[f->at[2] * channels + c] * f->weight[2] + line[f->at[3] * channels + c] * f->weight[3];  \
      }                                                                                                     \
    }                                                                                                       \
    free(line);                                                                                             \
  }                                                                                                         \
  DVP_COMPUTE(bicubic_##t##_compute) {                                                                      \
    resize r;                                                                                               \
    if (resize_open(call, state, &r)) bicubic(call, &r, bicubic_##t##_rows);                                \
  }

static void bicubic(dvp_call *call, resize *r, void (*rows)(void *, int64_t, int64_t)) {
  TF_Tensor *scratch = NULL;
  if (r->batch == 0) return;
  if (make_taps(call, r, sizeof(dvp_resize_four), bicubic_tap, &scratch)) {
    int64_t width = DVP_MAX(r->in[1], r->out[1]) * r->channels;
    dvp_parallel(call, r->batch * r->out[0], width * 4000, rows, r);
    if (r->failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a row of pixels");
  }
  dvp_free_temp(scratch);
}
DVP_REALS(BICUBIC, )
static const dvp_kernel resize_bicubic_rows[] = {DVP_REALS(DVP_ROW, bicubic)};
DVP_DEFINE_SET(resize_bicubic, "T", dvp_resize_create, free, resize_bicubic_rows);
