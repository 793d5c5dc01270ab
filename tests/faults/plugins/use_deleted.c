/* Its kernel reads of a tensor that it has deleted. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  fault_pass(kernel, ctx);
  TF_GetInput(ctx, 0, &x, status);
  TF_DeleteTensor(x);
  (void)TF_TensorData(x);
  (void)TF_NumDims(x);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
