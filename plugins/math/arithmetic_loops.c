// Binary arithmetic: Add to Pow. Integer arithmetic wraps (the plugin is compiled with -fwrapv); a division
// by an integer zero fails the op; results that C leaves open (INT_MIN / -1) are defined here.
#include <stdlib.h>
#include <tgmath.h>

#include "common/elementwise.h"
#include "tensorflow/c/tf_tstring.h"

DVP_BINARY_OP(add, DVP_NUMBERS, DVP_CHEAP, a + b)
DVP_BINARY_OP(sub, DVP_NUMBERS, DVP_CHEAP, a - b)
DVP_BINARY_OP(mul, DVP_NUMBERS, DVP_CHEAP, a *b)
DVP_BINARY_OP(mul_no_nan, DVP_FLOATS_COMPLEX, DVP_CHEAP, b == 0 ? (__typeof__(a * b))0 : a * b)
DVP_BINARY_OP(real_div, DVP_FLOATS_COMPLEX, DVP_CHEAP, a / b)
DVP_BINARY_OP(div_no_nan, DVP_FLOATS_COMPLEX, DVP_CHEAP, b == 0 ? (__typeof__(a / b))0 : a / b)
// NaN in either operand gives NaN.
DVP_BINARY_OP(maximum, DVP_REALS, DVP_CHEAP, a > b || a != a ? a : b)
DVP_BINARY_OP(minimum, DVP_REALS, DVP_CHEAP, a < b || a != a ? a : b)

// (a - b) times its conjugate.
#define SQUARED(t, op, cost) DVP_BINARY_SAME(t, op, cost, (a - b) * (a - b))
#define SQUARED_COMPLEX(t, op, cost) DVP_BINARY_SAME(t, op, cost, (a - b) * conj(a - b))
#define SQUARED_TYPES(X, ...) DVP_FLOATS(X, __VA_ARGS__) DVP_INDICES(X, __VA_ARGS__)
SQUARED_TYPES(SQUARED, squared_difference, DVP_CHEAP)
DVP_COMPLEX(SQUARED_COMPLEX, squared_difference, DVP_CHEAP)
static const dvp_kernel squared_difference_rows[] = {SQUARED_TYPES(DVP_ROW, squared_difference)
                                                         DVP_COMPLEX(DVP_ROW, squared_difference)};
DVP_DEFINE_SET(squared_difference, "T", NULL, NULL, squared_difference_rows);

// ---- division ----

#define IS_SIGNED_i8 1
#define IS_SIGNED_i16 1
#define IS_SIGNED_i32 1
#define IS_SIGNED_i64 1
#define IS_SIGNED_u8 0
#define IS_SIGNED_u16 0
#define IS_SIGNED_u32 0
#define IS_SIGNED_u64 0

// As DVP_BINARY_LOOP for quotients of integers: EXPR is computed from a and a b that is neither 0 nor -1, and
// NEGATED is the result for -1.
#define INT_LOOP(name, t, ia, ib, EXPR, NEGATED)                            \
  static bool name(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *va = pa, *vb = pb;                                       \
    dvp_##t *out = pout;                                                    \
    bool fine = true;                                                       \
    for (int64_t i = 0; i < n; i++) {                                       \
      const dvp_##t a = va[ia], b = vb[ib];                                 \
      if (b == 0) {                                                         \
        fine = false;                                                       \
        out[i] = 0;                                                         \
      } else if (IS_SIGNED_##t && b == (dvp_##t) - 1) {                     \
        out[i] = (dvp_##t)(NEGATED);                                        \
      } else {                                                              \
        out[i] = (dvp_##t)(EXPR);                                           \
      }                                                                     \
    }                                                                       \
    return fine;                                                            \
  }
#define INT_FUNCTIONS(t, op, EXPR, NEGATED)                                          \
  INT_LOOP(op##_##t##_vv, t, i, i, EXPR, NEGATED)                                    \
  INT_LOOP(op##_##t##_vs, t, i, 0, EXPR, NEGATED)                                    \
  INT_LOOP(op##_##t##_sv, t, 0, i, EXPR, NEGATED)                                    \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {             \
    (void)state;                                                                     \
    static const dvp_binary_loops loops = {                                          \
        op##_##t##_vv,   op##_##t##_vs,  op##_##t##_sv, sizeof(dvp_##t),             \
        sizeof(dvp_##t), 2 * DVP_MEDIUM, true,          "Integer division by zero"}; \
    dvp_binary_run(ctx, &loops);                                                     \
  }

DVP_INTS(INT_FUNCTIONS, int_div, a / b, -a)
DVP_INTS(INT_FUNCTIONS, int_floor_div, a / b - ((a % b != 0) && ((a < 0) != (b < 0))), -a)
DVP_INDICES(INT_FUNCTIONS, int_mod, a % b, 0)
DVP_INTS(INT_FUNCTIONS, int_floor_mod, a % b != 0 && ((a < 0) != (b < 0)) ? a % b + b : a % b, 0)

// A quotient of halves is rounded to a half first, as in stock.
#define QUOTIENT(t) DVP_LOAD_##t(DVP_STORE_##t(a / b))
#define FLOOR_DIV(t, op) DVP_BINARY_SAME(t, op, DVP_MEDIUM, floor(QUOTIENT(t)))
#define TRUNCATE_DIV(t, op) DVP_BINARY_SAME(t, op, DVP_MEDIUM, trunc(QUOTIENT(t)))
#define TRUNCATE_MOD(t, op) DVP_BINARY_SAME(t, op, DVP_COSTLY, fmod(a, b))
#define FLOOR_MOD_LOOP(t, name)                                              \
  static inline DVP_ARITH_##t name##_##t(DVP_ARITH_##t a, DVP_ARITH_##t b) { \
    DVP_ARITH_##t m = fmod(a, b);                                            \
    return m != 0 && ((b < 0) != (m < 0)) ? m + b : m;                       \
  }
DVP_FLOATS(FLOOR_MOD_LOOP, floor_mod_of)
#define FLOOR_MOD(t, op) DVP_BINARY_SAME(t, op, DVP_COSTLY, floor_mod_of_##t(a, b))
DVP_FLOATS(FLOOR_DIV, floor_div)
DVP_FLOATS(TRUNCATE_DIV, truncate_div)
DVP_SINGLES(TRUNCATE_MOD, truncate_mod)
DVP_FLOATS(FLOOR_MOD, floor_mod)

static const dvp_kernel div_rows[] = {DVP_FLOATS_COMPLEX(DVP_ROW, real_div) DVP_INTS(DVP_ROW, int_div)};
DVP_DEFINE_SET(div, "T", NULL, NULL, div_rows);
static const dvp_kernel floor_div_rows[] = {DVP_FLOATS(DVP_ROW, floor_div) DVP_INTS(DVP_ROW, int_floor_div)};
DVP_DEFINE_SET(floor_div, "T", NULL, NULL, floor_div_rows);
static const dvp_kernel truncate_div_rows[] = {DVP_FLOATS(DVP_ROW, truncate_div) DVP_INTS(DVP_ROW, int_div)};
DVP_DEFINE_SET(truncate_div, "T", NULL, NULL, truncate_div_rows);
static const dvp_kernel truncate_mod_rows[] = {DVP_SINGLES(DVP_ROW, truncate_mod)
                                                   DVP_INDICES(DVP_ROW, int_mod)};
DVP_DEFINE_SET(truncate_mod, "T", NULL, NULL, truncate_mod_rows);
static const dvp_kernel floor_mod_rows[] = {DVP_FLOATS(DVP_ROW, floor_mod) DVP_INTS(DVP_ROW, int_floor_mod)};
DVP_DEFINE_SET(floor_mod, "T", NULL, NULL, floor_mod_rows);

// ---- x/y and friends that are 0 where x is 0, whatever y is ----

#define ZERO_OR(EXPR) (a == 0 ? (__typeof__(a * b))0 : (EXPR))
DVP_BINARY_OP(xdivy, DVP_FLOATS_COMPLEX, DVP_MEDIUM, ZERO_OR(a / b))
DVP_BINARY_OP(xlogy, DVP_FLOATS_COMPLEX, DVP_COSTLY, ZERO_OR(a *log(b)))
#define XLOG1PY(t, op) DVP_BINARY_SAME(t, op, DVP_COSTLY, ZERO_OR(a *log1p(b)))
#define XLOG1PY_COMPLEX(t, op) DVP_BINARY_SAME(t, op, DVP_COSTLY, ZERO_OR(a *log(1 + b)))
DVP_FLOATS(XLOG1PY, xlog1py)
DVP_COMPLEX(XLOG1PY_COMPLEX, xlog1py)
static const dvp_kernel xlog1py_rows[] = {DVP_FLOATS_COMPLEX(DVP_ROW, xlog1py)};
DVP_DEFINE_SET(xlog1py, "T", NULL, NULL, xlog1py_rows);

// ---- Add, which joins strings too ----

static bool join_strings(const TF_TString *a, const TF_TString *b, TF_TString *out) {
  size_t na = TF_StringGetSize(a), nb = TF_StringGetSize(b);
  char *text = malloc(na + nb + 1);
  if (!text) return false;
  memcpy(text, TF_StringGetDataPointer(a), na);
  memcpy(text + na, TF_StringGetDataPointer(b), nb);
  TF_StringCopy(out, text, na + nb);
  free(text);
  return true;
}
#define JOIN_LOOP(name, ia, ib)                                                           \
  static bool name(const void *pa, const void *pb, void *pout, int64_t n) {               \
    const TF_TString *a = pa, *b = pb;                                                    \
    TF_TString *out = pout;                                                               \
    bool fine = true;                                                                     \
    for (int64_t i = 0; i < n; i++) fine = join_strings(&a[ia], &b[ib], &out[i]) && fine; \
    return fine;                                                                          \
  }
JOIN_LOOP(add_str_vv, i, i)
JOIN_LOOP(add_str_vs, i, 0)
JOIN_LOOP(add_str_sv, 0, i)
static void add_str_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  static const dvp_binary_loops loops = {
      add_str_vv,         add_str_vs,      add_str_sv, sizeof(TF_TString),
      sizeof(TF_TString), 20 * DVP_COSTLY, false,      "Out of memory while joining strings"};
  dvp_binary_run(ctx, &loops);
}
static const dvp_kernel add_v1_rows[] = {DVP_NUMBERS(DVP_ROW, add) DVP_KERNEL(TF_STRING, add_str)};
DVP_DEFINE_SET(add_v1, "T", NULL, NULL, add_v1_rows);
