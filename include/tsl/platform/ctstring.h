// Stock path of the TF_TString helpers; the code is in tsl/platform/ctstring_internal.h.
#ifndef TENSORFLOW_TSL_PLATFORM_CTSTRING_H_
#define TENSORFLOW_TSL_PLATFORM_CTSTRING_H_

#include "tsl/platform/ctstring_internal.h"

#endif
