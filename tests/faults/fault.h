/* What the hostile plugins share. Each is one op "Fault" (x: float -> y: float) whose kernel or shape
 * function does one thing that it must not, and beside it "FaultSource" (-> y: float), which makes 1 2 3 4.
 * Both are stateful, so that they run in every step. Only public headers are used: the same files run on
 * stock TensorFlow. */
#ifndef FAULT_H_
#define FAULT_H_

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

typedef void *fault_create(TF_OpKernelConstruction *ctx);
typedef void fault_compute(void *kernel, TF_OpKernelContext *ctx);
typedef void fault_delete(void *kernel);
typedef void fault_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);
typedef void fault_async(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done);

static void fault_source(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  int64_t four = 4;
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, &four, 1, 16, status);
  (void)kernel;
  for (int i = 0; i < 4; i++) ((float *)TF_TensorData(y))[i] = (float)(i + 1);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void fault_op(const char *name, int has_input, fault_shape *shape) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  if (has_input) TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetIsStateful(op, 1);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
  TF_RegisterOpDefinition(op, status);
  TF_DeleteStatus(status);
}

static void fault_kernel(const char *op, TF_KernelBuilder *builder) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder(op, builder, status);
  TF_DeleteStatus(status);
}

static void fault_ops(fault_shape *shape) {
  fault_op("FaultSource", 0, TF_ShapeInferenceContextSetUnknownShape);
  fault_op("Fault", 1, shape);
  fault_kernel("FaultSource", TF_NewKernelBuilder("FaultSource", "CPU", NULL, fault_source, NULL));
}

/* Registers when the library is loaded, which both runtimes let it do. */
#define FAULT_PLUGIN(create, compute, destroy)                                            \
  __attribute__((constructor)) static void fault_load(void) {                             \
    fault_ops(TF_ShapeInferenceContextSetUnknownShape);                                   \
    fault_kernel("Fault", TF_NewKernelBuilder("Fault", "CPU", create, compute, destroy)); \
  }

/* y = x, as it should be. */
static inline void fault_pass(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  (void)kernel;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, x, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

/* A new output of four floats, zero. */
static inline TF_Tensor *fault_output(TF_OpKernelContext *ctx, TF_Status *status) {
  int64_t four = 4;
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, &four, 1, 16, status);
  if (y) memset(TF_TensorData(y), 0, 16);
  return y;
}

#endif
