// BiasAdd: a value per channel added along the last dim, or along dim 1 with data_format NCHW.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "common/elementwise.h"
#include "nn/channel.h"

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

typedef struct bias_run {
  const void *in, *bias;  // bias: one per plane, or a pattern of `length`
  void *out;
  int64_t count, length, channels;
} bias_run;

#define BIAS(t, unused)                                                                                    \
  /* Units are patterns. */                                                                                \
  static void bias_last_##t(void *arg, int64_t begin, int64_t end) {                                       \
    const bias_run *run = arg;                                                                             \
    const dvp_##t *bias = run->bias;                                                                       \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      const dvp_##t *in = (const dvp_##t *)run->in + unit * run->length;                                   \
      dvp_##t *out = (dvp_##t *)run->out + unit * run->length;                                             \
      int64_t n = DVP_MIN(run->length, run->count - unit * run->length);                                   \
      DVP_IVDEP                                                                                            \
      for (int64_t i = 0; i < n; i++) out[i] = DVP_STORE_##t(DVP_LOAD_##t(in[i]) + DVP_LOAD_##t(bias[i])); \
    }                                                                                                      \
  }                                                                                                        \
  /* Units are planes of `length` elements. */                                                             \
  static void bias_first_##t(void *arg, int64_t begin, int64_t end) {                                      \
    const bias_run *run = arg;                                                                             \
    for (int64_t unit = begin; unit < end; unit++) {                                                       \
      const DVP_ARITH_##t bias = DVP_LOAD_##t(((const dvp_##t *)run->bias)[unit % run->channels]);         \
      const dvp_##t *in = (const dvp_##t *)run->in + unit * run->length;                                   \
      dvp_##t *out = (dvp_##t *)run->out + unit * run->length;                                             \
      DVP_IVDEP                                                                                            \
      for (int64_t i = 0; i < run->length; i++) out[i] = DVP_STORE_##t(DVP_LOAD_##t(in[i]) + bias);        \
    }                                                                                                      \
  }                                                                                                        \
  DVP_COMPUTE(bias_add_##t##_compute) { bias_add(call, state, bias_last_##t, bias_first_##t); }

static void bias_add(dvp_call *call, const bias_state *state, void (*last)(void *, int64_t, int64_t),
                     void (*first)(void *, int64_t, int64_t)) {
  dvp_view in, bias;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &bias)) return;
  bool channels_first = state && state->channels_first;
  int axis = channels_first ? 1 : in.rank - 1;
  if (in.rank < 2 || bias.rank != 1 || bias.dims[0] != in.dims[axis]) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "BiasAdd wants an input of rank 2 or more and a vector of biases, one per channel (dimension "
             "%d): got %s and %s",
             axis, dvp_shape_text(in.dims, in.rank, ta), dvp_shape_text(bias.dims, bias.rank, tb));
    return;
  }
  bias_run run = {in.data,  bias.data, dvp_output_over(call, 0, -1, 0, in.dims, in.rank),
                  in.count, 0,         bias.count};
  if (!run.out || in.count == 0) return;
  if (channels_first) {
    run.length = dvp_product(in.dims, 2, in.rank);
    dvp_parallel(call, in.count / run.length, run.length * DVP_CHEAP, first, &run);
    return;
  }
  size_t bytes = TF_DataTypeSize(in.dtype);
  TF_Tensor *scratch = NULL;
  run.length = DVP_MIN(dvp_pattern_length(bias.count), in.count);
  if (run.length > bias.count) {
    char *pattern = dvp_temp(call, (size_t)run.length * bytes, &scratch);
    if (!pattern) return;
    for (int64_t i = 0; i < run.length; i += bias.count)
      memcpy(pattern + (size_t)i * bytes, bias.data, (size_t)DVP_MIN(bias.count, run.length - i) * bytes);
    run.bias = pattern;
  }
  dvp_parallel(call, (in.count + run.length - 1) / run.length, run.length * DVP_CHEAP, last, &run);
  dvp_free_temp(scratch);
}
DVP_NUMBERS(BIAS, )
static const dvp_kernel bias_add_rows[] = {DVP_NUMBERS(DVP_ROW, bias_add)};
DVP_DEFINE_SET(bias_add, "T", bias_create, bias_destroy, bias_add_rows);
DVP_DEFINE_SET(bias_add_v1, "T", NULL, NULL, bias_add_rows);
