/* Its kernel writes behind the end of its output. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *y = fault_output(ctx, status);
  volatile float *values = TF_TensorData(y);
  (void)kernel;
  values[4] = 1.0f;
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
