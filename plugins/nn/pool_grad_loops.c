// MaxPoolGrad and AvgPoolGrad: what each window gets goes to its first largest element, or in equal parts to
// all that are inside of the image. Units are blocks of channels of an image, so that no two write one place.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/window_grad.h"

#define BLOCK 64

typedef struct pool_run {
  const dvp_window *w;
  const void *in, *grad;  // in: of MaxPool
  void *out;
} pool_run;

// A window inside of the image.
typedef struct part {
  int64_t y0, y1, x0, x1;
} part;
static part part_at(const dvp_window *w, int64_t row, int64_t column) {
  int64_t y = row * w->stride[0] - w->before[0], x = column * w->stride[1] - w->before[1];
  return (part){DVP_MAX(0, y), DVP_MIN(w->in[0], y + w->k[0]), DVP_MAX(0, x), DVP_MIN(w->in[1], x + w->k[1])};
}
static int64_t blocks_of(const dvp_window *w) { return (w->channels + BLOCK - 1) / BLOCK; }

#define MAX_GRAD(t, unused)                                                                                \
  /* Where the first largest elements of a window are, in pixels. */                                       \
  static void largest_##t(const dvp_window *w, const dvp_##t *in, part p, int64_t n, int64_t *out_at) {    \
    DVP_ARITH_##t best[BLOCK];                                                                             \
    for (int64_t j = 0; j < n; j++) {                                                                      \
      out_at[j] = p.y0 * w->in[1] + p.x0;                                                                  \
      best[j] = DVP_LOAD_##t(in[out_at[j] * w->channels + j]);                                             \
    }                                                                                                      \
    for (int64_t y = p.y0; y < p.y1; y++)                                                                  \
      for (int64_t x = p.x0; x < p.x1; x++) {                                                              \
        int64_t pixel = y * w->in[1] + x;                                                                  \
        for (int64_t j = 0; j < n; j++) {                                                                  \
          const DVP_ARITH_##t value = DVP_LOAD_##t(in[pixel * w->channels + j]);                           \
          bool more = best[j] < value;                                                                     \
          best[j] = more ? value : best[j];                                                                \
          out_at[j] = more ? pixel : out_at[j];                                                            \
        }                                                                                                  \
      }                                                                                                    \
  }                                                                                                        \
  static void max_##t##_range(void *arg, int64_t begin, int64_t end) {                                     \
    const pool_run *run = arg;                                                                             \
    const dvp_window *w = run->w;                                                                          \
    int64_t size = w->in[0] * w->in[1] * w->channels, at[BLOCK];                                           \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      int64_t image = unit / blocks_of(w), c0 = unit % blocks_of(w) * BLOCK,                               \
              n = DVP_MIN(BLOCK, w->channels - c0);                                                        \
      const dvp_##t *in = (const dvp_##t *)run->in + image * size + c0;                                    \
      const dvp_##t *grad = (const dvp_##t *)run->grad + image * w->out[0] * w->out[1] * w->channels + c0; \
      dvp_##t *out = (dvp_##t *)run->out + image * size + c0;                                              \
      for (int64_t y = 0; y < w->out[0]; y++)                                                              \
        for (int64_t x = 0; x < w->out[1]; x++, grad += w->channels) {                                     \
          part p = part_at(w, y, x);                                                                       \
          if (p.y0 >= p.y1 || p.x0 >= p.x1) continue;                                                      \
          largest_##t(w, in, p, n, at);                                                                    \
          for (int64_t j = 0; j < n; j++) {                                                                \
            dvp_##t *to = out + at[j] * w->channels + j;                                                   \
            *to = DVP_STORE_##t(DVP_LOAD_##t(*to) + DVP_LOAD_##t(grad[j]));                                \
          }                                                                                                \
        }                                                                                                  \
    }                                                                                                      \
  }                                                                                                        \
  DVP_COMPUTE(max_pool_grad_##t##_compute) { max_pool_grad(call, state, max_##t##_range); }

#define AVG_GRAD(t, unused)                                                                                \
  static void avg_##t##_range(void *arg, int64_t begin, int64_t end) {                                     \
    const pool_run *run = arg;                                                                             \
    const dvp_window *w = run->w;                                                                          \
    int64_t size = w->in[0] * w->in[1] * w->channels;                                                      \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      int64_t image = unit / blocks_of(w), c0 = unit % blocks_of(w) * BLOCK,                               \
              n = DVP_MIN(BLOCK, w->channels - c0);                                                        \
      const dvp_##t *grad = (const dvp_##t *)run->grad + image * w->out[0] * w->out[1] * w->channels + c0; \
      dvp_##t *out = (dvp_##t *)run->out + image * size + c0;                                              \
      for (int64_t y = 0; y < w->out[0]; y++)                                                              \
        for (int64_t x = 0; x < w->out[1]; x++, grad += w->channels) {                                     \
          part p = part_at(w, y, x);                                                                       \
          DVP_ARITH_##t share[BLOCK], count = (DVP_ARITH_##t)((p.y1 - p.y0) * (p.x1 - p.x0));              \
          for (int64_t j = 0; j < n; j++) share[j] = DVP_LOAD_##t(grad[j]) / count;                        \
          for (int64_t v = p.y0; v < p.y1; v++)                                                            \
            for (int64_t u = p.x0; u < p.x1; u++) {                                                        \
              dvp_##t *to = out + (v * w->in[1] + u) * w->channels;                                        \
              for (int64_t j = 0; j < n; j++) to[j] = DVP_STORE_##t(DVP_LOAD_##t(to[j]) + share[j]);       \
            }                                                                                              \
        }                                                                                                  \
    }                                                                                                      \
  }                                                                                                        \
  DVP_COMPUTE(avg_pool_grad_##t##_compute) { avg_pool_grad(call, state, avg_##t##_range); }

// `in`: dims in the op's format and, for MaxPool, the data.
static bool open_window(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *in,
                        const dvp_view *grad, dvp_window *w) {
  int64_t d[4];
  dvp_window_dims(attrs, in, d);
  *w = (dvp_window){.batch = d[0],
                    .in = {d[1], d[2]},
                    .channels = d[3],
                    .k = {attrs->ksize[0], attrs->ksize[1]},
                    .out_channels = d[3]};
  return dvp_window_grad_resolve(call, attrs, grad, "grad", w);
}

static void compute(dvp_call *call, const dvp_window_attrs *attrs, const dvp_window *w, const dvp_view *in,
                    const dvp_view *grad, void (*range)(void *, int64_t, int64_t)) {
  int64_t nhwc[4] = {w->batch, w->in[0], w->in[1], w->channels}, count;
  if (!dvp_count(call, nhwc, 4, &count)) return;
  void *out = dvp_output(call, 0, in->dims, 4);
  size_t bytes = (size_t)count * TF_DataTypeSize(grad->dtype);
  TF_Tensor *scratch[3] = {NULL};
  if (!out || count == 0) return;
  pool_run run = {w, in->data ? dvp_window_nhwc(call, attrs, in, &scratch[0]) : NULL, NULL, NULL};
  if (run.in || !in->data) run.grad = dvp_window_nhwc(call, attrs, grad, &scratch[1]);
  if (run.grad) run.out = dvp_window_target(call, attrs, grad->dtype, nhwc, out, &scratch[2]);
  if (run.out) {
    double cost = (double)(w->out[0] * w->out[1]) * (double)(w->k[0] * w->k[1]) * BLOCK * 200;
    memset(run.out, 0, bytes);
    if (grad->count)
      dvp_parallel(call, w->batch * blocks_of(w), cost < 1e15 ? (int64_t)cost : (int64_t)1e15, range, &run);
    dvp_window_finish(call, attrs, grad->dtype, nhwc, run.out, out);
  }
  for (int i = 0; i < 3; i++) dvp_free_temp(scratch[i]);
}

static void max_pool_grad(dvp_call *call, const dvp_window_attrs *attrs,
                          void (*range)(void *, int64_t, int64_t)) {
  dvp_view in, out, grad;
  dvp_window w;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &out) || !dvp_input(call, 2, &grad) ||
      !dvp_window_rank(call, &in, "orig_input") || !open_window(call, attrs, &in, &grad, &w))
    return;
  if (!dvp_same_shape(&out, &grad)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "orig_output and grad must have one shape: got %s and %s",
             dvp_shape_text(out.dims, out.rank, ta), dvp_shape_text(grad.dims, grad.rank, tb));
    return;
  }
  compute(call, attrs, &w, &in, &grad, range);
}

static void avg_pool_grad(dvp_call *call, const dvp_window_attrs *attrs,
                          void (*range)(void *, int64_t, int64_t)) {
  dvp_view in = {.rank = 4}, grad;
  dvp_window w;
  if (dvp_window_sizes(call, 0, "orig_input_shape", in.dims) && dvp_input(call, 1, &grad) &&
      open_window(call, attrs, &in, &grad, &w))
    compute(call, attrs, &w, &in, &grad, range);
}

DVP_REALS(MAX_GRAD, )
DVP_FLOATS(AVG_GRAD, )
static const dvp_kernel max_pool_grad_rows[] = {DVP_REALS(DVP_ROW, max_pool_grad)};
static const dvp_kernel avg_pool_grad_rows[] = {DVP_FLOATS(DVP_ROW, avg_pool_grad)};
DVP_DEFINE_SET(max_pool_grad, "T", dvp_pool_grad_create, free, max_pool_grad_rows);
DVP_DEFINE_SET(avg_pool_grad, "T", dvp_pool_grad_create, free, avg_pool_grad_rows);
