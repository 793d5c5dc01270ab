// Writing slices of updates to places of a tensor, written once for the Scatter ops on tensors and variables.
// Places are found, and so checked, before anything is written.
#ifndef DOVETAIL_PLUGINS_COMMON_SCATTER_H_
#define DOVETAIL_PLUGINS_COMMON_SCATTER_H_

#include "common/call.h"

typedef enum dvp_scatter_op {
  DVP_SCATTER_UPDATE,
  DVP_SCATTER_ADD,
  DVP_SCATTER_SUB,
  DVP_SCATTER_MUL,
  DVP_SCATTER_DIV,
  DVP_SCATTER_MIN,
  DVP_SCATTER_MAX,
} dvp_scatter_op;

// Where slices go: places[i] is the number of the slice of the target that update i is for, -1: nowhere.
typedef struct dvp_places {
  int64_t *places;
  int64_t count;
  int64_t inner;  // elements of a slice
} dvp_places;

// The state of kernels with the attribute bad_indices_policy, freed with free: whether an index out of range
// is left out, or an error.
void *dvp_bad_indices_create(TF_OpKernelConstruction *ctx);
bool dvp_ignores_bad_indices(const void *state);

// ScatterNd: the last dimension of `indices` holds coordinates in a target of shape `dims`. INVALID_ARGUMENT
// when `updates` has another shape than indices.shape[:-1] + dims[depth:], or a coordinate is out of range
// and not to be ignored. *out is to be freed with dvp_places_free in any case.
bool dvp_places_nd(dvp_call *call, const int64_t *dims, int rank, const dvp_view *indices,
                   const dvp_view *updates, bool ignore_bad, dvp_places *out);
// Scatter by rows: each of `indices` is a row of the target, `updates` has shape indices.shape + dims[1:] or
// is a scalar.
bool dvp_places_rows(dvp_call *call, const int64_t *dims, int rank, const dvp_view *indices,
                     const dvp_view *updates, dvp_places *out);
void dvp_places_free(dvp_places *places);

// Joins the updates with what is at their places in `target`, one after the other. A scalar update serves
// every element. INVALID_ARGUMENT, before anything is written, for an integer division by zero.
bool dvp_scatter(dvp_call *call, dvp_scatter_op op, const dvp_places *places, const dvp_view *updates,
                 void *target);

#endif  // DOVETAIL_PLUGINS_COMMON_SCATTER_H_
