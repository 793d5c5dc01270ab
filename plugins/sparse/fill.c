// SparseFillEmptyRows, SparseReshape and SparseToDense.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "sparse/indices.h"

// ---- SparseFillEmptyRows ----

typedef struct filling {
  dvs_sparse in;
  int64_t rows, full;  // rows of the dense tensor, values of the result
  int64_t *starts;     // where the values of each row go
  uint8_t *is_empty;   // output 2
} filling;

// Counts the values of each row into starts[row + 1], in order of their rows.
static bool count_rows(dvp_call *call, filling *f) {
  memset(f->starts, 0, (size_t)(f->rows + 1) * sizeof(int64_t));
  for (int64_t i = 0; i < f->in.count; i++) {
    int64_t row = dvs_at(&f->in, i, 0);
    if (row < 0 || row >= f->rows)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "indices(%" PRId64 ", 0) is invalid: %" PRId64 " is not in [0, %" PRId64 ")", i, row,
                      f->rows);
    f->starts[row + 1]++;
  }
  f->full = 0;
  for (int64_t row = 0; row < f->rows; row++) {
    f->is_empty[row] = f->starts[row + 1] == 0;
    f->full += f->is_empty[row] ? 1 : f->starts[row + 1];
  }
  int64_t next = 0;
  for (int64_t row = 0; row < f->rows; row++) {
    int64_t values = f->starts[row + 1];
    f->starts[row] = next;
    next += values ? values : 1;
  }
  return true;
}

static void place_values(dvp_call *call, filling *f, const dvp_view *filler) {
  int64_t out_dims[2] = {f->full, f->in.rank};
  int rank = f->in.rank;
  int64_t *indices = dvp_output(call, 0, out_dims, 2);
  void *values = indices ? dvp_output(call, 1, &f->full, 1) : NULL;
  int64_t *places = values ? dvp_output(call, 3, &f->in.count, 1) : NULL;
  int64_t bytes = places ? (int64_t)dvp_element_bytes(call, f->in.values.dtype) : 0;
  if (bytes == 0) return;
  for (int64_t row = 0; row < f->rows; row++) {
    if (!f->is_empty[row]) continue;
    int64_t at = f->starts[row];
    memset(indices + at * rank, 0, (size_t)rank * sizeof(int64_t));
    indices[at * rank] = row;
    dvp_copy_elements(filler->dtype, filler->data, 0, values, at, 1, bytes);
  }
  for (int64_t i = 0; i < f->in.count; i++) {
    int64_t at = f->starts[dvs_at(&f->in, i, 0)]++;
    memcpy(indices + at * rank, (const int64_t *)f->in.indices.data + i * rank,
           (size_t)rank * sizeof(int64_t));
    dvp_copy_elements(filler->dtype, f->in.values.data, i, values, at, 1, bytes);
    places[i] = at;
  }
}

DVP_COMPUTE(fill_empty_rows_compute) {
  (void)state;
  filling f;
  dvp_view filler;
  if (!dvs_input_sparse(call, 0, 1, 2, &f.in) || !dvp_input_scalar(call, 3, "default_value", &filler)) return;
  if (f.in.rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Dense shape cannot be empty.");
    return;
  }
  f.rows = f.in.dims[0];
  f.is_empty = dvp_output(call, 2, &f.rows, 1);
  if (!f.is_empty) return;
  f.starts = dvs_alloc(call, f.rows + 1, sizeof(int64_t));
  if (f.starts && count_rows(call, &f)) place_values(call, &f, &filler);
  free(f.starts);
}
DVP_DEFINE_ANY(sparse_fill_empty_rows, NULL, NULL, fill_empty_rows_compute);

#define FILL_GRAD_TYPE(t, op)                                                                       \
  static void fill_grad_##t(const dvp_view *map, const dvp_view *grad, uint8_t *seen, void *values, \
                            void *rest) {                                                           \
    const dvp_##t *in = grad->data;                                                                 \
    DVP_ARITH_##t sum = 0;                                                                          \
    for (int64_t i = 0; i < map->count; i++) {                                                      \
      int64_t at = dvp_index_at(map, i);                                                            \
      ((dvp_##t *)values)[i] = in[at];                                                              \
      seen[at] = 1;                                                                                 \
    }                                                                                               \
    for (int64_t i = 0; i < grad->count; i++)                                                       \
      if (!seen[i]) sum += DVP_LOAD_##t(in[i]);                                                     \
    *(dvp_##t *)rest = DVP_STORE_##t(sum);                                                          \
  }
DVP_NUMBERS(FILL_GRAD_TYPE, )

#define FILL_GRAD_CASE(t, unused)                   \
  case DVP_TYPE_##t:                                \
    fill_grad_##t(&map, &grad, seen, values, rest); \
    break;

DVP_COMPUTE(fill_empty_rows_grad_compute) {
  (void)state;
  dvp_view map, grad;
  if (!dvp_input(call, 0, &map) || !dvp_input(call, 1, &grad)) return;
  if (map.rank != 1 || grad.rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "reverse_index_map and grad_values must be vectors");
    return;
  }
  for (int64_t i = 0; i < map.count; i++)
    if (dvp_index_at(&map, i) < 0 || dvp_index_at(&map, i) >= grad.count) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Elements in reverse index must be in [0, %" PRId64 ") but got %" PRId64, grad.count,
               dvp_index_at(&map, i));
      return;
    }
  void *values = dvp_output(call, 0, &map.count, 1), *rest = values ? dvp_output(call, 1, NULL, 0) : NULL;
  uint8_t *seen = rest ? dvs_alloc(call, grad.count, 1) : NULL;
  if (!seen) return;
  if (grad.count) memset(seen, 0, (size_t)grad.count);
  switch (grad.dtype) {
    DVP_NUMBERS(FILL_GRAD_CASE, )
    default:
      break;  // the kernels' constraint admits numbers only
  }
  free(seen);
}
static const dvp_kernel fill_grad_rows[] = {DVP_NUMBERS(DVP_SHARED_ROW, fill_empty_rows_grad)};
DVP_DEFINE_SET(sparse_fill_empty_rows_grad, "T", NULL, NULL, fill_grad_rows);

// ---- SparseReshape ----

// Replaces a -1 in `dims`; the product must be `count`.
static bool complete_shape(dvp_call *call, int64_t *dims, int rank, int64_t count) {
  int64_t known = 1;
  int open = -1;
  for (int i = 0; i < rank; i++) {
    if (dims[i] == -1) {
      if (open >= 0)
        return dvp_fail(call, TF_INVALID_ARGUMENT, "only one output dimension may be -1, not both %d and %d",
                        open, i);
      open = i;
    } else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known)) {
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "size %d of the new shape is negative, or the shape too large: %" PRId64, i, dims[i]);
    }
  }
  if (open >= 0) {
    if (known == 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "reshape cannot infer the missing input size for an empty tensor unless all specified "
                      "input sizes are non-zero");
    dims[open] = count / known;
    known *= dims[open];
  }
  return known == count || dvp_fail(call, TF_INVALID_ARGUMENT,
                                    "Input to reshape is a tensor with %" PRId64
                                    " dense values, but the requested shape has %" PRId64,
                                    count, known);
}

DVP_COMPUTE(sparse_reshape_compute) {
  (void)state;
  dvp_view indices;
  int64_t from[DVP_MAX_RANK], to[DVP_MAX_RANK], count;
  int rank_from, rank_to, from_rank, to_rank;
  if (!dvp_input(call, 0, &indices) ||
      !dvp_input_ints(call, 1, "input_shape", from, DVP_MAX_RANK, &from_rank, &rank_from) ||
      !dvp_input_ints(call, 2, "new_shape", to, DVP_MAX_RANK, &to_rank, &rank_to))
    return;
  if (indices.rank != 2 || from_rank != 1 || to_rank != 1 || indices.dims[1] != rank_from) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Input indices must be a matrix with a column for each of the %d dimensions, and the shapes vectors",
        rank_from);
    return;
  }
  if (!dvp_count(call, from, rank_from, &count) || !complete_shape(call, to, rank_to, count)) return;
  int64_t n = indices.dims[0], dims[2] = {n, rank_to}, length = rank_to;
  if (n > 0 && count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Input tensor has %" PRId64 " non zero elements but its shape is empty", n);
    return;
  }
  int64_t *out = dvp_output(call, 0, dims, 2), *shape = out ? dvp_output(call, 1, &length, 1) : NULL;
  if (!shape) return;
  memcpy(shape, to, (size_t)rank_to * sizeof(int64_t));
  for (int64_t i = 0; i < n; i++) {
    uint64_t at = 0;  // wraps for coordinates out of range, which are not checked
    for (int d = 0; d < rank_from; d++)
      at = at * (uint64_t)from[d] + (uint64_t)dvp_index_at(&indices, i * rank_from + d);
    int64_t rest = (int64_t)at, step = count;
    for (int d = 0; d < rank_to; d++) {
      step /= to[d];
      out[i * rank_to + d] = rest / step;
      rest %= step;
    }
  }
}
DVP_DEFINE_ANY(sparse_reshape, NULL, NULL, sparse_reshape_compute);

// ---- SparseToDense ----

typedef struct to_dense_state {
  bool validate;
} to_dense_state;
static void *to_dense_create(TF_OpKernelConstruction *ctx) {
  to_dense_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->validate = dvp_attr_bool(ctx, "validate_indices");
  return state;
}
static void to_dense_destroy(void *state) { free(state); }

// Position in the dense tensor of each of n coordinates; with `ordered` they must increase.
static bool find_places(dvp_call *call, const dvp_view *indices, int64_t n, const int64_t *dims, int rank,
                        bool ordered, int64_t *places) {
  for (int64_t i = 0; i < n; i++) {
    places[i] = 0;
    for (int d = 0; d < rank; d++) {
      int64_t index = dvp_index_at(indices, i * rank + d);
      if (index < 0 || index >= dims[d])
        return dvp_fail(call, TF_INVALID_ARGUMENT,
                        "Indices are not valid (out of bounds): indices[%" PRId64 ", %d] = %" PRId64, i, d,
                        index);
      places[i] = places[i] * dims[d] + index;
    }
    if (ordered && i > 0 && places[i] <= places[i - 1])
      return dvp_fail(call, TF_INVALID_ARGUMENT, "indices[%" PRId64 "] is %s", i,
                      places[i] == places[i - 1] ? "repeated" : "out of order");
  }
  return true;
}

DVP_COMPUTE(sparse_to_dense_compute) {
  dvp_view indices, values, filler;
  int64_t dims[DVP_MAX_RANK], count;
  int shape_rank, rank;
  if (!dvp_input(call, 0, &indices) ||
      !dvp_input_ints(call, 1, "output_shape", dims, DVP_MAX_RANK, &shape_rank, &rank) ||
      !dvp_input(call, 2, &values) || !dvp_input_scalar(call, 3, "default_value", &filler))
    return;
  int64_t n = indices.rank == 0 ? 1 : indices.dims[0], depth = indices.rank == 2 ? indices.dims[1] : 1;
  if (indices.rank > 2 || shape_rank != 1 || depth != rank || values.rank > 1 ||
      (values.rank == 1 && values.count != n)) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "sparse_indices must be a scalar, vector or matrix [values, rank], output_shape a vector [rank], and "
        "sparse_values a scalar or a vector [values]");
    return;
  }
  if (!dvp_count(call, dims, rank, &count)) return;
  int64_t *places = dvs_alloc(call, n, sizeof(int64_t));
  if (places &&
      find_places(call, &indices, n, dims, rank, ((const to_dense_state *)state)->validate, places)) {
    char *out = dvp_output(call, 0, dims, rank);
    int64_t bytes = out ? (int64_t)dvp_element_bytes(call, values.dtype) : 0;
    if (bytes) {
      dvp_box box = {.rank = 0};
      dvp_box_add(&box, count, 0, 1);
      dvp_box_copy(call, &box, filler.dtype, filler.data, out);
      for (int64_t i = 0; i < n; i++)
        dvp_copy_elements(values.dtype, values.data, values.rank ? i : 0, out, places[i], 1, bytes);
    }
  }
  free(places);
}
DVP_DEFINE_ANY(sparse_to_dense, to_dense_create, to_dense_destroy, sparse_to_dense_compute);
