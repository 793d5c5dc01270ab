// The name under which sources written for TensorFlow include dovetail/cc/op.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_REGISTRATION_REGISTRATION_H_
#define TENSORFLOW_CORE_FRAMEWORK_REGISTRATION_REGISTRATION_H_

#include "dovetail/cc/op.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_REGISTRATION_REGISTRATION_H_
