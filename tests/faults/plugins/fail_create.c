/* Its kernel fails at construction, and returns a state all the same. */
#include "../fault.h"

static void *create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_INVALID_ARGUMENT, "this kernel cannot be made");
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return malloc(1);
}

FAULT_PLUGIN(create, fault_pass, free)
