/* Its kernel has no compute function. */
#include "../fault.h"

FAULT_PLUGIN(NULL, NULL, NULL)
