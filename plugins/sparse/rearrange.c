// SparseReorder, SparseSlice, SparseSplit and SparseConcat: values and coordinates move, nothing is computed.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "sparse/indices.h"

static const int64_t *coordinates(const dvs_sparse *sparse, int64_t i) {
  return (const int64_t *)sparse->indices.data + i * sparse->rank;
}

// ---- SparseReorder ----

DVP_COMPUTE(sparse_reorder_compute) {
  (void)state;
  dvs_sparse in;
  if (!dvs_input_sparse(call, 0, 1, 2, &in)) return;
  int64_t *order = dvs_order(call, in.indices.data, in.count, in.rank);
  int64_t *indices = order ? dvp_output(call, 0, in.indices.dims, 2) : NULL;
  void *values = indices ? dvp_output(call, 1, &in.count, 1) : NULL;
  int64_t bytes = values ? (int64_t)dvp_element_bytes(call, in.values.dtype) : 0;
  for (int64_t i = 0; bytes && i < in.count; i++) {
    memcpy(indices + i * in.rank, coordinates(&in, order[i]), (size_t)in.rank * sizeof(int64_t));
    dvp_copy_elements(in.values.dtype, in.values.data, order[i], values, i, 1, bytes);
  }
  free(order);
}
DVP_DEFINE_ANY(sparse_reorder, NULL, NULL, sparse_reorder_compute);

// ---- SparseSlice and SparseSplit ----

// Outputs first, first + step and first + 2 step: the part of `in` in the box [start, start + dims).
static bool output_part(dvp_call *call, const dvs_sparse *in, const int64_t *start, const int64_t *dims,
                        int first, int step) {
  int rank = in->rank;
  int64_t *picks = dvs_alloc(call, in->count, sizeof(int64_t)), n = 0, length = rank;
  if (!picks) return false;
  for (int64_t i = 0; i < in->count; i++) {
    const int64_t *at = coordinates(in, i);
    bool inside = true;
    for (int d = 0; d < rank; d++)
      inside = inside && at[d] >= start[d] && (uint64_t)at[d] - (uint64_t)start[d] < (uint64_t)dims[d];
    if (inside) picks[n++] = i;
  }
  int64_t *indices = dvp_output(call, first, (const int64_t[]){n, rank}, 2);
  void *values = indices ? dvp_output(call, first + step, &n, 1) : NULL;
  int64_t *shape = values ? dvp_output(call, first + 2 * step, &length, 1) : NULL;
  int64_t bytes = shape ? (int64_t)dvp_element_bytes(call, in->values.dtype) : 0;
  if (bytes) {
    memcpy(shape, dims, (size_t)rank * sizeof(int64_t));
    for (int64_t i = 0; i < n; i++) {
      const int64_t *at = coordinates(in, picks[i]);
      for (int d = 0; d < rank; d++) indices[i * rank + d] = at[d] - start[d];
      dvp_copy_elements(in->values.dtype, in->values.data, picks[i], values, i, 1, bytes);
    }
  }
  free(picks);
  return bytes != 0;
}

DVP_COMPUTE(sparse_slice_compute) {
  (void)state;
  dvs_sparse in;
  int64_t start[DVP_MAX_RANK], size[DVP_MAX_RANK];
  int start_rank, size_rank, starts, sizes;
  if (!dvs_input_sparse(call, 0, 1, 2, &in) ||
      !dvp_input_ints(call, 3, "start", start, DVP_MAX_RANK, &start_rank, &starts) ||
      !dvp_input_ints(call, 4, "size", size, DVP_MAX_RANK, &size_rank, &sizes))
    return;
  if (start_rank != 1 || size_rank != 1 || starts != in.rank || sizes != in.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "start and size must be vectors of %d elements, but have %d and %d",
             in.rank, starts, sizes);
    return;
  }
  for (int d = 0; d < in.rank; d++) {
    if (size[d] < 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "size[%d] must not be negative, but is %" PRId64, d, size[d]);
      return;
    }
    int64_t left;  // a start below 0 is a start outside the tensor
    if (__builtin_sub_overflow(in.dims[d], start[d], &left)) left = INT64_MAX;
    size[d] = DVP_MIN(size[d], DVP_MAX(0, left));
  }
  output_part(call, &in, start, size, 0, 1);
}
DVP_DEFINE_ANY(sparse_slice, NULL, NULL, sparse_slice_compute);

DVP_COMPUTE(sparse_split_compute) {
  (void)state;
  dvs_sparse in;
  dvp_view axis;
  int64_t start[DVP_MAX_RANK] = {0}, size[DVP_MAX_RANK];
  int parts = TF_NumOutputs(call->ctx) / 3;
  if (!dvp_input_scalar(call, 0, "split_dim", &axis) || !dvs_input_sparse(call, 1, 2, 3, &in)) return;
  int64_t d = dvp_index_at(&axis, 0);
  if (d < -in.rank || d >= in.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "split_dim %" PRId64 " is not in [-%d, %d)", d, in.rank, in.rank);
    return;
  }
  if (d < 0) d += in.rank;
  if (parts > in.dims[d]) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "A dimension of size %" PRId64 " cannot be split in %d", in.dims[d],
             parts);
    return;
  }
  if (!dvs_check_range(call, &in)) return;
  memcpy(size, in.dims, sizeof(size));
  for (int i = 0; i < parts; i++) {
    size[d] = in.dims[d] / parts + (i < in.dims[d] % parts);
    if (!output_part(call, &in, start, size, i, parts)) return;
    start[d] += size[d];
  }
}
DVP_DEFINE_ANY(sparse_split, NULL, NULL, sparse_split_compute);

// ---- SparseConcat ----

typedef struct concat_state {
  int64_t axis;
} concat_state;
static void *concat_create(TF_OpKernelConstruction *ctx) {
  concat_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->axis = dvp_attr_int(ctx, "concat_dim");
  return state;
}
static void concat_destroy(void *state) { free(state); }

// The shape that the inputs have together, in `out`, and the number of all values.
static bool join_shapes(dvp_call *call, int parts, int64_t *axis, dvs_sparse *out, int64_t *out_count) {
  dvs_sparse in;
  *out_count = 0;
  for (int i = 0; i < parts; i++) {
    if (!dvs_input_sparse(call, i, parts + i, 2 * parts + i, &in)) return false;
    *out_count += in.count;
    if (i == 0) {
      *out = in;
      if (*axis < -in.rank || *axis >= in.rank)
        return dvp_fail(call, TF_INVALID_ARGUMENT,
                        "Concat dimension must be in range [-%d, %d), got %" PRId64, in.rank, in.rank, *axis);
      if (*axis < 0) *axis += in.rank;
      continue;
    }
    if (in.rank != out->rank)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Ranks of all input tensors must match: expected %d but got %d", out->rank, in.rank);
    for (int d = 0; d < in.rank; d++)
      if (d != *axis && in.dims[d] != out->dims[d])
        return dvp_fail(call, TF_INVALID_ARGUMENT,
                        "Input shapes must match: expected %" PRId64 " for dimension %d but got %" PRId64
                        " at position %d",
                        out->dims[d], d, in.dims[d], i);
    if (__builtin_add_overflow(out->dims[*axis], in.dims[*axis], &out->dims[*axis]))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "The joined dimension is too large");
  }
  return true;
}

DVP_COMPUTE(sparse_concat_compute) {
  int parts = TF_NumInputs(call->ctx) / 3;
  int64_t axis = ((const concat_state *)state)->axis, count, base = 0, at = 0;
  dvs_sparse whole = {.rank = 0}, in;
  if (!join_shapes(call, parts, &axis, &whole, &count)) return;
  int rank = whole.rank;
  int64_t *all = dvs_alloc(call, count * rank, sizeof(int64_t));
  for (int i = 0; all && i < parts; i++) {
    if (!dvs_input_sparse(call, i, parts + i, 2 * parts + i, &in)) break;
    if (in.count) memcpy(all + at * rank, in.indices.data, (size_t)(in.count * rank) * sizeof(int64_t));
    for (int64_t k = at; k < at + in.count; k++) all[k * rank + axis] += base;
    at += in.count;
    base += in.dims[axis];
  }
  int64_t *order = all ? dvs_order(call, all, count, rank) : NULL, *place = NULL, length = rank;
  int64_t *indices = order ? dvp_output(call, 0, (const int64_t[]){count, rank}, 2) : NULL;
  void *values = indices ? dvp_output(call, 1, &count, 1) : NULL;
  int64_t *shape = values ? dvp_output(call, 2, &length, 1) : NULL;
  int64_t bytes = shape ? (int64_t)dvp_element_bytes(call, whole.values.dtype) : 0;
  if (bytes) place = dvs_alloc(call, count, sizeof(int64_t));
  if (place) {
    memcpy(shape, whole.dims, (size_t)rank * sizeof(int64_t));
    for (int64_t k = 0; k < count; k++) {
      memcpy(indices + k * rank, all + order[k] * rank, (size_t)rank * sizeof(int64_t));
      place[order[k]] = k;
    }
    at = 0;
    for (int i = 0; i < parts; i++) {
      if (!dvs_input_sparse(call, i, parts + i, 2 * parts + i, &in)) break;
      for (int64_t k = 0; k < in.count; k++)
        dvp_copy_elements(in.values.dtype, in.values.data, k, values, place[at++], 1, bytes);
    }
  }
  free(place);
  free(order);
  free(all);
}
DVP_DEFINE_ANY(sparse_concat, concat_create, concat_destroy, sparse_concat_compute);
