// Exported functions on TF_TString, the element type of TF_STRING tensors.
// Each does what the inline helper of tsl/platform/ctstring_internal.h with the matching name does; code that
// is compiled against the headers can use either.
#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/platform/ctstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes an empty string out of 24 bytes of any content.
// Since: 2.15
TF_CAPI_EXPORT void TF_StringInit(TF_TString *str);

// Copies `size` bytes into the string; what it held before is freed.
// Owner: copies `src`.
// Since: 2.15
TF_CAPI_EXPORT void TF_StringCopy(TF_TString *dst, const char *src, size_t size);

// Points the string at `size` bytes of the caller; what it held before is freed.
// Owner: the caller keeps `src` alive as long as the string.
// Since: 2.15
TF_CAPI_EXPORT void TF_StringAssignView(TF_TString *dst, const char *src, size_t size);

// The characters; a NUL follows unless the string is a view.
// Owner: the string keeps them, valid until it changes.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_StringGetDataPointer(const TF_TString *str);

// The form of the string.
// Since: 2.15
TF_CAPI_EXPORT TF_TString_Type TF_StringGetType(const TF_TString *str);

// Number of bytes.
// Since: 2.15
TF_CAPI_EXPORT size_t TF_StringGetSize(const TF_TString *str);

// Bytes that fit without new memory; 0 for a view.
// Since: 2.15
TF_CAPI_EXPORT size_t TF_StringGetCapacity(const TF_TString *str);

// Frees what the string owns and leaves the 24 bytes themselves to the caller.
// Since: 2.15
TF_CAPI_EXPORT void TF_StringDealloc(TF_TString *str);

#ifdef __cplusplus
}
#endif

#endif
