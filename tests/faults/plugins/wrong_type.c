/* Its kernel sets an output to a tensor of another dtype than the op declares. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  int64_t four = 4;
  TF_Tensor *y = TF_AllocateTensor(TF_INT32, &four, 1, 16);
  (void)kernel;
  memset(TF_TensorData(y), 0, 16);
  TF_SetOutput(ctx, 0, y, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
