// Ops that put tensors together or repeat them: ConcatV2, Concat, Pack, Tile, BroadcastTo, Fill, ZerosLike,
// OnesLike.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "dovetail/object.h"

// ---- Concat and Pack: parts side by side in every row of the result ----

typedef struct part {
  const char *data;
  int64_t size;  // along the axis
} part;

// Rows of the result that are written part by part before the next ones: they stay in the cache meanwhile.
#define BLOCK_BYTES 16384

typedef struct join_run {
  dvp_call *call;
  const part *parts;
  int count;
  int64_t rows, block, inner, total, bytes;  // a row is `total` times `inner` elements
  TF_DataType dtype;
  char *out;
} join_run;

static void join_blocks(void *arg, int64_t begin, int64_t end) {
  const join_run *run = arg;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t first = unit * run->block, rows = DVP_MIN(run->block, run->rows - first), at = 0;
    for (int i = 0; i < run->count; at += run->parts[i++].size) {
      int64_t width = run->parts[i].size * run->inner;
      dvp_box box = {.rank = 0};
      dvp_box_add(&box, rows, width, run->total * run->inner);
      dvp_box_add(&box, width, 1, 1);
      dvp_box_copy(run->call, &box, run->dtype, run->parts[i].data + first * width * run->bytes,
                   run->out + (first * run->total + at) * run->inner * run->bytes);
    }
  }
}

static void join(dvp_call *call, const part *parts, int count, int64_t rows, int64_t inner, int64_t total,
                 TF_DataType dtype, char *out) {
  join_run run = {call,  parts, count, rows, rows, inner, total, (int64_t)dvp_element_bytes(call, dtype),
                  dtype, out};
  int64_t row_bytes = total * inner * run.bytes;
  if (run.bytes == 0 || rows == 0 || row_bytes == 0) return;
  // Long rows are copied well as they are, each part in parallel.
  if (row_bytes < BLOCK_BYTES) run.block = DVP_MAX(1, BLOCK_BYTES / row_bytes);
  int64_t blocks = (rows + run.block - 1) / run.block;
  if (blocks == 1 || dtype == TF_STRING) {
    run.block = rows;
    join_blocks(&run, 0, 1);
  } else {
    dvp_parallel(call, blocks, run.block * row_bytes * 100, join_blocks, &run);
  }
}

// Joins `count` inputs from input `first` on; the first one's view is `shape`.
static void concat(dvp_call *call, int first, int count, int64_t axis) {
  dvp_view shape, in;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, first, &shape)) return;
  if (axis < -shape.rank || axis >= shape.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %" PRId64,
             -shape.rank, shape.rank, axis);
    return;
  }
  if (axis < 0) axis += shape.rank;
  part *parts = malloc((size_t)count * sizeof(*parts));
  if (!parts) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return;
  }
  bool fine = true;
  int64_t total = 0;
  for (int i = 0; fine && i < count; i++) {
    if (!(fine = dvp_input(call, first + i, &in))) break;
    if (in.rank != shape.rank)
      fine = dvp_fail(call, TF_INVALID_ARGUMENT,
                      "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                      dvp_shape_text(shape.dims, shape.rank, ta), i, dvp_shape_text(in.dims, in.rank, tb));
    for (int d = 0; fine && d < in.rank; d++)
      if (d != axis && in.dims[d] != shape.dims[d])
        fine =
            dvp_fail(call, TF_INVALID_ARGUMENT,
                     "ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] = %s",
                     d, dvp_shape_text(shape.dims, shape.rank, ta), i, dvp_shape_text(in.dims, in.rank, tb));
    if (fine && __builtin_add_overflow(total, in.dims[axis], &total))
      fine = dvp_fail(call, TF_INVALID_ARGUMENT, "ConcatOp : the concatenated dimension overflows");
    if (fine) parts[i] = (part){in.data, in.dims[axis]};
  }
  if (fine) {
    int64_t inner = dvp_product(shape.dims, (int)axis + 1, shape.rank),
            outer = dvp_product(shape.dims, 0, (int)axis);
    shape.dims[axis] = total;
    char *out = dvp_output(call, 0, shape.dims, shape.rank);
    if (out) join(call, parts, count, outer, inner, total, shape.dtype, out);
  }
  free(parts);
}

DVP_COMPUTE(concat_v2_compute) {
  (void)state;
  int64_t axis;
  int count = TF_NumInputs(call->ctx) - 1;
  if (dvp_input_int(call, count, "axis", &axis)) concat(call, 0, count, axis);
}
DVP_DEFINE_ANY(concat_v2, NULL, NULL, concat_v2_compute);

DVP_COMPUTE(concat_compute) {
  (void)state;
  int64_t axis;
  if (dvp_input_int(call, 0, "concat_dim", &axis)) concat(call, 1, TF_NumInputs(call->ctx) - 1, axis);
}
DVP_DEFINE_ANY(concat, NULL, NULL, concat_compute);

// ---- Pack ----

typedef struct axis_state {
  int64_t axis;
} axis_state;
static void *axis_create(TF_OpKernelConstruction *ctx) {
  axis_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->axis = dvp_attr_int(ctx, "axis");
  return state;
}
static void axis_destroy(void *state) { free(state); }

DVP_COMPUTE(pack_compute) {
  int64_t axis = ((const axis_state *)state)->axis, dims[DVP_MAX_RANK + 1];
  int count = TF_NumInputs(call->ctx);
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  dvp_view first, in;
  if (!dvp_input(call, 0, &first)) return;
  if (axis < -first.rank - 1 || axis > first.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "axis = %" PRId64 " not in [%d, %d)", axis, -first.rank - 1,
             first.rank + 1);
    return;
  }
  if (axis < 0) axis += first.rank + 1;
  memcpy(dims, first.dims, (size_t)axis * sizeof(int64_t));
  dims[axis] = count;
  memcpy(dims + axis + 1, first.dims + axis, (size_t)(first.rank - axis) * sizeof(int64_t));
  part *parts = malloc((size_t)count * sizeof(*parts));
  bool fine = parts ? true : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  for (int i = 0; fine && i < count; i++) {
    if (!(fine = dvp_input(call, i, &in))) break;
    parts[i] = (part){in.data, 1};
    if (!dvp_same_shape(&first, &in))
      fine = dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
                      dvp_shape_text(first.dims, first.rank, ta), i, dvp_shape_text(in.dims, in.rank, tb));
  }
  char *out = fine ? dvp_output(call, 0, dims, first.rank + 1) : NULL;
  if (out)
    join(call, parts, count, dvp_product(first.dims, 0, (int)axis),
         dvp_product(first.dims, (int)axis, first.rank), count, first.dtype, out);
  free(parts);
}
DVP_DEFINE_ANY(pack, axis_create, axis_destroy, pack_compute);

// ---- repetition ----

DVP_COMPUTE(tile_compute) {
  (void)state;
  dvp_view in;
  int64_t multiples[DVP_MAX_RANK], dims[DVP_MAX_RANK], src[DVP_MAX_RANK], dst[DVP_MAX_RANK];
  int rank, count;
  if (!dvp_input(call, 0, &in) ||
      !dvp_input_ints(call, 1, "multiples", multiples, DVP_MAX_RANK, &rank, &count))
    return;
  if (rank != 1 || count != in.rank || in.rank > DVP_MAX_RANK / 2) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Expected multiples argument to be a vector of length %d (at most %d) but got length %d",
             in.rank, DVP_MAX_RANK / 2, count);
    return;
  }
  bool once = true;
  for (int i = 0; i < in.rank; i++) {
    if (multiples[i] < 0 || __builtin_mul_overflow(in.dims[i], multiples[i], &dims[i])) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Expected multiples[%d] >= 0 and a size that fits, but got %" PRId64, i, multiples[i]);
      return;
    }
    once = once && multiples[i] == 1;
  }
  if (once) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  void *out = dvp_output(call, 0, dims, in.rank);
  if (!out || !dvp_product(dims, 0, in.rank)) return;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, src);
  dvp_strides(dims, in.rank, dst);
  for (int i = 0; i < in.rank; i++) {
    dvp_box_add(&box, multiples[i], 0, in.dims[i] * dst[i]);
    dvp_box_add(&box, in.dims[i], src[i], dst[i]);
  }
  dvp_box_copy(call, &box, in.dtype, in.data, out);
}
DVP_DEFINE_ANY(tile, NULL, NULL, tile_compute);

DVP_COMPUTE(broadcast_to_compute) {
  (void)state;
  dvp_view in;
  int64_t dims[DVP_MAX_RANK], src[DVP_MAX_RANK], dst[DVP_MAX_RANK];
  int shape_rank, rank;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "shape", dims, DVP_MAX_RANK, &shape_rank, &rank))
    return;
  if (in.rank > rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Rank of input (%d) must be no greater than rank of output shape (%d).", in.rank, rank);
    return;
  }
  int lead = rank - in.rank;
  bool same = lead == 0;
  for (int i = 0; i < in.rank; i++) {
    if (in.dims[i] != 1 && in.dims[i] != dims[lead + i]) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
               dvp_shape_text(in.dims, in.rank, ta), dvp_shape_text(dims, rank, tb));
      return;
    }
    same = same && in.dims[i] == dims[i];
  }
  if (same) {
    dvp_output_reshaped(call, 0, 0, dims, rank);
    return;
  }
  void *out = dvp_output(call, 0, dims, rank);
  if (!out || !dvp_product(dims, 0, rank)) return;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, src);
  dvp_strides(dims, rank, dst);
  for (int i = 0; i < rank; i++)
    dvp_box_add(&box, dims[i], i < lead || in.dims[i - lead] == 1 ? 0 : src[i - lead], dst[i]);
  dvp_box_copy(call, &box, in.dtype, in.data, out);
}
DVP_DEFINE_ANY(broadcast_to, NULL, NULL, broadcast_to_compute);

// Fills `count` elements with copies of `value`; all-zero bytes at memset's speed.
static void fill(dvp_call *call, TF_DataType dtype, const void *value, void *out, int64_t count) {
  dvp_box box = {.rank = 0};
  dvp_box_add(&box, count, 0, 1);
  if (count) dvp_box_copy(call, &box, dtype, value, out);
}

DVP_COMPUTE(fill_compute) {
  (void)state;
  int64_t dims[DVP_MAX_RANK];
  int shape_rank, rank;
  dvp_view value;
  if (!dvp_input_ints(call, 0, "dims", dims, DVP_MAX_RANK, &shape_rank, &rank) || !dvp_input(call, 1, &value))
    return;
  if (shape_rank != 1 && rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "dims must represent a vector");
    return;
  }
  if (value.count != 1 || value.rank > 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "value must represent a scalar, but has %" PRId64 " elements",
             value.count);
    return;
  }
  void *out = dvp_output(call, 0, dims, rank);
  if (out) fill(call, value.dtype, value.data, out, dvp_product(dims, 0, rank));
}
DVP_DEFINE_ANY(fill, NULL, NULL, fill_compute);

// Each object's own zeros.
static void zero_objects(dvp_call *call, const dvp_view *in) {
  TF_Tensor *from = NULL;
  TF_GetInput(call->ctx, 0, &from, call->status);
  if (!dvp_ok(call)) return;
  TF_Tensor *to = TF_AllocateOutput(call->ctx, 0, in->dtype, in->dims, in->rank, 0, call->status);
  for (int64_t i = 0; to && TF_GetCode(call->status) == TF_OK && i < in->count; i++)
    dvt_object_zeros_like(call->ctx, to, i, from, i, call->status);
  TF_DeleteTensor(to);
  TF_DeleteTensor(from);
  dvp_ok(call);
}

DVP_COMPUTE(zeros_like_compute) {
  (void)state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  if (in.dtype == TF_VARIANT) {
    zero_objects(call, &in);
    return;
  }
  size_t bytes = dvp_element_bytes(call, in.dtype);
  if (bytes == 0) return;
  // A new string output holds empty strings, which are the zeros of strings.
  void *out = in.dtype == TF_STRING ? dvp_output(call, 0, in.dims, in.rank)
                                    : dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
  if (out && in.dtype != TF_STRING) memset(out, 0, (size_t)in.count * bytes);
}
DVP_DEFINE_ANY(zeros_like, NULL, NULL, zeros_like_compute);

#define ONE(t, unused)                \
  case DVP_TYPE_##t: {                \
    dvp_##t one = DVP_STORE_##t(1);   \
    memcpy(value, &one, sizeof(one)); \
    break;                            \
  }
DVP_COMPUTE(ones_like_compute) {
  (void)state;
  dvp_view in;
  double value[2];
  if (!dvp_input(call, 0, &in)) return;
  switch (in.dtype) {
    DVP_NUMBERS(ONE, )
    ONE(b, )
    default:
      dvp_fail(call, TF_UNIMPLEMENTED, "OnesLike has no ones of dtype %d", in.dtype);
      return;
  }
  void *out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
  if (out) fill(call, in.dtype, value, out, in.count);
}
DVP_DEFINE_ANY(ones_like, NULL, NULL, ones_like_compute);
