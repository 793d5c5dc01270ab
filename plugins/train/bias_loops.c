// BiasAddGrad: sums over all dimensions but the channels. Floating point is summed in runs, and the runs in a
// wider type, so that long sums stay exact to about the element type's precision.
#include <complex.h>
#include <stdlib.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

#define BLOCK 64  // channels a unit
#define RUN 128   // rows

typedef struct bias_state {
  bool channels_first;
} bias_state;
static void *bias_create(TF_OpKernelConstruction *ctx) {
  bias_state *state = dvp_state_new(ctx, sizeof(*state));
  char format[16];
  if (!state) return NULL;
  dvp_attr_string(ctx, "data_format", format, sizeof(format));
  state->channels_first = strcmp(format, "NCHW") == 0;
  return state;
}
static void bias_destroy(void *state) { free(state); }

// Elements [outer, channels, inner]; one of outer and inner is 1 or the channels are in the middle.
typedef struct sums {
  const void *in;
  void *out;
  int64_t outer, channels, inner;
} sums;

#define WIDE_f16 double
#define WIDE_bf16 double
#define WIDE_f32 double
#define WIDE_f64 double
#define WIDE_i8 int8_t
#define WIDE_i16 int16_t
#define WIDE_i32 int32_t
#define WIDE_i64 int64_t
#define WIDE_u8 uint8_t
#define WIDE_u16 uint16_t
#define WIDE_u32 uint32_t
#define WIDE_u64 uint64_t
#define WIDE_c64 double _Complex
#define WIDE_c128 double _Complex

#define SUMS(t, unused)                                                                         \
  /* Units are blocks of channels, which lie together. */                                       \
  static void last_##t(void *arg, int64_t begin, int64_t end) {                                 \
    const sums *s = arg;                                                                        \
    for (int64_t unit = begin; unit < end; unit++) {                                            \
      WIDE_##t total[BLOCK] = {0};                                                              \
      int64_t first = unit * BLOCK, n = DVP_MIN(BLOCK, s->channels - first);                    \
      for (int64_t row = 0; row < s->outer; row += RUN) {                                       \
        DVP_ARITH_##t part[BLOCK] = {0};                                                        \
        const dvp_##t *in = (const dvp_##t *)s->in + row * s->channels + first;                 \
        for (int64_t r = DVP_MIN(RUN, s->outer - row); r > 0; r--, in += s->channels)           \
          for (int64_t c = 0; c < n; c++) part[c] += DVP_LOAD_##t(in[c]);                       \
        for (int64_t c = 0; c < n; c++) total[c] += part[c];                                    \
      }                                                                                         \
      for (int64_t c = 0; c < n; c++)                                                           \
        ((dvp_##t *)s->out)[first + c] = DVP_STORE_##t((DVP_ARITH_##t)total[c]);                \
    }                                                                                           \
  }                                                                                             \
  /* Units are channels, whose elements lie together `inner` at a time. */                      \
  static void first_##t(void *arg, int64_t begin, int64_t end) {                                \
    const sums *s = arg;                                                                        \
    for (int64_t c = begin; c < end; c++) {                                                     \
      WIDE_##t total = 0;                                                                       \
      for (int64_t o = 0; o < s->outer; o++) {                                                  \
        const dvp_##t *in = (const dvp_##t *)s->in + (o * s->channels + c) * s->inner;          \
        for (int64_t i = 0; i < s->inner; i += RUN) {                                           \
          DVP_ARITH_##t part = 0;                                                               \
          for (int64_t j = i; j < DVP_MIN(i + RUN, s->inner); j++) part += DVP_LOAD_##t(in[j]); \
          total += part;                                                                        \
        }                                                                                       \
      }                                                                                         \
      ((dvp_##t *)s->out)[c] = DVP_STORE_##t((DVP_ARITH_##t)total);                             \
    }                                                                                           \
  }                                                                                             \
  DVP_COMPUTE(bias_add_grad_##t##_compute) { bias_add_grad(call, state, last_##t, first_##t); }

static void bias_add_grad(dvp_call *call, const bias_state *state, void (*last)(void *, int64_t, int64_t),
                          void (*first)(void *, int64_t, int64_t)) {
  dvp_view in;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in)) return;
  bool middle = state->channels_first;
  if (in.rank < (middle ? 3 : 2)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "out_backprop must have %d dimensions or more, but is %s",
             middle ? 3 : 2, dvp_shape_text(in.dims, in.rank, text));
    return;
  }
  int axis = middle ? 1 : in.rank - 1;
  sums s = {in.data, dvp_output(call, 0, &in.dims[axis], 1), dvp_product(in.dims, 0, axis), in.dims[axis],
            dvp_product(in.dims, axis + 1, in.rank)};
  if (!s.out || s.channels == 0) return;
  int64_t cost = in.count / s.channels * 200;
  if (middle)
    dvp_parallel(call, s.channels, cost, first, &s);
  else
    dvp_parallel(call, (s.channels + BLOCK - 1) / BLOCK, cost * DVP_MIN(BLOCK, s.channels), last, &s);
}

DVP_NUMBERS(SUMS, )
static const dvp_kernel bias_add_grad_rows[] = {DVP_NUMBERS(DVP_ROW, bias_add_grad)};
DVP_DEFINE_SET(bias_add_grad, "T", bias_create, bias_destroy, bias_add_grad_rows);
