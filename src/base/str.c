// Comparison and hashing of byte strings. The hash multiplies 8-byte lanes into 128 bits and folds the
// halves; keys of up to 16 bytes, most names, need two loads and two multiplications.
#include "base/str.h"

int dvt_str_compare(dvt_str a, dvt_str b) {
  size_t common = DVT_MIN(a.len, b.len);
  int order = common ? memcmp(a.data, b.data, common) : 0;
  if (order) return order;
  return (a.len > b.len) - (a.len < b.len);
}

static inline uint64_t load64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline uint64_t load32(const unsigned char *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 u128;
  u128 product = (u128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Odd constants with balanced bits (digits of pi and e).
#define K0 0x243f6a8885a308d3u
#define K1 0x13198a2e03707345u
#define K2 0xb7e151628aed2a6bu

uint64_t dvt_str_hash(dvt_str s) {
  const unsigned char *p = (const unsigned char *)s.data;
  size_t n = s.len;
  uint64_t seed = K0 ^ n, a = 0, b = 0;
  while (n > 16) {
    seed = fold(load64(p) ^ K1, load64(p + 8) ^ seed);
    p += 16;
    n -= 16;
  }
  if (n >= 8) {
    a = load64(p);
    b = load64(p + n - 8);
  } else if (n >= 4) {
    a = load32(p);
    b = load32(p + n - 4);
  } else if (n > 0) {
    a = (uint64_t)p[0] << 16 | (uint64_t)p[n >> 1] << 8 | p[n - 1];
  }
  return fold(K2 ^ s.len, fold(a ^ K1, b ^ seed));
}
