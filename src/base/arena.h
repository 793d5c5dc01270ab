// Bump allocator: many small objects with one lifetime (a graph, a plan, an op registry). Not thread-safe.
#ifndef DVT_BASE_ARENA_H_
#define DVT_BASE_ARENA_H_

#include "base/alloc.h"

typedef struct dvt_arena_block dvt_arena_block;
typedef struct dvt_arena {
  dvt_arena_block *blocks;  // newest first
  char *next, *end;
  size_t block_bytes;  // size of the next block; doubles up to 1 MiB
  // May be set at the start: memory beyond half a MiB then comes in large pages, whole ones. For what is
  // written once, in bulk.
  bool in_large_pages;
} dvt_arena;

// A zero-initialised dvt_arena is ready to use.
void dvt_arena_deinit(dvt_arena *arena);
// Forgets everything but keeps the newest block for reuse.
void dvt_arena_reset(dvt_arena *arena);
void *dvt_arena_alloc_slow(dvt_arena *arena, size_t bytes) DVT_NODISCARD;
// 8-byte aligned, uninitialised; NULL when out of memory. `bytes` 0 gives a non-NULL pointer.
static inline void *dvt_arena_alloc(dvt_arena *arena, size_t bytes) {
  size_t n = (bytes + 7) & ~(size_t)7;
  if (DVT_LIKELY(n >= bytes && n <= (size_t)(arena->end - arena->next) && arena->next)) {
    void *p = arena->next;
    arena->next += n;
    return p;
  }
  return dvt_arena_alloc_slow(arena, bytes);
}
// Sees to it that the next `bytes` are handed out without another allocation. False when out of memory.
bool dvt_arena_reserve(dvt_arena *arena, size_t bytes) DVT_NODISCARD;
void *dvt_arena_calloc(dvt_arena *arena, size_t count, size_t bytes_each) DVT_NODISCARD;
// Copies; the copy is NUL-terminated too. *out untouched when out of memory (false).
bool dvt_arena_copy_str(dvt_arena *arena, dvt_str s, dvt_str *out) DVT_NODISCARD;
// Bytes handed out so far plus block overhead, for accounting.
size_t dvt_arena_bytes(const dvt_arena *arena);

#endif  // DVT_BASE_ARENA_H_
