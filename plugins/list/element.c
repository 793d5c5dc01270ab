// Shared tensors, copies of elements of any dtype, outputs joined from pieces.
#include "list/element.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "dovetail/object.h"
#include "tensorflow/c/tf_tstring.h"

struct dvl_item {
  atomic_int refs;
  TF_Tensor *tensor;
};

static bool holds_objects(TF_DataType dtype) { return dtype == TF_VARIANT || dtype == TF_RESOURCE; }

// ---- items ----

dvl_item *dvl_item_new(dvp_call *call, TF_Tensor *tensor) {
  if (!tensor) return NULL;
  dvl_item *item = malloc(sizeof(*item));
  if (!item) {
    TF_DeleteTensor(tensor);
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for an element");
    return NULL;
  }
  atomic_init(&item->refs, 1);
  item->tensor = tensor;
  return item;
}

dvl_item *dvl_item_input(dvp_call *call, int index) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(call->ctx, index, &tensor, call->status);
  if (!dvp_ok(call)) return NULL;
  return dvl_item_new(call, tensor);
}

dvl_item *dvl_item_share(dvl_item *item) {
  if (item) atomic_fetch_add_explicit(&item->refs, 1, memory_order_relaxed);
  return item;
}

void dvl_item_release(dvl_item *item) {
  if (!item || atomic_fetch_sub_explicit(&item->refs, 1, memory_order_acq_rel) > 1) return;
  TF_DeleteTensor(item->tensor);
  free(item);
}

TF_Tensor *dvl_item_tensor(dvl_item *item) { return item->tensor; }

// ---- tensors ----

static TF_Tensor *new_tensor(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank) {
  int64_t count;
  if (!dvp_count(call, dims, rank, &count)) return NULL;
  TF_Tensor *tensor = TF_AllocateTemp(call->ctx, dtype, dims, rank, NULL, call->status);
  if (!tensor && TF_GetCode(call->status) == TF_OK)
    TF_SetStatus(call->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a tensor");
  return dvp_ok(call) ? tensor : NULL;
}

static TF_Tensor *new_output(dvp_call *call, int index, const int64_t *dims, int rank) {
  int64_t count;
  if (!dvp_count(call, dims, rank, &count)) return NULL;
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, index);
  TF_Tensor *tensor = TF_AllocateOutput(call->ctx, index, dtype, dims, rank, 0, call->status);
  if (!tensor && TF_GetCode(call->status) == TF_OK)
    TF_SetStatus(call->status, TF_RESOURCE_EXHAUSTED, "Out of memory for an output");
  return dvp_ok(call) ? tensor : NULL;
}

// New strings and objects are empty already.
static void clear(TF_Tensor *tensor, int64_t first, int64_t count) {
  size_t bytes = TF_DataTypeSize(TF_TensorType(tensor));
  if (bytes && count) memset((char *)TF_TensorData(tensor) + (size_t)first * bytes, 0, (size_t)count * bytes);
}

TF_Tensor *dvl_zeros(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank) {
  TF_Tensor *tensor = new_tensor(call, dtype, dims, rank);
  if (tensor) clear(tensor, 0, TF_TensorElementCount(tensor));
  return tensor;
}

bool dvl_output_zeros(dvp_call *call, int index, const int64_t *dims, int rank) {
  TF_Tensor *tensor = new_output(call, index, dims, rank);
  if (!tensor) return false;
  clear(tensor, 0, TF_TensorElementCount(tensor));
  TF_DeleteTensor(tensor);
  return true;
}

// Both tensors have one dtype and hold the elements; those of `to` are new.
static void copy(TF_Tensor *to, int64_t to_first, const TF_Tensor *from, int64_t from_first, int64_t count,
                 TF_Status *status) {
  TF_DataType dtype = TF_TensorType(to);
  if (holds_objects(dtype)) {
    for (int64_t i = 0; i < count && TF_GetCode(status) == TF_OK; i++)
      dvt_object_share(to, to_first + i, from, from_first + i, status);
  } else {
    dvp_copy_elements(dtype, TF_TensorData(from), from_first, TF_TensorData(to), to_first, count,
                      (int64_t)TF_DataTypeSize(dtype));
  }
}

dvl_item *dvl_item_part(dvp_call *call, const TF_Tensor *from, int64_t first, const int64_t *dims, int rank) {
  TF_Tensor *tensor = new_tensor(call, TF_TensorType(from), dims, rank);
  if (!tensor) return NULL;
  copy(tensor, 0, from, first, TF_TensorElementCount(tensor), call->status);
  if (dvp_ok(call)) return dvl_item_new(call, tensor);
  TF_DeleteTensor(tensor);
  return NULL;
}

// ---- joining ----

typedef struct joining {
  TF_Tensor *to;
  const dvl_piece *pieces;
  const int64_t *starts;
} joining;

static void join_range(void *arg, int64_t begin, int64_t end) {
  const joining *j = arg;
  for (int64_t i = begin; i < end; i++) {
    const dvl_piece *piece = &j->pieces[i];
    if (piece->tensor)
      copy(j->to, j->starts[i], piece->tensor, 0, piece->count, NULL);
    else
      clear(j->to, j->starts[i], piece->count);
  }
}

// One after the other: objects report errors, and are few.
static void join_objects(dvp_call *call, const joining *j, int64_t count) {
  for (int64_t i = 0; i < count && TF_GetCode(call->status) == TF_OK; i++)
    if (j->pieces[i].tensor)
      copy(j->to, j->starts[i], j->pieces[i].tensor, 0, j->pieces[i].count, call->status);
}

// Where each piece starts; the total is what `wanted` says.
static bool find_starts(dvp_call *call, const dvl_piece *pieces, int64_t piece_count, int64_t wanted,
                        int64_t *starts) {
  int64_t total = 0;
  for (int64_t i = 0; i < piece_count; i++) {
    starts[i] = total;
    if ((pieces[i].tensor && TF_TensorElementCount(pieces[i].tensor) != pieces[i].count) ||
        __builtin_add_overflow(total, pieces[i].count, &total))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Element %" PRId64 " does not hold %" PRId64 " values", i,
                      pieces[i].count);
  }
  return total == wanted || dvp_fail(call, TF_INVALID_ARGUMENT,
                                     "The elements hold %" PRId64 " values, not %" PRId64, total, wanted);
}

bool dvl_output_join(dvp_call *call, int index, const int64_t *dims, int rank, const dvl_piece *pieces,
                     int64_t piece_count) {
  int64_t wanted;
  if (!dvp_count(call, dims, rank, &wanted)) return false;
  int64_t *starts = calloc((size_t)piece_count + 1, sizeof(*starts));
  if (!starts)
    return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " offsets", piece_count);
  TF_Tensor *to = NULL;
  if (find_starts(call, pieces, piece_count, wanted, starts)) to = new_output(call, index, dims, rank);
  if (to) {
    joining j = {to, pieces, starts};
    // A picosecond is about 1/10 byte to a core.
    int64_t bytes = (int64_t)TF_TensorByteSize(to);
    if (holds_objects(TF_TensorType(to)))
      join_objects(call, &j, piece_count);
    else
      dvp_parallel(call, piece_count, 100 * bytes / DVP_MAX(piece_count, 1) + 1000, join_range, &j);
    TF_DeleteTensor(to);
  }
  free(starts);
  return to && dvp_ok(call);
}

// ---- sums and zeros, for AddN and ZerosLike of variants ----

static TF_Tensor *like(const TF_Tensor *x, TF_OpKernelContext *ctx, TF_Status *status) {
  int64_t dims[DVP_MAX_RANK];
  int rank = TF_NumDims(x);
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(x, i);
  return TF_AllocateTemp(ctx, TF_TensorType(x), dims, rank, NULL, status);
}

TF_Tensor *dvl_zeros_fn(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *x, const TF_Tensor *unused,
                        TF_Status *status) {
  (void)arg, (void)unused;
  TF_Tensor *z = like(x, ctx, status);
  if (!z) return NULL;
  if (TF_TensorType(x) != TF_VARIANT) clear(z, 0, TF_TensorElementCount(z));
  for (int64_t i = 0; TF_TensorType(x) == TF_VARIANT && i < TF_TensorElementCount(x); i++)
    if (TF_GetCode(status) == TF_OK) dvt_object_zeros_like(ctx, z, i, x, i, status);
  if (TF_GetCode(status) == TF_OK) return z;
  TF_DeleteTensor(z);
  return NULL;
}

#define ADD_CASE(t, unused)                                                                         \
  case DVP_TYPE_##t: {                                                                              \
    dvp_##t *to = TF_TensorData(z);                                                                 \
    const dvp_##t *a = TF_TensorData(x), *b = TF_TensorData(y);                                     \
    for (int64_t i = 0; i < n; i++) to[i] = DVP_STORE_##t(DVP_LOAD_##t(a[i]) + DVP_LOAD_##t(b[i])); \
    return;                                                                                         \
  }
static void add_elements(TF_OpKernelContext *ctx, const TF_Tensor *x, const TF_Tensor *y, TF_Tensor *z,
                         TF_Status *status) {
  int64_t n = TF_TensorElementCount(x);
  switch (TF_TensorType(x)) {
    DVP_NUMBERS(ADD_CASE, )
    case TF_VARIANT:
      for (int64_t i = 0; i < n && TF_GetCode(status) == TF_OK; i++)
        dvt_object_add(ctx, z, i, x, i, y, i, status);
      return;
    default:
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "elements of this dtype have no sum");
  }
}

TF_Tensor *dvl_add_fn(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *x, const TF_Tensor *y,
                      TF_Status *status) {
  (void)arg;
  dvl_shape shape;
  dvl_shape_of(y, &shape);
  bool same = TF_TensorType(x) == TF_TensorType(y) && TF_NumDims(x) == shape.rank;
  for (int i = 0; same && i < shape.rank; i++) same = TF_Dim(x, i) == shape.dims[i];
  if (!same) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "elements that are added must have one dtype and one shape");
    return NULL;
  }
  TF_Tensor *z = like(x, ctx, status);
  if (!z) return NULL;
  add_elements(ctx, x, y, z, status);
  if (TF_GetCode(status) == TF_OK) return z;
  TF_DeleteTensor(z);
  return NULL;
}
