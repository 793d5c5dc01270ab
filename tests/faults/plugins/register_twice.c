/* It registers two kernels for the same op, device and types. */
#include "../fault.h"

static void other(void *kernel, TF_OpKernelContext *ctx) { fault_pass(kernel, ctx); }

__attribute__((constructor)) static void load(void) {
  fault_ops(TF_ShapeInferenceContextSetUnknownShape);
  fault_kernel("Fault", TF_NewKernelBuilder("Fault", "CPU", NULL, fault_pass, NULL));
  fault_kernel("Fault", TF_NewKernelBuilder("Fault", "CPU", NULL, other, NULL));
}
