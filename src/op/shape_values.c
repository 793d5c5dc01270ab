// Shape functions that look at values: constant inputs as tensors, as shapes, as single dims.
#include "op/shape_algebra.h"
#include "tensor/dtype.h"

const TF_Tensor *dvt_shape_input_value(TF_ShapeInferenceContext *ctx, int index) {
  if (!ctx->input_tensor || index < 0 || index >= ctx->node->input_count) return NULL;
  const TF_Tensor *tensor = ctx->input_tensor(ctx->arg, index);
  return tensor && !dvt_tensor_is_empty(tensor) ? tensor : NULL;
}

dvt_status dvt_tensor_int_at(const TF_Tensor *tensor, int64_t i, int64_t *out_value) {
  if (tensor->dtype == TF_INT16)  // StridedSlice's indices may be
    *out_value = ((const int16_t *)tensor->data)[i];
  else if (tensor->dtype == TF_INT32)
    *out_value = ((const int32_t *)tensor->data)[i];
  else if (tensor->dtype == TF_INT64)
    *out_value = ((const int64_t *)tensor->data)[i];
  else
    return dvt_error(TF_INVALID_ARGUMENT, "Input tensor must be int32 or int64, but was %s",
                     dvt_dtype_name(tensor->dtype));
  return NULL;
}

dvt_status dvt_shape_of_tensor(dvt_shape_arena *arena, const TF_Tensor *tensor, bool scalar_is_unknown,
                               dvt_shape *out_shape) {
  int64_t value;
  if (tensor->rank == 0 && scalar_is_unknown) {
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(tensor, 0, &value));
    if (value != -1)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Input tensor must be rank 1, or if its rank 0 it must have value -1 "
                       "(representing an unknown shape). Saw value: %lld",
                       (long long)value);
    *out_shape = NULL;
    return NULL;
  }
  if (tensor->rank != 1)
    return dvt_error(TF_INVALID_ARGUMENT, "Input tensor must be rank 1, but was rank %d", tensor->rank);
  int64_t rank = dvt_tensor_count(tensor);
  if (rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %lld was given; the highest rank is %d",
                     (long long)rank, DVT_MAX_RANK);
  dvt_dim dims[DVT_MAX_RANK];
  for (int64_t i = 0; i < rank; i++) {
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(tensor, i, &dims[i]));
    if (dims[i] < -1)
      return dvt_error(TF_INVALID_ARGUMENT, "Invalid value in tensor used for shape: %lld",
                       (long long)dims[i]);
  }
  return dvt_shape_make(arena, dims, (int)rank, true, out_shape);
}

dvt_status dvt_shape_of_tensor_or_length(dvt_shape_arena *arena, const TF_Tensor *tensor, dvt_shape given,
                                         dvt_shape *out_shape) {
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(arena, given, 1, &given));
  if (tensor) return dvt_shape_of_tensor(arena, tensor, false, out_shape);
  if (dvt_dim_known(given->dims[0])) return dvt_shape_unknown_of_rank(arena, given->dims[0], out_shape);
  *out_shape = NULL;
  return NULL;
}

dvt_status dvt_shape_of_input(TF_ShapeInferenceContext *ctx, int index, dvt_shape *out_shape) {
  if (index < 0 || index >= ctx->node->input_count)
    return dvt_error(TF_INVALID_ARGUMENT, "input index %d out of range: the node has %d inputs", index,
                     ctx->node->input_count);
  dvt_shape given = ctx->inputs[index], partial;
  const TF_Tensor *value = dvt_shape_input_value(ctx, index);
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(ctx->arena, given, 1, &given));
  if (!value && ctx->input_as_shape && ctx->input_as_shape(ctx->arg, index, &partial)) {
    *out_shape = partial;
    return NULL;
  }
  return dvt_shape_of_tensor_or_length(ctx->arena, value, given, out_shape);
}

dvt_status dvt_shape_of_input_or_scalar(TF_ShapeInferenceContext *ctx, int index, dvt_shape *out_shape) {
  if (index < 0 || index >= ctx->node->input_count || !ctx->inputs[index] || ctx->inputs[index]->rank == 1)
    return dvt_shape_of_input(ctx, index, out_shape);
  const TF_Tensor *value = dvt_shape_input_value(ctx, index);
  dvt_shape given = ctx->inputs[index];
  if (value) return dvt_shape_of_tensor(ctx->arena, value, true, out_shape);
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_most(given, 1, &given));
  *out_shape = NULL;
  return NULL;
}

dvt_status dvt_tensor_scalar_int(const TF_Tensor *tensor, int64_t *out_value) {
  if (tensor->rank != 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Input must be scalar but has rank %d", tensor->rank);
  return dvt_tensor_int_at(tensor, 0, out_value);
}

dvt_status dvt_dim_of_axis_input(TF_ShapeInferenceContext *ctx, int index, bool from_end, int rank,
                                 dvt_dim *out_dim) {
  const TF_Tensor *tensor = dvt_shape_input_value(ctx, index);
  int64_t value;
  if (!tensor) {
    *out_dim = dvt_dim_new_unknown(ctx->arena);
    return NULL;
  }
  DVT_RETURN_IF_ERROR(dvt_tensor_scalar_int(tensor, &value));
  if (value < 0 && from_end && rank < 0) {
    *out_dim = dvt_dim_new_unknown(ctx->arena);
    return NULL;
  }
  if (value < 0 && from_end && value < -(int64_t)rank)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Dimension size, given by scalar input %d, must be in range [-%d, %d) but is %lld",
                     index, rank, rank, (long long)value);
  if (value < 0 && from_end) value += rank;
  if (value < 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Dimension size, given by scalar input %d, must be non-negative but is %lld", index,
                     (long long)value);
  *out_dim = value;
  return NULL;
}
