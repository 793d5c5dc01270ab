// Exp to Lgamma, Sigmoid, Pow and Atan2: floats through common/vector_math.h, complex numbers through the C
// library.
#include <complex.h>
#include <math.h>

#include "common/elementwise.h"
#include "common/vector_math.h"

#define BLOCK 256

#define SINGLE_LOOP(t, f) \
  static void f##_##t##_loop(const void *in, void *out, int64_t n) { DVP_VECTOR(f, t)(in, out, n); }
#define HALF_LOOP(t, f)                                                         \
  static void f##_##t##_loop(const void *pin, void *pout, int64_t n) {          \
    const dvp_##t *in = pin;                                                    \
    dvp_##t *out = pout;                                                        \
    float block[BLOCK];                                                         \
    for (int64_t begin = 0; begin < n; begin += BLOCK) {                        \
      int64_t m = n - begin < BLOCK ? n - begin : BLOCK;                        \
      for (int64_t i = 0; i < m; i++) block[i] = DVP_LOAD_##t(in[begin + i]);   \
      DVP_VECTOR(f, f32)(block, block, m);                                      \
      for (int64_t i = 0; i < m; i++) out[begin + i] = DVP_STORE_##t(block[i]); \
    }                                                                           \
  }
#define REAL_FUNCTIONS(f)     \
  DVP_SINGLES(SINGLE_LOOP, f) \
  DVP_HALVES(HALF_LOOP, f)    \
  DVP_FLOATS(COMPUTE, f)
#define COMPUTE(t, f) DVP_UNARY_COMPUTE(t, f, t, DVP_COSTLY)

// A function of floats only.
#define REAL_OP(f)                                               \
  REAL_FUNCTIONS(f)                                              \
  static const dvp_kernel f##_rows[] = {DVP_FLOATS(DVP_ROW, f)}; \
  DVP_DEFINE_SET(f, "T", NULL, NULL, f##_rows);

// A function of floats and complex numbers; `single` and `wide` are its complex versions.
#define COMPLEX_OP(f, single, wide)                                      \
  REAL_FUNCTIONS(f)                                                      \
  DVP_UNARY_FUNCTIONS(c64, f, c64, 8 * DVP_COSTLY, single(a))            \
  DVP_UNARY_FUNCTIONS(c128, f, c128, 8 * DVP_COSTLY, wide(a))            \
  static const dvp_kernel f##_rows[] = {DVP_FLOATS_COMPLEX(DVP_ROW, f)}; \
  DVP_DEFINE_SET(f, "T", NULL, NULL, f##_rows);

// exp(z) - 1 and log(1 + z) without cancellation near 0, computed in double for both widths.
static double _Complex expm1_complex(double _Complex z) {
  double x = creal(z), y = cimag(z), half = sin(y / 2);
  return CMPLX(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}
static double _Complex log1p_complex(double _Complex z) {
  double x = creal(z), y = cimag(z);
  return CMPLX(0.5 * log1p(x * (x + 2) + y * y), atan2(y, 1 + x));
}
static double _Complex sigmoid_complex(double _Complex z) { return 1 / (1 + cexp(-z)); }

COMPLEX_OP(exp, cexpf, cexp)
COMPLEX_OP(expm1, expm1_complex, expm1_complex)
COMPLEX_OP(log, clogf, clog)
COMPLEX_OP(log1p, log1p_complex, log1p_complex)
COMPLEX_OP(sin, csinf, csin)
COMPLEX_OP(cos, ccosf, ccos)
COMPLEX_OP(tan, ctanf, ctan)
COMPLEX_OP(asin, casinf, casin)
COMPLEX_OP(acos, cacosf, cacos)
COMPLEX_OP(atan, catanf, catan)
COMPLEX_OP(sinh, csinhf, csinh)
COMPLEX_OP(cosh, ccoshf, ccosh)
COMPLEX_OP(asinh, casinhf, casinh)
COMPLEX_OP(acosh, cacoshf, cacosh)
COMPLEX_OP(atanh, catanhf, catanh)
COMPLEX_OP(tanh, ctanhf, ctanh)
COMPLEX_OP(sigmoid, sigmoid_complex, sigmoid_complex)
REAL_OP(erf)
REAL_OP(erfc)
REAL_OP(lgamma)

// ---- Pow and Atan2 ----

#define SINGLE_BINARY_LOOP(t, f, form, sa, sb)                                       \
  static bool f##_##t##_##form(const void *a, const void *b, void *out, int64_t n) { \
    DVP_VECTOR(f, t)(a, sa, b, sb, out, n);                                          \
    return true;                                                                     \
  }
#define HALF_BINARY_LOOP(t, f, form, sa, sb)                                            \
  static bool f##_##t##_##form(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *a = pa, *b = pb;                                                     \
    dvp_##t *out = pout;                                                                \
    float va[BLOCK], vb[BLOCK];                                                         \
    for (int64_t begin = 0; begin < n; begin += BLOCK) {                                \
      int64_t m = n - begin < BLOCK ? n - begin : BLOCK;                                \
      for (int64_t i = 0; i < m; i++) va[i] = DVP_LOAD_##t(a[(begin + i) * sa]);        \
      for (int64_t i = 0; i < m; i++) vb[i] = DVP_LOAD_##t(b[(begin + i) * sb]);        \
      DVP_VECTOR(f, f32)(va, 1, vb, 1, va, m);                                          \
      for (int64_t i = 0; i < m; i++) out[begin + i] = DVP_STORE_##t(va[i]);            \
    }                                                                                   \
    return true;                                                                        \
  }
#define FORMS(LOOP, t, f) LOOP(t, f, vv, 1, 1) LOOP(t, f, vs, 1, 0) LOOP(t, f, sv, 0, 1)
#define SINGLE_BINARY(t, f) FORMS(SINGLE_BINARY_LOOP, t, f) DVP_BINARY_COMPUTE(t, f, t, 2 * DVP_COSTLY)
#define HALF_BINARY(t, f) FORMS(HALF_BINARY_LOOP, t, f) DVP_BINARY_COMPUTE(t, f, t, 2 * DVP_COSTLY)

DVP_SINGLES(SINGLE_BINARY, atan2)
DVP_HALVES(HALF_BINARY, atan2)
static const dvp_kernel atan2_rows[] = {DVP_FLOATS(DVP_ROW, atan2)};
DVP_DEFINE_SET(atan2, "T", NULL, NULL, atan2_rows);

// A scalar exponent of 2 is a product.
#define SINGLE_POW(t, f)                                                            \
  SINGLE_BINARY_LOOP(t, f, vv, 1, 1)                                                \
  SINGLE_BINARY_LOOP(t, f, sv, 0, 1)                                                \
  static bool f##_##t##_vs(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *a = pa, *b = pb;                                                 \
    dvp_##t *out = pout;                                                            \
    if (*b == 2)                                                                    \
      for (int64_t i = 0; i < n; i++) out[i] = a[i] * a[i];                         \
    else                                                                            \
      DVP_VECTOR(f, t)(a, 1, b, 0, out, n);                                         \
    return true;                                                                    \
  }                                                                                 \
  DVP_BINARY_COMPUTE(t, f, t, 2 * DVP_COSTLY)
DVP_SINGLES(SINGLE_POW, pow)
DVP_HALVES(HALF_BINARY, pow)
DVP_BINARY_FUNCTIONS(c64, pow, c64, 16 * DVP_COSTLY, (float _Complex)cpow(a, b))
DVP_BINARY_FUNCTIONS(c128, pow, c128, 16 * DVP_COSTLY, cpow(a, b))

// Integer powers by squaring, wrapping; a negative exponent has no integer result.
#define INT_POW(t, op)                                                                             \
  static inline dvp_##t op##_of_##t(dvp_##t base, dvp_##t exponent) {                              \
    dvp_##t result = 1;                                                                            \
    for (; exponent > 0; exponent /= 2) {                                                          \
      if (exponent % 2) result = (dvp_##t)(result * base);                                         \
      base = (dvp_##t)(base * base);                                                               \
    }                                                                                              \
    return result;                                                                                 \
  }                                                                                                \
  INT_POW_LOOP(t, op##_##t##_vv, op, i, i)                                                         \
  INT_POW_LOOP(t, op##_##t##_vs, op, i, 0)                                                         \
  INT_POW_LOOP(t, op##_##t##_sv, op, 0, i)                                                         \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                           \
    (void)state;                                                                                   \
    static const dvp_binary_loops loops = {op##_##t##_vv,                                          \
                                           op##_##t##_vs,                                          \
                                           op##_##t##_sv,                                          \
                                           sizeof(dvp_##t),                                        \
                                           sizeof(dvp_##t),                                        \
                                           2 * DVP_COSTLY,                                         \
                                           true,                                                   \
                                           "Integers to negative integer powers are not allowed"}; \
    dvp_binary_run(ctx, &loops);                                                                   \
  }
#define INT_POW_LOOP(t, name, op, ia, ib)                                   \
  static bool name(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *a = pa, *b = pb;                                         \
    dvp_##t *out = pout;                                                    \
    bool fine = true;                                                       \
    for (int64_t i = 0; i < n; i++) {                                       \
      const dvp_##t exponent = b[ib];                                       \
      fine = fine && exponent >= 0;                                         \
      out[i] = op##_of_##t(a[ia], exponent);                                \
    }                                                                       \
    return fine;                                                            \
  }
DVP_SIGNED(INT_POW, pow)
static const dvp_kernel pow_rows[] = {DVP_FLOATS_COMPLEX(DVP_ROW, pow) DVP_SIGNED(DVP_ROW, pow)};
DVP_DEFINE_SET(pow, "T", NULL, NULL, pow_rows);
