// _DovetailLayerNorm: rows of the last dim are shifted to mean 0 and scaled to variance 1, then scaled and
// shifted by vectors. A row is read from memory once.
#include <math.h>
#include <stdlib.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

#define LANES 32  // partial sums, so that the loops are vectors and rounding errors stay small

typedef struct norm_state {
  double epsilon;
} norm_state;
static void *layer_norm_create(TF_OpKernelConstruction *ctx) {
  norm_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->epsilon = (double)dvp_attr_float(ctx, "epsilon");
  return state;
}

typedef struct norm_run {
  const void *in, *scale, *offset;
  void *out;
  int64_t depth;
  double epsilon;
} norm_run;

#define SUM(t, name, EXPR)                                               \
  static dvp_##t name##_##t(const dvp_##t *x, dvp_##t mean, int64_t n) { \
    dvp_##t lanes[LANES] = {0}, sum = 0;                                 \
    int64_t i = 0;                                                       \
    (void)mean;                                                          \
    for (; i + LANES <= n; i += LANES)                                   \
      for (int k = 0; k < LANES; k++) lanes[k] += EXPR(x[i + k]);        \
    for (; i < n; i++) sum += EXPR(x[i]);                                \
    for (int half = LANES / 2; half > 0; half /= 2)                      \
      for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];        \
    return sum + lanes[0];                                               \
  }
#define VALUE(v) (v)
#define SQUARE(v) (((v)-mean) * ((v)-mean))

#define LAYER_NORM(t, unused)                                                                   \
  SUM(t, sum, VALUE)                                                                            \
  SUM(t, squares, SQUARE)                                                                       \
  static void layer_norm_##t##_range(void *arg, int64_t begin, int64_t end) {                   \
    const norm_run *run = arg;                                                                  \
    const dvp_##t *scale = run->scale, *offset = run->offset;                                   \
    const int64_t n = run->depth;                                                               \
    for (int64_t row = begin; row < end; row++) {                                               \
      const dvp_##t *x = (const dvp_##t *)run->in + row * n;                                    \
      dvp_##t *out = (dvp_##t *)run->out + row * n;                                             \
      const dvp_##t mean = sum_##t(x, 0, n) / (dvp_##t)n;                                       \
      const dvp_##t variance = squares_##t(x, mean, n) / (dvp_##t)n;                            \
      const dvp_##t factor = (dvp_##t)(1 / sqrt((double)variance + run->epsilon));              \
      DVP_IVDEP                                                                                 \
      for (int64_t i = 0; i < n; i++) out[i] = (x[i] - mean) * (factor * scale[i]) + offset[i]; \
    }                                                                                           \
  }                                                                                             \
  DVP_COMPUTE(layer_norm_##t##_compute) { layer_norm(call, state, layer_norm_##t##_range); }

static bool read_vector(dvp_call *call, int index, const char *what, int64_t depth, dvp_view *out) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, out)) return false;
  bool fits = out->rank >= 1 && out->count == depth && out->dims[out->rank - 1] == depth;
  return fits || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "%s must have one element for each of the last dimension's %lld, but is %s", what,
                          (long long)depth, dvp_shape_text(out->dims, out->rank, text));
}

static void layer_norm(dvp_call *call, const norm_state *state, void (*range)(void *, int64_t, int64_t)) {
  dvp_view in, scale, offset;
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "x must have at least one dimension, got a scalar");
    return;
  }
  int64_t depth = in.dims[in.rank - 1];
  if (!read_vector(call, 1, "scale", depth, &scale) || !read_vector(call, 2, "offset", depth, &offset))
    return;
  norm_run run = {.in = in.data,
                  .scale = scale.data,
                  .offset = offset.data,
                  .out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank),
                  .depth = depth,
                  .epsilon = state->epsilon};
  if (run.out && in.count > 0) dvp_parallel(call, in.count / depth, depth * 500, range, &run);
}
DVP_SINGLES(LAYER_NORM, )

static const dvp_kernel layer_norm_rows[] = {DVP_SINGLES(DVP_ROW, layer_norm)};
DVP_DEFINE_SET(layer_norm, "T", layer_norm_create, free, layer_norm_rows);
