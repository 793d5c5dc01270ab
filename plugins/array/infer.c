// The shape functions declared in array/infer.h.
#include "array/infer.h"

#include "tensorflow/c/tf_tensor.h"

static bool fine(TF_Status *status) { return TF_GetCode(status) == TF_OK; }

// Elements of input `i` as far as its value is known, -1 when it is not; *out is the only one.
static int64_t known_int(TF_ShapeInferenceContext *ctx, int i, int64_t *out, TF_Status *status) {
  TF_Tensor *value = TF_ShapeInferenceContext_InputTensor(ctx, i, status);
  int64_t count = fine(status) && value ? TF_TensorElementCount(value) : -1;
  if (count == 1)
    *out = TF_TensorType(value) == TF_INT32 ? *(const int32_t *)TF_TensorData(value)
                                            : *(const int64_t *)TF_TensorData(value);
  TF_DeleteTensor(value);
  return count;
}

static void set_vector(TF_ShapeInferenceContext *ctx, int output, TF_DimensionHandle *length,
                       TF_Status *status) {
  TF_ShapeHandle *shape = TF_ShapeInferenceContext_Vector(ctx, length);
  if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, output, shape, status);
  TF_DeleteShapeHandle(shape);
}

void dvp_shape_fn_unique_v2(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle(), *out = NULL;
  TF_DimensionHandle *length = TF_ShapeInferenceContext_UnknownDim(ctx),
                     *groups = TF_ShapeInferenceContext_UnknownDim(ctx);
  int64_t axis = 0, axes;
  TF_ShapeInferenceContextGetInput(ctx, 0, in, status);
  bool known = fine(status) && TF_ShapeInferenceContextRankKnown(ctx, in);
  int64_t rank = known ? TF_ShapeInferenceContextRank(ctx, in) : 0;
  if (known && (axes = known_int(ctx, 1, &axis, status)) >= 0) {
    if (axis < -rank || axis >= rank || (axes == 0 && rank != 1))
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "axis of Unique is out of range");
    else
      TF_ShapeInferenceContextDim(ctx, in, axis < 0 ? axis + rank : axis, length);
  }
  out = known ? TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, rank)
              : TF_ShapeInferenceContext_UnknownShape(ctx);
  if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  set_vector(ctx, 1, length, status);
  if (TF_ShapeInferenceContext_NumOutputs(ctx) > 2) set_vector(ctx, 2, groups, status);
  TF_DeleteShapeHandle(in);
  TF_DeleteShapeHandle(out);
  TF_DeleteDimensionHandle(length);
  TF_DeleteDimensionHandle(groups);
}

// The shape less the known paddings, element by element; both sides of a dimension are subtracted at once.
static void set_unpadded(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t rank,
                         const TF_Tensor *paddings, TF_Status *status) {
  TF_ShapeHandle *out = TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, rank);
  TF_DimensionHandle *size = TF_NewDimensionHandle(), *both = NULL;
  for (int64_t i = 0; i < rank && fine(status); i++) {
    const void *data = TF_TensorData(paddings);
    bool narrow = TF_TensorType(paddings) == TF_INT32;
    int64_t before = narrow ? ((const int32_t *)data)[2 * i] : ((const int64_t *)data)[2 * i];
    int64_t after = narrow ? ((const int32_t *)data)[2 * i + 1] : ((const int64_t *)data)[2 * i + 1], sum;
    if (before < 0 || after < 0 || __builtin_add_overflow(before, after, &sum)) {
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "Paddings must be non-negative, and their sum not too large");
      break;
    }
    both = TF_ShapeInferenceContext_MakeDim(ctx, sum);
    TF_ShapeInferenceContextDim(ctx, shape, i, size);
    TF_ShapeInferenceContext_Subtract(ctx, size, both, size, status);
    if (fine(status)) TF_ShapeInferenceContext_ReplaceDim(ctx, out, i, size, out, status);
    TF_DeleteDimensionHandle(both);
  }
  if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  TF_DeleteShapeHandle(out);
  TF_DeleteDimensionHandle(size);
}

void dvp_shape_fn_mirror_pad_grad(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle(), *pads = TF_NewShapeHandle(), *unknown = NULL;
  TF_DimensionHandle *count = TF_NewDimensionHandle();
  TF_Tensor *value = NULL;
  TF_ShapeInferenceContextGetInput(ctx, 0, in, status);
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, 1, pads, status);
  if (fine(status)) TF_ShapeInferenceContextWithRank(ctx, pads, 2, pads, status);
  if (fine(status)) TF_ShapeInferenceContextDim(ctx, pads, 0, count);
  bool known = fine(status) && TF_DimensionHandleValueKnown(count);
  int64_t rank = known ? TF_DimensionHandleValue(count) : -1;
  if (known) TF_ShapeInferenceContextWithRank(ctx, in, rank, in, status);
  if (known && fine(status)) value = TF_ShapeInferenceContext_InputTensor(ctx, 1, status);
  if (value && TF_TensorElementCount(value) == 2 * rank) {
    set_unpadded(ctx, in, rank, value, status);
  } else if (fine(status)) {
    unknown = known ? TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, rank)
                    : TF_ShapeInferenceContext_UnknownShape(ctx);
    TF_ShapeInferenceContextSetOutput(ctx, 0, unknown, status);
  }
  TF_DeleteTensor(value);
  TF_DeleteShapeHandle(in);
  TF_DeleteShapeHandle(pads);
  TF_DeleteShapeHandle(unknown);
  TF_DeleteDimensionHandle(count);
}
