// Two f64 microkernels over a padded image that has been widened to f64 once:
// - by pixel, for up to four output channels: lanes are neighbouring output pixels. So that a tap reads them
//   from contiguous memory, an image row is stored as `phases` rows, one for each remainder of the column by
//   the stride.
// - by channel: lanes are output channels; an image row is stored as it is.
#include "nn/conv_signal.h"

#include <inttypes.h>
#include <string.h>

#define MIN_TAPS 64
#define LANES 4
#define PIXELS 32  // by pixel: output pixels at once
#define GROUP 4    // by channel: output pixels at once
typedef double v4 __attribute__((vector_size(32)));

static inline v4 load(const double *p) {
  v4 x;
  memcpy(&x, p, sizeof(x));
  return x;
}
static inline v4 splat(double x) { return (v4){x, x, x, x}; }
static inline void store_floats(v4 x, float *out) {
  for (int k = 0; k < LANES; k++) out[k] = (float)x[k];
}

typedef struct signal_run {
  const dvp_window *w;
  const float *in;
  double *image;           // [image row][phase][length]
  int64_t phases, length;  // of an image row
  const int64_t *taps;     // offset of each tap of a window row in an image row
  const double *packed;
  float *out;
  int64_t units;  // of an output row
} signal_run;

static bool by_pixel(const dvp_window *w) { return w->out_channels <= 4; }

bool DVP_IS_SIGNAL(const dvp_window *w) {
  if (w->groups != 1 || w->channels != 1 || w->k[0] > INT32_MAX || w->k[0] * w->k[1] < MIN_TAPS) return false;
  return !by_pixel(w) || (w->stride[1] <= 16 && w->out[1] >= PIXELS / 2);
}

// ---- the image ----

static inline void widen_strided(const float *in, double *out, int64_t n, int64_t step) {
  for (int64_t i = 0; i < n; i++) out[i] = in[i * step];
}

// Units are rows of phases.
static void widen(void *arg, int64_t begin, int64_t end) {
  const signal_run *r = arg;
  int64_t width = r->w->in[1];
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t phase = unit % r->phases, there = DVP_MAX(0, (width - phase + r->phases - 1) / r->phases);
    int64_t n = DVP_MIN(r->length, there);
    const float *in = r->in + unit / r->phases * width + phase;
    double *out = r->image + unit * r->length;
    if (r->phases == 1)
      widen_strided(in, out, n, 1);
    else if (r->phases == 2)
      widen_strided(in, out, n, 2);
    else
      widen_strided(in, out, n, r->phases);
    memset(out + n, 0, (size_t)(r->length - n) * sizeof(double));
  }
}

// First row of the window of an output row, counted over all images.
static const double *window_rows(const signal_run *r, int64_t row) {
  const dvp_window *w = r->w;
  return r->image + (row / w->out[0] * w->in[0] + row % w->out[0] * w->stride[0]) * r->phases * r->length;
}

// ---- by pixel ----

// packed: [channel][window row][tap].
static void pixels(const signal_run *r, const double *in, const double *f, float *out, int64_t n) {
  const dvp_window *w = r->w;
  int64_t line = w->dilation[0] * r->phases * r->length;
  v4 acc[PIXELS / LANES];
  float result[PIXELS];
  for (int p = 0; p < PIXELS / LANES; p++) acc[p] = splat(0);
  for (int64_t kh = 0; kh < w->k[0]; kh++, in += line, f += w->k[1])
    for (int64_t j = 0; j < w->k[1]; j++) {
      const double *x = in + r->taps[j];
      const v4 weight = splat(f[j]);
      for (int p = 0; p < PIXELS / LANES; p++) acc[p] += load(x + p * LANES) * weight;
    }
  for (int p = 0; p < PIXELS / LANES; p++) store_floats(acc[p], result + p * LANES);
  for (int64_t i = 0; i < n; i++) out[i * w->out_channels] = result[i];
}

static void units_by_pixel(void *arg, int64_t begin, int64_t end) {
  const signal_run *r = arg;
  const dvp_window *w = r->w;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t row = unit / r->units, v = unit % r->units * PIXELS;
    float *out = r->out + (row * w->out[1] + v) * w->out_channels;
    for (int64_t c = 0; c < w->out_channels; c++)
      pixels(r, window_rows(r, row) + v, r->packed + c * w->k[0] * w->k[1], out + c,
             DVP_MIN(PIXELS, w->out[1] - v));
  }
}

static void pack_by_pixel(const dvp_window *w, const float *filter, double *packed) {
  for (int64_t c = 0; c < w->out_channels; c++)
    for (int64_t i = 0; i < w->k[0] * w->k[1]; i++) *packed++ = filter[i * w->out_channels + c];
}

// ---- by channel ----

// P pixels, C vectors of output channels, n of which exist. packed: [window row][tap][C * LANES].
#define BY_CHANNEL(P, C)                                                                                    \
  static inline void channels_##P##x##C(const signal_run *r, const double *in, const double *f, float *out, \
                                        int64_t n) {                                                        \
    const dvp_window *w = r->w;                                                                             \
    v4 acc[P][C];                                                                                           \
    for (int p = 0; p < P; p++)                                                                             \
      for (int c = 0; c < C; c++) acc[p][c] = splat(0);                                                     \
    for (int64_t kh = 0; kh < w->k[0]; kh++, in += w->dilation[0] * r->length)                              \
      for (int64_t j = 0; j < w->k[1]; j++, f += C * LANES) {                                               \
        v4 weights[C];                                                                                      \
        for (int c = 0; c < C; c++) weights[c] = load(f + c * LANES);                                       \
        for (int p = 0; p < P; p++) {                                                                       \
          const v4 a = splat(in[p * w->stride[1] + r->taps[j]]);                                            \
          for (int c = 0; c < C; c++) acc[p][c] += a * weights[c];                                          \
        }                                                                                                   \
      }                                                                                                     \
    for (int p = 0; p < P; p++) {                                                                           \
      float result[C * LANES];                                                                              \
      for (int c = 0; c < C; c++) store_floats(acc[p][c], result + c * LANES);                              \
      memcpy(out + p * w->out_channels, result, (size_t)n * sizeof(float));                                 \
    }                                                                                                       \
  }
// The group of pixels that ends a row overlaps the one before.
#define CHANNEL_GROUP(C)                                                                                   \
  BY_CHANNEL(4, C)                                                                                         \
  BY_CHANNEL(1, C)                                                                                         \
  static void group_##C(const signal_run *r, int64_t unit, const double *f, int64_t channel, int64_t n) {  \
    const dvp_window *w = r->w;                                                                            \
    int64_t row = unit / r->units, width = w->out[1], v = DVP_MIN(unit % r->units * GROUP, width - GROUP); \
    const double *in = window_rows(r, row);                                                                \
    float *out = r->out + row * width * w->out_channels + channel;                                         \
    if (width >= GROUP) channels_4x##C(r, in + v * w->stride[1], f, out + v * w->out_channels, n);         \
    for (v = 0; width < GROUP && v < width; v++)                                                           \
      channels_1x##C(r, in + v * w->stride[1], f, out + v * w->out_channels, n);                           \
  }
CHANNEL_GROUP(1)
CHANNEL_GROUP(2)
CHANNEL_GROUP(3)

// Vectors of the block of channels that starts with `channel`.
static int block_vectors(const dvp_window *w, int64_t channel) {
  return (int)((DVP_MIN(3 * LANES, w->out_channels - channel) + LANES - 1) / LANES);
}

static void units_by_channel(void *arg, int64_t begin, int64_t end) {
  const signal_run *r = arg;
  const dvp_window *w = r->w;
  const double *f = r->packed;
  for (int64_t channel = 0; channel < w->out_channels; channel += 3 * LANES) {
    int vectors = block_vectors(w, channel);
    int64_t n = DVP_MIN(vectors * LANES, w->out_channels - channel);
    for (int64_t unit = begin; unit < end; unit++)
      (vectors == 1 ? group_1 : vectors == 2 ? group_2 : group_3)(r, unit, f, channel, n);
    f += w->k[0] * w->k[1] * vectors * LANES;
  }
}

static void pack_by_channel(const dvp_window *w, const float *filter, double *packed) {
  for (int64_t channel = 0; channel < w->out_channels; channel += 3 * LANES) {
    int lanes = block_vectors(w, channel) * LANES, n = (int)DVP_MIN(lanes, w->out_channels - channel);
    for (int64_t i = 0; i < w->k[0] * w->k[1]; i++, packed += lanes)
      for (int k = 0; k < lanes; k++) packed[k] = k < n ? filter[i * w->out_channels + channel + k] : 0;
  }
}

// ----

// A scratch array of a x b x c doubles.
static double *scratch(dvp_call *call, int64_t a, int64_t b, int64_t c, TF_Tensor **out_tensor) {
  int64_t count, bytes;
  if (__builtin_mul_overflow(a, b, &count) || __builtin_mul_overflow(count, c, &count) ||
      __builtin_mul_overflow(count, (int64_t)sizeof(double), &bytes)) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED,
             "A convolution's scratch of %" PRId64 " x %" PRId64 " x %" PRId64 " numbers is too large", a, b,
             c);
    return NULL;
  }
  return dvp_temp(call, (size_t)bytes, out_tensor);
}

// Lays the image and the filter out; `numbers` holds the taps and then the packed filter.
static void prepare(dvp_call *call, signal_run *r, const float *filter, double *image, double *numbers) {
  const dvp_window *w = r->w;
  int64_t *taps = (int64_t *)numbers;
  for (int64_t j = 0; j < w->k[1]; j++) {
    int64_t column = j * w->dilation[1];
    taps[j] = column % r->phases * r->length + column / r->phases;
  }
  r->taps = taps;
  r->packed = numbers + w->k[1];
  (by_pixel(w) ? pack_by_pixel : pack_by_channel)(w, filter, numbers + w->k[1]);
  r->image = image;
  dvp_parallel(call, w->batch * w->in[0] * r->phases, r->length * 300, widen, r);
}

bool DVP_SIGNAL(dvp_call *call, const dvp_window *given, const void *in, const void *filter, void *out) {
  dvp_window w = *given;
  TF_Tensor *padded_scratch = NULL, *image_scratch = NULL, *filter_scratch = NULL;
  bool padded = w.before[0] || w.before[1] || w.after[0] || w.after[1], pixelwise = by_pixel(&w);
  signal_run r = {.w = &w, .in = padded ? dvp_pad_image(call, &w, in, &padded_scratch) : in, .out = out};
  if (!r.in) return false;
  r.units = pixelwise ? (w.out[1] + PIXELS - 1) / PIXELS : (w.out[1] + GROUP - 1) / GROUP;
  r.phases = pixelwise ? w.stride[1] : 1;
  r.length = pixelwise ? r.units * PIXELS + (w.k[1] - 1) * w.dilation[1] / r.phases : w.in[1];
  int64_t channels = pixelwise ? w.out_channels : (w.out_channels + LANES - 1) / LANES * LANES;
  double *image = scratch(call, w.batch * w.in[0], r.phases, r.length, &image_scratch);
  double *numbers = image ? scratch(call, w.k[0] * w.k[1], channels + 1, 1, &filter_scratch) : NULL;
  if (numbers) {
    prepare(call, &r, filter, image, numbers);
    double cost =
        (double)(pixelwise ? PIXELS : GROUP) * (double)w.out_channels * (double)(w.k[0] * w.k[1]) * 50;
    dvp_parallel(call, w.batch * w.out[0] * r.units, cost < 1e15 ? (int64_t)cost : (int64_t)1e15,
                 pixelwise ? units_by_pixel : units_by_channel, &r);
  }
  dvp_free_temp(padded_scratch);
  dvp_free_temp(image_scratch);
  dvp_free_temp(filter_scratch);
  return numbers != NULL;
}
