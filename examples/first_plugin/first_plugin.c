// A plugin with one op: Cube, y = x * x * x for float tensors of any shape.
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void cube(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];  // the highest rank there is
  TF_GetInput(ctx, 0, &x, status);
  for (int i = 0; x && i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
  if (x) y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  for (int64_t i = 0; y && i < TF_TensorElementCount(y); ++i) {
    float v = ((float *)TF_TensorData(x))[i];
    ((float *)TF_TensorData(y))[i] = v * v * v;
  }
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

void TF_InitKernel(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Cube");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("Cube", TF_NewKernelBuilder("Cube", "CPU", NULL, cube, NULL), status);
  TF_DeleteStatus(status);
}
