/* Its kernel keeps the context of its first call and uses it in the second. */
#include "../fault.h"

static TF_OpKernelContext *kept;

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  if (kept) TF_GetInput(kept, 0, &x, status);
  kept = ctx;
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
  fault_pass(kernel, ctx);
}

FAULT_PLUGIN(NULL, compute, NULL)
