// Lanes of run states; see state_pool.h. A state sits in one lane or in the spare list while nobody uses it.
#include "exec/state_pool.h"

#include "base/alloc.h"

void dvt_state_pool_init(dvt_state_pool *pool) { pthread_mutex_init(&pool->lock, NULL); }

static dvt_pooled_state *take_spare(dvt_state_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  dvt_pooled_state *state = pool->spare_count ? pool->spare[--pool->spare_count] : NULL;
  pthread_mutex_unlock(&pool->lock);
  return state;
}

dvt_pooled_state *dvt_state_pool_take(dvt_state_pool *pool) {
  size_t lane = dvt_thread_lane();
  for (size_t i = 0; i < DVT_STATE_LANES; i++) {
    _Atomic(dvt_pooled_state *) *slot = &pool->lanes[(lane + i) % DVT_STATE_LANES].state;
    if (!atomic_load_explicit(slot, memory_order_relaxed)) continue;
    dvt_pooled_state *state = atomic_exchange_explicit(slot, NULL, memory_order_acq_rel);
    if (state) return state;
  }
  return take_spare(pool);
}

bool dvt_state_pool_adopt(dvt_state_pool *pool, dvt_pooled_state *state) {
  pthread_mutex_lock(&pool->lock);
  size_t count = 1;
  for (const dvt_pooled_state *s = atomic_load(&pool->all); s; s = s->next) count++;
  void *spare = pool->spare;
  bool ok = dvt_grow(&spare, &pool->spare_capacity, count, sizeof *pool->spare);
  pool->spare = spare;
  if (ok) {
    state->next = atomic_load(&pool->all);
    atomic_store(&pool->all, state);
  }
  pthread_mutex_unlock(&pool->lock);
  return ok;
}

void dvt_state_pool_give(dvt_state_pool *pool, dvt_pooled_state *state) {
  size_t lane = dvt_thread_lane();
  for (size_t i = 0; i < DVT_STATE_LANES; i++) {
    dvt_pooled_state *empty = NULL;
    _Atomic(dvt_pooled_state *) *slot = &pool->lanes[(lane + i) % DVT_STATE_LANES].state;
    if (!atomic_load_explicit(slot, memory_order_relaxed) &&
        atomic_compare_exchange_strong_explicit(slot, &empty, state, memory_order_acq_rel,
                                                memory_order_relaxed))
      return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->spare[pool->spare_count++] = state;
  pthread_mutex_unlock(&pool->lock);
}

void dvt_state_pool_deinit(dvt_state_pool *pool) {
  dvt_free(pool->spare);
  pthread_mutex_destroy(&pool->lock);
  pool->spare = NULL;
}
