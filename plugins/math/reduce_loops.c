// Typed loops of Sum, Mean, Prod, Max, Min, All, Any. Halves accumulate in f32; a mean of narrow integers
// sums in 64 bits and divides as integers do; Max and Min hand NaN on.
#include <math.h>

#include "common/dtype.h"
#include "math/reduce.h"

// Accumulator types: of sums and products, and of means.
#define SUM_f16 float
#define SUM_bf16 float
#define SUM_f32 float
#define SUM_f64 double
#define SUM_i8 int8_t
#define SUM_i16 int16_t
#define SUM_i32 int32_t
#define SUM_i64 int64_t
#define SUM_u8 uint8_t
#define SUM_u16 uint16_t
#define SUM_u32 uint32_t
#define SUM_u64 uint64_t
#define SUM_c64 float _Complex
#define SUM_c128 double _Complex
#define MEAN_f16 float
#define MEAN_bf16 float
#define MEAN_f32 float
#define MEAN_f64 double
#define MEAN_i8 int64_t
#define MEAN_i16 int64_t
#define MEAN_i32 int64_t
#define MEAN_i64 int64_t
#define MEAN_u8 uint64_t
#define MEAN_u16 uint64_t
#define MEAN_u32 uint64_t
#define MEAN_u64 uint64_t
#define MEAN_c64 float _Complex
#define MEAN_c128 double _Complex

// FINISH computes the result from x, an accumulator, and count.
#define REDUCER(t, op, A, INIT, COMBINE, FINISH)                                                    \
  static void op##_##t##_init(void *pacc, int64_t n) {                                              \
    A *acc = pacc;                                                                                  \
    for (int64_t i = 0; i < n; i++) acc[i] = INIT;                                                  \
  }                                                                                                 \
  static void op##_##t##_accumulate(void *pacc, const void *pin, int64_t n) {                       \
    A *acc = pacc;                                                                                  \
    const dvp_##t *in = pin;                                                                        \
    DVP_IVDEP                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                               \
      const A a = acc[i], x = (A)DVP_LOAD_##t(in[i]);                                               \
      acc[i] = (A)(COMBINE);                                                                        \
    }                                                                                               \
  }                                                                                                 \
  static void op##_##t##_accumulate_strided(void *pacc, const void *pin, int64_t n, int64_t step) { \
    A *acc = pacc;                                                                                  \
    const dvp_##t *in = pin;                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                               \
      const A a = acc[i], x = (A)DVP_LOAD_##t(in[i * step]);                                        \
      acc[i] = (A)(COMBINE);                                                                        \
    }                                                                                               \
  }                                                                                                 \
  static void op##_##t##_combine(void *pacc, const void *pin, int64_t n) {                          \
    A *acc = pacc;                                                                                  \
    const A *in = pin;                                                                              \
    DVP_IVDEP                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                               \
      const A a = acc[i], x = in[i];                                                                \
      acc[i] = (A)(COMBINE);                                                                        \
    }                                                                                               \
  }                                                                                                 \
  static void op##_##t##_finish(const void *pacc, void *pout, int64_t n, int64_t count) {           \
    const A *acc = pacc;                                                                            \
    dvp_##t *out = pout;                                                                            \
    (void)count;                                                                                    \
    for (int64_t i = 0; i < n; i++) {                                                               \
      const A x = acc[i];                                                                           \
      out[i] = DVP_STORE_##t(FINISH);                                                               \
    }                                                                                               \
  }                                                                                                 \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                            \
    static const dvp_reducer reducer = {sizeof(dvp_##t),                                            \
                                        sizeof(dvp_##t),                                            \
                                        sizeof(A),                                                  \
                                        200,                                                        \
                                        op##_##t##_init,                                            \
                                        op##_##t##_accumulate,                                      \
                                        op##_##t##_accumulate_strided,                              \
                                        op##_##t##_combine,                                         \
                                        op##_##t##_finish};                                         \
    dvp_reduce_run(state, ctx, &reducer);                                                           \
  }
#define SET(op, ...)                                   \
  static const dvp_kernel op##_rows[] = {__VA_ARGS__}; \
  DVP_DEFINE_SET(op, "T", dvp_reduce_create, dvp_reduce_destroy, op##_rows);

#define SUM(t, op) REDUCER(t, op, SUM_##t, 0, a + x, x)
#define PROD(t, op) REDUCER(t, op, SUM_##t, 1, a *x, x)
// The mean of nothing is NaN for floats and 0 for integers and complex numbers.
#define MEAN(t, op) REDUCER(t, op, MEAN_##t, 0, a + x, x / (MEAN_##t)count)
#define ZERO_MEAN(t, op) REDUCER(t, op, MEAN_##t, 0, a + x, count ? x / (MEAN_##t)count : 0)
DVP_NUMBERS(SUM, sum)
DVP_NUMBERS(PROD, prod)
DVP_FLOATS(MEAN, mean)
DVP_INTS(ZERO_MEAN, mean)
DVP_COMPLEX(ZERO_MEAN, mean)
SET(sum, DVP_NUMBERS(DVP_ROW, sum))
SET(prod, DVP_NUMBERS(DVP_ROW, prod))
SET(mean, DVP_NUMBERS(DVP_ROW, mean))

#define FLOAT_MAX(t, op) REDUCER(t, op, DVP_ARITH_##t, -INFINITY, x > a || x != x ? x : a, x)
#define FLOAT_MIN(t, op) REDUCER(t, op, DVP_ARITH_##t, INFINITY, x < a || x != x ? x : a, x)
#define INT_MAX_OF(t, op) REDUCER(t, op, dvp_##t, DVP_LOWEST_##t, x > a ? x : a, x)
#define INT_MIN_OF(t, op) REDUCER(t, op, dvp_##t, DVP_HIGHEST_##t, x < a ? x : a, x)
DVP_FLOATS(FLOAT_MAX, max)
DVP_FLOATS(FLOAT_MIN, min)
DVP_INTS(INT_MAX_OF, max)
DVP_INTS(INT_MIN_OF, min)
SET(max, DVP_REALS(DVP_ROW, max))
SET(min, DVP_REALS(DVP_ROW, min))

REDUCER(b, all, uint8_t, 1, a &(x != 0), x)
REDUCER(b, any, uint8_t, 0, a | (x != 0), x)
#define BOOL_SET(op)                                             \
  static const dvp_kernel op##_rows[] = {DVP_KERNEL(0, op##_b)}; \
  DVP_DEFINE_SET(op, NULL, dvp_reduce_create, dvp_reduce_destroy, op##_rows);
BOOL_SET(all)
BOOL_SET(any)
