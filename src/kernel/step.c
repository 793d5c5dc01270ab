// What belongs to a whole step: deferred ops, and the resource container that ends with it.
#include <pthread.h>
#include <stdio.h>

#include "base/log.h"
#include "kernel/kernel.h"

static pthread_mutex_t deferred_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t deferred_changed = PTHREAD_COND_INITIALIZER;

void dvt_step_defer(dvt_step *step) { atomic_fetch_add(&step->deferred_ops, 1); }

void dvt_step_undefer(dvt_step *step) {
  // Decreasing is the last access to the step, which may be gone right after; the mutex and condition are
  // global.
  pthread_mutex_lock(&deferred_mutex);
  int before = atomic_load(&step->deferred_ops);
  if (before > 0) before = atomic_fetch_sub(&step->deferred_ops, 1);
  if (before == 1) pthread_cond_broadcast(&deferred_changed);
  pthread_mutex_unlock(&deferred_mutex);
  if (before <= 0)
    dvt_log(DVT_ERROR, "TF_DecNumDeferredOps was called without a TF_IncNumDeferredOps; ignored");
}

dvt_str dvt_step_container(const dvt_step *step, char *buffer) {
  int len = snprintf(buffer, DVT_STEP_CONTAINER_BYTES, "__per_step_%lld", (long long)step->id);
  return dvt_str_make(buffer, (size_t)len);
}

void dvt_step_note_temporary(dvt_step *step) {
  while (step->caller) step = step->caller;
  atomic_store(&step->has_temporaries, true);
}

static void wait_for_deferred(dvt_step *step) {
  pthread_mutex_lock(&deferred_mutex);
  while (atomic_load(&step->deferred_ops) > 0) pthread_cond_wait(&deferred_changed, &deferred_mutex);
  pthread_mutex_unlock(&deferred_mutex);
}

void dvt_step_finish(dvt_step *step) {
  if (atomic_load(&step->deferred_ops) > 0) wait_for_deferred(step);
  if (!atomic_load(&step->has_temporaries)) return;
  char container[DVT_STEP_CONTAINER_BYTES];
  dvt_resource_clear(step->resources, dvt_step_container(step, container));
  atomic_store(&step->has_temporaries, false);
}
