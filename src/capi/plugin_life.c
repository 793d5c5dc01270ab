// include/dovetail/plugin_life.h over exec/unload.h. The function that takes a TF_Library is in
// load_library.c.
#include "dovetail/plugin_life.h"

#include "exec/unload.h"

void dvt_unload_plugin(const char *plugin, int64_t wait_ms, TF_Status *status) {
  dvt_plugin *found = NULL;
  dvt_status result = dvt_plugin_find(plugin, &found);
  if (!result) result = dvt_unload(found, wait_ms);
  dvt_status_to_tf(result, status);
}

const char *dvt_reload_plugin(const char *plugin, int64_t wait_ms, TF_Status *status) {
  dvt_plugin *found = NULL;
  dvt_status result = dvt_plugin_find(plugin, &found);
  if (!result) result = dvt_reload(found, wait_ms, &found);
  const char *name = result ? NULL : found->name;
  dvt_status_to_tf(result, status);
  return name;
}
