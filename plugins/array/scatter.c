// ScatterNd and TensorScatter*: slices of updates into a new tensor, or into a changed copy of one.
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/scatter.h"
#include "common/strided.h"

typedef struct scatter_state {
  bool ignore_bad;  // an index out of range is left out
} scatter_state;

static void *scatter_create(TF_OpKernelConstruction *ctx) {
  scatter_state *state = dvp_state_new(ctx, sizeof(*state));
  char policy[16];
  if (!state) return NULL;
  dvp_attr_string(ctx, "bad_indices_policy", policy, sizeof(policy));
  state->ignore_bad = strcmp(policy, "IGNORE") == 0;
  if (policy[0] && strcmp(policy, "DEFAULT") != 0 && strcmp(policy, "ERROR") != 0 && !state->ignore_bad)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "bad_indices_policy must be DEFAULT, ERROR or IGNORE, but is '%s'", policy);
  return state;
}
static void scatter_destroy(void *state) { free(state); }

DVP_COMPUTE(scatter_nd_compute) {
  dvp_view indices, updates;
  int64_t dims[DVP_MAX_RANK], count;
  int shape_rank, rank;
  dvp_places places;
  if (!dvp_input(call, 0, &indices) || !dvp_input(call, 1, &updates) ||
      !dvp_input_ints(call, 2, "shape", dims, DVP_MAX_RANK, &shape_rank, &rank))
    return;
  if (shape_rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Shape must be a vector");
    return;
  }
  if (!dvp_count(call, dims, rank, &count)) return;
  if (dvp_places_nd(call, dims, rank, &indices, &updates, ((const scatter_state *)state)->ignore_bad,
                    &places)) {
    void *out = dvp_output(call, 0, dims, rank);
    if (out && updates.dtype != TF_STRING) memset(out, 0, (size_t)count * TF_DataTypeSize(updates.dtype));
    if (out) dvp_scatter(call, DVP_SCATTER_ADD, &places, &updates, out);
  }
  dvp_places_free(&places);
}

static void scatter_into_copy(dvp_call *call, const scatter_state *state, dvp_scatter_op op) {
  dvp_view in, indices, updates;
  dvp_places places;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &indices) || !dvp_input(call, 2, &updates)) return;
  if (in.rank < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The tensor must have at least one dimension, but is a scalar");
    return;
  }
  if (dvp_places_nd(call, in.dims, in.rank, &indices, &updates, state->ignore_bad, &places)) {
    void *out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
    if (out && out != in.data) {
      dvp_box box = {.rank = 0};
      dvp_box_add(&box, in.count, 1, 1);
      dvp_box_copy(call, &box, in.dtype, in.data, out);
    }
    if (out) dvp_scatter(call, op, &places, &updates, out);
  }
  dvp_places_free(&places);
}

#define INTO_COPY(name, op) \
  DVP_COMPUTE(name##_compute) { scatter_into_copy(call, state, op); }
INTO_COPY(tensor_scatter_update, DVP_SCATTER_UPDATE)
INTO_COPY(tensor_scatter_add, DVP_SCATTER_ADD)
INTO_COPY(tensor_scatter_sub, DVP_SCATTER_SUB)
INTO_COPY(tensor_scatter_min, DVP_SCATTER_MIN)
INTO_COPY(tensor_scatter_max, DVP_SCATTER_MAX)

#define SUMMABLE(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)
#define SCATTER_SET(name, LIST)                                         \
  static const dvp_kernel name##_rows[] = {LIST(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(name, "T", scatter_create, scatter_destroy, name##_rows);
DVP_DEFINE_ANY(scatter_nd, scatter_create, scatter_destroy, scatter_nd_compute);
DVP_DEFINE_ANY(tensor_scatter_update, scatter_create, scatter_destroy, tensor_scatter_update_compute);
SCATTER_SET(tensor_scatter_add, DVP_NUMBERS)
SCATTER_SET(tensor_scatter_sub, DVP_NUMBERS)
SCATTER_SET(tensor_scatter_min, DVP_REALS)
SCATTER_SET(tensor_scatter_max, DVP_REALS)
static const dvp_kernel non_aliasing_add_rows[] = {SUMMABLE(DVP_SHARED_ROW, tensor_scatter_add)};
DVP_DEFINE_SET(scatter_nd_non_aliasing_add, "T", scatter_create, scatter_destroy, non_aliasing_add_rows);
