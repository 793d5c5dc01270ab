/* Its kernel leaves its output unset. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  (void)ctx;
}

FAULT_PLUGIN(NULL, compute, NULL)
