// The name under which sources written for TensorFlow include dovetail/cc/type_index.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_TYPE_INDEX_H_
#define TENSORFLOW_CORE_FRAMEWORK_TYPE_INDEX_H_

#include "dovetail/cc/type_index.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_TYPE_INDEX_H_
