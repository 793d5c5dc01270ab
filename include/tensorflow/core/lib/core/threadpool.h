// The name under which sources written for TensorFlow include dovetail/cc/threadpool.h.
#ifndef TENSORFLOW_CORE_LIB_CORE_THREADPOOL_H_
#define TENSORFLOW_CORE_LIB_CORE_THREADPOOL_H_

#include "dovetail/cc/threadpool.h"

#endif  // TENSORFLOW_CORE_LIB_CORE_THREADPOOL_H_
