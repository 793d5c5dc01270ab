// Helpers over the stock 24-byte TF_TString (tensorflow/c/tf_tstring.h) for code inside the runtime.
#ifndef DVT_TENSOR_TSTRING_H_
#define DVT_TENSOR_TSTRING_H_

#include "base/str.h"
#include "tensorflow/c/tf_tstring.h"

static inline dvt_str dvt_tstring_view(const TF_TString *s) {
  return dvt_str_make(TF_TString_GetDataPointer(s), TF_TString_GetSize(s));
}

#endif  // DVT_TENSOR_TSTRING_H_
