// The shape function of StridedSlice. The sparse specification (one entry for each index the user wrote, with
// masks) is spread over the input's dims, then each dim gives the number of elements its interval holds.
#include "op/shape_fn.h"

// What the masks make of one entry of the specification or of one dim of the input.
typedef struct dense_dim {
  int64_t begin, end, stride;
  bool begin_masked, end_masked, shrink;
  bool whole;  // covered by an ellipsis, or written as ':'
} dense_dim;

typedef struct slice_spec {
  int count;  // entries
  bool begin_known, end_known;
  int64_t begin[DVT_MAX_RANK], end[DVT_MAX_RANK], stride[DVT_MAX_RANK];
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_mask;
} slice_spec;

enum { NEW_AXIS = -1 };

typedef struct dense_spec {
  dense_dim dims[DVT_MAX_RANK];
  int result[2 * DVT_MAX_RANK];  // input dim that each dim of the result comes from, or NEW_AXIS
  int result_rank;
} dense_spec;

static bool bit(int64_t mask, int i) { return i < 64 && (mask >> i & 1); }

static dvt_status read_values(TF_ShapeInferenceContext *c, int input, int count, int64_t *values,
                              bool *out_known) {
  const TF_Tensor *tensor = dvt_shape_input_value(c, input);
  *out_known = tensor != NULL;
  if (tensor && dvt_tensor_count(tensor) != count)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "begin, end and strides must have one length; input %d has %lld values, not %d", input,
                     (long long)dvt_tensor_count(tensor), count);
  for (int i = 0; i < count; i++) {
    values[i] = 0;
    if (tensor) DVT_RETURN_IF_ERROR(dvt_tensor_int_at(tensor, i, &values[i]));
  }
  return NULL;
}

static dvt_status read_spec(TF_ShapeInferenceContext *c, slice_spec *spec) {
  bool strides_known;
  DVT_RETURN_IF_ERROR(read_values(c, 1, spec->count, spec->begin, &spec->begin_known));
  DVT_RETURN_IF_ERROR(read_values(c, 2, spec->count, spec->end, &spec->end_known));
  DVT_RETURN_IF_ERROR(read_values(c, 3, spec->count, spec->stride, &strides_known));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "begin_mask", &spec->begin_mask));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "end_mask", &spec->end_mask));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "ellipsis_mask", &spec->ellipsis_mask));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "new_axis_mask", &spec->new_axis_mask));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "shrink_axis_mask", &spec->shrink_mask));
  uint64_t ellipses = (uint64_t)spec->ellipsis_mask;
  if (ellipses & (ellipses - 1))
    return dvt_error(TF_INVALID_ARGUMENT, "Multiple ellipses in slice spec not allowed");
  return NULL;
}

static void add_whole(dense_spec *dense, int *at, int stop) {
  for (; *at < stop; ++*at) {
    dense->dims[*at] = (dense_dim){.stride = 1, .begin_masked = true, .end_masked = true, .whole = true};
    dense->result[dense->result_rank++] = *at;
  }
}

static dvt_status spread(const slice_spec *spec, int rank, dense_spec *dense) {
  int at = 0, used_after_ellipsis = 0;  // entries after the ellipsis that use up a dim of the input
  bool has_ellipsis = false;
  for (int i = 0; i < spec->count; i++) {
    if (bit(spec->ellipsis_mask, i))
      has_ellipsis = true;
    else if (has_ellipsis && !bit(spec->new_axis_mask, i))
      used_after_ellipsis++;
  }
  for (int i = 0; i < spec->count; i++) {
    if (bit(spec->ellipsis_mask, i)) {
      add_whole(dense, &at, rank - used_after_ellipsis);
    } else if (bit(spec->new_axis_mask, i)) {
      dense->result[dense->result_rank++] = NEW_AXIS;
    } else {
      if (at == rank)
        return dvt_error(TF_INVALID_ARGUMENT, "Index out of range using input dim %d; input has only %d dims",
                         at, rank);
      bool shrink = bit(spec->shrink_mask, i);
      dense->dims[at] = (dense_dim){.begin = spec->begin[i],
                                    .end = spec->end[i],
                                    .stride = spec->stride[i],
                                    .begin_masked = bit(spec->begin_mask, i),
                                    .end_masked = bit(spec->end_mask, i),
                                    .shrink = shrink};
      if (!shrink) dense->result[dense->result_rank++] = at;
      at++;
    }
  }
  if (!has_ellipsis) add_whole(dense, &at, rank);
  return NULL;
}

// A position as slices take it: masked ends are the ends of the dim, negative ones count from its end, all
// are cut to it.
static int64_t canonical(const dense_dim *d, int64_t size, bool is_end) {
  int64_t low = d->stride > 0 ? 0 : -1, high = d->stride > 0 ? size : size - 1;
  bool masked = is_end ? d->end_masked : d->begin_masked;
  if (masked) return (d->stride > 0) == is_end ? high : low;
  int64_t x = is_end ? d->end : d->begin;
  if (x < 0) x += size;
  return x < low ? low : x > high ? high : x;
}

static int64_t count_steps(int64_t interval, int64_t stride) {
  if (interval == 0 || (interval < 0) != (stride < 0)) return 0;
  return interval / stride + (interval % stride != 0);
}

static dvt_status dim_result(TF_ShapeInferenceContext *c, const slice_spec *spec, const dense_dim *d,
                             int index, dvt_dim size, dvt_dim *out_dim) {
  if (d->stride == 0) return dvt_error(TF_INVALID_ARGUMENT, "strides[%d] must be non-zero", index);
  if (d->stride == INT64_MIN) return dvt_error(TF_INVALID_ARGUMENT, "strides[%d] is too small", index);
  if (d->shrink && d->stride < 0 && dvt_dim_known(size))
    return dvt_error(TF_INVALID_ARGUMENT, "only stride 1 allowed on non-range indexing.");
  bool all = d->begin_masked && d->end_masked && !d->shrink;
  if (d->shrink) {
    int64_t at = d->begin < 0 && dvt_dim_known(size) ? d->begin + size : d->begin;
    bool checked = dvt_dim_known(size) && spec->begin_known && spec->end_known;
    if (checked && (at < 0 || at >= size))
      return dvt_error(TF_INVALID_ARGUMENT, "slice index %lld of dimension %d out of bounds.",
                       (long long)d->begin, index);
    *out_dim = 1;
  } else if (all && (d->stride == 1 || d->stride == -1)) {
    *out_dim = size;  // the very dimension, known or not
  } else if (!dvt_dim_known(size) || !(all || (spec->begin_known && spec->end_known) || d->whole)) {
    *out_dim = dvt_fn_unknown(c);
  } else {
    *out_dim = count_steps(canonical(d, size, true) - canonical(d, size, false), d->stride);
  }
  return NULL;
}

DVT_SHAPE_FN(strided_slice, 4, 1) {
  dvt_shape input = c->inputs[0], vector;
  dvt_dim count = -1, dims[2 * DVT_MAX_RANK], each[DVT_MAX_RANK];
  for (int i = 1; i < 4; i++) {
    DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 1, &vector));
    DVT_RETURN_IF_ERROR(dvt_dim_merge(vector->dims[0], count, &count));
  }
  if (!input || !dvt_dim_known(count) || !dvt_shape_input_value(c, 3)) return NULL;
  if (count > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a slice of %lld indices; at most %d are possible",
                     (long long)count, DVT_MAX_RANK);
  slice_spec spec = {.count = (int)count};
  dense_spec dense = {.result_rank = 0};
  DVT_RETURN_IF_ERROR(read_spec(c, &spec));
  DVT_RETURN_IF_ERROR(spread(&spec, input->rank, &dense));
  for (int i = 0; i < input->rank; i++)
    DVT_RETURN_IF_ERROR(dim_result(c, &spec, &dense.dims[i], i, input->dims[i], &each[i]));
  for (int i = 0; i < dense.result_rank; i++)
    dims[i] = dense.result[i] == NEW_AXIS ? 1 : each[dense.result[i]];
  return dvt_fn_set(c, 0, dims, dense.result_rank);
}
