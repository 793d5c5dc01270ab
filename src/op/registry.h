// The op registry: name -> dvt_op_def, one for the process, thread-safe, append-only except that a failed
// plugin load takes back what it registered. Lookups take no lock in the common case.
#ifndef DVT_OP_REGISTRY_H_
#define DVT_OP_REGISTRY_H_

#include "op/load_record.h"

// Consumes the builder; strict: the spec errors, a bad name and a duplicate come back from here (rules
// 42-66). The plugin being loaded on this thread (dvt_load_begin) owns the op; until its load has ended other
// threads do not find it. A name that a plugin loading on another thread has taken waits for the end of that.
dvt_status dvt_op_register(TF_OpDefinitionBuilder *builder) DVT_NODISCARD;

// The registered op or NULL. On a miss the autoload hook, if any, is asked once for that name (it may load a
// plugin that registers it, or wait for another thread that does) and the lookup is repeated. Pointers stay
// valid for the life of the process, except on a thread whose load of a plugin fails.
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
// Serialised OpLists, sorted by name: of all ops, and of those that this thread registered in `load`.
void dvt_op_registry_list(dvt_buf *out);
void dvt_op_registry_list_load(const dvt_load *load, dvt_buf *out);
// Removes every op of a load that fails, on its thread, or was unloaded.
void dvt_op_registry_remove_load(dvt_load *load);

// Is the definition, which a node may have kept from before its plugin was unloaded, still that of its name?
// NOT_FOUND when no plugin has the op now, FAILED_PRECONDITION when it is another one.
dvt_status dvt_op_check_current(const dvt_op_def *op) DVT_NODISCARD;
// The shape function of the op, or of an equal op if its plugin was unloaded and loaded again; NULL when
// there is none. Its plugin stays until dvt_load_leave(*out_user).
dvt_shape_fn dvt_op_enter_shape_fn(const dvt_op_def *op, dvt_load **out_user);

#endif  // DVT_OP_REGISTRY_H_
