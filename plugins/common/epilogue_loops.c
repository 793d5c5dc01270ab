// Bias, batch normalisation, residual and activation over rows of channels: see epilogue.h. Blocks of some
// rows, or of a part of one, are computed in the arithmetic type.
#include "common/dtype.h"
#include "common/epilogue.h"
#include "common/vector_math.h"

#define BLOCK 512

#define ACTIVATE(v)                                                                                   \
  static void gelu_##v(dvp_activation kind, dvp_##v *x, int64_t n) {                                  \
    dvp_##v inner[BLOCK] = {0};                                                                       \
    if (kind == DVP_ACT_GELU_EXACT) {                                                                 \
      for (int64_t i = 0; i < n; i++) inner[i] = x[i] * (dvp_##v)0.70710678118654752440;              \
      DVP_VECTOR(erf, v)(inner, inner, n);                                                            \
    } else {                                                                                          \
      for (int64_t i = 0; i < n; i++)                                                                 \
        inner[i] = (dvp_##v)0.79788456080286535588 * (x[i] + (dvp_##v)0.044715 * x[i] * x[i] * x[i]); \
      DVP_VECTOR(tanh, v)(inner, inner, n);                                                           \
    }                                                                                                 \
    for (int64_t i = 0; i < n; i++) x[i] = (dvp_##v)0.5 * x[i] * (1 + inner[i]);                      \
  }                                                                                                   \
  static void swish_##v(dvp_##v *x, int64_t n) {                                                      \
    dvp_##v gate[BLOCK];                                                                              \
    DVP_VECTOR(sigmoid, v)(x, gate, n);                                                               \
    for (int64_t i = 0; i < n; i++) x[i] *= gate[i];                                                  \
  }                                                                                                   \
  static void elu_##v(dvp_##v *x, int64_t n) {                                                        \
    dvp_##v powers[BLOCK] = {0};                                                                      \
    for (int64_t i = 0; i < n; i++) powers[i] = x[i] < 0 ? x[i] : 0;                                  \
    DVP_VECTOR(expm1, v)(powers, powers, n);                                                          \
    for (int64_t i = 0; i < n; i++) x[i] = x[i] < 0 ? powers[i] : x[i];                               \
  }                                                                                                   \
  /* At most BLOCK elements; Prelu, which goes by channels, is not done here. NaN stays NaN. */       \
  static void activate_##v(const dvp_epilogue *e, dvp_##v *x, int64_t n) {                            \
    const dvp_##v alpha = (dvp_##v)e->alpha;                                                          \
    switch (e->activation) {                                                                          \
      case DVP_ACT_RELU:                                                                              \
        for (int64_t i = 0; i < n; i++) x[i] = x[i] < 0 ? 0 : x[i];                                   \
        break;                                                                                        \
      case DVP_ACT_RELU6:                                                                             \
        for (int64_t i = 0; i < n; i++) x[i] = x[i] < 0 ? 0 : x[i] > 6 ? 6 : x[i];                    \
        break;                                                                                        \
      case DVP_ACT_ELU:                                                                               \
        elu_##v(x, n);                                                                                \
        break;                                                                                        \
      case DVP_ACT_LEAKY_RELU:                                                                        \
        for (int64_t i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : x[i] * alpha;                        \
        break;                                                                                        \
      case DVP_ACT_TANH:                                                                              \
        DVP_VECTOR(tanh, v)(x, x, n);                                                                 \
        break;                                                                                        \
      case DVP_ACT_SIGMOID:                                                                           \
        DVP_VECTOR(sigmoid, v)(x, x, n);                                                              \
        break;                                                                                        \
      case DVP_ACT_GELU_EXACT:                                                                        \
      case DVP_ACT_GELU_APPROXIMATE:                                                                  \
        gelu_##v(e->activation, x, n);                                                                \
        break;                                                                                        \
      case DVP_ACT_HARD_SWISH:                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                             \
          const dvp_##v gate = x[i] + 3;                                                              \
          x[i] *= (gate < 0 ? 0 : gate > 6 ? 6 : gate) * (dvp_##v)(1.0 / 6);                          \
        }                                                                                             \
        break;                                                                                        \
      case DVP_ACT_SWISH:                                                                             \
        swish_##v(x, n);                                                                              \
        break;                                                                                        \
      case DVP_ACT_NONE:                                                                              \
      case DVP_ACT_PRELU:                                                                             \
        break;                                                                                        \
    }                                                                                                 \
  }
ACTIVATE(f32)
ACTIVATE(f64)

// `at` is the element's place in the whole result.
#define EPILOGUE(t, v)                                                                                   \
  static void load_##t(const dvp_epilogue *e, const dvp_##t *out, int64_t at, int64_t c, int64_t n,      \
                       dvp_##v *x) {                                                                     \
    const dvp_##v *scale = e->scale, *shift = e->shift;                                                  \
    const dvp_##t *side = e->side;                                                                       \
    if (scale)                                                                                           \
      for (int64_t j = 0; j < n; j++) x[j] = DVP_LOAD_##t(out[at + j]) * scale[c + j] + shift[c + j];    \
    else if (shift)                                                                                      \
      for (int64_t j = 0; j < n; j++) x[j] = DVP_LOAD_##t(out[at + j]) + shift[c + j];                   \
    else                                                                                                 \
      for (int64_t j = 0; j < n; j++) x[j] = DVP_LOAD_##t(out[at + j]);                                  \
    if (side)                                                                                            \
      for (int64_t j = 0; j < n; j++) x[j] += DVP_LOAD_##t(side[at + j]);                                \
  }                                                                                                      \
  static void slope_##t(const dvp_epilogue *e, int64_t at, int64_t n, dvp_##v *x) {                      \
    const dvp_##t *slope = e->slope;                                                                     \
    if (e->slope_count == 1) {                                                                           \
      const dvp_##v a = DVP_LOAD_##t(slope[0]);                                                          \
      for (int64_t j = 0; j < n; j++) x[j] = x[j] < 0 ? x[j] * a : x[j];                                 \
      return;                                                                                            \
    }                                                                                                    \
    slope += at % e->slope_count;                                                                        \
    for (int64_t j = 0; j < n; j++) x[j] = x[j] < 0 ? x[j] * DVP_LOAD_##t(slope[j]) : x[j];              \
  }                                                                                                      \
  void DVP_EPILOGUE(t)(const dvp_epilogue *e, void *pout, int64_t row0, int64_t row1, int64_t c0,        \
                       int64_t c1) {                                                                     \
    dvp_##t *out = pout;                                                                                 \
    dvp_##v block[BLOCK];                                                                                \
    int64_t width = c1 - c0, rows = DVP_MAX(1, BLOCK / DVP_MAX(1, width)), step = DVP_MIN(width, BLOCK); \
    for (int64_t r0 = row0; r0 < row1; r0 += rows) {                                                     \
      int64_t r1 = DVP_MIN(row1, r0 + rows);                                                             \
      for (int64_t c = c0; c < c1; c += step) {                                                          \
        int64_t n = DVP_MIN(step, c1 - c);                                                               \
        dvp_##v *x = block;                                                                              \
        for (int64_t r = r0; r < r1; r++, x += n) load_##t(e, out, r * e->channels + c, c, n, x);        \
        activate_##v(e, block, x - block);                                                               \
        x = block;                                                                                       \
        for (int64_t r = r0; r < r1; r++, x += n) {                                                      \
          int64_t at = r * e->channels + c;                                                              \
          if (e->slope) slope_##t(e, at, n, x);                                                          \
          for (int64_t j = 0; j < n; j++) out[at + j] = DVP_STORE_##t(x[j]);                             \
        }                                                                                                \
      }                                                                                                  \
    }                                                                                                    \
  }
EPILOGUE(f16, f32)
EPILOGUE(bf16, f32)
EPILOGUE(f32, f32)
EPILOGUE(f64, f64)
