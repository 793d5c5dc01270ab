// The name under which sources written for TensorFlow include dovetail/cc/status.h and dovetail/cc/logging.h.
#ifndef TENSORFLOW_CORE_LIB_CORE_ERRORS_H_
#define TENSORFLOW_CORE_LIB_CORE_ERRORS_H_

#include "dovetail/cc/status.h"
#include "dovetail/cc/logging.h"

#endif  // TENSORFLOW_CORE_LIB_CORE_ERRORS_H_
