// Debug mode: DOVETAIL_DEBUG=1 turns on checks of how plugins use the API that cost time or memory in every
// call; a list of parts ("handles,memory") turns on these. docs/debugging.md tells plugin authors what is
// reported. A check that finds something calls dvt_debug_report, which knows whose code runs on the thread.
#ifndef DVT_BASE_DEBUG_H_
#define DVT_BASE_DEBUG_H_

#include <stdatomic.h>

#include "base/str.h"

typedef enum dvt_debug_part {
  DVT_DEBUG_SHAPES = 1 << 0,   // shape handles of earlier calls, shape functions without an end
  DVT_DEBUG_HANDLES = 1 << 1,  // handles and kernel contexts: deleted twice, used after their end, foreign
  DVT_DEBUG_MEMORY = 1 << 2,   // writes beside a tensor, and after its end
  DVT_DEBUG_INPUTS = 1 << 3,   // inputs that a kernel changed
  DVT_DEBUG_LEAKS = 1 << 4,    // handles that kernels made and nobody deleted
  DVT_DEBUG_ALL = (1 << 5) - 1
} dvt_debug_part;

extern atomic_int dvt_debug_state;  // -1 until the environment was read, then the parts that are on
int dvt_debug_read(void);

// Is debug mode on, or the environment not read yet? One comparison, for whoever asks dvt_debug_has then.
static DVT_ALWAYS_INLINE bool dvt_debug_is_on(void) {
  return DVT_UNLIKELY(atomic_load_explicit(&dvt_debug_state, memory_order_relaxed) != 0);
}
// Is any of `parts` on?
static inline bool dvt_debug_has(int parts) { return dvt_debug_is_on() && (dvt_debug_read() & parts); }

// Parts that are served by the slow side of allocation, so that the free lists stay empty.
#define DVT_DEBUG_ALLOCATION (DVT_DEBUG_HANDLES | DVT_DEBUG_MEMORY | DVT_DEBUG_LEAKS)
// Parts that look at every call of a kernel.
#define DVT_DEBUG_CALLS (DVT_DEBUG_ALL & ~DVT_DEBUG_SHAPES)

// Who made something, or did: kept for as long as the process.
typedef struct dvt_debug_origin {
  const char *plugin, *op, *node;  // plugin "": the program itself; op and node "": its loading
  struct dvt_debug_origin *next;
} dvt_debug_origin;
const dvt_debug_origin *dvt_debug_origin_of(dvt_str plugin, dvt_str op, dvt_str node);  // NULL: no memory

// A function of a plugin that this thread runs.
typedef struct dvt_debug_call {
  const dvt_debug_origin *origin;
  void (*fail)(void *arg, const char *what);  // makes the call end with the error
  void *arg;
} dvt_debug_call;
extern _Thread_local dvt_debug_call *dvt_debug_current;  // NULL: none

// "TF_DeleteTensor: <what>". Fails the call that runs on this thread, or logs when there is none.
void dvt_debug_report(const char *function, const char *format, ...) DVT_PRINTF(2, 3) DVT_COLD;
// "node 'n' (op 'O' of plugin p)"; without an op: "the loading of plugin p"; NULL: "the program".
void dvt_debug_origin_text(const dvt_debug_origin *origin, char *out, size_t capacity);

#endif  // DVT_BASE_DEBUG_H_
