// What a plugin declares with DVT_PLUGIN (include/dovetail/sdk.h), read from its exported
// `dvt_plugin_record`: texts that end with a zero, the last one empty. Plugins that declare nothing have no
// record.
#ifndef DVT_PLUGIN_RECORD_H_
#define DVT_PLUGIN_RECORD_H_

#include "plugin/plugin.h"

// May the plugin that was just opened register here? FAILED_PRECONDITION when it was built with an SDK that
// does not fit or needs a feature that this library does not have, ALREADY_EXISTS when another file of the
// same plugin is loaded. OK for a plugin without a record. Under the plugin lock.
dvt_status dvt_record_check(const dvt_plugin *plugin) DVT_NODISCARD;
// FAILED_PRECONDITION when a plugin with a record registered nothing; one without a record gets a warning.
dvt_status dvt_record_check_registered(const dvt_plugin *plugin) DVT_NODISCARD;

#endif  // DVT_PLUGIN_RECORD_H_
