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
  atomic_store_explicit(&load->state, success ? DVT_LOAD_DONE : DVT_LOAD_FAILED, memory_order_release);
  pthread_cond_broadcast(&ended);
  pthread_mutex_unlock(&mutex);
}

void dvt_load_wait(dvt_load *load) {
  pthread_mutex_lock(&mutex);
  while (atomic_load_explicit(&load->state, memory_order_acquire) == DVT_LOAD_RUNNING)
    pthread_cond_wait(&ended, &mutex);
  pthread_mutex_unlock(&mutex);
}
