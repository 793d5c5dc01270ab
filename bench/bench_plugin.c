// The plugin that the ABI benchmark runs: a pass-through, an in-place add, and a two-input op. Written against the stock
// headers only, so the same binary is loaded by Dovetail and by stock TensorFlow.
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void report(TF_OpKernelContext *ctx, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

static void pass_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
  report(ctx, status);
}

// The input handle is dropped before forwarding: a second reference would forbid it.
static void increment_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    int64_t dims[8];
    int rank = TF_NumDims(x), from = -1, candidate = 0;
    for (int i = 0; i < rank && i < 8; i++) dims[i] = TF_Dim(x, i);
    int64_t count = TF_TensorElementCount(x);
    TF_DeleteTensor(x);
    x = NULL;
    y = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, rank, &from, status);
    if (TF_GetCode(status) == TF_OK && from < 0) TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK) {
      float *out = TF_TensorData(y);
      const float *in = x ? TF_TensorData(x) : out;
      for (int64_t i = 0; i < count; i++) out[i] = in[i] + 1;
    }
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  report(ctx, status);
}

static void register_op(const char *name, void (*compute)(void *, TF_OpKernelContext *), TF_Status *status) {
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, compute, NULL), status);
}

// Stock's TF_LoadLibrary calls no entry point, so a constructor registers.
__attribute__((constructor)) static void register_all(void) {
  TF_Status *status = TF_NewStatus();
  register_op("BenchPass", pass_compute, status);
  register_op("BenchIncrement", increment_compute, status);
  TF_DeleteStatus(status);
}
