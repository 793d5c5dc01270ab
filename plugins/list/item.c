// Ops on single elements of lists, and on lists as a whole: reading, setting, pushing, popping, length.
#include <inttypes.h>
#include <stdlib.h>

#include "common/plugin.h"
#include "list/tensor_list.h"

typedef struct item_state {
  TF_DataType dtype;
  bool resize;  // SetItem grows the list
} item_state;

static void *item_create(TF_OpKernelConstruction *ctx) {
  item_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->dtype = dvp_attr_type(ctx, "element_dtype");
  return state;
}
static void *set_item_create(TF_OpKernelConstruction *ctx) {
  item_state *state = item_create(ctx);
  if (state) state->resize = dvp_attr_bool(ctx, "resize_if_index_out_of_bounds");
  return state;
}
static void item_destroy(void *state) { free(state); }

// ---- reading ----

// What every element that is set has in common with `shape`.
static bool merge_items(dvp_call *call, const dvl_list *list, dvl_shape *shape) {
  dvl_shape other;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  for (int64_t i = 0; i < list->count; i++) {
    if (!list->items[i]) continue;
    dvl_shape_of(dvl_item_tensor(list->items[i]), &other);
    if (!dvl_shape_merge(shape, other.dims, other.rank))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Incompatible shapes in a list: element %" PRId64 " has %s, not %s", i,
                      dvl_shape_text(&other, a), dvl_shape_text(shape, b));
  }
  return true;
}

// Output `output` is the element, or zeros when it is not set; its shape is then in input `shape_input`, or,
// with `infer`, found from other elements.
static bool output_item(dvp_call *call, const dvl_list *list, int64_t i, int shape_input, bool infer,
                        int output) {
  if (list->items[i]) {
    TF_SetOutput(call->ctx, output, dvl_item_tensor(list->items[i]), call->status);
    return dvp_ok(call);
  }
  dvl_shape shape;
  char text[DVP_SHAPE_TEXT];
  if (!dvl_list_shape_input(call, list, shape_input, &shape)) return false;
  if (infer && !dvl_shape_is_full(&shape) && !merge_items(call, list, &shape)) return false;
  if (!dvl_shape_is_full(&shape))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Trying to read an uninitialized tensor but element_shape is not fully defined: %s",
                    dvl_shape_text(&shape, text));
  return dvl_output_zeros(call, output, shape.dims, shape.rank);
}

DVP_COMPUTE(get_item_compute) {
  const item_state *item = state;
  int64_t i;
  const dvl_list *list = dvl_list_input_of(call, 0, item->dtype);
  if (!list || !dvp_input_int(call, 1, "index", &i)) return;
  if (i < 0 || i >= list->count)
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Trying to access element %" PRId64 " in a list with %" PRId64 " elements.", i, list->count);
  else
    output_item(call, list, i, 2, true, 0);
}
DVP_DEFINE_ANY(get_item, item_create, item_destroy, get_item_compute);

DVP_COMPUTE(pop_back_compute) {
  const item_state *item = state;
  const dvl_list *list = dvl_list_input_of(call, 0, item->dtype);
  if (!list) return;
  if (list->count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Trying to pop from an empty list.");
    return;
  }
  if (!output_item(call, list, list->count - 1, 1, false, 1)) return;
  dvl_list *shorter = dvl_list_output_over(call, 0, 0);
  if (shorter) dvl_list_resize(call, shorter, shorter->count - 1);
}
DVP_DEFINE_ANY(pop_back, item_create, item_destroy, pop_back_compute);

DVP_COMPUTE(length_compute) {
  (void)state;
  const dvl_list *list = dvl_list_input(call, 0);
  int32_t *out = list ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) *out = (int32_t)DVP_MIN(list->count, INT32_MAX);
}
DVP_DEFINE_ANY(list_length, NULL, NULL, length_compute);

DVP_COMPUTE(element_shape_compute) {
  (void)state;
  const dvl_list *list = dvl_list_input(call, 0);
  if (!list) return;
  int64_t rank = list->rank, unknown = -1;
  void *out = dvp_output(call, 0, &rank, rank < 0 ? 0 : 1);
  bool is_64 = TF_ExpectedOutputDataType(call->ctx, 0) == TF_INT64;
  const int64_t *dims = rank < 0 ? &unknown : list->dims;
  for (int64_t i = 0; out && i < (rank < 0 ? 1 : rank); i++) {
    if (is_64)
      ((int64_t *)out)[i] = dims[i];
    else
      ((int32_t *)out)[i] = (int32_t)dims[i];
  }
}
DVP_DEFINE_ANY(element_shape, NULL, NULL, element_shape_compute);

// ---- changing ----

// Whether the value in input `index` can be an element of the list.
static bool check_value(dvp_call *call, const dvl_list *list, int index) {
  dvp_view value;
  if (!dvp_input(call, index, &value)) return false;
  if (value.dtype != list->dtype)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Invalid data types; list elements have dtype %d but the value %d", (int)list->dtype,
                    (int)value.dtype);
  dvl_shape shape;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvl_list_shape(list, &shape);
  return dvl_shape_fits(&shape, value.dims, value.rank) ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "A tensor of shape %s cannot be an element of a list with shape %s",
                  dvp_shape_text(value.dims, value.rank, a), dvl_shape_text(&shape, b));
}

DVP_COMPUTE(set_item_compute) {
  const item_state *item = state;
  int64_t i;
  const dvl_list *list = dvl_list_input_of(call, 0, item->dtype);
  if (!list || !dvp_input_int(call, 1, "index", &i)) return;
  if (i < 0 || (i >= list->count && !item->resize)) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Trying to modify element %" PRId64 " in a list with %" PRId64 " elements.", i, list->count);
    return;
  }
  if (!check_value(call, list, 2)) return;
  dvl_list *changed = dvl_list_output_over(call, 0, 0);
  if (!changed || (i >= changed->count && !dvl_list_resize(call, changed, i + 1))) return;
  dvl_item *value = dvl_item_input(call, 2);
  if (value) dvl_list_put(changed, i, value);
}
DVP_DEFINE_ANY(set_item, set_item_create, item_destroy, set_item_compute);

DVP_COMPUTE(push_back_compute) {
  const item_state *item = state;
  const dvl_list *list = dvl_list_input_of(call, 0, item->dtype);
  if (!list || !check_value(call, list, 1)) return;
  if (list->max_count != -1 && list->count >= list->max_count) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Tried to push item into a full list list size: %" PRId64 " max_num_elements: %" PRId64,
             list->count, list->max_count);
    return;
  }
  dvl_list *longer = dvl_list_output_over(call, 0, 0);
  if (longer) dvl_list_push(call, longer, dvl_item_input(call, 1));
}
DVP_DEFINE_ANY(push_back, item_create, item_destroy, push_back_compute);

DVP_COMPUTE(resize_compute) {
  (void)state;
  int64_t count;
  if (!dvl_list_input(call, 0) || !dvp_input_int(call, 1, "size", &count)) return;
  if (count < 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "TensorListResize expects size to be non-negative. Got: %" PRId64,
             count);
    return;
  }
  dvl_list *list = dvl_list_output_over(call, 0, 0);
  if (list) dvl_list_resize(call, list, count);
}
DVP_DEFINE_ANY(list_resize, NULL, NULL, resize_compute);

// ---- tensors of lists ----

// Output 0 over input 0, which may be shared: *out_from is the input where it was not forwarded, else NULL.
static TF_Tensor *output_over(dvp_call *call, const dvl_shape *shape, TF_Tensor **out_from) {
  int forwarded = -1;
  TF_Tensor *to = TF_ForwardInputOrAllocateOutput(call->ctx, (int[]){0}, 1, 0, shape->dims, shape->rank,
                                                  &forwarded, call->status);
  *out_from = NULL;
  if (dvp_ok(call) && forwarded < 0) TF_GetInput(call->ctx, 0, out_from, call->status);
  return to;
}

// Element i of a tensor of lists of the op's dtype. NULL after a failure.
static const dvl_list *list_at(dvp_call *call, const TF_Tensor *lists, int64_t i, TF_DataType dtype) {
  const dvl_list *list = dvt_object_get(lists, i, &dvl_list_type, call->status);
  if (!dvp_ok(call)) return NULL;
  if (list->dtype == dtype) return list;
  dvp_fail(call, TF_INVALID_ARGUMENT, "List %" PRId64 " has elements of dtype %d; the op is for dtype %d", i,
           (int)list->dtype, (int)dtype);
  return NULL;
}

static bool check_batch(dvp_call *call, const TF_Tensor *lists, const dvl_shape *value, TF_DataType dtype) {
  dvl_shape row, shape;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  if (value->rank < 1 || TF_NumDims(lists) != 1 || TF_Dim(lists, 0) != value->dims[0])
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "A tensor of shape %s has no row for each list of a tensor of rank %d with %" PRId64
                    " lists",
                    dvl_shape_text(value, a), TF_NumDims(lists), TF_TensorElementCount(lists));
  dvl_shape_tail(value, &row);
  for (int64_t i = 0; i < value->dims[0]; i++) {
    const dvl_list *list = list_at(call, lists, i, dtype);
    if (!list) return false;
    dvl_list_shape(list, &shape);
    if (!dvl_shape_fits(&shape, row.dims, row.rank))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Tried to append a tensor of shape %s to list %" PRId64
                      ", whose elements have shape %s",
                      dvl_shape_text(&row, a), i, dvl_shape_text(&shape, b));
  }
  return true;
}

static void push_rows(dvp_call *call, TF_Tensor *to, const TF_Tensor *from, const TF_Tensor *value,
                      const dvl_shape *value_shape) {
  dvl_shape row;
  dvl_shape_tail(value_shape, &row);
  int64_t size = dvp_product(row.dims, 0, row.rank);
  for (int64_t i = 0; i < value_shape->dims[0]; i++) {
    dvl_list *list = dvl_list_editable(call, to, i, from);
    if (!list || !dvl_list_push(call, list, dvl_item_part(call, value, i * size, row.dims, row.rank))) return;
  }
}

DVP_COMPUTE(push_back_batch_compute) {
  const item_state *item = state;
  TF_Tensor *lists = NULL, *value = NULL, *to = NULL, *from = NULL;
  dvl_shape shape, value_shape;
  TF_GetInput(call->ctx, 0, &lists, call->status);
  if (dvp_ok(call)) TF_GetInput(call->ctx, 1, &value, call->status);
  bool fine = dvp_ok(call);
  if (fine) {
    dvl_shape_of(lists, &shape);
    dvl_shape_of(value, &value_shape);
    fine = check_batch(call, lists, &value_shape, item->dtype);
  }
  TF_DeleteTensor(lists);  // so that it can be forwarded
  if (fine) to = output_over(call, &shape, &from);
  if (to && dvp_ok(call)) push_rows(call, to, from, value, &value_shape);
  TF_DeleteTensor(to);
  TF_DeleteTensor(from);
  TF_DeleteTensor(value);
}
DVP_DEFINE_ANY(push_back_batch, item_create, item_destroy, push_back_batch_compute);

static bool check_pairs(dvp_call *call, const TF_Tensor *a, const TF_Tensor *b, TF_DataType dtype) {
  for (int64_t i = 0; i < TF_TensorElementCount(a); i++) {
    const dvl_list *left = list_at(call, a, i, dtype), *right = left ? list_at(call, b, i, dtype) : NULL;
    if (!right) return false;
    bool same = left->rank == right->rank;
    for (int k = 0; same && k < left->rank; k++) same = left->dims[k] == right->dims[k];
    if (!same)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "The element shapes of lists %" PRId64 " are not identical",
                      i);
  }
  return true;
}

static void append(dvp_call *call, dvl_list *list, const dvl_list *more) {
  int64_t count = list->count;
  if (!dvl_list_resize(call, list, count + more->count)) return;
  for (int64_t i = 0; i < more->count; i++) list->items[count + i] = dvl_item_share(more->items[i]);
}

DVP_COMPUTE(concat_lists_compute) {
  const item_state *item = state;
  TF_Tensor *a = NULL, *b = NULL, *to = NULL, *from = NULL;
  dvl_shape shape, other;
  TF_GetInput(call->ctx, 0, &a, call->status);
  if (dvp_ok(call)) TF_GetInput(call->ctx, 1, &b, call->status);
  bool fine = dvp_ok(call);
  if (fine) {
    dvl_shape_of(a, &shape);
    dvl_shape_of(b, &other);
    fine = (shape.rank == other.rank && dvl_shape_fits(&shape, other.dims, other.rank)) ||
           dvp_fail(call, TF_INVALID_ARGUMENT, "Tensors of lists that are concatenated must have one shape");
    fine = fine && check_pairs(call, a, b, item->dtype);
  }
  TF_DeleteTensor(a);
  if (fine) to = output_over(call, &shape, &from);
  for (int64_t i = 0; to && TF_GetCode(call->status) == TF_OK && i < TF_TensorElementCount(to); i++) {
    const dvl_list *more = list_at(call, b, i, item->dtype);
    dvl_list *list = more ? dvl_list_editable(call, to, i, from) : NULL;
    if (list) append(call, list, more);
  }
  TF_DeleteTensor(to);
  TF_DeleteTensor(from);
  TF_DeleteTensor(b);
}
DVP_DEFINE_ANY(concat_lists, item_create, item_destroy, concat_lists_compute);
