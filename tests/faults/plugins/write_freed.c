/* Its kernel writes through the data of a tensor that it has deleted. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  int64_t n = 64;
  TF_Tensor *own = TF_AllocateTensor(TF_FLOAT, &n, 1, 256);
  volatile float *values = TF_TensorData(own);
  fault_pass(kernel, ctx);
  TF_DeleteTensor(own);
  values[60] = 1.0f;
}

FAULT_PLUGIN(NULL, compute, NULL)
