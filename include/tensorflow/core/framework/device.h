// The name under which sources written for TensorFlow include dovetail/cc/device_base.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_DEVICE_H_
#define TENSORFLOW_CORE_FRAMEWORK_DEVICE_H_

#include "dovetail/cc/device_base.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_DEVICE_H_
