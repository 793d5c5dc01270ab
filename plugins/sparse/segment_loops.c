// Reductions by segment. Segment* and SparseSegment* take rows, or picked rows, whose segment ids do not
// decrease; UnsortedSegment* take elements with ids in any order.
#include <inttypes.h>
#include <math.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "sparse/indices.h"

// ---- segments in order ----

typedef struct segments {
  const void *data;
  void *out, *row;              // row: one row in the arithmetic type
  const dvp_view *ids, *picks;  // picks NULL: the rows as they come
  int64_t count, rows_out, inner;
} segments;

static int64_t row_of(const segments *s, int64_t i) { return s->picks ? dvp_index_at(s->picks, i) : i; }

// STEP joins a and b; FINISH makes the result of a, joined from n rows; segments without rows get EMPTY.
#define SEGMENT_ROWS(t, op, STEP, FINISH, EMPTY)                                                \
  static void op##_##t##_rows(const segments *s) {                                              \
    const dvp_##t *data = s->data;                                                              \
    dvp_##t *out = s->out;                                                                      \
    DVP_ARITH_##t *row = s->row;                                                                \
    const int64_t inner = s->inner;                                                             \
    int64_t next = 0;                                                                           \
    for (int64_t i = 0; i < s->count;) {                                                        \
      int64_t id = dvp_index_at(s->ids, i), first = i;                                          \
      for (int64_t j = next * inner; j < id * inner; j++) out[j] = DVP_STORE_##t(EMPTY);        \
      const dvp_##t *in = data + row_of(s, i) * inner;                                          \
      for (int64_t j = 0; j < inner; j++) row[j] = DVP_LOAD_##t(in[j]);                         \
      for (i++; i < s->count && dvp_index_at(s->ids, i) == id; i++) {                           \
        in = data + row_of(s, i) * inner;                                                       \
        DVP_IVDEP                                                                               \
        for (int64_t j = 0; j < inner; j++) {                                                   \
          const DVP_ARITH_##t a = row[j], b = DVP_LOAD_##t(in[j]);                              \
          row[j] = STEP;                                                                        \
        }                                                                                       \
      }                                                                                         \
      const int64_t n = i - first;                                                              \
      (void)n;                                                                                  \
      for (int64_t j = 0; j < inner; j++) {                                                     \
        const DVP_ARITH_##t a = row[j];                                                         \
        out[id * inner + j] = DVP_STORE_##t(FINISH);                                            \
      }                                                                                         \
      next = id + 1;                                                                            \
    }                                                                                           \
    for (int64_t j = next * inner; j < s->rows_out * inner; j++) out[j] = DVP_STORE_##t(EMPTY); \
  }

static bool check_order(dvp_call *call, const dvp_view *ids, int64_t rows_out) {
  int64_t last = -1;
  for (int64_t i = 0; i < ids->count; i++) {
    int64_t id = dvp_index_at(ids, i);
    if (id < 0 || id >= rows_out)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "segment_ids[%" PRId64 "] = %" PRId64 " is not in [0, %" PRId64
                      "), or segment ids are not increasing",
                      i, id, rows_out);
    if (id < last)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "segment ids are not increasing: %" PRId64 " follows %" PRId64, id, last);
    last = id;
  }
  return true;
}

static bool check_picks(dvp_call *call, const dvp_view *picks, int64_t rows) {
  for (int64_t i = 0; i < picks->count; i++) {
    int64_t row = dvp_index_at(picks, i);
    if (row < 0 || row >= rows)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "indices[%" PRId64 "] == %" PRId64 " out of range [0, %" PRId64 ")", i, row, rows);
  }
  return true;
}

// The inputs are data and segment_ids, or data, indices and segment_ids, and perhaps num_segments.
static bool read_segments(dvp_call *call, dvp_view *data, dvp_view *picks, dvp_view *ids, int64_t *rows_out) {
  int inputs = TF_NumInputs(call->ctx);
  bool sparse = inputs > 2;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, data) || (sparse && !dvp_input(call, 1, picks)) ||
      !dvp_input(call, sparse ? 2 : 1, ids))
    return false;
  if (data->rank < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "data must be at least rank 1, but is a scalar");
  if (ids->rank != 1 || (sparse && picks->rank != 1))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "segment_ids and indices must be vectors");
  if (ids->count != (sparse ? picks->count : data->dims[0]))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "segment_ids should have one element per row, but are %" PRId64 " for %s %s", ids->count,
                    sparse ? "indices" : "data", dvp_shape_text(sparse ? picks->dims : data->dims, 1, text));
  *rows_out = ids->count ? dvp_index_at(ids, ids->count - 1) + 1 : 0;
  if (inputs == 4) {
    dvp_view number;
    if (!dvp_input_scalar(call, 3, "num_segments", &number)) return false;
    *rows_out = dvp_index_at(&number, 0);
  }
  if (*rows_out < 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "segment ids must be >= 0");
  return check_order(call, ids, *rows_out) && (!sparse || check_picks(call, picks, data->dims[0]));
}

static void reduce_segments(TF_OpKernelContext *ctx, void (*rows)(const segments *), size_t bytes) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view data, picks, ids;
  TF_Tensor *temp = NULL;
  int64_t rows_out = 0;
  if (read_segments(&call, &data, &picks, &ids, &rows_out)) {
    int64_t dims[DVP_MAX_RANK], inner = dvp_product(data.dims, 1, data.rank);
    memcpy(dims, data.dims, sizeof(dims));
    dims[0] = rows_out;
    void *out = dvp_output(&call, 0, dims, data.rank);
    void *row = out ? dvp_temp(&call, (size_t)inner * bytes, &temp) : NULL;
    segments s = {data.data, out,      row,  &ids, TF_NumInputs(ctx) > 2 ? &picks : NULL,
                  ids.count, rows_out, inner};
    if (row) rows(&s);
    dvp_free_temp(temp);
  }
  TF_DeleteStatus(call.status);
}

#define SEGMENT_OP_TYPE(t, op, STEP, FINISH, EMPTY)                      \
  SEGMENT_ROWS(t, op, STEP, FINISH, EMPTY)                               \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) { \
    (void)state;                                                         \
    reduce_segments(ctx, op##_##t##_rows, sizeof(DVP_ARITH_##t));        \
  }
#define SEGMENT_OP(op, LIST, STEP, FINISH, EMPTY)            \
  LIST(SEGMENT_OP_TYPE, op, STEP, FINISH, EMPTY)             \
  static const dvp_kernel op##_rows[] = {LIST(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

SEGMENT_OP(segment_sum, DVP_NUMBERS, a + b, a, 0)
SEGMENT_OP(segment_prod, DVP_NUMBERS, a *b, a, 1)
SEGMENT_OP(segment_max, DVP_REALS, a < b ? b : a, a, 0)
SEGMENT_OP(segment_min, DVP_REALS, b < a ? b : a, a, 0)
DVP_FLOATS_COMPLEX(SEGMENT_OP_TYPE, segment_mean, a + b, a / n, 0)
DVP_SIGNED(SEGMENT_OP_TYPE, segment_mean, a + b, (int64_t)a / n, 0)
DVP_UNSIGNED(SEGMENT_OP_TYPE, segment_mean, a + b, (uint64_t)a / (uint64_t)n, 0)
static const dvp_kernel segment_mean_rows[] = {DVP_NUMBERS(DVP_ROW, segment_mean)};
DVP_DEFINE_SET(segment_mean, "T", NULL, NULL, segment_mean_rows);
static const dvp_kernel sparse_segment_sum_rows[] = {DVP_REALS(DVP_ROW, segment_sum)};
DVP_DEFINE_SET(sparse_segment_sum, "T", NULL, NULL, sparse_segment_sum_rows);
static const dvp_kernel sparse_segment_mean_rows[] = {DVP_FLOATS(DVP_ROW, segment_mean)};
DVP_DEFINE_SET(sparse_segment_mean, "T", NULL, NULL, sparse_segment_mean_rows);
SEGMENT_OP(sparse_segment_sqrt_n, DVP_FLOATS, a + b, a / sqrt((double)n), 0)

// ---- segments in any order ----

typedef struct scattering {
  const void *data;
  void *out;
  const dvp_view *ids;
  int64_t total, inner;  // total: elements of the output
} scattering;

#define UNSORTED_TYPE(t, op, INIT, STEP)                                    \
  static void op##_##t##_rows(const scattering *s) {                        \
    const dvp_##t *data = s->data;                                          \
    dvp_##t *out = s->out;                                                  \
    const int64_t inner = s->inner;                                         \
    for (int64_t j = 0; j < s->total; j++) out[j] = DVP_STORE_##t(INIT(t)); \
    for (int64_t i = 0; i < s->ids->count; i++) {                           \
      int64_t id = dvp_index_at(s->ids, i);                                 \
      if (id < 0) continue;                                                 \
      DVP_IVDEP                                                             \
      for (int64_t j = 0; j < inner; j++) {                                 \
        const DVP_ARITH_##t a = DVP_LOAD_##t(out[id * inner + j]);          \
        const DVP_ARITH_##t b = DVP_LOAD_##t(data[i * inner + j]);          \
        out[id * inner + j] = DVP_STORE_##t(STEP);                          \
      }                                                                     \
    }                                                                       \
  }                                                                         \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {    \
    (void)state;                                                            \
    reduce_unsorted(ctx, op##_##t##_rows);                                  \
  }
#define UNSORTED_OP(op, LIST, INIT, STEP)                    \
  LIST(UNSORTED_TYPE, op, INIT, STEP)                        \
  static const dvp_kernel op##_rows[] = {LIST(DVP_ROW, op)}; \
  DVP_DEFINE_SET(op, "T", NULL, NULL, op##_rows);

static bool read_unsorted(dvp_call *call, dvp_view *data, dvp_view *ids, int64_t *rows_out) {
  dvp_view number;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, data) || !dvp_input(call, 1, ids) ||
      !dvp_input_scalar(call, 2, "num_segments", &number))
    return false;
  bool prefix = ids->rank <= data->rank;
  for (int i = 0; prefix && i < ids->rank; i++) prefix = ids->dims[i] == data->dims[i];
  if (!prefix)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "data.shape = %s does not start with segment_ids.shape = %s",
                    dvp_shape_text(data->dims, data->rank, ta), dvp_shape_text(ids->dims, ids->rank, tb));
  *rows_out = dvp_index_at(&number, 0);
  if (*rows_out < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Input num_segments == %" PRId64 " must not be negative.",
                    *rows_out);
  for (int64_t i = 0; i < ids->count; i++)
    if (dvp_index_at(ids, i) >= *rows_out)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "segment_ids[%" PRId64 "] = %" PRId64 " is out of range [0, %" PRId64 ")", i,
                      dvp_index_at(ids, i), *rows_out);
  return true;
}

static void reduce_unsorted(TF_OpKernelContext *ctx, void (*rows)(const scattering *)) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view data, ids;
  int64_t rows_out = 0, dims[DVP_MAX_RANK + 1];
  if (read_unsorted(&call, &data, &ids, &rows_out)) {
    int rank = 0;
    dims[rank++] = rows_out;
    for (int i = ids.rank; i < data.rank; i++) dims[rank++] = data.dims[i];
    int64_t inner = dvp_product(data.dims, ids.rank, data.rank);
    void *out = dvp_output(&call, 0, dims, rank);
    scattering s = {data.data, out, &ids, rows_out * inner, inner};
    if (out) rows(&s);
  }
  TF_DeleteStatus(call.status);
}

#define LOWEST(t) DVP_LOWEST_##t
#define HIGHEST(t) DVP_HIGHEST_##t
#define ZERO(t) 0
#define ONE(t) 1

UNSORTED_OP(unsorted_segment_sum, DVP_NUMBERS, ZERO, a + b)
UNSORTED_OP(unsorted_segment_prod, DVP_NUMBERS, ONE, a *b)
UNSORTED_OP(unsorted_segment_max, DVP_REALS, LOWEST, a < b ? b : a)
UNSORTED_OP(unsorted_segment_min, DVP_REALS, HIGHEST, b < a ? b : a)
