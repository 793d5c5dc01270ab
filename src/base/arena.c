// Bump allocator over a list of blocks that double in size up to 1 MiB, or up to a large page. A request
// larger than the next block gets a block of its own behind the newest one, so that the room left in the
// newest block is not lost.
#include "base/arena.h"

#define FIRST_BLOCK_BYTES ((size_t)4096)
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)
#define LARGE_PAGES_FROM ((size_t)256 << 10)  // a large page costs as much as touching 128 KiB in small ones

struct dvt_arena_block {
  dvt_arena_block *next;
  size_t bytes;  // of the whole block
  _Alignas(8) char data[];
};

void dvt_arena_deinit(dvt_arena *arena) {
  for (dvt_arena_block *block = arena->blocks; block;) {
    dvt_arena_block *next = block->next;
    dvt_free(block);
    block = next;
  }
  *arena = (dvt_arena){0};
}

void dvt_arena_reset(dvt_arena *arena) {
  dvt_arena_block *newest = arena->blocks;
  if (!newest) return;
  for (dvt_arena_block *block = newest->next; block;) {
    dvt_arena_block *next = block->next;
    dvt_free(block);
    block = next;
  }
  newest->next = NULL;
  arena->next = newest->data;
  arena->end = (char *)newest + newest->bytes;
}

static dvt_arena_block *block_new(size_t data_bytes) {
  size_t bytes;
  if (!dvt_size_add(data_bytes, sizeof(dvt_arena_block), &bytes)) return NULL;
  dvt_arena_block *block =
      bytes < DVT_LARGE_BYTES ? dvt_malloc(bytes) : dvt_aligned_alloc(DVT_LARGE_PAGE, bytes);
  dvt_advise_large(block, bytes);
  if (block) block->bytes = bytes;
  return block;
}

void *dvt_arena_alloc_slow(dvt_arena *arena, size_t bytes) {
  size_t rounded = (bytes + 7) & ~(size_t)7;
  if (rounded < bytes) return NULL;
  if (arena->next && rounded <= (size_t)(arena->end - arena->next)) {
    void *p = arena->next;
    arena->next += rounded;
    return p;
  }
  size_t usual = arena->block_bytes ? arena->block_bytes : FIRST_BLOCK_BYTES;
  size_t usual_data = usual - sizeof(dvt_arena_block);
  if (rounded > usual_data / 2 && arena->blocks) {
    dvt_arena_block *own = block_new(rounded);
    if (!own) return NULL;
    own->next = arena->blocks->next;
    arena->blocks->next = own;
    return own->data;
  }
  dvt_arena_block *block = block_new(DVT_MAX(usual_data, rounded));
  if (!block) return NULL;
  block->next = arena->blocks;
  arena->blocks = block;
  arena->next = block->data + rounded;
  arena->end = (char *)block + block->bytes;
  arena->block_bytes = arena->in_large_pages && usual >= LARGE_PAGES_FROM
                           ? DVT_LARGE_PAGE
                           : DVT_MIN(usual * 2, LARGEST_BLOCK_BYTES);
  return block->data;
}

bool dvt_arena_reserve(dvt_arena *arena, size_t bytes) {
  if (arena->next && bytes <= (size_t)(arena->end - arena->next)) return true;
  dvt_arena_block *block = block_new(bytes);
  if (!block) return false;
  block->next = arena->blocks;
  arena->blocks = block;
  arena->next = block->data;
  arena->end = (char *)block + block->bytes;
  return true;
}

void *dvt_arena_calloc(dvt_arena *arena, size_t count, size_t bytes_each) {
  size_t bytes;
  if (!dvt_size_mul(count, bytes_each, &bytes)) return NULL;
  void *p = dvt_arena_alloc(arena, bytes);
  if (p) memset(p, 0, bytes);
  return p;
}

bool dvt_arena_copy_str(dvt_arena *arena, dvt_str s, dvt_str *out) {
  size_t bytes;
  if (!dvt_size_add(s.len, 1, &bytes)) return false;
  char *copy = dvt_arena_alloc(arena, bytes);
  if (!copy) return false;
  if (s.len) memcpy(copy, s.data, s.len);
  copy[s.len] = '\0';
  *out = dvt_str_make(copy, s.len);
  return true;
}

size_t dvt_arena_bytes(const dvt_arena *arena) {
  size_t total = 0;
  for (const dvt_arena_block *block = arena->blocks; block; block = block->next) total += block->bytes;
  return total - (size_t)(arena->end - arena->next);
}
