// control.so: ops for order and checks, and the definitions of function calls.
#include "dovetail/shape.h"

// _SwitchN: every output as input 0; the index is a scalar.
static void dvp_shape_fn_switch_n(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *index = TF_NewShapeHandle(), *data = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 1, index, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextWithRank(ctx, index, 0, index, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextGetInput(ctx, 0, data, status);
  for (int i = 0; i < TF_ShapeInferenceContext_NumOutputs(ctx) && TF_GetCode(status) == TF_OK; i++)
    TF_ShapeInferenceContextSetOutput(ctx, i, data, status);
  TF_DeleteShapeHandle(index);
  TF_DeleteShapeHandle(data);
}

#define DVP_OPS_FILE "control/control_ops.def"
#include "common/table.inc"
