// StringJoin, ReduceJoin and UnsortedSegmentJoin: strings one after the other with a separator between, over
// tensors, over dimensions and over segments.
#include <inttypes.h>

#include "text/text.h"

// ---- StringJoin: inputs of one shape, or scalars ----

typedef struct join_state {
  dvx_attr separator;
  bool keep_dims;
} join_state;

static void *join_create(TF_OpKernelConstruction *ctx) {
  join_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->separator = dvx_attr_get(ctx, "separator");
  return state;
}
static void join_destroy(void *arg) {
  join_state *state = arg;
  if (state) free(state->separator.data);
  free(state);
}

typedef struct operand {
  const TF_TString *data;
  int64_t step;  // 0 for scalars
} operand;

static void join_element(const join_state *join, const operand *operands, int count, int64_t i,
                         dvx_text *text) {
  text->bytes = 0;
  for (int k = 0; k < count; k++) {
    if (k) dvx_text_add(text, dvx_attr_span(&join->separator));
    dvx_text_add(text, dvx_span_of(&operands[k].data[i * operands[k].step]));
  }
}

DVP_COMPUTE(string_join_compute) {
  int count = TF_NumInputs(call->ctx);
  dvp_view in, shape = {.rank = 0, .count = 1};
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  operand *operands = malloc((size_t)DVP_MAX(count, 1) * sizeof(*operands));
  if (!operands) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return;
  }
  bool fine = true;
  for (int i = 0; fine && i < count; i++) {
    if (!(fine = dvp_input(call, i, &in))) break;
    operands[i] = (operand){in.data, in.rank > 0};
    if (in.rank == 0) continue;
    if (shape.rank == 0)
      shape = in;
    else if (!dvp_same_shape(&shape, &in))
      fine = dvp_fail(call, TF_INVALID_ARGUMENT, "Input shapes do not match: %s vs. %s",
                      dvp_shape_text(shape.dims, shape.rank, ta), dvp_shape_text(in.dims, in.rank, tb));
  }
  TF_TString *out = fine ? dvp_output(call, 0, shape.dims, shape.rank) : NULL;
  dvx_text text = {0};
  for (int64_t i = 0; out && i < shape.count; i++) {
    join_element(state, operands, count, i, &text);
    dvx_store(&out[i], dvx_text_span(&text));
  }
  if (text.failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  dvx_text_free(&text);
  free(operands);
}
DVP_DEFINE_ANY(string_join, join_create, join_destroy, string_join_compute);

// ---- ReduceJoin: the dimensions to join, the first listed one changing fastest ----

static void *reduce_join_create(TF_OpKernelConstruction *ctx) {
  join_state *state = join_create(ctx);
  if (state) state->keep_dims = dvp_attr_bool(ctx, "keep_dims");
  return state;
}

typedef struct reduction {
  int kept_count, joined_count;
  int kept[DVP_MAX_RANK], joined[DVP_MAX_RANK];  // dimensions, the one that changes fastest last
  int64_t strides[DVP_MAX_RANK], out_dims[DVP_MAX_RANK];
  int out_rank;
  int64_t joined_elements, out_elements;
} reduction;

static bool make_reduction(dvp_call *call, const dvp_view *in, const dvp_view *axes, bool keep_dims,
                           reduction *r) {
  bool is_joined[DVP_MAX_RANK] = {false};
  const int32_t *listed = axes->data;
  *r = (reduction){.joined_elements = 1, .out_elements = 1};
  for (int64_t i = 0; i < axes->count; i++) {
    if (listed[i] < -in->rank || listed[i] >= in->rank)
      return dvp_fail(call, TF_OUT_OF_RANGE, "Invalid reduction dimension %d for input with %d dimension(s)",
                      listed[i], in->rank);
    int axis = listed[i] < 0 ? listed[i] + in->rank : listed[i];
    if (is_joined[axis])
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Duplicate reduction dimension %d", listed[i]);
    is_joined[axis] = true;
    r->joined[axes->count - 1 - i] = axis;
    r->joined_elements *= in->dims[axis];
  }
  r->joined_count = (int)axes->count;
  int64_t stride = 1;
  for (int i = in->rank - 1; i >= 0; i--) {
    r->strides[i] = stride;
    stride *= in->dims[i];
  }
  for (int i = 0; i < in->rank; i++) {
    if (!is_joined[i]) {
      r->kept[r->kept_count++] = i;
      r->out_elements *= in->dims[i];
    }
    if (!is_joined[i] || keep_dims) r->out_dims[r->out_rank++] = is_joined[i] ? 1 : in->dims[i];
  }
  return true;
}

// Where in the input element `index` of the subspace of these dimensions is, the others being 0.
static int64_t offset_of(const dvp_view *in, const reduction *r, const int *dims, int count, int64_t index) {
  int64_t offset = 0;
  for (int i = count - 1; i >= 0; i--) {
    offset += index % in->dims[dims[i]] * r->strides[dims[i]];
    index /= in->dims[dims[i]];
  }
  return offset;
}

DVP_COMPUTE(reduce_join_compute) {
  const join_state *join = state;
  dvp_view in, axes;
  reduction r;
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &axes) ||
      !make_reduction(call, &in, &axes, join->keep_dims, &r))
    return;
  TF_TString *out = dvp_output(call, 0, r.out_dims, r.out_rank);
  dvx_text text = {0};
  for (int64_t i = 0; out && i < r.out_elements; i++) {
    int64_t begin = offset_of(&in, &r, r.kept, r.kept_count, i);
    text.bytes = 0;
    for (int64_t k = 0; k < r.joined_elements; k++) {
      if (k) dvx_text_add(&text, dvx_attr_span(&join->separator));
      dvx_text_add(&text, dvx_element(&in, begin + offset_of(&in, &r, r.joined, r.joined_count, k)));
    }
    dvx_store(&out[i], dvx_text_span(&text));
  }
  if (text.failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  dvx_text_free(&text);
}
DVP_DEFINE_ANY(reduce_join, reduce_join_create, join_destroy, reduce_join_compute);

// ---- UnsortedSegmentJoin ----

static int64_t id_at(const dvp_view *ids, int64_t i) {
  return ids->dtype == TF_INT32 ? ((const int32_t *)ids->data)[i] : ((const int64_t *)ids->data)[i];
}

static bool check_segments(dvp_call *call, const dvp_view *in, const dvp_view *ids, int64_t segments) {
  if (segments < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Number of segments must be non-negative but got %" PRId64,
                    segments);
  if (ids->rank == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "Segment_id cannot have rank 0");
  if (ids->rank > in->rank)
    return dvp_fail(call, TF_OUT_OF_RANGE, "Invalid segment_id rank %d for input with %d dimension(s)",
                    ids->rank, in->rank);
  for (int i = 0; i < ids->rank; i++)
    if (ids->dims[i] != in->dims[i])
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Segment dimension is %" PRId64 " while input dimension is %" PRId64 " in rank %d",
                      ids->dims[i], in->dims[i], i);
  for (int64_t i = 0; i < ids->count; i++)
    if (id_at(ids, i) < 0 || id_at(ids, i) >= segments)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "segment_ids are not allowed to exceed num_segments or to have negative values");
  return true;
}

// Rows in the order of their segments, and where each segment begins: first[segments + 1] and rows[ids].
static int64_t *sort_rows(const dvp_view *ids, int64_t segments, int64_t **out_rows) {
  int64_t *first = calloc((size_t)segments + 2, sizeof(*first));
  int64_t *rows = malloc((size_t)DVP_MAX(ids->count, 1) * sizeof(*rows));
  *out_rows = rows;
  if (!first || !rows) {
    free(first);
    return NULL;
  }
  // first[s + 2] counts segment s; then first[s + 1] walks from its begin to its end, which begins segment s
  // + 1.
  for (int64_t i = 0; i < ids->count; i++)
    if (id_at(ids, i) + 2 <= segments) first[id_at(ids, i) + 2]++;
  for (int64_t s = 2; s <= segments; s++) first[s] += first[s - 1];
  for (int64_t i = 0; i < ids->count; i++) rows[first[id_at(ids, i) + 1]++] = i;
  return first;
}

DVP_COMPUTE(unsorted_segment_join_compute) {
  const join_state *join = state;
  dvp_view in, ids, number;
  int64_t segments, dims[DVP_MAX_RANK];
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &ids) ||
      !dvp_input_scalar(call, 2, "Number of segments", &number))
    return;
  segments = id_at(&number, 0);
  if (!check_segments(call, &in, &ids, segments)) return;
  int64_t inner = dvp_product(in.dims, ids.rank, in.rank);
  dims[0] = segments;
  for (int i = ids.rank; i < in.rank; i++) dims[i - ids.rank + 1] = in.dims[i];
  TF_TString *out = dvp_output(call, 0, dims, in.rank - ids.rank + 1);
  if (!out) return;
  int64_t *rows, *first = sort_rows(&ids, segments, &rows);
  dvx_text text = {.failed = !first};
  for (int64_t s = 0; first && s < segments; s++) {
    for (int64_t k = 0; k < inner; k++) {
      text.bytes = 0;
      for (int64_t i = first[s]; i < first[s + 1]; i++) {
        if (i > first[s]) dvx_text_add(&text, dvx_attr_span(&join->separator));
        dvx_text_add(&text, dvx_element(&in, rows[i] * inner + k));
      }
      dvx_store(&out[s * inner + k], dvx_text_span(&text));
    }
  }
  if (text.failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  dvx_text_free(&text);
  free(first);
  free(rows);
}
static const dvp_kernel unsorted_segment_join_rows[] = {DVP_KERNEL(TF_INT32, unsorted_segment_join)
                                                            DVP_KERNEL(TF_INT64, unsorted_segment_join)};
DVP_DEFINE_SET(unsorted_segment_join, "Tindices", join_create, join_destroy, unsorted_segment_join_rows);
