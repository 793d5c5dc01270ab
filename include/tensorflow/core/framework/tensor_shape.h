// The name under which sources written for TensorFlow include dovetail/cc/tensor_shape.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_H_
#define TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_H_

#include "dovetail/cc/tensor_shape.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_H_
