// The name under which sources written for TensorFlow include dovetail/cc/span.h.
#ifndef TENSORFLOW_CORE_LIB_GTL_ARRAY_SLICE_H_
#define TENSORFLOW_CORE_LIB_GTL_ARRAY_SLICE_H_

#include "dovetail/cc/span.h"

#endif  // TENSORFLOW_CORE_LIB_GTL_ARRAY_SLICE_H_
