// What the kernels of ragged.so share. A ragged tensor is a tensor of values, row after row, and for each
// ragged dimension a vector of splits: row i is made of what lies from splits[i] up to splits[i + 1].
#ifndef DOVETAIL_PLUGINS_RAGGED_RAGGED_H_
#define DOVETAIL_PLUGINS_RAGGED_RAGGED_H_

#include "common/call.h"
#include "common/plugin.h"

// Element i of a tensor of int32 or int64.
static inline int64_t dvr_int(const dvp_view *v, int64_t i) {
  return v->dtype == TF_INT32 ? ((const int32_t *)v->data)[i] : ((const int64_t *)v->data)[i];
}
static inline void dvr_set_int(TF_DataType dtype, void *data, int64_t i, int64_t value) {
  if (dtype == TF_INT32)
    ((int32_t *)data)[i] = (int32_t)value;
  else
    ((int64_t *)data)[i] = value;
}

// Copies `count` elements; those of `to` are valid. The dtype is not resource or variant.
void dvr_copy(TF_DataType dtype, void *to, int64_t to_first, const void *from, int64_t from_first,
              int64_t count);

// Whether the views of nested splits, of which there are `rank`, and the number of values belong together:
// each vector begins with 0, does not decrease, and ends with the number of rows of what it splits.
bool dvr_check_splits(dvp_call *call, const dvp_view *splits, int rank, int64_t values);

// The views of `count` inputs from `first` on, malloc'ed; NULL after a failure.
dvp_view *dvr_inputs(dvp_call *call, int first, int count);

#endif  // DOVETAIL_PLUGINS_RAGGED_RAGGED_H_
