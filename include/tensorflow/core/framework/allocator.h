// The name under which sources written for TensorFlow include dovetail/cc/allocator.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_ALLOCATOR_H_
#define TENSORFLOW_CORE_FRAMEWORK_ALLOCATOR_H_

#include "dovetail/cc/allocator.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_ALLOCATOR_H_
