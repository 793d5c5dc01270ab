// include/dovetail/host.h over op/load_record.h.
#include "dovetail/host.h"

#include "op/load_record.h"

bool dvt_host_is_loading(void) { return dvt_load_current() != NULL; }
