// Look-ups in the table of dtypes.
#include "dtype.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *dtype_name(TF_DataType dtype) {
  switch ((int)dtype) {
#define X(value, name, kind, bytes, code) \
  case value:                             \
    return name;
    DTYPES(X)
#undef X
    case 0:
      return "?";
    default:
      return "a dtype that files cannot hold";
  }
}

dtype_kind dtype_kind_of(TF_DataType dtype) {
  switch ((int)dtype) {
#define X(value, name, kind, bytes, code) \
  case value:                             \
    return kind;
    DTYPES(X)
#undef X
    default:
      return KIND_NONE;
  }
}

const char *dtype_npy_code(TF_DataType dtype) {
  switch ((int)dtype) {
#define X(value, name, kind, bytes, code) \
  case value:                             \
    return code;
    DTYPES(X)
#undef X
    default:
      return "";
  }
}

const char *dtype_text(TF_DataType dtype, const int64_t *dims, int rank, char *buffer) {
  size_t at = (size_t)snprintf(buffer, DTYPE_TEXT_BYTES, "%s[%s", dtype_name(dtype), rank < 0 ? "..." : "");
  for (int i = 0; i < rank && at < DTYPE_TEXT_BYTES - 32; ++i) {
    const char *comma = i ? "," : "";
    at += (size_t)(dims[i] < 0 ? snprintf(buffer + at, DTYPE_TEXT_BYTES - at, "%s?", comma)
                               : snprintf(buffer + at, DTYPE_TEXT_BYTES - at, "%s%" PRId64, comma, dims[i]));
  }
  memcpy(buffer + at, "]", 2);
  return buffer;
}
