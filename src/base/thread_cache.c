// The slow side of the thread-local free lists: making a thread's cache at its first push, freeing it at
// thread end. One pointer of initial-exec thread storage is used, which every loader can place even for a
// library opened late.
#include "base/thread_cache.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/debug.h"

_Thread_local dvt_thread_cache *dvt_thread_cache_current __attribute__((tls_model("initial-exec")));
static _Thread_local bool thread_has_ended __attribute__((tls_model("initial-exec")));
static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static bool cache_key_made;

static void cache_empty(dvt_thread_cache *cache) {
  for (int kind = 0; kind < DVT_CACHE_KINDS; kind++) {
    void *block = cache->lists[kind].head;
    while (block) {
      void *next = *(void **)block;
      dvt_free(block);
      block = next;
    }
    cache->lists[kind].head = NULL;
    cache->lists[kind].count = 0;
  }
}

// Other key destructors may still release objects after this one: they then go to the heap directly.
static void cache_destroy(void *p) {
  thread_has_ended = true;
  dvt_thread_cache_current = NULL;
  cache_empty(p);
  dvt_free(p);
}

static void make_key(void) { cache_key_made = pthread_key_create(&cache_key, cache_destroy) == 0; }

// The main thread runs no key destructors when it leaves through exit(); the library's own end frees its
// cache, and the key must not outlive the code of its destructor.
__attribute__((destructor)) static void cache_library_end(void) {
  dvt_cache_drain();
  if (!cache_key_made) return;
  void *mine = pthread_getspecific(cache_key);
  pthread_key_delete(cache_key);
  cache_key_made = false;
  thread_has_ended = true;
  dvt_thread_cache_current = NULL;
  dvt_free(mine);
}

bool dvt_cache_push_slow(dvt_cache_kind kind, void *block) {
  if (DVT_CACHE_OFF || thread_has_ended || dvt_debug_has(DVT_DEBUG_ALLOCATION)) return false;
  pthread_once(&cache_once, make_key);
  if (!cache_key_made) return false;
  dvt_thread_cache *cache = dvt_calloc(1, sizeof *cache);
  if (!cache) return false;
  if (pthread_setspecific(cache_key, cache) != 0) {
    dvt_free(cache);
    return false;
  }
  dvt_thread_cache_current = cache;
  return dvt_cache_push(kind, block);
}

void dvt_cache_drain(void) {
  if (dvt_thread_cache_current) cache_empty(dvt_thread_cache_current);
}
