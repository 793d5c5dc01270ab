// The name under which sources written for TensorFlow include dovetail/cc/register_types.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_REGISTER_TYPES_H_
#define TENSORFLOW_CORE_FRAMEWORK_REGISTER_TYPES_H_

#include "dovetail/cc/register_types.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_REGISTER_TYPES_H_
