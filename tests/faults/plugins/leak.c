/* Its kernel deletes none of the handles that it makes. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  (void)kernel;
  TF_GetInput(ctx, 0, &x, status);
  TF_SetOutput(ctx, 0, x, status);
}

FAULT_PLUGIN(NULL, compute, NULL)
