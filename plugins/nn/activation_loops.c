// Activations, Softmax and LogSoftmax.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/elementwise.h"
#include "common/vector_math.h"

// NaN passes through both.
DVP_UNARY_OP(relu, DVP_REALS, DVP_CHEAP, a > 0 || a != a ? a : 0)
DVP_UNARY_OP(relu6, DVP_REALS, DVP_CHEAP, a > 6 ? 6 : a > 0 || a != a ? a : 0)
DVP_BINARY_OP(prelu, DVP_FLOATS, DVP_CHEAP, a < 0 ? a * b : a)
#define ABS(x) ((x) < 0 ? -(x) : (x))
DVP_UNARY_OP(softsign, DVP_FLOATS, DVP_CHEAP, a / (1 + ABS(a)))

// ---- LeakyRelu ----

typedef struct leaky_state {
  float alpha;
} leaky_state;
static void *leaky_create(TF_OpKernelConstruction *ctx) {
  leaky_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->alpha = dvp_attr_float(ctx, "alpha");
  return state;
}
static void leaky_destroy(void *state) { free(state); }

typedef struct leaky_run {
  float alpha;
  const void *in;
  void *out;
} leaky_run;

#define LEAKY(t, op)                                                              \
  static void op##_##t##_range(void *arg, int64_t begin, int64_t end) {           \
    const leaky_run *run = arg;                                                   \
    const dvp_##t *in = run->in;                                                  \
    dvp_##t *out = run->out;                                                      \
    const DVP_ARITH_##t alpha = (DVP_ARITH_##t)run->alpha;                        \
    DVP_IVDEP                                                                     \
    for (int64_t i = begin; i < end; i++) {                                       \
      const DVP_ARITH_##t a = DVP_LOAD_##t(in[i]);                                \
      out[i] = DVP_STORE_##t(a > 0 ? a : a * alpha);                              \
    }                                                                             \
  }                                                                               \
  DVP_COMPUTE(op##_##t##_compute) {                                               \
    dvp_view in;                                                                  \
    if (!dvp_input(call, 0, &in)) return;                                         \
    leaky_run run = {((const leaky_state *)state)->alpha, in.data,                \
                     dvp_output_over(call, 0, -1, 0, in.dims, in.rank)};          \
    if (run.out) dvp_parallel(call, in.count, DVP_CHEAP, op##_##t##_range, &run); \
  }
DVP_FLOATS(LEAKY, leaky_relu)
static const dvp_kernel leaky_relu_rows[] = {DVP_FLOATS(DVP_ROW, leaky_relu)};
DVP_DEFINE_SET(leaky_relu, "T", leaky_create, leaky_destroy, leaky_relu_rows);

// ---- activations through the exponential, block by block in f32 or f64 ----

#define BLOCK 256
#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123

// EXPR computes from x and e, which is FUNCTION of ARGUMENT.
#define THROUGH(t, v, op, FUNCTION, ARGUMENT, EXPR)                     \
  static void op##_##t##_loop(const void *pin, void *pout, int64_t n) { \
    const dvp_##t *in = pin;                                            \
    dvp_##t *out = pout;                                                \
    dvp_##v values[BLOCK], powers[BLOCK];                               \
    for (int64_t begin = 0; begin < n; begin += BLOCK) {                \
      int64_t m = DVP_MIN(BLOCK, n - begin);                            \
      for (int64_t i = 0; i < m; i++) {                                 \
        const dvp_##v x = values[i] = DVP_LOAD_##t(in[begin + i]);      \
        powers[i] = ARGUMENT;                                           \
      }                                                                 \
      DVP_VECTOR(FUNCTION, v)(powers, powers, m);                       \
      for (int64_t i = 0; i < m; i++) {                                 \
        const dvp_##v x = values[i], e = powers[i];                     \
        out[begin + i] = DVP_STORE_##t(EXPR);                           \
      }                                                                 \
    }                                                                   \
  }                                                                     \
  DVP_UNARY_COMPUTE(t, op, t, DVP_COSTLY)
#define ACTIVATION(op, FUNCTION, ARGUMENT, EXPR)                   \
  THROUGH(f16, f32, op, FUNCTION, ARGUMENT, EXPR)                  \
  THROUGH(bf16, f32, op, FUNCTION, ARGUMENT, EXPR)                 \
  THROUGH(f32, f32, op, FUNCTION, ARGUMENT, EXPR)                  \
  THROUGH(f64, f64, op, FUNCTION, ARGUMENT, EXPR)                  \
  static const dvp_kernel op##_rows[] = {DVP_FLOATS(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

ACTIVATION(elu, expm1, x < 0 ? x : 0, x < 0 ? e : x)
ACTIVATION(selu, expm1, x < 0 ? x : 0,
           x < 0 ? (__typeof__(x))SELU_SCALE_ALPHA * e : (__typeof__(x))SELU_SCALE * x)

// log(1 + exp(x)) as max(x, 0) + log1p(exp(-|x|)), which neither overflows nor cancels.
#define SOFTPLUS(t, v)                                                               \
  static void softplus_##t##_loop(const void *pin, void *pout, int64_t n) {          \
    const dvp_##t *in = pin;                                                         \
    dvp_##t *out = pout;                                                             \
    dvp_##v values[BLOCK], powers[BLOCK];                                            \
    for (int64_t begin = 0; begin < n; begin += BLOCK) {                             \
      int64_t m = DVP_MIN(BLOCK, n - begin);                                         \
      for (int64_t i = 0; i < m; i++) {                                              \
        values[i] = DVP_LOAD_##t(in[begin + i]);                                     \
        powers[i] = values[i] > 0 ? -values[i] : values[i];                          \
      }                                                                              \
      DVP_VECTOR(exp, v)(powers, powers, m);                                         \
      DVP_VECTOR(log1p, v)(powers, powers, m);                                       \
      for (int64_t i = 0; i < m; i++)                                                \
        out[begin + i] = DVP_STORE_##t((values[i] > 0 ? values[i] : 0) + powers[i]); \
    }                                                                                \
  }                                                                                  \
  DVP_UNARY_COMPUTE(t, softplus, t, 2 * DVP_COSTLY)
SOFTPLUS(f16, f32)
SOFTPLUS(bf16, f32)
SOFTPLUS(f32, f32)
SOFTPLUS(f64, f64)
static const dvp_kernel softplus_rows[] = {DVP_FLOATS(DVP_ROW, softplus)};
DVP_DEFINE_SET(softplus, "T", NULL, NULL, softplus_rows);

// ---- Softmax over the last dim; rows are computed in f32 or f64 ----

typedef struct softmax_run {
  const void *in;
  void *out;
  int64_t depth;
  bool log, failed;
} softmax_run;

// Largest value, then exponentials of the differences and their sum. A NaN in the row reaches all of it by
// the sum.
#define ROW_MATH(v)                                                                      \
  static dvp_##v largest_##v(const dvp_##v *in, int64_t n) {                             \
    dvp_##v most[32], high = -INFINITY;                                                  \
    for (int k = 0; k < 32; k++) most[k] = -INFINITY;                                    \
    int64_t i = 0;                                                                       \
    for (; i + 32 <= n; i += 32)                                                         \
      for (int k = 0; k < 32; k++) most[k] = in[i + k] > most[k] ? in[i + k] : most[k];  \
    for (; i < n; i++) high = in[i] > high ? in[i] : high;                               \
    for (int k = 0; k < 32; k++) high = most[k] > high ? most[k] : high;                 \
    return high;                                                                         \
  }                                                                                      \
  static void softmax_row_##v(const dvp_##v *in, dvp_##v *out, int64_t n, bool log_of) { \
    const dvp_##v high = largest_##v(in, n);                                             \
    if (!log_of) {                                                                       \
      const dvp_##v scale = 1 / DVP_VECTOR(exp_sum, v)(in, high, out, n);                \
      for (int64_t i = 0; i < n; i++) out[i] *= scale;                                   \
      return;                                                                            \
    }                                                                                    \
    dvp_##v block[BLOCK], sum = 0, shift;                                                \
    for (int64_t i = 0; i < n; i += BLOCK)                                               \
      sum += DVP_VECTOR(exp_sum, v)(in + i, high, block, DVP_MIN(BLOCK, n - i));         \
    DVP_VECTOR(log, v)(&sum, &shift, 1);                                                 \
    for (int64_t i = 0; i < n; i++) out[i] = in[i] - high - shift;                       \
  }
ROW_MATH(f32)
ROW_MATH(f64)

#define SINGLE_RANGE(t, unused)                                                                        \
  static void softmax_##t##_range(void *arg, int64_t begin, int64_t end) {                             \
    const softmax_run *run = arg;                                                                      \
    for (int64_t r = begin; r < end; r++)                                                              \
      softmax_row_##t((const dvp_##t *)run->in + r * run->depth, (dvp_##t *)run->out + r * run->depth, \
                      run->depth, run->log);                                                           \
  }
#define HALF_RANGE(t, unused)                                                  \
  static void softmax_##t##_range(void *arg, int64_t begin, int64_t end) {     \
    softmax_run *run = arg;                                                    \
    float *row = malloc((size_t)run->depth * sizeof(float));                   \
    if (!row) {                                                                \
      __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);                  \
      return;                                                                  \
    }                                                                          \
    for (int64_t r = begin; r < end; r++) {                                    \
      const dvp_##t *in = (const dvp_##t *)run->in + r * run->depth;           \
      dvp_##t *out = (dvp_##t *)run->out + r * run->depth;                     \
      for (int64_t i = 0; i < run->depth; i++) row[i] = DVP_LOAD_##t(in[i]);   \
      softmax_row_f32(row, row, run->depth, run->log);                         \
      for (int64_t i = 0; i < run->depth; i++) out[i] = DVP_STORE_##t(row[i]); \
    }                                                                          \
    free(row);                                                                 \
  }
DVP_SINGLES(SINGLE_RANGE, )
DVP_HALVES(HALF_RANGE, )

static void softmax(dvp_call *call, bool log_of, void (*range)(void *, int64_t, int64_t)) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "logits must have >= 1 dimension, got a scalar");
    return;
  }
  softmax_run run = {.in = in.data,
                     .out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank),
                     .depth = in.dims[in.rank - 1],
                     .log = log_of};
  if (!run.out || in.count == 0) return;
  dvp_parallel(call, in.count / run.depth, run.depth * DVP_COSTLY / 2, range, &run);
  if (run.failed)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a row of %lld elements", (long long)run.depth);
}
#define SOFTMAX(t, unused)                     \
  DVP_COMPUTE(softmax_##t##_compute) {         \
    (void)state;                               \
    softmax(call, false, softmax_##t##_range); \
  }                                            \
  DVP_COMPUTE(log_softmax_##t##_compute) {     \
    (void)state;                               \
    softmax(call, true, softmax_##t##_range);  \
  }
DVP_FLOATS(SOFTMAX, )
static const dvp_kernel softmax_rows[] = {DVP_FLOATS(DVP_ROW, softmax)};
static const dvp_kernel log_softmax_rows[] = {DVP_FLOATS(DVP_ROW, log_softmax)};
DVP_DEFINE_SET(softmax, "T", NULL, NULL, softmax_rows);
DVP_DEFINE_SET(log_softmax, "T", NULL, NULL, log_softmax_rows);
