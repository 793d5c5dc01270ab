// The records of plugin loads: made, ended and waited for. registry.c and kernel/registry.c put them into
// what they register.
#include "op/load_record.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static dvt_load *last;  // under the mutex
static _Thread_local dvt_load *current;

dvt_load *dvt_load_current(void) { return current; }

dvt_load *dvt_load_begin(dvt_plugin *plugin) {
  dvt_load *load = dvt_calloc(1, sizeof *load);
  if (!load) return NULL;
  load->plugin = plugin;
  load->outer = current;
  current = load;
  pthread_mutex_lock(&mutex);
  load->older = last;
  last = load;
  pthread_mutex_unlock(&mutex);
  return load;
}

void dvt_load_end(dvt_load *load, bool success) {
  current = load->outer;
  pthread_mutex_lock(&mutex);
  atomic_store_explicit(&load->state, success ? DVT_LOAD_DONE : DVT_LOAD_GONE, memory_order_release);
  pthread_cond_broadcast(&ended);
  pthread_mutex_unlock(&mutex);
}

void dvt_load_wait(dvt_load *load) {
  pthread_mutex_lock(&mutex);
  while (atomic_load_explicit(&load->state, memory_order_acquire) == DVT_LOAD_RUNNING)
    pthread_cond_wait(&ended, &mutex);
  pthread_mutex_unlock(&mutex);
}

// Sequentially consistent, as entering is: either who enters sees that the load closes, or who closes it sees
// that somebody has entered.
void dvt_load_close(dvt_load *load) { atomic_store(&load->state, DVT_LOAD_CLOSING); }

void dvt_load_settle(dvt_load *load, bool gone) {
  pthread_mutex_lock(&mutex);
  atomic_store(&load->state, gone ? DVT_LOAD_GONE : DVT_LOAD_DONE);
  pthread_cond_broadcast(&ended);
  pthread_mutex_unlock(&mutex);
}

bool dvt_load_wait_settled(dvt_load *load) {
  pthread_mutex_lock(&mutex);
  while (atomic_load_explicit(&load->state, memory_order_acquire) == DVT_LOAD_CLOSING)
    pthread_cond_wait(&ended, &mutex);
  bool is_there = atomic_load_explicit(&load->state, memory_order_acquire) == DVT_LOAD_DONE;
  pthread_mutex_unlock(&mutex);
  return is_there;
}

bool dvt_load_enter(dvt_load *load) {
  if (!load) return true;
  for (;;) {
    atomic_fetch_add(&load->users, 1);
    dvt_load_state state = atomic_load(&load->state);
    if (DVT_LIKELY(state == DVT_LOAD_DONE) || (state == DVT_LOAD_RUNNING && current)) return true;
    atomic_fetch_sub(&load->users, 1);
    if (state != DVT_LOAD_CLOSING || !dvt_load_wait_settled(load)) return false;
  }
}
