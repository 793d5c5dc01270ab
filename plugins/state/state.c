// state.so: variables, restoring and saving checkpoints.
#include "common/shape_pattern.h"
#include "dovetail/shape.h"

// VariableV2: the attribute; Variable: the same, but that a scalar shape says nothing.
static void dvp_shape_fn_variable_v2(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContext_GetAttrShape(ctx, "shape", shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}
static void dvp_shape_fn_variable(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContext_GetAttrShape(ctx, "shape", shape, status);
  bool says = TF_GetCode(status) == TF_OK && TF_ShapeInferenceContextRankKnown(ctx, shape) &&
              TF_ShapeInferenceContextRank(ctx, shape) > 0;
  if (says) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// Assign: the value's shape, which with `validate_shape` is the variable's, too.
static void dvp_shape_fn_assign(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  bool validate = false;
  TF_ShapeInferenceContext_GetAttrBool(ctx, "validate_shape", &validate, status);
  if (TF_GetCode(status) == TF_OK) dvp_shape_match(ctx, validate ? "X; X -> X" : "_; X -> X", status);
}

DVP_SHAPE_PATTERN(dvp_shape_fn_scatter_ref, "X; _; _ -> X")

#define DVP_OPS_FILE "state/state_ops.def"
#include "common/table.inc"
