// MirrorPadGrad: each element gets the sum of the padded elements that were made from it. The borders are
// added to the middle, axis after axis.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"

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

typedef struct paddings {
  int64_t before[DVP_MAX_RANK], after[DVP_MAX_RANK], dims[DVP_MAX_RANK];  // dims: without them
  bool any;
} paddings;

static bool read_paddings(dvp_call *call, const dvp_view *in, int64_t offset, paddings *out) {
  dvp_view p;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 1, &p)) return false;
  if (p.rank != 2 || p.dims[0] != in->rank || p.dims[1] != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "paddings must be [%d, 2] for an input of shape %s, but are %s", in->rank,
                    dvp_shape_text(in->dims, in->rank, ta), dvp_shape_text(p.dims, p.rank, tb));
  out->any = false;
  for (int i = 0; i < in->rank; i++) {
    int64_t before = out->before[i] = dvp_index_at(&p, 2 * i),
            after = out->after[i] = dvp_index_at(&p, 2 * i + 1);
    if (before < 0 || after < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Paddings must be non-negative: %" PRId64 " %" PRId64,
                      before, after);
    if (before > in->dims[i] || after > in->dims[i] - before)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Paddings %" PRId64 " and %" PRId64 " of dimension %d leave nothing", before, after, i);
    out->dims[i] = in->dims[i] - before - after;
    out->any = out->any || before || after;
    if ((before || after) && (before > out->dims[i] - offset || after > out->dims[i] - offset))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Paddings must be %s the output size %" PRId64 ", but are %" PRId64 " and %" PRId64,
                      offset ? "less than" : "no greater than", out->dims[i], before, after);
  }
  return true;
}

#define ADD_CASE(t, unused)                                                                        \
  case DVP_TYPE_##t: {                                                                             \
    dvp_##t *a = (dvp_##t *)data + to;                                                             \
    const dvp_##t *b = (const dvp_##t *)data + from;                                               \
    for (int64_t i = 0; i < n; i++) a[i] = DVP_STORE_##t(DVP_LOAD_##t(a[i]) + DVP_LOAD_##t(b[i])); \
    break;                                                                                         \
  }
static void add(TF_DataType dtype, void *data, int64_t to, int64_t from, int64_t n) {
  switch (dtype) {
    DVP_NUMBERS(ADD_CASE, )
    default:
      break;  // the kernels' constraint admits numbers only
  }
}

// Adds `count` slices across `axis`: slice from + i * step to slice to - i * step.
static void fold(const dvp_view *in, void *data, int axis, int64_t from, int64_t to, int64_t step,
                 int64_t count) {
  int64_t inner = dvp_product(in->dims, axis + 1, in->rank), size = in->dims[axis] * inner;
  int64_t outer = dvp_product(in->dims, 0, axis);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < count; i++)
      add(in->dtype, data, o * size + (to - i * step) * inner, o * size + (from + i * step) * inner, inner);
}

static void compute(dvp_call *call, const dvp_view *in, const paddings *p, int64_t offset, char *data,
                    void *out) {
  int64_t strides[DVP_MAX_RANK], near[DVP_MAX_RANK], base = 0;
  size_t bytes = TF_DataTypeSize(in->dtype);
  dvp_box box = {.rank = 0};
  memcpy(data, in->data, (size_t)in->count * bytes);
  dvp_strides(in->dims, in->rank, strides);
  dvp_strides(p->dims, in->rank, near);
  for (int i = 0; i < in->rank; i++) {
    int64_t first = p->before[i], last = first + p->dims[i] - 1;
    fold(in, data, i, 0, first + offset + first - 1, 1, p->before[i]);
    fold(in, data, i, last + 1, last - offset, 1, p->after[i]);
    base += first * strides[i];
    dvp_box_add(&box, p->dims[i], strides[i], near[i]);
  }
  dvp_box_copy(call, &box, in->dtype, data + base * (int64_t)bytes, out);
}

DVP_COMPUTE(mirror_pad_grad_compute) {
  int64_t offset = ((const mirror_state *)state)->offset;
  dvp_view in;
  paddings p;
  TF_Tensor *scratch = NULL;
  if (!dvp_input(call, 0, &in) || !read_paddings(call, &in, offset, &p)) return;
  if (!p.any) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  void *out = dvp_output(call, 0, p.dims, in.rank);
  if (!out || dvp_product(p.dims, 0, in.rank) == 0) return;
  char *data = dvp_temp(call, (size_t)in.count * TF_DataTypeSize(in.dtype), &scratch);
  if (data) compute(call, &in, &p, offset, data, out);
  dvp_free_temp(scratch);
}
static const dvp_kernel mirror_pad_grad_rows[] = {DVP_NUMBERS(DVP_SHARED_ROW, mirror_pad_grad)};
DVP_DEFINE_SET(mirror_pad_grad, "T", mirror_create, free, mirror_pad_grad_rows);
