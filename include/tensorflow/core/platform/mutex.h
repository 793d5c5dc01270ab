// The name under which sources written for TensorFlow include dovetail/cc/mutex.h.
#ifndef TENSORFLOW_CORE_PLATFORM_MUTEX_H_
#define TENSORFLOW_CORE_PLATFORM_MUTEX_H_

#include "dovetail/cc/mutex.h"

#endif  // TENSORFLOW_CORE_PLATFORM_MUTEX_H_
