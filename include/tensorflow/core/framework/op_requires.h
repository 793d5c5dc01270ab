// The name under which sources written for TensorFlow include dovetail/cc/op_requires.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_OP_REQUIRES_H_
#define TENSORFLOW_CORE_FRAMEWORK_OP_REQUIRES_H_

#include "dovetail/cc/op_requires.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_OP_REQUIRES_H_
