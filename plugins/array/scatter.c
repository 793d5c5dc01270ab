// ScatterNd and TensorScatter*: slices of updates into a new tensor, or into a changed copy of one.
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/scatter.h"
#include "common/strided.h"

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
  if (dvp_places_nd(call, dims, rank, &indices, &updates, dvp_ignores_bad_indices(state), &places)) {
    void *out = dvp_output(call, 0, dims, rank);
    if (out && updates.dtype != TF_STRING) memset(out, 0, (size_t)count * TF_DataTypeSize(updates.dtype));
    if (out) dvp_scatter(call, DVP_SCATTER_ADD, &places, &updates, out);
  }
  dvp_places_free(&places);
}

static void scatter_into_copy(dvp_call *call, const void *state, dvp_scatter_op op) {
  dvp_view in, indices, updates;
  dvp_places places;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &indices) || !dvp_input(call, 2, &updates)) return;
  if (in.rank < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The tensor must have at least one dimension, but is a scalar");
    return;
  }
  if (dvp_places_nd(call, in.dims, in.rank, &indices, &updates, dvp_ignores_bad_indices(state), &places)) {
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
  DVP_DEFINE_SET(name, "T", dvp_bad_indices_create, free, name##_rows);
DVP_DEFINE_ANY(scatter_nd, dvp_bad_indices_create, free, scatter_nd_compute);
DVP_DEFINE_ANY(tensor_scatter_update, dvp_bad_indices_create, free, tensor_scatter_update_compute);
SCATTER_SET(tensor_scatter_add, DVP_NUMBERS)
SCATTER_SET(tensor_scatter_sub, DVP_NUMBERS)
SCATTER_SET(tensor_scatter_min, DVP_REALS)
SCATTER_SET(tensor_scatter_max, DVP_REALS)
static const dvp_kernel non_aliasing_add_rows[] = {SUMMABLE(DVP_SHARED_ROW, tensor_scatter_add)};
DVP_DEFINE_SET(scatter_nd_non_aliasing_add, "T", dvp_bad_indices_create, free, non_aliasing_add_rows);
