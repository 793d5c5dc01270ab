// What belongs to a whole step: deferred ops, the resource container that ends with it, and its extras.
#include <stdio.h>

#include "base/log.h"
#include "kernel/step_extras.h"

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
  atomic_store(&dvt_step_outermost(step)->has_temporaries, true);
}

static void extras_free(dvt_step_extras *extras) {
  if (!extras) return;
  dvt_status_free(extras->abort_reason);  // of a session that was closed after its last step
  dvt_status_free(extras->failure);
  pthread_mutex_destroy(&extras->lock);
  pthread_cond_destroy(&extras->changed);
  dvt_free(extras);
}

static dvt_step_extras *extras_new(dvt_step *step) {
  dvt_step_extras *extras = dvt_calloc(1, sizeof *extras);
  if (!extras) return NULL;
  extras->step = step;
  pthread_mutex_init(&extras->lock, NULL);
  pthread_cond_init(&extras->changed, NULL);
  return extras;
}

dvt_step_extras *dvt_step_extras_get(dvt_step *step) {
  dvt_step_extras *extras = atomic_load(&step->extras), *made;
  if (extras || !(made = extras_new(step))) return extras;
  if (atomic_compare_exchange_strong(&step->extras, &extras, made)) return made;
  extras_free(made);  // another thread was first
  return extras;
}

void dvt_step_deinit(dvt_step *step) {
  extras_free(atomic_load(&step->extras));
  atomic_store(&step->extras, NULL);
}

dvt_str dvt_step_use_container(dvt_step *step) {
  dvt_step_extras *extras = dvt_step_extras_get(dvt_step_outermost(step));
  if (!extras) return DVT_STR("");
  dvt_step_note_temporary(step);
  pthread_mutex_lock(&extras->lock);
  if (!extras->container[0]) dvt_step_container(extras->step, extras->container);
  pthread_mutex_unlock(&extras->lock);
  return dvt_str_from(extras->container);
}

void dvt_step_fail(dvt_step *step, dvt_status error) {
  dvt_step_extras *extras = dvt_step_extras_get(step);
  if (extras) {
    pthread_mutex_lock(&extras->lock);
    if (!extras->failure) {
      extras->failure = error;
      error = NULL;
    }
    pthread_mutex_unlock(&extras->lock);
  } else {
    dvt_log(DVT_ERROR, "%s", dvt_status_message(error));
  }
  dvt_status_free(error);
  dvt_step_cancel(step);
}

static void wait_for_deferred(dvt_step *step) {
  pthread_mutex_lock(&deferred_mutex);
  while (atomic_load(&step->deferred_ops) > 0) pthread_cond_wait(&deferred_changed, &deferred_mutex);
  pthread_mutex_unlock(&deferred_mutex);
}

// Every callback has returned afterwards, unless it is one that ends the step itself.
static dvt_status end_extras(dvt_step_extras *extras, dvt_status status) {
  dvt_cancel_end(extras);
  dvt_rendezvous_end(extras);
  extras->container[0] = '\0';
  dvt_status failure = extras->failure;
  extras->failure = NULL;
  bool replaces = failure && (!status || dvt_status_code(status) == TF_CANCELLED);
  dvt_status_free(replaces ? status : failure);
  return replaces ? failure : status;
}

static void clear_container(dvt_step *step) {
  char container[DVT_STEP_CONTAINER_BYTES];
  dvt_resource_clear(step->resources, dvt_step_container(step, container));
  atomic_store(&step->has_temporaries, false);
}

dvt_status dvt_step_finish(dvt_step *step, dvt_status status) {
  if (atomic_load(&step->deferred_ops) > 0) wait_for_deferred(step);
  dvt_step_extras *extras = atomic_load(&step->extras);
  if (DVT_UNLIKELY(extras != NULL)) status = end_extras(extras, status);
  if (atomic_load(&step->has_temporaries)) clear_container(step);
  if (DVT_UNLIKELY(atomic_load(&step->cancelled))) atomic_store(&step->cancelled, false);
  return status;
}
