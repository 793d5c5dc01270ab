// The name under which sources written for TensorFlow include dovetail/selective_registration.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_
#define TENSORFLOW_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_

#include "dovetail/selective_registration.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_
