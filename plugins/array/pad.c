// Pad, PadV2 and MirrorPad.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

// The geometry of a padding: dims of the result, and where the input begins in it.
typedef struct padding {
  int64_t before[DVP_MAX_RANK], after[DVP_MAX_RANK];
  int64_t dims[DVP_MAX_RANK];
  bool any;
} padding;

static bool read_paddings(dvp_call *call, const dvp_view *in, padding *out) {
  dvp_view p;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 1, &p)) return false;
  if (p.rank != 2 || p.dims[1] != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "paddings must be a matrix with 2 columns: %s",
                    dvp_shape_text(p.dims, p.rank, ta));
  if (p.dims[0] != in->rank)
    return dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "The first dimension of paddings must be the rank of inputs, but paddings is %s and inputs %s",
        dvp_shape_text(p.dims, p.rank, ta), dvp_shape_text(in->dims, in->rank, tb));
  out->any = false;
  for (int i = 0; i < in->rank; i++) {
    bool wide = p.dtype == TF_INT64;
    int64_t before = wide ? ((int64_t *)p.data)[2 * i] : ((int32_t *)p.data)[2 * i];
    int64_t after = wide ? ((int64_t *)p.data)[2 * i + 1] : ((int32_t *)p.data)[2 * i + 1];
    if (before < 0 || after < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Paddings must be non-negative: %" PRId64 " %" PRId64,
                      before, after);
    out->before[i] = before;
    out->after[i] = after;
    out->any = out->any || before || after;
    if (__builtin_add_overflow(in->dims[i], before, &out->dims[i]) ||
        __builtin_add_overflow(out->dims[i], after, &out->dims[i]))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "The padded size of dimension %d overflows", i);
  }
  return true;
}

// Copies the input into the middle of `out`; `strides` are those of the result.
static void copy_center(dvp_call *call, const dvp_view *in, const padding *pad, const int64_t *strides,
                        char *out) {
  int64_t src[DVP_MAX_RANK], base = 0;
  dvp_box box = {.rank = 0};
  if (in->count == 0) return;
  dvp_strides(in->dims, in->rank, src);
  for (int i = 0; i < in->rank; i++) {
    base += pad->before[i] * strides[i];
    dvp_box_add(&box, in->dims[i], src[i], strides[i]);
  }
  dvp_box_copy(call, &box, in->dtype, in->data, out + base * (int64_t)dvp_element_bytes(call, in->dtype));
}

DVP_COMPUTE(pad_compute) {
  (void)state;
  static const uint64_t zero[2] = {0, 0};
  dvp_view in, value = {.data = (void *)zero, .count = 1};
  padding pad;
  int64_t strides[DVP_MAX_RANK];
  if (!dvp_input(call, 0, &in) || !read_paddings(call, &in, &pad)) return;
  if (TF_NumInputs(call->ctx) == 3) {
    if (!dvp_input(call, 2, &value)) return;
    if (value.rank != 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "constant_values must be a scalar, but has rank %d", value.rank);
      return;
    }
  }
  if (!pad.any) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  char *out = dvp_output(call, 0, pad.dims, in.rank);
  if (!out) return;
  size_t bytes = dvp_element_bytes(call, in.dtype);
  int64_t count = dvp_product(pad.dims, 0, in.rank);
  if (bytes == 0 || count == 0) return;
  // New string outputs hold empty strings already.
  if (in.dtype != TF_STRING || value.data != (void *)zero) {
    dvp_box box = {.rank = 0};
    dvp_box_add(&box, count, 0, 1);
    dvp_box_copy(call, &box, in.dtype, value.data, out);
  }
  dvp_strides(pad.dims, in.rank, strides);
  copy_center(call, &in, &pad, strides, out);
}
DVP_DEFINE_ANY(pad, NULL, NULL, pad_compute);

// ---- MirrorPad: the middle, then each axis from the last to the first extended on both sides ----

typedef struct mirror_state {
  int64_t offset;  // 1 when the border itself is not repeated
} mirror_state;

static void *mirror_create(TF_OpKernelConstruction *ctx) {
  mirror_state *state = dvp_state_new(ctx, sizeof(*state));
  char mode[16];
  if (!state) return NULL;
  dvp_attr_string(ctx, "mode", mode, sizeof(mode));
  state->offset = strcmp(mode, "REFLECT") == 0;
  return state;
}
static void mirror_destroy(void *state) { free(state); }

// Copies `count` slices across axis `axis` of the result: slice `from`, from + step, ... to slice `to`, to -
// step, ... Axes before `axis` are filled in the middle only so far, those behind it wholly.
static void mirror_axis(dvp_call *call, const dvp_view *in, const padding *pad, const int64_t *strides,
                        char *out, int axis, int64_t from, int64_t to, int64_t step, int64_t count) {
  int64_t base = 0, bytes = (int64_t)dvp_element_bytes(call, in->dtype);
  dvp_box box = {.rank = 0};
  if (count == 0) return;
  for (int i = 0; i < in->rank; i++) {
    if (i < axis) base += pad->before[i] * strides[i];
    if (i == axis)
      dvp_box_add(&box, count, step * strides[i], -step * strides[i]);
    else
      dvp_box_add(&box, i < axis ? in->dims[i] : pad->dims[i], strides[i], strides[i]);
  }
  dvp_box_copy(call, &box, in->dtype, out + (base + from * strides[axis]) * bytes,
               out + (base + to * strides[axis]) * bytes);
}

DVP_COMPUTE(mirror_pad_compute) {
  int64_t offset = ((const mirror_state *)state)->offset, strides[DVP_MAX_RANK];
  dvp_view in;
  padding pad;
  if (!dvp_input(call, 0, &in) || !read_paddings(call, &in, &pad)) return;
  for (int i = 0; i < in.rank; i++) {
    int64_t most = in.dims[i] - offset;
    if (pad.before[i] <= most && pad.after[i] <= most) continue;
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "paddings must be %s the dimension size: %" PRId64 ", %" PRId64 " %s %" PRId64,
             offset ? "less than" : "no greater than", pad.before[i], pad.after[i],
             offset ? "not less than" : "greater than", in.dims[i]);
    return;
  }
  if (!pad.any) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  char *out = dvp_output(call, 0, pad.dims, in.rank);
  if (!out || dvp_element_bytes(call, in.dtype) == 0) return;
  if (dvp_product(pad.dims, 0, in.rank) == 0) return;
  dvp_strides(pad.dims, in.rank, strides);
  copy_center(call, &in, &pad, strides, out);
  for (int i = in.rank - 1; i >= 0; i--) {
    int64_t first = pad.before[i], last = first + in.dims[i] - 1;
    mirror_axis(call, &in, &pad, strides, out, i, first + offset, first - 1, 1, pad.before[i]);
    mirror_axis(call, &in, &pad, strides, out, i, last - offset, last + 1, -1, pad.after[i]);
  }
}
DVP_DEFINE_ANY(mirror_pad, mirror_create, mirror_destroy, mirror_pad_compute);
