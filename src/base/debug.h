// Debug mode: DOVETAIL_DEBUG=1 turns on checks of how plugins use the API that cost time or memory in every
// call.
#ifndef DVT_BASE_DEBUG_H_
#define DVT_BASE_DEBUG_H_

#include <stdatomic.h>

#include "base/base.h"

extern atomic_int dvt_debug_state;  // -1 until the environment was read, then 0 or 1
bool dvt_debug_read(void);

static inline bool dvt_debug_is_on(void) {
  int state = atomic_load_explicit(&dvt_debug_state, memory_order_relaxed);
  return DVT_UNLIKELY(state != 0) && dvt_debug_read();
}

#endif  // DVT_BASE_DEBUG_H_
