// Gradients of ResizeBilinear, ResizeBicubic and ResizeNearestNeighbor: what an output pixel gets goes, by
// their weights, to the pixels that it was made of. Units are blocks of channels of an image, so that no two
// write one place.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/resize.h"

#define BLOCK 16

typedef enum method { NEAREST, BILINEAR, BICUBIC } method;

// The gradient of a resize of [batch, in[0], in[1], channels] to [batch, out[0], out[1], channels].
typedef struct resize_grad {
  int64_t batch, in[2], out[2], channels;
  int taps;
  const dvp_resize_four *rows, *columns;  // the first `taps` of each
  const void *grad;
  void *result;
} resize_grad;

#define SPREAD(t, g)                                                                                        \
  static void spread_##t##_from_##g(void *arg, int64_t begin, int64_t end) {                                \
    const resize_grad *r = arg;                                                                             \
    int64_t blocks = (r->channels + BLOCK - 1) / BLOCK;                                                     \
    for (int64_t unit = begin; unit < end; unit++) {                                                        \
      int64_t image = unit / blocks, c0 = unit % blocks * BLOCK, n = DVP_MIN(BLOCK, r->channels - c0);      \
      const dvp_##g *grad = (const dvp_##g *)r->grad + image * r->out[0] * r->out[1] * r->channels + c0;    \
      dvp_##t *result = (dvp_##t *)r->result + image * r->in[0] * r->in[1] * r->channels + c0;              \
      for (int64_t y = 0; y < r->out[0]; y++)                                                               \
        for (int64_t x = 0; x < r->out[1]; x++, grad += r->channels)                                        \
          for (int i = 0; i < r->taps; i++)                                                                 \
            for (int j = 0; j < r->taps; j++) {                                                             \
              const dvp_resize_four *row = &r->rows[y], *column = &r->columns[x];                           \
              dvp_##t *to = result + (row->at[i] * r->in[1] + column->at[j]) * r->channels;                 \
              const DVP_ARITH_##t weight = (DVP_ARITH_##t)(row->weight[i] * column->weight[j]);             \
              for (int64_t c = 0; c < n; c++)                                                               \
                to[c] = DVP_STORE_##t(DVP_LOAD_##t(to[c]) + (DVP_ARITH_##t)DVP_LOAD_##g(grad[c]) * weight); \
            }                                                                                               \
    }                                                                                                       \
  }

static dvp_resize_four taps_of(method how, const dvp_resize_axis *axis, int64_t at) {
  dvp_resize_four four = {{0}, {1, 0, 0, 0}};
  if (how == NEAREST) four.at[0] = dvp_resize_nearest(axis, at);
  if (how == BICUBIC) four = dvp_resize_bicubic(axis, at);
  if (how == BILINEAR) {
    dvp_resize_pair pair = dvp_resize_bilinear(axis, at);
    four = (dvp_resize_four){{pair.low, pair.high}, {1 - pair.part, pair.part}};
  }
  return four;
}

static bool read_shapes(dvp_call *call, method how, const dvp_view *grad, resize_grad *r) {
  dvp_view original;
  int64_t size[2];
  int rank, count;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (grad->rank != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "grads must be 4-dimensional, but are %s",
                    dvp_shape_text(grad->dims, grad->rank, ta));
  *r = (resize_grad){.batch = grad->dims[0],
                     .out = {grad->dims[1], grad->dims[2]},
                     .channels = grad->dims[3],
                     .taps = how == NEAREST    ? 1
                             : how == BILINEAR ? 2
                                               : 4,
                     .grad = grad->data};
  if (how == NEAREST) {
    if (!dvp_input_ints(call, 1, "size", size, 2, &rank, &count)) return false;
    if (rank != 1 || count != 2 || size[0] < 1 || size[1] < 1)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "size must be two positive numbers, but has %d", count);
  } else {
    if (!dvp_input(call, 1, &original)) return false;
    if (original.rank != 4 || original.dims[0] != r->batch || original.dims[3] != r->channels)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "original_image must have the batch and channels of grads, %s, but has shape %s",
                      dvp_shape_text(grad->dims, 4, ta), dvp_shape_text(original.dims, original.rank, tb));
    memcpy(size, original.dims + 1, sizeof(size));
  }
  memcpy(r->in, size, sizeof(size));
  return (r->out[0] > 0 && r->out[1] > 0 && r->in[0] > 0 && r->in[1] > 0 && r->channels > 0) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Images of gradients must not be empty: grads have shape %s",
                  dvp_shape_text(grad->dims, 4, ta));
}

static void resize_grad_run(dvp_call *call, const dvp_resize_attrs *attrs, method how, size_t bytes,
                            void (*spread)(void *, int64_t, int64_t)) {
  dvp_view grad;
  resize_grad r;
  TF_Tensor *scratch = NULL;
  if (!dvp_input(call, 0, &grad) || !read_shapes(call, how, &grad, &r)) return;
  int64_t dims[4] = {r.batch, r.in[0], r.in[1], r.channels};
  r.result = dvp_output(call, 0, dims, 4);
  if (!r.result || r.batch == 0) return;
  dvp_resize_four *taps = dvp_temp(call, (size_t)(r.out[0] + r.out[1]) * sizeof(*taps), &scratch);
  if (!taps) return;
  memset(r.result, 0, (size_t)dvp_product(dims, 0, 4) * bytes);
  r.rows = taps;
  r.columns = taps + r.out[0];
  for (int i = 0; i < 2; i++) {
    dvp_resize_axis axis = dvp_resize_axis_make(attrs, r.in[i], r.out[i]);
    for (int64_t at = 0; at < r.out[i]; at++) *taps++ = taps_of(how, &axis, at);
  }
  int64_t blocks = (r.channels + BLOCK - 1) / BLOCK;
  dvp_parallel(call, r.batch * blocks, grad.count / (r.batch * blocks) * r.taps * r.taps * 500, spread, &r);
  dvp_free_temp(scratch);
}

// Nearest neighbours take gradients of the image's type, the other methods f32.
#define OTHERS(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f64, __VA_ARGS__)
#define WHOLE(X, ...) X(i8, __VA_ARGS__) X(u8, __VA_ARGS__) X(i32, __VA_ARGS__)
#define SPREAD_FROM_FLOAT(t, unused) SPREAD(t, f32)
#define SPREAD_SAME(t, unused) SPREAD(t, t)
OTHERS(SPREAD_FROM_FLOAT, )
OTHERS(SPREAD_SAME, )
WHOLE(SPREAD_SAME, )
SPREAD(f32, f32)

#define FROM(t, op, how, g)                                                    \
  DVP_COMPUTE(op##_##t##_compute) {                                            \
    resize_grad_run(call, state, how, sizeof(dvp_##t), spread_##t##_from_##g); \
  }
#define FROM_FLOAT(t, op, how) FROM(t, op, how, f32)
#define FROM_SAME(t, op, how) FROM(t, op, how, t)
DVP_FLOATS(FROM_FLOAT, resize_bilinear_grad, BILINEAR)
DVP_SINGLES(FROM_FLOAT, resize_bicubic_grad, BICUBIC)
DVP_FLOATS(FROM_SAME, resize_nearest_grad, NEAREST)
WHOLE(FROM_SAME, resize_nearest_grad, NEAREST)
static const dvp_kernel resize_bilinear_grad_rows[] = {DVP_FLOATS(DVP_ROW, resize_bilinear_grad)};
static const dvp_kernel resize_bicubic_grad_rows[] = {DVP_SINGLES(DVP_ROW, resize_bicubic_grad)};
static const dvp_kernel resize_nearest_grad_rows[] = {DVP_FLOATS(DVP_ROW, resize_nearest_grad)
                                                          WHOLE(DVP_ROW, resize_nearest_grad)};
DVP_DEFINE_SET(resize_bilinear_grad, "T", dvp_resize_create, free, resize_bilinear_grad_rows);
DVP_DEFINE_SET(resize_bicubic_grad, "T", dvp_resize_create, free, resize_bicubic_grad_rows);
DVP_DEFINE_SET(resize_nearest_grad, "T", dvp_resize_create, free, resize_nearest_grad_rows);
