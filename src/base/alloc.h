// The one door to the heap. Every allocation of the runtime goes through these functions, so that tests can make the
// n-th one fail and count what is live. NULL means out of memory; sizes of products are checked here.
#ifndef DVT_BASE_ALLOC_H_
#define DVT_BASE_ALLOC_H_

#include "base/base.h"
#include "base/str.h"

void *dvt_malloc(size_t bytes) DVT_NODISCARD;                       // uninitialised
void *dvt_calloc(size_t count, size_t bytes_each) DVT_NODISCARD;    // zeroed, product checked
void *dvt_realloc(void *p, size_t bytes) DVT_NODISCARD;             // as realloc; p stays valid on failure
void *dvt_aligned_alloc(size_t alignment, size_t bytes) DVT_NODISCARD;
void dvt_free(void *p);  // for all of the above; NULL is fine
char *dvt_strndup(dvt_str s) DVT_NODISCARD;  // NUL-terminated copy

// Asks the system to back `bytes` of fresh, untouched memory with large pages where it can: first touching megabytes
// page by page costs more than most work on them. Only worth it, and only done, from DVT_LARGE_BYTES on.
#define DVT_LARGE_BYTES ((size_t)2 << 20)
#define DVT_LARGE_PAGE ((size_t)2 << 20)
void dvt_advise_large(void *p, size_t bytes);
// As dvt_aligned_alloc, in whole large pages where that wastes little; *out_bytes is how many bytes there are.
void *dvt_large_alloc(size_t alignment, size_t bytes, size_t *out_bytes) DVT_NODISCARD;

// Grows *items (elements of `bytes_each`) so that at least `want` fit; doubles. False and unchanged when out of memory.
bool dvt_grow(void **items, size_t *capacity, size_t want, size_t bytes_each) DVT_NODISCARD;

// Failure injection for tests: the `nth` allocation from now on (1 = the next) fails, and every one after it until
// dvt_alloc_fail_at(0). Thread-safe to call while no other thread allocates.
void dvt_alloc_fail_at(int64_t nth);
// How many allocations were attempted since the last dvt_alloc_fail_at.
int64_t dvt_alloc_attempts(void);

#endif  // DVT_BASE_ALLOC_H_
