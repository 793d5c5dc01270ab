/* Its kernel writes into its input. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  (void)kernel;
  TF_GetInput(ctx, 0, &x, status);
  TF_Tensor *y = fault_output(ctx, status);
  ((float *)TF_TensorData(x))[2] = 77.0f;
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
