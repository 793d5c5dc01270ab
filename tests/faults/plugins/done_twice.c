/* Its asynchronous kernel calls done twice. */
#include "../fault.h"
#include "tensorflow/c/kernels_experimental.h"

static void compute(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  fault_pass(kernel, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
  TF_RunAsyncOpKernelDoneCallback(done);
}

__attribute__((constructor)) static void load(void) {
  fault_ops(TF_ShapeInferenceContextSetUnknownShape);
  fault_kernel("Fault", TF_NewAsyncKernelBuilder("Fault", "CPU", NULL, compute, NULL));
}
