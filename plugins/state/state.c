// state.so: variables, restoring checkpoints, and the string ops that name them.
#include "dovetail/shape.h"

// StringJoin: the shape that the inputs have in common, scalars aside.
static void dvp_shape_fn_string_join(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *out = TF_ShapeInferenceContextScalar(ctx), *in = TF_NewShapeHandle();
  bool known = true;
  for (int i = 0; i < TF_ShapeInferenceContextNumInputs(ctx) && TF_GetCode(status) == TF_OK; i++) {
    TF_ShapeInferenceContextGetInput(ctx, i, in, status);
    if (TF_GetCode(status) != TF_OK) break;
    known = known && TF_ShapeInferenceContextRankKnown(ctx, in);
    if (!known || TF_ShapeInferenceContextRank(ctx, in) == 0) continue;
    if (TF_ShapeInferenceContextRank(ctx, out) == 0)
      TF_ShapeInferenceContextGetInput(ctx, i, out, status);
    else
      TF_ShapeInferenceContext_Merge(ctx, out, in, out, status);
  }
  if (TF_GetCode(status) == TF_OK && known) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  TF_DeleteShapeHandle(in);
  TF_DeleteShapeHandle(out);
}

#define DVP_OPS_FILE "state/state_ops.def"
#include "common/table.inc"
