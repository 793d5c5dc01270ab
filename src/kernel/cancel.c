// Cancellation of a step: a flag that kernels look at, and callbacks that wake kernels which wait for
// something. A step is cancelled when one of its nodes fails, when its time is over, when the session is
// closed, or with the step that called it.
//
// The flag is set before the extras are looked at, and a callback is registered before the flag is looked at,
// so either the canceller finds the callback or whoever registers finds the flag.
#include "kernel/step_extras.h"

static atomic_llong last_token;

bool dvt_step_is_cancelled(const dvt_step *step) {
  for (; step; step = step->caller)
    if (atomic_load(&step->cancelled)) return true;
  return false;
}

static void cancel_called_step(void *arg) { dvt_step_cancel(arg); }

// A called step is cancelled with its caller; the outermost one when its time is over. With the lock.
static dvt_status connect(dvt_step_extras *extras) {
  dvt_step *step = extras->step;
  if (step->caller) {
    if (extras->token_in_caller) return NULL;
    return dvt_step_on_cancel(step->caller, cancel_called_step, step, &extras->token_in_caller);
  }
  return step->deadline_ns ? dvt_cancel_watch(extras) : NULL;
}

static dvt_status add(dvt_step_extras *extras, dvt_cancel_callback *callback) {
  if (atomic_load(&extras->step->cancelled))
    return dvt_error(TF_CANCELLED, "the step has been cancelled; nothing was registered");
  DVT_RETURN_IF_ERROR(connect(extras));
  callback->next = extras->callbacks;
  extras->callbacks = callback;
  return NULL;
}

dvt_status dvt_step_on_cancel(dvt_step *step, void (*fn)(void *arg), void *arg, int64_t *out_token) {
  dvt_step_extras *extras = dvt_step_extras_get(step);
  dvt_cancel_callback *callback = extras ? dvt_malloc(sizeof *callback) : NULL;
  if (!callback) return dvt_error_out_of_memory(sizeof *callback);
  int64_t token = atomic_fetch_add_explicit(&last_token, 1, memory_order_relaxed) + 1;
  *callback = (dvt_cancel_callback){.token = token, .fn = fn, .arg = arg};
  pthread_mutex_lock(&extras->lock);
  dvt_status status = add(extras, callback);
  if (!status) *out_token = token;
  pthread_mutex_unlock(&extras->lock);
  if (status) dvt_free(callback);
  return status;
}

// Callbacks that this thread runs now: a callback may cancel another step.
typedef struct running {
  dvt_step_extras *extras;  // NULL: one of them has ended the step, in this thread
  dvt_cancel_callback *left;
  struct running *outer;
} running;

static _Thread_local running *innermost;

static running *own_running(const dvt_step_extras *extras) {
  running *r = innermost;
  while (r && r->extras != extras) r = r->outer;
  return r;
}

bool dvt_step_off_cancel(dvt_step *step, int64_t token, bool wait) {
  dvt_step_extras *extras = atomic_load(&step->extras);
  if (!extras) return false;
  pthread_mutex_lock(&extras->lock);
  dvt_cancel_callback **link = &extras->callbacks;
  while (*link && (*link)->token != token) link = &(*link)->next;
  dvt_cancel_callback *found = *link;
  if (found) *link = found->next;
  // A callback that deregisters itself or another one cannot wait for itself.
  while (!found && wait && extras->is_running && !own_running(extras))
    pthread_cond_wait(&extras->changed, &extras->lock);
  pthread_mutex_unlock(&extras->lock);
  dvt_free(found);
  return found != NULL;
}

// With the lock, which is free while callbacks run and not taken again when one of them has ended the step:
// its memory belongs to somebody else by then.
static void run_callbacks(running *r) {
  while (r->left) {
    dvt_cancel_callback *callback = r->left;
    r->left = callback->next;
    pthread_mutex_unlock(&r->extras->lock);
    callback->fn(callback->arg);
    dvt_free(callback);
    if (!r->extras) return;
    pthread_mutex_lock(&r->extras->lock);
  }
}

// With the lock, which is free afterwards.
static void run_all(dvt_step_extras *extras) {
  running r = {.extras = extras, .left = extras->callbacks, .outer = innermost};
  extras->callbacks = NULL;
  extras->is_running = true;
  innermost = &r;
  run_callbacks(&r);
  innermost = r.outer;
  if (!r.extras) return;
  extras->is_running = false;
  pthread_cond_broadcast(&extras->changed);
  pthread_mutex_unlock(&extras->lock);
}

void dvt_step_cancel(dvt_step *step) {
  atomic_store(&step->cancelled, true);
  dvt_step_extras *extras = atomic_load(&step->extras);
  if (DVT_LIKELY(!extras)) return;
  dvt_rendezvous_abort(extras, dvt_error(TF_CANCELLED, "the step was cancelled"));
  pthread_mutex_lock(&extras->lock);
  // Nothing can be added to what another thread has begun to run: the flag is set.
  if (extras->is_running)
    pthread_mutex_unlock(&extras->lock);
  else
    run_all(extras);
}

// Takes over what the callbacks below this call have left, or waits for another thread's.
static void end_running(dvt_step_extras *extras) {
  running *own = own_running(extras);
  while (extras->is_running && !own) pthread_cond_wait(&extras->changed, &extras->lock);
  if (!own) return;
  dvt_cancel_callback **last = &extras->callbacks;
  while (*last) last = &(*last)->next;
  *last = own->left;
  own->left = NULL;
  own->extras = NULL;
  extras->is_running = false;
}

void dvt_cancel_end(dvt_step_extras *extras) {
  dvt_step *step = extras->step;
  atomic_store(&step->cancelled, true);
  dvt_cancel_unwatch(extras);
  if (extras->token_in_caller) dvt_step_off_cancel(step->caller, extras->token_in_caller, true);
  pthread_mutex_lock(&extras->lock);
  extras->token_in_caller = 0;
  end_running(extras);
  if (extras->callbacks)
    run_all(extras);
  else
    pthread_mutex_unlock(&extras->lock);
}
