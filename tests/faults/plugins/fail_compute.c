/* Its kernel fails at compute, twice, after it has set its output. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  fault_pass(kernel, ctx);
  TF_SetStatus(status, TF_DATA_LOSS, "this kernel always fails");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_ABORTED, "and fails again");
  TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
