// Whose code is it? A table of the address ranges of plugins, and for each how many things are alive that
// will call back into it: tensors by their deallocators, values by their types, threads. Plugins are taken
// out of the process only when all counts are zero (plugin/unload.c). Looking up takes no lock.
#ifndef DVT_BASE_CODE_OWNER_H_
#define DVT_BASE_CODE_OWNER_H_

#include <stdatomic.h>

#include "base/buf.h"

typedef struct dvt_code_owner dvt_code_owner;

// What is alive of one kind, such as "tensor" or "value of type 'my::List'".
typedef struct dvt_owned_kind {
  const void *key;
  char *what;
  atomic_llong live;
  struct dvt_owned_kind *next;
} dvt_owned_kind;

// Announces [begin, end) as one owner's; NULL when out of memory. Owners and their kinds stay allocated after
// they are removed: a reader may still hold them.
dvt_code_owner *dvt_code_owner_add(const void *begin, const void *end) DVT_NODISCARD;
void dvt_code_owner_remove(dvt_code_owner *owner);
// NULL when the address is in no plugin.
dvt_code_owner *dvt_code_owner_find(const void *address);
bool dvt_code_owner_has(const dvt_code_owner *owner, const void *address);

// One more of the kind `key` is alive; the result is for dvt_owned_drop. `what` names the kind when it is met
// first: a name, with an optional type in quotes behind it. NULL for no owner, or out of memory: not counted.
dvt_owned_kind *dvt_owned_take(dvt_code_owner *owner, const void *key, const char *what, const char *type);
dvt_owned_kind *dvt_owned_find(dvt_code_owner *owner, const void *key);  // NULL when none was taken yet
static inline void dvt_owned_drop(dvt_owned_kind *kind) {
  if (kind) atomic_fetch_sub_explicit(&kind->live, 1, memory_order_release);
}
// How many are alive; writes "2 tensors, 1 value of type 'x'" to `out` unless that is NULL.
long long dvt_code_owner_live(const dvt_code_owner *owner, dvt_buf *out);

// A function's address as that of an object, which ISO C has no cast for.
#define DVT_CODE_ADDRESS(function, out_address)                                            \
  do {                                                                                     \
    _Static_assert(sizeof(function) == sizeof(void *), "functions and objects are alike"); \
    memcpy((out_address), &(function), sizeof(void *));                                    \
  } while (0)

#endif  // DVT_BASE_CODE_OWNER_H_
