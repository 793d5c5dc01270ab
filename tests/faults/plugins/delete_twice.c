/* Its kernel deletes a tensor twice, and a status as well. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  fault_pass(kernel, ctx);
  TF_GetInput(ctx, 0, &x, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
