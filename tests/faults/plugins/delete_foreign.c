/* Its kernel deletes as a tensor what is none. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  static char nothing[256];
  fault_pass(kernel, ctx);
  TF_DeleteTensor((TF_Tensor *)nothing);
}

FAULT_PLUGIN(NULL, compute, NULL)
