// The steps of the optimisers, typed. In each, v0 to v3 are an element of the variables in the op's order, g
// that of the gradient, and p[] the scalars in the op's order, all in the arithmetic type. Halves are
// computed in f32 and rounded once, where stock rounds after every operation.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "train/optimise.h"

#define SQRT_f16 sqrtf
#define SQRT_bf16 sqrtf
#define SQRT_f32 sqrtf
#define SQRT_f64 sqrt
#define SQRT_c64 csqrtf
#define SQRT_c128 csqrt
#define POW_f16 powf
#define POW_bf16 powf
#define POW_f32 powf
#define POW_f64 pow
#define EXP_f16 expf
#define EXP_bf16 expf
#define EXP_f32 expf
#define EXP_f64 exp
#define ABS(x) ((x) < 0 ? -(x) : (x))
#define SIGN(x) ((A)((x) > 0) - (A)((x) < 0))
// |x| less what is taken from it, but not below zero, with the sign of x.
#define SHRINK(x, by) (SIGN(x) * (ABS(x) > (by) ? ABS(x) - (by) : 0))

// A range of type t: PRE computes constants, BODY changes v0 .. v<V - 1>.
#define STEP(t, name, V, PRE, BODY)                                                        \
  static void name##_##t##_range(const dvr_step *s, int64_t at, int64_t from, int64_t n) { \
    typedef DVP_ARITH_##t A;                                                               \
    const dvr_options options = *s->options;                                               \
    const dvp_##t *gradient = (const dvp_##t *)s->gradient + from;                         \
    dvp_##t *x0 = (dvp_##t *)s->variables[0] + at, *x1 = (dvp_##t *)s->variables[1] + at,  \
            *x2 = (dvp_##t *)s->variables[2] + at, *x3 = (dvp_##t *)s->variables[3] + at;  \
    A p[DVR_MAX_SCALARS] = {0};                                                            \
    for (int i = 0; i < DVR_MAX_SCALARS && s->scalars[i]; i++)                             \
      p[i] = DVP_LOAD_##t(*(const dvp_##t *)s->scalars[i]);                                \
    (void)options;                                                                         \
    PRE;                                                                                   \
    DVP_IVDEP                                                                              \
    for (int64_t i = 0; i < n; i++) {                                                      \
      const A g = DVP_LOAD_##t(gradient[i]);                                               \
      A v0 = DVP_LOAD_##t(x0[i]), v1 = DVP_LOAD_##t(x1[i]), v2 = DVP_LOAD_##t(x2[i]),      \
        v3 = DVP_LOAD_##t(x3[i]);                                                          \
      BODY;                                                                                \
      x0[i] = DVP_STORE_##t(v0);                                                           \
      if (V > 1) x1[i] = DVP_STORE_##t(v1);                                                \
      if (V > 2) x2[i] = DVP_STORE_##t(v2);                                                \
      if (V > 3) x3[i] = DVP_STORE_##t(v3);                                                \
    }                                                                                      \
  }

#define COMPUTE(t, name, kernel)                                             \
  static void kernel##_##t##_compute(void *state, TF_OpKernelContext *ctx) { \
    dvr_optimise(ctx, state, &kernel##_inputs, name##_##t##_range);          \
  }
// The kernels of the range `name` with these inputs.
#define KERNELS(kernel, name, LIST, V, rest)                         \
  static const dvr_inputs kernel##_inputs = {V, rest};               \
  LIST(COMPUTE, name, kernel)                                        \
  static const dvp_kernel kernel##_rows[] = {LIST(DVP_ROW, kernel)}; \
  DVP_DEFINE_SET(kernel, "T", dvr_options_create, free, kernel##_rows);
#define NARROW_FLOATS(X, ...) X(f16, __VA_ARGS__) DVP_SINGLES(X, __VA_ARGS__)

// ---- gradient descent ----

#define GRADIENT_DESCENT(t, unused) STEP(t, gradient_descent, 1, , v0 -= g * p[0])
DVP_FLOATS_COMPLEX(GRADIENT_DESCENT, )
KERNELS(gradient_descent, gradient_descent, DVP_FLOATS_COMPLEX, 1, "sg")

#define PROXIMAL_DESCENT(t, unused)                                           \
  STEP(t, proximal_gradient_descent, 1, const A lr = p[0]; const A l1 = p[1]; \
       const A part = 1 + p[2] * lr, v0 -= g * lr; v0 = (l1 > 0 ? SHRINK(v0, lr * l1) : v0) / part)
DVP_SINGLES(PROXIMAL_DESCENT, )
KERNELS(proximal_gradient_descent, proximal_gradient_descent, DVP_SINGLES, 1, "sssg")
KERNELS(sparse_proximal_gradient_descent, proximal_gradient_descent, DVP_SINGLES, 1, "sssgi")

#define MOMENTUM(t, unused)                                                                \
  STEP(t, momentum, 2, const A lr = p[0]; const A momentum = p[1], v1 = v1 * momentum + g; \
       v0 -= options.nesterov ? g * lr + v1 * momentum * lr : v1 * lr)
DVP_FLOATS_COMPLEX(MOMENTUM, )
KERNELS(momentum, momentum, DVP_FLOATS_COMPLEX, 2, "sgs")
KERNELS(sparse_momentum, momentum, DVP_FLOATS_COMPLEX, 2, "sgis")

#define KERAS_MOMENTUM(t, unused)                                                                     \
  STEP(t, keras_momentum, 2, const A lr = p[0]; const A momentum = p[1], v1 = v1 * momentum - g * lr; \
       v0 += options.nesterov ? v1 * momentum - g * lr : v1)
DVP_FLOATS_COMPLEX(KERAS_MOMENTUM, )
KERNELS(keras_momentum, keras_momentum, DVP_FLOATS_COMPLEX, 2, "sgs")
KERNELS(sparse_keras_momentum, keras_momentum, DVP_FLOATS_COMPLEX, 2, "sgis")

// ---- Adagrad and its kin ----

#define ADAGRAD(t, unused) \
  STEP(t, adagrad, 2, , v1 += options.update_slots ? g * g : 0; v0 -= g * p[0] / SQRT_##t(v1))
DVP_FLOATS_COMPLEX(ADAGRAD, )
KERNELS(adagrad, adagrad, DVP_FLOATS_COMPLEX, 2, "sg")
KERNELS(sparse_adagrad, adagrad, DVP_FLOATS_COMPLEX, 2, "sgi")

#define ADAGRAD_V2(t, unused) \
  STEP(t, adagrad_v2, 2, , v1 += options.update_slots ? g * g : 0; v0 -= g * p[0] / (SQRT_##t(v1) + p[1]))
DVP_FLOATS_COMPLEX(ADAGRAD_V2, )
KERNELS(adagrad_v2, adagrad_v2, DVP_FLOATS_COMPLEX, 2, "ssg")
KERNELS(sparse_adagrad_v2, adagrad_v2, DVP_FLOATS_COMPLEX, 2, "ssgi")

#define PROXIMAL_ADAGRAD(t, unused)                                                              \
  STEP(t, proximal_adagrad, 2, const A l1 = p[1], v1 += g * g; const A lr = p[0] / SQRT_##t(v1); \
       v0 -= g * lr; v0 = (l1 > 0 ? SHRINK(v0, lr * l1) : v0) / (1 + p[2] * lr))
DVP_SINGLES(PROXIMAL_ADAGRAD, )
KERNELS(proximal_adagrad, proximal_adagrad, DVP_SINGLES, 2, "sssg")
KERNELS(sparse_proximal_adagrad, proximal_adagrad, DVP_SINGLES, 2, "sssgi")

#define ADAGRAD_DA(t, unused)                                                                              \
  STEP(t, adagrad_da, 3, const A lr = p[0]; const A l1 = p[1]; const A steps = (A)s->global_step, v1 += g; \
       v2 += g * g; v0 = -lr * (l1 > 0 ? SHRINK(v1, steps * l1) : v1) / (p[2] * steps * lr + SQRT_##t(v2)))
DVP_SINGLES(ADAGRAD_DA, )
KERNELS(adagrad_da, adagrad_da, DVP_SINGLES, 3, "gsssn")
KERNELS(sparse_adagrad_da, adagrad_da, DVP_SINGLES, 3, "gisssn")

#define ADADELTA(t, unused)                                                                           \
  STEP(t, adadelta, 3, const A rho = p[1]; const A epsilon = p[2], v1 = v1 * rho + g * g * (1 - rho); \
       const A step = SQRT_##t(v2 + epsilon) / SQRT_##t(v1 + epsilon) * g; v0 -= step * p[0];         \
       v2 = v2 * rho + step * step * (1 - rho))
DVP_FLOATS_COMPLEX(ADADELTA, )
KERNELS(adadelta, adadelta, DVP_FLOATS_COMPLEX, 3, "sssg")
KERNELS(sparse_adadelta, adadelta, DVP_FLOATS_COMPLEX, 3, "sssgi")

// ---- FTRL: v1 sums squares, v2 is the linear term ----

#define ROOT(t, x) (power == (A)-0.5 ? SQRT_##t(x) : POW_##t(x, -power))
#define FTRL(t, name, SHRINKAGE, POWER)                                                      \
  STEP(t, name, 3, const A lr = p[0]; const A power = POWER;                                 \
       const A scale = options.multiply_linear_by_lr ? lr : 1;                               \
       const A rate = options.multiply_linear_by_lr ? 1 : lr; const A l1 = p[1] * scale;     \
       const A l2 = 2 * p[2] * scale, const A sum = v1 + g * g; const A root = ROOT(t, sum); \
       v2 += (g + SHRINKAGE) * scale - (root - ROOT(t, v1)) / rate * v0; v1 = sum;           \
       v0 = ABS(v2) > l1 ? (l1 * SIGN(v2) - v2) / (root / rate + l2) : 0)
#define FTRL_V1(t, unused) FTRL(t, ftrl, 0, p[3])
#define FTRL_V2(t, unused) FTRL(t, ftrl_v2, 2 * p[3] * v0, p[4])
DVP_FLOATS(FTRL_V1, )
DVP_FLOATS(FTRL_V2, )
KERNELS(ftrl, ftrl, DVP_FLOATS, 3, "gssss")
KERNELS(sparse_ftrl, ftrl, DVP_FLOATS, 3, "gipzzm")
KERNELS(ftrl_v2, ftrl_v2, DVP_FLOATS, 3, "gsssss")
KERNELS(sparse_ftrl_v2, ftrl_v2, DVP_FLOATS, 3, "gipzzzm")

// ---- Adam and its kin: the scalars begin with the powers of the betas ----

#define MOMENTS                 \
  v1 += (g - v1) * (1 - beta1); \
  v2 += (g * g - v2) * (1 - beta2)
#define ADAM_RATE(t)    \
  const A beta1 = p[3]; \
  const A beta2 = p[4]; \
  const A rate = p[2] * SQRT_##t(1 - p[1]) / (1 - p[0])
#define ADAM(t, unused)                   \
  STEP(t, adam, 3, ADAM_RATE(t), MOMENTS; \
       v0 -= (options.nesterov ? g * (1 - beta1) + beta1 * v1 : v1) * rate / (SQRT_##t(v2) + p[5]))
DVP_FLOATS_COMPLEX(ADAM, )
KERNELS(adam, adam, DVP_FLOATS_COMPLEX, 3, "ssssssg")

#define AMSGRAD(t, unused)                                                \
  STEP(t, adam_amsgrad, 4, ADAM_RATE(t), MOMENTS; v3 = v3 < v2 ? v2 : v3; \
       v0 -= v1 * rate / (SQRT_##t(v3) + p[5]))
DVP_FLOATS(AMSGRAD, )
KERNELS(adam_amsgrad, adam_amsgrad, DVP_FLOATS, 4, "ssssssg")

#define ADA_MAX(t, unused)                                                                       \
  STEP(t, ada_max, 3, const A rate = p[1] / (1 - p[0]), v1 += (g - v1) * (1 - p[2]); v2 *= p[3]; \
       v2 = v2 < ABS(g) ? ABS(g) : v2; v0 -= rate * (v1 / (v2 + p[4])))
NARROW_FLOATS(ADA_MAX, )
KERNELS(ada_max, ada_max, NARROW_FLOATS, 3, "sssssg")

// ---- RMSProp ----

#define RMS_PROP(t, unused)                                                \
  STEP(t, rms_prop, 3, const A rho = p[1], v1 += (g * g - v1) * (1 - rho); \
       v2 = v2 * p[2] + g * p[0] / SQRT_##t(v1 + p[3]); v0 -= v2)
DVP_FLOATS_COMPLEX(RMS_PROP, )
KERNELS(rms_prop, rms_prop, DVP_FLOATS_COMPLEX, 3, "ssssg")
KERNELS(sparse_rms_prop, rms_prop, DVP_FLOATS_COMPLEX, 3, "ssssgi")

#define CENTERED(t, unused)                                                         \
  STEP(t, centered_rms_prop, 4, const A rho = p[1], v2 += (g * g - v2) * (1 - rho); \
       v1 += (g - v1) * (1 - rho); v3 = v3 * p[2] + g * p[0] / SQRT_##t(v2 - v1 * v1 + p[3]); v0 -= v3)
DVP_FLOATS_COMPLEX(CENTERED, )
KERNELS(centered_rms_prop, centered_rms_prop, DVP_FLOATS_COMPLEX, 4, "ssssg")
KERNELS(sparse_centered_rms_prop, centered_rms_prop, DVP_FLOATS_COMPLEX, 4, "ssssgi")

// ---- by signs ----

#define ADD_SIGN(t, unused)                                                  \
  STEP(t, add_sign, 2, const A beta = p[3], v1 = v1 * beta + g * (1 - beta); \
       v0 -= p[0] * (p[1] + p[2] * SIGN(g) * SIGN(v1)) * g)
DVP_FLOATS(ADD_SIGN, )
KERNELS(add_sign, add_sign, DVP_FLOATS, 2, "ssssg")

#define POWER_SIGN(t, unused)                                                  \
  STEP(t, power_sign, 2, const A beta = p[3], v1 = v1 * beta + g * (1 - beta); \
       v0 -= p[0] * EXP_##t(p[1] * p[2] * SIGN(g) * SIGN(v1)) * g)
DVP_FLOATS(POWER_SIGN, )
KERNELS(power_sign, power_sign, DVP_FLOATS, 2, "ssssg")
