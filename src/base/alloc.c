// The runtime's heap functions: the C library's, with checked products and failure injection. Until a test
// calls dvt_alloc_fail_at for the first time, the cost over malloc is one load and a branch.
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/thread_cache.h"

static atomic_bool watched;         // has dvt_alloc_fail_at ever been called?
static atomic_llong attempts;       // since then
static atomic_llong first_failure;  // 0 = none

DVT_COLD static bool watched_attempt_fails(void) {
  long long n = atomic_fetch_add_explicit(&attempts, 1, memory_order_relaxed) + 1;
  long long limit = atomic_load_explicit(&first_failure, memory_order_relaxed);
  return limit > 0 && n >= limit;
}

static inline bool attempt_fails(void) {
  if (DVT_LIKELY(!atomic_load_explicit(&watched, memory_order_relaxed))) return false;
  return watched_attempt_fails();
}

void dvt_alloc_fail_at(int64_t nth) {
  atomic_store(&attempts, 0);
  atomic_store(&first_failure, nth > 0 ? nth : 0);
  atomic_store(&watched, true);
}

int64_t dvt_alloc_attempts(void) { return atomic_load(&attempts); }

// Zero bytes still give a distinct pointer, so that NULL always means failure.
void *dvt_malloc(size_t bytes) {
  if (attempt_fails()) return NULL;
  return malloc(bytes ? bytes : 1);
}

void *dvt_calloc(size_t count, size_t bytes_each) {
  size_t bytes;
  if (attempt_fails() || !dvt_size_mul(count, bytes_each, &bytes)) return NULL;
  return calloc(1, bytes ? bytes : 1);
}

void *dvt_realloc(void *p, size_t bytes) {
  if (attempt_fails()) return NULL;
  return realloc(p, bytes ? bytes : 1);
}

void *dvt_aligned_alloc(size_t alignment, size_t bytes) {
  void *p = NULL;
  if (attempt_fails()) return NULL;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  return posix_memalign(&p, alignment, bytes ? bytes : 1) == 0 ? p : NULL;
}

void dvt_free(void *p) { free(p); }

void dvt_advise_large(void *p, size_t bytes) {
  const uintptr_t page = DVT_LARGE_PAGE;
  if (!p || bytes < DVT_LARGE_BYTES) return;
  uintptr_t begin = ((uintptr_t)p + page - 1) & ~(page - 1), end = ((uintptr_t)p + bytes) & ~(page - 1);
  if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *dvt_large_alloc(size_t alignment, size_t bytes, size_t *out_bytes) {
  *out_bytes = bytes;
  if (bytes > PTRDIFF_MAX) return NULL;
  size_t whole = (bytes + DVT_LARGE_PAGE - 1) & ~(DVT_LARGE_PAGE - 1);
  if (DVT_CACHE_OFF || whole - bytes > bytes / 2) return dvt_aligned_alloc(alignment, bytes);
  void *p = dvt_aligned_alloc(DVT_LARGE_PAGE, whole);
  dvt_advise_large(p, whole);
  *out_bytes = whole;
  return p;
}

char *dvt_strndup(dvt_str s) {
  size_t bytes;
  if (!dvt_size_add(s.len, 1, &bytes)) return NULL;
  char *copy = dvt_malloc(bytes);
  if (!copy) return NULL;
  if (s.len) memcpy(copy, s.data, s.len);
  copy[s.len] = '\0';
  return copy;
}

bool dvt_grow(void **items, size_t *capacity, size_t want, size_t bytes_each) {
  if (want <= *capacity) return true;
  size_t grown = *capacity < SIZE_MAX / 2 ? *capacity * 2 : want;
  size_t count = DVT_MAX(DVT_MAX(grown, want), (size_t)4);
  size_t bytes;
  if (!dvt_size_mul(count, bytes_each, &bytes)) return false;
  void *p = dvt_realloc(*items, bytes);
  if (!p) return false;
  *items = p;
  *capacity = count;
  return true;
}
