// The eight functions TF_String..., which stock exports from libtensorflow_cc alone: a process that opened
// only the framework library has none. The 24 bytes of a string have the same form in every host.
#include "binding.h"
#include "tensorflow/c/tf_tstring.h"
#include "tensorflow/core/platform/ctstring.h"

void DVT_POLYFILL(TF_StringInit)(TF_TString *str) { TF_TString_Init(str); }

void DVT_POLYFILL(TF_StringCopy)(TF_TString *dst, const char *src, size_t size) {
  TF_TString_Copy(dst, src, size);
}

void DVT_POLYFILL(TF_StringAssignView)(TF_TString *dst, const char *src, size_t size) {
  TF_TString_AssignView(dst, src, size);
}

const char *DVT_POLYFILL(TF_StringGetDataPointer)(const TF_TString *str) {
  return TF_TString_GetDataPointer(str);
}

TF_TString_Type DVT_POLYFILL(TF_StringGetType)(const TF_TString *str) { return TF_TString_GetType(str); }

size_t DVT_POLYFILL(TF_StringGetSize)(const TF_TString *str) { return TF_TString_GetSize(str); }

size_t DVT_POLYFILL(TF_StringGetCapacity)(const TF_TString *str) { return TF_TString_GetCapacity(str); }

void DVT_POLYFILL(TF_StringDealloc)(TF_TString *str) { TF_TString_Dealloc(str); }
