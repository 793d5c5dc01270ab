// The name under which sources written for TensorFlow include dovetail/cc/path.h.
#ifndef TENSORFLOW_CORE_PLATFORM_PATH_H_
#define TENSORFLOW_CORE_PLATFORM_PATH_H_

#include "dovetail/cc/path.h"

#endif  // TENSORFLOW_CORE_PLATFORM_PATH_H_
