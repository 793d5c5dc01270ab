// The name under which sources written for TensorFlow include dovetail/cc/threadpool.h.
#ifndef TENSORFLOW_CORE_UTIL_WORK_SHARDER_H_
#define TENSORFLOW_CORE_UTIL_WORK_SHARDER_H_

#include "dovetail/cc/threadpool.h"

#endif  // TENSORFLOW_CORE_UTIL_WORK_SHARDER_H_
