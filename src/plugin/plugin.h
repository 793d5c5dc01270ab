// Plugins: probing a file, loading it, calling its entry points (TF_InitKernel, InitPlugin; constructors
// register by themselves), accounting what it registered, taking it back when any of it failed or the plugin
// is unloaded. Loading the same file again returns the same plugin.
#ifndef DVT_PLUGIN_PLUGIN_H_
#define DVT_PLUGIN_PLUGIN_H_

#include <stdatomic.h>

#include "base/code_owner.h"
#include "kernel/registry.h"
#include "op/registry.h"

// Stays in memory after the plugin is gone: definitions of ops and library handles lead to it.
struct dvt_plugin {
  char *path;     // canonical
  char *name;     // file name without directory and ".so"
  void *handle;   // dlopen's
  char *op_list;  // serialised OpList of what it registered (dvt_malloc), valid as long as the plugin
  size_t op_list_bytes;
  int op_count, kernel_count;
  dvt_status registration_error;  // first error of a registration during load
  dvt_load *load;
  dvt_code_owner *code;  // where it lies, and what is alive that will call it
  // Of the file when it was opened, so that a later build is told from it.
  uint64_t inode;
  int64_t modified_ns;
  int copy_fd;  // the file that was loaded in place of one at `path`, which could not be; -1: none
  _Atomic(dvt_plugin *) next;
  dvt_plugin *older_gone;
};

// Loads `path`. Errors name file, symbol and remedy: NOT_FOUND missing file or unresolved symbol,
// INVALID_ARGUMENT not a shared library / wrong architecture (found by reading the ELF header, no code is
// run), FAILED_PRECONDITION when its references would bind to another TensorFlow in the process, whatever a
// registration reported. All or nothing: on failure nothing of it stays registered or loaded.
dvt_status dvt_plugin_load(const char *path, dvt_plugin **out_plugin) DVT_NODISCARD;
// Takes back all that the plugin registered and closes its file. With the plugin lock, after its load has
// been settled as gone and nothing of it is in use (exec/unload.h). A file of the plugin directories loads
// again when one of its ops is next needed.
void dvt_plugin_remove(dvt_plugin *plugin);
static inline bool dvt_plugin_is_gone(const dvt_plugin *plugin) {
  return atomic_load_explicit(&plugin->load->state, memory_order_acquire) == DVT_LOAD_GONE;
}
// The loaded plugin of that path or, without a '/', name. NOT_FOUND names those there are.
dvt_status dvt_plugin_find(const char *name_or_path, dvt_plugin **out_plugin) DVT_NODISCARD;
// Is that file being loaded further up on this thread? With the plugin lock held.
bool dvt_plugin_is_loading(const char *path);
// Loaded plugins, oldest first; stable pointers. One that is unloaded meanwhile still leads to the next.
const dvt_plugin *dvt_plugin_first(void);
// The address of a function that the plugin's own file defines (not one of its dependencies); NULL when
// absent.
void *dvt_plugin_symbol(const dvt_plugin *plugin, const char *name);

// A plugin whose code is part of a statically linked program (linked.c). `init` registers its ops and kernels.
typedef struct dvt_linked_plugin {
  const char *name;
  void (*init)(void);
} dvt_linked_plugin;
extern const dvt_linked_plugin dvt_linked_plugins[];  // ends with one without a name

// Directories of plugins that load by themselves: those of DOVETAIL_PLUGIN_PATH (':'-separated), then the
// standard one, ../lib/dovetail/plugins or dovetail/plugins next to libdovetail.so, unless
// DOVETAIL_NO_STANDARD_PLUGINS is set (to something else than 0). A file `plugins.index` in a directory maps
// ops to plugin files ("Op file.so" lines), so that a plugin is loaded when one of its ops is first needed or
// registered by somebody else; an op of several files loads all of them, those of earlier directories first.
// Directories without an index are loaded whole at the first op that is not found. So are, when no index has
// the op, files that the index of their directory does not name or that were built after it. Installs the
// autoload hooks of the op and kernel registries; called before the first op lookup and registration
// (thread-safe, cheap, any number of times).
void dvt_plugin_autoload_init(void);
// Loads what the standard directories offer for the op; true when something is loaded for it. Failures are
// logged once.
bool dvt_plugin_autoload(dvt_str op_name);
// The file was unloaded: it is loaded again when it is next needed. With the plugin lock.
void dvt_plugin_autoload_again(const dvt_plugin *plugin);
// While a plugin is reloaded, whoever misses an op waits for that.
void dvt_plugin_set_reloading(bool is_reloading);

// A registration failed: if a plugin is being loaded on this thread, its load fails with the first such
// error. Copies `status`; NULL is fine.
void dvt_plugin_note_error(dvt_status status);

// Serialises loads; recursive, since a plugin's constructor may make another plugin load.
void dvt_plugin_lock(void);
bool dvt_plugin_try_lock(void);
void dvt_plugin_unlock(void);

#endif  // DVT_PLUGIN_PLUGIN_H_
