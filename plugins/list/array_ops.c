// The kernels of TensorArrays: making one, reading and writing single elements or many.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "list/tensor_array.h"

// Output `index` becomes input `input`.
static bool pass_on(dvp_call *call, int input, int index) {
  TF_Tensor *value = NULL;
  TF_GetInput(call->ctx, input, &value, call->status);
  if (dvp_ok(call)) TF_SetOutput(call->ctx, index, value, call->status);
  TF_DeleteTensor(value);
  return dvp_ok(call);
}

// ---- the array ----

typedef struct make_state {
  dvl_array_options options;
  char *name;
} make_state;

static void *make_create(TF_OpKernelConstruction *ctx) {
  make_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  size_t bytes = 0;
  state->options.dtype = dvp_attr_type(ctx, "dtype");
  state->options.is_dynamic = dvp_attr_bool(ctx, "dynamic_size");
  state->options.clears = dvp_attr_bool(ctx, "clear_after_read");
  state->options.identical = dvp_attr_bool(ctx, "identical_element_shapes");
  dvl_shape_attr(ctx, "element_shape", &state->options.shape);
  state->name = dvp_attr_string_new(ctx, "tensor_array_name", &bytes);
  if (state->name && bytes == 0) {
    TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
    free(state->name);
    state->name = strndup(node.data, node.len);
  }
  state->options.name = state->name ? state->name : "";
  return state;
}

static void make_destroy(void *arg) {
  make_state *state = arg;
  if (state) free(state->name);
  free(state);
}

DVP_COMPUTE(array_compute) {
  const make_state *make = state;
  dvp_view size;
  if (!dvp_input(call, 0, &size)) return;
  int32_t count = size.rank == 0 ? *(const int32_t *)size.data : -1;
  if (count < 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The size of a TensorArray must be a scalar >= 0");
    return;
  }
  TF_Tensor *handle = dvl_array_handle(call, &make->options, count);
  if (!handle) return;
  TF_SetOutput(call->ctx, 0, handle, call->status);
  TF_DeleteTensor(handle);
  float *flow = dvp_ok(call) ? dvp_output(call, 1, NULL, 0) : NULL;
  if (flow) *flow = 0;
}
DVP_DEFINE_ANY(tensor_array, make_create, make_destroy, array_compute);

DVP_COMPUTE(size_compute) {
  (void)state;
  int64_t count;
  dvl_array *array = dvl_array_input(call);
  if (!array || !dvl_array_size(call, array, &count)) return;
  int32_t *out = dvp_output(call, 0, NULL, 0);
  if (out) *out = (int32_t)DVP_MIN(count, INT32_MAX);
}
DVP_DEFINE_ANY(array_size, NULL, NULL, size_compute);

DVP_COMPUTE(close_compute) {
  (void)state;
  dvl_array *array = dvl_array_input(call);
  if (array) dvl_array_close(array);
}
DVP_DEFINE_ANY(array_close, NULL, NULL, close_compute);

// ---- gradients ----

static void *gradient_create(TF_OpKernelConstruction *ctx) {
  size_t bytes = 0;
  return dvp_attr_string_new(ctx, "source", &bytes);
}
static void gradient_destroy(void *state) { free(state); }

static void output_gradient(dvp_call *call, const char *source, const dvl_shape *leading) {
  dvl_array *array = dvl_array_input(call);
  TF_Tensor *handle = array ? dvl_array_gradient(call, array, source, leading) : NULL;
  if (!handle) return;
  TF_SetOutput(call->ctx, 0, handle, call->status);
  if (dvp_ok(call)) pass_on(call, 1, 1);
}

DVP_COMPUTE(gradient_compute) {
  const dvl_shape nothing = {.rank = 0};
  output_gradient(call, state, &nothing);
}
DVP_DEFINE_ANY(array_gradient, gradient_create, gradient_destroy, gradient_compute);

DVP_COMPUTE(gradient_with_shape_compute) {
  dvl_shape leading;
  if (dvl_shape_input(call, 2, &leading)) output_gradient(call, state, &leading);
}
DVP_DEFINE_ANY(array_gradient_with_shape, gradient_create, gradient_destroy, gradient_with_shape_compute);

// ---- reading ----

typedef struct read_state {
  TF_DataType dtype;
  dvl_shape shape;  // of the elements of Gather; of Concat's without dimension 0
} read_state;

static void *read_with(TF_OpKernelConstruction *ctx, const char *shape_attr) {
  read_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->dtype = dvp_attr_type(ctx, "dtype");
  state->shape.rank = -1;
  if (shape_attr) dvl_shape_attr(ctx, shape_attr, &state->shape);
  return state;
}
static void *read_create(TF_OpKernelConstruction *ctx) { return read_with(ctx, NULL); }
static void *gather_create(TF_OpKernelConstruction *ctx) { return read_with(ctx, "element_shape"); }
static void *concat_create(TF_OpKernelConstruction *ctx) { return read_with(ctx, "element_shape_except0"); }
static void read_destroy(void *state) { free(state); }

static bool index_input(dvp_call *call, int32_t *out) {
  dvp_view index;
  if (!dvp_input(call, 1, &index)) return false;
  if (index.rank != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "TensorArray index must be scalar, but has rank %d",
                    index.rank);
  *out = *(const int32_t *)index.data;
  return true;
}

DVP_COMPUTE(read_compute) {
  const read_state *read = state;
  int32_t index;
  dvl_item *item = NULL;
  dvl_array *array = dvl_array_input_of(call, read->dtype);
  if (!array || !index_input(call, &index) || !dvl_array_read(call, array, &index, 1, &item)) return;
  TF_SetOutput(call->ctx, 0, dvl_item_tensor(item), call->status);
  dvl_item_release(item);
  dvp_ok(call);
}
DVP_DEFINE_ANY(array_read, read_create, read_destroy, read_compute);

// What joins `count` elements of an array: items and pieces in one block.
typedef struct elements {
  int64_t count;
  dvl_item **items;
  dvl_piece *pieces;
} elements;

static bool read_elements(dvp_call *call, dvl_array *array, const int32_t *indices, int64_t count,
                          elements *out) {
  out->count = 0;
  out->items = calloc((size_t)count, sizeof(*out->items));
  out->pieces = calloc((size_t)count, sizeof(*out->pieces));
  if (!out->items || !out->pieces)
    return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory to join %" PRId64 " elements", count);
  if (!dvl_array_read(call, array, indices, count, out->items)) return false;
  out->count = count;
  for (int64_t i = 0; i < count; i++) {
    out->pieces[i].tensor = dvl_item_tensor(out->items[i]);
    out->pieces[i].count = TF_TensorElementCount(out->pieces[i].tensor);
  }
  return true;
}

static void drop_elements(elements *e) {
  for (int64_t i = 0; i < e->count; i++) dvl_item_release(e->items[i]);
  free(e->items);
  free(e->pieces);
}

// Whether all elements have one shape, but for the first `but` dimensions.
static bool check_alike(dvp_call *call, const elements *e, int but) {
  dvl_shape first, other;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvl_shape_of(e->pieces[0].tensor, &first);
  for (int64_t i = 0; i < e->count; i++) {
    dvl_shape_of(e->pieces[i].tensor, &other);
    if (other.rank < but)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Concat saw a scalar shape at index %" PRId64 " but requires at least vectors.", i);
    if (first.rank != other.rank ||
        (first.rank > but &&
         memcmp(first.dims + but, other.dims + but, (size_t)(first.rank - but) * sizeof(int64_t)) != 0))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "TensorArray has inconsistent shapes. Index 0 has shape: %s but index %" PRId64
                      " has shape: %s",
                      dvl_shape_text(&first, a), i, dvl_shape_text(&other, b));
  }
  return true;
}

static bool check_first(dvp_call *call, const elements *e, const dvl_shape *wanted) {
  dvl_shape first;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvl_shape_of(e->pieces[0].tensor, &first);
  return dvl_shape_fits(wanted, first.dims, first.rank) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "An element of shape %s is not of the element shape %s",
                  dvl_shape_text(&first, a), dvl_shape_text(wanted, b));
}

static bool output_nothing(dvp_call *call, const dvl_shape *rest) {
  char text[DVP_SHAPE_TEXT];
  int64_t dims[DVP_MAX_RANK + 1] = {0};
  if (!dvl_shape_is_full(rest))
    return dvp_fail(
        call, TF_UNIMPLEMENTED,
        "TensorArray has size zero, but element shape %s is not fully defined. Currently only static "
        "shapes are supported when packing zero-size TensorArrays.",
        dvl_shape_text(rest, text));
  memcpy(dims + 1, rest->dims, (size_t)rest->rank * sizeof(*dims));
  return dvl_output_zeros(call, 0, dims, rest->rank + 1);
}

DVP_COMPUTE(gather_compute) {
  const read_state *read = state;
  dvp_view indices;
  dvl_shape shape;
  elements e = {0};
  dvl_array *array = dvl_array_input_of(call, read->dtype);
  if (!array || !dvp_input(call, 1, &indices) || !dvl_array_shape(call, array, &read->shape, &shape)) return;
  if (indices.rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Expected indices to be a vector, but it has rank %d", indices.rank);
    return;
  }
  if (indices.count == 0) {
    output_nothing(call, &read->shape);
    return;
  }
  if (read_elements(call, array, indices.data, indices.count, &e) && check_alike(call, &e, 0) &&
      check_first(call, &e, &shape)) {
    int64_t dims[DVP_MAX_RANK + 1] = {indices.count};
    dvl_shape_of(e.pieces[0].tensor, &shape);
    memcpy(dims + 1, shape.dims, (size_t)shape.rank * sizeof(*dims));
    dvl_output_join(call, 0, dims, shape.rank + 1, e.pieces, e.count);
  }
  drop_elements(&e);
}
DVP_DEFINE_ANY(array_gather, gather_create, read_destroy, gather_compute);

static void output_concat(dvp_call *call, const elements *e) {
  dvl_shape shape;
  int64_t *lengths = dvp_output(call, 1, &e->count, 1), total = 0;
  if (!lengths) return;
  for (int64_t i = 0; i < e->count; i++) total += lengths[i] = TF_Dim(e->pieces[i].tensor, 0);
  dvl_shape_of(e->pieces[0].tensor, &shape);
  shape.dims[0] = total;
  dvl_output_join(call, 0, shape.dims, shape.rank, e->pieces, e->count);
}

DVP_COMPUTE(concat_compute) {
  const read_state *read = state;
  int64_t count;
  elements e = {0};
  dvl_array *array = dvl_array_input_of(call, read->dtype);
  if (!array || !dvl_array_size(call, array, &count)) return;
  if (count == 0) {
    if (output_nothing(call, &read->shape)) dvp_output(call, 1, &count, 1);
    return;
  }
  if (read_elements(call, array, NULL, count, &e) && check_alike(call, &e, 1)) output_concat(call, &e);
  drop_elements(&e);
}
DVP_DEFINE_ANY(array_concat, concat_create, read_destroy, concat_compute);

// ---- writing ----

DVP_COMPUTE(write_compute) {
  (void)state;
  int32_t index = 0;
  dvp_view value;
  if (!dvp_input(call, 2, &value)) return;
  dvl_array *array = dvl_array_input_of(call, value.dtype);
  if (!array || !index_input(call, &index)) return;
  if (dvl_array_write(call, array, index, dvl_item_input(call, 2))) pass_on(call, 3, 0);
}
DVP_DEFINE_ANY(array_write, NULL, NULL, write_compute);

// A handle to the value in input `index` and the array for it.
static TF_Tensor *rows_input(dvp_call *call, int index, dvl_shape *out_shape, dvl_array **out_array) {
  TF_Tensor *value = NULL;
  TF_GetInput(call->ctx, index, &value, call->status);
  if (!dvp_ok(call)) return NULL;
  dvl_shape_of(value, out_shape);
  *out_array = dvl_array_input_of(call, TF_TensorType(value));
  if (*out_array && out_shape->rank > 0) return value;
  if (*out_array)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Input value must be at least a vector but is a scalar");
  TF_DeleteTensor(value);
  return NULL;
}

DVP_COMPUTE(scatter_compute) {
  (void)state;
  dvp_view indices;
  dvl_shape shape, row;
  dvl_array *array;
  if (!dvp_input(call, 1, &indices)) return;
  TF_Tensor *value = rows_input(call, 2, &shape, &array);
  if (!value) return;
  bool fine = (indices.rank == 1 && indices.count == shape.dims[0]) ||
              dvp_fail(call, TF_INVALID_ARGUMENT,
                       "Expected as many indices as the value has rows, %" PRId64 "; got %" PRId64
                       " in %d dimensions",
                       shape.dims[0], indices.count, indices.rank);
  dvl_shape_tail(&shape, &row);
  int64_t size = dvp_product(row.dims, 0, row.rank);
  for (int64_t i = 0; fine && i < indices.count; i++)
    fine = dvl_array_write(call, array, ((const int32_t *)indices.data)[i],
                           dvl_item_part(call, value, i * size, row.dims, row.rank));
  TF_DeleteTensor(value);
  if (fine) pass_on(call, 3, 0);
}
DVP_DEFINE_ANY(array_scatter, NULL, NULL, scatter_compute);

static bool check_lengths(dvp_call *call, dvl_array *array, const dvp_view *lengths, int64_t rows) {
  int64_t total = 0, count;
  if (lengths->rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Expected lengths to be a vector, but it has rank %d",
                    lengths->rank);
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = ((const int64_t *)lengths->data)[i];
    if (length < 0 || length > rows - total)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Length %" PRId64 " at row %" PRId64 " does not fit a value with %" PRId64 " rows",
                      length, total, rows);
    total += length;
  }
  if (total != rows)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %" PRId64
                    " and the value has %" PRId64 " rows",
                    total, rows);
  if (!dvl_array_size(call, array, &count)) return false;
  if (count == lengths->count || (dvl_array_is_dynamic(array) && count < lengths->count)) return true;
  return dvp_fail(call, TF_INVALID_ARGUMENT,
                  "TensorArray's size is not equal to the size of lengths (%" PRId64 " vs. %" PRId64 ")",
                  count, lengths->count);
}

DVP_COMPUTE(split_compute) {
  (void)state;
  dvp_view lengths;
  dvl_shape part;
  dvl_array *array;
  if (!dvp_input(call, 2, &lengths)) return;
  TF_Tensor *value = rows_input(call, 1, &part, &array);
  if (!value) return;
  bool fine = check_lengths(call, array, &lengths, part.dims[0]);
  int64_t size = dvp_product(part.dims, 1, part.rank), start = 0;
  for (int64_t i = 0; fine && i < lengths.count; i++) {
    part.dims[0] = ((const int64_t *)lengths.data)[i];
    fine = dvl_array_write(call, array, i, dvl_item_part(call, value, start * size, part.dims, part.rank));
    start += part.dims[0];
  }
  TF_DeleteTensor(value);
  if (fine) pass_on(call, 3, 0);
}
DVP_DEFINE_ANY(array_split, NULL, NULL, split_compute);
