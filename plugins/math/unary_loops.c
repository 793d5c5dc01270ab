// Unary functions that are a few instructions an element. The transcendental ones are in
// transcendental_loops.c.
#include <tgmath.h>

#include "common/elementwise.h"

#define UNARY(t, op, EXPR) DVP_UNARY_SAME(t, op, DVP_CHEAP, EXPR)
#define REAL_SIGNED(X, ...) DVP_FLOATS(X, __VA_ARGS__) DVP_SIGNED(X, __VA_ARGS__)
#define ALL_SIGNED(X, ...) REAL_SIGNED(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
#define SET(op, ...)                                   \
  static const dvp_kernel op##_rows[] = {__VA_ARGS__}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

DVP_UNARY_OP(neg, ALL_SIGNED, DVP_CHEAP, -a)
DVP_UNARY_OP(square, DVP_NUMBERS, DVP_CHEAP, a *a)

DVP_FLOATS(UNARY, abs, fabs(a))
DVP_SIGNED(UNARY, abs, a < 0 ? -a : a)
SET(abs, REAL_SIGNED(DVP_ROW, abs))

// NaN stays NaN; a complex number's sign is z / |z|.
DVP_FLOATS(UNARY, sign, a != a ? a : (a > 0) - (a < 0))
DVP_SIGNED(UNARY, sign, (a > 0) - (a < 0))
DVP_COMPLEX(UNARY, sign, a == 0 ? 0 : a / fabs(a))
SET(sign, ALL_SIGNED(DVP_ROW, sign))

DVP_UNARY_OP(reciprocal, DVP_FLOATS_COMPLEX, DVP_CHEAP, 1 / a)
DVP_FLOATS(UNARY, sqrt, sqrt(a))
DVP_FLOATS(UNARY, rsqrt, 1 / sqrt(a))
DVP_COMPLEX(UNARY, sqrt, sqrt(a))
DVP_COMPLEX(UNARY, rsqrt, 1 / sqrt(a))
SET(sqrt, DVP_FLOATS_COMPLEX(DVP_ROW, sqrt))
SET(rsqrt, DVP_FLOATS_COMPLEX(DVP_ROW, rsqrt))

DVP_UNARY_OP(floor, DVP_FLOATS, DVP_CHEAP, floor(a))
DVP_UNARY_OP(ceil, DVP_FLOATS, DVP_CHEAP, ceil(a))
// Halves round to even, which is what the default rounding mode of rint does.
DVP_UNARY_OP(rint, DVP_SINGLES, DVP_CHEAP, rint(a))
DVP_FLOATS(UNARY, round, rint(a))
// Integers are round already (stock's kernel answers 0 for all of them).
DVP_INDICES(UNARY, round, a)
SET(round, DVP_FLOATS(DVP_ROW, round) DVP_INDICES(DVP_ROW, round))

#define PREDICATE(t, op, EXPR) DVP_UNARY_FUNCTIONS(t, op, b, DVP_CHEAP, EXPR)
DVP_FLOATS(PREDICATE, is_nan, a != a)
DVP_FLOATS(PREDICATE, is_inf, fabs(a) == (__typeof__(a))INFINITY)
DVP_FLOATS(PREDICATE, is_finite, fabs(a) < (__typeof__(a))INFINITY)
SET(is_nan, DVP_FLOATS(DVP_ROW, is_nan))
SET(is_inf, DVP_FLOATS(DVP_ROW, is_inf))
SET(is_finite, DVP_FLOATS(DVP_ROW, is_finite))

DVP_UNARY_OP(conj, DVP_COMPLEX, DVP_CHEAP, conj(a))

// ---- between complex numbers and their parts; the other dtype is fixed by T, which create checks ----

static void *real_part_create(TF_OpKernelConstruction *ctx) {
  TF_DataType t = dvp_attr_type(ctx, "T"), out = dvp_attr_type(ctx, "Tout");
  if ((t == TF_COMPLEX64) != (out == TF_FLOAT))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "T is a complex type of another width than Tout (dtypes %d and %d)", t, out);
  return NULL;
}
#define PART(op, c, r, EXPR) DVP_UNARY_FUNCTIONS(c, op, r, DVP_CHEAP, EXPR)
#define PART_OP(op, EXPR)                                           \
  PART(op, c64, f32, EXPR)                                          \
  PART(op, c128, f64, EXPR)                                         \
  static const dvp_kernel op##_rows[] = {DVP_COMPLEX(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", real_part_create, NULL, op##_rows);
PART_OP(real, creal(a))
PART_OP(imag, cimag(a))
PART_OP(complex_abs, fabs(a))
PART_OP(angle, carg(a))

static void *complex_create(TF_OpKernelConstruction *ctx) {
  TF_DataType t = dvp_attr_type(ctx, "T"), out = dvp_attr_type(ctx, "Tout");
  if ((t == TF_FLOAT) != (out == TF_COMPLEX64))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "Tout is a complex type of another width than T (dtypes %d and %d)", out, t);
  return NULL;
}
DVP_BINARY_FUNCTIONS(f32, make_complex, c64, DVP_CHEAP, CMPLXF(a, b))
DVP_BINARY_FUNCTIONS(f64, make_complex, c128, DVP_CHEAP, CMPLX(a, b))
static const dvp_kernel make_complex_rows[] = {DVP_SINGLES(DVP_ROW, make_complex)};
DVP_DEFINE_SET(make_complex, "T", complex_create, NULL, make_complex_rows);
