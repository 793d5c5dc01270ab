/* Its kernel takes the address of nothing for a tensor, as one does that never set a variable. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *wild = (TF_Tensor *)0x1230;
  TF_SetOutput(ctx, 0, wild, status);
  if (TF_TensorData(wild)) TF_NumDims(wild);
  TF_DeleteTensor(wild);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
