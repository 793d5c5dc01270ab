// Partly known shapes: reading them from inputs and attributes, comparing and merging them.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "list/element.h"

static bool take_dims(dvp_call *call, int index, const dvp_view *in, dvl_shape *out) {
  if (in->rank > 1 || in->count > DVP_MAX_RANK)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "input %d spells no shape: %d dimensions, %" PRId64 " elements", index, in->rank,
                    in->count);
  for (int64_t i = 0; i < in->count; i++) {
    int64_t dim = in->dtype == TF_INT32 ? ((const int32_t *)in->data)[i] : ((const int64_t *)in->data)[i];
    if (dim < -1)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Dimension %" PRId64 " must be >= -1, but is %" PRId64, i,
                      dim);
    out->dims[i] = dim;
  }
  out->rank = (int)in->count;
  return true;
}

bool dvl_shape_input(dvp_call *call, int index, dvl_shape *out) {
  dvp_view in;
  if (!dvp_input(call, index, &in)) return false;
  if (in.dtype != TF_INT32 && in.dtype != TF_INT64)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Expected an int32 or int64 shape tensor; found dtype %d",
                    (int)in.dtype);
  if (!take_dims(call, index, &in, out)) return false;
  if (in.rank > 0) return true;
  if (out->dims[0] != -1)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  out->rank = -1;
  return true;
}

void dvl_shape_attr(TF_OpKernelConstruction *ctx, const char *name, dvl_shape *out) {
  TF_Status *status = TF_NewStatus();
  out->rank = -1;
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, name, out->dims, DVP_MAX_RANK, &out->rank, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
}

bool dvl_shape_is_full(const dvl_shape *shape) {
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0) return false;
  return shape->rank >= 0;
}

bool dvl_shape_fits(const dvl_shape *shape, const int64_t *dims, int rank) {
  if (shape->rank < 0 || rank < 0) return true;
  if (shape->rank != rank) return false;
  for (int i = 0; i < rank; i++)
    if (shape->dims[i] >= 0 && dims[i] >= 0 && shape->dims[i] != dims[i]) return false;
  return true;
}

bool dvl_shape_merge(dvl_shape *shape, const int64_t *dims, int rank) {
  if (!dvl_shape_fits(shape, dims, rank)) return false;
  if (rank < 0) return true;
  for (int i = 0; i < rank; i++)
    if (shape->rank < 0 || shape->dims[i] < 0) shape->dims[i] = dims[i];
  shape->rank = rank;
  return true;
}

void dvl_shape_of(const TF_Tensor *tensor, dvl_shape *out) {
  out->rank = TF_NumDims(tensor);
  for (int i = 0; i < out->rank; i++) out->dims[i] = TF_Dim(tensor, i);
}

void dvl_shape_tail(const dvl_shape *shape, dvl_shape *out) {
  out->rank = shape->rank < 0 ? -1 : shape->rank - 1;
  if (out->rank > 0) memcpy(out->dims, shape->dims + 1, (size_t)out->rank * sizeof(*out->dims));
}

const char *dvl_shape_text(const dvl_shape *shape, char out[DVP_SHAPE_TEXT]) {
  if (shape->rank < 0) {
    snprintf(out, DVP_SHAPE_TEXT, "<unknown>");
    return out;
  }
  return dvp_shape_text(shape->dims, shape->rank, out);
}
