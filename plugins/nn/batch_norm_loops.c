// FusedBatchNorm, V2 and V3: y = (x - mean) * scale / sqrt(variance + epsilon) + offset per channel. The
// statistics are given, or in training those of the batch. Parameters are f32; halves compute in f32.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/elementwise.h"
#include "nn/channel.h"

typedef struct norm_state {
  float epsilon, factor;
  bool training, channels_first;
} norm_state;

static void *norm_create(TF_OpKernelConstruction *ctx) {
  norm_state *state = dvp_state_new(ctx, sizeof(*state));
  char format[16];
  if (!state) return NULL;
  state->epsilon = dvp_attr_float(ctx, "epsilon");
  state->factor = dvp_attr_float(ctx, "exponential_avg_factor");
  state->training = dvp_attr_bool(ctx, "is_training");
  dvp_attr_string(ctx, "data_format", format, sizeof(format));
  state->channels_first = format[1] == 'C';
  return state;
}
static void norm_destroy(void *state) { free(state); }

typedef struct norm_run {
  const void *in;
  void *out;
  // One of each per channel, or for channels that come last patterns of `length`.
  const float *mean, *factor, *offset;
  int64_t count, length, channels, planes;
  float *batch_mean, *batch_variance;  // training: what a channel's statistics go into
} norm_run;

#define NORM(t, unused)                                                                                  \
  static void norm_last_##t(void *arg, int64_t begin, int64_t end) {                                     \
    const norm_run *run = arg;                                                                           \
    const float *mean = run->mean, *factor = run->factor, *offset = run->offset;                         \
    for (int64_t unit = begin; unit < end; unit++) {                                                     \
      const dvp_##t *in = (const dvp_##t *)run->in + unit * run->length;                                 \
      dvp_##t *out = (dvp_##t *)run->out + unit * run->length;                                           \
      int64_t n = DVP_MIN(run->length, run->count - unit * run->length);                                 \
      DVP_IVDEP                                                                                          \
      for (int64_t i = 0; i < n; i++)                                                                    \
        out[i] = DVP_STORE_##t((DVP_LOAD_##t(in[i]) - mean[i]) * factor[i] + offset[i]);                 \
    }                                                                                                    \
  }                                                                                                      \
  static void norm_first_##t(void *arg, int64_t begin, int64_t end) {                                    \
    const norm_run *run = arg;                                                                           \
    for (int64_t unit = begin; unit < end; unit++) {                                                     \
      int64_t c = unit % run->channels;                                                                  \
      const float mean = run->mean[c], factor = run->factor[c], offset = run->offset[c];                 \
      const dvp_##t *in = (const dvp_##t *)run->in + unit * run->length;                                 \
      dvp_##t *out = (dvp_##t *)run->out + unit * run->length;                                           \
      DVP_IVDEP                                                                                          \
      for (int64_t i = 0; i < run->length; i++)                                                          \
        out[i] = DVP_STORE_##t((DVP_LOAD_##t(in[i]) - mean) * factor + offset);                          \
    }                                                                                                    \
  }                                                                                                      \
  /* Units are channels; `length` elements of a channel lie together in each of `planes` planes. */      \
  static void moments_##t(void *arg, int64_t begin, int64_t end) {                                       \
    const norm_run *run = arg;                                                                           \
    int64_t step = run->length == 1 ? run->channels : 1, plane = run->length * run->channels;            \
    double n = (double)(run->length * run->planes);                                                      \
    for (int64_t c = begin; c < end; c++) {                                                              \
      const dvp_##t *in = (const dvp_##t *)run->in + c * run->length;                                    \
      double sum = 0, squares = 0;                                                                       \
      for (int64_t p = 0; p < run->planes; p++)                                                          \
        for (int64_t i = 0; i < run->length; i++) sum += (double)DVP_LOAD_##t(in[p * plane + i * step]); \
      double mean = sum / n;                                                                             \
      for (int64_t p = 0; p < run->planes; p++)                                                          \
        for (int64_t i = 0; i < run->length; i++) {                                                      \
          double d = (double)DVP_LOAD_##t(in[p * plane + i * step]) - mean;                              \
          squares += d * d;                                                                              \
        }                                                                                                \
      run->batch_mean[c] = (float)mean;                                                                  \
      run->batch_variance[c] = (float)(squares / n);                                                     \
    }                                                                                                    \
  }                                                                                                      \
  DVP_COMPUTE(norm_##t##_compute) { norm(call, state, norm_last_##t, norm_first_##t, moments_##t); }

// The four vectors of parameters, checked; mean and variance may be empty in training.
static bool read_parameters(dvp_call *call, int64_t channels, bool training, const float *out[4],
                            bool *out_has_running) {
  static const char *const names[] = {"scale", "offset", "mean", "variance"};
  char text[DVP_SHAPE_TEXT];
  *out_has_running = true;
  for (int i = 0; i < 4; i++) {
    dvp_view v;
    if (!dvp_input(call, i + 1, &v)) return false;
    bool absent = i >= 2 && training && v.rank == 1 && v.count == 0;
    if (absent) *out_has_running = false;
    if (v.rank != 1 || (!absent && v.count != channels))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "%s must be a vector of %" PRId64 " elements, one per channel, but has shape %s",
                      names[i], channels, dvp_shape_text(v.dims, v.rank, text));
    out[i] = v.data;
  }
  return true;
}

// Outputs 1 to 4: the statistics, blended with the running ones in training, and those of the batch for the
// gradient.
static void write_statistics(const norm_state *state, const float *const in[4], bool has_running,
                             int64_t channels, int64_t elements, const float *mean, const float *variance,
                             float *const out[4]) {
  float unbias = elements > 1 ? (float)((double)elements / (double)(elements - 1)) : 1, f = state->factor;
  for (int64_t c = 0; c < channels; c++) {
    bool blend = state->training && has_running && f != 1;
    float v = state->training ? variance[c] * unbias : variance[c];
    float new_mean = blend ? (1 - f) * in[2][c] + f * mean[c] : mean[c],
          new_variance = blend ? (1 - f) * in[3][c] + f * v : v;
    out[2][c] = mean[c];
    out[3][c] = variance[c];
    out[0][c] = new_mean;
    out[1][c] = new_variance;
  }
}

static void norm(dvp_call *call, const norm_state *state, void (*last)(void *, int64_t, int64_t),
                 void (*first)(void *, int64_t, int64_t), void (*moments)(void *, int64_t, int64_t)) {
  dvp_view in;
  const float *parameters[4];
  float *statistics[4];
  char text[DVP_SHAPE_TEXT];
  bool has_running;
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank != 4 && in.rank != 5) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "input must be 4 or 5-dimensional: %s",
             dvp_shape_text(in.dims, in.rank, text));
    return;
  }
  int axis = state->channels_first ? 1 : in.rank - 1;
  int64_t channels = in.dims[axis], inner = dvp_product(in.dims, axis + 1, in.rank);
  if (!read_parameters(call, channels, state->training, parameters, &has_running)) return;
  void *out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
  for (int i = 0; i < 4; i++)
    if (!out || !(statistics[i] = dvp_output(call, i + 1, &channels, 1))) return;
  if (TF_NumOutputs(call->ctx) == 6) {
    float *reserve = dvp_output(call, 5, NULL, 0);
    if (!reserve) return;
    *reserve = 0;
  }
  if (channels == 0) return;
  norm_run run = {.in = in.data,
                  .out = out,
                  .count = in.count,
                  .channels = channels,
                  .length = inner,
                  .planes = dvp_product(in.dims, 0, axis),
                  .batch_mean = statistics[2],
                  .batch_variance = statistics[3]};
  const float *mean = parameters[2], *variance = parameters[3];
  if (state->training) {
    dvp_parallel(call, channels, in.count / channels * 1000, moments, &run);
    mean = statistics[2];
    variance = statistics[3];
  }
  int64_t length = state->channels_first ? channels : dvp_pattern_length(channels);
  TF_Tensor *scratch;
  float *pattern = dvp_temp(call, (size_t)length * 3 * sizeof(float), &scratch);
  if (!pattern) return;
  for (int64_t i = 0; i < length; i++) {
    int64_t c = i % channels;
    pattern[i] = mean[c];
    pattern[length + i] = parameters[0][c] / sqrtf(variance[c] + state->epsilon);
    pattern[2 * length + i] = parameters[1][c];
  }
  run.mean = pattern;
  run.factor = pattern + length;
  run.offset = pattern + 2 * length;
  if (!state->channels_first) run.length = length;
  dvp_parallel(call, (in.count + run.length - 1) / DVP_MAX(1, run.length), run.length * DVP_CHEAP,
               state->channels_first ? first : last, &run);
  dvp_free_temp(scratch);
  write_statistics(state, parameters, has_running, channels, in.count / channels, mean, variance, statistics);
}

#define NORM_TYPES(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f32, __VA_ARGS__)
NORM_TYPES(NORM, )
static const dvp_kernel fused_batch_norm_rows[] = {NORM_TYPES(DVP_ROW, norm)};
DVP_DEFINE_SET(fused_batch_norm, "T", norm_create, norm_destroy, fused_batch_norm_rows);
