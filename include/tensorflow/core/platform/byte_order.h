// The name under which sources written for TensorFlow include dovetail/cc/base.h.
#ifndef TENSORFLOW_CORE_PLATFORM_BYTE_ORDER_H_
#define TENSORFLOW_CORE_PLATFORM_BYTE_ORDER_H_

#include "dovetail/cc/base.h"

#endif  // TENSORFLOW_CORE_PLATFORM_BYTE_ORDER_H_
