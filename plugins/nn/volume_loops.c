// Conv3D, Conv3DBackpropInputV2, MaxPool3D and AvgPool3D, typed: a block of channels of one voxel at a time;
// convolutions of f32 by the microkernel of gather.h.
// Filters are [planes, rows, columns, input channels, output channels].
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/gather.h"
#include "nn/volume.h"

#define BLOCK 64

// The place of a line in [batch, planes, rows].
typedef struct line {
  int64_t image, plane, row;
} line;
static line line_of(int64_t unit, const int64_t dims[3]) {
  return (line){unit / dims[1] / dims[0], unit / dims[1] % dims[0], unit % dims[1]};
}
static int64_t volume_size(const int64_t dims[3], int64_t channels) {
  return dims[0] * dims[1] * dims[2] * channels;
}
// The position in the input of tap `tap` of output position `at`; false in the padding.
static bool tap_position(const dvp_volume *v, int axis, int64_t at, int64_t tap, int64_t *out) {
  *out = at * v->stride[axis] - v->before[axis] + tap * v->dilation[axis];
  return *out >= 0 && *out < v->in[axis];
}
// The output position whose tap `tap` is input position `at`; false when there is none.
static bool source_position(const dvp_volume *v, int axis, int64_t at, int64_t tap, int64_t *out) {
  int64_t x = at + v->before[axis] - tap * v->dilation[axis];
  *out = x / v->stride[axis];
  return x >= 0 && x % v->stride[axis] == 0 && *out < v->out[axis];
}

// Both directions: each voxel of `to` gathers from the voxels of `from` that its taps lead to. Taps are
// [planes, rows, columns, from_channels, to_channels].
typedef struct gathering {
  bool (*position)(const dvp_volume *v, int axis, int64_t at, int64_t tap, int64_t *out);
  const int64_t *from, *to;
  int64_t from_channels, to_channels;
} gathering;
static gathering forward(const dvp_volume *v) {
  return (gathering){tap_position, v->in, v->out, v->channels, v->out_channels};
}
static gathering backward(const dvp_volume *v) {
  return (gathering){source_position, v->out, v->in, v->out_channels, v->channels};
}

#define CONV3D(t, unused)                                                                                    \
  static void voxel_##t(const dvp_volume *v, const gathering *g, const dvp_##t *image, const dvp_##t *taps,  \
                        line at, int64_t column, int64_t c0, int64_t n, DVP_ARITH_##t *acc) {                \
    int64_t z, y, x;                                                                                         \
    for (int64_t j = 0; j < n; j++) acc[j] = 0;                                                              \
    for (int64_t kd = 0; kd < v->k[0]; kd++) {                                                               \
      if (!g->position(v, 0, at.plane, kd, &z)) continue;                                                    \
      for (int64_t kh = 0; kh < v->k[1]; kh++) {                                                             \
        if (!g->position(v, 1, at.row, kh, &y)) continue;                                                    \
        for (int64_t kw = 0; kw < v->k[2]; kw++) {                                                           \
          if (!g->position(v, 2, column, kw, &x)) continue;                                                  \
          const dvp_##t *in = image + ((z * g->from[1] + y) * g->from[2] + x) * g->from_channels;            \
          const dvp_##t *f =                                                                                 \
              taps + ((kd * v->k[1] + kh) * v->k[2] + kw) * g->from_channels * g->to_channels + c0;          \
          for (int64_t c = 0; c < g->from_channels; c++, f += g->to_channels) {                              \
            const DVP_ARITH_##t a = DVP_LOAD_##t(in[c]);                                                     \
            for (int64_t j = 0; j < n; j++) acc[j] += a * DVP_LOAD_##t(f[j]);                                \
          }                                                                                                  \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  static void gather_##t(const dvp_volume *v, gathering g, const void *pin, const void *taps, void *pout,    \
                         int64_t begin, int64_t end) {                                                       \
    DVP_ARITH_##t acc[BLOCK];                                                                                \
    dvp_##t *out = (dvp_##t *)pout + begin * g.to[2] * g.to_channels;                                        \
    for (int64_t unit = begin; unit < end; unit++) {                                                         \
      line at = line_of(unit, g.to);                                                                         \
      const dvp_##t *image = (const dvp_##t *)pin + at.image * volume_size(g.from, g.from_channels);         \
      for (int64_t x = 0; x < g.to[2]; x++, out += g.to_channels)                                            \
        for (int64_t c0 = 0; c0 < g.to_channels; c0 += BLOCK) {                                              \
          int64_t n = DVP_MIN(BLOCK, g.to_channels - c0);                                                    \
          voxel_##t(v, &g, image, taps, at, x, c0, n, acc);                                                  \
          for (int64_t j = 0; j < n; j++) out[c0 + j] = DVP_STORE_##t(acc[j]);                               \
        }                                                                                                    \
    }                                                                                                        \
  }                                                                                                          \
  static void conv3d_lines_##t(const dvp_volume *v, const void *in, const void *filter, void *out,           \
                               int64_t begin, int64_t end) {                                                 \
    gather_##t(v, forward(v), in, filter, out, begin, end);                                                  \
  }                                                                                                          \
  static void backprop_lines_##t(const dvp_volume *v, const void *grad, const void *taps, void *out,         \
                                 int64_t begin, int64_t end) {                                               \
    gather_##t(v, backward(v), grad, taps, out, begin, end);                                                 \
  }                                                                                                          \
  /* The filter as taps of the backward direction. */                                                        \
  static void transpose_##t(const dvp_volume *v, const void *pfilter, void *pout) {                          \
    const dvp_##t *f = pfilter;                                                                              \
    dvp_##t *out = pout;                                                                                     \
    int64_t size = v->channels * v->out_channels;                                                            \
    for (int64_t k = 0; k < v->k[0] * v->k[1] * v->k[2]; k++, f += size, out += size)                        \
      for (int64_t i = 0; i < v->channels; i++)                                                              \
        for (int64_t o = 0; o < v->out_channels; o++) out[o * v->channels + i] = f[i * v->out_channels + o]; \
  }                                                                                                          \
  DVP_COMPUTE(conv3d_##t##_compute) { conv3d(call, state, conv3d_lines_##t); }                               \
  DVP_COMPUTE(conv3d_backprop_##t##_compute) { backprop(call, state, transpose_##t, backprop_lines_##t); }

static bool five(dvp_call *call, const dvp_view *in, const char *what) {
  char text[DVP_SHAPE_TEXT];
  return in->rank == 5 || dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be 5-dimensional, but is %s", what,
                                   dvp_shape_text(in->dims, in->rank, text));
}

static void conv3d(dvp_call *call, const dvp_volume_attrs *attrs, dvp_volume_lines lines) {
  dvp_view in, filter;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &filter) || !five(call, &in, "input") ||
      !five(call, &filter, "filter"))
    return;
  dvp_volume v = {.batch = in.dims[0], .channels = in.dims[4], .out_channels = filter.dims[4]};
  memcpy(v.in, in.dims + 1, sizeof(v.in));
  memcpy(v.k, filter.dims, sizeof(v.k));
  if (filter.count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "filter must not have zero elements: %s",
             dvp_shape_text(filter.dims, 5, text));
    return;
  }
  if (v.channels != filter.dims[3]) {
    dvp_fail(call, v.channels % filter.dims[3] == 0 ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
             "input and filter must have the same depth, without groups: %" PRId64 " vs %" PRId64, v.channels,
             filter.dims[3]);
    return;
  }
  if (!dvp_volume_resolve(call, attrs, true, &v)) return;
  int64_t dims[5] = {v.batch, v.out[0], v.out[1], v.out[2], v.out_channels};
  void *out = dvp_output(call, 0, dims, 5);
  if (!out || dvp_product(dims, 0, 5) == 0) return;
  if (in.count == 0) {
    memset(out, 0, (size_t)dvp_product(dims, 0, 5) * TF_DataTypeSize(in.dtype));
    return;
  }
  if (!lines)
    DVP_GATHER(call, &v, false, in.data, filter.data, out);
  else
    dvp_volume_run(call, &v, lines, v.out, (double)v.out[2] * (double)filter.count * 150, in.data,
                   filter.data, out);
}

static void backprop(dvp_call *call, const dvp_volume_attrs *attrs,
                     void (*transpose)(const dvp_volume *, const void *, void *), dvp_volume_lines lines) {
  dvp_view filter, grad;
  int64_t sizes[5];
  int rank, count;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input_ints(call, 0, "input_sizes", sizes, 5, &rank, &count) || !dvp_input(call, 1, &filter) ||
      !dvp_input(call, 2, &grad) || !five(call, &filter, "filter") || !five(call, &grad, "out_backprop"))
    return;
  bool sane = rank == 1 && count == 5;
  for (int i = 0; sane && i < 5; i++) sane = sizes[i] >= 0;
  if (!sane || filter.count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Conv3DBackpropInput wants five sizes that are not negative and a filter with elements; got %s "
             "and a filter of %s",
             dvp_shape_text(sizes, count, ta), dvp_shape_text(filter.dims, 5, tb));
    return;
  }
  dvp_volume v = {.batch = sizes[0], .channels = sizes[4], .out_channels = filter.dims[4]};
  memcpy(v.in, sizes + 1, sizeof(v.in));
  memcpy(v.k, filter.dims, sizeof(v.k));
  if (!dvp_volume_resolve(call, attrs, false, &v)) return;
  int64_t wanted[5] = {v.batch, v.out[0], v.out[1], v.out[2], v.out_channels};
  if (memcmp(wanted, grad.dims, sizeof(wanted)) != 0 || filter.dims[3] != v.channels) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Conv3DBackpropInput: out_backprop %s does not fit input_sizes, filter and strides, which give %s "
        "with %" PRId64 " input channels",
        dvp_shape_text(grad.dims, 5, ta), dvp_shape_text(wanted, 5, tb), filter.dims[3]);
    return;
  }
  void *out = dvp_output(call, 0, sizes, 5);
  if (!out || dvp_product(sizes, 0, 5) == 0) return;
  if (!lines) {
    DVP_GATHER(call, &v, true, grad.data, filter.data, out);
    return;
  }
  TF_Tensor *scratch = NULL;
  void *taps = dvp_temp(call, (size_t)filter.count * TF_DataTypeSize(filter.dtype), &scratch);
  if (!taps) return;
  transpose(&v, filter.data, taps);
  double shared = (double)(v.stride[0] * v.stride[1]) * (double)v.stride[2];
  dvp_volume_run(call, &v, lines, v.in, (double)v.in[2] * (double)filter.count / shared * 150, grad.data,
                 taps, out);
  dvp_free_temp(scratch);
}
DVP_HALVES(CONV3D, )
CONV3D(f64, )
DVP_COMPUTE(conv3d_f32_compute) { conv3d(call, state, NULL); }
DVP_COMPUTE(conv3d_backprop_f32_compute) { backprop(call, state, NULL, NULL); }
static const dvp_kernel conv3d_rows[] = {DVP_FLOATS(DVP_ROW, conv3d)};
static const dvp_kernel conv3d_backprop_rows[] = {DVP_FLOATS(DVP_ROW, conv3d_backprop)};
DVP_DEFINE_SET(conv3d, "T", dvp_volume_create, dvp_volume_destroy, conv3d_rows);
DVP_DEFINE_SET(conv3d_backprop_input, "T", dvp_volume_create, dvp_volume_destroy, conv3d_backprop_rows);

// ---- pools; padding takes no part ----

// The positions [*out_begin, *out_end) of the window at `at`.
static void window(const dvp_volume *v, int axis, int64_t at, int64_t *out_begin, int64_t *out_end) {
  int64_t begin = at * v->stride[axis] - v->before[axis];
  *out_begin = DVP_MAX(0, begin);
  *out_end = DVP_MIN(v->in[axis], begin + v->k[axis]);
}

// INIT starts an accumulator, COMBINE takes b into a, FINISH ends it; `count` is the number of elements seen.
#define POOL3D(t, op, INIT, COMBINE, FINISH)                                                        \
  static void op##_lines_##t(const dvp_volume *v, const void *pin, const void *unused, void *pout,  \
                             int64_t begin, int64_t end) {                                          \
    (void)unused;                                                                                   \
    DVP_ARITH_##t acc[BLOCK];                                                                       \
    dvp_##t *out = (dvp_##t *)pout + begin * v->out[2] * v->channels;                               \
    for (int64_t unit = begin; unit < end; unit++) {                                                \
      line at = line_of(unit, v->out);                                                              \
      int64_t z0, z1, y0, y1, x0, x1;                                                               \
      window(v, 0, at.plane, &z0, &z1);                                                             \
      window(v, 1, at.row, &y0, &y1);                                                               \
      const dvp_##t *image = (const dvp_##t *)pin + at.image * volume_size(v->in, v->channels);     \
      for (int64_t u = 0; u < v->out[2]; u++, out += v->channels) {                                 \
        window(v, 2, u, &x0, &x1);                                                                  \
        const int64_t count = (z1 - z0) * (y1 - y0) * (x1 - x0);                                    \
        (void)count;                                                                                \
        for (int64_t c0 = 0; c0 < v->channels; c0 += BLOCK) {                                       \
          int64_t n = DVP_MIN(BLOCK, v->channels - c0);                                             \
          for (int64_t j = 0; j < n; j++) acc[j] = INIT;                                            \
          for (int64_t z = z0; z < z1; z++)                                                         \
            for (int64_t y = y0; y < y1; y++)                                                       \
              for (int64_t x = x0; x < x1; x++) {                                                   \
                const dvp_##t *in = image + ((z * v->in[1] + y) * v->in[2] + x) * v->channels + c0; \
                for (int64_t j = 0; j < n; j++) {                                                   \
                  const DVP_ARITH_##t a = acc[j], b = DVP_LOAD_##t(in[j]);                          \
                  acc[j] = COMBINE;                                                                 \
                }                                                                                   \
              }                                                                                     \
          for (int64_t j = 0; j < n; j++) {                                                         \
            const DVP_ARITH_##t a = acc[j];                                                         \
            out[c0 + j] = DVP_STORE_##t(FINISH);                                                    \
          }                                                                                         \
        }                                                                                           \
      }                                                                                             \
    }                                                                                               \
  }                                                                                                 \
  DVP_COMPUTE(op##_##t##_compute) { pool3d(call, state, op##_lines_##t); }

static void pool3d(dvp_call *call, const dvp_volume_attrs *attrs, dvp_volume_lines lines) {
  dvp_view in;
  if (!dvp_input(call, 0, &in) || !five(call, &in, "tensor_in")) return;
  dvp_volume v = {.batch = in.dims[0], .channels = in.dims[4], .out_channels = in.dims[4]};
  memcpy(v.in, in.dims + 1, sizeof(v.in));
  memcpy(v.k, attrs->ksize, sizeof(v.k));
  if (!dvp_volume_resolve(call, attrs, true, &v)) return;
  int64_t dims[5] = {v.batch, v.out[0], v.out[1], v.out[2], v.channels};
  void *out = dvp_output(call, 0, dims, 5);
  if (!out || dvp_product(dims, 0, 5) == 0) return;
  double window_size = (double)v.k[0] * (double)v.k[1] * (double)v.k[2];
  dvp_volume_run(call, &v, lines, v.out, (double)v.out[2] * (double)v.channels * window_size * 200, in.data,
                 NULL, out);
}
#define MAX_POOL3D(t, op) POOL3D(t, op, -INFINITY, b > a ? b : a, a)
#define AVG_POOL3D(t, op) POOL3D(t, op, 0, a + b, a / (DVP_ARITH_##t)count)
#define MAX_TYPES(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f32, __VA_ARGS__)
MAX_TYPES(MAX_POOL3D, max_pool3d)
DVP_FLOATS(AVG_POOL3D, avg_pool3d)
static const dvp_kernel max_pool3d_rows[] = {MAX_TYPES(DVP_ROW, max_pool3d)};
static const dvp_kernel avg_pool3d_rows[] = {DVP_FLOATS(DVP_ROW, avg_pool3d)};
DVP_DEFINE_SET(max_pool3d, "T", dvp_volume_pool_create, dvp_volume_destroy, max_pool3d_rows);
DVP_DEFINE_SET(avg_pool3d, "T", dvp_volume_pool_create, dvp_volume_destroy, avg_pool3d_rows);
