// Opening and closing the files of plugins so that code that was rebuilt is loaded as such. Between the files
// of src/plugin.
#ifndef DVT_PLUGIN_UNLOAD_H_
#define DVT_PLUGIN_UNLOAD_H_

#include "plugin/elf.h"
#include "plugin/plugin.h"

// dlopen of the plugin's path, or of a copy where the loader would hand out the code of a plugin that was
// unloaded before and could not leave the process. Errors as dvt_plugin_load's. With the plugin lock.
dvt_status dvt_plugin_open(dvt_plugin *plugin, const dvt_elf *elf) DVT_NODISCARD;
void dvt_plugin_close(dvt_plugin *plugin);
// Has another file come to lie at the path, or was it written again, since it was opened?
bool dvt_plugin_is_outdated(const dvt_plugin *plugin);
// Takes it out of the list of loaded plugins, which others may be walking.
void dvt_plugin_unlink(dvt_plugin *plugin);

#endif  // DVT_PLUGIN_UNLOAD_H_
