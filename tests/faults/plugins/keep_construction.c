/* Its kernel keeps its construction and asks it in every call. */
#include "../fault.h"

static TF_OpKernelConstruction *kept;

static void *create(TF_OpKernelConstruction *ctx) {
  kept = ctx;
  return NULL;
}

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_DataType type;
  TF_OpKernelConstruction_GetAttrType(kept, "T", &type, status);
  TF_DeleteStatus(status);
  fault_pass(kernel, ctx);
}

FAULT_PLUGIN(create, compute, NULL)
