// LRN and LRNGrad: local response normalisation along the channels. With norm = bias + alpha * (the sum of
// squares of the channels at most depth_radius away), an element x becomes x * norm^-beta.
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/vector_math.h"

typedef struct lrn_state {
  int64_t radius;
  float bias, alpha, beta;
} lrn_state;

static void *lrn_create(TF_OpKernelConstruction *ctx) {
  lrn_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->radius = dvp_attr_int(ctx, "depth_radius");
  state->bias = dvp_attr_float(ctx, "bias");
  state->alpha = dvp_attr_float(ctx, "alpha");
  state->beta = dvp_attr_float(ctx, "beta");
  if (state->radius < 0 || state->radius > INT32_MAX)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "depth_radius must be 0 or more and fit in 32 bits");
  return state;
}

typedef struct lrn_run {
  const lrn_state *options;
  int64_t channels;
  const void *in, *result, *grad;  // result, grad: of LRNGrad
  void *out;
  atomic_bool failed;
} lrn_run;

// Three rows of channels, to be freed; NULL when out of memory, which the run then knows.
static float *make_rows(lrn_run *run) {
  float *rows = malloc((size_t)run->channels * 3 * sizeof(float));
  if (!rows) atomic_store(&run->failed, true);
  return rows;
}

// out[c] = the sum of in[c - radius .. c + radius], as far as they exist.
static void window_sums(const float *in, int64_t channels, int64_t radius, float *out) {
  for (int64_t c = 0; c < channels; c++) {
    float sum = 0;
    for (int64_t i = DVP_MAX(0, c - radius); i <= DVP_MIN(channels - 1, c + radius); i++) sum += in[i];
    out[c] = sum;
  }
}

// norm and norm^-beta of a row.
static void find_norms(const lrn_run *run, const float *squares, float *norm, float *power) {
  const lrn_state *options = run->options;
  const float exponent = -options->beta;
  window_sums(squares, run->channels, options->radius, norm);
  for (int64_t c = 0; c < run->channels; c++) norm[c] = options->bias + options->alpha * norm[c];
  DVP_VECTOR(pow, f32)(norm, 1, &exponent, 0, power, run->channels);
}

#define LRN(t, unused)                                                                                      \
  static void lrn_##t##_rows(void *arg, int64_t begin, int64_t end) {                                       \
    lrn_run *run = arg;                                                                                     \
    int64_t n = run->channels;                                                                              \
    float *squares = make_rows(run);                                                                        \
    if (!squares) return;                                                                                   \
    float *norm = squares + n, *power = norm + n;                                                           \
    for (int64_t row = begin; row < end; row++) {                                                           \
      const dvp_##t *in = (const dvp_##t *)run->in + row * n;                                               \
      dvp_##t *out = (dvp_##t *)run->out + row * n;                                                         \
      for (int64_t c = 0; c < n; c++) squares[c] = DVP_LOAD_##t(in[c]) * DVP_LOAD_##t(in[c]);               \
      find_norms(run, squares, norm, power);                                                                \
      for (int64_t c = 0; c < n; c++) out[c] = DVP_STORE_##t(DVP_LOAD_##t(in[c]) * power[c]);               \
    }                                                                                                       \
    free(squares);                                                                                          \
  }                                                                                                         \
  static void lrn_grad_##t##_rows(void *arg, int64_t begin, int64_t end) {                                  \
    lrn_run *run = arg;                                                                                     \
    int64_t n = run->channels;                                                                              \
    const float factor = -2 * run->options->alpha * run->options->beta;                                     \
    float *squares = make_rows(run);                                                                        \
    if (!squares) return;                                                                                   \
    float *norm = squares + n, *power = norm + n;                                                           \
    for (int64_t row = begin; row < end; row++) {                                                           \
      const dvp_##t *in = (const dvp_##t *)run->in + row * n, *grad = (const dvp_##t *)run->grad + row * n, \
                    *result = (const dvp_##t *)run->result + row * n;                                       \
      dvp_##t *out = (dvp_##t *)run->out + row * n;                                                         \
      for (int64_t c = 0; c < n; c++) squares[c] = DVP_LOAD_##t(in[c]) * DVP_LOAD_##t(in[c]);               \
      find_norms(run, squares, norm, power);                                                                \
      /* What each channel's norm passes on to the channels around it. */                                   \
      for (int64_t c = 0; c < n; c++)                                                                       \
        squares[c] = DVP_LOAD_##t(grad[c]) * DVP_LOAD_##t(result[c]) / norm[c];                             \
      window_sums(squares, n, run->options->radius, norm);                                                  \
      for (int64_t c = 0; c < n; c++)                                                                       \
        out[c] = DVP_STORE_##t(DVP_LOAD_##t(grad[c]) * power[c] + factor * DVP_LOAD_##t(in[c]) * norm[c]);  \
    }                                                                                                       \
    free(squares);                                                                                          \
  }                                                                                                         \
  DVP_COMPUTE(lrn_##t##_compute) { lrn(call, state, lrn_##t##_rows); }                                      \
  DVP_COMPUTE(lrn_grad_##t##_compute) { lrn_grad(call, state, lrn_grad_##t##_rows); }

static void compute(dvp_call *call, const dvp_view *in, lrn_run *run,
                    void (*rows)(void *, int64_t, int64_t)) {
  run->channels = in->dims[3];
  run->in = in->data;
  run->out = dvp_output(call, 0, in->dims, 4);
  if (!run->out || in->count == 0) return;
  dvp_parallel(call, in->count / run->channels, run->channels * 6000, rows, run);
  if (atomic_load(&run->failed)) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for rows of channels");
}

static bool four(dvp_call *call, const dvp_view *view, const char *what) {
  char text[DVP_SHAPE_TEXT];
  return view->rank == 4 || dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be 4-dimensional, but is %s", what,
                                     dvp_shape_text(view->dims, view->rank, text));
}

static void lrn(dvp_call *call, const lrn_state *state, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view in;
  lrn_run run = {.options = state};
  if (dvp_input(call, 0, &in) && four(call, &in, "input")) compute(call, &in, &run, rows);
}

static void lrn_grad(dvp_call *call, const lrn_state *state, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view grad, in, result;
  if (!dvp_input(call, 0, &grad) || !dvp_input(call, 1, &in) || !dvp_input(call, 2, &result) ||
      !four(call, &in, "input_image"))
    return;
  if (!dvp_same_shape(&grad, &in) || !dvp_same_shape(&result, &in)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "input_grads, input_image and output_image must have one shape");
    return;
  }
  lrn_run run = {.options = state, .result = result.data, .grad = grad.data};
  compute(call, &in, &run, rows);
}

#define TYPES(X, ...) X(f16, __VA_ARGS__) X(f32, __VA_ARGS__)
TYPES(LRN, )
static const dvp_kernel lrn_rows[] = {TYPES(DVP_ROW, lrn)};
static const dvp_kernel lrn_grad_rows[] = {TYPES(DVP_ROW, lrn_grad)};
DVP_DEFINE_SET(lrn, "T", lrn_create, free, lrn_rows);
DVP_DEFINE_SET(lrn_grad, "T", lrn_create, free, lrn_grad_rows);
