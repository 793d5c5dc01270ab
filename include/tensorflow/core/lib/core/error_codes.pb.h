// The name under which sources written for TensorFlow include dovetail/cc/status.h.
#ifndef TENSORFLOW_CORE_LIB_CORE_ERROR_CODES_PB_H_
#define TENSORFLOW_CORE_LIB_CORE_ERROR_CODES_PB_H_

#include "dovetail/cc/status.h"

#endif  // TENSORFLOW_CORE_LIB_CORE_ERROR_CODES_PB_H_
