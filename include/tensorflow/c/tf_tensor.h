/* Tensors: an element type, a shape and a reference-counted block of memory.
 * A TF_Tensor is a handle; several handles can share one block. Elements lie in row-major order without padding.
 * TF_TensorFromProto is declared in c_api.h, as in stock TensorFlow. */
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

/* Wishes for the memory of a temporary tensor, see TF_AllocateTemp. */
typedef struct TF_AllocatorAttributes {
  size_t struct_size; /* TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE */
  TF_Bool on_host;    /* 1: host memory, also for a kernel of another device */
} TF_AllocatorAttributes;

#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

typedef struct TF_Tensor TF_Tensor;

TF_CAPI_EXPORT TF_Tensor* TF_NewTensor(TF_DataType dtype, const int64_t* dims, int num_dims, void* data,
    size_t len, void (*deallocator)(void* data, size_t len, void* arg), void* deallocator_arg);
TF_CAPI_EXPORT size_t TF_TensorDefaultAlignment(void);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims, int num_dims,
    size_t len);
TF_CAPI_EXPORT TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor);
TF_CAPI_EXPORT void TF_DeleteTensor(TF_Tensor* tensor);
TF_CAPI_EXPORT TF_DataType TF_TensorType(const TF_Tensor* tensor);
TF_CAPI_EXPORT void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims);
TF_CAPI_EXPORT int TF_NumDims(const TF_Tensor* tensor);
TF_CAPI_EXPORT int64_t TF_Dim(const TF_Tensor* tensor, int dim_index);
TF_CAPI_EXPORT size_t TF_TensorByteSize(const TF_Tensor* tensor);
TF_CAPI_EXPORT void* TF_TensorData(const TF_Tensor* tensor);
TF_CAPI_EXPORT int64_t TF_TensorElementCount(const TF_Tensor* tensor);
TF_CAPI_EXPORT void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to,
    const int64_t* new_dims, int num_new_dims, TF_Status* status);
TF_CAPI_EXPORT bool TF_TensorIsAligned(const TF_Tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif
