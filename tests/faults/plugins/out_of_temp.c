/* Its kernel writes behind the end of a temporary tensor. */
#include "../fault.h"

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_AllocatorAttributes attributes;
  int64_t four = 4;
  fault_pass(kernel, ctx);
  memset(&attributes, 0, sizeof attributes);
  attributes.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
  TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, &four, 1, &attributes, status);
  volatile float *values = TF_TensorData(temp);
  values[5] = 1.0f;
  TF_DeleteTensor(temp);
  TF_DeleteStatus(status);
}

FAULT_PLUGIN(NULL, compute, NULL)
