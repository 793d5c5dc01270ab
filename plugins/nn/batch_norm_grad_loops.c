// FusedBatchNormGrad, V2 and V3: the gradients of a batch normalisation by its input, scale and offset. In
// training the statistics depend on the input, too; else they are constants. Sums are kept in f64.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

#define BLOCK 64  // channels

typedef struct grad_state {
  float epsilon;
  bool training, channels_first;
} grad_state;

static void *grad_create(TF_OpKernelConstruction *ctx) {
  grad_state *state = dvp_state_new(ctx, sizeof(*state));
  char format[16] = "";
  if (!state) return NULL;
  state->epsilon = dvp_attr_float(ctx, "epsilon");
  state->training = dvp_attr_bool(ctx, "is_training");
  dvp_attr_string(ctx, "data_format", format, sizeof(format));
  state->channels_first = format[1] == 'C';
  return state;
}

// Elements [planes, channels, length]; length is 1 where the channels come last.
typedef struct grad_run {
  const grad_state *options;
  const void *grad, *in;
  void *out;
  const float *scale, *mean, *variance;
  float *scale_grad, *offset_grad;
  int64_t planes, channels, length;
  // The gradient by the input is (grad * slope - (in - mean) * tilt) - level, per channel.
  float *slope, *tilt, *level;
} grad_run;

// What the sums of a channel, of the gradients and of them times in - mean, come to.
static void finish_channel(const grad_run *run, int64_t c, double sum, double product) {
  double n = (double)(run->planes * run->length),
         variance = (double)run->variance[c] + (double)run->options->epsilon;
  double factor = (double)run->scale[c] / sqrt(variance);
  run->offset_grad[c] = (float)sum;
  run->scale_grad[c] = (float)(product / sqrt(variance));
  run->slope[c] = (float)factor;
  run->tilt[c] = run->options->training ? (float)(factor * product / n / variance) : 0;
  run->level[c] = run->options->training ? (float)(factor * sum / n) : 0;
}

#define NORM_GRAD(t, unused)                                                                                 \
  /* Units are blocks of channels that come last. */                                                         \
  static void sums_last_##t(void *arg, int64_t begin, int64_t end) {                                         \
    const grad_run *run = arg;                                                                               \
    for (int64_t unit = begin; unit < end; unit++) {                                                         \
      double sum[BLOCK] = {0}, product[BLOCK] = {0};                                                         \
      int64_t c0 = unit * BLOCK, n = DVP_MIN(BLOCK, run->channels - c0);                                     \
      const dvp_##t *grad = (const dvp_##t *)run->grad + c0, *in = (const dvp_##t *)run->in + c0;            \
      for (int64_t row = 0; row < run->planes; row++, grad += run->channels, in += run->channels)            \
        for (int64_t c = 0; c < n; c++) {                                                                    \
          const float g = DVP_LOAD_##t(grad[c]);                                                             \
          sum[c] += (double)g;                                                                               \
          product[c] += (double)(g * (DVP_LOAD_##t(in[c]) - run->mean[c0 + c]));                             \
        }                                                                                                    \
      for (int64_t c = 0; c < n; c++) finish_channel(run, c0 + c, sum[c], product[c]);                       \
    }                                                                                                        \
  }                                                                                                          \
  /* Units are channels. */                                                                                  \
  static void sums_first_##t(void *arg, int64_t begin, int64_t end) {                                        \
    const grad_run *run = arg;                                                                               \
    for (int64_t c = begin; c < end; c++) {                                                                  \
      double sum = 0, product = 0;                                                                           \
      for (int64_t plane = 0; plane < run->planes; plane++) {                                                \
        int64_t at = (plane * run->channels + c) * run->length;                                              \
        const dvp_##t *grad = (const dvp_##t *)run->grad + at, *in = (const dvp_##t *)run->in + at;          \
        for (int64_t i = 0; i < run->length; i++) {                                                          \
          const float g = DVP_LOAD_##t(grad[i]);                                                             \
          sum += (double)g;                                                                                  \
          product += (double)(g * (DVP_LOAD_##t(in[i]) - run->mean[c]));                                     \
        }                                                                                                    \
      }                                                                                                      \
      finish_channel(run, c, sum, product);                                                                  \
    }                                                                                                        \
  }                                                                                                          \
  /* Units are rows of channels, or planes of one. */                                                        \
  static void input_last_##t(void *arg, int64_t begin, int64_t end) {                                        \
    const grad_run *run = arg;                                                                               \
    const float *mean = run->mean, *slope = run->slope, *tilt = run->tilt, *level = run->level;              \
    for (int64_t row = begin; row < end; row++) {                                                            \
      int64_t at = row * run->channels;                                                                      \
      const dvp_##t *grad = (const dvp_##t *)run->grad + at, *in = (const dvp_##t *)run->in + at;            \
      dvp_##t *out = (dvp_##t *)run->out + at;                                                               \
      DVP_IVDEP                                                                                              \
      for (int64_t c = 0; c < run->channels; c++)                                                            \
        out[c] = DVP_STORE_##t(DVP_LOAD_##t(grad[c]) * slope[c] -                                            \
                               (DVP_LOAD_##t(in[c]) - mean[c]) * tilt[c] - level[c]);                        \
    }                                                                                                        \
  }                                                                                                          \
  static void input_first_##t(void *arg, int64_t begin, int64_t end) {                                       \
    const grad_run *run = arg;                                                                               \
    for (int64_t plane = begin; plane < end; plane++) {                                                      \
      int64_t at = plane * run->length, c = plane % run->channels;                                           \
      const float mean = run->mean[c], slope = run->slope[c], tilt = run->tilt[c], level = run->level[c];    \
      const dvp_##t *grad = (const dvp_##t *)run->grad + at, *in = (const dvp_##t *)run->in + at;            \
      dvp_##t *out = (dvp_##t *)run->out + at;                                                               \
      DVP_IVDEP                                                                                              \
      for (int64_t i = 0; i < run->length; i++)                                                              \
        out[i] = DVP_STORE_##t(DVP_LOAD_##t(grad[i]) * slope - (DVP_LOAD_##t(in[i]) - mean) * tilt - level); \
    }                                                                                                        \
  }                                                                                                          \
  DVP_COMPUTE(norm_grad_##t##_compute) {                                                                     \
    static const norm_loops loops = {sums_last_##t, sums_first_##t, input_last_##t, input_first_##t};        \
    norm_grad(call, state, &loops);                                                                          \
  }

typedef void (*norm_loop)(void *arg, int64_t begin, int64_t end);
typedef struct norm_loops {
  norm_loop sums_last, sums_first, input_last, input_first;
} norm_loops;

static bool read_inputs(dvp_call *call, const grad_state *state, dvp_view *grad, dvp_view *in,
                        grad_run *run) {
  static const char *const names[] = {"scale", "the mean", "the variance"};
  const float **const vectors[] = {&run->scale, &run->mean, &run->variance};
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, grad) || !dvp_input(call, 1, in)) return false;
  if ((in->rank != 4 && in->rank != 5) || !dvp_same_shape(grad, in))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "x and y_backprop must have one shape of 4 or 5 dimensions: got %s and %s",
                    dvp_shape_text(in->dims, in->rank, ta), dvp_shape_text(grad->dims, grad->rank, tb));
  int axis = state->channels_first ? 1 : in->rank - 1;
  *run = (grad_run){.options = state,
                    .grad = grad->data,
                    .in = in->data,
                    .planes = dvp_product(in->dims, 0, axis),
                    .channels = in->dims[axis],
                    .length = dvp_product(in->dims, axis + 1, in->rank)};
  for (int i = 0; i < 3; i++) {
    dvp_view v;
    if (!dvp_input(call, 2 + i, &v)) return false;
    if (v.rank != 1 || v.count != run->channels)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "%s must be a vector of %" PRId64 " elements, but has shape %s", names[i],
                      run->channels, dvp_shape_text(v.dims, v.rank, ta));
    *vectors[i] = v.data;
  }
  return true;
}

static void norm_grad(dvp_call *call, const grad_state *state, const norm_loops *loops) {
  dvp_view grad, in;
  grad_run run;
  TF_Tensor *scratch = NULL;
  const int64_t none = 0;
  if (!read_inputs(call, state, &grad, &in, &run)) return;
  run.out = dvp_output(call, 0, in.dims, in.rank);
  run.scale_grad = run.out ? dvp_output(call, 1, &run.channels, 1) : NULL;
  run.offset_grad = run.scale_grad ? dvp_output(call, 2, &run.channels, 1) : NULL;
  // What cuDNN would hand on; empty here.
  if (!run.offset_grad || !dvp_output(call, 3, &none, 1) || !dvp_output(call, 4, &none, 1)) return;
  if (in.count == 0) {
    memset(run.scale_grad, 0, (size_t)run.channels * sizeof(float));
    memset(run.offset_grad, 0, (size_t)run.channels * sizeof(float));
    return;
  }
  run.slope = dvp_temp(call, (size_t)run.channels * 3 * sizeof(float), &scratch);
  if (!run.slope) return;
  run.tilt = run.slope + run.channels;
  run.level = run.tilt + run.channels;
  int64_t cost = in.count / run.channels * 1000;
  if (state->channels_first) {
    dvp_parallel(call, run.channels, cost, loops->sums_first, &run);
    dvp_parallel(call, run.planes * run.channels, run.length * 400, loops->input_first, &run);
  } else {
    dvp_parallel(call, (run.channels + BLOCK - 1) / BLOCK, cost * DVP_MIN(BLOCK, run.channels),
                 loops->sums_last, &run);
    dvp_parallel(call, run.planes, run.channels * 400, loops->input_last, &run);
  }
  dvp_free_temp(scratch);
}

#define NORM_TYPES(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f32, __VA_ARGS__)
NORM_TYPES(NORM_GRAD, )
static const dvp_kernel fused_batch_norm_grad_rows[] = {NORM_TYPES(DVP_ROW, norm_grad)};
DVP_DEFINE_SET(fused_batch_norm_grad, "T", grad_create, free, fused_batch_norm_grad_rows);
