// The name under which sources written for TensorFlow include dovetail/cc/tstring.h.
#ifndef TENSORFLOW_CORE_PLATFORM_TSTRING_H_
#define TENSORFLOW_CORE_PLATFORM_TSTRING_H_

#include "dovetail/cc/tstring.h"

#endif  // TENSORFLOW_CORE_PLATFORM_TSTRING_H_
