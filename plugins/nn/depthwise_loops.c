// DepthwiseConv2dNative, typed: filter [height, width, channels, multiplier]; output channel c * multiplier +
// m sees channel c. A block of channels of one pixel at a time.
#include "common/dtype.h"
#include "common/plugin.h"
#include "nn/conv.h"
#include "nn/conv_narrow.h"

#define BLOCK 64

#define DEPTHWISE(t, unused)                                                                             \
  static void depthwise_rows_##t(const dvp_window *w, const void *pin, const void *pfilter, void *pout,  \
                                 int64_t begin, int64_t end) {                                           \
    DVP_ARITH_##t acc[BLOCK];                                                                            \
    int32_t seen[BLOCK]; /* channels of the input, from the block's first */                             \
    int64_t multiplier = w->out_channels / w->channels;                                                  \
    for (int64_t row = begin; row < end; row++) {                                                        \
      const dvp_##t *image = (const dvp_##t *)pin + row / w->out[0] * w->in[0] * w->in[1] * w->channels; \
      int64_t h = row % w->out[0] * w->stride[0] - w->before[0];                                         \
      dvp_##t *out = (dvp_##t *)pout + row * w->out[1] * w->out_channels;                                \
      for (int64_t v = 0; v < w->out[1]; v++, out += w->out_channels)                                    \
        for (int64_t c0 = 0; c0 < w->out_channels; c0 += BLOCK) {                                        \
          int64_t n = DVP_MIN(BLOCK, w->out_channels - c0), first = c0 / multiplier;                     \
          for (int64_t j = 0; j < n; j++) acc[j] = 0;                                                    \
          for (int64_t j = 0; multiplier > 1 && j < n; j++)                                              \
            seen[j] = (int32_t)((c0 + j) / multiplier - first);                                          \
          for (int64_t kh = 0; kh < w->k[0]; kh++) {                                                     \
            int64_t y = h + kh * w->dilation[0];                                                         \
            if (y < 0 || y >= w->in[0]) continue;                                                        \
            for (int64_t kw = 0; kw < w->k[1]; kw++) {                                                   \
              int64_t x = v * w->stride[1] - w->before[1] + kw * w->dilation[1];                         \
              if (x < 0 || x >= w->in[1]) continue;                                                      \
              const dvp_##t *in = image + (y * w->in[1] + x) * w->channels;                              \
              const dvp_##t *f = (const dvp_##t *)pfilter + (kh * w->k[1] + kw) * w->out_channels + c0;  \
              if (multiplier == 1)                                                                       \
                for (int64_t j = 0; j < n; j++) acc[j] += DVP_LOAD_##t(in[c0 + j]) * DVP_LOAD_##t(f[j]); \
              else                                                                                       \
                for (int64_t j = 0; j < n; j++)                                                          \
                  acc[j] += DVP_LOAD_##t(in[first + seen[j]]) * DVP_LOAD_##t(f[j]);                      \
            }                                                                                            \
          }                                                                                              \
          for (int64_t j = 0; j < n; j++) out[c0 + j] = DVP_STORE_##t(acc[j]);                           \
        }                                                                                                \
    }                                                                                                    \
  }
// No geometry is a signal here, and the narrow path is for one group.
static bool never(const dvp_window *w) {
  (void)w;
  return false;
}
static const dvp_conv_paths paths = {DVP_PACKED_CODE, never, NULL, DVP_NARROW};
#define KERNEL(t, is_fast)                                                                     \
  static void depthwise_##t##_compute(void *state, TF_OpKernelContext *ctx) {                  \
    static const dvp_conv_kernel kernel = {depthwise_rows_##t, 150, is_fast, DVP_EPILOGUE(t)}; \
    dvp_conv2d_run(state, ctx, &kernel, &paths);                                               \
  }
DVP_FLOATS(DEPTHWISE, )
DVP_HALVES(KERNEL, false)
KERNEL(f32, true)
KERNEL(f64, false)
static const dvp_kernel depthwise_conv2d_rows[] = {DVP_FLOATS(DVP_ROW, depthwise)};
DVP_DEFINE_SET(depthwise_conv2d, "T", dvp_depthwise_create, dvp_conv2d_destroy, depthwise_conv2d_rows);
DVP_DEFINE_SET(fused_depthwise_conv2d, "T", dvp_fused_depthwise_create, dvp_conv2d_destroy,
               depthwise_conv2d_rows);
