// Typed products for what oneDNN's sgemm does not do: panels of B are packed, and blocks of C stay in
// registers. Halves multiply and add in f32.
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "linalg/einsum.h"

#define ROWS 4
#define COLUMNS 16

#define CONJ_f16(x) (x)
#define CONJ_bf16(x) (x)
#define CONJ_f64(x) (x)
#define CONJ_i16(x) (x)
#define CONJ_i32(x) (x)
#define CONJ_i64(x) (x)
#define CONJ_c64 conjf
#define CONJ_c128 conj

#define GEMM(t, unused)                                                                                     \
  static void pack_##t(const dvp_gemm *g, const dvp_##t *b, int64_t n0, int64_t n, DVP_ARITH_##t *panel) {  \
    for (int64_t k = 0; k < g->k; k++)                                                                      \
      for (int64_t j = 0; j < COLUMNS; j++) {                                                               \
        const DVP_ARITH_##t x = j < n ? DVP_LOAD_##t(b[k * g->b_row + (n0 + j) * g->b_col]) : 0;            \
        panel[k * COLUMNS + j] = g->conj_b ? CONJ_##t(x) : x;                                               \
      }                                                                                                     \
  }                                                                                                         \
  /* `rows` rows of C, at most ROWS, by one panel. */                                                       \
  static void block_##t(const dvp_gemm *g, const dvp_##t *a, int64_t rows, const DVP_ARITH_##t *panel,      \
                        DVP_ARITH_##t *acc) {                                                               \
    for (int i = 0; i < ROWS * COLUMNS; i++) acc[i] = 0;                                                    \
    for (int64_t k = 0; k < g->k; k++)                                                                      \
      for (int64_t i = 0; i < rows; i++) {                                                                  \
        const DVP_ARITH_##t raw = DVP_LOAD_##t(a[i * g->a_row + k * g->a_col]);                             \
        const DVP_ARITH_##t x = g->conj_a ? CONJ_##t(raw) : raw;                                            \
        for (int j = 0; j < COLUMNS; j++) acc[i * COLUMNS + j] += x * panel[k * COLUMNS + j];               \
      }                                                                                                     \
  }                                                                                                         \
  static bool gemm_##t(const dvp_gemm *g, const void *pa, const void *pb, void *pc, int64_t m0, int64_t m1, \
                       int64_t n0, int64_t n1) {                                                            \
    DVP_ARITH_##t *panel = malloc((size_t)g->k * COLUMNS * sizeof(*panel)), acc[ROWS * COLUMNS];            \
    if (!panel) return false;                                                                               \
    for (int64_t n = n0; n < n1; n += COLUMNS) {                                                            \
      int64_t columns = DVP_MIN(COLUMNS, n1 - n);                                                           \
      pack_##t(g, pb, n, columns, panel);                                                                   \
      for (int64_t m = m0; m < m1; m += ROWS) {                                                             \
        int64_t rows = DVP_MIN(ROWS, m1 - m);                                                               \
        block_##t(g, (const dvp_##t *)pa + m * g->a_row, rows, panel, acc);                                 \
        for (int64_t i = 0; i < rows; i++)                                                                  \
          for (int64_t j = 0; j < columns; j++)                                                             \
            ((dvp_##t *)pc)[(m + i) * g->c_row + n + j] = DVP_STORE_##t(acc[i * COLUMNS + j]);              \
      }                                                                                                     \
    }                                                                                                       \
    free(panel);                                                                                            \
    return true;                                                                                            \
  }
#define KERNEL(t, unused) \
  static const dvp_gemm_kernel kernel_##t = {gemm_##t, sizeof(dvp_##t), 150, NULL, NULL};

#define OTHERS(X, ...)       \
  DVP_HALVES(X, __VA_ARGS__) \
  X(f64, __VA_ARGS__) X(i16, __VA_ARGS__) DVP_INDICES(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
#define ALL(X, ...) X(f32, __VA_ARGS__) OTHERS(X, __VA_ARGS__)
OTHERS(GEMM, )
OTHERS(KERNEL, )

// Small f32 products are not worth a call of oneDNN; the others are made here where it is not installed.
typedef float dvp_f32_small;
#define DVP_ARITH_f32_small float
#define DVP_LOAD_f32_small DVP_SAME
#define DVP_STORE_f32_small DVP_SAME
#define CONJ_f32_small(x) (x)
GEMM(f32_small, )

// out[0..n) += a[0..depth) * B. Four rows of B at a time, while a row of C stays in the first-level cache.
static void add_rows(const float *a, const float *b, int64_t b_row, int64_t depth, int64_t n, float *out) {
  int64_t k = 0;
  for (; k + 4 <= depth; k += 4, b += 4 * b_row) {
    const float *b1 = b + b_row, *b2 = b1 + b_row, *b3 = b2 + b_row;
    const float a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    for (int64_t j = 0; j < n; j++) out[j] += (a0 * b[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
  }
  for (; k < depth; k++, b += b_row)
    for (int64_t j = 0; j < n; j++) out[j] += a[k] * b[j];
}

// Few rows wait for B from memory: it is walked once, as it lies there.
#define FEW_ROWS 4
#define FEW_DEPTH 16
static bool gemm_f32_few(const dvp_gemm *g, const void *pa, const void *pb, void *pc, int64_t m0, int64_t m1,
                         int64_t n0, int64_t n1) {
  const float *a = pa, *b = (const float *)pb + n0;
  float *c = (float *)pc + n0;
  for (int64_t m = m0; m < m1; m++) memset(c + m * g->c_row, 0, (size_t)(n1 - n0) * sizeof(float));
  for (int64_t k = 0; k < g->k; k += FEW_DEPTH)
    for (int64_t m = m0; m < m1; m++)
      add_rows(a + m * g->a_row + k, b + k * g->b_row, g->b_row, DVP_MIN(FEW_DEPTH, g->k - k), n1 - n0,
               c + m * g->c_row);
  return true;
}

static bool gemm_f32(const dvp_gemm *g, const void *a, const void *b, void *c, int64_t m0, int64_t m1,
                     int64_t n0, int64_t n1) {
  bool small = (m1 - m0) * (n1 - n0) <= 256 && g->k <= 64;
  bool few = m1 - m0 < FEW_ROWS && g->a_col == 1 && g->b_col == 1;
  dvp_gemm_tile tile = few ? gemm_f32_few : small || !dvp_gemm_f32_is_there() ? gemm_f32_small : dvp_gemm_f32;
  return tile(g, a, b, c, m0, m1, n0, n1);
}
#ifdef DVP_ISA_V3
#define PACKING_f32 &dvp_gemm_packing_f32
#else
#define PACKING_f32 NULL
#endif
#define PACKING_f16 NULL
#define PACKING_bf16 NULL
static const dvp_gemm_kernel kernel_f32 = {gemm_f32, sizeof(float), 30, NULL, PACKING_f32};

#define COMPUTE(t, unused)                                                           \
  static void mat_mul_##t##_compute(void *state, TF_OpKernelContext *ctx) {          \
    dvp_mat_mul_run(state, ctx, &kernel_##t);                                        \
  }                                                                                  \
  static void batch_mat_mul_##t##_compute(void *state, TF_OpKernelContext *ctx) {    \
    dvp_batch_mat_mul_run(state, ctx, &kernel_##t, false);                           \
  }                                                                                  \
  static void batch_mat_mul_v2_##t##_compute(void *state, TF_OpKernelContext *ctx) { \
    dvp_batch_mat_mul_run(state, ctx, &kernel_##t, true);                            \
  }
ALL(COMPUTE, )
static const dvp_kernel mat_mul_rows[] = {ALL(DVP_ROW, mat_mul)};
static const dvp_kernel batch_mat_mul_rows[] = {ALL(DVP_ROW, batch_mat_mul)};
static const dvp_kernel batch_mat_mul_v2_rows[] = {ALL(DVP_ROW, batch_mat_mul_v2)};
DVP_DEFINE_SET(mat_mul, "T", dvp_mat_mul_create, dvp_mat_mul_destroy, mat_mul_rows);
DVP_DEFINE_SET(batch_mat_mul, "T", dvp_batch_mat_mul_create, dvp_mat_mul_destroy, batch_mat_mul_rows);
DVP_DEFINE_SET(batch_mat_mul_v2, "T", dvp_batch_mat_mul_create, dvp_mat_mul_destroy, batch_mat_mul_v2_rows);
DVP_DEFINE_SET(batch_mat_mul_v3, "Tout", dvp_batch_mat_mul_v3_create, dvp_mat_mul_destroy,
               batch_mat_mul_v2_rows);

#define FUSED(t, ps)                                                                                     \
  static void fused_mat_mul_##t##_compute(void *state, TF_OpKernelContext *ctx) {                        \
    static const dvp_gemm_kernel kernel = {gemm_##t, sizeof(dvp_##t), ps, DVP_EPILOGUE(t), PACKING_##t}; \
    dvp_mat_mul_run(state, ctx, &kernel);                                                                \
  }
DVP_HALVES(FUSED, 150)
FUSED(f32, 30)
#define FUSED_TYPES(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f32, __VA_ARGS__)
static const dvp_kernel fused_mat_mul_rows[] = {FUSED_TYPES(DVP_ROW, fused_mat_mul)};
DVP_DEFINE_SET(fused_mat_mul, "T", dvp_fused_mat_mul_create, dvp_mat_mul_destroy, fused_mat_mul_rows);

// ---- Einsum ----

#define EINSUM(t, unused)                                                          \
  static void sum_rows_##t(const void *pin, void *pout, int64_t rows, int64_t n) { \
    const dvp_##t *in = pin;                                                       \
    dvp_##t *out = pout;                                                           \
    for (int64_t r = 0; r < rows; r++, in += n) {                                  \
      DVP_ARITH_##t sum = 0;                                                       \
      for (int64_t i = 0; i < n; i++) sum += DVP_LOAD_##t(in[i]);                  \
      out[r] = DVP_STORE_##t(sum);                                                 \
    }                                                                              \
  }                                                                                \
  static void einsum_##t##_compute(void *state, TF_OpKernelContext *ctx) {         \
    dvp_einsum_run(state, ctx, &kernel_##t, sum_rows_##t);                         \
  }
#define EINSUM_TYPES(X, ...) \
  DVP_HALVES(X, __VA_ARGS__) \
  X(f32, __VA_ARGS__) X(f64, __VA_ARGS__) DVP_INDICES(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
EINSUM_TYPES(EINSUM, )
static const dvp_kernel einsum_rows[] = {EINSUM_TYPES(DVP_ROW, einsum)};
DVP_DEFINE_SET(einsum, "T", dvp_einsum_create, dvp_einsum_destroy, einsum_rows);
