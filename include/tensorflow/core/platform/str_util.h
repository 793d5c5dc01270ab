// The name under which sources written for TensorFlow include dovetail/cc/str_util.h.
#ifndef TENSORFLOW_CORE_PLATFORM_STR_UTIL_H_
#define TENSORFLOW_CORE_PLATFORM_STR_UTIL_H_

#include "dovetail/cc/str_util.h"

#endif  // TENSORFLOW_CORE_PLATFORM_STR_UTIL_H_
