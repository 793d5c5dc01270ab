// random.so: random numbers, the same as stock's for the same seeds.
#include "dovetail/shape.h"

// A key [1] and a counter [2] of Philox from input 0, a seed [2].
static void shape_fn_key_counter(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *seed = TF_NewShapeHandle(), *result = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, seed, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextWithRank(ctx, seed, 1, result, status);
  for (int64_t i = 0; i < 2 && TF_GetCode(status) == TF_OK; i++) {
    int64_t length = i + 1;
    TF_ShapeInferenceContext_MakeShapeFromDims(ctx, &length, 1, result, status);
    if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, (int)i, result, status);
  }
  TF_DeleteShapeHandle(seed);
  TF_DeleteShapeHandle(result);
}

#define DVP_OPS_FILE "random/random_ops.def"
#include "common/table.inc"
