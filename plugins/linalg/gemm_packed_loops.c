// The f32 product by a packed B, for AVX2 and FMA: strips of up to six rows by panels of sixteen columns stay
// in registers. B lies packed in panels, a block of k after the other, so that a panel stays in the first
// cache while all rows go by it; A is read where it is, or brought together when its rows are not dense.
#include "linalg/gemm.h"

#ifdef DVP_ISA_V3
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 16
#define ROWS 6
#define BLOCK_K 256  // a panel of so many rows of B is 16 KiB
#define BLOCK_M 192  // rows of A of which a block stays in the second cache
#define FAR_ROWS 48  // more of them, apart, compete for the same lines of the caches

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
// Blocks of k are of like size.
static int64_t k_step(int64_t k) { return ceil_div(k, ceil_div(k, BLOCK_K)); }

static size_t packed_bytes(const dvp_gemm *g) {
  return (size_t)g->k * (size_t)(ceil_div(g->n, COLUMNS) * COLUMNS) * sizeof(float);
}

static void pack_panel(const dvp_gemm *g, const float *b, int64_t rows, int64_t columns, float *out) {
  for (int64_t k = 0; k < rows; k++, out += COLUMNS) {
    for (int64_t j = 0; j < columns; j++) out[j] = b[k * g->b_row + j * g->b_col];
    for (int64_t j = columns; j < COLUMNS; j++) out[j] = 0;
  }
}

static void pack(const dvp_gemm *g, const void *pb, void *pout) {
  const float *b = pb;
  float *out = pout;
  int64_t step = k_step(g->k);
  for (int64_t k = 0; k < g->k; k += step) {
    int64_t rows = DVP_MIN(step, g->k - k);
    for (int64_t n = 0; n < g->n; n += COLUMNS, out += rows * COLUMNS)
      pack_panel(g, b + k * g->b_row + n * g->b_col, rows, DVP_MIN(COLUMNS, g->n - n), out);
  }
}

// R rows of A, `row` apart, by a panel of `k` rows: added to C when `more`, else stored. SUMS sets of
// accumulators take turns, so that few rows are not slowed by the latency of an FMA.
#define STRIP(R, SUMS)                                                                                       \
  static void strip_##R(const float *a, int64_t row, const float *panel, int64_t k, float *c, int64_t c_row, \
                        bool more) {                                                                         \
    __m256 left[SUMS][R], right[SUMS][R];                                                                    \
    _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) {                                                    \
      __builtin_prefetch(c + i * c_row, 1);                                                                  \
      __builtin_prefetch(c + i * c_row + COLUMNS - 1, 1);                                                    \
    }                                                                                                        \
    _Pragma("GCC unroll 8") for (int s = 0; s < SUMS; s++)                                                   \
        _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) left[s][i] = right[s][i] = _mm256_setzero_ps();  \
    int64_t at = 0;                                                                                          \
    for (; at + SUMS <= k; at += SUMS, panel += SUMS * COLUMNS)                                              \
      _Pragma("GCC unroll 8") for (int s = 0; s < SUMS; s++) {                                               \
        const __m256 b0 = _mm256_load_ps(panel + s * COLUMNS), b1 = _mm256_load_ps(panel + s * COLUMNS + 8); \
        _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) {                                                \
          const __m256 x = _mm256_broadcast_ss(a + i * row + at + s);                                        \
          left[s][i] = _mm256_fmadd_ps(x, b0, left[s][i]);                                                   \
          right[s][i] = _mm256_fmadd_ps(x, b1, right[s][i]);                                                 \
        }                                                                                                    \
      }                                                                                                      \
    for (; at < k; at++, panel += COLUMNS) {                                                                 \
      const __m256 b0 = _mm256_load_ps(panel), b1 = _mm256_load_ps(panel + 8);                               \
      _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) {                                                  \
        const __m256 x = _mm256_broadcast_ss(a + i * row + at);                                              \
        left[0][i] = _mm256_fmadd_ps(x, b0, left[0][i]);                                                     \
        right[0][i] = _mm256_fmadd_ps(x, b1, right[0][i]);                                                   \
      }                                                                                                      \
    }                                                                                                        \
    _Pragma("GCC unroll 8") for (int s = 1; s < SUMS; s++)                                                   \
        _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) {                                                \
      left[0][i] = _mm256_add_ps(left[0][i], left[s][i]);                                                    \
      right[0][i] = _mm256_add_ps(right[0][i], right[s][i]);                                                 \
    }                                                                                                        \
    _Pragma("GCC unroll 8") for (int i = 0; i < R; i++) {                                                    \
      float *to = c + i * c_row;                                                                             \
      if (more) {                                                                                            \
        left[0][i] = _mm256_add_ps(left[0][i], _mm256_loadu_ps(to));                                         \
        right[0][i] = _mm256_add_ps(right[0][i], _mm256_loadu_ps(to + 8));                                   \
      }                                                                                                      \
      _mm256_storeu_ps(to, left[0][i]);                                                                      \
      _mm256_storeu_ps(to + 8, right[0][i]);                                                                 \
    }                                                                                                        \
  }
STRIP(1, 4)
STRIP(2, 2)
STRIP(3, 2)
STRIP(4, 1)
STRIP(5, 1)
STRIP(6, 1)
typedef void (*strip)(const float *a, int64_t row, const float *panel, int64_t k, float *c, int64_t c_row,
                      bool more);
static const strip strips[ROWS + 1] = {NULL, strip_1, strip_2, strip_3, strip_4, strip_5, strip_6};

// The last panel of B may be wider than what is left of C.
static void narrow_strip(int64_t rows, const float *a, int64_t row, const float *panel, int64_t k, float *c,
                         int64_t c_row, int64_t columns, bool more) {
  float block[ROWS * COLUMNS] = {0};
  for (int64_t i = 0; more && i < rows; i++)
    memcpy(block + i * COLUMNS, c + i * c_row, (size_t)columns * sizeof(float));
  strips[rows](a, row, panel, k, block, COLUMNS, more);
  for (int64_t i = 0; i < rows; i++)
    memcpy(c + i * c_row, block + i * COLUMNS, (size_t)columns * sizeof(float));
}

// Into the second cache, while something else is computed.
static void fetch(const float *from, int64_t floats) {
  for (int64_t i = 0; i < floats; i += 16) __builtin_prefetch(from + i, 0, 2);
}

// A block of rows of A, `row` apart and dense, by all panels of columns [n0, n1). Each strip fetches a part
// of the next panel.
static void block(const float *a, int64_t row, int64_t rows, const float *panels, int64_t k, float *c,
                  int64_t c_row, int64_t n0, int64_t n1, bool more) {
  int64_t turns = ceil_div(rows, ROWS);
  for (int64_t n = n0; n < n1; n += COLUMNS) {
    const float *panel = panels + n * k, *next = panel + k * COLUMNS;
    int64_t columns = DVP_MIN(COLUMNS, n1 - n);
    for (int64_t m = 0; m < rows; m += ROWS) {
      int64_t height = DVP_MIN(ROWS, rows - m);
      if (n + COLUMNS < n1) fetch(next + k * COLUMNS / turns * (m / ROWS), k * COLUMNS / turns);
      if (columns == COLUMNS)
        strips[height](a + m * row, row, panel, k, c + m * c_row + n, c_row, more);
      else
        narrow_strip(height, a + m * row, row, panel, k, c + m * c_row + n, c_row, columns, more);
    }
  }
}

// Rows [0, rows) and columns [0, depth) of A side by side in `out`.
static void gather(const dvp_gemm *g, const float *a, int64_t rows, int64_t depth, float *out) {
  if (g->a_col == 1) {
    for (int64_t i = 0; i < rows; i++)
      memcpy(out + i * depth, a + i * g->a_row, (size_t)depth * sizeof(float));
  } else {
    for (int64_t j = 0; j < depth; j++)
      for (int64_t i = 0; i < rows; i++) out[i * depth + j] = a[i * g->a_row + j * g->a_col];
  }
}

static bool tile(const dvp_gemm *g, const void *pa, const void *pb, void *pc, int64_t m0, int64_t m1,
                 int64_t n0, int64_t n1) {
  const float *a = pa, *panels = pb;
  float *c = pc, *dense = NULL;
  int64_t step = k_step(g->k), wide = ceil_div(g->n, COLUMNS) * COLUMNS;
  bool gathers = g->a_col != 1 || (step < g->k && m1 - m0 > FAR_ROWS);
  if (gathers && !(dense = malloc((size_t)(step * DVP_MIN(BLOCK_M, m1 - m0)) * sizeof(float)))) return false;
  for (int64_t k = 0; k < g->k; k += step) {
    int64_t depth = DVP_MIN(step, g->k - k);
    for (int64_t m = m0; m < m1; m += BLOCK_M) {
      int64_t rows = DVP_MIN(BLOCK_M, m1 - m);
      const float *from = a + m * g->a_row + k * g->a_col;
      if (gathers) gather(g, from, rows, depth, dense);
      block(gathers ? dense : from, gathers ? depth : g->a_row, rows, panels + k * wide, depth,
            c + m * g->c_row, g->c_row, n0, n1, k > 0);
    }
  }
  free(dense);
  return true;
}

const dvp_gemm_packing dvp_gemm_packing_f32 = {packed_bytes, pack, tile};
#endif
