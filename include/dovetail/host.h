// What a plugin built with the SDK (dovetail/sdk.h) asks Dovetail while it is loaded, before it knows its host.
#ifndef DOVETAIL_HOST_H_
#define DOVETAIL_HOST_H_

#include <stdbool.h>

#include "dovetail/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether Dovetail is loading a plugin on the calling thread: in a constructor of the plugin, then, Dovetail is its host,
// whatever other TensorFlow is in the process.
// Threads: any. Since: dovetail
DVT_EXPORT bool dvt_host_is_loading(void);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_HOST_H_
