// What the ops of this plugin ask of indices and of sparse tensors, which come as three inputs: the
// coordinates of the values [n, rank], the values [n], and the dense shape [rank].
#ifndef DOVETAIL_PLUGINS_SPARSE_INDICES_H_
#define DOVETAIL_PLUGINS_SPARSE_INDICES_H_

#include "common/call.h"

// Element `i` of an input of dtype int16, int32 or int64.
static inline int64_t dvs_index(const dvp_view *indices, int64_t i) {
  switch (indices->dtype) {
    case TF_INT16:
      return ((const int16_t *)indices->data)[i];
    case TF_INT32:
      return ((const int32_t *)indices->data)[i];
    default:
      return ((const int64_t *)indices->data)[i];
  }
}

typedef struct dvs_sparse {
  dvp_view indices, values, shape;
  int64_t count;  // values
  int rank;
  int64_t dims[DVP_MAX_RANK];  // of the dense tensor
} dvs_sparse;

// Inputs `indices`, `values` and `shape` as a sparse tensor; INVALID_ARGUMENT when they do not fit together,
// or a dimension is negative. Coordinates are not checked.
bool dvs_input_sparse(dvp_call *call, int indices, int values, int shape, dvs_sparse *out);
// Coordinate `d` of value `i`.
static inline int64_t dvs_at(const dvs_sparse *sparse, int64_t i, int d) {
  return dvs_index(&sparse->indices, i * sparse->rank + d);
}
// INVALID_ARGUMENT for a coordinate out of range.
bool dvs_check_range(dvp_call *call, const dvs_sparse *sparse);
// Order of the values by coordinates, those with equal ones as they come; malloc'ed; NULL after a failure.
int64_t *dvs_order(dvp_call *call, const int64_t *indices, int64_t count, int rank);
// Copies `count` values; strings deeply.
void dvs_copy_values(TF_DataType dtype, const void *from, int64_t first, void *to, int64_t to_first,
                     int64_t count, int64_t bytes);
// malloc for `count` things of `bytes` each (never NULL for none); NULL after a failure, which is reported.
void *dvs_alloc(dvp_call *call, int64_t count, size_t bytes);

#endif  // DOVETAIL_PLUGINS_SPARSE_INDICES_H_
