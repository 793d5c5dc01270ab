// A plugin for every host, linked with libdovetail_sdk.a and nothing else. Its ops cover what plugins use
// most:
//   SdkSource  () -> y: float, 0, 0.5, 1, ... in the shape [rows, cols] of its attributes
//   SdkScale   x: T -> y: T, x * factor, with the shape of x, which is at least a vector
//   SdkPeek    x: T -> y: int64, two elements; its kernel asks for what only some hosts have
#include <stdio.h>
#include <string.h>

#include "dovetail/host.h"
#include "dovetail/kernel_context.h"
#include "dovetail/sdk.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/logging.h"
#include "tensorflow/c/ops.h"

typedef struct attrs {
  int64_t rows, cols;
  float factor;
} attrs;

static void *make(TF_OpKernelConstruction *ctx, const char *const *names, int count) {
  attrs *kernel = calloc(1, sizeof *kernel);
  TF_Status *status = TF_NewStatus();
  for (int i = 0; kernel && i < count && TF_GetCode(status) == TF_OK; i++) {
    if (strcmp(names[i], "rows") == 0)
      TF_OpKernelConstruction_GetAttrInt64(ctx, names[i], &kernel->rows, status);
    if (strcmp(names[i], "cols") == 0)
      TF_OpKernelConstruction_GetAttrInt64(ctx, names[i], &kernel->cols, status);
    if (strcmp(names[i], "factor") == 0)
      TF_OpKernelConstruction_GetAttrFloat(ctx, names[i], &kernel->factor, status);
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return kernel;
}

static void *make_source(TF_OpKernelConstruction *ctx) {
  return make(ctx, (const char *[]){"rows", "cols"}, 2);
}
static void *make_scale(TF_OpKernelConstruction *ctx) { return make(ctx, (const char *[]){"factor"}, 1); }

static void fail_if_bad(TF_OpKernelContext *ctx, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
}

static void source(void *kernel, TF_OpKernelContext *ctx) {
  const attrs *a = kernel;
  TF_Status *status = TF_NewStatus();
  int64_t count = a->rows * a->cols;
  TF_Tensor *y =
      TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){a->rows, a->cols}, 2, (size_t)count * 4, status);
  for (int64_t i = 0; y && i < count; i++) ((float *)TF_TensorData(y))[i] = (float)i * 0.5f;
  fail_if_bad(ctx, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void scale(void *kernel, TF_OpKernelContext *ctx) {
  const attrs *a = kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];
  TF_GetInput(ctx, 0, &x, status);
  if (x) {
    for (int i = 0; i < TF_NumDims(x); i++) dims[i] = TF_Dim(x, i);
    int candidate = 0, forwarded = -1;
    y = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, TF_NumDims(x), &forwarded, status);
  }
  for (int64_t i = 0; y && i < TF_TensorElementCount(y); i++) {
    if (TF_TensorType(x) == TF_FLOAT)
      ((float *)TF_TensorData(y))[i] = ((float *)TF_TensorData(x))[i] * a->factor;
    else
      ((double *)TF_TensorData(y))[i] = ((double *)TF_TensorData(x))[i] * (double)a->factor;
  }
  fail_if_bad(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void peek(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Log(TF_INFO, "%s of %d elements", "a log line", 2);
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_INT64, (int64_t[]){2}, 1, 16, status);
  if (y) {
    ((int64_t *)TF_TensorData(y))[0] = TF_OpKernelContext_StartTime(ctx) > 0;
    ((int64_t *)TF_TensorData(y))[1] = TF_OpKernelContext_HasInput(ctx, 0, status);
  }
  fail_if_bad(ctx, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void source_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *unknown = TF_NewShapeHandle();
  TF_ShapeInferenceContextWithRank(ctx, unknown, 2, unknown, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, unknown, status);
  TF_DeleteShapeHandle(unknown);
}

static void scale_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 1, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void peek_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *two = TF_ShapeInferenceContextVectorFromSize(ctx, 2);
  TF_ShapeInferenceContextSetOutput(ctx, 0, two, status);
  TF_DeleteShapeHandle(two);
}

static void delete_attrs(void *kernel) { free(kernel); }

static void check(const char *name, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s: %s\n", name, TF_Message(status));
}

static void register_kernel(const char *op, TF_DataType type, void *(*create)(TF_OpKernelConstruction *),
                            void (*compute)(void *, TF_OpKernelContext *), TF_Status *status) {
  TF_KernelBuilder *builder = TF_NewKernelBuilder(op, "CPU", create, compute, create ? delete_attrs : NULL);
  if (type) TF_KernelBuilder_TypeConstraint(builder, "T", type, status);
  TF_RegisterKernelBuilder(op, builder, status);
  check(op, status);
}

__attribute__((constructor)) static void register_all(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("SdkSource");
  TF_OpDefinitionBuilderAddAttr(op, "rows: int >= 0");
  TF_OpDefinitionBuilderAddAttr(op, "cols: int >= 0 = 1");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, source_shape);
  TF_RegisterOpDefinition(op, status);
  check("SdkSource", status);
  register_kernel("SdkSource", 0, make_source, source, status);

  op = TF_NewOpDefinitionBuilder("SdkScale");
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, double} = DT_FLOAT");
  TF_OpDefinitionBuilderAddAttr(op, "factor: float = 2");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, "y: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, scale_shape);
  TF_RegisterOpDefinition(op, status);
  check("SdkScale", status);
  register_kernel("SdkScale", TF_FLOAT, make_scale, scale, status);
  register_kernel("SdkScale", TF_DOUBLE, make_scale, scale, status);

  op = TF_NewOpDefinitionBuilder("SdkPeek");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: int64");
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, peek_shape);
  TF_RegisterOpDefinition(op, status);
  check("SdkPeek", status);
  register_kernel("SdkPeek", 0, NULL, peek, status);
  TF_DeleteStatus(status);
  if (strcmp(dvt_host_name(), "Dovetail") == 0 && !dvt_host_is_loading())
    fprintf(stderr, "Dovetail denies that it loads\n");
  fprintf(stderr, "bound to %s %s in %lld ns\n", dvt_host_name(), dvt_host_version(),
          (long long)dvt_host_bind_ns());
}
