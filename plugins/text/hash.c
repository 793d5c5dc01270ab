// Hash functions over bytes, read as little-endian words on every machine; see hash.h.
#include "text/hash.h"

static uint64_t load64(const char *p) {
  uint64_t x = 0;
  for (int i = 7; i >= 0; i--) x = x << 8 | (unsigned char)p[i];
  return x;
}
static uint64_t load32(const char *p) {
  uint64_t x = 0;
  for (int i = 3; i >= 0; i--) x = x << 8 | (unsigned char)p[i];
  return x;
}
static uint64_t rotate_right(uint64_t x, int n) { return x >> n | x << (64 - n); }
static uint64_t rotate_left(uint64_t x, int n) { return x << n | x >> (64 - n); }

// ---- FarmHash ----

static const uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

static uint64_t shift_mix(uint64_t x) { return x ^ x >> 47; }

static uint64_t mix_pair(uint64_t u, uint64_t v, uint64_t multiplier) {
  uint64_t a = shift_mix((u ^ v) * multiplier);
  return shift_mix((v ^ a) * multiplier) * multiplier;
}

static uint64_t farm_up_to_16(const char *p, size_t n) {
  uint64_t multiplier = k2 + n * 2;
  if (n >= 8) {
    uint64_t a = load64(p) + k2, b = load64(p + n - 8);
    return mix_pair(rotate_right(b, 37) * multiplier + a, (rotate_right(a, 25) + b) * multiplier, multiplier);
  }
  if (n >= 4) return mix_pair(n + (load32(p) << 3), load32(p + n - 4), multiplier);
  if (n == 0) return k2;
  uint64_t first = (unsigned char)p[0], middle = (unsigned char)p[n >> 1], last = (unsigned char)p[n - 1];
  return shift_mix((first + (middle << 8)) * k2 ^ (n + (last << 2)) * k0) * k2;
}

static uint64_t farm_up_to_32(const char *p, size_t n) {
  uint64_t multiplier = k2 + n * 2;
  uint64_t a = load64(p) * k1, b = load64(p + 8), c = load64(p + n - 8) * multiplier,
           d = load64(p + n - 16) * k2;
  return mix_pair(rotate_right(a + b, 43) + rotate_right(c, 30) + d, a + rotate_right(b + k2, 18) + c,
                  multiplier);
}

static uint64_t farm_up_to_64(const char *p, size_t n) {
  uint64_t multiplier = k2 + n * 2;
  uint64_t a = load64(p) * k2, b = load64(p + 8), c = load64(p + n - 8) * multiplier,
           d = load64(p + n - 16) * k2;
  uint64_t y = rotate_right(a + b, 43) + rotate_right(c, 30) + d;
  uint64_t z = mix_pair(y, a + rotate_right(b + k2, 18) + c, multiplier);
  uint64_t e = load64(p + 16) * multiplier, f = load64(p + 24);
  uint64_t g = (y + load64(p + n - 32)) * multiplier, h = (z + load64(p + n - 24)) * multiplier;
  return mix_pair(rotate_right(e + f, 43) + rotate_right(g, 30) + h, e + rotate_right(f + a, 18) + g,
                  multiplier);
}

typedef struct farm_state {
  uint64_t x, y, z, v[2], w[2];
} farm_state;

static void absorb_32(const char *p, uint64_t a, uint64_t b, uint64_t out[2]) {
  uint64_t last = load64(p + 24), before = a + load64(p);
  b = rotate_right(b + before + last, 21);
  a = before + load64(p + 8) + load64(p + 16);
  b += rotate_right(a, 44);
  out[0] = a + last;
  out[1] = b + before;
}

// One block of 64 bytes; `nines` is 9 for the last one.
static void farm_block(farm_state *s, const char *p, uint64_t multiplier, uint64_t nines) {
  s->x = rotate_right(s->x + s->y + s->v[0] + load64(p + 8), 37) * multiplier;
  s->y = rotate_right(s->y + s->v[1] + load64(p + 48), 42) * multiplier;
  s->x ^= s->w[1] * nines;
  s->y += s->v[0] * nines + load64(p + 40);
  s->z = rotate_right(s->z + s->w[0], 33) * multiplier;
  absorb_32(p, s->v[1] * multiplier, s->x + s->w[0], s->v);
  absorb_32(p + 32, s->z + s->w[1], s->y + load64(p + 16), s->w);
  uint64_t swapped = s->z;
  s->z = s->x;
  s->x = swapped;
}

uint64_t dvx_fingerprint64(dvx_span text) {
  const char *p = text.data;
  size_t n = text.bytes;
  if (n <= 16) return farm_up_to_16(p, n);
  if (n <= 32) return farm_up_to_32(p, n);
  if (n <= 64) return farm_up_to_64(p, n);
  const uint64_t seed = 81;
  farm_state s = {.x = seed * k2 + load64(p), .y = seed * k1 + 113};
  s.z = shift_mix(s.y * k2 + 113) * k2;
  size_t rest = (n - 1) % 64;
  for (size_t i = 0; i < (n - 1) / 64; i++) farm_block(&s, p + i * 64, k1, 1);
  uint64_t multiplier = k1 + ((s.z & 0xff) << 1);
  s.w[0] += rest;
  s.v[0] += s.w[0];
  s.w[0] += s.v[0];
  farm_block(&s, p + n - 64, multiplier, 9);
  return mix_pair(mix_pair(s.v[0], s.w[0], multiplier) + shift_mix(s.y) * k0 + s.z,
                  mix_pair(s.v[1], s.w[1], multiplier) + s.x, multiplier);
}

// ---- SipHash ----

static void sip_round(uint64_t v[4]) {
  v[0] += v[1];
  v[1] = rotate_left(v[1], 13) ^ v[0];
  v[0] = rotate_left(v[0], 32);
  v[2] += v[3];
  v[3] = rotate_left(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = rotate_left(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = rotate_left(v[1], 17) ^ v[2];
  v[2] = rotate_left(v[2], 32);
}

static void sip_absorb(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  sip_round(v);
  sip_round(v);
  v[0] ^= word;
}

uint64_t dvx_siphash(dvx_span s, const uint64_t key[2]) {
  uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                   key[1] ^ 0x7465646279746573};
  size_t whole = s.bytes & ~(size_t)7;
  for (size_t i = 0; i < whole; i += 8) sip_absorb(v, load64(s.data + i));
  uint64_t last = (uint64_t)s.bytes << 56;
  for (size_t i = whole; i < s.bytes; i++) last |= (uint64_t)(unsigned char)s.data[i] << 8 * (i - whole);
  sip_absorb(v, last);
  v[2] ^= 0xff;
  for (int i = 0; i < 4; i++) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// ---- MurmurHash64A ----

uint64_t dvx_hash64(dvx_span s) {
  const uint64_t multiplier = 0xc6a4a7935bd1e995;
  uint64_t h = 0xDECAFCAFFE ^ s.bytes * multiplier;
  size_t whole = s.bytes & ~(size_t)7;
  for (size_t i = 0; i < whole; i += 8) {
    uint64_t k = load64(s.data + i) * multiplier;
    h = (h ^ (k ^ k >> 47) * multiplier) * multiplier;
  }
  if (whole < s.bytes) {
    uint64_t last = 0;
    for (size_t i = s.bytes; i > whole; i--) last = last << 8 | (unsigned char)s.data[i - 1];
    h = (h ^ last) * multiplier;
  }
  h = shift_mix(h) * multiplier;
  return shift_mix(h);
}
