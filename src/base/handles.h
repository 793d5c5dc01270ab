// The ledger of debug mode: which handles of the C ABI are there, of what kind and whose, and which were
// deleted lately. Whoever makes a handle notes it, whoever deletes one asks first. All of it is called only
// while DVT_DEBUG_HANDLES or DVT_DEBUG_LEAKS is on; the functions dvt_handle_* below ask themselves.
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
  DVT_HANDLE_KINDS
} dvt_handle_kind;

void dvt_ledger_add(const void *handle, dvt_handle_kind kind) DVT_COLD;
bool dvt_ledger_remove(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;
bool dvt_ledger_has(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;

// A new handle.
static inline void dvt_handle_made(const void *handle, dvt_handle_kind kind) {
  if (dvt_debug_has(DVT_DEBUG_HANDLES | DVT_DEBUG_LEAKS)) dvt_ledger_add(handle, kind);
}
// May `function` delete it? False, after a report, when it is none, of another kind, or deleted already.
static inline bool dvt_handle_may_delete(const void *handle, dvt_handle_kind kind, const char *function) {
  return !dvt_debug_has(DVT_DEBUG_HANDLES | DVT_DEBUG_LEAKS) || dvt_ledger_remove(handle, kind, function);
}
// May `function` use it?
static inline bool dvt_handle_is_good(const void *handle, dvt_handle_kind kind, const char *function) {
  return !dvt_debug_has(DVT_DEBUG_HANDLES) || dvt_ledger_has(handle, kind, function);
}
// Reports the use of a handle that its contents show to be deleted.
void dvt_handle_report_dead(const void *handle, dvt_handle_kind kind, const char *function) DVT_COLD;

// Frees the block of a deleted handle by and by, so that its address means nothing new meanwhile. The block
// keeps what the caller wrote into it.
void dvt_handle_retire(void *block) DVT_COLD;

// Logs handles that kernels made and nobody deleted, by plugin and op; each once.
void dvt_leaks_report(void) DVT_COLD;

#endif  // DVT_BASE_HANDLES_H_
