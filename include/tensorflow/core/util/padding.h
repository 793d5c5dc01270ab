// The name under which sources written for TensorFlow include dovetail/cc/padding.h.
#ifndef TENSORFLOW_CORE_UTIL_PADDING_H_
#define TENSORFLOW_CORE_UTIL_PADDING_H_

#include "dovetail/cc/padding.h"

#endif  // TENSORFLOW_CORE_UTIL_PADDING_H_
