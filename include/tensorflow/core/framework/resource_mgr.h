// The name under which sources written for TensorFlow include dovetail/cc/resource_mgr.h.
#ifndef TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_
#define TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_

#include "dovetail/cc/resource_mgr.h"

#endif  // TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_
