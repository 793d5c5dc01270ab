// Says on stderr each time that it registers its op. The macros NAME, VERSION, OP and NEEDS make plugins that
// differ in what they declare; without OP it registers nothing.
#include <stdio.h>
#include <stdlib.h>

#include "dovetail/sdk.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#ifndef VERSION
#define VERSION "0.1"
#endif
#if defined(NEEDS_TWO)
#define NEEDS DVT_FEATURE_LOGGING "  " DVT_FEATURE_SHAPE_ATTRS
#elif !defined(NEEDS)
#define NEEDS ""
#endif

#ifdef OP
static void compute(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_INT32, NULL, 0, 4, status);
  if (y) *(int *)TF_TensorData(y) = 7;
  if (!y) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}
#endif

static void register_all(void) {
#ifdef OP
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(OP);
  TF_OpDefinitionBuilderAddOutput(op, "y: int32");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder(OP, TF_NewKernelBuilder(OP, "CPU", NULL, compute, NULL), status);
  fprintf(stderr, "registered %s: %d\n", OP, (int)TF_GetCode(status));
  TF_DeleteStatus(status);
#endif
}

DVT_PLUGIN(NAME, VERSION, "Apache-2.0", NEEDS, register_all)
