// Cutting chunks into long-lived buffers: see chunk.h.
#include "tensor/chunk.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/thread_cache.h"
#include "tensor/buffer.h"

#define CHUNK_BYTES (2 * DVT_LARGE_PAGE)
// Below, a page or two more does not matter; above, a buffer has large pages of its own.
#define LEAST_BYTES ((size_t)4 << 10)
#define MOST_BYTES (DVT_LARGE_PAGE / 2)
// A process whose long-lived values are less than this does not need a large page for them.
#define START_BYTES ((size_t)512 << 10)

struct dvt_chunk {
  atomic_int users;
  char *data;
  size_t used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dvt_chunk *current;  // being cut, with a reference; NULL: none yet
static size_t asked;        // bytes, up to START_BYTES

void dvt_chunk_release(dvt_chunk *chunk) {
  if (!chunk || atomic_fetch_sub_explicit(&chunk->users, 1, memory_order_acq_rel) > 1) return;
  dvt_free(chunk->data);
  dvt_free(chunk);
}

static dvt_chunk *chunk_new(void) {
  dvt_chunk *chunk = dvt_calloc(1, sizeof *chunk);
  if (!chunk) return NULL;
  chunk->data = dvt_aligned_alloc(DVT_LARGE_PAGE, CHUNK_BYTES);
  if (!chunk->data) {
    dvt_free(chunk);
    return NULL;
  }
  dvt_advise_large(chunk->data, CHUNK_BYTES);
  atomic_init(&chunk->users, 1);
  return chunk;
}

static void *take(size_t bytes, dvt_chunk **out_chunk) {
  if (asked < START_BYTES) {
    asked += bytes;
    return NULL;
  }
  if (!current || CHUNK_BYTES - current->used < bytes) {
    dvt_chunk *fresh = chunk_new();
    if (!fresh) return NULL;
    dvt_chunk_release(current);
    current = fresh;
  }
  void *room = current->data + current->used;
  current->used += bytes;
  atomic_fetch_add_explicit(&current->users, 1, memory_order_relaxed);
  *out_chunk = current;
  return room;
}

void *dvt_chunk_take(size_t bytes, dvt_chunk **out_chunk) {
  // Under the sanitizers every buffer is an allocation of its own.
  if (DVT_CACHE_OFF || bytes < LEAST_BYTES || bytes > MOST_BYTES) return NULL;
  bytes = (bytes + DVT_TENSOR_ALIGNMENT - 1) & ~(size_t)(DVT_TENSOR_ALIGNMENT - 1);
  pthread_mutex_lock(&lock);
  void *room = take(bytes, out_chunk);
  pthread_mutex_unlock(&lock);
  return room;
}
