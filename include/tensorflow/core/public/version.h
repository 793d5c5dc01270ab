// The name under which sources written for TensorFlow include dovetail/cc/version.h.
#ifndef TENSORFLOW_CORE_PUBLIC_VERSION_H_
#define TENSORFLOW_CORE_PUBLIC_VERSION_H_

#include "dovetail/cc/version.h"

#endif  // TENSORFLOW_CORE_PUBLIC_VERSION_H_
