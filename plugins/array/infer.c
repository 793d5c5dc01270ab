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
