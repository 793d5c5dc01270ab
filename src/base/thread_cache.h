// Thread-local free lists for the few small objects that are made and dropped at every ABI call: status
// objects, tensor handles, buffer headers, small tensor blocks. A list never grows past its limit and is
// freed when its thread ends. Under sanitizers and in debug mode (DVT_DEBUG_ALLOCATION) the lists are off, so
// that use after free and races are seen, and every block is made and freed on the slow side.
#ifndef DVT_BASE_THREAD_CACHE_H_
#define DVT_BASE_THREAD_CACHE_H_

#include "base/base.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DVT_CACHE_OFF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DVT_CACHE_OFF 1
#endif
#endif
#ifndef DVT_CACHE_OFF
#define DVT_CACHE_OFF 0
#endif

// One list for each kind of block. A block on a list holds the next pointer in its first 8 bytes.
typedef enum dvt_cache_kind {
  DVT_CACHE_STATUS,
  DVT_CACHE_TENSOR,
  DVT_CACHE_SHAPE,     // handles of shape inference
  DVT_CACHE_BUFFER,    // headers of adopted buffers
  DVT_CACHE_BLOCK_64,  // owned buffers: header and 64, 256, 1024, 4096 bytes of data
  DVT_CACHE_BLOCK_256,
  DVT_CACHE_BLOCK_1024,
  DVT_CACHE_BLOCK_4096,
  DVT_CACHE_KINDS
} dvt_cache_kind;

typedef struct dvt_thread_cache {
  struct {
    void *head;
    size_t count;
  } lists[DVT_CACHE_KINDS];
} dvt_thread_cache;

#define DVT_CACHE_LIMIT 64  // blocks a list

// The calling thread's cache; NULL before its first push and after its end.
extern _Thread_local dvt_thread_cache *dvt_thread_cache_current __attribute__((tls_model("initial-exec")));
bool dvt_cache_push_slow(dvt_cache_kind kind, void *block);
// Frees all blocks of the calling thread's lists. Tests use it to make every constructor reach the allocator.
void dvt_cache_drain(void);

// No blocks are kept for this thread, or not yet: what debug mode asks before it looks closer.
static inline bool dvt_cache_is_absent(void) {
  return DVT_CACHE_OFF || DVT_UNLIKELY(!dvt_thread_cache_current);
}

// A block of this kind, contents undefined, or NULL: then the caller allocates one.
static inline void *dvt_cache_pop(dvt_cache_kind kind) {
  dvt_thread_cache *cache = DVT_CACHE_OFF ? NULL : dvt_thread_cache_current;
  if (DVT_UNLIKELY(!cache)) return NULL;
  void *block = cache->lists[kind].head;
  if (DVT_UNLIKELY(!block)) return NULL;
  cache->lists[kind].head = *(void **)block;
  cache->lists[kind].count--;
  return block;
}
// True when the list took the block; else the caller frees it.
static inline bool dvt_cache_push(dvt_cache_kind kind, void *block) {
  if (DVT_CACHE_OFF) return false;
  dvt_thread_cache *cache = dvt_thread_cache_current;
  if (DVT_UNLIKELY(!cache)) return dvt_cache_push_slow(kind, block);
  if (DVT_UNLIKELY(cache->lists[kind].count >= DVT_CACHE_LIMIT)) return false;
  *(void **)block = cache->lists[kind].head;
  cache->lists[kind].head = block;
  cache->lists[kind].count++;
  return true;
}

#endif  // DVT_BASE_THREAD_CACHE_H_
