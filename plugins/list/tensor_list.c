// Lists as values of variant tensors: their life, and getting them in and out of kernels.
#include "list/tensor_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static dvl_list *allocate(TF_DataType dtype, const int64_t *dims, int rank, int64_t count) {
  size_t known = rank > 0 ? (size_t)rank : 0;
  dvl_list *list = calloc(1, sizeof(*list) + known * sizeof(*dims));
  if (!list) return NULL;
  list->dtype = dtype;
  list->max_count = -1;
  list->rank = rank;
  if (known) memcpy(list->dims, dims, known * sizeof(*dims));
  list->count = list->capacity = count;
  list->items = (uint64_t)count < SIZE_MAX / sizeof(*list->items)
                    ? calloc((size_t)count + 1, sizeof(*list->items))
                    : NULL;
  if (list->items) return list;
  free(list);
  return NULL;
}

dvl_list *dvl_list_new(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank, int64_t count) {
  dvl_list *list = allocate(dtype, dims, rank, count);
  if (!list) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a list of %" PRId64 " elements", count);
  return list;
}

void dvl_list_free(void *value) {
  dvl_list *list = value;
  if (!list) return;
  for (int64_t i = 0; i < list->count; i++) dvl_item_release(list->items[i]);
  free(list->items);
  free(list);
}

void dvl_list_shape(const dvl_list *list, dvl_shape *out) {
  out->rank = list->rank;
  if (list->rank > 0) memcpy(out->dims, list->dims, (size_t)list->rank * sizeof(*list->dims));
}

bool dvl_list_shape_input(dvp_call *call, const dvl_list *list, int index, dvl_shape *out) {
  char asked[DVP_SHAPE_TEXT], own[DVP_SHAPE_TEXT];
  if (!dvl_shape_input(call, index, out)) return false;
  if (dvl_shape_merge(out, list->dims, list->rank)) return true;
  dvl_shape shape;
  dvl_list_shape(list, &shape);
  return dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible element shapes: asked for was %s, the list has %s",
                  dvl_shape_text(out, asked), dvl_shape_text(&shape, own));
}

// Places from `count` on are NULL. New memory comes zeroed, so that a list of a size that only a damaged
// graph asks for takes no memory before it is used.
static bool reserve(dvp_call *call, dvl_list *list, int64_t count) {
  if (count <= list->capacity) return true;
  int64_t capacity = DVP_MAX(count, 2 * list->capacity);
  dvl_item **items =
      (uint64_t)capacity < SIZE_MAX / sizeof(*items) ? calloc((size_t)capacity, sizeof(*items)) : NULL;
  if (!items)
    return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a list of %" PRId64 " elements", count);
  memcpy(items, list->items, (size_t)list->count * sizeof(*items));
  free(list->items);
  list->items = items;
  list->capacity = capacity;
  return true;
}

void dvl_list_put(dvl_list *list, int64_t i, dvl_item *item) {
  dvl_item_release(list->items[i]);
  list->items[i] = item;
}

bool dvl_list_resize(dvp_call *call, dvl_list *list, int64_t count) {
  if (!reserve(call, list, count)) return false;
  for (int64_t i = count; i < list->count; i++) dvl_list_put(list, i, NULL);
  list->count = count;
  return true;
}

bool dvl_list_push(dvp_call *call, dvl_list *list, dvl_item *item) {
  if (item && reserve(call, list, list->count + 1)) {
    list->items[list->count++] = item;
    return true;
  }
  dvl_item_release(item);
  return false;
}

static dvl_list *copy_of(const dvl_list *list) {
  dvl_list *copy = allocate(list->dtype, list->dims, list->rank, list->count);
  if (!copy) return NULL;
  copy->max_count = list->max_count;
  for (int64_t i = 0; i < list->count; i++) copy->items[i] = dvl_item_share(list->items[i]);
  return copy;
}

// ---- zeros and sums ----

// An element that is not set counts as zero, and stays so.
static dvl_item *map_items(dvp_call *call, dvl_item *a, dvl_item *b, dvt_tensor_fn fn, void *arg) {
  if (!a) return dvl_item_share(b);
  TF_Tensor *tensor = fn(call->ctx, arg, dvl_item_tensor(a), b ? dvl_item_tensor(b) : NULL, call->status);
  return tensor ? dvl_item_new(call, tensor) : NULL;
}

static bool agree(dvp_call *call, const dvl_list *a, const dvl_list *b, dvl_shape *shape) {
  dvl_list_shape(a, shape);
  if (!b) return true;
  if (a->dtype == b->dtype && a->count == b->count && dvl_shape_merge(shape, b->dims, b->rank)) return true;
  return dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Lists that are added must agree: dtypes %d and %d, lengths %" PRId64 " and %" PRId64
                  ", compatible element shapes",
                  (int)a->dtype, (int)b->dtype, a->count, b->count);
}

static void *map_tensors(TF_OpKernelContext *ctx, const void *left, const void *right, dvt_tensor_fn fn,
                         void *arg, TF_Status *status) {
  const dvl_list *a = left, *b = right;
  dvp_call call = {ctx, status};
  dvl_shape shape;
  if (!agree(&call, a, b, &shape)) return NULL;
  dvl_list *list = dvl_list_new(&call, a->dtype, shape.dims, shape.rank, a->count);
  for (int64_t i = 0; list && i < a->count; i++) {
    bool alone = b && !b->items[i];
    list->items[i] =
        alone ? dvl_item_share(a->items[i]) : map_items(&call, a->items[i], b ? b->items[i] : NULL, fn, arg);
    if (TF_GetCode(status) == TF_OK) continue;
    dvl_list_free(list);
    return NULL;
  }
  return list;
}

static void *zeros_like(TF_OpKernelContext *ctx, const void *list, TF_Status *status) {
  return map_tensors(ctx, list, NULL, dvl_zeros_fn, NULL, status);
}
static void *add(TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *status) {
  return map_tensors(ctx, a, b, dvl_add_fn, NULL, status);
}

const dvt_value_type dvl_list_type = {
    sizeof(dvt_value_type), "tensorflow::TensorList", dvl_list_free, zeros_like, add, map_tensors};

// ---- in and out of kernels ----

const dvl_list *dvl_list_input(dvp_call *call, int index) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(call->ctx, index, &tensor, call->status);
  if (!dvp_ok(call)) return NULL;
  const dvl_list *list = NULL;
  int rank = TF_NumDims(tensor);
  if (rank == 0) list = dvt_object_get(tensor, 0, &dvl_list_type, call->status);
  TF_DeleteTensor(tensor);  // the executor holds the input
  if (rank == 0) return dvp_ok(call) ? list : NULL;
  dvp_fail(call, TF_INVALID_ARGUMENT, "Input list must be a scalar, but has rank %d", rank);
  return NULL;
}

const dvl_list *dvl_list_input_of(dvp_call *call, int index, TF_DataType dtype) {
  const dvl_list *list = dvl_list_input(call, index);
  if (!list || list->dtype == dtype) return list;
  dvp_fail(call, TF_INVALID_ARGUMENT, "Invalid data types; op elements have dtype %d but list elements %d",
           (int)dtype, (int)list->dtype);
  return NULL;
}

dvl_list *dvl_list_editable(dvp_call *call, TF_Tensor *to, int64_t i, const TF_Tensor *from) {
  bool is_same = !from || TF_TensorData(to) == TF_TensorData(from);
  dvl_list *list = dvt_object_get(is_same ? to : from, i, &dvl_list_type, call->status);
  if (!dvp_ok(call)) return NULL;
  if (is_same && !dvt_object_is_shared(to, i)) return list;
  dvl_list *copy = copy_of(list);
  if (!copy) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a copy of a list");
    return NULL;
  }
  dvt_object_set(to, i, &dvl_list_type, copy, call->status);
  return dvp_ok(call) ? copy : NULL;
}

dvl_list *dvl_list_output_over(dvp_call *call, int input, int output) {
  int forwarded = -1;
  TF_Tensor *from = NULL, *to = TF_ForwardInputOrAllocateOutput(call->ctx, &input, 1, output, NULL, 0,
                                                                &forwarded, call->status);
  if (!dvp_ok(call)) return NULL;
  if (forwarded < 0) TF_GetInput(call->ctx, input, &from, call->status);
  dvl_list *list = dvp_ok(call) ? dvl_list_editable(call, to, 0, from) : NULL;
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);  // the context keeps the output
  return list;
}

bool dvl_list_output(dvp_call *call, int index, dvl_list *list) {
  TF_Tensor *to = TF_AllocateOutput(call->ctx, index, TF_VARIANT, NULL, 0, 0, call->status);
  if (!to) {
    dvl_list_free(list);
    return dvp_ok(call) ? dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a list") : false;
  }
  dvt_object_set(to, 0, &dvl_list_type, list, call->status);
  TF_DeleteTensor(to);
  return dvp_ok(call);
}
