// Unloading a plugin while sessions are open, and loading its file again in the same breath.
#ifndef DVT_EXEC_UNLOAD_H_
#define DVT_EXEC_UNLOAD_H_

#include "plugin/plugin.h"

// Holds back the sessions that use the plugin, waits until their steps are over, has them drop their plans
// and its kernels, and takes it out of the process. FAILED_PRECONDITION with a list of what is in the way:
// steps that were not over after `wait_ms` (0: only looks; negative: waits for ever), partial runs, kernels,
// tensors, values and threads; the plugin then stays loaded. Not from its own code.
dvt_status dvt_unload(dvt_plugin *plugin, int64_t wait_ms) DVT_NODISCARD;
// The same and then loads the file at the plugin's path, before any other thread can miss its ops. When that
// fails the plugin is unloaded.
dvt_status dvt_reload(dvt_plugin *plugin, int64_t wait_ms, dvt_plugin **out_plugin) DVT_NODISCARD;

#endif  // DVT_EXEC_UNLOAD_H_
