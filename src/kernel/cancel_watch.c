// The thread that looks at the clock for steps that have a time limit and a kernel to wake when it passes.
// Started when first needed, one for the process; it sleeps as long as no such step is under way.
#include <time.h>

#include "kernel/step_extras.h"

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;  // the list
  pthread_cond_t fired;    // `firing` is NULL
  dvt_step_extras *first;
  dvt_step_extras *firing;  // whose callbacks the thread runs now
  pthread_t thread;
  bool is_started;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .fired = PTHREAD_COND_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init_clock(void) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&watch.changed, &attr);
  pthread_condattr_destroy(&attr);
}

static void before_fork(void) { pthread_mutex_lock(&watch.lock); }
static void in_parent(void) { pthread_mutex_unlock(&watch.lock); }
// The child has neither the thread nor the steps that other threads were running.
static void in_child(void) {
  pthread_mutex_init(&watch.lock, NULL);
  pthread_cond_init(&watch.fired, NULL);
  init_clock();
  watch.first = watch.firing = NULL;
  watch.is_started = false;
}

static void init(void) {
  init_clock();
  pthread_atfork(before_fork, in_parent, in_child);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static dvt_step_extras *earliest(void) {
  dvt_step_extras *best = watch.first;
  for (dvt_step_extras *e = best; e; e = e->next_watched)
    if (e->step->deadline_ns < best->step->deadline_ns) best = e;
  return best;
}

static void unlink_watched(dvt_step_extras *extras) {
  dvt_step_extras **link = &watch.first;
  while (*link != extras) link = &(*link)->next_watched;
  *link = extras->next_watched;
  extras->is_watched = false;
}

// With the lock, which is free while callbacks run. One of them may end the step: then `firing` is NULL.
static void fire(dvt_step_extras *extras) {
  unlink_watched(extras);
  watch.firing = extras;
  pthread_mutex_unlock(&watch.lock);
  dvt_step_cancel(extras->step);
  pthread_mutex_lock(&watch.lock);
  watch.firing = NULL;
  pthread_cond_broadcast(&watch.fired);
}

static void *look_at_the_clock(void *arg) {
  (void)arg;
  pthread_mutex_lock(&watch.lock);
  for (;;) {
    dvt_step_extras *next = earliest();
    if (!next) {
      pthread_cond_wait(&watch.changed, &watch.lock);
      continue;
    }
    int64_t deadline = next->step->deadline_ns;
    if (now_ns() > deadline) {
      fire(next);
      continue;
    }
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_cond_timedwait(&watch.changed, &watch.lock, &until);
  }
  return NULL;
}

static bool start(void) {
  if (watch.is_started) return true;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  watch.is_started = pthread_create(&watch.thread, &attr, look_at_the_clock, NULL) == 0;
  pthread_attr_destroy(&attr);
  return watch.is_started;
}

dvt_status dvt_cancel_watch(dvt_step_extras *extras) {
  pthread_once(&once, init);
  pthread_mutex_lock(&watch.lock);
  bool started = start();
  if (started && !extras->is_watched) {
    extras->is_watched = true;
    extras->next_watched = watch.first;
    watch.first = extras;
    pthread_cond_signal(&watch.changed);
  }
  pthread_mutex_unlock(&watch.lock);
  if (started) return NULL;
  return dvt_error(TF_RESOURCE_EXHAUSTED,
                   "no thread could be started to watch the step's time limit; raise the limit of threads");
}

void dvt_cancel_unwatch(dvt_step_extras *extras) {
  pthread_once(&once, init);
  pthread_mutex_lock(&watch.lock);
  if (extras->is_watched) unlink_watched(extras);
  if (watch.firing == extras && pthread_equal(watch.thread, pthread_self())) watch.firing = NULL;
  while (watch.firing == extras) pthread_cond_wait(&watch.fired, &watch.lock);
  pthread_mutex_unlock(&watch.lock);
}
