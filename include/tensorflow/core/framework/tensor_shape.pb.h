// The name under which sources written for TensorFlow include dovetail/cc/proto.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_PB_H_
#define TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_PB_H_

#include "dovetail/cc/proto.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_PB_H_
