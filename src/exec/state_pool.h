// dvt_state_pool: run states kept between steps. Taking and giving back is one atomic exchange on a lane that
// the thread prefers, so that threads rarely meet and each gets its own, cache-warm state back.
#ifndef DVT_EXEC_STATE_POOL_H_
#define DVT_EXEC_STATE_POOL_H_

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

#define DVT_STATE_LANES 16

// A number below DVT_STATE_LANES that mostly differs between threads: stacks lie far apart, so the address of
// a local tells threads apart without thread-local storage.
static inline size_t dvt_thread_lane(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0) >> 16;
  return (size_t)((here * UINT64_C(0x9E3779B97F4A7C15)) >> 60) % DVT_STATE_LANES;
}

// The first field of every kind of run state.
typedef struct dvt_pooled_state {
  struct dvt_pooled_state *next;  // all states of the pool
} dvt_pooled_state;

typedef struct dvt_state_pool {
  struct {
    _Alignas(64) _Atomic(dvt_pooled_state *) state;
  } lanes[DVT_STATE_LANES];
  _Atomic(dvt_pooled_state *) all;  // pushed once each, never removed
  pthread_mutex_t lock;             // guards `spare` and pushes to `all`
  dvt_pooled_state **spare;         // states that found no free lane
  size_t spare_count, spare_capacity;
} dvt_state_pool;

void dvt_state_pool_init(dvt_state_pool *pool);  // *pool is zeroed
// A state that nobody uses, or NULL.
dvt_pooled_state *dvt_state_pool_take(dvt_state_pool *pool);
// Makes room for one more state before it is used; false when out of memory. Call once for each new state.
bool dvt_state_pool_adopt(dvt_state_pool *pool, dvt_pooled_state *state) DVT_NODISCARD;
void dvt_state_pool_give(dvt_state_pool *pool, dvt_pooled_state *state);
// Frees the pool's own memory; the states are the caller's to free, found through `all`.
void dvt_state_pool_deinit(dvt_state_pool *pool);

#endif  // DVT_EXEC_STATE_POOL_H_
