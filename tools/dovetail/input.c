// An input file by its extension, fitted to the input. Files are read whole; errors get the file's name in
// front.
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "npy.h"

char *file_read(const char *path, size_t *out_len, TF_Status *status) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t len = 0, capacity = 0;
  if (!file) {
    cli_fail(status, TF_NOT_FOUND, "it cannot be opened: %s", strerror(errno));
    return NULL;
  }
  for (;;) {
    if (len == capacity) {
      capacity = capacity ? capacity * 2 : 65536;
      char *grown = realloc(bytes, capacity);
      if (!grown) break;
      bytes = grown;
    }
    size_t got = fread(bytes + len, 1, capacity - len, file);
    if (got == 0) break;
    len += got;
  }
  bool complete = feof(file) && !ferror(file);
  int code = errno;
  fclose(file);
  if (complete) {
    *out_len = len;
    return bytes;
  }
  cli_fail(status, TF_UNKNOWN, "it cannot be read: %s", strerror(code ? code : ENOMEM));
  free(bytes);
  return NULL;
}

typedef enum format { FORMAT_NONE, FORMAT_NPY, FORMAT_PNG, FORMAT_JPEG, FORMAT_WAV, FORMAT_TEXT } format;

static format format_of(const char *path) {
  static const struct {
    const char *extension;
    format format;
  } table[] = {{".npy", FORMAT_NPY},   {".png", FORMAT_PNG}, {".jpg", FORMAT_JPEG},
               {".jpeg", FORMAT_JPEG}, {".wav", FORMAT_WAV}, {".txt", FORMAT_TEXT}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < DVT_COUNT_OF(table); ++i)
    if (strcasecmp(dot, table[i].extension) == 0) return table[i].format;
  return FORMAT_NONE;
}

// Inputs of strings get pictures and sounds as the bytes of their files: such models decode them themselves.
static TF_Tensor *whole_file(const char *bytes, size_t len, const dvt_tensor_info *info, TF_Status *status) {
  const int64_t one = 1;
  if (info->rank > 1) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "a file as one string fits inputs of shape [] or [1], not of %d dimensions", info->rank);
    return NULL;
  }
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, &one, info->rank < 0 ? 0 : info->rank, sizeof(TF_TString));
  if (tensor) TF_TString_Copy(TF_TensorData(tensor), bytes, len);
  return tensor;
}

static TF_Tensor *read_picture(format kind, const char *bytes, size_t len, const dvt_tensor_info *info,
                               TF_Status *status) {
  picture p;
  if (kind == FORMAT_PNG ? !png_parse(bytes, len, &p, status) : !jpeg_parse(bytes, len, &p, status))
    return NULL;
  TF_Tensor *tensor = picture_to_tensor(&p, info, status);
  free(p.pixels);
  return tensor;
}

static TF_Tensor *read_bytes(format kind, const char *path, const char *bytes, size_t len,
                             const dvt_tensor_info *info, TF_Status *status) {
  bool as_bytes =
      info->dtype == TF_STRING && (kind == FORMAT_PNG || kind == FORMAT_JPEG || kind == FORMAT_WAV);
  if (as_bytes) return whole_file(bytes, len, info, status);
  switch (kind) {
    case FORMAT_NPY:
      return convert_tensor(npy_parse(bytes, len, info->dtype, status), info->dtype, status);
    case FORMAT_TEXT:
      return text_parse(bytes, len, info, status);
    case FORMAT_WAV:
      return sound_read(path, info, status);
    default:
      return read_picture(kind, bytes, len, info, status);
  }
}

static bool check_shape(const TF_Tensor *tensor, const dvt_tensor_info *info, TF_Status *status) {
  int64_t dims[254];
  int rank = TF_NumDims(tensor);
  bool fits = info->rank < 0 || info->rank == rank;
  for (int d = 0; d < rank; ++d) {
    dims[d] = TF_Dim(tensor, d);
    fits = fits && (info->rank < 0 || info->dims[d] < 0 || info->dims[d] == dims[d]);
  }
  char got[DTYPE_TEXT_BYTES], want[DTYPE_TEXT_BYTES];
  return fits || cli_fail(status, TF_INVALID_ARGUMENT, "it is %s, the model wants %s",
                          dtype_text(TF_TensorType(tensor), dims, rank, got),
                          dtype_text(info->dtype, info->dims, info->rank, want));
}

TF_Tensor *input_read(const char *path, const dvt_tensor_info *info, TF_Status *status) {
  format kind = format_of(path);
  TF_Tensor *tensor = NULL;
  size_t len = 0;
  TF_SetStatus(status, TF_OK, "");
  if (kind == FORMAT_NONE) {
    cli_fail(status, TF_INVALID_ARGUMENT, "its extension is none of .npy .png .jpg .wav .txt");
  } else {
    char *bytes = file_read(path, &len, status);
    if (bytes) tensor = read_bytes(kind, path, bytes, len, info, status);
    free(bytes);
  }
  if (tensor && !check_shape(tensor, info, status)) {
    TF_DeleteTensor(tensor);
    tensor = NULL;
  }
  if (!tensor && TF_GetCode(status) == TF_OK) cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  return tensor;
}
