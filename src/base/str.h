// dvt_str: a borrowed run of bytes (not NUL-terminated, may hold NULs). The owner is always somebody else: an arena, a
// loaded file, a caller.
#ifndef DVT_BASE_STR_H_
#define DVT_BASE_STR_H_

#include <string.h>

#include "base/base.h"

typedef struct dvt_str {
  const char *data;  // may be NULL only if len is 0
  size_t len;
} dvt_str;

#define DVT_STR(literal) ((dvt_str){"" literal, sizeof(literal) - 1})
#define DVT_STR_FMT "%.*s"
// A precision is an int; a negative one would mean "up to the NUL".
#define DVT_STR_ARG(s) (int)((s).len < INT32_MAX ? (s).len : INT32_MAX), (s).data

static inline dvt_str dvt_str_make(const char *data, size_t len) { return (dvt_str){data, len}; }
static inline dvt_str dvt_str_from(const char *z) { return (dvt_str){z, z ? strlen(z) : 0}; }
static inline bool dvt_str_eq(dvt_str a, dvt_str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}
static inline bool dvt_str_is(dvt_str a, const char *z) { return dvt_str_eq(a, dvt_str_from(z)); }
static inline bool dvt_str_starts_with(dvt_str s, dvt_str prefix) {
  return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.data, prefix.data, prefix.len) == 0);
}
static inline dvt_str dvt_str_drop(dvt_str s, size_t n) { return (dvt_str){s.data + n, s.len - n}; }
// First position of byte c, or s.len if absent.
static inline size_t dvt_str_find(dvt_str s, char c) {
  const char *p = s.len ? memchr(s.data, c, s.len) : NULL;
  return p ? (size_t)(p - s.data) : s.len;
}
// Total order: bytes, then length.
int dvt_str_compare(dvt_str a, dvt_str b);
// 64-bit hash of the bytes (wyhash-style mixing; stable within a process only).
uint64_t dvt_str_hash(dvt_str s);

#endif  // DVT_BASE_STR_H_
