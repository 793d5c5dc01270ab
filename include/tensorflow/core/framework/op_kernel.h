// The name under which sources written for TensorFlow include dovetail/cc/op_kernel.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_
#define TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_

#include "dovetail/cc/op_kernel.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_
