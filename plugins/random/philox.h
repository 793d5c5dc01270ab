// Philox 4x32-10, the counter-based generator of Salmon et al. (2011): each counter gives four 32-bit
// numbers, so that any part of a sequence can be made on its own.
#ifndef DOVETAIL_PLUGINS_RANDOM_PHILOX_H_
#define DOVETAIL_PLUGINS_RANDOM_PHILOX_H_

#include <stdint.h>

typedef struct dvp_philox {
  uint32_t counter[4], key[2];
} dvp_philox;

static inline dvp_philox dvp_philox_of(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  return (dvp_philox){{(uint32_t)counter_low, (uint32_t)(counter_low >> 32), (uint32_t)counter_high,
                       (uint32_t)(counter_high >> 32)},
                      {(uint32_t)key, (uint32_t)(key >> 32)}};
}

// Moves on by so many counters.
static inline void dvp_philox_skip(dvp_philox *g, uint64_t count) {
  uint64_t low = (uint64_t)g->counter[1] << 32 | g->counter[0], sum = low + count;
  g->counter[0] = (uint32_t)sum;
  g->counter[1] = (uint32_t)(sum >> 32);
  if (sum < low && ++g->counter[2] == 0) ++g->counter[3];
}

// The four numbers of the current counter; moves on by one.
static inline void dvp_philox_next(dvp_philox *g, uint32_t out[4]) {
  uint32_t c0 = g->counter[0], c1 = g->counter[1], c2 = g->counter[2], c3 = g->counter[3];
  uint32_t k0 = g->key[0], k1 = g->key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t a = UINT64_C(0xD2511F53) * c0, b = UINT64_C(0xCD9E8D57) * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
  dvp_philox_skip(g, 1);
}

// Single numbers, four at a time from the generator.
typedef struct dvp_philox_stream {
  dvp_philox generator;
  uint32_t numbers[4];
  int used;
} dvp_philox_stream;

static inline dvp_philox_stream dvp_philox_stream_of(dvp_philox generator) {
  return (dvp_philox_stream){.generator = generator, .used = 4};
}
static inline uint32_t dvp_philox_one(dvp_philox_stream *s) {
  if (s->used == 4) {
    dvp_philox_next(&s->generator, s->numbers);
    s->used = 0;
  }
  return s->numbers[s->used++];
}

#endif  // DOVETAIL_PLUGINS_RANDOM_PHILOX_H_
