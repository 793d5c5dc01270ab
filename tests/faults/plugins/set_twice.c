/* Its kernel sets an output twice. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  fault_pass(kernel, ctx);
  fault_pass(kernel, ctx);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
