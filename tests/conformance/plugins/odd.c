// Plugins of several kinds, one per macro: what loading makes of them is compared.
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#ifndef EMPTY
__attribute__((unused)) static void op(const char *name, const char *attr) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(b, "x: float");
  TF_OpDefinitionBuilderAddOutput(b, "y: float");
  if (attr) TF_OpDefinitionBuilderAddAttr(b, attr);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(b, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(b, status);
  TF_DeleteStatus(status);
}

__attribute__((unused)) static void twice(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  int64_t dims[8];
  for (int i = 0; i < TF_NumDims(x) && i < 8; i++) dims[i] = TF_Dim(x, i);
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  for (int64_t i = 0; i < TF_TensorElementCount(x); i++)
    ((float *)TF_TensorData(y))[i] = 2 * ((float *)TF_TensorData(x))[i];
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

__attribute__((unused)) static void kernel(const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, twice, NULL), status);
  TF_DeleteStatus(status);
}
#endif

#ifdef INIT_KERNEL
void TF_InitKernel(void) {
  op("InitKernelOp", NULL);
  kernel("InitKernelOp");
}
#elif !defined(EMPTY)
__attribute__((constructor)) static void load(void) {
#ifdef GOOD
  op("GoodOp", NULL);
  kernel("GoodOp");
#elif defined(TWO_OPS)
  op("FirstOfTwo", "alpha: float = 1.5");
  op("SecondOfTwo", "n: int >= 2 = 3");
  kernel("FirstOfTwo");
#elif defined(TWICE)
  op("TwiceOp", NULL);
  op("TwiceOp", "other: int");
#elif defined(EXISTING)
  op("Identity", NULL);
  op("BesideIdentity", NULL);
#elif defined(HALF_BAD)
  op("GoodHalf", NULL);
  op("bad half", NULL);
#elif defined(MISSING)
  extern void TF_NobodyDefinesThis(void) __attribute__((visibility("default")));
  op("NeverSeen", NULL);
  TF_NobodyDefinesThis();
#endif
}
#endif
