// CRC-32C with the SSE4.2 instruction where the processor has it, else eight bytes at a time from tables that
// are made on first use. Polynomial 0x1EDC6F41, reflected: 0x82F63B78.
#include "graph/crc32c.h"

#include <pthread.h>
#include <string.h>

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void tables_fill(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1)));
    tables[0][i] = crc;
  }
  for (int t = 1; t < 8; ++t)
    for (uint32_t i = 0; i < 256; ++i)
      tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
}

uint32_t dvt_crc32c_extend_portable(uint32_t crc, const void *bytes, size_t len) {
  pthread_once(&tables_once, tables_fill);
  const uint8_t *p = bytes;
  crc = ~crc;
  for (; len >= 8; len -= 8, p += 8) {
    uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
          tables[4][low >> 24] ^ tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
  }
  for (; len > 0; --len, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)
DVT_TARGET("sse4.2")
static uint32_t extend_sse42(uint32_t crc, const void *bytes, size_t len) {
  const uint8_t *p = bytes;
  uint64_t state = ~crc;
  for (; len >= 8; len -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = __builtin_ia32_crc32di(state, word);
  }
  uint32_t rest = (uint32_t)state;
  for (; len > 0; --len, ++p) rest = __builtin_ia32_crc32qi(rest, *p);
  return ~rest;
}
#endif

uint32_t dvt_crc32c_extend(uint32_t crc, const void *bytes, size_t len) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return extend_sse42(crc, bytes, len);
#endif
  return dvt_crc32c_extend_portable(crc, bytes, len);
}
