// Products with a packed right-hand side: see packed.h. A block of 6 x 16 or 4 x 24 results stays in
// registers while it runs down the rows of a panel.
#include "common/packed.h"

#include <string.h>

#if defined(__x86_64__) && !defined(DVP_ISA_V3)
// Sixteen short registers do not hold such a block.
const dvp_packed_code *DVP_PACKED_CODE(void) { return NULL; }
#else

#ifdef __AVX__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define LANES 8
#define MAX_ROWS 6
#define MAX_WIDTH 24
// Rows of B that a block runs down before the next panel's turn.
#define DEPTH 8192
// Rows of B that are packed before the next panel's turn.
#define PACKED_AT_ONCE 32
#define EXPONENT UINT32_C(0x7f800000)  // of what is not finite

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));
#ifndef __AVX__
typedef int32_t masks __attribute__((vector_size(32)));
#endif

INLINE lanes load(const float *from) { return *(const lanes *)from; }
INLINE void store(float *to, lanes x) { *(lanes *)to = x; }
INLINE lanes splat(float x) { return (lanes){x, x, x, x, x, x, x, x}; }
// NaN stays.
#ifdef __AVX__
INLINE lanes clamp(lanes x, float low, float high) {
  return (lanes)_mm256_min_ps((__m256)splat(high), _mm256_max_ps((__m256)splat(low), (__m256)x));
}
#else
INLINE lanes choose(masks which, lanes a, lanes b) {
  return (lanes)(((masks)a & which) | ((masks)b & ~which));
}
INLINE lanes clamp(lanes x, float low, float high) {
  lanes l = splat(low), h = splat(high);
  x = choose(x < l, l, x);
  return choose(x > h, h, x);
}
#endif

// `count` numbers of a row of B, of which the first is for column 0 of a panel; counts what is not finite.
static uint32_t pack_row(const float *from, int64_t step, const float *scale, int64_t count, float *to) {
  uint32_t bad = 0;
  if (step == 1)
    memcpy(to, from, (size_t)count * sizeof(float));
  else
    for (int64_t c = 0; c < count; c++) to[c] = from[c * step];
  for (int64_t c = 0; c < count && scale; c++) {
    uint32_t bits;
    to[c] *= scale[c];
    memcpy(&bits, &to[c], sizeof(bits));
    bad += (bits & EXPONENT) == EXPONENT;
  }
  return bad;
}

static bool pack(const float *b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, const float *scale,
                 float *packed, int64_t k0, int64_t k1) {
  uint32_t bad = 0;
  for (int64_t begin = k0; begin < k1; begin += PACKED_AT_ONCE) {
    int64_t end = MIN(k1, begin + PACKED_AT_ONCE);
    for (int64_t j = 0, width = dvp_packed_first_width(n); j < n; j += width, width = 16) {
      int64_t count = MIN(width, n - j);
      for (int64_t r = begin; r < end; r++) {
        float *to = packed + j * k + r * width;
        bad |= pack_row(b + r * b_row + j * b_col, b_col, scale ? scale + j : NULL, count, to);
        for (int64_t c = count; c < width; c++) to[c] = 0;
      }
    }
  }
  return !bad;
}

// ---- products ----

// What a block runs over: `segments` runs of `length` rows of B, from `skip` on in each.
typedef struct depth {
  const float *const *rows;
  int64_t stride, segments, skip, length;
  const float *b;
} depth;

// How the results of a block begin (with a bias, unless `out` holds partial sums) and leave.
typedef struct place {
  float *out;
  int64_t out_row;
  bool begun;
  const float *bias, *side;
  int64_t side_row;
  bool clamps;
  float low, high;
} place;

INLINE void block(int rows, int vectors, const depth *d, const place *p) {
  lanes acc[MAX_ROWS][MAX_WIDTH / LANES];
  for (int v = 0; v < vectors; v++) {
    lanes first = p->bias ? load(p->bias + v * LANES) : splat(0);
    for (int r = 0; r < rows; r++) acc[r][v] = first;
  }
  if (p->begun)
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < vectors; v++) acc[r][v] = load(p->out + r * p->out_row + v * LANES);
  const float *b = d->b;
  for (int64_t s = 0; s < d->segments; s++) {
    const float *a[MAX_ROWS];
    for (int r = 0; r < rows; r++) a[r] = d->rows[s * d->stride + r] + d->skip;
    for (int64_t k = 0; k < d->length; k++, b += vectors * LANES) {
      lanes w[MAX_WIDTH / LANES];
      for (int v = 0; v < vectors; v++) w[v] = load(b + v * LANES);
      for (int r = 0; r < rows; r++) {
        lanes x = splat(a[r][k]);
        for (int v = 0; v < vectors; v++) acc[r][v] += x * w[v];
      }
    }
  }
  if (p->side)
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < vectors; v++) acc[r][v] += load(p->side + r * p->side_row + v * LANES);
  if (p->clamps)
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < vectors; v++) acc[r][v] = clamp(acc[r][v], p->low, p->high);
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) store(p->out + r * p->out_row + v * LANES, acc[r][v]);
}

#define BLOCK(rows, vectors)                                                                       \
  static __attribute__((noinline)) void block_##rows##_##vectors(const depth *d, const place *p) { \
    block(rows, vectors, d, p);                                                                    \
  }
BLOCK(1, 1)
BLOCK(2, 1)
BLOCK(3, 1)
BLOCK(4, 1)
BLOCK(5, 1)
BLOCK(6, 1)
BLOCK(1, 2)
BLOCK(2, 2)
BLOCK(3, 2)
BLOCK(4, 2)
BLOCK(5, 2)
BLOCK(6, 2)
BLOCK(1, 3)
BLOCK(2, 3)
BLOCK(3, 3)
BLOCK(4, 3)
static void (*const blocks[3][MAX_ROWS])(const depth *d, const place *p) = {
    {block_1_1, block_2_1, block_3_1, block_4_1, block_5_1, block_6_1},
    {block_1_2, block_2_2, block_3_2, block_4_2, block_5_2, block_6_2},
    {block_1_3, block_2_3, block_3_3, block_4_3}};

// A block of which `count` columns exist is computed in a block of its own; the summands that end short of
// the panel are copied likewise.
static void edge_block(int64_t rows, int64_t width, int64_t count, const depth *d, const place *p) {
  float out[MAX_ROWS * MAX_WIDTH] = {0}, bias[MAX_WIDTH] = {0}, side[MAX_ROWS * MAX_WIDTH] = {0};
  size_t bytes = (size_t)count * sizeof(float);
  place inner = *p;
  inner.out = out;
  inner.out_row = inner.side_row = width;
  for (int64_t r = 0; r < rows && p->begun; r++) memcpy(out + r * width, p->out + r * p->out_row, bytes);
  for (int64_t r = 0; r < rows && p->side; r++) memcpy(side + r * width, p->side + r * p->side_row, bytes);
  if (p->side) inner.side = side;
  if (p->bias) inner.bias = memcpy(bias, p->bias, bytes);
  blocks[width / LANES - 1][rows - 1](d, &inner);
  for (int64_t r = 0; r < rows; r++) memcpy(p->out + r * p->out_row, out + r * width, bytes);
}

// A panel's columns of all rows, in blocks of nearly the same height.
static void panel(const dvp_packed_job *job, int64_t column, int64_t width, depth d, bool begun, bool ends) {
  int64_t most = width == MAX_WIDTH ? 4 : MAX_ROWS, count = MIN(width, job->n - column);
  int64_t blocks_left = (job->row_count + most - 1) / most, r = 0;
  const dvp_packed_end *end = &job->end;
  place p = {.out_row = job->n,
             .side_row = job->n,
             .begun = begun,
             .bias = end->bias ? end->bias + column : NULL,
             .clamps = ends && end->clamps,
             .low = end->low,
             .high = end->high};
  const float *const *rows = d.rows;
  for (; blocks_left > 0; blocks_left--) {
    int64_t height = (job->row_count - r + blocks_left - 1) / blocks_left, at = r * job->n + column;
    p.out = job->out + at;
    p.side = ends && end->side ? end->side + at : NULL;
    d.rows = rows + r;
    if (count < width)
      edge_block(height, width, count, &d, &p);
    else
      blocks[width / LANES - 1][height - 1](&d, &p);
    r += height;
  }
}

static void panels(const dvp_packed_job *job, int64_t segment, int64_t segments, int64_t skip,
                   int64_t length) {
  int64_t k = job->segments * job->length, row = segment * job->length + skip;
  bool ends = row + (segments - 1) * job->length + length == k;
  int64_t first = dvp_packed_first_width(job->n);
  for (int64_t j = job->n0, width; j < job->n1; j += width) {
    width = j == 0 ? first : 16;
    depth d = {job->rows + segment * job->row_count, job->row_count, segments, skip, length,
               job->packed + j * k + row * width};
    panel(job, j, width, d, row > 0, ends);
  }
}

static void multiply(const dvp_packed_job *job) {
  // Partial sums must not overwrite what is still to be added.
  bool whole = job->end.side == job->out || job->segments * job->length <= DEPTH;
  int64_t length = whole ? job->length : MIN(job->length, DEPTH);
  int64_t segments = whole ? job->segments : MIN(job->segments, DEPTH / length);
  for (int64_t s = 0; s < job->segments; s += segments)
    for (int64_t skip = 0; skip < job->length; skip += length)
      panels(job, s, MIN(segments, job->segments - s), skip, MIN(length, job->length - skip));
}

// ---- convolution channel by channel ----

INLINE void depthwise_block(int pixels, int vectors, const dvp_depthwise_job *job, int64_t c) {
  lanes acc[DVP_DEPTHWISE_PIXELS][2];
  for (int p = 0; p < pixels; p++)
    for (int v = 0; v < vectors; v++) acc[p][v] = splat(0);
  const float *w = job->filter + c;
  const float *const *taps = job->taps;
  for (int64_t t = 0; t < job->tap_count; t++, w += job->channels, taps += pixels)
    for (int v = 0; v < vectors; v++) {
      lanes f = load(w + v * LANES);
      for (int p = 0; p < pixels; p++) acc[p][v] += f * load(taps[p] + c + v * LANES);
    }
  for (int p = 0; p < pixels; p++)
    for (int v = 0; v < vectors; v++) {
      int64_t at = p * job->channels + c + v * LANES;
      lanes x = acc[p][v];
      if (job->end.bias) x += load(job->end.bias + c + v * LANES);
      if (job->end.side) x += load(job->end.side + at);
      if (job->end.clamps) x = clamp(x, job->end.low, job->end.high);
      store(job->out + at, x);
    }
}

static void depthwise_rest(const dvp_depthwise_job *job, int64_t c) {
  for (int64_t p = 0; p < job->pixels; p++) {
    int64_t at = p * job->channels + c;
    float x = 0;
    for (int64_t t = 0; t < job->tap_count; t++)
      x += job->filter[t * job->channels + c] * job->taps[t * job->pixels + p][c];
    if (job->end.bias) x += job->end.bias[c];
    if (job->end.side) x += job->end.side[at];
    if (job->end.clamps) x = x < job->end.low ? job->end.low : x > job->end.high ? job->end.high : x;
    job->out[at] = x;
  }
}

INLINE void depthwise_channels(int pixels, const dvp_depthwise_job *job) {
  int64_t c = 0;
  for (; c + 2 * LANES <= job->channels; c += 2 * LANES) depthwise_block(pixels, 2, job, c);
  for (; c + LANES <= job->channels; c += LANES) depthwise_block(pixels, 1, job, c);
  for (; c < job->channels; c++) depthwise_rest(job, c);
}

static void depthwise(const dvp_depthwise_job *job) {
  switch (job->pixels) {
    case 1:
      depthwise_channels(1, job);
      break;
    case 2:
      depthwise_channels(2, job);
      break;
    case 3:
      depthwise_channels(3, job);
      break;
    default:
      depthwise_channels(DVP_DEPTHWISE_PIXELS, job);
      break;
  }
}

const dvp_packed_code *DVP_PACKED_CODE(void) {
  static const dvp_packed_code code = {pack, multiply, depthwise};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return NULL;
#endif
  return &code;
}
#endif
