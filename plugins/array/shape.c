// Ops on shapes: Shape, ShapeN, Rank, Size, Reshape, ExpandDims, Squeeze, BroadcastArgs, ConcatOffset,
// InvertPermutation.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"

// Writes an integer into an int32 or int64 array; false when an int32 cannot hold it.
static bool put(TF_DataType dtype, void *out, int64_t index, int64_t value) {
  if (dtype == TF_INT64) {
    ((int64_t *)out)[index] = value;
    return true;
  }
  ((int32_t *)out)[index] = (int32_t)value;
  return value >= INT32_MIN && value <= INT32_MAX;
}

DVP_COMPUTE(shape_compute) {
  (void)state;
  dvp_view in;
  for (int i = 0; i < TF_NumOutputs(call->ctx); i++) {
    if (!dvp_input(call, i, &in)) return;
    TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, i);
    int64_t rank = in.rank;
    void *out = dvp_output(call, i, &rank, 1);
    if (!out) return;
    for (int d = 0; d < in.rank; d++) {
      if (put(dtype, out, d, in.dims[d])) continue;
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Shape output type is 32-bit but dim %d is %" PRId64 "; use out_type int64", d, in.dims[d]);
      return;
    }
  }
}
DVP_DEFINE_ANY(shape, NULL, NULL, shape_compute);

DVP_COMPUTE(rank_compute) {
  (void)state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  int32_t *out = dvp_output(call, 0, NULL, 0);
  if (out) *out = in.rank;
}
DVP_DEFINE_ANY(rank, NULL, NULL, rank_compute);

DVP_COMPUTE(size_compute) {
  (void)state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  void *out = dvp_output(call, 0, NULL, 0);
  if (out && !put(TF_ExpectedOutputDataType(call->ctx, 0), out, 0, in.count))
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Number of elements was larger than representable by 32-bit output type: %" PRId64, in.count);
}
DVP_DEFINE_ANY(size, NULL, NULL, size_compute);

// ---- the same elements in another shape: no copy ----

DVP_COMPUTE(reshape_compute) {
  (void)state;
  dvp_view in;
  int64_t dims[DVP_MAX_RANK], known = 1;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  int shape_rank, rank, unknown = -1;
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "shape", dims, DVP_MAX_RANK, &shape_rank, &rank))
    return;
  if (shape_rank == 0) {
    // Stock takes a scalar for a vector of one, and nothing else.
    rank = 1;
  }
  for (int i = 0; i < rank; i++) {
    if (dims[i] == -1 && unknown >= 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Only one input size may be -1, not both %d and %d", unknown, i);
      return;
    }
    if (dims[i] == -1) {
      unknown = i;
    } else if (dims[i] < 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Size %d must be non-negative, not %" PRId64, i, dims[i]);
      return;
    } else if (__builtin_mul_overflow(known, dims[i], &known)) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Shape %s has too many elements", dvp_shape_text(dims, rank, ta));
      return;
    }
  }
  if (unknown >= 0) {
    if (known == 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "reshape cannot infer the missing input size for an empty tensor unless all specified input "
               "sizes are "
               "non-zero");
      return;
    }
    dims[unknown] = in.count / known;
    if (dims[unknown] * known != in.count) {
      dims[unknown] = -1;
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Input to reshape is a tensor of shape %s with %" PRId64
               " values, but the requested shape %s requires a "
               "multiple of %" PRId64,
               dvp_shape_text(in.dims, in.rank, ta), in.count, dvp_shape_text(dims, rank, tb), known);
      return;
    }
  } else if (known != in.count) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Input to reshape is a tensor of shape %s with %" PRId64
             " values, but the requested shape %s has %" PRId64,
             dvp_shape_text(in.dims, in.rank, ta), in.count, dvp_shape_text(dims, rank, tb), known);
    return;
  }
  dvp_output_reshaped(call, 0, 0, dims, rank);
}
DVP_DEFINE_ANY(reshape, NULL, NULL, reshape_compute);

DVP_COMPUTE(expand_dims_compute) {
  (void)state;
  dvp_view in;
  int64_t axis;
  if (!dvp_input(call, 0, &in) || !dvp_input_int(call, 1, "dim", &axis)) return;
  if (axis < -1 - in.rank || axis > in.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Tried to expand dim index %" PRId64 " for tensor with %d dimensions.", axis, in.rank);
    return;
  }
  if (in.rank == DVP_MAX_RANK) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "A tensor of rank %d cannot have another dimension", in.rank);
    return;
  }
  if (axis < 0) axis += in.rank + 1;
  memmove(in.dims + axis + 1, in.dims + axis, (size_t)(in.rank - axis) * sizeof(int64_t));
  in.dims[axis] = 1;
  dvp_output_reshaped(call, 0, 0, in.dims, in.rank + 1);
}
DVP_DEFINE_ANY(expand_dims, NULL, NULL, expand_dims_compute);

typedef struct squeeze_state {
  int count;
  int64_t axes[DVP_MAX_RANK];
} squeeze_state;

static void *squeeze_create(TF_OpKernelConstruction *ctx) {
  squeeze_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->count = dvp_attr_ints(ctx, "squeeze_dims", state->axes, DVP_MAX_RANK);
  return state;
}
static void squeeze_destroy(void *state) { free(state); }

DVP_COMPUTE(squeeze_compute) {
  const squeeze_state *squeeze = state;
  dvp_view in;
  bool drop[DVP_MAX_RANK] = {false};
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in)) return;
  for (int i = 0; i < squeeze->count; i++) {
    int64_t axis = squeeze->axes[i];
    if (axis < -in.rank || axis >= in.rank) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Tried to squeeze dim index %" PRId64 " for tensor with %d dimensions.", axis, in.rank);
      return;
    }
    if (axis < 0) axis += in.rank;
    if (in.dims[axis] != 1) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Can not squeeze dim[%" PRId64 "], expected a dimension of 1, got %" PRId64 " in shape %s",
               axis, in.dims[axis], dvp_shape_text(in.dims, in.rank, text));
      return;
    }
    drop[axis] = true;
  }
  int rank = 0;
  for (int i = 0; i < in.rank; i++)
    if (!(squeeze->count ? drop[i] : in.dims[i] == 1)) in.dims[rank++] = in.dims[i];
  dvp_output_reshaped(call, 0, 0, in.dims, rank);
}
DVP_DEFINE_ANY(squeeze, squeeze_create, squeeze_destroy, squeeze_compute);

// ---- arithmetic on shapes ----

DVP_COMPUTE(broadcast_args_compute) {
  (void)state;
  int64_t a[DVP_MAX_RANK], b[DVP_MAX_RANK], dims[DVP_MAX_RANK];
  int ra, rb, na, nb;
  if (!dvp_input_ints(call, 0, "s0", a, DVP_MAX_RANK, &ra, &na) ||
      !dvp_input_ints(call, 1, "s1", b, DVP_MAX_RANK, &rb, &nb))
    return;
  if (ra != 1 || rb != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "In[%d] must be a vector.", ra != 1 ? 0 : 1);
    return;
  }
  int64_t rank = DVP_MAX(na, nb);
  for (int i = 0; i < rank; i++) {
    int ia = i - ((int)rank - na), ib = i - ((int)rank - nb);
    int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) {
      char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
      dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", dvp_shape_text(a, na, ta),
               dvp_shape_text(b, nb, tb));
      return;
    }
    dims[i] = da == 1 ? db : da;
  }
  void *out = dvp_output(call, 0, &rank, 1);
  for (int i = 0; out && i < rank; i++) put(TF_ExpectedOutputDataType(call->ctx, 0), out, i, dims[i]);
}
DVP_DEFINE_ANY(broadcast_args, NULL, NULL, broadcast_args_compute);

// Output i is where input i's block starts in the concatenation of all along concat_dim.
DVP_COMPUTE(concat_offset_compute) {
  (void)state;
  int64_t axis, first[DVP_MAX_RANK], dims[DVP_MAX_RANK], offset = 0;
  int rank, count, first_count = 0, n = TF_NumOutputs(call->ctx);
  if (!dvp_input_int(call, 0, "concat_dim", &axis)) return;
  for (int i = 0; i < n; i++) {
    if (!dvp_input_ints(call, i + 1, "shape", dims, DVP_MAX_RANK, &rank, &count)) return;
    if (i == 0) {
      memcpy(first, dims, sizeof(first));
      first_count = count;
      if (axis < -count || axis >= count) {
        dvp_fail(call, TF_INVALID_ARGUMENT, "Concat dim is out of range: %" PRId64 " vs. %d", axis, count);
        return;
      }
      if (axis < 0) axis += count;
    }
    if (rank != 1 || count != first_count) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "input %d should contain %d elements in a vector, but got %d", i,
               first_count, count);
      return;
    }
    int64_t length = count;
    void *out = dvp_output(call, i, &length, 1);
    if (!out) return;
    TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, i);
    for (int d = 0; d < count; d++) {
      if (d != axis && dims[d] != first[d]) {
        dvp_fail(call, TF_INVALID_ARGUMENT,
                 "All dimensions except %" PRId64 " must match. Input %d has dim %d of %" PRId64
                 " and doesn't match input 0 with %" PRId64,
                 axis, i, d, dims[d], first[d]);
        return;
      }
      put(dtype, out, d, d == axis ? offset : 0);
    }
    if (__builtin_add_overflow(offset, dims[axis], &offset)) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "The concatenated dimension overflows");
      return;
    }
  }
}
DVP_DEFINE_ANY(concat_offset, NULL, NULL, concat_offset_compute);

DVP_COMPUTE(invert_permutation_compute) {
  (void)state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "invert_permutation expects a 1D vector.");
    return;
  }
  void *out = dvp_output(call, 0, in.dims, 1);
  if (!out) return;
  for (int64_t i = 0; i < in.count; i++) put(in.dtype, out, i, -1);
  for (int64_t i = 0; i < in.count; i++) {
    int64_t to = in.dtype == TF_INT64 ? ((int64_t *)in.data)[i] : ((int32_t *)in.data)[i];
    bool in_range = to >= 0 && to < in.count;
    int64_t old = !in_range ? 0 : in.dtype == TF_INT64 ? ((int64_t *)out)[to] : ((int32_t *)out)[to];
    if (!in_range || old != -1) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               in_range ? "%" PRId64 " is duplicated in the input."
                        : "%" PRId64 " is not between 0 and the length of the input",
               to);
      return;
    }
    put(in.dtype, out, to, i);
  }
}
DVP_DEFINE_ANY(invert_permutation, NULL, NULL, invert_permutation_compute);
