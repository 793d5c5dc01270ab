// Gradients of element-wise functions, from their results or their inputs. `a` and `b` are the two inputs in
// the op's order. A gradient of zero stays zero where stock keeps it, though the factor be infinite.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "common/elementwise.h"
#include "common/vector_math.h"

typedef bool (*gradient_loop)(const void *a, const void *b, void *out, int64_t n);
typedef struct gradient_run {
  gradient_loop loop;
  const char *a, *b;
  char *out;
  int64_t bytes;  // of an element
} gradient_run;

static void run_range(void *arg, int64_t begin, int64_t end) {
  const gradient_run *run = arg;
  int64_t at = begin * run->bytes;
  run->loop(run->a + at, run->b + at, run->out + at, end - begin);
}

static void compute(dvp_call *call, gradient_loop loop, size_t bytes, int cost) {
  dvp_view a, b;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &a) || !dvp_input(call, 1, &b)) return;
  if (!dvp_same_shape(&a, &b)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The two inputs of a gradient must have one shape: got %s and %s",
             dvp_shape_text(a.dims, a.rank, ta), dvp_shape_text(b.dims, b.rank, tb));
    return;
  }
  gradient_run run = {loop, a.data, b.data, dvp_output_over(call, 0, 1, 0, a.dims, a.rank), (int64_t)bytes};
  if (run.out) dvp_parallel(call, a.count, cost, run_range, &run);
}

#define COMPUTE(t, op, cost)                               \
  DVP_COMPUTE(op##_##t##_compute) {                        \
    (void)state;                                           \
    compute(call, op##_##t##_loop, sizeof(dvp_##t), cost); \
  }
#define GRADIENT(t, op, cost, EXPR) DVP_BINARY_LOOP(op##_##t##_loop, t, t, i, i, EXPR) COMPUTE(t, op, cost)
#define GRADIENT_SET(op, LIST)                               \
  static const dvp_kernel op##_rows[] = {LIST(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);
#define GRADIENT_OP(op, LIST, cost, EXPR) LIST(GRADIENT, op, cost, EXPR) GRADIENT_SET(op, LIST)

// ---- from the result y = a and the gradient b ----

// Of functions of complex numbers: with the conjugate of the result.
#define COMPLEX_OP(op, cost, EXPR)        \
  DVP_FLOATS(GRADIENT, op, cost, EXPR(a)) \
  GRADIENT(c64, op, cost, EXPR(conjf(a))) \
  GRADIENT(c128, op, cost, EXPR(conj(a))) \
  GRADIENT_SET(op, DVP_FLOATS_COMPLEX)

#define SIGMOID(y) ((1 - (y)) * (y)*b)
#define TANH(y) (b * (1 - (y) * (y)))
#define RECIPROCAL(y) (b == 0 ? 0 : -b * (y) * (y))
#define SQRT(y) (b == 0 ? 0 : b / 2 / (y))
#define RSQRT(y) (b == 0 ? 0 : -(b / 2 * (y)) * ((y) * (y)))
GRADIENT_OP(sigmoid_grad, DVP_FLOATS_COMPLEX, DVP_CHEAP, SIGMOID(a))
GRADIENT_OP(tanh_grad, DVP_FLOATS_COMPLEX, DVP_CHEAP, TANH(a))
COMPLEX_OP(reciprocal_grad, DVP_CHEAP, RECIPROCAL)
COMPLEX_OP(sqrt_grad, DVP_MEDIUM, SQRT)
COMPLEX_OP(rsqrt_grad, DVP_MEDIUM, RSQRT)

// ---- from the gradient a and the feature or result b ----

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123

// A gradient that is not finite times 0 is NaN, as stock has it.
GRADIENT_OP(relu_grad, DVP_REALS, DVP_CHEAP, a *(b > 0))
GRADIENT_OP(relu6_grad, DVP_REALS, DVP_CHEAP, a *(b > 0 && b < 6))
GRADIENT_OP(elu_grad, DVP_FLOATS, DVP_CHEAP, b < 0 ? (b + 1) * a : a)
GRADIENT_OP(selu_grad, DVP_FLOATS, DVP_CHEAP,
            b < 0 ? a * (b + (__typeof__(b))SELU_SCALE_ALPHA) : a * (__typeof__(b))SELU_SCALE)
#define ABS(x) ((x) < 0 ? -(x) : (x))
GRADIENT_OP(softsign_grad, DVP_FLOATS, DVP_CHEAP, a / ((1 + ABS(b)) * (1 + ABS(b))))

// The slope of Softplus is the sigmoid; block by block in f32 or f64.
#define BLOCK 256
#define SOFTPLUS(t, v)                                                                          \
  static bool softplus_grad_##t##_loop(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *a = pa, *b = pb;                                                             \
    dvp_##t *out = pout;                                                                        \
    dvp_##v slopes[BLOCK];                                                                      \
    for (int64_t begin = 0; begin < n; begin += BLOCK) {                                        \
      int64_t m = DVP_MIN(BLOCK, n - begin);                                                    \
      for (int64_t i = 0; i < m; i++) slopes[i] = DVP_LOAD_##t(b[begin + i]);                   \
      DVP_VECTOR(sigmoid, v)(slopes, slopes, m);                                                \
      for (int64_t i = 0; i < m; i++)                                                           \
        out[begin + i] = DVP_STORE_##t(DVP_LOAD_##t(a[begin + i]) * slopes[i]);                 \
    }                                                                                           \
    return true;                                                                                \
  }                                                                                             \
  COMPUTE(t, softplus_grad, DVP_COSTLY)
SOFTPLUS(f16, f32)
SOFTPLUS(bf16, f32)
SOFTPLUS(f32, f32)
SOFTPLUS(f64, f64)
GRADIENT_SET(softplus_grad, DVP_FLOATS)

// ---- LeakyReluGrad ----

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
  const void *gradients, *features;
  void *out;
} leaky_run;

static bool leaky_open(dvp_call *call, const leaky_state *state, leaky_run *run, int64_t *out_count) {
  dvp_view a, b;
  if (!dvp_input(call, 0, &a) || !dvp_input(call, 1, &b)) return false;
  if (!dvp_same_shape(&a, &b))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "gradients and features must have one shape");
  *run = (leaky_run){state->alpha, a.data, b.data, dvp_output_over(call, 0, 1, 0, a.dims, a.rank)};
  *out_count = a.count;
  return run->out != NULL;
}

#define LEAKY(t, unused)                                                 \
  static void leaky_##t##_range(void *arg, int64_t begin, int64_t end) { \
    const leaky_run *run = arg;                                          \
    const dvp_##t *a = run->gradients, *b = run->features;               \
    dvp_##t *out = run->out;                                             \
    const DVP_ARITH_##t alpha = (DVP_ARITH_##t)run->alpha;               \
    DVP_IVDEP                                                            \
    for (int64_t i = begin; i < end; i++) {                              \
      const DVP_ARITH_##t g = DVP_LOAD_##t(a[i]);                        \
      out[i] = DVP_STORE_##t(DVP_LOAD_##t(b[i]) > 0 ? g : g * alpha);    \
    }                                                                    \
  }                                                                      \
  DVP_COMPUTE(leaky_relu_grad_##t##_compute) {                           \
    leaky_run run;                                                       \
    int64_t count;                                                       \
    if (leaky_open(call, state, &run, &count))                           \
      dvp_parallel(call, count, DVP_CHEAP, leaky_##t##_range, &run);     \
  }
DVP_FLOATS(LEAKY, )
static const dvp_kernel leaky_relu_grad_rows[] = {DVP_FLOATS(DVP_ROW, leaky_relu_grad)};
DVP_DEFINE_SET(leaky_relu_grad, "T", leaky_create, leaky_destroy, leaky_relu_grad_rows);
