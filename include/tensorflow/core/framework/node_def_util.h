// The name under which sources written for TensorFlow include dovetail/cc/node_def_util.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
#define TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_

#include "dovetail/cc/node_def_util.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
