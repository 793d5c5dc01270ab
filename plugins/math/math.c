// math.so: element-wise arithmetic, comparison and functions, casts, sequences and reductions. Loads without
// oneDNN.
#include "dovetail/shape.h"

// LinSpace: a vector as long as the scalar input `num` says.
static void dvp_shape_fn_lin_space(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_DimensionHandle *count = TF_NewDimensionHandle();
  TF_ShapeInferenceContext_MakeDimForScalarInput(ctx, 2, count, status);
  TF_ShapeHandle *shape = TF_GetCode(status) == TF_OK ? TF_ShapeInferenceContext_Vector(ctx, count) : NULL;
  if (shape) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
  TF_DeleteDimensionHandle(count);
}

#define DVP_OPS_FILE "math/math_ops.def"
#include "common/table.inc"
