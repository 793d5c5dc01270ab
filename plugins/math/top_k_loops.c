// TopKV2: the k largest elements of each row of the last dim, largest first; of equal ones the first. A NaN
// counts as less than all numbers.
#include <inttypes.h>
#include <stdlib.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

typedef struct top_k_run {
  const void *in;
  void *values, *indices;
  TF_DataType index_type;
  int64_t n, k;
  bool failed;
} top_k_run;

static void put_index(const top_k_run *run, int64_t at, int64_t index) {
  if (run->index_type == TF_INT64)
    ((int64_t *)run->indices)[at] = index;
  else if (run->index_type == TF_INT16)
    ((int16_t *)run->indices)[at] = (int16_t)index;
  else
    ((int32_t *)run->indices)[at] = (int32_t)index;
}

// A heap of the best k so far with the worst on top, then sorted by taking the worst away to the end.
#define TOP_K(t, unused)                                                              \
  static bool less_##t(const dvp_##t *row, int64_t i, int64_t j) {                    \
    const DVP_ARITH_##t a = DVP_LOAD_##t(row[i]), b = DVP_LOAD_##t(row[j]);           \
    if (a < b) return true;                                                           \
    if (b < a) return false;                                                          \
    if (a != b && (a != a) != (b != b)) return a != a;                                \
    return i > j;                                                                     \
  }                                                                                   \
  static void sift_##t(const dvp_##t *row, int64_t *heap, int64_t size, int64_t at) { \
    int64_t moved = heap[at];                                                         \
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {                    \
      if (child + 1 < size && less_##t(row, heap[child + 1], heap[child])) child++;   \
      if (!less_##t(row, heap[child], moved)) break;                                  \
      heap[at] = heap[child];                                                         \
    }                                                                                 \
    heap[at] = moved;                                                                 \
  }                                                                                   \
  static void select_##t(const dvp_##t *row, int64_t n, int64_t k, int64_t *heap) {   \
    for (int64_t i = 0; i < k; i++) heap[i] = i;                                      \
    for (int64_t i = k / 2 - 1; i >= 0; i--) sift_##t(row, heap, k, i);               \
    for (int64_t i = k; i < n; i++) {                                                 \
      if (!less_##t(row, heap[0], i)) continue;                                       \
      heap[0] = i;                                                                    \
      sift_##t(row, heap, k, 0);                                                      \
    }                                                                                 \
    for (int64_t size = k; size > 1;) {                                               \
      int64_t worst = heap[0];                                                        \
      heap[0] = heap[--size];                                                         \
      sift_##t(row, heap, size, 0);                                                   \
      heap[size] = worst;                                                             \
    }                                                                                 \
  }                                                                                   \
  static void top_k_##t##_rows(void *arg, int64_t begin, int64_t end) {               \
    top_k_run *run = arg;                                                             \
    int64_t *heap = malloc((size_t)run->k * sizeof(int64_t));                         \
    if (!heap) {                                                                      \
      __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);                         \
      return;                                                                         \
    }                                                                                 \
    for (int64_t r = begin; r < end; r++) {                                           \
      const dvp_##t *row = (const dvp_##t *)run->in + r * run->n;                     \
      dvp_##t *values = (dvp_##t *)run->values + r * run->k;                          \
      select_##t(row, run->n, run->k, heap);                                          \
      for (int64_t i = 0; i < run->k; i++) {                                          \
        values[i] = row[heap[i]];                                                     \
        put_index(run, r * run->k + i, heap[i]);                                      \
      }                                                                               \
    }                                                                                 \
    free(heap);                                                                       \
  }                                                                                   \
  DVP_COMPUTE(top_k_##t##_compute) { top_k(call, state, top_k_##t##_rows); }

typedef struct top_k_state {
  TF_DataType index_type;
} top_k_state;

static void *top_k_create(TF_OpKernelConstruction *ctx) {
  top_k_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->index_type = dvp_attr_type(ctx, "index_type");
  return state;
}
static void top_k_destroy(void *state) { free(state); }

static void top_k(dvp_call *call, const top_k_state *state, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view in;
  int64_t k, dims[DVP_MAX_RANK];
  int rank, count;
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "k", &k, 1, &rank, &count)) return;
  if (rank != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "k must be scalar, got a vector of %d elements", count);
    return;
  }
  if (k < 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Need k >= 0, got %" PRId64, k);
    return;
  }
  if (in.rank < 1 || in.dims[in.rank - 1] < k) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "input must have at least k columns. Had %" PRId64 ", needed %" PRId64,
             in.rank < 1 ? 0 : in.dims[in.rank - 1], k);
    return;
  }
  if (state->index_type == TF_INT16 && in.dims[in.rank - 1] > INT16_MAX) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Indices of %" PRId64 " columns do not fit into int16",
             in.dims[in.rank - 1]);
    return;
  }
  for (int i = 0; i < in.rank; i++) dims[i] = in.dims[i];
  dims[in.rank - 1] = k;
  top_k_run run = {.in = in.data,
                   .values = dvp_output(call, 0, dims, in.rank),
                   .index_type = state->index_type,
                   .n = in.dims[in.rank - 1],
                   .k = k};
  run.indices = run.values ? dvp_output(call, 1, dims, in.rank) : NULL;
  if (!run.indices || k == 0 || in.count == 0) return;
  dvp_parallel(call, in.count / run.n, run.n * 3000, rows, &run);
  if (run.failed)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " indices of the largest elements", k);
}
DVP_REALS(TOP_K, )
static const dvp_kernel top_k_rows[] = {DVP_REALS(DVP_ROW, top_k)};
DVP_DEFINE_SET(top_k, "T", top_k_create, top_k_destroy, top_k_rows);
