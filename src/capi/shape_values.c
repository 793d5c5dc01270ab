// dovetail/shape.h: values of inputs and of tensors, and shapes as messages.
#include "capi/buffer.h"
#include "capi/shape_handles.h"
#include "dovetail/shape.h"
#include "tensor/tensor_proto.h"

static dvt_status check_input(const TF_ShapeInferenceContext *ctx, int i) {
  if (i >= 0 && i < ctx->node->input_count) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "input index out of range: %d, the node has %d inputs", i,
                   ctx->node->input_count);
}

TF_Tensor *TF_ShapeInferenceContext_InputTensor(TF_ShapeInferenceContext *ctx, int i, TF_Status *status) {
  dvt_status error = check_input(ctx, i);
  const TF_Tensor *value = error ? NULL : dvt_shape_input_value(ctx, i);
  TF_Tensor *copy = value ? dvt_tensor_handle_copy(value) : NULL;
  if (value && !copy) error = dvt_error_out_of_memory(sizeof *copy);
  dvt_status_to_tf(error, status);
  return copy;
}

void TF_ShapeInferenceContext_InputAsPartialShape(TF_ShapeInferenceContext *ctx, int i,
                                                  TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = result ? dvt_shape_of_input(ctx, i, &shape)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_InputAsPartialShape");
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContext_MakeShapeFromShapeTensor(TF_ShapeInferenceContext *ctx, int i,
                                                       TF_ShapeHandle *result, TF_Status *status) {
  TF_ShapeInferenceContext_InputAsPartialShape(ctx, i, result, status);
}

void TF_ShapeInferenceContext_MakeShapeFromShapeTensorTreatScalarAsUnknownShape(TF_ShapeInferenceContext *ctx,
                                                                                int i, TF_ShapeHandle *result,
                                                                                TF_Status *status) {
  static const char name[] = "TF_ShapeInferenceContext_MakeShapeFromShapeTensorTreatScalarAsUnknownShape";
  dvt_shape shape = NULL;
  dvt_status error = result ? dvt_shape_of_input_or_scalar(ctx, i, &shape) : dvt_handle_is_null(name);
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContext_MakeShapeFromTensor(TF_ShapeInferenceContext *ctx, const TF_Tensor *tensor,
                                                  TF_ShapeHandle *tensor_shape, TF_ShapeHandle *result,
                                                  TF_Status *status) {
  dvt_shape shape = NULL, given = tensor ? NULL : dvt_handle_shape(ctx, tensor_shape);
  dvt_status error = result ? dvt_shape_of_tensor_or_length(ctx->arena, tensor, given, &shape)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_MakeShapeFromTensor");
  dvt_shape_store(ctx, error, shape, result, status);
}

static void dim_of_input(TF_ShapeInferenceContext *ctx, int i, bool from_end, int rank, const char *function,
                         TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error = check_input(ctx, i);
  if (!error && !result) error = dvt_handle_is_null(function);
  if (!error) error = dvt_dim_of_axis_input(ctx, i, from_end, rank, &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_MakeDimForScalarInput(TF_ShapeInferenceContext *ctx, int i,
                                                    TF_DimensionHandle *result, TF_Status *status) {
  dim_of_input(ctx, i, false, -1, "TF_ShapeInferenceContext_MakeDimForScalarInput", result, status);
}

void TF_ShapeInferenceContext_MakeDimForScalarInputWithNegativeIndexing(TF_ShapeInferenceContext *ctx, int i,
                                                                        int input_rank,
                                                                        TF_DimensionHandle *result,
                                                                        TF_Status *status) {
  dim_of_input(ctx, i, true, input_rank, "TF_ShapeInferenceContext_MakeDimForScalarInputWithNegativeIndexing",
               result, status);
}

static dvt_status tensor_is_null(const char *function) {
  return dvt_error(TF_INVALID_ARGUMENT, "%s: the tensor is NULL; its value is not known yet", function);
}

void TF_ShapeInferenceContext_GetScalarFromTensor(TF_ShapeInferenceContext *ctx, const TF_Tensor *tensor,
                                                  int64_t *val, TF_Status *status) {
  (void)ctx;
  dvt_status_to_tf(tensor ? dvt_tensor_scalar_int(tensor, val)
                          : tensor_is_null("TF_ShapeInferenceContext_GetScalarFromTensor"),
                   status);
}

static dvt_status element_at(const TF_Tensor *tensor, int64_t index, int64_t *out_value) {
  if (tensor->rank != 1)
    return dvt_error(TF_INVALID_ARGUMENT, "Input must be vector but has rank %d", tensor->rank);
  int64_t count = dvt_tensor_count(tensor);
  if (index < -count || index >= count)
    return dvt_error(TF_INVALID_ARGUMENT, "Input index %lld is out of range for a vector of %lld elements",
                     (long long)index, (long long)count);
  return dvt_tensor_int_at(tensor, index < 0 ? index + count : index, out_value);
}

void TF_ShapeInferenceContext_GetElementFromTensor(TF_ShapeInferenceContext *ctx, const TF_Tensor *tensor,
                                                   int64_t index, int64_t *val, TF_Status *status) {
  (void)ctx;
  dvt_status_to_tf(tensor ? element_at(tensor, index, val)
                          : tensor_is_null("TF_ShapeInferenceContext_GetElementFromTensor"),
                   status);
}

// ---- shapes as messages ----

void TF_ShapeInferenceContext_MakeShapeFromShapeProto(TF_ShapeInferenceContext *ctx, const void *proto,
                                                      size_t proto_bytes, TF_ShapeHandle *result,
                                                      TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error =
      result ? dvt_shape_of_proto(ctx->arena, dvt_str_make((const char *)proto, proto_bytes), &shape)
             : dvt_handle_is_null("TF_ShapeInferenceContext_MakeShapeFromShapeProto");
  dvt_shape_store(ctx, error, shape, result, status);
}

TF_Buffer *TF_ShapeInferenceContext_ShapeHandleToProto(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                                       TF_Status *status) {
  dvt_buf bytes = {0};
  int64_t dims[DVT_MAX_RANK];
  dvt_status error = NULL;
  dvt_shape shape = dvt_handle_shape(ctx, handle);
  for (int i = 0; shape && i < shape->rank; i++)
    dims[i] = dvt_dim_known(shape->dims[i]) ? shape->dims[i] : -1;
  dvt_shape_to_proto(dims, dvt_shape_rank(shape), &bytes);
  TF_Buffer *buffer = dvt_buf_hand_out(&bytes, &error);
  dvt_status_to_tf(error, status);
  return buffer;
}
