// The name under which sources written for TensorFlow include dovetail/cc/cancellation.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_
#define TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_

#include "dovetail/cc/cancellation.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_
