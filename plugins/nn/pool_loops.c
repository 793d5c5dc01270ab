// MaxPool and AvgPool, typed. Padding takes no part: a maximum ignores it and an average does not count it.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/window.h"

#define BLOCK 64

typedef void (*pool_loop)(const dvp_window *w, const void *in, void *out, int64_t begin, int64_t end);
typedef struct pool_run {
  const dvp_window *w;
  pool_loop rows;
  const void *in;
  void *out;
} pool_run;

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const pool_run *run = arg;
  run->rows(run->w, run->in, run->out, begin, end);
}

static void *pool_create(TF_OpKernelConstruction *ctx) {
  dvp_window_attrs *attrs = dvp_state_new(ctx, sizeof(*attrs));
  if (attrs) dvp_window_attrs_read(ctx, true, attrs);
  return attrs;
}
static void pool_destroy(void *attrs) { free(attrs); }

static void pool(dvp_call *call, const dvp_window_attrs *attrs, pool_loop rows) {
  dvp_view in;
  int64_t d[4], dims[4];
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank != 4) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "tensor_in must be 4-dimensional, but is %s",
             dvp_shape_text(in.dims, in.rank, text));
    return;
  }
  dvp_window_dims(attrs, &in, d);
  dvp_window w = {.batch = d[0],
                  .in = {d[1], d[2]},
                  .channels = d[3],
                  .k = {attrs->ksize[0], attrs->ksize[1]},
                  .out_channels = d[3]};
  if (!dvp_window_resolve(call, attrs, &w)) return;
  for (int i = 0; i < 2; i++) {
    if (attrs->padding != DVP_PADDING_EXPLICIT || (w.before[i] < w.k[i] && w.after[i] < w.k[i])) continue;
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Paddings must be smaller than the window (%" PRId64 "), but are %" PRId64 " and %" PRId64,
             w.k[i], w.before[i], w.after[i]);
    return;
  }
  dvp_window_shape(attrs, &w, dims);
  void *out = dvp_output(call, 0, dims, 4);
  int64_t count = out ? dvp_product(dims, 0, 4) : 0;
  if (count == 0) return;
  TF_Tensor *scratch_in = NULL, *scratch_out = NULL;
  const void *from = attrs->nchw ? dvp_to_nhwc(call, in.dtype, d, in.data, &scratch_in) : in.data;
  void *to = !attrs->nchw ? out
             : from       ? dvp_temp(call, (size_t)count * TF_DataTypeSize(in.dtype), &scratch_out)
                          : NULL;
  if (to) {
    pool_run run = {&w, rows, from, to};
    double cost = (double)w.out[1] * (double)w.channels * (double)w.k[0] * (double)w.k[1] * 200;
    dvp_parallel(call, w.batch * w.out[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15, run_rows, &run);
    if (attrs->nchw)
      dvp_from_nhwc(call, in.dtype, (int64_t[]){w.batch, w.out[0], w.out[1], w.channels}, to, out);
  }
  dvp_free_temp(scratch_in);
  dvp_free_temp(scratch_out);
}

// INIT starts an accumulator, COMBINE takes x into a, FINISH ends it; `count` is the number of elements seen.
#define POOL(t, op, INIT, COMBINE, FINISH)                                                                  \
  static void op##_rows_##t(const dvp_window *w, const void *pin, void *pout, int64_t begin, int64_t end) { \
    DVP_ARITH_##t acc[BLOCK];                                                                               \
    for (int64_t row = begin; row < end; row++) {                                                           \
      const dvp_##t *image = (const dvp_##t *)pin + row / w->out[0] * w->in[0] * w->in[1] * w->channels;    \
      int64_t h = row % w->out[0] * w->stride[0] - w->before[0];                                            \
      int64_t y0 = DVP_MAX(0, h), y1 = DVP_MIN(w->in[0], h + w->k[0]);                                      \
      dvp_##t *out = (dvp_##t *)pout + row * w->out[1] * w->channels;                                       \
      for (int64_t v = 0; v < w->out[1]; v++, out += w->channels) {                                         \
        int64_t u = v * w->stride[1] - w->before[1], x0 = DVP_MAX(0, u),                                    \
                x1 = DVP_MIN(w->in[1], u + w->k[1]);                                                        \
        const int64_t count = (y1 - y0) * (x1 - x0);                                                        \
        (void)count;                                                                                        \
        for (int64_t c0 = 0; c0 < w->channels; c0 += BLOCK) {                                               \
          int64_t n = DVP_MIN(BLOCK, w->channels - c0);                                                     \
          for (int64_t j = 0; j < n; j++) acc[j] = INIT;                                                    \
          for (int64_t y = y0; y < y1; y++)                                                                 \
            for (int64_t x = x0; x < x1; x++) {                                                             \
              const dvp_##t *in = image + (y * w->in[1] + x) * w->channels + c0;                            \
              for (int64_t j = 0; j < n; j++) {                                                             \
                const DVP_ARITH_##t a = acc[j], b = DVP_LOAD_##t(in[j]);                                    \
                acc[j] = COMBINE;                                                                           \
              }                                                                                             \
            }                                                                                               \
          for (int64_t j = 0; j < n; j++) {                                                                 \
            const DVP_ARITH_##t a = acc[j];                                                                 \
            out[c0 + j] = DVP_STORE_##t(FINISH);                                                            \
          }                                                                                                 \
        }                                                                                                   \
      }                                                                                                     \
    }                                                                                                       \
  }                                                                                                         \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                                    \
    dvp_call call = {ctx, TF_NewStatus()};                                                                  \
    pool(&call, state, op##_rows_##t);                                                                      \
    TF_DeleteStatus(call.status);                                                                           \
  }

#define FLOAT_MAX_POOL(t, op) POOL(t, op, -INFINITY, b > a ? b : a, a)
#define INT_MAX_POOL(t, op) POOL(t, op, DVP_LOWEST_##t, b > a ? b : a, a)
#define AVG_POOL(t, op) POOL(t, op, 0, a + b, a / (DVP_ARITH_##t)count)
#define MAX_INTS(X, ...) DVP_SIGNED(X, __VA_ARGS__) X(u8, __VA_ARGS__) X(u16, __VA_ARGS__)
DVP_FLOATS(FLOAT_MAX_POOL, max_pool)
MAX_INTS(INT_MAX_POOL, max_pool)
DVP_FLOATS(AVG_POOL, avg_pool)
static const dvp_kernel max_pool_rows[] = {DVP_FLOATS(DVP_ROW, max_pool) MAX_INTS(DVP_ROW, max_pool)};
static const dvp_kernel avg_pool_rows[] = {DVP_FLOATS(DVP_ROW, avg_pool)};
DVP_DEFINE_SET(max_pool, "T", pool_create, pool_destroy, max_pool_rows);
DVP_DEFINE_SET(avg_pool, "T", pool_create, pool_destroy, avg_pool_rows);
