// The op registry: name -> dvt_op_def, one for the process, thread-safe, append-only except that a failed
// plugin load takes back what it registered. Lookups take no lock in the common case.
#ifndef DVT_OP_REGISTRY_H_
#define DVT_OP_REGISTRY_H_

#include "op/op_def.h"

// Consumes the builder; strict: the spec errors, a bad name and a duplicate come back from here (rules
// 42-66). The plugin being loaded on this thread (plugin/plugin.h sets it with dvt_op_registry_set_owner)
// owns the op.
dvt_status dvt_op_register(TF_OpDefinitionBuilder *builder) DVT_NODISCARD;

// The registered op or NULL. On a miss the autoload hook, if any, is asked once for that name (it may load a
// plugin that registers it) and the lookup is repeated. Pointers stay valid for the life of the process
// unless the owning plugin is unloaded.
const dvt_op_def *dvt_op_lookup(dvt_str name);
const dvt_op_def *dvt_op_lookup_loaded(dvt_str name);  // never autoloads
// NOT_FOUND "Op type not registered 'X' ... " with the nearest names and what to do.
dvt_status dvt_op_lookup_or_error(dvt_str name, const dvt_op_def **out_op) DVT_NODISCARD;
// `hook` is asked on a miss, `load_all` by dvt_op_registry_load_all, `claim` before an op of a new name is
// registered: if a plugin that is not loaded yet has that op, it loads it, so that which of two definitions
// of one name is the duplicate does not depend on what was looked up before. Each may be NULL.
void dvt_op_registry_set_autoload(bool (*hook)(dvt_str op_name), void (*load_all)(void),
                                  bool (*claim)(dvt_str op_name));
// Asks the autoload hook for everything it knows (TF_GetAllOpList, `dovetail ops`).
void dvt_op_registry_load_all(void);

size_t dvt_op_registry_count(void);
// Calls visit for every op, sorted by name; the registry is locked meanwhile.
void dvt_op_registry_visit(void (*visit)(void *arg, const dvt_op_def *op), void *arg);
// Serialised OpList of all ops (owner == NULL: all; else those of the plugin).
void dvt_op_registry_list(const dvt_plugin *owner, bool only_owner, dvt_buf *out);

// Owner for registrations on this thread; returns the previous one.
dvt_plugin *dvt_op_registry_set_owner(dvt_plugin *owner);
dvt_plugin *dvt_op_registry_owner(void);  // of this thread; NULL = the host program
// Removes every op of `owner` (failed load, unload).
void dvt_op_registry_remove_owner(dvt_plugin *owner);

#endif  // DVT_OP_REGISTRY_H_
