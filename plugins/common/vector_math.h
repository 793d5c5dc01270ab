// Transcendental functions over arrays of f32 and f64: out[i] = f(in[i]), in place allowed. On x86-64-v3 they
// are SLEEF's vector functions, with an error of at most 1.0 ULP (erfc: 1.5); elsewhere the C library's. The
// sigmoid is 1/(1+exp(-x)), at most 2 ULP; erf and erfc of f32 are polynomials, at most 3 and 6 ULP, and what
// would be denormal is 0. Halves are computed in f32 and rounded once.
#ifndef DOVETAIL_PLUGINS_COMMON_VECTOR_MATH_H_
#define DOVETAIL_PLUGINS_COMMON_VECTOR_MATH_H_

#include <stdint.h>

#ifdef DVP_ISA_V3
#define DVP_VECTOR(f, t) dvp_vector_##f##_##t##_avx2
#else
#define DVP_VECTOR(f, t) dvp_vector_##f##_##t
#endif

// X(function, SLEEF's accuracy suffix)
#define DVP_VECTOR_FUNCTIONS(X) \
  X(exp, u10)                   \
  X(expm1, u10)                 \
  X(log, u10)                   \
  X(sin, u10)                   \
  X(cos, u10) X(tan, u10) X(asin, u10) X(acos, u10) X(atan, u10) X(sinh, u10) X(cosh, u10) X(atanh, u10)

#define DVP_VECTOR_DECLARE(f, accuracy)                            \
  void DVP_VECTOR(f, f32)(const float *in, float *out, int64_t n); \
  void DVP_VECTOR(f, f64)(const double *in, double *out, int64_t n);
DVP_VECTOR_FUNCTIONS(DVP_VECTOR_DECLARE)
DVP_VECTOR_DECLARE(erf, )
DVP_VECTOR_DECLARE(erfc, )
DVP_VECTOR_DECLARE(tanh, )
DVP_VECTOR_DECLARE(log1p, )
DVP_VECTOR_DECLARE(asinh, )
DVP_VECTOR_DECLARE(acosh, )
DVP_VECTOR_DECLARE(lgamma, )
DVP_VECTOR_DECLARE(sigmoid, )

// out[i] = exp(in[i] - shift), for shift not below any of in; returns the sum of the results. At most 2 ULP
// for f32, where what would be denormal may be 0.
float DVP_VECTOR(exp_sum, f32)(const float *in, float shift, float *out, int64_t n);
double DVP_VECTOR(exp_sum, f64)(const double *in, double shift, double *out, int64_t n);

// out[i] = f(a[i * a_step], b[i * b_step]); steps are 0 or 1.
void DVP_VECTOR(pow, f32)(const float *a, int a_step, const float *b, int b_step, float *out, int64_t n);
void DVP_VECTOR(pow, f64)(const double *a, int a_step, const double *b, int b_step, double *out, int64_t n);
void DVP_VECTOR(atan2, f32)(const float *a, int a_step, const float *b, int b_step, float *out, int64_t n);
void DVP_VECTOR(atan2, f64)(const double *a, int a_step, const double *b, int b_step, double *out, int64_t n);

#endif  // DOVETAIL_PLUGINS_COMMON_VECTOR_MATH_H_
