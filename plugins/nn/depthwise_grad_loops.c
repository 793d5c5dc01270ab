// DepthwiseConv2dNativeBackpropInput: every pixel of the input gathers from the windows that it is in.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/window_grad.h"

#define BLOCK 64

typedef struct input_run {
  const dvp_window *w;
  const void *grad, *filter;
  void *out;
} input_run;

// The position of the output whose tap `tap` is input position `at`; false when there is none.
static bool source(const dvp_window *w, int axis, int64_t at, int64_t tap, int64_t *out) {
  int64_t x = at + w->before[axis] - tap * w->dilation[axis];
  *out = x / w->stride[axis];
  return x >= 0 && x % w->stride[axis] == 0 && *out < w->out[axis];
}

#define DEPTHWISE(t, unused)                                                                          \
  static void pixel_##t(const input_run *run, const dvp_##t *image, int64_t y, int64_t x, int64_t c0, \
                        int64_t n, DVP_ARITH_##t *sum) {                                              \
    const dvp_window *w = run->w;                                                                     \
    int64_t multiplier = w->out_channels / w->channels, row, column;                                  \
    for (int64_t j = 0; j < n; j++) sum[j] = 0;                                                       \
    for (int64_t kh = 0; kh < w->k[0]; kh++) {                                                        \
      if (!source(w, 0, y, kh, &row)) continue;                                                       \
      for (int64_t kw = 0; kw < w->k[1]; kw++) {                                                      \
        if (!source(w, 1, x, kw, &column)) continue;                                                  \
        const dvp_##t *g = image + (row * w->out[1] + column) * w->out_channels + c0 * multiplier;    \
        const dvp_##t *f =                                                                            \
            (const dvp_##t *)run->filter + (kh * w->k[1] + kw) * w->out_channels + c0 * multiplier;   \
        if (multiplier == 1)                                                                          \
          for (int64_t j = 0; j < n; j++) sum[j] += DVP_LOAD_##t(g[j]) * DVP_LOAD_##t(f[j]);          \
        else                                                                                          \
          for (int64_t j = 0; j < n * multiplier; j++)                                                \
            sum[j / multiplier] += DVP_LOAD_##t(g[j]) * DVP_LOAD_##t(f[j]);                           \
      }                                                                                               \
    }                                                                                                 \
  }                                                                                                   \
  /* Units are rows of the input. */                                                                  \
  static void depthwise_##t##_rows(void *arg, int64_t begin, int64_t end) {                           \
    const input_run *run = arg;                                                                       \
    const dvp_window *w = run->w;                                                                     \
    DVP_ARITH_##t sum[BLOCK];                                                                         \
    dvp_##t *out = (dvp_##t *)run->out + begin * w->in[1] * w->channels;                              \
    for (int64_t row = begin; row < end; row++) {                                                     \
      const dvp_##t *image =                                                                          \
          (const dvp_##t *)run->grad + row / w->in[0] * w->out[0] * w->out[1] * w->out_channels;      \
      for (int64_t x = 0; x < w->in[1]; x++, out += w->channels)                                      \
        for (int64_t c0 = 0; c0 < w->channels; c0 += BLOCK) {                                         \
          int64_t n = DVP_MIN(BLOCK, w->channels - c0);                                               \
          pixel_##t(run, image, row % w->in[0], x, c0, n, sum);                                       \
          for (int64_t j = 0; j < n; j++) out[c0 + j] = DVP_STORE_##t(sum[j]);                        \
        }                                                                                             \
    }                                                                                                 \
  }                                                                                                   \
  DVP_COMPUTE(depthwise_backprop_input_##t##_compute) { input_grad(call, state, depthwise_##t##_rows); }

static void compute(dvp_call *call, const dvp_window_attrs *attrs, const dvp_window *w,
                    const dvp_view *filter, const dvp_view *grad, void (*rows)(void *, int64_t, int64_t),
                    void *out) {
  int64_t nhwc[4] = {w->batch, w->in[0], w->in[1], w->channels};
  TF_Tensor *scratch_grad = NULL, *scratch_out = NULL;
  input_run run = {w, dvp_window_nhwc(call, attrs, grad, &scratch_grad), filter->data, NULL};
  run.out = run.grad ? dvp_window_target(call, attrs, grad->dtype, nhwc, out, &scratch_out) : NULL;
  if (run.out) {
    double cost = (double)(w->in[1] * w->out_channels) * (double)(w->k[0] * w->k[1]) * 200;
    dvp_parallel(call, w->batch * w->in[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15, rows, &run);
    dvp_window_finish(call, attrs, grad->dtype, nhwc, run.out, out);
  }
  dvp_free_temp(scratch_grad);
  dvp_free_temp(scratch_out);
}

static void input_grad(dvp_call *call, const dvp_window_attrs *attrs,
                       void (*rows)(void *, int64_t, int64_t)) {
  dvp_view in = {.rank = 4}, filter, grad;
  int64_t d[4], count;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_window_sizes(call, 0, "input_sizes", in.dims) || !dvp_input(call, 1, &filter) ||
      !dvp_input(call, 2, &grad) || !dvp_window_rank(call, &filter, "filter"))
    return;
  dvp_window_dims(attrs, &in, d);
  dvp_window w = {.batch = d[0],
                  .in = {d[1], d[2]},
                  .channels = d[3],
                  .k = {filter.dims[0], filter.dims[1]},
                  .groups = d[3],
                  .group_channels = 1};
  if (filter.dims[2] != d[3] || w.k[0] < 1 || w.k[1] < 1 ||
      __builtin_mul_overflow(d[3], filter.dims[3], &w.out_channels)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "A filter of shape %s does not fit an input of %" PRId64 " channels",
             dvp_shape_text(filter.dims, 4, text), d[3]);
    return;
  }
  if (!dvp_window_grad_resolve(call, attrs, &grad, "out_backprop", &w) || !dvp_count(call, d, 4, &count))
    return;
  void *out = dvp_output(call, 0, in.dims, 4);
  if (!out || count == 0) return;
  if (grad.count == 0)
    memset(out, 0, (size_t)count * TF_DataTypeSize(grad.dtype));
  else
    compute(call, attrs, &w, &filter, &grad, rows, out);
}

DVP_FLOATS(DEPTHWISE, )
static const dvp_kernel depthwise_backprop_input_rows[] = {DVP_FLOATS(DVP_ROW, depthwise_backprop_input)};
DVP_DEFINE_SET(depthwise_backprop_input, "T", dvp_window_grad_create, free, depthwise_backprop_input_rows);
