// The name under which sources written for TensorFlow include dovetail/cc/tensor.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_
#define TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_

#include "dovetail/cc/tensor.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_
