// Conv2D for any dtype, geometry and number of groups: a block of output channels of one pixel at a time, the
// filter's contiguous output channels being the vector. Halves multiply and add in f32.
#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/conv.h"
#include "nn/conv_narrow.h"
#include "nn/conv_signal.h"

#define BLOCK 32

#define CONV(t, unused)                                                                                  \
  static void pixel_##t(const dvp_window *w, const dvp_##t *image, const dvp_##t *filter, int64_t h,     \
                        int64_t v, int64_t c0, int64_t n, int64_t group, DVP_ARITH_##t *acc) {           \
    for (int64_t j = 0; j < BLOCK; j++) acc[j] = 0;                                                      \
    for (int64_t kh = 0; kh < w->k[0]; kh++) {                                                           \
      int64_t y = h * w->stride[0] - w->before[0] + kh * w->dilation[0];                                 \
      if (y < 0 || y >= w->in[0]) continue;                                                              \
      for (int64_t kw = 0; kw < w->k[1]; kw++) {                                                         \
        int64_t x = v * w->stride[1] - w->before[1] + kw * w->dilation[1];                               \
        if (x < 0 || x >= w->in[1]) continue;                                                            \
        const dvp_##t *in = image + (y * w->in[1] + x) * w->channels + group * w->group_channels;        \
        const dvp_##t *f = filter + (kh * w->k[1] + kw) * w->group_channels * w->out_channels + c0;      \
        for (int64_t c = 0; c < w->group_channels; c++, f += w->out_channels) {                          \
          const DVP_ARITH_##t a = DVP_LOAD_##t(in[c]);                                                   \
          for (int64_t j = 0; j < n; j++) acc[j] += a * DVP_LOAD_##t(f[j]);                              \
        }                                                                                                \
      }                                                                                                  \
    }                                                                                                    \
  }                                                                                                      \
  static void conv_rows_##t(const dvp_window *w, const void *pin, const void *filter, void *pout,        \
                            int64_t begin, int64_t end) {                                                \
    DVP_ARITH_##t acc[BLOCK];                                                                            \
    int64_t per_group = w->out_channels / w->groups;                                                     \
    for (int64_t row = begin; row < end; row++) {                                                        \
      const dvp_##t *image = (const dvp_##t *)pin + row / w->out[0] * w->in[0] * w->in[1] * w->channels; \
      dvp_##t *out = (dvp_##t *)pout + row * w->out[1] * w->out_channels;                                \
      for (int64_t v = 0; v < w->out[1]; v++, out += w->out_channels)                                    \
        for (int64_t c0 = 0; c0 < w->out_channels;) {                                                    \
          int64_t group = c0 / per_group, n = DVP_MIN(BLOCK, (group + 1) * per_group - c0);              \
          pixel_##t(w, image, filter, row % w->out[0], v, c0, n, group, acc);                            \
          for (int64_t j = 0; j < n; j++) out[c0 + j] = DVP_STORE_##t(acc[j]);                           \
          c0 += n;                                                                                       \
        }                                                                                                \
    }                                                                                                    \
  }
#define APPLY_f16 DVP_EPILOGUE(f16)
#define APPLY_bf16 DVP_EPILOGUE(bf16)
#define APPLY_f32 DVP_EPILOGUE(f32)
#define APPLY_f64 DVP_EPILOGUE(f64)
#define APPLY_i32 NULL
static const dvp_conv_paths paths = {DVP_PACKED_CODE, DVP_IS_SIGNAL, DVP_SIGNAL, DVP_NARROW};
#define KERNEL(t, is_fast)                                                                         \
  static void conv2d_##t##_compute(void *state, TF_OpKernelContext *ctx) {                         \
    static const dvp_conv_kernel kernel = {conv_rows_##t, is_fast ? 20 : 200, is_fast, APPLY_##t}; \
    dvp_conv2d_run(state, ctx, &kernel, &paths);                                                   \
  }
#define OTHERS(X, ...) DVP_HALVES(X, __VA_ARGS__) X(f64, __VA_ARGS__) X(i32, __VA_ARGS__)
#define TYPES(X, ...) OTHERS(X, __VA_ARGS__) X(f32, __VA_ARGS__)
TYPES(CONV, )
OTHERS(KERNEL, false)
KERNEL(f32, true)
static const dvp_kernel conv2d_rows[] = {TYPES(DVP_ROW, conv2d)};
DVP_DEFINE_SET(conv2d, "T", dvp_conv2d_create, dvp_conv2d_destroy, conv2d_rows);

// float16, float32 and float64: what the op admits.
#define FUSED(X, ...) X(f16, __VA_ARGS__) X(f32, __VA_ARGS__) X(f64, __VA_ARGS__)
static const dvp_kernel fused_conv2d_rows[] = {FUSED(DVP_ROW, conv2d)};
DVP_DEFINE_SET(fused_conv2d, "T", dvp_fused_conv2d_create, dvp_conv2d_destroy, fused_conv2d_rows);
