// Tensors: an element type, a shape and a reference-counted block of memory.
// A TF_Tensor is a handle; several handles can share one block. Elements lie in row-major order without
// padding. TF_TensorFromProto is declared in c_api.h, as in stock TensorFlow.
#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Wishes for the memory of a temporary tensor, see TF_AllocateTemp.
typedef struct TF_AllocatorAttributes {
  size_t struct_size;  // TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE
  TF_Bool on_host;     // 1: host memory, also for a kernel of another device
} TF_AllocatorAttributes;

#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

typedef struct TF_Tensor TF_Tensor;

// A tensor over memory of the caller, adopted where it lies when it is 64-byte aligned or the type is
// string or resource, and else copied.
// Owner: takes `data` in every case: `deallocator` is called once, at the last release, at once after
//   a copy, or before NULL is returned; NULL as deallocator leaves the memory alone. The caller
//   deletes the tensor.
// Errors: NULL when `len` is too small for the shape, a dimension is negative, the rank exceeds 254 or
//   a size overflows.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_NewTensor(TF_DataType dtype, const int64_t *dims, int num_dims, void *data,
                                       size_t len, void (*deallocator)(void *data, size_t len, void *arg),
                                       void *deallocator_arg);

// Alignment in bytes of all tensor data that the runtime allocates: 64.
// Threads: any.
// Since: 2.17
TF_CAPI_EXPORT size_t TF_TensorDefaultAlignment(void);

// A tensor with `len` bytes of new aligned memory; string elements start as empty strings, other
// content is undefined.
// Owner: the caller deletes it with TF_DeleteTensor.
// Errors: NULL when `len` is too small for the shape, a dimension is negative, the rank exceeds 254, a
//   size overflows or memory is out.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_AllocateTensor(TF_DataType dtype, const int64_t *dims, int num_dims, size_t len);

// The tensor itself when its memory belongs to the runtime and nobody else refers to it, else NULL.
// Owner: a tensor that is returned is the same handle, not a new one.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor);

// Releases the handle, and the memory with its last handle.
// Owner: takes `tensor`; NULL is accepted.
// Threads: handles that share memory may be deleted from different threads.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteTensor(TF_Tensor *tensor);

// The element type.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_TensorType(const TF_Tensor *tensor);

// Replaces the shape without looking at the memory behind it.
// Errors: a negative dimension or a rank above 254 is logged and ignored.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims);

// The rank; 0 for a scalar.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT int TF_NumDims(const TF_Tensor *tensor);

// Size of dimension `dim_index`.
// Threads: any number of readers.
// Errors: -1 and a log line when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_Dim(const TF_Tensor *tensor, int dim_index);

// Bytes of the memory behind the tensor, which may be more than its shape needs.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT size_t TF_TensorByteSize(const TF_Tensor *tensor);

// The elements; not NULL for a tensor without elements either.
// Owner: the tensor keeps the memory, valid until its last handle goes.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT void *TF_TensorData(const TF_Tensor *tensor);

// Product of the dimensions; 1 for a scalar.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_TensorElementCount(const TF_Tensor *tensor);

// Makes `to` share the memory of `from` under another type and shape of the same size in bytes; both
// may be the same tensor.
// Errors: INVALID_ARGUMENT when the sizes differ, a dimension is negative or the type has no fixed
//   size.
// Since: 2.15
TF_CAPI_EXPORT void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to,
                                         const int64_t *new_dims, int num_new_dims, TF_Status *status);

// Whether the data is aligned to TF_TensorDefaultAlignment, as it is for every tensor the runtime
// made.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT bool TF_TensorIsAligned(const TF_Tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
