// Stock path of the TF_TString helpers; the code is in tsl/platform/ctstring_internal.h.
#ifndef TENSORFLOW_CORE_PLATFORM_CTSTRING_H_
#define TENSORFLOW_CORE_PLATFORM_CTSTRING_H_

#include "tsl/platform/ctstring.h"

#endif
