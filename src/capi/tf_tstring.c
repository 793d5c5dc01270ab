// The exported TF_String* functions: each is the inline helper of the public header under its exported name.
// A string of the VIEW form may carry leftover bytes where newer headers keep an owner; the helpers never
// follow them.
#include "tensorflow/c/tf_tstring.h"

void TF_StringInit(TF_TString *str) { TF_TString_Init(str); }
void TF_StringCopy(TF_TString *dst, const char *src, size_t size) { TF_TString_Copy(dst, src, size); }
void TF_StringAssignView(TF_TString *dst, const char *src, size_t size) {
  TF_TString_AssignView(dst, src, size);
}
const char *TF_StringGetDataPointer(const TF_TString *str) { return TF_TString_GetDataPointer(str); }
TF_TString_Type TF_StringGetType(const TF_TString *str) { return TF_TString_GetType(str); }
size_t TF_StringGetSize(const TF_TString *str) { return TF_TString_GetSize(str); }
size_t TF_StringGetCapacity(const TF_TString *str) { return TF_TString_GetCapacity(str); }
void TF_StringDealloc(TF_TString *str) { TF_TString_Dealloc(str); }
