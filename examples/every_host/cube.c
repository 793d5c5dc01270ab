// Cube of examples/first_plugin as an author writes it for every host: y = x * x * x on all threads.
#include "dovetail/plugin.h"
#include "dovetail/sdk.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

typedef struct tensors {
  const float *x;
  float *y;
} tensors;

static void cube_range(void *arg, int64_t begin, int64_t end) {
  const tensors *t = arg;
  for (int64_t i = begin; i < end; ++i) t->y[i] = t->x[i] * t->x[i] * t->x[i];
}

static void cube(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];
  TF_GetInput(ctx, 0, &x, status);
  for (int i = 0; x && i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
  if (x) y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  if (y)
    dvt_parallel_for(ctx, TF_TensorElementCount(y), 1, cube_range,
                     &(tensors){TF_TensorData(x), TF_TensorData(y)});
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void register_all(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Cube");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("Cube", TF_NewKernelBuilder("Cube", "CPU", NULL, cube, NULL), status);
  TF_DeleteStatus(status);
}

DVT_PLUGIN("cube", "1.0.0", "Apache-2.0", DVT_FEATURE_PARALLEL, register_all)
