/* Exported functions on TF_TString, the element type of TF_STRING tensors.
 * Each does what the inline helper of tsl/platform/ctstring_internal.h with the matching name does; code that is
 * compiled against the headers can use either. */
#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/platform/ctstring.h"

#ifdef __cplusplus
extern "C" {
#endif

TF_CAPI_EXPORT void TF_StringInit(TF_TString* str);
TF_CAPI_EXPORT void TF_StringCopy(TF_TString* dst, const char* src, size_t size);
TF_CAPI_EXPORT void TF_StringAssignView(TF_TString* dst, const char* src, size_t size);
TF_CAPI_EXPORT const char* TF_StringGetDataPointer(const TF_TString* str);
TF_CAPI_EXPORT TF_TString_Type TF_StringGetType(const TF_TString* str);
TF_CAPI_EXPORT size_t TF_StringGetSize(const TF_TString* str);
TF_CAPI_EXPORT size_t TF_StringGetCapacity(const TF_TString* str);
TF_CAPI_EXPORT void TF_StringDealloc(TF_TString* str);

#ifdef __cplusplus
}
#endif

#endif
