// Comparisons and logic. Comparisons follow IEEE: every comparison with NaN but != is false.
#include <math.h>

#include "common/elementwise.h"
#include "tensorflow/c/tf_tstring.h"

#define COMPARE(t, op, EXPR) DVP_BINARY_FUNCTIONS(t, op, b, DVP_CHEAP, EXPR)
#define COMPARE_OP(op, EXPR)                                      \
  DVP_REALS(COMPARE, op, EXPR)                                    \
  static const dvp_kernel op##_rows[] = {DVP_REALS(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

COMPARE_OP(less, a < b)
COMPARE_OP(less_equal, a <= b)
COMPARE_OP(greater, a > b)
COMPARE_OP(greater_equal, a >= b)

// ---- Equal and NotEqual: every dtype; with incompatible_shape_error false, shapes that do not match are
// just unequal.

typedef struct equality {
  bool shape_error;
} equality;

static void *equality_create(TF_OpKernelConstruction *ctx) {
  equality *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->shape_error = dvp_attr_bool(ctx, "incompatible_shape_error");
  return state;
}
static void equality_destroy(void *state);

static bool strings_equal(const TF_TString *a, const TF_TString *b) {
  size_t bytes = TF_StringGetSize(a);
  return bytes == TF_StringGetSize(b) &&
         memcmp(TF_StringGetDataPointer(a), TF_StringGetDataPointer(b), bytes) == 0;
}
#define STRING_LOOP(name, ia, ib, wanted)                                             \
  static bool name(const void *pa, const void *pb, void *pout, int64_t n) {           \
    const TF_TString *a = pa, *b = pb;                                                \
    uint8_t *out = pout;                                                              \
    for (int64_t i = 0; i < n; i++) out[i] = strings_equal(&a[ia], &b[ib]) == wanted; \
    return true;                                                                      \
  }
#define STRING_LOOPS(op, wanted)         \
  STRING_LOOP(op##_str_vv, i, i, wanted) \
  STRING_LOOP(op##_str_vs, i, 0, wanted) \
  STRING_LOOP(op##_str_sv, 0, i, wanted)
STRING_LOOPS(equal, true)
STRING_LOOPS(not_equal, false)

#define EQUALITY_COMPUTE(t, op, type, mismatch)                                                          \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                                 \
    static const dvp_binary_loops loops = {op##_##t##_vv, op##_##t##_vs, op##_##t##_sv, sizeof(type), 1, \
                                           DVP_CHEAP,     false,         NULL};                          \
    const equality *options = state;                                                                     \
    if (options->shape_error)                                                                            \
      dvp_binary_run(ctx, &loops);                                                                       \
    else                                                                                                 \
      dvp_compare_run(ctx, &loops, mismatch);                                                            \
  }
#define EQUALITY(t, op, EXPR, mismatch) \
  DVP_BINARY_LOOPS(t, op, b, EXPR)      \
  EQUALITY_COMPUTE(t, op, dvp_##t, mismatch)
#define EQUALITY_TYPES(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)

EQUALITY_TYPES(EQUALITY, equal, a == b, false)
EQUALITY_TYPES(EQUALITY, not_equal, a != b, true)
EQUALITY_COMPUTE(str, equal, TF_TString, false)
EQUALITY_COMPUTE(str, not_equal, TF_TString, true)
// Quantised types compare as the integers they are stored in.
#define EQUALITY_ROWS(op)          \
  EQUALITY_TYPES(DVP_ROW, op)      \
  DVP_ROW(str, op)                 \
  DVP_KERNEL(TF_QINT8, op##_i8)    \
  DVP_KERNEL(TF_QUINT8, op##_u8)   \
  DVP_KERNEL(TF_QINT16, op##_i16)  \
  DVP_KERNEL(TF_QUINT16, op##_u16) \
  DVP_KERNEL(TF_QINT32, op##_i32)
static const dvp_kernel equal_rows[] = {EQUALITY_ROWS(equal)};
static const dvp_kernel not_equal_rows[] = {EQUALITY_ROWS(not_equal)};
static void equality_destroy(void *state) { free(state); }
DVP_DEFINE_SET(equal, "T", equality_create, equality_destroy, equal_rows);
DVP_DEFINE_SET(not_equal, "T", equality_create, equality_destroy, not_equal_rows);

// ---- logic on bools ----

#define LOGIC(op, EXPR)                                          \
  DVP_BINARY_FUNCTIONS(b, op, b, DVP_CHEAP, EXPR)                \
  static const dvp_kernel op##_rows[] = {DVP_KERNEL(0, op##_b)}; \
  DVP_DEFINE_SET(op, NULL, NULL, NULL, op##_rows);
LOGIC(logical_and, a &b)
LOGIC(logical_or, a | b)
DVP_UNARY_FUNCTIONS(b, logical_not, b, DVP_CHEAP, !a)
static const dvp_kernel logical_not_rows[] = {DVP_KERNEL(0, logical_not_b)};
DVP_DEFINE_SET(logical_not, NULL, NULL, NULL, logical_not_rows);
