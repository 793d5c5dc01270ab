// Ops that take parts of a tensor along its axes: StridedSlice and its gradient, Slice, Split, SplitV,
// Unpack, ReverseV2.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

// Puts an axis given from either end into [0, rank), or fails naming it.
static bool check_axis(dvp_call *call, const char *what, int64_t *axis, int rank) {
  if (*axis < -rank || *axis >= rank)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be in the range [%d, %d), but is %" PRId64, what,
                    -rank, rank, *axis);
  if (*axis < 0) *axis += rank;
  return true;
}

// Copies the part of `in` that starts at `begin` and has `size` elements along `axis` to a dense `out`.
static void copy_part(dvp_call *call, const dvp_view *in, int axis, int64_t begin, int64_t size, void *out) {
  int64_t inner = dvp_product(in->dims, axis + 1, in->rank), outer = dvp_product(in->dims, 0, axis);
  dvp_box box = {.rank = 0};
  size_t bytes = dvp_element_bytes(call, in->dtype);
  if (bytes == 0) return;
  dvp_box_add(&box, outer, in->dims[axis] * inner, size * inner);
  dvp_box_add(&box, size * inner, 1, 1);
  dvp_box_copy(call, &box, in->dtype, (char *)in->data + begin * inner * (int64_t)bytes, out);
}

// ---- StridedSlice ----

typedef struct strided_slice_state {
  uint32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} strided_slice_state;

static void *strided_slice_create(TF_OpKernelConstruction *ctx) {
  strided_slice_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->begin_mask = (uint32_t)dvp_attr_int(ctx, "begin_mask");
  state->end_mask = (uint32_t)dvp_attr_int(ctx, "end_mask");
  state->ellipsis_mask = (uint32_t)dvp_attr_int(ctx, "ellipsis_mask");
  state->new_axis_mask = (uint32_t)dvp_attr_int(ctx, "new_axis_mask");
  state->shrink_axis_mask = (uint32_t)dvp_attr_int(ctx, "shrink_axis_mask");
  if (state->ellipsis_mask & (state->ellipsis_mask - 1))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Multiple ellipses in slice spec not allowed");
  return state;
}
static void strided_slice_destroy(void *state) { free(state); }

static bool bit(uint32_t mask, int i) { return i < 32 && (mask >> i & 1); }

// One dim of the input: where the slice begins, how many elements it has, `stride` apart.
typedef struct range {
  int64_t begin, stride, size;
} range;

typedef struct slice_spec {
  range ranges[DVP_MAX_RANK];
  int out_rank;
  int64_t out_dims[2 * DVP_MAX_RANK];
} slice_spec;

static bool slice_dim(dvp_call *call, int axis, int64_t dim, int64_t begin, int64_t end, int64_t stride,
                      bool begin_masked, bool end_masked, bool shrink, range *out) {
  if (stride == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "strides[%d] must be non-zero", axis);
  if (shrink) {
    if (stride < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "only stride 1 allowed on non-range indexing.");
    int64_t index = begin < 0 ? dim + begin : begin;
    if (index < 0 || index >= dim)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "slice index %" PRId64 " of dimension %d out of bounds.",
                      begin, axis);
    *out = (range){index, 1, 1};
    return true;
  }
  // Positions that the slice may start or stop at, going up or down.
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  begin = begin < 0 ? dim + begin : begin;
  end = end < 0 ? dim + end : end;
  begin = begin_masked ? (stride > 0 ? low : high) : begin < low ? low : begin > high ? high : begin;
  end = end_masked ? (stride > 0 ? high : low) : end < low ? low : end > high ? high : end;
  int64_t length = end - begin;
  int64_t size = length == 0 || (length < 0) != (stride < 0) ? 0 : length / stride + (length % stride != 0);
  *out = (range){begin, stride, size};
  return true;
}

// Resolves the sparse specification (`count` entries, ellipsis and new axes included) against the input's
// dims.
static bool resolve(dvp_call *call, const strided_slice_state *masks, const dvp_view *in,
                    const int64_t *begin, const int64_t *end, const int64_t *stride, int count,
                    slice_spec *spec) {
  int new_axes_after = 0, ellipsis = count;  // without an ellipsis there is one at the end
  for (int i = 0; i < count; i++) {
    if (bit(masks->ellipsis_mask, i))
      ellipsis = i;
    else if (ellipsis < i && bit(masks->new_axis_mask, i))
      new_axes_after++;
  }
  int axis = 0;
  spec->out_rank = 0;
  for (int i = 0; i <= count; i++) {
    if (i == ellipsis) {
      int behind = i < count ? count - i - 1 - new_axes_after : 0;
      for (; axis < in->rank - behind; axis++) {
        spec->ranges[axis] = (range){0, 1, in->dims[axis]};
        spec->out_dims[spec->out_rank++] = in->dims[axis];
      }
      continue;
    }
    if (i == count) break;
    if (bit(masks->new_axis_mask, i)) {
      spec->out_dims[spec->out_rank++] = 1;
      continue;
    }
    if (axis >= in->rank)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Index out of range using input dim %d; input has only %d dims", axis, in->rank);
    bool shrink = bit(masks->shrink_axis_mask, i);
    if (!slice_dim(call, axis, in->dims[axis], begin[i], end[i], stride[i], bit(masks->begin_mask, i),
                   bit(masks->end_mask, i), shrink, &spec->ranges[axis]))
      return false;
    if (!shrink) spec->out_dims[spec->out_rank++] = spec->ranges[axis].size;
    axis++;
  }
  return true;
}

// Reads begin, end and strides from the inputs at `first`, and resolves them against a tensor of `dims`.
static bool read_spec(dvp_call *call, const strided_slice_state *masks, int first, const dvp_view *in,
                      slice_spec *spec) {
  int64_t begin[DVP_MAX_RANK], end[DVP_MAX_RANK], stride[DVP_MAX_RANK];
  int rb, re, rs, nb, ne, ns;
  if (!dvp_input_ints(call, first, "begin", begin, DVP_MAX_RANK, &rb, &nb) ||
      !dvp_input_ints(call, first + 1, "end", end, DVP_MAX_RANK, &re, &ne) ||
      !dvp_input_ints(call, first + 2, "strides", stride, DVP_MAX_RANK, &rs, &ns))
    return false;
  if (rb != 1 || re != 1 || rs != 1 || nb != ne || nb != ns || nb >= 32)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Expected begin, end, and strides to be 1D equal size tensors of less than 32 elements, "
                    "but got %d, %d and %d elements",
                    nb, ne, ns);
  return resolve(call, masks, in, begin, end, stride, nb, spec);
}

// The slice as a box: `far` are the steps in the tensor that the slice is of, `near` those in the slice
// itself. Returns the element of the tensor where the slice begins.
static int64_t slice_box(const dvp_view *in, const slice_spec *spec, bool gradient, dvp_box *out) {
  int64_t strides[DVP_MAX_RANK], base = 0, near = 1;
  *out = (dvp_box){.rank = 0};
  dvp_strides(in->dims, in->rank, strides);
  for (int i = 0; i < in->rank; i++) near *= spec->ranges[i].size;
  for (int i = 0; i < in->rank; i++) {
    const range *part = &spec->ranges[i];
    int64_t far = part->stride * strides[i];
    base += part->begin * strides[i];
    near /= part->size;
    dvp_box_add(out, part->size, gradient ? near : far, gradient ? far : near);
  }
  return base;
}

DVP_COMPUTE(strided_slice_compute) {
  dvp_view in;
  slice_spec spec;
  dvp_box box;
  if (!dvp_input(call, 0, &in) || !read_spec(call, state, 1, &in, &spec)) return;
  bool whole = true;
  int64_t count = 1;
  for (int i = 0; i < in.rank; i++) {
    whole = whole && spec.ranges[i].size == in.dims[i] && (spec.ranges[i].stride == 1 || in.dims[i] <= 1);
    count *= spec.ranges[i].size;
  }
  if (whole) {
    dvp_output_reshaped(call, 0, 0, spec.out_dims, spec.out_rank);
    return;
  }
  void *out = dvp_output(call, 0, spec.out_dims, spec.out_rank);
  size_t bytes = out ? dvp_element_bytes(call, in.dtype) : 0;
  if (bytes == 0 || count == 0) return;
  int64_t base = slice_box(&in, &spec, false, &box);
  dvp_box_copy(call, &box, in.dtype, (char *)in.data + base * (int64_t)bytes, out);
}
DVP_DEFINE_ANY(strided_slice, strided_slice_create, strided_slice_destroy, strided_slice_compute);

// Zeros of the shape that input 0 spells, with dy in the slice.
DVP_COMPUTE(strided_slice_grad_compute) {
  dvp_view in = {.data = NULL}, grad;
  slice_spec spec;
  dvp_box box;
  int rank;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input_ints(call, 0, "shape", in.dims, DVP_MAX_RANK, &rank, &in.rank) || !dvp_input(call, 4, &grad))
    return;
  if (rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "shape must be a vector, but has rank %d", rank);
    return;
  }
  if (!dvp_count(call, in.dims, in.rank, &in.count) || !read_spec(call, state, 1, &in, &spec)) return;
  if (grad.rank != spec.out_rank ||
      memcmp(grad.dims, spec.out_dims, (size_t)grad.rank * sizeof(int64_t)) != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "shape of dy was %s instead of %s",
             dvp_shape_text(grad.dims, grad.rank, ta), dvp_shape_text(spec.out_dims, spec.out_rank, tb));
    return;
  }
  char *out = dvp_output(call, 0, in.dims, in.rank);
  size_t bytes = out ? dvp_element_bytes(call, grad.dtype) : 0;
  if (bytes == 0) return;
  // New string outputs hold empty strings already.
  if (grad.dtype != TF_STRING) memset(out, 0, (size_t)in.count * bytes);
  if (grad.count == 0) return;
  int64_t base = slice_box(&in, &spec, true, &box);
  dvp_box_copy(call, &box, grad.dtype, grad.data, out + base * (int64_t)bytes);
}
DVP_DEFINE_ANY(strided_slice_grad, strided_slice_create, strided_slice_destroy, strided_slice_grad_compute);

// ---- Slice ----

DVP_COMPUTE(slice_compute) {
  (void)state;
  dvp_view in;
  int64_t begin[DVP_MAX_RANK], size[DVP_MAX_RANK], src[DVP_MAX_RANK], dst[DVP_MAX_RANK];
  int rb, rs, nb, ns;
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "begin", begin, DVP_MAX_RANK, &rb, &nb) ||
      !dvp_input_ints(call, 2, "size", size, DVP_MAX_RANK, &rs, &ns))
    return;
  if (rb != 1 || rs != 1 || nb != in.rank || ns != in.rank) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Expected begin and size arguments to be 1-D tensors of size %d, but got sizes %d and %d instead.",
        in.rank, nb, ns);
    return;
  }
  bool whole = true;
  int64_t base = 0;
  dvp_strides(in.dims, in.rank, src);
  for (int i = 0; i < in.rank; i++) {
    if (begin[i] < 0 || begin[i] > in.dims[i]) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Expected begin[%d] in [0, %" PRId64 "], but got %" PRId64, i,
               in.dims[i], begin[i]);
      return;
    }
    if (size[i] == -1) size[i] = in.dims[i] - begin[i];
    if (size[i] < 0 || size[i] > in.dims[i] - begin[i]) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Expected size[%d] in [0, %" PRId64 "], but got %" PRId64, i,
               in.dims[i] - begin[i], size[i]);
      return;
    }
    whole = whole && size[i] == in.dims[i];
    base += begin[i] * src[i];
  }
  if (whole) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  void *out = dvp_output(call, 0, size, in.rank);
  size_t bytes = out ? dvp_element_bytes(call, in.dtype) : 0;
  if (bytes == 0) return;
  dvp_box box = {.rank = 0};
  dvp_strides(size, in.rank, dst);
  for (int i = 0; i < in.rank; i++) dvp_box_add(&box, size[i], src[i], dst[i]);
  if (dvp_product(size, 0, in.rank) > 0)
    dvp_box_copy(call, &box, in.dtype, (char *)in.data + base * (int64_t)bytes, out);
}
DVP_DEFINE_ANY(slice, NULL, NULL, slice_compute);

// ---- Split, SplitV, Unpack ----

DVP_COMPUTE(split_compute) {
  (void)state;
  dvp_view in;
  int64_t axis;
  int n = TF_NumOutputs(call->ctx);
  if (!dvp_input_int(call, 0, "split_dim", &axis) || !dvp_input(call, 1, &in) ||
      !check_axis(call, "split_dim", &axis, in.rank))
    return;
  if (in.dims[axis] % n != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Number of ways to split should evenly divide the split dimension, but got split_dim %" PRId64
             " (size = %" PRId64 ") and num_split %d",
             axis, in.dims[axis], n);
    return;
  }
  if (n == 1) {
    dvp_output_reshaped(call, 1, 0, in.dims, in.rank);
    return;
  }
  int64_t dims[DVP_MAX_RANK], size = in.dims[axis] / n;
  memcpy(dims, in.dims, sizeof(dims));
  dims[axis] = size;
  for (int i = 0; i < n; i++) {
    void *out = dvp_output(call, i, dims, in.rank);
    if (!out) return;
    copy_part(call, &in, (int)axis, i * size, size, out);
  }
}
DVP_DEFINE_ANY(split, NULL, NULL, split_compute);

DVP_COMPUTE(split_v_compute) {
  (void)state;
  dvp_view in, lengths;
  int64_t axis, known = 0;
  int n = TF_NumOutputs(call->ctx), rank, count, open = -1;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &lengths) ||
      !dvp_input_int(call, 2, "split_dim", &axis))
    return;
  if (lengths.rank != 1 || lengths.count != n) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "size_splits must be a vector of %d elements, one per output, but has %" PRId64, n,
             lengths.count);
    return;
  }
  if (!check_axis(call, "split_dim", &axis, in.rank)) return;
  int64_t *sizes = malloc((size_t)n * sizeof(*sizes));
  if (!sizes) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return;
  }
  bool fine = dvp_input_ints(call, 1, "size_splits", sizes, n, &rank, &count);
  for (int i = 0; fine && i < n; i++) {
    if (sizes[i] == -1 && open < 0)
      open = i;
    else if (sizes[i] < 0)
      fine = dvp_fail(
          call, TF_INVALID_ARGUMENT,
          sizes[i] == -1 ? "There can only be one -1 in size_splits." : "Split size at index %d must be >= 0",
          i);
    else if (__builtin_add_overflow(known, sizes[i], &known))
      fine = dvp_fail(call, TF_INVALID_ARGUMENT, "The sum of size_splits overflows");
  }
  if (fine && (open < 0 ? known != in.dims[axis] : known > in.dims[axis]))
    fine = dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Determined shape must either match input shape along split_dim exactly if fully "
                    "specified, or be less "
                    "than the size of the input along split_dim if not fully specified.  Got: %" PRId64,
                    known);
  if (fine && open >= 0) sizes[open] = in.dims[axis] - known;
  int64_t dims[DVP_MAX_RANK], begin = 0;
  memcpy(dims, in.dims, sizeof(dims));
  for (int i = 0; fine && i < n; begin += sizes[i++]) {
    dims[axis] = sizes[i];
    void *out = dvp_output(call, i, dims, in.rank);
    if (!(fine = out != NULL)) break;
    copy_part(call, &in, (int)axis, begin, sizes[i], out);
  }
  free(sizes);
}
DVP_DEFINE_ANY(split_v, NULL, NULL, split_v_compute);

typedef struct axis_state {
  int64_t axis;
} axis_state;
static void *axis_create(TF_OpKernelConstruction *ctx) {
  axis_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->axis = dvp_attr_int(ctx, "axis");
  return state;
}
static void axis_destroy(void *state) { free(state); }

DVP_COMPUTE(unpack_compute) {
  dvp_view in;
  int64_t axis = ((const axis_state *)state)->axis;
  int n = TF_NumOutputs(call->ctx);
  if (!dvp_input(call, 0, &in) || !check_axis(call, "axis", &axis, in.rank)) return;
  if (in.dims[axis] != n) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Input shape axis %" PRId64 " must equal %d, got %" PRId64, axis, n,
             in.dims[axis]);
    return;
  }
  int64_t dims[DVP_MAX_RANK];
  memcpy(dims, in.dims, sizeof(dims));
  memmove(dims + axis, dims + axis + 1, (size_t)(in.rank - axis - 1) * sizeof(int64_t));
  for (int i = 0; i < n; i++) {
    void *out = dvp_output(call, i, dims, in.rank - 1);
    if (!out) return;
    copy_part(call, &in, (int)axis, i, 1, out);
  }
}
DVP_DEFINE_ANY(unpack, axis_create, axis_destroy, unpack_compute);

// ---- ReverseV2 ----

DVP_COMPUTE(reverse_v2_compute) {
  (void)state;
  dvp_view in;
  int64_t axes[DVP_MAX_RANK], strides[DVP_MAX_RANK], base = 0;
  int rank, count;
  bool reversed[DVP_MAX_RANK] = {false};
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "axis", axes, DVP_MAX_RANK, &rank, &count)) return;
  for (int i = 0; i < count; i++) {
    if (!check_axis(call, "axis", &axes[i], in.rank)) return;
    if (reversed[axes[i]]) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "axis %" PRId64 " specified more than once.", axes[i]);
      return;
    }
    reversed[axes[i]] = true;
  }
  void *out = dvp_output(call, 0, in.dims, in.rank);
  size_t bytes = out ? dvp_element_bytes(call, in.dtype) : 0;
  if (bytes == 0 || in.count == 0) return;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, strides);
  for (int i = 0; i < in.rank; i++) {
    if (reversed[i]) base += (in.dims[i] - 1) * strides[i];
    dvp_box_add(&box, in.dims[i], reversed[i] ? -strides[i] : strides[i], strides[i]);
  }
  dvp_box_copy(call, &box, in.dtype, (char *)in.data + base * (int64_t)bytes, out);
}
DVP_DEFINE_ANY(reverse_v2, NULL, NULL, reverse_v2_compute);
