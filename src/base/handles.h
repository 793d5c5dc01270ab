// The ledger of debug mode: which handles of the C ABI are there, of what kind and whose, and which were
// deleted lately. Whoever makes a handle notes it, whoever deletes or reads one asks first. With the mode off
// each question is one comparison.
#ifndef DVT_BASE_HANDLES_H_
#define DVT_BASE_HANDLES_H_

#include "base/debug.h"

typedef enum dvt_handle_kind {
  DVT_HANDLE_TENSOR,
  DVT_HANDLE_STATUS,
  DVT_HANDLE_GRAPH,
  DVT_HANDLE_SESSION,
  DVT_HANDLE_BUFFER,
  DVT_HANDLE_SESSION_OPTIONS,
  DVT_HANDLE_KERNEL_BUILDER,
  DVT_HANDLE_OP_BUILDER,
  // The runtime makes and ends these itself.
  DVT_HANDLE_CONTEXT,
  DVT_HANDLE_CONSTRUCTION,
  DVT_HANDLE_KINDS
} dvt_handle_kind;

// Behind the functions below: whether debug mode looks after handles is asked here.
void dvt_ledger_add(const void *handle, dvt_handle_kind kind) DVT_COLD;
bool dvt_ledger_remove(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;
bool dvt_ledger_lacks(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;
bool dvt_ledger_knows(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;

// A new handle.
static DVT_ALWAYS_INLINE void dvt_handle_made(const void *handle, dvt_handle_kind kind) {
  if (dvt_debug_is_on()) dvt_ledger_add(handle, kind);
}
// May `function` delete it? False, after a report, when it is none, of another kind, or deleted already.
static DVT_ALWAYS_INLINE bool dvt_handle_may_delete(const void *handle, dvt_handle_kind kind,
                                                    const char *function) {
  return !dvt_debug_is_on() || dvt_ledger_remove(handle, kind, function);
}
// Must `function` not use it?
static DVT_ALWAYS_INLINE bool dvt_handle_is_bad(const void *handle, dvt_handle_kind kind,
                                                const char *function) {
  return dvt_debug_is_on() && dvt_ledger_lacks(handle, kind, function);
}
// Is it one, deleted or not? It may be read then, for as long as dvt_handle_retire keeps it.
static DVT_ALWAYS_INLINE bool dvt_handle_is_known(const void *handle, dvt_handle_kind kind,
                                                  const char *function) {
  return !dvt_debug_is_on() || dvt_ledger_knows(handle, kind, function);
}
// Reports the use of a handle that its contents show to be deleted.
void dvt_handle_report_dead(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;

// Frees the block of a deleted handle by and by, so that its address means nothing new meanwhile. The block
// keeps what the caller wrote into it.
void dvt_handle_retire(void *block) DVT_COLD;

// Logs handles that kernels made and nobody deleted, by plugin and op; each once.
void dvt_leaks_report(void) DVT_COLD;

#endif  // DVT_BASE_HANDLES_H_
