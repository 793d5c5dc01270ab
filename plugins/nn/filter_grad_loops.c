// Conv2DBackpropFilter and DepthwiseConv2dNativeBackpropFilter: for each tap of the filter, the products of
// the input it saw and the gradients of what came of it. Units own parts of the result; sums over a row of
// the output are kept in the arithmetic type, sums of rows in f64.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/window_grad.h"

#define INS 4  // input and output channels that a unit joins
#define OUTS 16
#define BLOCK 64  // channels of a depthwise unit

typedef struct filter_run {
  const dvp_window *w;
  const void *in, *grad;
  void *out;
} filter_run;

static int64_t blocks(int64_t count, int64_t size) { return (count + size - 1) / size; }

// The columns of the output, [*begin, *end), whose window sees a column of the input with tap `tap`, and the
// row of the input that tap `tap` of row `row` sees; false in the padding.
static void seen_columns(const dvp_window *w, int64_t tap, int64_t *begin, int64_t *end) {
  int64_t shift = w->before[1] - tap * w->dilation[1], last = w->in[1] - 1 + shift;
  *begin = shift <= 0 ? 0 : blocks(shift, w->stride[1]);
  *end = last < 0 ? 0 : DVP_MIN(w->out[1], last / w->stride[1] + 1);
}
static bool seen_row(const dvp_window *w, int64_t tap, int64_t row, int64_t *out) {
  *out = row * w->stride[0] - w->before[0] + tap * w->dilation[0];
  return *out >= 0 && *out < w->in[0];
}

#define FILTER(t, unused)                                                                                  \
  static inline __attribute__((always_inline)) void join_##t(                                              \
      const dvp_##t *in, int64_t in_step, const dvp_##t *grad, int64_t grad_step, int64_t count,           \
      int64_t ins, int64_t outs, double total[INS][OUTS]) {                                                \
    DVP_ARITH_##t sum[INS][OUTS] = {{0}};                                                                  \
    for (; count > 0; count--, in += in_step, grad += grad_step)                                           \
      for (int64_t i = 0; i < ins; i++) {                                                                  \
        const DVP_ARITH_##t a = DVP_LOAD_##t(in[i]);                                                       \
        for (int64_t o = 0; o < outs; o++) sum[i][o] += a * DVP_LOAD_##t(grad[o]);                         \
      }                                                                                                    \
    for (int64_t i = 0; i < ins; i++)                                                                      \
      for (int64_t o = 0; o < outs; o++) total[i][o] += (double)sum[i][o];                                 \
  }                                                                                                        \
  /* Units are taps x groups x blocks of input channels x blocks of output channels. */                    \
  static void filter_##t##_range(void *arg, int64_t begin, int64_t end) {                                  \
    const filter_run *run = arg;                                                                           \
    const dvp_window *w = run->w;                                                                          \
    int64_t per_group = w->out_channels / w->groups, out_blocks = blocks(per_group, OUTS),                 \
            in_blocks = blocks(w->group_channels, INS);                                                    \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      int64_t o0 = unit % out_blocks * OUTS, i0 = unit / out_blocks % in_blocks * INS,                     \
              rest = unit / out_blocks / in_blocks, group = rest % w->groups, tap = rest / w->groups;      \
      int64_t outs = DVP_MIN(OUTS, per_group - o0), ins = DVP_MIN(INS, w->group_channels - i0), x0, x1, y; \
      double total[INS][OUTS] = {{0}};                                                                     \
      o0 += group * per_group;                                                                             \
      seen_columns(w, tap % w->k[1], &x0, &x1);                                                            \
      for (int64_t line = 0; line < w->batch * w->out[0]; line++) {                                        \
        if (!seen_row(w, tap / w->k[1], line % w->out[0], &y)) continue;                                   \
        int64_t x = x0 * w->stride[1] - w->before[1] + tap % w->k[1] * w->dilation[1];                     \
        const dvp_##t *in = (const dvp_##t *)run->in + group * w->group_channels + i0 +                    \
                            ((line / w->out[0] * w->in[0] + y) * w->in[1] + x) * w->channels;              \
        const dvp_##t *grad = (const dvp_##t *)run->grad + (line * w->out[1] + x0) * w->out_channels + o0; \
        int64_t in_step = w->stride[1] * w->channels;                                                      \
        if (x1 <= x0) continue;                                                                            \
        if (ins == INS && outs == OUTS)                                                                    \
          join_##t(in, in_step, grad, w->out_channels, x1 - x0, INS, OUTS, total);                         \
        else                                                                                               \
          join_##t(in, in_step, grad, w->out_channels, x1 - x0, ins, outs, total);                         \
      }                                                                                                    \
      dvp_##t *out = (dvp_##t *)run->out + (tap * w->group_channels + i0) * w->out_channels + o0;          \
      for (int64_t i = 0; i < ins; i++)                                                                    \
        for (int64_t o = 0; o < outs; o++)                                                                 \
          out[i * w->out_channels + o] = DVP_STORE_##t((DVP_ARITH_##t)total[i][o]);                        \
    }                                                                                                      \
  }                                                                                                        \
  DVP_COMPUTE(conv2d_backprop_filter_##t##_compute) { filter_grad(call, state, false, filter_##t##_range); }

#define DEPTHWISE(t, unused)                                                                                \
  /* Units are taps x blocks of output channels. */                                                         \
  static void depthwise_##t##_range(void *arg, int64_t begin, int64_t end) {                                \
    const filter_run *run = arg;                                                                            \
    const dvp_window *w = run->w;                                                                           \
    int64_t count = blocks(w->out_channels, BLOCK), multiplier = w->out_channels / w->channels;             \
    for (int64_t unit = begin; unit < end; unit++) {                                                        \
      int64_t c0 = unit % count * BLOCK, tap = unit / count, n = DVP_MIN(BLOCK, w->out_channels - c0), x0,  \
              x1, y, from[BLOCK];                                                                           \
      double total[BLOCK] = {0};                                                                            \
      for (int64_t j = 0; j < n; j++) from[j] = (c0 + j) / multiplier;                                      \
      seen_columns(w, tap % w->k[1], &x0, &x1);                                                             \
      for (int64_t line = 0; line < w->batch * w->out[0]; line++) {                                         \
        DVP_ARITH_##t sum[BLOCK] = {0};                                                                     \
        if (!seen_row(w, tap / w->k[1], line % w->out[0], &y)) continue;                                    \
        for (int64_t x = x0; x < x1; x++) {                                                                 \
          int64_t column = x * w->stride[1] - w->before[1] + tap % w->k[1] * w->dilation[1];                \
          const dvp_##t *in = (const dvp_##t *)run->in +                                                    \
                              ((line / w->out[0] * w->in[0] + y) * w->in[1] + column) * w->channels;        \
          const dvp_##t *grad = (const dvp_##t *)run->grad + (line * w->out[1] + x) * w->out_channels + c0; \
          if (multiplier == 1)                                                                              \
            for (int64_t j = 0; j < n; j++) sum[j] += DVP_LOAD_##t(in[c0 + j]) * DVP_LOAD_##t(grad[j]);     \
          else                                                                                              \
            for (int64_t j = 0; j < n; j++) sum[j] += DVP_LOAD_##t(in[from[j]]) * DVP_LOAD_##t(grad[j]);    \
        }                                                                                                   \
        for (int64_t j = 0; j < n; j++) total[j] += (double)sum[j];                                         \
      }                                                                                                     \
      dvp_##t *out = (dvp_##t *)run->out + tap * w->out_channels + c0;                                      \
      for (int64_t j = 0; j < n; j++) out[j] = DVP_STORE_##t((DVP_ARITH_##t)total[j]);                      \
    }                                                                                                       \
  }                                                                                                         \
  DVP_COMPUTE(depthwise_backprop_filter_##t##_compute) {                                                    \
    filter_grad(call, state, true, depthwise_##t##_range);                                                  \
  }

static bool set_channels(dvp_call *call, const int64_t sizes[4], bool depthwise, dvp_window *w) {
  char text[DVP_SHAPE_TEXT];
  w->group_channels = depthwise ? 1 : sizes[2];
  w->out_channels = sizes[3];
  if (depthwise ? sizes[2] != w->channels : sizes[2] == 0 || w->channels % sizes[2] != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "filter_sizes %s do not fit an input of %" PRId64 " channels, or are empty",
                    dvp_shape_text(sizes, 4, text), w->channels);
  w->groups = depthwise ? w->channels : w->channels / sizes[2];
  if (depthwise && __builtin_mul_overflow(w->channels, sizes[3], &w->out_channels))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "filter_sizes are too large");
  return depthwise || (w->groups > 0 && w->out_channels % w->groups == 0) ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "%" PRId64 " output channels do not divide into %" PRId64 " groups", w->out_channels,
                  w->groups);
}

static void compute(dvp_call *call, const dvp_window_attrs *attrs, const dvp_window *w, const dvp_view *in,
                    const dvp_view *grad, bool depthwise, void (*range)(void *, int64_t, int64_t),
                    void *out) {
  TF_Tensor *scratch_in = NULL, *scratch_grad = NULL;
  filter_run run = {w, dvp_window_nhwc(call, attrs, in, &scratch_in), NULL, out};
  run.grad = run.in ? dvp_window_nhwc(call, attrs, grad, &scratch_grad) : NULL;
  if (run.grad) {
    int64_t taps = w->k[0] * w->k[1];
    int64_t units =
        depthwise ? blocks(w->out_channels, BLOCK)
                  : w->groups * blocks(w->out_channels / w->groups, OUTS) * blocks(w->group_channels, INS);
    double cost = (double)(w->batch * w->out[0]) * (double)w->out[1] * 5000;
    dvp_parallel(call, taps * units, cost < 1e15 ? (int64_t)cost : (int64_t)1e15, range, &run);
  }
  dvp_free_temp(scratch_in);
  dvp_free_temp(scratch_grad);
}

static void filter_grad(dvp_call *call, const dvp_window_attrs *attrs, bool depthwise,
                        void (*range)(void *, int64_t, int64_t)) {
  dvp_view in, grad;
  int64_t sizes[4], d[4], count;
  if (!dvp_input(call, 0, &in) || !dvp_window_sizes(call, 1, "filter_sizes", sizes) ||
      !dvp_input(call, 2, &grad) || !dvp_window_rank(call, &in, "input"))
    return;
  dvp_window_dims(attrs, &in, d);
  dvp_window w = {.batch = d[0], .in = {d[1], d[2]}, .channels = d[3], .k = {sizes[0], sizes[1]}};
  if (!set_channels(call, sizes, depthwise, &w)) return;
  if (sizes[0] < 1 || sizes[1] < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "filter_sizes must not have zero elements");
    return;
  }
  if (!dvp_window_grad_resolve(call, attrs, &grad, "out_backprop", &w) || !dvp_count(call, sizes, 4, &count))
    return;
  void *out = dvp_output(call, 0, sizes, 4);
  if (!out || count == 0) return;
  if (in.count == 0 || grad.count == 0)
    memset(out, 0, (size_t)count * TF_DataTypeSize(in.dtype));
  else
    compute(call, attrs, &w, &in, &grad, depthwise, range, out);
}

DVP_FLOATS(FILTER, )
DVP_FLOATS(DEPTHWISE, )
static const dvp_kernel conv2d_backprop_filter_rows[] = {DVP_FLOATS(DVP_ROW, conv2d_backprop_filter)};
static const dvp_kernel depthwise_backprop_filter_rows[] = {DVP_FLOATS(DVP_ROW, depthwise_backprop_filter)};
DVP_DEFINE_SET(conv2d_backprop_filter, "T", dvp_window_grad_create, free, conv2d_backprop_filter_rows);
DVP_DEFINE_SET(depthwise_backprop_filter, "T", dvp_window_grad_create, free, depthwise_backprop_filter_rows);
