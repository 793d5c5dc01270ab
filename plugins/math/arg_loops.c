// ArgMax and ArgMin: the first position of the extremum along one axis.
#include <inttypes.h>
#include <stdlib.h>

#include "common/elementwise.h"

typedef struct arg_state {
  int out_bytes;  // int16/uint16, int32 or int64
} arg_state;

static void *arg_create(TF_OpKernelConstruction *ctx) {
  arg_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->out_bytes = (int)TF_DataTypeSize(dvp_attr_type(ctx, "output_type"));
  return state;
}
static void arg_destroy(void *state) { free(state); }

typedef struct arg_run {
  const void *in;
  char *out;
  int out_bytes;
  int64_t length, inner;
} arg_run;

static void put(const arg_run *run, int64_t unit, int64_t index) {
  char *out = run->out + unit * run->out_bytes;
  switch (run->out_bytes) {
    case 2:
      *(int16_t *)out = (int16_t)index;
      break;
    case 4:
      *(int32_t *)out = (int32_t)index;
      break;
    default:
      *(int64_t *)out = index;
  }
}

static void arg_run_range(const arg_state *state, TF_OpKernelContext *ctx,
                          void (*range)(void *, int64_t, int64_t)) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in;
  int64_t axis;
  if (dvp_input(&call, 0, &in) && dvp_input_int(&call, 1, "dim", &axis)) {
    if (axis < -in.rank || axis >= in.rank) {
      dvp_fail(&call, TF_INVALID_ARGUMENT, "Expected dimension in the range [%d, %d), but got %" PRId64,
               -in.rank, in.rank, axis);
    } else {
      if (axis < 0) axis += in.rank;
      int64_t dims[DVP_MAX_RANK];
      int rank = 0;
      for (int i = 0; i < in.rank; i++)
        if (i != axis) dims[rank++] = in.dims[i];
      arg_run run = {.in = in.data,
                     .out_bytes = state->out_bytes,
                     .length = in.dims[axis],
                     .inner = dvp_product(in.dims, (int)axis + 1, in.rank)};
      if (run.length == 0)
        dvp_fail(&call, TF_INVALID_ARGUMENT, "Reduction axis %" PRId64 " is empty", axis);
      else if ((run.out = dvp_output(&call, 0, dims, rank)) && in.count)
        dvp_parallel(&call, in.count / run.length, DVP_MEDIUM * run.length, range, &run);
    }
  }
  TF_DeleteStatus(call.status);
}

#define ARG(t, op, BETTER)                                                             \
  static void op##_##t##_range(void *arg, int64_t begin, int64_t end) {                \
    const arg_run *run = arg;                                                          \
    for (int64_t unit = begin; unit < end; unit++) {                                   \
      int64_t base = unit / run->inner * run->inner * run->length + unit % run->inner; \
      const dvp_##t *in = (const dvp_##t *)run->in + base;                             \
      DVP_ARITH_##t best = DVP_LOAD_##t(in[0]);                                        \
      int64_t index = 0;                                                               \
      for (int64_t i = 1; i < run->length; i++) {                                      \
        const DVP_ARITH_##t x = DVP_LOAD_##t(in[i * run->inner]);                      \
        if (BETTER) {                                                                  \
          best = x;                                                                    \
          index = i;                                                                   \
        }                                                                              \
      }                                                                                \
      put(run, unit, index);                                                           \
    }                                                                                  \
  }                                                                                    \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {               \
    arg_run_range(state, ctx, op##_##t##_range);                                       \
  }
#define ARG_TYPES(X, ...) DVP_REALS(X, __VA_ARGS__) X(b, __VA_ARGS__)
ARG_TYPES(ARG, arg_max, x > best)
ARG_TYPES(ARG, arg_min, x < best)
static const dvp_kernel arg_max_rows[] = {ARG_TYPES(DVP_ROW, arg_max)};
static const dvp_kernel arg_min_rows[] = {ARG_TYPES(DVP_ROW, arg_min)};
DVP_DEFINE_SET(arg_max, "T", arg_create, arg_destroy, arg_max_rows);
DVP_DEFINE_SET(arg_min, "T", arg_create, arg_destroy, arg_min_rows);
