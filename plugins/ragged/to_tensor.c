// RaggedTensorToTensor: rows of a ragged tensor as rows of a dense one, cut or filled with a default value.
// For each value the place in the output is found, dimension by dimension from outside; -1 stands for a value
// that is cut off.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ragged/ragged.h"

#define MAX_PARTITIONS 64

typedef enum partition { FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS } partition;

typedef struct to_tensor_state {
  partition types[MAX_PARTITIONS];
  int count;
  int ragged_rank;
} to_tensor_state;

static bool partition_named(const char *name, size_t bytes, partition *out) {
  static const char *const names[] = {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"};
  for (int i = 0; i < DVP_COUNT_OF(names); i++) {
    if (strlen(names[i]) != bytes || memcmp(names[i], name, bytes) != 0) continue;
    *out = (partition)i;
    return true;
  }
  return false;
}

static void *to_tensor_create(TF_OpKernelConstruction *ctx) {
  to_tensor_state *state = dvp_state_new(ctx, sizeof(*state));
  char *names[MAX_PARTITIONS], storage[MAX_PARTITIONS * 16];
  size_t lengths[MAX_PARTITIONS];
  int32_t count = 0, bytes = 0;
  if (!state) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrSize(ctx, "row_partition_types", &count, &bytes, status);
  bool fine = TF_GetCode(status) == TF_OK && count > 0 && count <= MAX_PARTITIONS &&
              bytes <= (int32_t)sizeof(storage);
  if (fine)
    TF_OpKernelConstruction_GetAttrStringList(ctx, "row_partition_types", names, lengths, count, storage,
                                              sizeof(storage), status);
  fine = fine && TF_GetCode(status) == TF_OK;
  TF_DeleteStatus(status);
  for (int i = 0; fine && i < count; i++) fine = partition_named(names[i], lengths[i], &state->types[i]);
  fine = fine && count == dvp_attr_int(ctx, "num_row_partition_tensors");
  if (!fine) {
    dvp_create_fail(
        ctx, TF_INVALID_ARGUMENT,
        "row_partition_types must tell of each row partition tensor, of at most %d, whether it is "
        "FIRST_DIM_SIZE, VALUE_ROWIDS or ROW_SPLITS",
        MAX_PARTITIONS);
    return state;
  }
  state->count = count;
  state->ragged_rank = state->types[0] == FIRST_DIM_SIZE ? count - 1 : count;
  return state;
}
static void to_tensor_destroy(void *state) { free(state); }

typedef struct to_tensor {
  const to_tensor_state *state;
  dvp_view shape, values, fill;
  const dvp_view *partitions;
  int64_t dims[DVP_MAX_RANK], rows;  // of the output; rows of the ragged tensor
  int rank;
  int64_t *places, count;  // of the rows of the dimension that is reached
} to_tensor;

// The partition between dimensions `i` and i + 1.
static int partition_at(const to_tensor *t, int i) {
  return t->state->types[0] == FIRST_DIM_SIZE ? i + 1 : i;
}

// ---- shape ----

static bool find_rows(dvp_call *call, to_tensor *t) {
  const dvp_view *first = &t->partitions[0];
  if (first->count == 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Invalid first partition input. Tensor requires at least one element.");
  if (t->state->types[0] == VALUE_ROWIDS)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Cannot handle VALUE_ROWIDS in first dimension.");
  if (t->state->types[0] == FIRST_DIM_SIZE && first->rank != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "A FIRST_DIM_SIZE must be a scalar");
  t->rows = t->state->types[0] == FIRST_DIM_SIZE ? dvr_int(first, 0) : first->count - 1;
  return t->rows >= 0 ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "The first dimension has a negative size, %" PRId64, t->rows);
}

static int64_t widest(const dvp_view *partition, enum partition type) {
  int64_t width = 0, begin = 0;
  if (type == ROW_SPLITS) {
    for (int64_t i = 1; i < partition->count; i++)
      width = DVP_MAX(width, dvr_int(partition, i) - dvr_int(partition, i - 1));
    return width;
  }
  for (int64_t i = 0; i < partition->count; i++) {
    if (dvr_int(partition, i) != dvr_int(partition, begin)) begin = i;
    width = DVP_MAX(width, i - begin + 1);
  }
  return width;
}

// What input `shape` says, as far as the values do not contradict.
static bool read_shape(dvp_call *call, to_tensor *t) {
  int ragged = t->state->ragged_rank;
  char text[DVP_SHAPE_TEXT];
  if (t->values.rank == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "The values must not be a scalar");
  t->rank = ragged + t->values.rank;
  if (t->rank > DVP_MAX_RANK)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "The result has too many dimensions");
  bool any = t->shape.rank == 0 && dvr_int(&t->shape, 0) == -1;
  if (!any && (t->shape.rank != 1 || t->shape.count != t->rank))
    return dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "The shape must be -1 or have %d dimensions, as the ragged ones and those of the values are",
        t->rank);
  for (int i = 0; i < t->rank; i++) {
    t->dims[i] = any ? -1 : dvr_int(&t->shape, i);
    if (t->dims[i] < -1)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Dimension %" PRId64 " must be >= -1", t->dims[i]);
    int64_t own = i > ragged ? t->values.dims[i - ragged] : -1;
    if (own >= 0 && t->dims[i] >= 0 && t->dims[i] != own)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "The shape and the shape of the values, %s, are incompatible",
                      dvp_shape_text(t->values.dims, t->values.rank, text));
    if (own >= 0) t->dims[i] = own;
  }
  return true;
}

static bool find_shape(dvp_call *call, to_tensor *t) {
  if (!find_rows(call, t) || !read_shape(call, t)) return false;
  if (t->dims[0] < 0) t->dims[0] = t->rows;
  for (int i = 1; i <= t->state->ragged_rank; i++) {
    int at = partition_at(t, i - 1);
    if (t->state->types[at] == FIRST_DIM_SIZE)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Cannot handle FIRST_DIM_SIZE behind the first dimension");
    if (t->dims[i] < 0) t->dims[i] = widest(&t->partitions[at], t->state->types[at]);
  }
  return true;
}

// The default value must broadcast to one of the values' rows without adding dimensions.
static bool check_fill(dvp_call *call, const to_tensor *t) {
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  bool fits = t->fill.rank < t->values.rank;
  for (int i = 1; fits && i <= t->fill.rank; i++) {
    int64_t size = t->fill.dims[t->fill.rank - i];
    fits = size == 1 || size == t->values.dims[t->values.rank - i];
  }
  return fits || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "default_value.shape=%s and the shape of the values, %s, are incompatible",
                          dvp_shape_text(t->fill.dims, t->fill.rank, a),
                          dvp_shape_text(t->values.dims, t->values.rank, b));
}

// ---- places ----

static bool place_first(dvp_call *call, to_tensor *t, int64_t step) {
  t->places = calloc((size_t)t->rows + 1, sizeof(*t->places));
  t->count = t->rows;
  for (int64_t i = 0; t->places && i < t->rows; i++) t->places[i] = i < t->dims[0] ? i * step : -1;
  return t->places ? true
                   : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " rows", t->rows);
}

static bool place_by_splits(dvp_call *call, const to_tensor *t, const dvp_view *splits, int64_t size,
                            int64_t step, int64_t *out) {
  if (splits->count - 1 > t->count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Row partition size is greater than output size: %" PRId64 " > %" PRId64,
                    splits->count - 1, t->count);
  for (int64_t i = 0; i + 1 < splits->count; i++) {
    int64_t begin = dvr_int(splits, i);
    for (int64_t k = begin; k < dvr_int(splits, i + 1); k++)
      out[k] = t->places[i] < 0 || k - begin >= size ? -1 : t->places[i] + (k - begin) * step;
  }
  return true;
}

static bool place_by_rows(dvp_call *call, const to_tensor *t, const dvp_view *rows, int64_t size,
                          int64_t step, int64_t *out) {
  int64_t column = 0;
  for (int64_t i = 0; i < rows->count; i++) {
    int64_t row = dvr_int(rows, i);
    if (row < 0 || row >= t->count)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Got a row id %" PRId64 " which is not less than %" PRId64,
                      row, t->count);
    column = i > 0 && row == dvr_int(rows, i - 1) ? column + 1 : 0;
    out[i] = t->places[row] < 0 || column >= size ? -1 : t->places[row] + column * step;
  }
  return true;
}

static bool check_row_splits(dvp_call *call, const dvp_view *splits) {
  bool fine = splits->rank == 1 && (splits->count == 0 || dvr_int(splits, 0) == 0);
  for (int64_t i = 1; fine && i < splits->count; i++) fine = dvr_int(splits, i) >= dvr_int(splits, i - 1);
  return fine || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "Invalid row split size: splits begin with 0 and do not decrease");
}

// From the places of the rows of dimension i - 1 to those of dimension i.
static bool place_next(dvp_call *call, to_tensor *t, int i, int64_t step) {
  int at = partition_at(t, i - 1);
  const dvp_view *partition = &t->partitions[at];
  bool by_splits = t->state->types[at] == ROW_SPLITS;
  if (by_splits && !check_row_splits(call, partition)) return false;
  int64_t count = !by_splits         ? partition->count
                  : partition->count ? dvr_int(partition, partition->count - 1)
                                     : 0;
  int64_t *out = count < INT64_MAX / 16 ? malloc((size_t)DVP_MAX(count, 1) * sizeof(*out)) : NULL;
  if (!out) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " rows", count);
  bool fine = by_splits ? place_by_splits(call, t, partition, t->dims[i], step, out)
                        : place_by_rows(call, t, partition, t->dims[i], step, out);
  free(t->places);
  t->places = out;
  t->count = count;
  return fine;
}

// ---- the output ----

static void put_defaults(const to_tensor *t, void *out, int64_t row, int64_t rows) {
  // Element k of a row, read with the dimensions of the default value, those of size 1 being repeated.
  int first = t->state->ragged_rank + 1, skipped = t->rank - first - t->fill.rank;
  for (int64_t k = 0; k < row; k++) {
    int64_t rest = k, from = 0, stride = 1;
    for (int i = t->rank - 1; i >= first + skipped; i--) {
      int64_t size = t->fill.dims[i - first - skipped];
      from += size == 1 ? 0 : rest % t->dims[i] * stride;
      rest /= t->dims[i];
      stride *= size;
    }
    dvr_copy(t->values.dtype, out, k, t->fill.data, from, 1);
  }
  for (int64_t i = 1; i < rows; i++) dvr_copy(t->values.dtype, out, i * row, out, 0, row);
}

static void run(dvp_call *call, to_tensor *t) {
  int ragged = t->state->ragged_rank;
  int64_t steps[DVP_MAX_RANK], row = dvp_product(t->values.dims, 1, t->values.rank), total;
  if (!find_shape(call, t) || !check_fill(call, t) || !dvp_count(call, t->dims, t->rank, &total)) return;
  steps[ragged] = 1;
  for (int i = ragged - 1; i >= 0; i--) steps[i] = steps[i + 1] * t->dims[i + 1];
  void *out = dvp_output(call, 0, t->dims, t->rank);
  if (!out || total == 0 || !place_first(call, t, steps[0])) return;
  for (int i = 1; i <= ragged; i++)
    if (!place_next(call, t, i, steps[i])) return;
  if (t->count > t->values.dims[0]) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "The row partitions tell of %" PRId64 " values, but there are %" PRId64, t->count,
             t->values.dims[0]);
    return;
  }
  put_defaults(t, out, row, total / row);
  for (int64_t i = 0; i < t->count; i++)
    if (t->places[i] >= 0) dvr_copy(t->values.dtype, out, t->places[i] * row, t->values.data, i * row, row);
}

DVP_COMPUTE(to_tensor_compute) {
  to_tensor t = {.state = state};
  if (!dvp_input(call, 0, &t.shape) || !dvp_input(call, 1, &t.values) || !dvp_input(call, 2, &t.fill)) return;
  if (t.values.dtype == TF_VARIANT || t.values.dtype == TF_RESOURCE) {
    dvp_fail(call, TF_UNIMPLEMENTED, "Ragged tensors of dtype %d", t.values.dtype);
    return;
  }
  dvp_view *partitions = dvr_inputs(call, 3, t.state->count);
  t.partitions = partitions;
  if (partitions) run(call, &t);
  free(t.places);
  free(partitions);
}
DVP_DEFINE_ANY(to_tensor, to_tensor_create, to_tensor_destroy, to_tensor_compute);
