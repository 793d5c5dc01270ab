// The end of a plugin, and its return: unloading it while the process runs, and loading it again after it was built anew.
// dvt_load_plugin (dovetail.h) and TF_LoadLibrary load; stock never unloads.
//
//   dvt_load_plugin("build/my_ops.so", status);
//   ... edit, build ...
//   dvt_reload_plugin("my_ops", 1000, status);  // sessions go on with the new kernels
#ifndef DOVETAIL_PLUGIN_LIFE_H_
#define DOVETAIL_PLUGIN_LIFE_H_

#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Unloads a plugin, given by its name or, with a '/', its path: its ops, kernels, shape functions and log listener are
// gone, and its file is closed. Sessions may be open: those with kernels of the plugin finish their running steps, for at
// most `wait_ms` milliseconds (0: there must be none; negative: without limit), while new calls of them wait; then they
// drop their plans and the plugin's kernels. Their next run plans anew, and answers NOT_FOUND when no other plugin has the
// op; graphs keep their nodes. A plugin of the plugin directories is loaded again when one of its ops is next needed.
// What a plugin must end itself: threads of its own that it did not start with TF_StartThread, memory it handed out in
// TF_Buffers. Code that cannot leave the process (C++ with unique symbols) stays there, unused.
// Owner: TF_Librarys and names of the plugin stay valid. Threads: any, but not from kernels or while a plugin is loaded on
// the same thread. Errors: NOT_FOUND no such plugin is loaded; FAILED_PRECONDITION something of it is in use: the message
// lists sessions with their nodes, partial runs, tensors, values by type, threads. It then stays loaded. Since: dovetail
DVT_EXPORT void dvt_unload_plugin(const char *plugin, int64_t wait_ms, TF_Status *status);

// The same for the plugin of a handle of TF_LoadLibrary, which TF_DeleteLibraryHandle alone does not unload.
// Owner: the handle stays the caller's; TF_GetOpList of it still tells what the plugin had. Threads and errors: as
// dvt_unload_plugin; INVALID_ARGUMENT when the handle is NULL. Since: dovetail
DVT_EXPORT void dvt_unload_library(TF_Library *library, int64_t wait_ms, TF_Status *status);

// Unloads a plugin and loads the file that is now at its path, such as one that was built anew; runs of other threads find
// either the old kernels or the new ones. Nodes made before run with the new kernels; those whose op has another
// definition now answer FAILED_PRECONDITION. Returns the plugin's name, NULL on failure.
// Owner: as dvt_load_plugin. Threads: as dvt_unload_plugin. Errors: those of dvt_unload_plugin, with the plugin still
// loaded; those of dvt_load_plugin, with the plugin unloaded. Since: dovetail
DVT_EXPORT const char *dvt_reload_plugin(const char *plugin, int64_t wait_ms, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_PLUGIN_LIFE_H_
