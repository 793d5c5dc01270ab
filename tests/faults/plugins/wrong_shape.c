/* Its kernel asks for an output of a negative size. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  int64_t dims[2] = {4, -1};
  (void)kernel;
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, 16, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
