// See gather.h. A vector is eight channels of the result; some columns of a line, all of which the same taps
// reach, are accumulated in registers. Where a tap leads into the padding, zeros are read. The filter is
// packed in zero-padded blocks of 16 or 8 channels of the result.
#include "nn/gather.h"

#include <string.h>

#define LANES 8
#define COLUMNS 6  // at most, at once
typedef float v8 __attribute__((vector_size(32)));

static inline v8 load(const float *p) {
  v8 x;
  memcpy(&x, p, sizeof(x));
  return x;
}
static inline v8 splat(float x) { return (v8){x, x, x, x, x, x, x, x}; }

typedef struct gather_run {
  const dvp_volume *v;
  bool backward;
  const float *from, *packed, *zeros;  // zeros: as many as `from` has channels
  float *out;
  const int64_t *from_dims, *to_dims;
  int64_t from_channels, to_channels;
} gather_run;

// The position of `from` that tap `tap` of position `at` leads to; false in the padding or between strides.
static bool find_position(const gather_run *r, int axis, int64_t at, int64_t tap, int64_t *out) {
  const dvp_volume *v = r->v;
  if (!r->backward) {
    *out = at * v->stride[axis] - v->before[axis] + tap * v->dilation[axis];
    return *out >= 0 && *out < v->in[axis];
  }
  int64_t x = at + v->before[axis] - tap * v->dilation[axis];
  *out = x / v->stride[axis];
  return x >= 0 && x % v->stride[axis] == 0 && *out < v->out[axis];
}

// A group of columns of a line: the first, and the step to the next.
typedef struct group {
  int64_t image, plane, row, column, step;
} group;

// Where the channels start that tap `tap` of each column reads; false when it reads nothing but padding.
static bool find_columns(const gather_run *r, const group *g, const float *line, int64_t tap, int count,
                         const float **out) {
  bool any = false;
  for (int p = 0; p < count; p++) {
    int64_t x;
    bool found = find_position(r, 2, g->column + p * g->step, tap, &x);
    out[p] = found ? line + x * r->from_channels : r->zeros;
    any |= found;
  }
  return any;
}

// P columns, C vectors of channels, the first n of which are stored. packed: [tap][from channel][C * LANES].
// Sums of a row of taps are taken by themselves, so that errors stay small.
#define GATHER(P, C)                                                                                     \
  static void gather_##P##x##C(const gather_run *r, const group *g, const float *packed, float *out,     \
                               int64_t n) {                                                              \
    const dvp_volume *v = r->v;                                                                          \
    const float *x[P];                                                                                   \
    v8 total[P][C];                                                                                      \
    int64_t plane, row;                                                                                  \
    for (int p = 0; p < P; p++)                                                                          \
      for (int c = 0; c < C; c++) total[p][c] = splat(0);                                                \
    for (int64_t kd = 0; kd < v->k[0]; kd++) {                                                           \
      if (!find_position(r, 0, g->plane, kd, &plane)) continue;                                          \
      for (int64_t kh = 0; kh < v->k[1]; kh++) {                                                         \
        if (!find_position(r, 1, g->row, kh, &row)) continue;                                            \
        const float *line = r->from + ((g->image * r->from_dims[0] + plane) * r->from_dims[1] + row) *   \
                                          r->from_dims[2] * r->from_channels;                            \
        v8 acc[P][C];                                                                                    \
        for (int p = 0; p < P; p++)                                                                      \
          for (int c = 0; c < C; c++) acc[p][c] = splat(0);                                              \
        for (int64_t kw = 0; kw < v->k[2]; kw++) {                                                       \
          if (!find_columns(r, g, line, kw, P, x)) continue;                                             \
          const float *f = packed + ((kd * v->k[1] + kh) * v->k[2] + kw) * r->from_channels * C * LANES; \
          for (int64_t i = 0; i < r->from_channels; i++, f += C * LANES) {                               \
            v8 weights[C];                                                                               \
            for (int c = 0; c < C; c++) weights[c] = load(f + c * LANES);                                \
            for (int p = 0; p < P; p++) {                                                                \
              const v8 a = splat(x[p][i]);                                                               \
              for (int c = 0; c < C; c++) acc[p][c] += a * weights[c];                                   \
            }                                                                                            \
          }                                                                                              \
        }                                                                                                \
        for (int p = 0; p < P; p++)                                                                      \
          for (int c = 0; c < C; c++) total[p][c] += acc[p][c];                                          \
      }                                                                                                  \
    }                                                                                                    \
    for (int p = 0; p < P; p++)                                                                          \
      memcpy(out + (g->column + p * g->step) * r->to_channels, total[p], (size_t)n * sizeof(float));     \
  }
GATHER(6, 2)
GATHER(4, 2)
GATHER(2, 2)
GATHER(1, 2)
GATHER(6, 1)
GATHER(4, 1)
GATHER(2, 1)
GATHER(1, 1)

typedef void (*gather_fn)(const gather_run *r, const group *g, const float *packed, float *out, int64_t n);
static const struct {
  int columns;
  gather_fn by_vectors[2];
} kernels[] = {{6, {gather_6x1, gather_6x2}},
               {4, {gather_4x1, gather_4x2}},
               {2, {gather_2x1, gather_2x2}},
               {1, {gather_1x1, gather_1x2}}};

// Columns of one phase, which the same taps reach.
static void run_phase(const gather_run *r, group g, int vectors, const float *packed, float *out, int64_t n) {
  int64_t left = (r->to_dims[2] - g.column + g.step - 1) / g.step;
  for (int k = 0; left > 0; k++)
    for (; left >= kernels[k].columns; left -= kernels[k].columns) {
      kernels[k].by_vectors[vectors - 1](r, &g, packed, out, n);
      g.column += kernels[k].columns * g.step;
    }
}

static int vectors_of(int64_t channels_left) { return channels_left > LANES ? 2 : 1; }

// Units are lines of the result.
static void run_lines(void *arg, int64_t begin, int64_t end) {
  const gather_run *r = arg;
  const dvp_volume *v = r->v;
  int64_t taps = v->k[0] * v->k[1] * v->k[2] * r->from_channels, phases = r->backward ? v->stride[2] : 1;
  for (int64_t unit = begin; unit < end; unit++) {
    const float *packed = r->packed;
    group g = {.image = unit / r->to_dims[1] / r->to_dims[0],
               .plane = unit / r->to_dims[1] % r->to_dims[0],
               .row = unit % r->to_dims[1],
               .step = phases};
    float *out = r->out + unit * r->to_dims[2] * r->to_channels;
    for (int64_t c = 0; c < r->to_channels;) {
      int vectors = vectors_of(r->to_channels - c);
      int64_t n = DVP_MIN(r->to_channels - c, vectors * LANES);
      for (g.column = 0; g.column < DVP_MIN(phases, r->to_dims[2]); g.column++)
        run_phase(r, g, vectors, packed, out + c, n);
      packed += taps * vectors * LANES;
      c += n;
    }
  }
}

static void pack(const gather_run *r, const float *filter, float *packed) {
  const dvp_volume *v = r->v;
  int64_t taps = v->k[0] * v->k[1] * v->k[2], size = v->channels * v->out_channels;
  int64_t from_step = r->backward ? 1 : v->out_channels, to_step = r->backward ? v->out_channels : 1;
  for (int64_t c = 0; c < r->to_channels;) {
    int lanes = vectors_of(r->to_channels - c) * LANES;
    int64_t n = DVP_MIN(r->to_channels - c, lanes);
    for (int64_t k = 0; k < taps; k++)
      for (int64_t i = 0; i < r->from_channels; i++, packed += lanes) {
        const float *f = filter + k * size + i * from_step + c * to_step;
        for (int64_t j = 0; j < n; j++) packed[j] = f[j * to_step];
        for (int64_t j = n; j < lanes; j++) packed[j] = 0;
      }
    c += n;
  }
}

bool DVP_GATHER(dvp_call *call, const dvp_volume *v, bool backward, const float *a, const float *filter,
                float *out) {
  gather_run r = {.v = v, .backward = backward, .from = a, .out = out};
  r.from_dims = backward ? v->out : v->in;
  r.to_dims = backward ? v->in : v->out;
  r.from_channels = backward ? v->out_channels : v->channels;
  r.to_channels = backward ? v->channels : v->out_channels;
  int64_t blocks = (r.to_channels + LANES - 1) / LANES * LANES;
  int64_t taps = v->k[0] * v->k[1] * v->k[2] * r.from_channels;
  TF_Tensor *scratch;
  float *packed = dvp_temp(call, (size_t)(taps * blocks + r.from_channels) * sizeof(float), &scratch);
  if (!packed) return false;
  r.packed = packed;
  r.zeros = memset(packed + taps * blocks, 0, (size_t)r.from_channels * sizeof(float));
  pack(&r, filter, packed);
  double shared = backward ? (double)(v->stride[0] * v->stride[1]) * (double)v->stride[2] : 1;
  double cost = (double)r.to_dims[2] * (double)taps * (double)blocks / shared * 15;
  dvp_parallel(call, v->batch * r.to_dims[0] * r.to_dims[1], cost < 1e15 ? (int64_t)cost + 1 : (int64_t)1e15,
               run_lines, &r);
  dvp_free_temp(scratch);
  return true;
}
