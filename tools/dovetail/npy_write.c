// Writing .npy: version 1.0, little-endian, C order, elements starting at a multiple of 64 bytes.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "npy.h"

static size_t longest(const TF_TString *strings, int64_t count) {
  size_t most = 1;  // NumPy has no 'S0'
  for (int64_t i = 0; i < count; ++i) {
    size_t len = TF_TString_GetSize(&strings[i]);
    if (len > most) most = len;
  }
  return most;
}

static bool write_strings(FILE *file, const TF_TString *strings, int64_t count, size_t width) {
  char *cell = calloc(1, width);
  for (int64_t i = 0; cell && i < count; ++i) {
    size_t len = TF_TString_GetSize(&strings[i]);
    if (len) memcpy(cell, TF_TString_GetDataPointer(&strings[i]), len);
    memset(cell + len, 0, width - len);
    fwrite(cell, 1, width, file);
  }
  bool ok = cell != NULL;
  free(cell);
  return ok;
}

static void write_header(FILE *file, const TF_Tensor *tensor, size_t width) {
  char text[8192];
  const char *code = dtype_npy_code(TF_TensorType(tensor));
  size_t size = TF_DataTypeSize(TF_TensorType(tensor));
  int at = snprintf(text, sizeof text, "{'descr': '%s%s", size <= 1 ? "|" : "<", code);
  if (TF_TensorType(tensor) == TF_STRING) at += snprintf(text + at, sizeof text - (size_t)at, "%zu", width);
  at += snprintf(text + at, sizeof text - (size_t)at, "', 'fortran_order': False, 'shape': (");
  for (int d = 0; d < TF_NumDims(tensor); ++d)
    at += snprintf(text + at, sizeof text - (size_t)at, "%" PRId64 "%s", TF_Dim(tensor, d),
                   d + 1 < TF_NumDims(tensor) ? ", "
                   : TF_NumDims(tensor) == 1  ? ","
                                              : "");
  at += snprintf(text + at, sizeof text - (size_t)at, "), }");
  size_t len = (size_t)at, padded = (10 + len + 1 + 63) / 64 * 64 - 10;
  memset(text + len, ' ', padded - len);
  text[padded - 1] = '\n';
  const char start[10] = {(char)0x93,         'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(padded & 0xff),
                          (char)(padded >> 8)};
  fwrite(start, 1, sizeof start, file);
  fwrite(text, 1, padded, file);
}

bool npy_write(const char *path, const TF_Tensor *tensor, TF_Status *status) {
  TF_DataType dtype = TF_TensorType(tensor);
  if (dtype_npy_code(dtype)[0] == '\0' || TF_NumDims(tensor) > 254)
    return cli_fail(status, TF_UNIMPLEMENTED, "a tensor of dtype %s cannot be written as .npy",
                    dtype_name(dtype));
  FILE *file = fopen(path, "wb");
  if (!file) return cli_fail(status, TF_UNKNOWN, "%s cannot be written: %s", path, strerror(errno));
  int64_t count = TF_TensorElementCount(tensor);
  bool enough_memory = true;
  if (dtype == TF_STRING) {
    size_t width = longest(TF_TensorData(tensor), count);
    write_header(file, tensor, width);
    enough_memory = write_strings(file, TF_TensorData(tensor), count, width);
  } else {
    write_header(file, tensor, 0);
    if (count) fwrite(TF_TensorData(tensor), TF_DataTypeSize(dtype), (size_t)count, file);
  }
  bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed)
    return cli_fail(status, TF_UNKNOWN, "%s cannot be written: %s", path, strerror(errno));
  if (!enough_memory)
    return cli_fail(status, TF_RESOURCE_EXHAUSTED, "%s cannot be written: out of memory", path);
  TF_SetStatus(status, TF_OK, "");
  return true;
}
