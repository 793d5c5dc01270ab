// Conv2DBackpropInput, typed; f32 by the microkernel of gather.h.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/gather.h"
#include "nn/window.h"

typedef void (*row_loop)(const dvp_window *w, const void *a, const void *b, void *out, int64_t begin,
                         int64_t end);

typedef struct rows_run {
  const dvp_window *w;
  row_loop rows;
  const void *a, *b;
  void *out;
} rows_run;

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const rows_run *run = arg;
  run->rows(run->w, run->a, run->b, run->out, begin, end);
}

static void *attrs_create(TF_OpKernelConstruction *ctx) {
  dvp_window_attrs *attrs = dvp_state_new(ctx, sizeof(*attrs));
  if (attrs) dvp_window_attrs_read(ctx, false, attrs);
  return attrs;
}
static void attrs_destroy(void *attrs) { free(attrs); }

static void parallel_rows(dvp_call *call, const rows_run *run, int64_t rows, double macs_per_row) {
  double cost = macs_per_row * 150;
  dvp_parallel(call, rows, cost < 1e15 ? (int64_t)cost : (int64_t)1e15, run_rows, (void *)run);
}

#define BLOCK 64

// ---- backprop to the input: every input pixel gathers the output gradients of the windows it is in ----
// `w` is the forward convolution; `a` its output's gradient, `b` the filter with each tap transposed to
// [out][in].

#define TAPS(t, unused)                                                                                      \
  static void transpose_taps_##t(const dvp_window *w, const void *pfilter, void *pout) {                     \
    const dvp_##t *f = pfilter;                                                                              \
    dvp_##t *out = pout;                                                                                     \
    for (int64_t k = 0; k < w->k[0] * w->k[1];                                                               \
         k++, f += w->channels * w->out_channels, out += w->channels * w->out_channels)                      \
      for (int64_t i = 0; i < w->channels; i++)                                                              \
        for (int64_t o = 0; o < w->out_channels; o++) out[o * w->channels + i] = f[i * w->out_channels + o]; \
  }                                                                                                          \
  static void backprop_rows_##t(const dvp_window *w, const void *pgrad, const void *ptaps, void *pout,       \
                                int64_t begin, int64_t end) {                                                \
    DVP_ARITH_##t acc[BLOCK];                                                                                \
    for (int64_t row = begin; row < end; row++) {                                                            \
      const dvp_##t *image =                                                                                 \
          (const dvp_##t *)pgrad + row / w->in[0] * w->out[0] * w->out[1] * w->out_channels;                 \
      int64_t h = row % w->in[0] + w->before[0];                                                             \
      dvp_##t *out = (dvp_##t *)pout + row * w->in[1] * w->channels;                                         \
      for (int64_t v = w->before[1]; v < w->in[1] + w->before[1]; v++, out += w->channels)                   \
        for (int64_t c0 = 0; c0 < w->channels; c0 += BLOCK) {                                                \
          int64_t n = DVP_MIN(BLOCK, w->channels - c0);                                                      \
          for (int64_t j = 0; j < n; j++) acc[j] = 0;                                                        \
          for (int64_t kh = 0; kh < w->k[0]; kh++) {                                                         \
            int64_t y = h - kh * w->dilation[0];                                                             \
            if (y < 0 || y % w->stride[0] || y / w->stride[0] >= w->out[0]) continue;                        \
            for (int64_t kw = 0; kw < w->k[1]; kw++) {                                                       \
              int64_t x = v - kw * w->dilation[1];                                                           \
              if (x < 0 || x % w->stride[1] || x / w->stride[1] >= w->out[1]) continue;                      \
              const dvp_##t *g =                                                                             \
                  image + (y / w->stride[0] * w->out[1] + x / w->stride[1]) * w->out_channels;               \
              const dvp_##t *f =                                                                             \
                  (const dvp_##t *)ptaps + (kh * w->k[1] + kw) * w->channels * w->out_channels + c0;         \
              for (int64_t o = 0; o < w->out_channels; o++, f += w->channels) {                              \
                const DVP_ARITH_##t a = DVP_LOAD_##t(g[o]);                                                  \
                for (int64_t j = 0; j < n; j++) acc[j] += a * DVP_LOAD_##t(f[j]);                            \
              }                                                                                              \
            }                                                                                                \
          }                                                                                                  \
          for (int64_t j = 0; j < n; j++) out[c0 + j] = DVP_STORE_##t(acc[j]);                               \
        }                                                                                                    \
    }                                                                                                        \
  }                                                                                                          \
  static void backprop_##t##_compute(void *state, TF_OpKernelContext *ctx) {                                 \
    dvp_call call = {ctx, TF_NewStatus()};                                                                   \
    backprop_run(&call, state, transpose_taps_##t, backprop_rows_##t);                                       \
    TF_DeleteStatus(call.status);                                                                            \
  }

// The input's dims from `input_sizes`: four, or height and width alone.
static bool input_dims(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *filter,
                       const dvp_view *grad, int64_t dims[4]) {
  int64_t sizes[4];
  int rank, count;
  if (!dvp_input_ints(call, 0, "input_sizes", sizes, 4, &rank, &count)) return false;
  int h = attrs->nchw ? 2 : 1;
  if (rank == 1 && count == 4) {
    memcpy(dims, sizes, sizeof(sizes));
  } else if (rank == 1 && count == 2) {
    dims[0] = grad->dims[0];
    dims[h] = sizes[0];
    dims[h + 1] = sizes[1];
    dims[attrs->nchw ? 1 : 3] = filter->dims[2];
  } else {
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input_sizes must be a vector of 4 or 2 elements, but has %d",
                    count);
  }
  for (int i = 0; i < 4; i++)
    if (dims[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "input_sizes[%d] is negative: %" PRId64, i, dims[i]);
  return true;
}

static dvp_volume volume_of(const dvp_window *w) {
  return (dvp_volume){.batch = w->batch,
                      .in = {1, w->in[0], w->in[1]},
                      .channels = w->channels,
                      .k = {1, w->k[0], w->k[1]},
                      .out = {1, w->out[0], w->out[1]},
                      .out_channels = w->out_channels,
                      .stride = {1, w->stride[0], w->stride[1]},
                      .dilation = {1, w->dilation[0], w->dilation[1]},
                      .before = {0, w->before[0], w->before[1]}};
}

// Both images channels last; without `rows` by the microkernel. False after the call has failed.
static bool compute(dvp_call *call, const dvp_window *w, const dvp_view *filter, const void *from, void *to,
                    void (*transpose)(const dvp_window *, const void *, void *), row_loop rows) {
  if (!rows) {
    dvp_volume v = volume_of(w);
    return DVP_GATHER(call, &v, true, from, filter->data, to);
  }
  TF_Tensor *scratch;
  void *taps = dvp_temp(call, (size_t)filter->count * TF_DataTypeSize(filter->dtype), &scratch);
  if (!taps) return false;
  transpose(w, filter->data, taps);
  rows_run run = {w, rows, from, taps, to};
  double taps_seen = (double)(w->k[0] * w->k[1]) / (double)(w->stride[0] * w->stride[1]);
  parallel_rows(call, &run, w->batch * w->in[0],
                (double)w->in[1] * (double)w->channels * (double)w->out_channels * taps_seen);
  dvp_free_temp(scratch);
  return true;
}

static void backprop_run(dvp_call *call, const dvp_window_attrs *attrs,
                         void (*transpose)(const dvp_window *, const void *, void *), row_loop rows) {
  dvp_view filter, grad, in = {.rank = 4};
  int64_t d[4], g[4];
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 1, &filter) || !dvp_input(call, 2, &grad)) return;
  if (filter.rank != 4 || grad.rank != 4) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "filter and out_backprop must be 4-dimensional, but are %s and %s",
             dvp_shape_text(filter.dims, filter.rank, ta), dvp_shape_text(grad.dims, grad.rank, tb));
    return;
  }
  if (!input_dims(call, attrs, &filter, &grad, in.dims)) return;
  dvp_window_dims(attrs, &in, d);
  dvp_window_dims(attrs, &grad, g);
  dvp_window w = {.batch = d[0],
                  .in = {d[1], d[2]},
                  .channels = d[3],
                  .k = {filter.dims[0], filter.dims[1]},
                  .out_channels = filter.dims[3],
                  .groups = 1};
  if (filter.count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "filter must not have zero elements");
    return;
  }
  if (!dvp_window_resolve(call, attrs, &w)) return;
  if (g[0] != w.batch || g[1] != w.out[0] || g[2] != w.out[1] || g[3] != w.out_channels ||
      filter.dims[2] != w.channels) {
    int64_t wanted[4] = {w.batch, w.out[0], w.out[1], w.out_channels};
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Conv2DBackpropInput: out_backprop (NHWC %s) does not fit input_sizes, filter and strides, "
             "which give %s with %" PRId64 " input channels",
             dvp_shape_text(g, 4, ta), dvp_shape_text(wanted, 4, tb), filter.dims[2]);
    return;
  }
  void *out = dvp_output(call, 0, in.dims, 4);
  int64_t count = out ? dvp_product(d, 0, 4) : 0;
  if (count == 0) return;
  size_t bytes = (size_t)count * TF_DataTypeSize(grad.dtype);
  TF_Tensor *scratch_in = NULL, *scratch_out = NULL;
  const void *from = attrs->nchw ? dvp_to_nhwc(call, grad.dtype, g, grad.data, &scratch_in) : grad.data;
  void *to = !attrs->nchw ? out : from ? dvp_temp(call, bytes, &scratch_out) : NULL;
  if (from && to && compute(call, &w, &filter, from, to, transpose, rows) && attrs->nchw)
    dvp_from_nhwc(call, grad.dtype, d, to, out);
  dvp_free_temp(scratch_in);
  dvp_free_temp(scratch_out);
}
#define TAPS_TYPES(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f64, __VA_ARGS__) X(i32, __VA_ARGS__)
#define BACKPROP_TYPES(X, ...) TAPS_TYPES(X, __VA_ARGS__) X(f32, __VA_ARGS__)
TAPS_TYPES(TAPS, )
DVP_COMPUTE(backprop_f32_compute) { backprop_run(call, state, NULL, NULL); }
static const dvp_kernel conv2d_backprop_input_rows[] = {BACKPROP_TYPES(DVP_ROW, backprop)};
DVP_DEFINE_SET(conv2d_backprop_input, "T", attrs_create, attrs_destroy, conv2d_backprop_input_rows);
