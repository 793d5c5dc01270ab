// A block of bytes with the function that frees it: how serialized protos cross the ABI.
#ifndef TENSORFLOW_C_TF_BUFFER_H_
#define TENSORFLOW_C_TF_BUFFER_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Buffer {
  const void *data;
  size_t length;  // bytes
  // Called with (data, length) by TF_DeleteBuffer when not NULL, even when data is NULL.
  void (*data_deallocator)(void *data, size_t length);
} TF_Buffer;

// A buffer with a copy of `proto_len` bytes.
// Owner: the caller releases it with TF_DeleteBuffer.
// Errors: NULL when memory is out.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len);

// An empty buffer: all three fields zero.
// Owner: the caller releases it with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_NewBuffer(void);

// Calls the buffer's deallocator, if it has one, and releases the buffer.
// Owner: takes `buffer`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteBuffer(TF_Buffer *buffer);

// The struct by value; it points to the same bytes.
// Owner: `buffer` keeps the bytes.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer TF_GetBuffer(TF_Buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
