// The name under which sources written for TensorFlow include dovetail/cc/types.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_TYPES_PB_H_
#define TENSORFLOW_CORE_FRAMEWORK_TYPES_PB_H_

#include "dovetail/cc/types.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_TYPES_PB_H_
