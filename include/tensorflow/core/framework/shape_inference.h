// The name under which sources written for TensorFlow include dovetail/cc/shape_inference.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
#define TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_

#include "dovetail/cc/shape_inference.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
