// The name under which sources written for TensorFlow include dovetail/cc/strings.h.
#ifndef TENSORFLOW_CORE_PLATFORM_STRCAT_H_
#define TENSORFLOW_CORE_PLATFORM_STRCAT_H_

#include "dovetail/cc/strings.h"

#endif  // TENSORFLOW_CORE_PLATFORM_STRCAT_H_
