// TF_Tensor values and handles. A value owns one reference to its buffer and, above rank 8, its list of
// dimensions.
#include "tensor/tensor.h"

#include "base/handles.h"
#include "base/thread_cache.h"
#include "tensor/loan.h"
#include "tensor/object.h"
#include "tensorflow/c/tf_tstring.h"

static void drop_dims(TF_Tensor *t) {
  if (DVT_UNLIKELY(t->rank > DVT_INLINE_RANK)) dvt_free(t->shape.heap_dims);
  t->rank = 0;
}

static dvt_status DVT_COLD store_many_dims(TF_Tensor *t, int dtype, const int64_t *dims, int rank) {
  size_t bytes = (size_t)rank * sizeof *dims;
  int64_t *to = dvt_malloc(bytes);
  if (!to) return dvt_error_out_of_memory(bytes);
  memcpy(to, dims, bytes);
  t->shape.heap_dims = to;
  dvt_tensor_set_kind(t, dvt_tensor_kind_word(dtype, rank));
  return NULL;
}

// Stores dtype and dims of a tensor that has no dims on the heap. `dims` were checked by the caller.
static inline dvt_status store_shape(TF_Tensor *t, int dtype, const int64_t *dims, int rank) {
  if (DVT_UNLIKELY(rank > DVT_INLINE_RANK)) return store_many_dims(t, dtype, dims, rank);
  for (int i = 0; i < rank; i++) {
    t->shape.inline_dims[i] = dims[i];
    DVT_FEW_TURNS();
  }
  dvt_tensor_set_kind(t, dvt_tensor_kind_word(dtype, rank));
  return NULL;
}

dvt_status dvt_tensor_init_with_buffer(TF_Tensor *out, int dtype, const int64_t *dims, int rank,
                                       dvt_buffer *buffer) {
  dvt_status status = store_shape(out, dtype, dims, rank);
  if (DVT_UNLIKELY(status != NULL)) {
    dvt_buffer_release(buffer);
    return status;
  }
  out->buffer = buffer;
  out->data = buffer->data;
  return NULL;
}

dvt_status dvt_tensor_init_in_slot(TF_Tensor *out, int dtype, const int64_t *dims, int rank, dvt_slot *slot) {
  size_t bytes;
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(dtype, dims, rank, &bytes));
  dvt_buffer *buffer =
      slot && dvt_dtype_size(dtype) ? dvt_slot_acquire(slot, bytes) : dvt_buffer_allocate(bytes, dtype);
  if (DVT_UNLIKELY(!buffer)) return dvt_error_out_of_memory(bytes);
  return dvt_tensor_init_with_buffer(out, dtype, dims, rank, buffer);
}

dvt_status dvt_tensor_init_allocate(TF_Tensor *out, int dtype, const int64_t *dims, int rank) {
  return dvt_tensor_init_in_slot(out, dtype, dims, rank, NULL);
}

dvt_status dvt_tensor_init_lasting(TF_Tensor *out, int dtype, const int64_t *dims, int rank) {
  size_t bytes;
  if (!dvt_dtype_size(dtype)) return dvt_tensor_init_allocate(out, dtype, dims, rank);
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(dtype, dims, rank, &bytes));
  dvt_buffer *buffer = dvt_buffer_allocate_lasting(bytes);
  if (!buffer) return dvt_error_out_of_memory(bytes);
  return dvt_tensor_init_with_buffer(out, dtype, dims, rank, buffer);
}

dvt_status dvt_tensor_init_copy(TF_Tensor *out, const TF_Tensor *src) {
  DVT_RETURN_IF_ERROR(store_shape(out, src->dtype, dvt_tensor_dims(src), src->rank));
  out->buffer = src->buffer ? dvt_buffer_retain(src->buffer) : NULL;
  out->data = src->data;
  return NULL;
}

void dvt_tensor_move(TF_Tensor *out, TF_Tensor *src) {
  *out = *src;
  *src = (TF_Tensor){0};
}

void dvt_tensor_reset(TF_Tensor *t) {
  dvt_buffer_release(t->buffer);
  drop_dims(t);
  t->buffer = NULL;
  t->data = NULL;
  t->dtype = 0;
}

dvt_status dvt_tensor_set_shape(TF_Tensor *t, const int64_t *dims, int rank) {
  int64_t count;
  DVT_RETURN_IF_ERROR(dvt_shape_count(dims, rank, &count));
  TF_Tensor shaped = {0};
  DVT_RETURN_IF_ERROR(store_shape(&shaped, t->dtype, dims, rank));
  drop_dims(t);
  t->shape = shaped.shape;
  t->rank = shaped.rank;
  return NULL;
}

dvt_status dvt_tensor_check_size(const TF_Tensor *t) {
  size_t bytes;
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(t->dtype, dvt_tensor_dims(t), t->rank, &bytes));
  size_t have = t->buffer ? t->buffer->bytes : 0;
  if (t->buffer && t->buffer->element_dtype) have = t->buffer->capacity;
  if (bytes <= have) return NULL;
  dvt_buf text = {0};
  dvt_tensor_describe(t, 0, &text);
  dvt_status error = dvt_error(TF_INVALID_ARGUMENT, "tensor %s needs %zu bytes but its buffer has %zu",
                               text.data ? text.data : "", bytes, have);
  dvt_buf_deinit(&text);
  return error;
}

// The block of a deleted handle goes back to the heap. In debug mode it is emptied and kept for a while.
static void DVT_COLD block_free(TF_Tensor *handle) {
  if (!dvt_debug_has(DVT_DEBUG_HANDLES)) {
    dvt_free(handle);
    return;
  }
  *handle = (TF_Tensor){0};
  dvt_handle_retire(handle);
}

static TF_Tensor *DVT_COLD block_new(void) {
  TF_Tensor *handle = dvt_malloc(sizeof *handle);
  dvt_handle_made(handle, DVT_HANDLE_TENSOR);
  return handle;
}

static bool DVT_COLD may_delete(const TF_Tensor *handle) {
  return dvt_handle_may_delete(handle, DVT_HANDLE_TENSOR, "TF_DeleteTensor");
}

static void handle_free(TF_Tensor *handle) {
  if (!dvt_cache_push(DVT_CACHE_TENSOR, handle)) block_free(handle);
}

TF_Tensor *dvt_tensor_handle_new(void) {
  TF_Tensor *handle = dvt_cache_pop(DVT_CACHE_TENSOR);
  if (!handle) handle = block_new();
  if (!handle) return NULL;
  handle->buffer = NULL;
  handle->data = NULL;
  handle->dtype = 0;
  handle->rank = 0;
  atomic_init(&handle->lender, NULL);
  return handle;
}

TF_Tensor *dvt_tensor_handle_copy(const TF_Tensor *src) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return NULL;
  dvt_status status = dvt_tensor_init_copy(handle, src);
  if (!status) return handle;
  dvt_status_free(status);
  dvt_tensor_handle_delete(handle);
  return NULL;
}

void dvt_tensor_handle_delete(TF_Tensor *handle) {
  if (!handle || (dvt_cache_is_absent() && !may_delete(handle))) return;
  // Acquires what a lender on another thread did when it settled.
  struct dvt_lender *lender = atomic_load_explicit(&handle->lender, memory_order_acquire);
  if (!lender) {
    dvt_buffer_release(handle->buffer);
  } else if (!dvt_loan_end(handle, lender)) {
    return;
  }
  drop_dims(handle);
  handle_free(handle);
}

static dvt_status copy_strings(const TF_TString *from, TF_TString *to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    size_t len = TF_TString_GetSize(&from[i]);
    TF_TString_Copy(&to[i], TF_TString_GetDataPointer(&from[i]), len);
    if (TF_TString_GetSize(&to[i]) != len) return dvt_error_out_of_memory(len);
  }
  return NULL;
}

static dvt_status copy_elements(const TF_Tensor *src, TF_Tensor *out) {
  int64_t count = dvt_tensor_count(src);
  if (src->dtype == TF_STRING) return copy_strings(src->data, out->data, count);
  if (src->dtype == TF_RESOURCE || src->dtype == TF_VARIANT) {
    if (count > 0 && !dvt_tensor_holds_objects(src))
      return dvt_error(TF_INVALID_ARGUMENT,
                       "a %s tensor in memory that is not the runtime's holds no objects to copy",
                       dvt_dtype_name(src->dtype));
    dvt_object *const *from = src->data;
    dvt_object **to = out->data;
    for (int64_t i = 0; i < count; i++) to[i] = dvt_object_retain(from[i]);
  } else if (count > 0) {
    memcpy(out->data, src->data, (size_t)count * dvt_dtype_size(src->dtype));
  }
  return NULL;
}

dvt_status dvt_tensor_clone(const TF_Tensor *src, TF_Tensor *out) {
  TF_Tensor copy = {0};
  DVT_RETURN_IF_ERROR(dvt_tensor_check_size(src));
  DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(&copy, src->dtype, dvt_tensor_dims(src), src->rank));
  dvt_status status = copy_elements(src, &copy);
  if (status) {
    dvt_tensor_reset(&copy);
    return status;
  }
  dvt_tensor_move(out, &copy);
  return NULL;
}
