// The path that releases up to 2.15 use for xla/tsl/c/tsl_status.h.
#ifndef TSL_C_TSL_STATUS_H_
#define TSL_C_TSL_STATUS_H_

#include "xla/tsl/c/tsl_status.h"

#endif
