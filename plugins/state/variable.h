// Copying the values of variables, for the host's functions on variables.
#ifndef DOVETAIL_PLUGINS_STATE_VARIABLE_H_
#define DOVETAIL_PLUGINS_STATE_VARIABLE_H_

#include "tensorflow/c/kernels.h"

// Copies all elements; both tensors have one dtype and shape.
void dvp_copy_tensor(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest);

#endif  // DOVETAIL_PLUGINS_STATE_VARIABLE_H_
