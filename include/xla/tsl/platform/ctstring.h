// Path of the TF_TString helpers under xla/; the code is in tsl/platform/ctstring_internal.h.
#ifndef XLA_TSL_PLATFORM_CTSTRING_H_
#define XLA_TSL_PLATFORM_CTSTRING_H_

#include "tsl/platform/ctstring_internal.h"

#endif
