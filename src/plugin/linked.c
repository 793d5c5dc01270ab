// Plugins of a program that is linked statically (cmake/static.cmake), in the place of load.c, autoload.c,
// binding.c and elf.c: the code of the plugins is part of the program, which registers it like ops of its own
// when a registry is first used, and no other plugin can be loaded.
#include <pthread.h>

#include "plugin/plugin.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool registering;  // registering an op comes here again

static void register_linked(void) {
  registering = true;
  for (const dvt_linked_plugin *plugin = dvt_linked_plugins; plugin->name; plugin++) plugin->init();
  registering = false;
}

void dvt_plugin_autoload_init(void) {
  if (!registering) pthread_once(&once, register_linked);
}

bool dvt_plugin_autoload(dvt_str op_name) {
  (void)op_name;
  return false;
}

dvt_status dvt_plugin_load(const char *path, dvt_plugin **out_plugin) {
  (void)out_plugin;
  return dvt_error(
      TF_UNIMPLEMENTED,
      "plugin %s was not loaded: this program is linked statically, and has the ops that it was built "
      "with only. Link the plugin into the program, or use the shared library",
      path ? path : "");
}

const dvt_plugin *dvt_plugin_first(void) { return NULL; }

void *dvt_plugin_symbol(const dvt_plugin *plugin, const char *name) {
  (void)plugin, (void)name;
  return NULL;
}

void dvt_plugin_note_error(dvt_status status) { (void)status; }

dvt_status dvt_plugin_find(const char *name_or_path, dvt_plugin **out_plugin) {
  (void)out_plugin;
  return dvt_error(TF_NOT_FOUND, "there is no plugin %s: this program is linked statically",
                   name_or_path ? name_or_path : "");
}

// No plugin comes or goes.
void dvt_plugin_remove(dvt_plugin *plugin) { (void)plugin; }
void dvt_plugin_autoload_again(const dvt_plugin *plugin) { (void)plugin; }
void dvt_plugin_set_reloading(bool is_reloading) { (void)is_reloading; }
void dvt_plugin_lock(void) {}
bool dvt_plugin_try_lock(void) { return true; }
void dvt_plugin_unlock(void) {}
