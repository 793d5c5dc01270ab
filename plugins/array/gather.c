// Ops that pick by index: GatherV2, Gather, GatherNd, the same from variables, Where. An index out of range
// is an error.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/scatter.h"
#include "common/strided.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/tf_tstring.h"

static void copy_variable(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  TF_DataType dtype = TF_TensorType(source);
  dvp_copy_elements(dtype, TF_TensorData(source), 0, TF_TensorData(dest), 0, TF_TensorElementCount(source),
                    (int64_t)TF_DataTypeSize(dtype));
}

// The value of the variable in input 0, and its view; the caller deletes the tensor.
static bool variable_value(dvp_call *call, TF_Tensor **out_value, dvp_view *out) {
  TF_GetInputTensorFromVariable(call->ctx, 0, false, false, false, copy_variable, out_value, call->status);
  if (!dvp_ok(call)) return false;
  TF_DataType wanted = TF_ExpectedOutputDataType(call->ctx, 0);
  out->data = TF_TensorData(*out_value);
  out->dtype = TF_TensorType(*out_value);
  out->rank = TF_NumDims(*out_value);
  out->count = TF_TensorElementCount(*out_value);
  for (int i = 0; i < out->rank; i++) out->dims[i] = TF_Dim(*out_value, i);
  if (out->dtype == wanted) return true;
  TF_DeleteTensor(*out_value);
  return dvp_fail(call, TF_INVALID_ARGUMENT, "The variable has dtype %d, not %d", out->dtype, wanted);
}

typedef struct gather_state {
  int64_t batch_dims;
} gather_state;

static void *gather_create(TF_OpKernelConstruction *ctx) {
  gather_state *state = dvp_state_new(ctx, sizeof(*state));
  TF_Status *status = TF_NewStatus();
  // Gather is GatherV2 without this attribute.
  if (state && TF_OpKernelConstruction_HasAttr(ctx, "batch_dims", status))
    state->batch_dims = dvp_attr_int(ctx, "batch_dims");
  TF_DeleteStatus(status);
  return state;
}
static void gather_destroy(void *state) { free(state); }

// params [batch, outer, dim, inner], indices [batch, picks] -> out [batch, outer, picks, inner].
typedef struct gather_run {
  const dvp_view *params, *indices;
  char *out;
  int64_t outer, dim, inner, picks, bytes;
  atomic_llong bad;  // position of an index out of range, or -1
} gather_run;

// Units are the picks of all batches and outer positions.
static void gather_range(void *arg, int64_t begin, int64_t end) {
  gather_run *run = arg;
  int64_t slice = run->inner * run->bytes;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t row = unit / run->picks, position = row / run->outer * run->picks + unit % run->picks;
    int64_t index = dvp_index_at(run->indices, position);
    if (index < 0 || index >= run->dim) {
      atomic_store(&run->bad, position);
      return;
    }
    dvp_copy_elements(run->params->dtype, (const char *)run->params->data + (row * run->dim + index) * slice,
                      0, run->out + unit * slice, 0, run->inner, run->bytes);
  }
}

// From params, along `axis`.
static void gather(dvp_call *call, const dvp_view *from, int64_t axis, int64_t batch_dims) {
  int64_t dims[2 * DVP_MAX_RANK];
  dvp_view indices;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 1, &indices)) return;
  if (from->rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "params must be at least 1 dimensional");
    return;
  }
  if (axis < -from->rank || axis >= from->rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Expected axis in the range [%d, %d), but got %" PRId64, -from->rank,
             from->rank, axis);
    return;
  }
  if (axis < 0) axis += from->rank;
  if (batch_dims < -indices.rank || batch_dims > indices.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Expected batch_dims in the range [%d, %d], but got %" PRId64,
             -indices.rank, indices.rank, batch_dims);
    return;
  }
  if (batch_dims < 0) batch_dims += indices.rank;
  if (batch_dims > axis) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "batch_dims (%" PRId64 ") must be less than or equal to axis (%" PRId64 ").", batch_dims, axis);
    return;
  }
  for (int i = 0; i < batch_dims; i++) {
    if (from->dims[i] == indices.dims[i]) continue;
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "params.shape[%d] should be equal to indices.shape[%d], but the shapes are %s and %s", i, i,
             dvp_shape_text(from->dims, from->rank, ta), dvp_shape_text(indices.dims, indices.rank, tb));
    return;
  }
  int rank = 0;
  for (int i = 0; i < axis; i++) dims[rank++] = from->dims[i];
  for (int i = (int)batch_dims; i < indices.rank; i++) dims[rank++] = indices.dims[i];
  for (int i = (int)axis + 1; i < from->rank; i++) dims[rank++] = from->dims[i];
  gather_run run = {.params = from, .indices = &indices, .out = dvp_output(call, 0, dims, rank), .bad = -1};
  if (!run.out) return;
  run.bytes = (int64_t)dvp_element_bytes(call, from->dtype);
  if (run.bytes == 0) return;
  run.outer = dvp_product(from->dims, (int)batch_dims, (int)axis);
  run.dim = from->dims[axis];
  run.inner = dvp_product(from->dims, (int)axis + 1, from->rank);
  run.picks = dvp_product(indices.dims, (int)batch_dims, indices.rank);
  int64_t units = dvp_product(from->dims, 0, (int)axis) * run.picks;
  if (units > 0 && run.inner > 0)
    dvp_parallel(call, units, 3000 + run.inner * run.bytes * (from->dtype == TF_STRING ? 1000 : 50),
                 gather_range, &run);
  if (atomic_load(&run.bad) >= 0)
    dvp_fail(call, TF_INVALID_ARGUMENT, "indices[%lld] = %" PRId64 " is not in [0, %" PRId64 ")",
             atomic_load(&run.bad), dvp_index_at(&indices, atomic_load(&run.bad)), run.dim);
}

DVP_COMPUTE(gather_compute) {
  int64_t axis = 0;
  dvp_view params;
  if (!dvp_input(call, 0, &params)) return;
  if (TF_NumInputs(call->ctx) == 3 && !dvp_input_int(call, 2, "axis", &axis)) return;
  gather(call, &params, axis, ((const gather_state *)state)->batch_dims);
}
DVP_DEFINE_ANY(gather_v2, gather_create, gather_destroy, gather_compute);

// A variable's rows: GatherV2 along the dimension behind the batch.
DVP_COMPUTE(resource_gather_compute) {
  dvp_view params;
  TF_Tensor *value = NULL;
  int64_t batch_dims = ((const gather_state *)state)->batch_dims;
  if (!variable_value(call, &value, &params)) return;
  gather(call, &params, batch_dims, batch_dims);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(resource_gather, gather_create, gather_destroy, resource_gather_compute);

// ---- GatherNd ----

static void pick(dvp_call *call, const dvp_view *from, bool ignore_bad) {
  dvp_view indices;
  int64_t dims[2 * DVP_MAX_RANK];
  int rank = 0;
  if (!dvp_input(call, 1, &indices)) return;
  if (from->rank == 0 || indices.rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be at least a vector",
             from->rank == 0 ? "params" : "indices");
    return;
  }
  int64_t depth = indices.dims[indices.rank - 1];
  if (depth > from->rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "index innermost dimension length must be <= params rank; saw: %" PRId64 " vs. %d", depth,
             from->rank);
    return;
  }
  for (int i = 0; i < indices.rank - 1; i++) dims[rank++] = indices.dims[i];
  for (int i = (int)depth; i < from->rank; i++) dims[rank++] = from->dims[i];
  char *out = dvp_output(call, 0, dims, rank);
  int64_t bytes = out ? (int64_t)dvp_element_bytes(call, from->dtype) : 0;
  if (bytes == 0) return;
  int64_t picks = dvp_product(indices.dims, 0, indices.rank - 1),
          inner = dvp_product(from->dims, (int)depth, from->rank);
  if (picks > 0 && from->count == 0 && inner > 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Requested more than 0 entries, but params is empty.");
    return;
  }
  for (int64_t i = 0; i < picks; i++) {
    int64_t at = 0;
    bool bad = false;
    for (int64_t d = 0; d < depth; d++) {
      int64_t index = dvp_index_at(&indices, i * depth + d);
      bad = bad || index < 0 || index >= from->dims[d];
      at = at * from->dims[d] + (bad ? 0 : index);
    }
    if (!bad) {
      dvp_copy_elements(from->dtype, from->data, at * inner, out, i * inner, inner, bytes);
    } else if (ignore_bad) {
      if (from->dtype != TF_STRING) memset(out + i * inner * bytes, 0, (size_t)(inner * bytes));
    } else {
      dvp_fail(call, TF_INVALID_ARGUMENT, "indices[%" PRId64 "] does not index into param shape", i);
      return;
    }
  }
}

DVP_COMPUTE(gather_nd_compute) {
  dvp_view params;
  if (dvp_input(call, 0, &params)) pick(call, &params, dvp_ignores_bad_indices(state));
}
DVP_DEFINE_ANY(gather_nd, dvp_bad_indices_create, free, gather_nd_compute);

DVP_COMPUTE(resource_gather_nd_compute) {
  (void)state;
  dvp_view params;
  TF_Tensor *value = NULL;
  if (!variable_value(call, &value, &params)) return;
  pick(call, &params, false);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(resource_gather_nd, NULL, NULL, resource_gather_nd_compute);

// ---- Where: coordinates of the elements that are not zero, in order ----

#define NONZERO_CASE(t, unused) \
  case DVP_TYPE_##t:            \
    return DVP_LOAD_##t(((const dvp_##t *)in->data)[i]) != 0;
static bool is_set(const dvp_view *in, int64_t i) {
  switch (in->dtype) {
    DVP_NUMBERS(NONZERO_CASE, )
    NONZERO_CASE(b, )
    default:
      return false;
  }
}

DVP_COMPUTE(where_compute) {
  (void)state;
  dvp_view in;
  int64_t dims[2] = {0, 0};
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Where wants an input of one or more dimensions, not a scalar");
    return;
  }
  for (int64_t i = 0; i < in.count; i++) dims[0] += is_set(&in, i);
  dims[1] = in.rank;
  int64_t *out = dvp_output(call, 0, dims, 2);
  if (!out) return;
  for (int64_t i = 0; i < in.count; i++) {
    if (!is_set(&in, i)) continue;
    int64_t rest = i;
    for (int d = in.rank - 1; d >= 0; d--) {
      out[d] = rest % in.dims[d];
      rest /= in.dims[d];
    }
    out += in.rank;
  }
}
DVP_DEFINE_ANY(where, NULL, NULL, where_compute);
