// @Op@: y = factor * x, for tensors of any shape.
#include "dovetail/sdk.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#include <stdlib.h>

// What a kernel keeps: made once for each node, used by several threads at once.
typedef struct {
  float factor;
} scale;

static void *create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  scale *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  if (kernel != NULL) TF_OpKernelConstruction_GetAttrFloat(ctx, "factor", &kernel->factor, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return kernel;
}

static void delete(void *kernel) { free(kernel); }

static void compute(void *state, TF_OpKernelContext *ctx) {
  const scale *kernel = state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];  // the highest rank there is
  TF_GetInput(ctx, 0, &x, status);
  for (int i = 0; x != NULL && i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
  if (x != NULL) y = TF_AllocateOutput(ctx, 0, TF_TensorType(x), dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  int64_t count = y != NULL ? TF_TensorElementCount(y) : 0;
  if (count > 0 && TF_TensorType(x) == TF_DOUBLE)
    for (int64_t i = 0; i < count; ++i) ((double *)TF_TensorData(y))[i] = kernel->factor * ((double *)TF_TensorData(x))[i];
  else
    for (int64_t i = 0; i < count; ++i) ((float *)TF_TensorData(y))[i] = kernel->factor * ((float *)TF_TensorData(x))[i];
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(y);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void register_kernel(TF_DataType dtype, TF_Status *status) {
  TF_KernelBuilder *builder = TF_NewKernelBuilder("@Op@", "CPU", create, compute, delete);
  TF_KernelBuilder_TypeConstraint(builder, "T", dtype, status);
  TF_RegisterKernelBuilder("@Op@", builder, status);
}

static void register_all(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("@Op@");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, "y: T");
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, double}");
  TF_OpDefinitionBuilderAddAttr(op, "factor: float = 2.0");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  register_kernel(TF_FLOAT, status);
  register_kernel(TF_DOUBLE, status);
  TF_DeleteStatus(status);
}

DVT_PLUGIN("@name@", "0.1.0", "", "", register_all)
