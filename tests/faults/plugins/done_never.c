/* Its asynchronous kernel never calls done. */
#include "../fault.h"
#include "tensorflow/c/kernels_experimental.h"

static void compute(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)kernel;
  (void)ctx;
  (void)done;
}

__attribute__((constructor)) static void load(void) {
  fault_ops(TF_ShapeInferenceContextSetUnknownShape);
  fault_kernel("Fault", TF_NewAsyncKernelBuilder("Fault", "CPU", NULL, compute, NULL));
}
