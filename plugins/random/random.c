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

// Inputs 0 to `scalars` - 1 are scalars.
static void scalar_inputs(TF_ShapeInferenceContext *ctx, int scalars, TF_ShapeHandle *shape,
                          TF_Status *status) {
  for (int i = 0; i < scalars && TF_GetCode(status) == TF_OK; i++) {
    TF_ShapeInferenceContextGetInput(ctx, i, shape, status);
    if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextWithRank(ctx, shape, 0, shape, status);
  }
}

// A generator and an algorithm, then the shape of the output.
static void shape_fn_generator(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  scalar_inputs(ctx, 2, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContext_MakeShapeFromShapeTensor(ctx, 2, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// A generator, an algorithm and how far to skip; the generator's words, if there is an output.
static void shape_fn_skip(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  const int64_t words = 3;
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  scalar_inputs(ctx, 3, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContext_MakeShapeFromDims(ctx, &words, 1, shape, status);
  if (TF_GetCode(status) == TF_OK && TF_ShapeInferenceContext_NumOutputs(ctx) > 0)
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

#define DVP_OPS_FILE "random/random_ops.def"
#include "common/table.inc"
