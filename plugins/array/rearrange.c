// Ops that move elements by small rules: OneHot, ReverseSequence, Reverse, Roll.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

// ---- OneHot ----

typedef struct one_hot_state {
  int64_t axis;
} one_hot_state;
static void *one_hot_create(TF_OpKernelConstruction *ctx) {
  one_hot_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->axis = dvp_attr_int(ctx, "axis");
  return state;
}
static void one_hot_destroy(void *state) { free(state); }

static int64_t place_of(const dvp_view *indices, int64_t i) {
  switch (indices->dtype) {
    case TF_UINT8:
      return ((const uint8_t *)indices->data)[i];
    case TF_INT8:
      return ((const int8_t *)indices->data)[i];
    case TF_INT32:
      return ((const int32_t *)indices->data)[i];
    default:
      return ((const int64_t *)indices->data)[i];
  }
}

DVP_COMPUTE(one_hot_compute) {
  dvp_view indices, depth_view, on, off;
  if (!dvp_input(call, 0, &indices) || !dvp_input_scalar(call, 1, "depth", &depth_view) ||
      !dvp_input_scalar(call, 2, "on_value", &on) || !dvp_input_scalar(call, 3, "off_value", &off))
    return;
  int64_t axis = ((const one_hot_state *)state)->axis, depth = *(const int32_t *)depth_view.data;
  if (axis < -1 || axis > indices.rank || depth < 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Expected axis to be -1 or between [0, %d] and depth not to be negative, but got %" PRId64
             " and %" PRId64,
             indices.rank, axis, depth);
    return;
  }
  if (axis < 0) axis = indices.rank;
  int64_t dims[DVP_MAX_RANK + 1];
  for (int i = 0; i <= indices.rank; i++)
    dims[i] = i < axis ? indices.dims[i] : i == axis ? depth : indices.dims[i - 1];
  char *out = dvp_output(call, 0, dims, indices.rank + 1);
  int64_t bytes = out ? (int64_t)dvp_element_bytes(call, on.dtype) : 0;
  if (bytes == 0) return;
  int64_t inner = dvp_product(indices.dims, (int)axis, indices.rank), count = indices.count * depth;
  dvp_box fill = {.rank = 0}, one = {.rank = 0};
  dvp_box_add(&fill, count, 0, 1);
  dvp_box_add(&one, 1, 1, 1);
  dvp_box_copy(call, &fill, off.dtype, off.data, out);
  for (int64_t i = 0; i < indices.count; i++) {
    int64_t place = place_of(&indices, i);
    if (place < 0 || place >= depth) continue;
    int64_t at = (i / inner * depth + place) * inner + i % inner;
    dvp_box_copy(call, &one, on.dtype, on.data, out + at * bytes);
  }
}
DVP_DEFINE_ANY(one_hot, one_hot_create, one_hot_destroy, one_hot_compute);

// ---- ReverseSequence ----

typedef struct sequence_state {
  int64_t seq_dim, batch_dim;
} sequence_state;
static void *sequence_create(TF_OpKernelConstruction *ctx) {
  sequence_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->seq_dim = dvp_attr_int(ctx, "seq_dim");
  state->batch_dim = dvp_attr_int(ctx, "batch_dim");
  return state;
}
static void sequence_destroy(void *state) { free(state); }

static bool check_sequences(dvp_call *call, const sequence_state *s, const dvp_view *in,
                            const dvp_view *lengths) {
  if (lengths->rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "seq_lens input must be 1-dim, not %d", lengths->rank);
  if (s->seq_dim < 0 || s->seq_dim >= in->rank || s->batch_dim < 0 || s->batch_dim >= in->rank ||
      s->seq_dim == s->batch_dim)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "seq_dim %" PRId64 " and batch_dim %" PRId64
                    " must be two dimensions of the input, which has %d",
                    s->seq_dim, s->batch_dim, in->rank);
  if (lengths->count != in->dims[s->batch_dim])
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Length of seq_lengths != input.dims(%" PRId64 "), (%" PRId64 " vs. %" PRId64 ")",
                    s->batch_dim, lengths->count, in->dims[s->batch_dim]);
  for (int64_t i = 0; i < lengths->count; i++)
    if (place_of(lengths, i) < 0 || place_of(lengths, i) > in->dims[s->seq_dim])
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "seq_lens(%" PRId64 ") = %" PRId64 " is not in [0, %" PRId64 "]", i,
                      place_of(lengths, i), in->dims[s->seq_dim]);
  return true;
}

// For entry `batch` of the batch: elements [first, first + length) of the sequence, forwards or backwards.
static void copy_steps(dvp_call *call, const sequence_state *s, const dvp_view *in, char *out, int64_t batch,
                       int64_t first, int64_t length, bool backwards) {
  int64_t strides[DVP_MAX_RANK], bytes = (int64_t)dvp_element_bytes(call, in->dtype);
  dvp_box box = {.rank = 0};
  dvp_strides(in->dims, in->rank, strides);
  if (length == 0 || bytes == 0) return;
  int64_t to = batch * strides[s->batch_dim] + first * strides[s->seq_dim];
  int64_t from = backwards ? to + (length - 1) * strides[s->seq_dim] : to;
  for (int d = 0; d < in->rank; d++) {
    if (d == s->batch_dim) continue;
    int64_t step = strides[d];
    if (d == s->seq_dim)
      dvp_box_add(&box, length, backwards ? -step : step, step);
    else
      dvp_box_add(&box, in->dims[d], step, step);
  }
  dvp_box_copy(call, &box, in->dtype, (const char *)in->data + from * bytes, out + to * bytes);
}

DVP_COMPUTE(reverse_sequence_compute) {
  const sequence_state *s = state;
  dvp_view in, lengths;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &lengths) || !check_sequences(call, s, &in, &lengths))
    return;
  char *out = dvp_output(call, 0, in.dims, in.rank);
  if (!out || in.count == 0) return;
  for (int64_t batch = 0; batch < lengths.count; batch++) {
    int64_t length = place_of(&lengths, batch);
    copy_steps(call, s, &in, out, batch, 0, length, true);
    copy_steps(call, s, &in, out, batch, length, in.dims[s->seq_dim] - length, false);
  }
}
DVP_DEFINE_ANY(reverse_sequence, sequence_create, sequence_destroy, reverse_sequence_compute);

// ---- Reverse ----

DVP_COMPUTE(reverse_compute) {
  (void)state;
  dvp_view in, flags;
  int64_t strides[DVP_MAX_RANK], base = 0;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &flags)) return;
  if (flags.rank != 1 || flags.count != in.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "'dims' must be a vector of %d elements, one for each dimension of the tensor", in.rank);
    return;
  }
  char *out = dvp_output(call, 0, in.dims, in.rank);
  int64_t bytes = out ? (int64_t)dvp_element_bytes(call, in.dtype) : 0;
  if (bytes == 0 || in.count == 0) return;
  const uint8_t *reversed = flags.data;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, strides);
  for (int i = 0; i < in.rank; i++) {
    if (reversed[i]) base += (in.dims[i] - 1) * strides[i];
    dvp_box_add(&box, in.dims[i], reversed[i] ? -strides[i] : strides[i], strides[i]);
  }
  dvp_box_copy(call, &box, in.dtype, (const char *)in.data + base * bytes, out);
}
DVP_DEFINE_ANY(reverse, NULL, NULL, reverse_compute);

// ---- Roll ----

typedef struct rolling {
  const dvp_view *in;
  char *out;
  int64_t shifts[DVP_MAX_RANK], strides[DVP_MAX_RANK], bytes;
} rolling;

// Each rolled dimension cuts the tensor in two; `box` holds the dims before `d`, from and to where its
// element 0 is.
static void roll_from(dvp_call *call, const rolling *r, int d, const dvp_box *box, int64_t from, int64_t to) {
  while (d < r->in->rank && r->shifts[d] == 0) d++;
  if (d == r->in->rank) {
    dvp_box_copy(call, box, r->in->dtype, (const char *)r->in->data + from * r->bytes,
                 r->out + to * r->bytes);
    return;
  }
  int64_t shift = r->shifts[d], stride = r->strides[d];
  dvp_box part = *box;
  part.dims[d] = r->in->dims[d] - shift;
  roll_from(call, r, d + 1, &part, from, to + shift * stride);
  part.dims[d] = shift;
  roll_from(call, r, d + 1, &part, from + (r->in->dims[d] - shift) * stride, to);
}

DVP_COMPUTE(roll_compute) {
  (void)state;
  dvp_view in;
  int64_t shift[DVP_MAX_RANK], axis[DVP_MAX_RANK];
  int shift_rank, axis_rank, shifts, axes;
  rolling r = {.in = &in};
  if (!dvp_input(call, 0, &in) ||
      !dvp_input_ints(call, 1, "shift", shift, DVP_MAX_RANK, &shift_rank, &shifts) ||
      !dvp_input_ints(call, 2, "axis", axis, DVP_MAX_RANK, &axis_rank, &axes))
    return;
  if (in.rank < 1 || shifts != axes) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Roll wants a tensor that is no scalar, and as many shifts as axes, not %d and %d", shifts,
             axes);
    return;
  }
  for (int i = 0; i < axes; i++) {
    int64_t d = axis[i] < 0 ? axis[i] + in.rank : axis[i];
    if (d < 0 || d >= in.rank) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "axis %" PRId64 " is out of range", axis[i]);
      return;
    }
    int64_t size = DVP_MAX(in.dims[d], 1);
    r.shifts[d] = ((r.shifts[d] + shift[i] % size) % size + size) % size;
  }
  r.out = dvp_output(call, 0, in.dims, in.rank);
  r.bytes = r.out ? (int64_t)dvp_element_bytes(call, in.dtype) : 0;
  if (r.bytes == 0 || in.count == 0) return;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, r.strides);
  for (int i = 0; i < in.rank; i++) dvp_box_add(&box, in.dims[i], r.strides[i], r.strides[i]);
  roll_from(call, &r, 0, &box, 0, 0);
}
DVP_DEFINE_ANY(roll, NULL, NULL, roll_compute);
