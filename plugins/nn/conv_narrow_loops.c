// Two f32 microkernels over an image whose borders have been written out as zeros, so that the window's rows
// are runs of contiguous memory (width x channels when the width is not dilated):
// - by channel: a vector is eight output channels; a dozen pixels of a row are accumulated in registers;
// - by run: for one to four output channels a vector is eight elements of the run, and lanes are added up at
// the end. The filter is packed for either in zero-padded blocks.
// Sums are taken in two levels, of STRETCH products and then of those: an error that grows with the square
// root of the number of products would show beside libraries that block their sums.
#include <stdlib.h>
#include <string.h>

#include "nn/conv_narrow.h"

#define LANES 8
#define STRETCH 96
typedef float v8 __attribute__((vector_size(32)));

static inline v8 load(const float *p) {
  v8 x;
  memcpy(&x, p, sizeof(x));
  return x;
}
static inline void store(float *p, v8 x) { memcpy(p, &x, sizeof(x)); }
static inline v8 splat(float x) { return (v8){x, x, x, x, x, x, x, x}; }

typedef struct narrow_run {
  const dvp_window *w;
  const float *in, *packed;
  float *out;
  int64_t runs, run;         // runs of a window row, elements of a run
  int64_t run_step;          // elements of the image between two runs
  int64_t pixel, row, line;  // image elements between output pixels, output rows, window rows
} narrow_run;

// ---- by channel ----

// P pixels, C vectors of output channels. packed: [window row][run][element][C * LANES].
#define BY_CHANNEL(P, C)                                                                                  \
  static inline void channels_##P##x##C(const narrow_run *r, const float *in, const float *f, float *out, \
                                        int64_t out_step, int64_t n) {                                    \
    v8 acc[P][C], total[P][C];                                                                            \
    int64_t left = STRETCH;                                                                               \
    for (int p = 0; p < P; p++)                                                                           \
      for (int c = 0; c < C; c++) acc[p][c] = total[p][c] = splat(0);                                     \
    for (int64_t kh = 0; kh < r->w->k[0]; kh++)                                                           \
      for (int64_t u = 0; u < r->runs; u++) {                                                             \
        const float *x = in + kh * r->line + u * r->run_step;                                             \
        for (int64_t j = 0; j < r->run;) {                                                                \
          int64_t end = DVP_MIN(r->run, j + left);                                                        \
          left -= end - j;                                                                                \
          for (; j < end; j++, f += C * LANES) {                                                          \
            v8 weights[C];                                                                                \
            for (int c = 0; c < C; c++) weights[c] = load(f + c * LANES);                                 \
            for (int p = 0; p < P; p++) {                                                                 \
              const v8 a = splat(x[p * r->pixel + j]);                                                    \
              for (int c = 0; c < C; c++) acc[p][c] += a * weights[c];                                    \
            }                                                                                             \
          }                                                                                               \
          if (left == 0) {                                                                                \
            left = STRETCH;                                                                               \
            for (int p = 0; p < P; p++)                                                                   \
              for (int c = 0; c < C; c++) {                                                               \
                total[p][c] += acc[p][c];                                                                 \
                acc[p][c] = splat(0);                                                                     \
              }                                                                                           \
          }                                                                                               \
        }                                                                                                 \
      }                                                                                                   \
    for (int p = 0; p < P; p++) {                                                                         \
      float result[C * LANES];                                                                            \
      for (int c = 0; c < C; c++) store(result + c * LANES, total[p][c] + acc[p][c]);                     \
      memcpy(out + p * out_step, result, (size_t)n * sizeof(float));                                      \
    }                                                                                                     \
  }
BY_CHANNEL(12, 1)
BY_CHANNEL(6, 2)
BY_CHANNEL(1, 1)
BY_CHANNEL(1, 2)

// All pixels of one output row for one block of channels; the last group of P overlaps the one before.
#define CHANNEL_ROW(P, C)                                                                                    \
  static void channel_row_##C(const narrow_run *r, const float *in, const float *f, float *out, int64_t n) { \
    int64_t width = r->w->out[1], step = r->w->out_channels;                                                 \
    if (width < P) {                                                                                         \
      for (int64_t v = 0; v < width; v++) channels_1x##C(r, in + v * r->pixel, f, out + v * step, step, n);  \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t v = 0; v < width; v += P) {                                                                 \
      int64_t at = DVP_MIN(v, width - P);                                                                    \
      channels_##P##x##C(r, in + at * r->pixel, f, out + at * step, step, n);                                \
    }                                                                                                        \
  }
CHANNEL_ROW(12, 1)
CHANNEL_ROW(6, 2)

static void rows_by_channel(void *arg, int64_t begin, int64_t end) {
  const narrow_run *r = arg;
  const dvp_window *w = r->w;
  int64_t taps = w->k[0] * w->k[1] * w->channels;
  for (int64_t row = begin; row < end; row++) {
    const float *in = r->in + row / w->out[0] * w->in[0] * w->in[1] * w->channels + row % w->out[0] * r->row,
                *f = r->packed;
    float *out = r->out + row * w->out[1] * w->out_channels;
    for (int64_t c = 0; c < w->out_channels;) {
      int64_t rest = w->out_channels - c;
      if (rest > LANES) {
        channel_row_2(r, in, f, out + c, DVP_MIN(rest, 2 * LANES));
        f += taps * 2 * LANES;
        c += 2 * LANES;
      } else {
        channel_row_1(r, in, f, out + c, rest);
        f += taps * LANES;
        c += LANES;
      }
    }
  }
}

// [taps][out channels] -> blocks of 16 channels, the last of 8 if that is enough.
static void pack_by_channel(const dvp_window *w, const float *filter, float *packed) {
  int64_t taps = w->k[0] * w->k[1] * w->channels;
  for (int64_t c = 0; c < w->out_channels;) {
    int64_t rest = w->out_channels - c, lanes = rest > LANES ? 2 * LANES : LANES, n = DVP_MIN(rest, lanes);
    for (int64_t i = 0; i < taps; i++, packed += lanes) {
      memcpy(packed, filter + i * w->out_channels + c, (size_t)n * sizeof(float));
      memset(packed + n, 0, (size_t)(lanes - n) * sizeof(float));
    }
    c += lanes;
  }
}

// ---- by run ----

// The sums of the lanes of eight vectors, in three rounds of adding neighbours.
#define PICK __builtin_shufflevector
static inline v8 add_neighbours(v8 a, v8 b) {
  return PICK(a, b, 0, 8, 2, 10, 4, 12, 6, 14) + PICK(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
static inline v8 add_pairs(v8 a, v8 b) {
  return PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13) + PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
static inline v8 lane_sums(const v8 x[LANES]) {
  const v8 low = add_pairs(add_neighbours(x[0], x[1]), add_neighbours(x[2], x[3]));
  const v8 high = add_pairs(add_neighbours(x[4], x[5]), add_neighbours(x[6], x[7]));
  return PICK(low, high, 0, 1, 2, 3, 8, 9, 10, 11) + PICK(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
}

// P pixels of one output channel. packed: [channel][window row][run][elements]. A stretch is a window row's
// run: each lane adds an eighth of it.
#define BY_RUN(P)                                                                               \
  static inline void runs_##P(const narrow_run *r, const float *in, const float *f, float *out, \
                              int64_t out_step) {                                               \
    v8 total[LANES];                                                                            \
    float sum[P];                                                                               \
    for (int p = 0; p < LANES; p++) total[p] = splat(0);                                        \
    for (int p = 0; p < P; p++) sum[p] = 0;                                                     \
    for (int64_t kh = 0; kh < r->w->k[0]; kh++)                                                 \
      for (int64_t u = 0; u < r->runs; u++, f += r->run) {                                      \
        const float *x = in + kh * r->line + u * r->run_step;                                   \
        int64_t j = 0;                                                                          \
        v8 acc[P];                                                                              \
        for (int p = 0; p < P; p++) acc[p] = splat(0);                                          \
        for (; j + LANES <= r->run; j += LANES) {                                               \
          const v8 weights = load(f + j);                                                       \
          for (int p = 0; p < P; p++) acc[p] += load(x + p * r->pixel + j) * weights;           \
        }                                                                                       \
        for (int p = 0; p < P; p++) total[p] += acc[p];                                         \
        for (; j < r->run; j++)                                                                 \
          for (int p = 0; p < P; p++) sum[p] += x[p * r->pixel + j] * f[j];                     \
      }                                                                                         \
    const v8 sums = lane_sums(total);                                                           \
    for (int p = 0; p < P; p++) out[p * out_step] = sums[p] + sum[p];                           \
  }
BY_RUN(8)
BY_RUN(1)

static void rows_by_run(void *arg, int64_t begin, int64_t end) {
  const narrow_run *r = arg;
  const dvp_window *w = r->w;
  int64_t taps = w->k[0] * w->k[1] * w->channels, width = w->out[1], step = w->out_channels;
  for (int64_t row = begin; row < end; row++) {
    const float *in = r->in + row / w->out[0] * w->in[0] * w->in[1] * w->channels + row % w->out[0] * r->row;
    float *out = r->out + row * width * step;
    for (int64_t c = 0; c < step; c++) {
      const float *f = r->packed + c * taps;
      int64_t v = 0;
      for (; v + 8 <= width; v += 8) runs_8(r, in + v * r->pixel, f, out + v * step + c, step);
      for (; v < width; v++) runs_1(r, in + v * r->pixel, f, out + v * step + c, step);
    }
  }
}

static void pack_by_run(const dvp_window *w, const float *filter, float *packed) {
  int64_t taps = w->k[0] * w->k[1] * w->channels;
  for (int64_t c = 0; c < w->out_channels; c++)
    for (int64_t i = 0; i < taps; i++) *packed++ = filter[i * w->out_channels + c];
}

// ----

bool DVP_NARROW(dvp_call *call, const dvp_window *given, const void *in, const void *filter, void *out) {
  dvp_window w = *given;
  TF_Tensor *image_scratch = NULL, *filter_scratch = NULL;
  bool padded = w.before[0] || w.before[1] || w.after[0] || w.after[1];
  narrow_run r = {.w = &w, .in = padded ? dvp_pad_image(call, &w, in, &image_scratch) : in, .out = out};
  if (!r.in) return false;
  int64_t taps = w.k[0] * w.k[1] * w.channels, blocks = (w.out_channels + LANES - 1) / LANES;
  bool dense = w.dilation[1] == 1;
  r.runs = dense ? 1 : w.k[1];
  r.run = dense ? w.k[1] * w.channels : w.channels;
  r.run_step = w.dilation[1] * w.channels;
  r.pixel = w.stride[1] * w.channels;
  r.line = w.dilation[0] * w.in[1] * w.channels;
  r.row = w.stride[0] * w.in[1] * w.channels;
  bool by_run = w.out_channels <= 4 && r.run >= LANES;
  int64_t packed_count = by_run ? taps * w.out_channels : taps * (blocks + 1) * LANES;
  float *packed = dvp_temp(call, (size_t)packed_count * sizeof(float), &filter_scratch);
  if (packed) {
    (by_run ? pack_by_run : pack_by_channel)(&w, filter, packed);
    r.packed = packed;
    double cost = (double)w.out[1] * (double)w.out_channels * (double)taps * 20;
    dvp_parallel(call, w.batch * w.out[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15,
                 by_run ? rows_by_run : rows_by_channel, &r);
  }
  dvp_free_temp(image_scratch);
  dvp_free_temp(filter_scratch);
  return packed != NULL;
}
