// Elements of string tensors as C strings.
#ifndef DOVETAIL_PLUGINS_STATE_TEXT_H_
#define DOVETAIL_PLUGINS_STATE_TEXT_H_

#include <string.h>

#include "common/call.h"
#include "tensorflow/c/tf_tstring.h"

// A NUL-terminated copy of element i for the caller to free; NULL when out of memory.
static inline char *dvp_text_of(const dvp_view *strings, int64_t i) {
  const TF_TString *s = (const TF_TString *)strings->data + i;
  return strndup(TF_StringGetDataPointer(s), TF_StringGetSize(s));
}

#endif  // DOVETAIL_PLUGINS_STATE_TEXT_H_
