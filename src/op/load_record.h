// One load of a plugin, as far as the registries know it: what the plugin registers while it loads belongs
// to the load and is seen by other threads only once that has succeeded. Until then they pass it by, since a
// load that fails takes its code away. Loads are serialised (plugin/load.c) and nest on one thread. When the
// plugin is unloaded again the load closes: whoever asks meanwhile waits until it is settled whether it goes.
#ifndef DVT_OP_LOAD_RECORD_H_
#define DVT_OP_LOAD_RECORD_H_

#include <stdatomic.h>

#include "op/op_def.h"

typedef enum dvt_load_state {
  DVT_LOAD_RUNNING,
  DVT_LOAD_DONE,     // what it registered is in use
  DVT_LOAD_CLOSING,  // an unload is about to succeed or to give up; for a moment
  DVT_LOAD_GONE      // failed, or unloaded
} dvt_load_state;

// Lives as long as the process: a thread may look at an op or kernel while its load fails, and nodes keep the
// definition of their op.
struct dvt_load {
  dvt_plugin *plugin;
  const char *plugin_name;  // as long as the plugin; NULL = not told
  _Atomic dvt_load_state state;
  int op_count, kernel_count;  // registered so far
  atomic_int instances;        // kernels made and not destroyed
  atomic_int users;            // shape functions that are running
  const dvt_op_def *last_op;   // linked by older_of_load
  dvt_load *outer;             // what this thread was loading before
  dvt_load *older;             // all loads ever
};

// From here on this thread registers for `plugin`. NULL when out of memory.
dvt_load *dvt_load_begin(dvt_plugin *plugin) DVT_NODISCARD;
// The load is over: on success everything of it becomes visible at once. On failure its ops and kernels must
// have been removed before.
void dvt_load_end(dvt_load *load, bool success);
// Closes a load that is done, so that this thread can look whether anything uses it; other threads that ask
// for what it registered wait for dvt_load_settle, so this thread waits for nothing until then.
void dvt_load_close(dvt_load *load);
// Gone, or done as before.
void dvt_load_settle(dvt_load *load, bool gone);
// Keeps what the load registered from being unloaded until dvt_load_leave; false, and nothing to leave, when
// it may not be used (any more). NULL: the host's, always.
bool dvt_load_enter(dvt_load *load);
static inline void dvt_load_leave(dvt_load *load) {
  if (load) atomic_fetch_sub(&load->users, 1);
}
// The innermost load on this thread; NULL = the host program registers.
dvt_load *dvt_load_current(void);
// Returns when the load is over. Not on the thread that loads.
void dvt_load_wait(dvt_load *load);

// Waits while the load closes; is it still there?
bool dvt_load_wait_settled(dvt_load *load) DVT_COLD;

// May this thread use what was registered in `load` (NULL: by the host)?
static inline bool dvt_load_is_visible(dvt_load *load) {
  if (!load) return true;
  dvt_load_state state = atomic_load_explicit(&load->state, memory_order_acquire);
  if (DVT_LIKELY(state == DVT_LOAD_DONE)) return true;
  return state == DVT_LOAD_CLOSING ? dvt_load_wait_settled(load)
                                   : state == DVT_LOAD_RUNNING && dvt_load_current();
}

#endif  // DVT_OP_LOAD_RECORD_H_
