/* Its kernel passes a struct whose struct_size nobody set, and heeds no status. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_AllocatorAttributes attributes;
  int64_t four = 4;
  (void)kernel;
  memset(&attributes, 0, sizeof attributes);
  TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, &four, 1, &attributes, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(temp);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
