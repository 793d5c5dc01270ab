// Ops that make lists: empty ones, and from the rows of a tensor (TensorListFromTensor, Split, Scatter).
#include <inttypes.h>
#include <stdlib.h>

#include "common/plugin.h"
#include "list/tensor_list.h"

typedef struct make_state {
  TF_DataType dtype;
} make_state;

static void *make_create(TF_OpKernelConstruction *ctx) {
  make_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->dtype = dvp_attr_type(ctx, "element_dtype");
  return state;
}
static void make_destroy(void *state) { free(state); }

DVP_COMPUTE(empty_list_compute) {
  const make_state *make = state;
  dvl_shape shape;
  int64_t max_count;
  if (!dvl_shape_input(call, 0, &shape) || !dvp_input_int(call, 1, "max_num_elements", &max_count)) return;
  dvl_list *list = dvl_list_new(call, make->dtype, shape.dims, shape.rank, 0);
  if (!list) return;
  list->max_count = max_count;
  dvl_list_output(call, 0, list);
}
DVP_DEFINE_ANY(empty_list, make_create, make_destroy, empty_list_compute);

DVP_COMPUTE(reserve_compute) {
  const make_state *make = state;
  dvl_shape shape;
  int64_t count;
  if (!dvl_shape_input(call, 0, &shape) || !dvp_input_int(call, 1, "num_elements", &count)) return;
  if (count < 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The num_elements to reserve must not be negative, but is %" PRId64,
             count);
    return;
  }
  dvl_list *list = dvl_list_new(call, make->dtype, shape.dims, shape.rank, count);
  if (list) dvl_list_output(call, 0, list);
}
DVP_DEFINE_ANY(reserve, make_create, make_destroy, reserve_compute);

// ---- rows of a tensor ----

// A handle to input `index`, which must have a dimension to divide; NULL after a failure.
static TF_Tensor *rows_input(dvp_call *call, int index, dvl_shape *out_shape) {
  TF_Tensor *value = NULL;
  TF_GetInput(call->ctx, index, &value, call->status);
  if (!dvp_ok(call)) return NULL;
  dvl_shape_of(value, out_shape);
  if (out_shape->rank > 0) return value;
  TF_DeleteTensor(value);
  dvp_fail(call, TF_INVALID_ARGUMENT, "Tensor must be at least a vector, but is a scalar");
  return NULL;
}

static bool check_fit(dvp_call *call, const dvl_shape *wanted, const dvl_shape *got) {
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  return dvl_shape_fits(wanted, got->dims, got->rank) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "A list with element shape %s cannot hold a tensor of shape %s",
                  dvl_shape_text(wanted, a), dvl_shape_text(got, b));
}

// Puts a copy of row `row` into place i of the list.
static bool put_row(dvp_call *call, dvl_list *list, int64_t i, const TF_Tensor *value,
                    const dvl_shape *row_shape, int64_t row) {
  int64_t size = dvp_product(row_shape->dims, 0, row_shape->rank);
  dvl_item *item = dvl_item_part(call, value, row * size, row_shape->dims, row_shape->rank);
  if (item) dvl_list_put(list, i, item);
  return item != NULL;
}

DVP_COMPUTE(from_tensor_compute) {
  (void)state;
  dvl_shape shape, value_shape, row;
  if (!dvl_shape_input(call, 1, &shape)) return;
  TF_Tensor *value = rows_input(call, 0, &value_shape);
  if (!value) return;
  dvl_shape_tail(&value_shape, &row);
  int64_t count = value_shape.dims[0];
  dvl_list *list = check_fit(call, &shape, &row)
                       ? dvl_list_new(call, TF_TensorType(value), shape.dims, shape.rank, count)
                       : NULL;
  bool fine = list != NULL;
  for (int64_t i = 0; fine && i < count; i++) fine = put_row(call, list, i, value, &row, i);
  if (fine)
    dvl_list_output(call, 0, list);
  else
    dvl_list_free(list);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(from_tensor, NULL, NULL, from_tensor_compute);

// ---- Split ----

static bool check_lengths(dvp_call *call, const dvp_view *lengths, int64_t rows) {
  if (lengths->rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Expected lengths to be a vector, but it has rank %d",
                    lengths->rank);
  int64_t used = 0;
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = ((const int64_t *)lengths->data)[i];
    if (length < 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "Invalid value in lengths: %" PRId64, length);
    if (length > rows - used)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Length %" PRId64 " at row %" PRId64 " reaches past the end of a tensor with %" PRId64
                      " rows",
                      length, used, rows);
    used += length;
  }
  return used == rows ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Unused values in tensor. Length of tensor: %" PRId64 " Values used: %" PRId64, rows, used);
}

static bool split_rows(dvp_call *call, dvl_list *list, const TF_Tensor *value, dvl_shape *part,
                       const dvp_view *lengths) {
  int64_t row_size = dvp_product(part->dims, 1, part->rank), start = 0;
  for (int64_t i = 0; i < lengths->count; i++) {
    part->dims[0] = ((const int64_t *)lengths->data)[i];
    dvl_item *item = dvl_item_part(call, value, start * row_size, part->dims, part->rank);
    if (!item) return false;
    dvl_list_put(list, i, item);
    start += part->dims[0];
  }
  return true;
}

DVP_COMPUTE(split_compute) {
  (void)state;
  dvl_shape shape, part, wanted_row, row;
  dvp_view lengths;
  if (!dvl_shape_input(call, 1, &shape) || !dvp_input(call, 2, &lengths)) return;
  if (shape.rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "TensorListSplit requires element_shape to be at least of rank 1");
    return;
  }
  TF_Tensor *value = rows_input(call, 0, &part);
  if (!value) return;
  dvl_shape_tail(&shape, &wanted_row);
  dvl_shape_tail(&part, &row);
  dvl_list *list = check_fit(call, &wanted_row, &row) && check_lengths(call, &lengths, part.dims[0])
                       ? dvl_list_new(call, TF_TensorType(value), shape.dims, shape.rank, lengths.count)
                       : NULL;
  if (list && split_rows(call, list, value, &part, &lengths))
    dvl_list_output(call, 0, list);
  else
    dvl_list_free(list);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(split_to_list, NULL, NULL, split_compute);

// ---- Scatter ----

// The highest index; -1 for none. Indices are not negative and below `limit`, if that is not -1.
static bool highest_index(dvp_call *call, const dvp_view *indices, int64_t rows, int64_t limit,
                          int64_t *out) {
  int64_t highest = -1;
  if (indices->count != rows)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%" PRId64 " indices do not fit a tensor of %" PRId64 " rows",
                    indices->count, rows);
  for (int64_t i = 0; i < indices->count; i++) {
    int32_t index = ((const int32_t *)indices->data)[i];
    if (index < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Indices to scatter to must not be negative, but one is %d",
                      (int)index);
    if (limit != -1 && index >= limit)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Trying to scatter at index %d in a list with size %" PRId64,
                      (int)index, limit);
    highest = DVP_MAX(highest, index);
  }
  *out = highest;
  return true;
}

static bool scatter_rows(dvp_call *call, dvl_list *list, const TF_Tensor *value, const dvl_shape *row,
                         const dvp_view *indices) {
  for (int64_t i = 0; i < indices->count; i++)
    if (!put_row(call, list, ((const int32_t *)indices->data)[i], value, row, i)) return false;
  return true;
}

DVP_COMPUTE(scatter_compute) {
  (void)state;
  dvl_shape shape, value_shape, row;
  dvp_view indices;
  int64_t count = -1, highest = -1;
  if (!dvp_input(call, 1, &indices) || !dvl_shape_input(call, 2, &shape)) return;
  if (TF_NumInputs(call->ctx) > 3 && !dvp_input_int(call, 3, "num_elements", &count)) return;
  if (count < -1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "TensorListScatter expects num_elements >= -1, found: %" PRId64,
             count);
    return;
  }
  TF_Tensor *value = rows_input(call, 0, &value_shape);
  if (!value) return;
  dvl_shape_tail(&value_shape, &row);
  dvl_list *list = NULL;
  if (check_fit(call, &shape, &row) && highest_index(call, &indices, value_shape.dims[0], count, &highest)) {
    count = DVP_MAX(count, highest + 1);
    list = dvl_list_new(call, TF_TensorType(value), shape.dims, shape.rank, count);
  }
  if (list && scatter_rows(call, list, value, &row, &indices))
    dvl_list_output(call, 0, list);
  else
    dvl_list_free(list);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(scatter_to_list, NULL, NULL, scatter_compute);

static void scatter_into(dvp_call *call, const TF_Tensor *value, const dvl_shape *value_shape,
                         const dvp_view *indices) {
  int64_t highest = -1;
  dvl_shape row;
  dvl_shape_tail(value_shape, &row);
  if (indices->rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Expected indices to be a vector, but it has rank %d", indices->rank);
    return;
  }
  if (!highest_index(call, indices, value_shape->dims[0], -1, &highest)) return;
  dvl_list *list = dvl_list_output_over(call, 0, 0);
  if (list && (highest < list->count || dvl_list_resize(call, list, highest + 1)))
    scatter_rows(call, list, value, &row, indices);
}

DVP_COMPUTE(scatter_into_compute) {
  (void)state;
  dvl_shape value_shape;
  dvp_view indices;
  if (!dvp_input(call, 2, &indices)) return;
  TF_Tensor *value = rows_input(call, 1, &value_shape);
  if (!value) return;
  if (dvl_list_input_of(call, 0, TF_TensorType(value))) scatter_into(call, value, &value_shape, &indices);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(scatter_into_list, NULL, NULL, scatter_into_compute);
