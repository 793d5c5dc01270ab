// The name under which sources written for TensorFlow include dovetail/cc/logging.h.
#ifndef TENSORFLOW_CORE_PLATFORM_LOGGING_H_
#define TENSORFLOW_CORE_PLATFORM_LOGGING_H_

#include "dovetail/cc/logging.h"

#endif  // TENSORFLOW_CORE_PLATFORM_LOGGING_H_
