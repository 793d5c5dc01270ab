// The name under which sources written for TensorFlow include dovetail/cc/refcount.h.
#ifndef TENSORFLOW_CORE_PLATFORM_REFCOUNT_H_
#define TENSORFLOW_CORE_PLATFORM_REFCOUNT_H_

#include "dovetail/cc/refcount.h"

#endif  // TENSORFLOW_CORE_PLATFORM_REFCOUNT_H_
