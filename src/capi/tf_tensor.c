// The TF_Tensor entry points over tensor/tensor.h. Where stock TensorFlow ends the process (bad shapes,
// dimension numbers out of range, no deallocator), these log one line and answer NULL or -1.
#include "tensorflow/c/tf_tensor.h"

#include "base/handles.h"
#include "base/log.h"
#include "tensor/loan.h"
#include "tensor/tensor_proto.h"
#include "tensorflow/c/c_api.h"

size_t TF_DataTypeSize(TF_DataType dt) { return dvt_dtype_size((int)dt); }

size_t TF_TensorDefaultAlignment(void) { return DVT_TENSOR_ALIGNMENT; }

DVT_COLD static void log_and_free(const char *function, dvt_status status) {
  dvt_log(DVT_ERROR, "%s: %s", function, dvt_status_message(status));
  dvt_status_free(status);
}

// Takes over the reference to `buffer` (NULL: out of memory).
static TF_Tensor *handle_over(const char *function, TF_DataType dtype, const int64_t *dims, int num_dims,
                              dvt_buffer *buffer) {
  TF_Tensor *tensor = buffer ? dvt_tensor_handle_new() : NULL;
  if (DVT_UNLIKELY(!tensor)) {
    dvt_log(DVT_ERROR, "%s: out of memory", function);
    dvt_buffer_release(buffer);
    return NULL;
  }
  dvt_status status = dvt_tensor_init_with_buffer(tensor, (int)dtype, dims, num_dims, buffer);
  if (DVT_LIKELY(!status)) return tensor;
  log_and_free(function, status);
  dvt_tensor_handle_delete(tensor);
  return NULL;
}

// Bytes that `count` elements take: what TF_DataTypeSize counts, and what the runtime itself needs. False on
// overflow.
static bool needed_bytes(TF_DataType dtype, int64_t count, size_t *out_checked, size_t *out_stored) {
  return dvt_size_mul((size_t)count, dvt_dtype_size((int)dtype), out_checked) &&
         dvt_size_mul((size_t)count, dvt_dtype_stride((int)dtype), out_stored);
}

TF_Tensor *TF_AllocateTensor(TF_DataType dtype, const int64_t *dims, int num_dims, size_t len) {
  int64_t count;
  size_t checked, stored;
  dvt_status status = dvt_shape_count(dims, num_dims, &count);
  if (DVT_UNLIKELY(status != NULL)) {
    log_and_free("TF_AllocateTensor", status);
    return NULL;
  }
  if (!needed_bytes(dtype, count, &checked, &stored) || len < checked) return NULL;
  // A string tensor with a length too short for its elements is legal; its elements get their room all the
  // same.
  dvt_buffer *buffer = dvt_buffer_allocate(DVT_MAX(len, stored), (int)dtype);
  if (DVT_LIKELY(buffer != NULL)) buffer->bytes = len;
  return handle_over("TF_AllocateTensor", dtype, dims, num_dims, buffer);
}

static void report_no_deallocator(void *data, size_t len, void *arg) {
  (void)arg;
  dvt_log(
      DVT_ERROR,
      "TF_NewTensor was given no deallocator for the %zu bytes at %p; nothing was called at their release",
      len, data);
}

// Runs `deallocator` on every path that does not keep the data.
static TF_Tensor *adopt(TF_DataType dtype, const int64_t *dims, int num_dims, void *data, size_t len,
                        dvt_deallocator deallocator, void *arg) {
  bool is_aligned = (uintptr_t)data % DVT_TENSOR_ALIGNMENT == 0;
  dvt_buffer *buffer;
  if (is_aligned || dvt_dtype_size((int)dtype) == 0) {
    buffer = dvt_buffer_adopt(data, len, deallocator, arg);
  } else {
    buffer = dvt_buffer_allocate(len, (int)dtype);
    if (buffer && len) memcpy(buffer->data, data, len);
    deallocator(data, len, arg);
  }
  return handle_over("TF_NewTensor", dtype, dims, num_dims, buffer);
}

TF_Tensor *TF_NewTensor(TF_DataType dtype, const int64_t *dims, int num_dims, void *data, size_t len,
                        void (*deallocator)(void *data, size_t len, void *arg), void *deallocator_arg) {
  int64_t count;
  size_t checked, stored;
  if (DVT_UNLIKELY(!deallocator)) deallocator = report_no_deallocator;
  dvt_status status = dvt_shape_count(dims, num_dims, &count);
  if (DVT_UNLIKELY(status != NULL)) {
    log_and_free("TF_NewTensor", status);
  } else if (DVT_LIKELY(needed_bytes(dtype, count, &checked, &stored) && len >= checked && (data || !len))) {
    return adopt(dtype, dims, num_dims, data, len, deallocator, deallocator_arg);
  }
  deallocator(data, len, deallocator_arg);
  return NULL;
}

// In debug mode: is it no tensor, or was it deleted? Asked before anything is read of it. (As a function of
// its own, gcc takes whoever asks for cold.)
#define IS_BAD(tensor) dvt_handle_is_bad(tensor, DVT_HANDLE_TENSOR, __func__)

TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor) {
  if (!tensor || IS_BAD(tensor) || !tensor->buffer || dvt_tensor_is_lent(tensor)) return NULL;
  return tensor->buffer->owned && dvt_buffer_is_unique(tensor->buffer) ? tensor : NULL;
}

void TF_DeleteTensor(TF_Tensor *tensor) { dvt_tensor_handle_delete(tensor); }

TF_DataType TF_TensorType(const TF_Tensor *tensor) {
  return IS_BAD(tensor) ? (TF_DataType)0 : (TF_DataType)tensor->dtype;
}

void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims) {
  if (IS_BAD(tensor)) return;
  dvt_status status = dvt_tensor_handle_own(tensor);
  if (!status) status = dvt_tensor_set_shape(tensor, dims, num_dims);
  if (status) log_and_free("TF_SetShape (the shape stays as it was)", status);
}

int TF_NumDims(const TF_Tensor *tensor) { return IS_BAD(tensor) ? 0 : tensor->rank; }

int64_t TF_Dim(const TF_Tensor *tensor, int dim_index) {
  if (IS_BAD(tensor)) return -1;
  if (DVT_LIKELY(dim_index >= 0 && dim_index < tensor->rank)) return dvt_tensor_dims(tensor)[dim_index];
  dvt_log(DVT_ERROR, "TF_Dim: dimension %d was asked of a tensor of rank %d", dim_index, tensor->rank);
  return -1;
}

size_t TF_TensorByteSize(const TF_Tensor *tensor) {
  return IS_BAD(tensor) || !tensor->buffer ? 0 : tensor->buffer->bytes;
}

void *TF_TensorData(const TF_Tensor *tensor) { return IS_BAD(tensor) ? NULL : tensor->data; }

int64_t TF_TensorElementCount(const TF_Tensor *tensor) {
  return IS_BAD(tensor) ? 0 : dvt_tensor_count(tensor);
}

// Strings need no more than the alignment of a TF_TString, which they have wherever they lie.
bool TF_TensorIsAligned(const TF_Tensor *tensor) {
  if (IS_BAD(tensor)) return false;
  return (uintptr_t)tensor->data % DVT_TENSOR_ALIGNMENT == 0 || tensor->dtype == TF_STRING ||
         TF_TensorElementCount(tensor) == 0;
}

// Moves `value` into the handle in place of what it held; the two may have shared a buffer.
static dvt_status replace(TF_Tensor *to, TF_Tensor *value) {
  dvt_status status = dvt_tensor_handle_own(to);
  dvt_tensor_reset(status ? value : to);
  if (!status) dvt_tensor_move(to, value);
  return status;
}

static dvt_status bitcast(const TF_Tensor *from, TF_DataType type, const int64_t *dims, int num_dims,
                          TF_Tensor *to) {
  int64_t count;
  DVT_RETURN_IF_ERROR(dvt_shape_count(dims, num_dims, &count));
  size_t from_size = dvt_dtype_size(from->dtype), to_size = dvt_dtype_size((int)type), from_bytes, to_bytes;
  if (!from_size || !to_size)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "a tensor of dtype %s cannot be bitcast to %s: only fixed-size dtypes can",
                     dvt_dtype_name(from->dtype), dvt_dtype_name((int)type));
  if (!dvt_size_mul((size_t)dvt_tensor_count(from), from_size, &from_bytes) ||
      !dvt_size_mul((size_t)count, to_size, &to_bytes) || from_bytes != to_bytes) {
    dvt_buf text = {0};
    dvt_tensor_describe(from, 0, &text);
    dvt_buf_append_str(&text, DVT_STR(" to "));
    dvt_buf_printf(&text, "%s", dvt_dtype_name((int)type));
    dvt_shape_describe(dims, num_dims, &text);
    dvt_status error =
        dvt_error(TF_INVALID_ARGUMENT, "bitcast from %s: the shapes and data type sizes are not compatible",
                  text.data ? text.data : "");
    dvt_buf_deinit(&text);
    return error;
  }
  TF_Tensor value = {0};
  DVT_RETURN_IF_ERROR(
      dvt_tensor_init_with_buffer(&value, (int)type, dims, num_dims, dvt_buffer_retain(from->buffer)));
  return replace(to, &value);
}

void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to, const int64_t *new_dims,
                          int num_new_dims, TF_Status *status) {
  if (!from || !to || IS_BAD(from) || IS_BAD(to) || !from->buffer) {
    dvt_status_to_tf(
        dvt_error(TF_INVALID_ARGUMENT, "TF_TensorBitcastFrom needs two tensors, got NULL or no value"),
        status);
    return;
  }
  dvt_status_to_tf(bitcast(from, type, new_dims, num_new_dims, to), status);
}

void TF_TensorFromProto(const TF_Buffer *from, TF_Tensor *to, TF_Status *status) {
  if (!from || !to || IS_BAD(to)) {
    dvt_status_to_tf(
        dvt_error(TF_INVALID_ARGUMENT, "TF_TensorFromProto needs a buffer and a tensor, got NULL"), status);
    return;
  }
  TF_Tensor value = {0};
  dvt_status error = dvt_tensor_from_proto(dvt_str_make((const char *)from->data, from->length), &value);
  if (!error) error = replace(to, &value);
  dvt_status_to_tf(error, status);
}
