// math.so: element-wise arithmetic, comparison and functions, casts, sequences and reductions. Loads without
// oneDNN.
#include "common/shape_pattern.h"
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

// _DovetailElementwise: all inputs broadcast.
static void dvp_shape_fn_broadcast_all(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle(), *input = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  for (int64_t i = 1; i < TF_ShapeInferenceContextNumInputs(ctx) && TF_GetCode(status) == TF_OK; i++) {
    TF_ShapeInferenceContextGetInput(ctx, (int)i, input, status);
    if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContext_Broadcast(ctx, shape, input, shape, status);
  }
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
  TF_DeleteShapeHandle(input);
}

DVP_SHAPE_PATTERN(dvp_shape_fn_bincount, "X; .; _ -> #1")
DVP_SHAPE_PATTERN(dvp_shape_fn_search, "r n; r m -> r m")
DVP_SHAPE_PATTERN(dvp_shape_fn_same, "X; X -> X")

// DenseBincount: a row of bins for each row of the input.
static void dvp_shape_fn_dense_bincount(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, in, status);
  if (TF_GetCode(status) == TF_OK && TF_ShapeInferenceContextRankKnown(ctx, in))
    dvp_shape_match(ctx, TF_ShapeInferenceContextRank(ctx, in) == 1 ? "n; _; _ -> #1" : "b n; _; _ -> b #1",
                    status);
  TF_DeleteShapeHandle(in);
}

#define DVP_OPS_FILE "math/math_ops.def"
#include "common/table.inc"
