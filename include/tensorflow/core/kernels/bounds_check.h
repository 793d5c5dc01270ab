// The name under which sources written for TensorFlow include dovetail/cc/bounds_check.h.
#ifndef TENSORFLOW_CORE_KERNELS_BOUNDS_CHECK_H_
#define TENSORFLOW_CORE_KERNELS_BOUNDS_CHECK_H_

#include "dovetail/cc/bounds_check.h"

#endif  // TENSORFLOW_CORE_KERNELS_BOUNDS_CHECK_H_
