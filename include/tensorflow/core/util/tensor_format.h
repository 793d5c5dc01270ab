// The name under which sources written for TensorFlow include dovetail/cc/tensor_format.h.
#ifndef TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_
#define TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_

#include "dovetail/cc/tensor_format.h"

#endif  // TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_
