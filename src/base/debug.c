// Debug mode (see debug.h). The environment is read once: a mode that changed half-way would find misuse
// where there is none.
#include "base/debug.h"

#include <stdlib.h>
#include <string.h>

atomic_int dvt_debug_state = -1;

bool dvt_debug_read(void) {
  int state = atomic_load_explicit(&dvt_debug_state, memory_order_relaxed);
  if (state < 0) {
    const char *text = getenv("DOVETAIL_DEBUG");
    state = text && *text && strcmp(text, "0") != 0;
    atomic_store_explicit(&dvt_debug_state, state, memory_order_relaxed);
  }
  return state == 1;
}
