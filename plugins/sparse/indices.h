// What the ops of this plugin ask of indices and of sparse tensors, which come as three inputs: the
// coordinates of the values [n, rank], the values [n], and the dense shape [rank].
#ifndef DOVETAIL_PLUGINS_SPARSE_INDICES_H_
#define DOVETAIL_PLUGINS_SPARSE_INDICES_H_

#include "common/call.h"

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
  return dvp_index_at(&sparse->indices, i * sparse->rank + d);
}
// INVALID_ARGUMENT for a coordinate out of range.
bool dvs_check_range(dvp_call *call, const dvs_sparse *sparse);
// Order of the values by coordinates, those with equal ones as they come; malloc'ed; NULL after a failure.
int64_t *dvs_order(dvp_call *call, const int64_t *indices, int64_t count, int rank);
// malloc for `count` things of `bytes` each (never NULL for none); NULL after a failure, which is reported.
void *dvs_alloc(dvp_call *call, int64_t count, size_t bytes);

#endif  // DOVETAIL_PLUGINS_SPARSE_INDICES_H_
