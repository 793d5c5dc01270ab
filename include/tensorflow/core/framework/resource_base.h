// The name under which sources written for TensorFlow include dovetail/cc/resource_handle.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_RESOURCE_BASE_H_
#define TENSORFLOW_CORE_FRAMEWORK_RESOURCE_BASE_H_

#include "dovetail/cc/resource_handle.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_RESOURCE_BASE_H_
