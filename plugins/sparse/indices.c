// Checked views of sparse tensors, their order, and copies of their values.
#include "sparse/indices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

bool dvs_input_sparse(dvp_call *call, int indices, int values, int shape, dvs_sparse *out) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, indices, &out->indices) || !dvp_input(call, values, &out->values) ||
      !dvp_input(call, shape, &out->shape))
    return false;
  if (out->indices.rank != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "indices must be a matrix, but have shape %s",
                    dvp_shape_text(out->indices.dims, out->indices.rank, text));
  if (out->values.rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "values must be a vector, but have shape %s",
                    dvp_shape_text(out->values.dims, out->values.rank, text));
  if (out->shape.rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "the dense shape must be a vector, but has shape %s",
                    dvp_shape_text(out->shape.dims, out->shape.rank, text));
  out->count = out->values.count;
  if (out->indices.dims[0] != out->count || out->indices.dims[1] != out->shape.count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "%" PRId64 " values in a tensor of rank %" PRId64
                    " want as many rows of as many indices, "
                    "but indices have shape %s",
                    out->count, out->shape.count, dvp_shape_text(out->indices.dims, 2, text));
  if (out->shape.count > DVP_MAX_RANK)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "A sparse tensor of rank %" PRId64 " exceeds the highest rank, %d", out->shape.count,
                    DVP_MAX_RANK);
  out->rank = (int)out->shape.count;
  int64_t elements;
  for (int i = 0; i < out->rank; i++) out->dims[i] = dvp_index_at(&out->shape, i);
  return dvp_count(call, out->dims, out->rank, &elements);
}

bool dvs_check_range(dvp_call *call, const dvs_sparse *sparse) {
  for (int64_t i = 0; i < sparse->count; i++)
    for (int d = 0; d < sparse->rank; d++) {
      int64_t index = dvs_at(sparse, i, d);
      if (index < 0 || index >= sparse->dims[d])
        return dvp_fail(call, TF_INVALID_ARGUMENT,
                        "indices[%" PRId64 ", %d] = %" PRId64 " is not in [0, %" PRId64 ")", i, d, index,
                        sparse->dims[d]);
    }
  return true;
}

typedef struct ordering {
  const int64_t *indices;
  int rank;
} ordering;

static int compare(const void *pa, const void *pb, void *arg) {
  const ordering *order = arg;
  int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
  const int64_t *x = order->indices + a * order->rank, *y = order->indices + b * order->rank;
  for (int d = 0; d < order->rank; d++)
    if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
  return a < b ? -1 : a > b;
}

int64_t *dvs_order(dvp_call *call, const int64_t *indices, int64_t count, int rank) {
  int64_t *order = dvs_alloc(call, count, sizeof(*order));
  if (!order) return NULL;
  ordering by = {indices, rank};
  bool sorted = true;
  for (int64_t i = 0; i < count; i++) {
    order[i] = i;
    sorted = sorted && (i == 0 || compare(&order[i - 1], &order[i], &by) < 0);
  }
  if (!sorted) qsort_r(order, (size_t)count, sizeof(*order), compare, &by);
  return order;
}

void *dvs_alloc(dvp_call *call, int64_t count, size_t bytes) {
  size_t total;
  void *memory = __builtin_mul_overflow((size_t)count, bytes, &total) ? NULL : malloc(total ? total : 1);
  if (!memory)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " elements of %zu bytes", count,
             bytes);
  return memory;
}
