// The functions of vector_math.h: SLEEF's eight- and four-lane versions on x86-64-v3, the C library elsewhere and
// where a program is linked statically (DVP_LINKED_IN), since SLEEF may be there as a shared library only.
#include "common/vector_math.h"

#include <math.h>
#include <string.h>

#if defined(DVP_ISA_V3) && !defined(DVP_LINKED_IN)
#include <immintrin.h>
#include <sleef.h>

// The last few elements go through a padded vector of ones, so that every element takes the same path.
#define UNARY(f, t, vec, lanes, load, store, call)                         \
  void DVP_VECTOR(f, t)(const t##_t *in, t##_t *out, int64_t n) {          \
    int64_t i = 0;                                                         \
    for (; i + lanes <= n; i += lanes) store(out + i, call(load(in + i))); \
    if (i < n) {                                                           \
      t##_t rest[lanes];                                                   \
      for (int k = 0; k < lanes; k++) rest[k] = i + k < n ? in[i + k] : 1; \
      store(rest, call(load(rest)));                                       \
      memcpy(out + i, rest, (size_t)(n - i) * sizeof(t##_t));              \
    }                                                                      \
  }
#define BINARY(f, t, vec, lanes, load, splat, store, call)                                               \
  void DVP_VECTOR(f, t)(const t##_t *a, int a_step, const t##_t *b, int b_step, t##_t *out, int64_t n) { \
    int64_t i = 0;                                                                                       \
    for (; i + lanes <= n; i += lanes)                                                                   \
      store(out + i, call(a_step ? load(a + i) : splat(*a), b_step ? load(b + i) : splat(*b)));          \
    if (i < n) {                                                                                         \
      t##_t ra[lanes], rb[lanes];                                                                        \
      for (int k = 0; k < lanes; k++) {                                                                  \
        ra[k] = i + k < n ? a[(i + k) * a_step] : 1;                                                     \
        rb[k] = i + k < n ? b[(i + k) * b_step] : 1;                                                     \
      }                                                                                                  \
      store(ra, call(load(ra), load(rb)));                                                               \
      memcpy(out + i, ra, (size_t)(n - i) * sizeof(t##_t));                                              \
    }                                                                                                    \
  }
typedef float f32_t;
typedef double f64_t;
#define UNARY_F32(f, call) UNARY(f, f32, __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps, call)
#define UNARY_F64(f, call) UNARY(f, f64, __m256d, 4, _mm256_loadu_pd, _mm256_storeu_pd, call)
#define BINARY_F32(f, call) BINARY(f, f32, __m256, 8, _mm256_loadu_ps, _mm256_set1_ps, _mm256_storeu_ps, call)
#define BINARY_F64(f, call) \
  BINARY(f, f64, __m256d, 4, _mm256_loadu_pd, _mm256_set1_pd, _mm256_storeu_pd, call)

#define DEFINE(f, accuracy)                    \
  UNARY_F32(f, Sleef_##f##f8_##accuracy##avx2) \
  UNARY_F64(f, Sleef_##f##d4_##accuracy##avx2)
DVP_VECTOR_FUNCTIONS(DEFINE)

// SLEEF squares the argument of asinh and acosh; beyond these bounds both are log(2|x|) with the sign of x.
#define HUGE_F32 1e9f
#define HUGE_F64 1e20
#define INVERSE_HYPERBOLIC(f)                                                                             \
  static inline __m256 f##8(__m256 x) {                                                                   \
    const __m256 sign = _mm256_set1_ps(-0.0f), size = _mm256_andnot_ps(sign, x);                          \
    const __m256 far = _mm256_add_ps(Sleef_logf8_u10avx2(size), _mm256_set1_ps(0.693147180559945f));      \
    const __m256 signed_far = _mm256_or_ps(far, _mm256_and_ps(sign, x));                                  \
    const __m256 huge = _mm256_cmp_ps(x, _mm256_set1_ps(HUGE_F32), _CMP_GT_OQ);                           \
    const __m256 lows = _mm256_cmp_ps(x, _mm256_set1_ps(-HUGE_F32), _CMP_LT_OQ);                          \
    return _mm256_blendv_ps(Sleef_##f##f8_u10avx2(x), signed_far, f##_HUGE_PS(huge, lows));               \
  }                                                                                                       \
  static inline __m256d f##4(__m256d x) {                                                                 \
    const __m256d sign = _mm256_set1_pd(-0.0), size = _mm256_andnot_pd(sign, x);                          \
    const __m256d far = _mm256_add_pd(Sleef_logd4_u10avx2(size), _mm256_set1_pd(0.69314718055994530942)); \
    const __m256d signed_far = _mm256_or_pd(far, _mm256_and_pd(sign, x));                                 \
    const __m256d huge = _mm256_cmp_pd(x, _mm256_set1_pd(HUGE_F64), _CMP_GT_OQ);                          \
    const __m256d lows = _mm256_cmp_pd(x, _mm256_set1_pd(-HUGE_F64), _CMP_LT_OQ);                         \
    return _mm256_blendv_pd(Sleef_##f##d4_u10avx2(x), signed_far, f##_HUGE_PD(huge, lows));               \
  }                                                                                                       \
  UNARY_F32(f, f##8)                                                                                      \
  UNARY_F64(f, f##4)
#define asinh_HUGE_PS(high, low) _mm256_or_ps(high, low)
#define asinh_HUGE_PD(high, low) _mm256_or_pd(high, low)
#define acosh_HUGE_PS(high, low) _mm256_andnot_ps(low, high)
#define acosh_HUGE_PD(high, low) _mm256_andnot_pd(low, high)
INVERSE_HYPERBOLIC(asinh)
INVERSE_HYPERBOLIC(acosh)

// SLEEF's log1p ends just below the largest finite values, where it is log.
static inline __m256 log1p8(__m256 x) {
  const __m256 huge = _mm256_cmp_ps(x, _mm256_set1_ps(1e30f), _CMP_GT_OQ);
  return _mm256_blendv_ps(Sleef_log1pf8_u10avx2(x), Sleef_logf8_u10avx2(x), huge);
}
static inline __m256d log1p4(__m256d x) {
  const __m256d huge = _mm256_cmp_pd(x, _mm256_set1_pd(1e300), _CMP_GT_OQ);
  return _mm256_blendv_pd(Sleef_log1pd4_u10avx2(x), Sleef_logd4_u10avx2(x), huge);
}
// tanh: an odd polynomial, fitted to a relative error of 5e-9, where the exponential would cancel; 1 -
// 2/(exp(2|x|) + 1) elsewhere.
static inline __m256 tanh8(__m256 x) {
  static const float fit[] = {-5.64826373e-3f, 2.05897798e-2f,  -5.37251122e-2f,
                              1.33312747e-1f,  -3.33332747e-1f, 1.0f};
  const __m256 sign = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1);
  const __m256 size = _mm256_andnot_ps(sign, x), square = _mm256_mul_ps(x, x);
  __m256 near = _mm256_set1_ps(fit[0]);
  for (int i = 1; i < 6; i++) near = _mm256_fmadd_ps(near, square, _mm256_set1_ps(fit[i]));
  const __m256 power = Sleef_expf8_u10avx2(_mm256_add_ps(size, size));
  const __m256 far = _mm256_sub_ps(one, _mm256_div_ps(_mm256_set1_ps(2), _mm256_add_ps(power, one)));
  const __m256 small = _mm256_cmp_ps(size, _mm256_set1_ps(0.63f), _CMP_LT_OQ);
  return _mm256_blendv_ps(_mm256_or_ps(far, _mm256_and_ps(sign, x)), _mm256_mul_ps(near, x), small);
}
UNARY_F32(tanh, tanh8)
UNARY_F64(tanh, Sleef_tanhd4_u10avx2)

UNARY_F32(log1p, log1p8)
UNARY_F64(log1p, log1p4)
UNARY_F32(lgamma, Sleef_lgammaf8_u10avx2)
UNARY_F64(lgamma, Sleef_lgammad4_u10avx2)
BINARY_F32(pow, Sleef_powf8_u10avx2)
BINARY_F64(pow, Sleef_powd4_u10avx2)
BINARY_F32(atan2, Sleef_atan2f8_u10avx2)
BINARY_F64(atan2, Sleef_atan2d4_u10avx2)

// exp(x) for x up to 88: the nearest power of two, times a polynomial of what is left. 0 where it would be
// denormal.
static inline __m256 exp8(__m256 x) {
  static const float fit[] = {1.3814560e-3f, 8.3687352e-3f, 4.1668389e-2f, 1.6666521e-1f, 4.9999994e-1f};
  const __m256 magic = _mm256_set1_ps(0x1.8p23f);  // an addition rounds to a whole number, in the lowest bits
  x = _mm256_max_ps(_mm256_set1_ps(-88.0f), x);    // in this order NaN stays NaN
  const __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(1.44269504f), magic);
  const __m256 whole = _mm256_sub_ps(shifted, magic);
  __m256 rest =
      _mm256_fnmadd_ps(whole, _mm256_set1_ps(0x1.62e4p-1f), x);  // log(2) in two parts, the first exact
  rest = _mm256_fnmadd_ps(whole, _mm256_set1_ps(1.42860677e-6f), rest);
  __m256 y = _mm256_set1_ps(fit[0]);
  for (int i = 1; i < 5; i++) y = _mm256_fmadd_ps(y, rest, _mm256_set1_ps(fit[i]));
  y = _mm256_fmadd_ps(_mm256_mul_ps(rest, rest), y, rest);
  const __m256i bias = _mm256_set1_epi32(127 << 23);
  const __m256i power = _mm256_add_epi32(_mm256_slli_epi32(_mm256_castps_si256(shifted), 23), bias);
  const __m256 scale = _mm256_castsi256_ps(power);
  return _mm256_fmadd_ps(y, scale, scale);
}

// erf(x) for |x| < 0.5: odd, a polynomial of x squared.
static inline __m256 erf_near8(__m256 x) {
  static const float fit[] = {-7.3457009e-4f, 5.1764157e-3f,  -2.6857367e-2f,
                              1.1283717e-1f,  -3.7612638e-1f, 1.1283792f};
  const __m256 square = _mm256_mul_ps(x, x);
  __m256 y = _mm256_set1_ps(fit[0]);
  for (int i = 1; i < 6; i++) y = _mm256_fmadd_ps(y, square, _mm256_set1_ps(fit[i]));
  return _mm256_mul_ps(y, x);
}

// erfc(z) for z >= 0.49: exp(-z*z) times t = 1/(1 + 0.4 z) and a polynomial of t. What rounding takes from
// z*z is made good.
static inline __m256 erfc_far8(__m256 z) {
  static const float fit[] = {6.00379445e-02f,  4.42120768e-02f, -1.10946633e-01f,
                              -1.42448172e-01f, 1.50184840e-01f, 5.81311107e-01f,
                              8.11039686e-01f,  7.20544994e-01f, 4.55684066e-01f};
  const __m256 one = _mm256_set1_ps(1);
  z = _mm256_min_ps(_mm256_set1_ps(10.2f), z);  // in this order NaN stays NaN
  const __m256 t = _mm256_div_ps(one, _mm256_fmadd_ps(z, _mm256_set1_ps(0.4f), one));
  const __m256 square = _mm256_mul_ps(z, z), lost = _mm256_fmsub_ps(z, z, square);
  const __m256 at = _mm256_sub_ps(t, _mm256_set1_ps(0.55f));
  __m256 y = _mm256_set1_ps(fit[0]);
  for (int i = 1; i < 9; i++) y = _mm256_fmadd_ps(y, at, _mm256_set1_ps(fit[i]));
  const __m256 power = exp8(_mm256_sub_ps(_mm256_setzero_ps(), square));
  return _mm256_mul_ps(_mm256_mul_ps(y, t), _mm256_fnmadd_ps(power, lost, power));
}

static inline __m256 erf8(__m256 x) {
  const __m256 sign = _mm256_set1_ps(-0.0f), size = _mm256_andnot_ps(sign, x);
  const __m256 far = _mm256_sub_ps(_mm256_set1_ps(1), erfc_far8(size));
  const __m256 small = _mm256_cmp_ps(size, _mm256_set1_ps(0.5f), _CMP_LT_OQ);
  return _mm256_blendv_ps(_mm256_or_ps(far, _mm256_and_ps(sign, x)), erf_near8(x), small);
}
static inline __m256 erfc8(__m256 x) {
  const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x), far = erfc_far8(size);
  const __m256 mirrored = _mm256_blendv_ps(far, _mm256_sub_ps(_mm256_set1_ps(2), far), x);  // by the sign
  const __m256 small = _mm256_cmp_ps(size, _mm256_set1_ps(0.5f), _CMP_LT_OQ);
  return _mm256_blendv_ps(mirrored, _mm256_sub_ps(_mm256_set1_ps(1), erf_near8(x)), small);
}
UNARY_F32(erf, erf8)
UNARY_F32(erfc, erfc8)
UNARY_F64(erf, Sleef_erfd4_u10avx2)
UNARY_F64(erfc, Sleef_erfcd4_u15avx2)

static inline __m256 sigmoid8(__m256 x) {
  const __m256 one = _mm256_set1_ps(1);
  return _mm256_div_ps(one, _mm256_add_ps(one, Sleef_expf8_u10avx2(_mm256_sub_ps(_mm256_setzero_ps(), x))));
}
static inline __m256d sigmoid4(__m256d x) {
  const __m256d one = _mm256_set1_pd(1);
  return _mm256_div_pd(one, _mm256_add_pd(one, Sleef_expd4_u10avx2(_mm256_sub_pd(_mm256_setzero_pd(), x))));
}
UNARY_F32(sigmoid, sigmoid8)
UNARY_F64(sigmoid, sigmoid4)

// Two sums of a vector each keep the additions independent.
#define EXP_SUM(t, vec, lanes, p)                                                        \
  t##_t DVP_VECTOR(exp_sum, t)(const t##_t *in, t##_t shift, t##_t *out, int64_t n) {    \
    vec sums[2] = {_mm256_setzero_##p(), _mm256_setzero_##p()};                          \
    const vec by = _mm256_set1_##p(shift);                                               \
    int64_t i = 0;                                                                       \
    for (; i + 2 * lanes <= n; i += 2 * lanes)                                           \
      for (int k = 0; k < 2; k++) {                                                      \
        const vec y = EXP_##t(_mm256_sub_##p(_mm256_loadu_##p(in + i + k * lanes), by)); \
        _mm256_storeu_##p(out + i + k * lanes, y);                                       \
        sums[k] = _mm256_add_##p(sums[k], y);                                            \
      }                                                                                  \
    t##_t rest[lanes], sum = 0;                                                          \
    _mm256_storeu_##p(rest, _mm256_add_##p(sums[0], sums[1]));                           \
    for (int k = 0; k < lanes; k++) sum += rest[k];                                      \
    for (; i < n; i += lanes) {                                                          \
      int m = n - i < lanes ? (int)(n - i) : lanes;                                      \
      for (int k = 0; k < lanes; k++) rest[k] = k < m ? in[i + k] : shift;               \
      _mm256_storeu_##p(rest, EXP_##t(_mm256_sub_##p(_mm256_loadu_##p(rest), by)));      \
      for (int k = 0; k < m; k++) sum += out[i + k] = rest[k];                           \
    }                                                                                    \
    return sum;                                                                          \
  }
#define EXP_f32 exp8
#define EXP_f64 Sleef_expd4_u10avx2
EXP_SUM(f32, __m256, 8, ps)
EXP_SUM(f64, __m256d, 4, pd)

#else

#define UNARY(f, t, type, call)                                 \
  void DVP_VECTOR(f, t)(const type *in, type *out, int64_t n) { \
    for (int64_t i = 0; i < n; i++) out[i] = call(in[i]);       \
  }
#define BINARY(f, t, type, call)                                                                      \
  void DVP_VECTOR(f, t)(const type *a, int a_step, const type *b, int b_step, type *out, int64_t n) { \
    for (int64_t i = 0; i < n; i++) out[i] = call(a[i * a_step], b[i * b_step]);                      \
  }
#define DEFINE(g, accuracy)  \
  UNARY(g, f32, float, g##f) \
  UNARY(g, f64, double, g)
// The reentrant forms: lgamma itself writes the global signgam.
static float log_gamma_f32(float x) {
  int sign;
  return lgammaf_r(x, &sign);
}
static double log_gamma_f64(double x) {
  int sign;
  return lgamma_r(x, &sign);
}
DVP_VECTOR_FUNCTIONS(DEFINE)
BINARY(pow, f32, float, powf)
BINARY(pow, f64, double, pow)
BINARY(atan2, f32, float, atan2f)
BINARY(atan2, f64, double, atan2)
static float sigmoid_f32(float x) { return 1 / (1 + expf(-x)); }
static double sigmoid_f64(double x) { return 1 / (1 + exp(-x)); }
UNARY(erf, f32, float, erff)
UNARY(erf, f64, double, erf)
UNARY(erfc, f32, float, erfcf)
UNARY(erfc, f64, double, erfc)
UNARY(tanh, f32, float, tanhf)
UNARY(tanh, f64, double, tanh)
UNARY(log1p, f32, float, log1pf)
UNARY(log1p, f64, double, log1p)
UNARY(asinh, f32, float, asinhf)
UNARY(asinh, f64, double, asinh)
UNARY(acosh, f32, float, acoshf)
UNARY(acosh, f64, double, acosh)
UNARY(lgamma, f32, float, log_gamma_f32)
UNARY(lgamma, f64, double, log_gamma_f64)
UNARY(sigmoid, f32, float, sigmoid_f32)
UNARY(sigmoid, f64, double, sigmoid_f64)

#define EXP_SUM(t, type, call)                                                    \
  type DVP_VECTOR(exp_sum, t)(const type *in, type shift, type *out, int64_t n) { \
    type sum = 0;                                                                 \
    for (int64_t i = 0; i < n; i++) sum += out[i] = call(in[i] - shift);          \
    return sum;                                                                   \
  }
EXP_SUM(f32, float, expf)
EXP_SUM(f64, double, exp)

#endif
