// Drivers of element-wise ops: inputs, broadcasting, output (in place where the host allows), rows over the
// pool. The typed loops that they call come from the DVP_BINARY_* and DVP_UNARY_* macros or from
// vector_math.h.
#ifndef DOVETAIL_PLUGINS_COMMON_ELEMENTWISE_H_
#define DOVETAIL_PLUGINS_COMMON_ELEMENTWISE_H_

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

// Estimated picoseconds an element, what decides whether a loop is worth the pool.
enum { DVP_CHEAP = 200, DVP_MEDIUM = 800, DVP_COSTLY = 4000 };

// out[i] = f(a[i], b[i]); out may be a or b. Returns false when an element has no result (integer division by
// zero).
typedef bool (*dvp_binary_loop)(const void *a, const void *b, void *out, int64_t n);
typedef struct dvp_binary_loops {
  dvp_binary_loop vv, vs, sv;  // vector-vector, b or a one element
  int in_bytes, out_bytes;
  int cost_ps;
  bool in_place;      // the output may share an input's memory
  const char *error;  // what a false result means, as INVALID_ARGUMENT
} dvp_binary_loops;
void dvp_binary_run(TF_OpKernelContext *ctx, const dvp_binary_loops *loops);
// As dvp_binary_run, but shapes that do not match give the scalar bool `mismatch`.
void dvp_compare_run(TF_OpKernelContext *ctx, const dvp_binary_loops *loops, bool mismatch);

typedef void (*dvp_unary_loop)(const void *in, void *out, int64_t n);
typedef struct dvp_unary_loops {
  dvp_unary_loop loop;
  int in_bytes, out_bytes;
  int cost_ps;
} dvp_unary_loops;
void dvp_unary_run(TF_OpKernelContext *ctx, const dvp_unary_loops *loops);

// ---- typed loops ----
// DVP_BINARY_FUNCTIONS(t, op, o, cost, EXPR): loops over type t with results of type o; EXPR computes from a
// and b.

#define DVP_BINARY_LOOP(name, t, o, ia, ib, EXPR)                             \
  static bool name(const void *pa, const void *pb, void *pout, int64_t n) {   \
    const dvp_##t *va = pa, *vb = pb;                                         \
    dvp_##o *out = pout;                                                      \
    DVP_IVDEP                                                                 \
    for (int64_t i = 0; i < n; i++) {                                         \
      const DVP_ARITH_##t a = DVP_LOAD_##t(va[ia]), b = DVP_LOAD_##t(vb[ib]); \
      out[i] = DVP_STORE_##o(EXPR);                                           \
    }                                                                         \
    return true;                                                              \
  }

#define DVP_BINARY_COMPUTE(t, op, o, cost)                                                                 \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                                   \
    (void)state;                                                                                           \
    static const dvp_binary_loops loops = {op##_##t##_vv,   op##_##t##_vs, op##_##t##_sv, sizeof(dvp_##t), \
                                           sizeof(dvp_##o), cost,          true,          NULL};           \
    dvp_binary_run(ctx, &loops);                                                                           \
  }

#define DVP_BINARY_LOOPS(t, op, o, EXPR)           \
  DVP_BINARY_LOOP(op##_##t##_vv, t, o, i, i, EXPR) \
  DVP_BINARY_LOOP(op##_##t##_vs, t, o, i, 0, EXPR) \
  DVP_BINARY_LOOP(op##_##t##_sv, t, o, 0, i, EXPR)

#define DVP_BINARY_FUNCTIONS(t, op, o, cost, EXPR) \
  DVP_BINARY_LOOPS(t, op, o, EXPR) DVP_BINARY_COMPUTE(t, op, o, cost)
#define DVP_BINARY_SAME(t, op, cost, EXPR) DVP_BINARY_FUNCTIONS(t, op, t, cost, EXPR)

#define DVP_UNARY_LOOP(t, op, o, EXPR)                                  \
  static void op##_##t##_loop(const void *pin, void *pout, int64_t n) { \
    const dvp_##t *in = pin;                                            \
    dvp_##o *out = pout;                                                \
    DVP_IVDEP                                                           \
    for (int64_t i = 0; i < n; i++) {                                   \
      const DVP_ARITH_##t a = DVP_LOAD_##t(in[i]);                      \
      out[i] = DVP_STORE_##o(EXPR);                                     \
    }                                                                   \
  }

#define DVP_UNARY_COMPUTE(t, op, o, cost)                                                           \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                            \
    (void)state;                                                                                    \
    static const dvp_unary_loops loops = {op##_##t##_loop, sizeof(dvp_##t), sizeof(dvp_##o), cost}; \
    dvp_unary_run(ctx, &loops);                                                                     \
  }

#define DVP_UNARY_FUNCTIONS(t, op, o, cost, EXPR) \
  DVP_UNARY_LOOP(t, op, o, EXPR) DVP_UNARY_COMPUTE(t, op, o, cost)
#define DVP_UNARY_SAME(t, op, cost, EXPR) DVP_UNARY_FUNCTIONS(t, op, t, cost, EXPR)

// Whole ops: loops for every type of LIST and the kernel set `op` constrained by attr T.
#define DVP_BINARY_OP(op, LIST, cost, EXPR)                  \
  LIST(DVP_BINARY_SAME, op, cost, EXPR)                      \
  static const dvp_kernel op##_rows[] = {LIST(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

#define DVP_UNARY_OP(op, LIST, cost, EXPR)                   \
  LIST(DVP_UNARY_SAME, op, cost, EXPR)                       \
  static const dvp_kernel op##_rows[] = {LIST(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

#endif  // DOVETAIL_PLUGINS_COMMON_ELEMENTWISE_H_
