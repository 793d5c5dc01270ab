// Summaries of tensors (least, greatest, mean; small ones in full), .npy files, outputs.json.
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dtype.h"
#include "npy.h"
#include "tensor/half.h"

#define SHOWN_VALUES 8
#define SHOWN_TEXT 60

// ---- values ----

// Element `i` as a double; the real part of complex numbers.
static double value_at(const TF_Tensor *tensor, int64_t i) {
  const void *data = TF_TensorData(tensor);
  switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
      return ((const float *)data)[i];
    case TF_DOUBLE:
      return ((const double *)data)[i];
    case TF_HALF:
      return dvt_half_to_float(((const uint16_t *)data)[i]);
    case TF_BFLOAT16:
      return dvt_bfloat16_to_float(((const uint16_t *)data)[i]);
    case TF_INT8:
    case TF_QINT8:
      return ((const int8_t *)data)[i];
    case TF_INT16:
    case TF_QINT16:
      return ((const int16_t *)data)[i];
    case TF_INT32:
    case TF_QINT32:
      return ((const int32_t *)data)[i];
    case TF_INT64:
      return (double)((const int64_t *)data)[i];
    case TF_UINT8:
    case TF_QUINT8:
    case TF_BOOL:
      return ((const uint8_t *)data)[i];
    case TF_UINT16:
    case TF_QUINT16:
      return ((const uint16_t *)data)[i];
    case TF_UINT32:
      return ((const uint32_t *)data)[i];
    case TF_UINT64:
      return (double)((const uint64_t *)data)[i];
    case TF_COMPLEX64:
      return ((const float *)data)[2 * i];
    case TF_COMPLEX128:
      return ((const double *)data)[2 * i];
    default:
      return NAN;
  }
}

static void print_value(const TF_Tensor *tensor, int64_t i) {
  const void *data = TF_TensorData(tensor);
  switch ((int)TF_TensorType(tensor)) {
    case TF_INT64:
      printf("%" PRId64, ((const int64_t *)data)[i]);
      break;
    case TF_UINT64:
      printf("%" PRIu64, ((const uint64_t *)data)[i]);
      break;
    case TF_BOOL:
      fputs(((const uint8_t *)data)[i] ? "true" : "false", stdout);
      break;
    case TF_COMPLEX64:
      printf("%.6g%+.6gj", ((const float *)data)[2 * i], ((const float *)data)[2 * i + 1]);
      break;
    case TF_COMPLEX128:
      printf("%.6g%+.6gj", ((const double *)data)[2 * i], ((const double *)data)[2 * i + 1]);
      break;
    default:
      printf("%.6g", value_at(tensor, i));
      break;
  }
}

// Quoted, control characters escaped, cut at SHOWN_TEXT bytes.
static void print_string(const TF_TString *string) {
  const char *bytes = TF_TString_GetDataPointer(string);
  size_t len = TF_TString_GetSize(string);
  fputc('"', stdout);
  for (size_t i = 0; i < len && i < SHOWN_TEXT; ++i) {
    unsigned char c = (unsigned char)bytes[i];
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 32 || c == 127)
      printf("\\x%02x", c);
    else
      fputc(c, stdout);
  }
  fputs(len > SHOWN_TEXT ? "...\"" : "\"", stdout);
}

static void print_values(const TF_Tensor *tensor, int64_t count) {
  bool strings = TF_TensorType(tensor) == TF_STRING;
  for (int64_t i = 0; i < count; ++i) {
    if (i) fputs(", ", stdout);
    if (strings)
      print_string((const TF_TString *)TF_TensorData(tensor) + i);
    else
      print_value(tensor, i);
  }
}

typedef struct summary {
  double least, greatest, mean;
  int64_t not_finite;
} summary;

static bool is_numeric(TF_DataType dtype) {
  dtype_kind kind = dtype_kind_of(dtype);
  return kind == KIND_INT || kind == KIND_UINT || kind == KIND_FLOAT || kind == KIND_BOOL;
}

static summary summarise(const TF_Tensor *tensor) {
  summary s = {INFINITY, -INFINITY, 0, 0};
  int64_t count = TF_TensorElementCount(tensor), finite = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = value_at(tensor, i);
    if (!isfinite(value)) {
      ++s.not_finite;
      continue;
    }
    s.least = fmin(s.least, value);
    s.greatest = fmax(s.greatest, value);
    s.mean += value;
    ++finite;
  }
  s.mean /= finite ? (double)finite : NAN;
  return s;
}

static int dims_of(const TF_Tensor *tensor, int64_t *dims) {
  int rank = TF_NumDims(tensor);
  for (int d = 0; d < rank; ++d) dims[d] = TF_Dim(tensor, d);
  return rank;
}

void output_print(const output *o, const char *folder) {
  int64_t dims[254], count = TF_TensorElementCount(o->tensor);
  char text[DTYPE_TEXT_BYTES];
  TF_DataType dtype = TF_TensorType(o->tensor);
  printf("  out  %-20s %-28s", o->info->name, dtype_text(dtype, dims, dims_of(o->tensor, dims), text));
  if (dtype == TF_STRING || (dtype_kind_of(dtype) == KIND_COMPLEX) ||
      (count <= SHOWN_VALUES && is_numeric(dtype))) {
    fputs("  ", stdout);
    print_values(o->tensor, count < SHOWN_VALUES ? count : SHOWN_VALUES);
    if (count > SHOWN_VALUES) fputs(", ...", stdout);
  } else if (is_numeric(dtype)) {
    summary s = summarise(o->tensor);
    printf("  min %.6g  max %.6g  mean %.6g", s.least, s.greatest, s.mean);
    if (s.not_finite) printf("  (%" PRId64 " not finite)", s.not_finite);
  }
  if (o->file[0]) printf("  %s/%s", folder, o->file);
  if (folder && !o->file[0]) fputs("  (not written: files cannot hold this dtype)", stdout);
  fputc('\n', stdout);
}

void output_json(json *j, const output *o, bool values) {
  int64_t dims[254];
  int rank = dims_of(o->tensor, dims);
  TF_DataType dtype = TF_TensorType(o->tensor);
  json_open(j, NULL, '{');
  json_string(j, "name", o->info->name);
  json_string(j, "tensor", o->info->tensor);
  json_string(j, "file", o->file[0] ? o->file : NULL);
  json_string(j, "dtype", dtype_name(dtype));
  json_shape(j, "shape", dims, rank);
  if (values && is_numeric(dtype) && TF_TensorElementCount(o->tensor) > 0) {
    summary s = summarise(o->tensor);
    json_number(j, "min", s.least);
    json_number(j, "max", s.greatest);
    json_number(j, "mean", s.mean);
  }
  json_close(j, '}');
}

// ---- files ----

static bool make_folders(const char *folder, TF_Status *status) {
  char path[4096];
  size_t len = strlen(folder);
  if (len == 0 || len >= sizeof path)
    return cli_fail(status, TF_INVALID_ARGUMENT, "the folder's name is empty or too long");
  memcpy(path, folder, len + 1);
  for (size_t i = 1; i <= len; ++i) {
    if (path[i] != '/' && path[i] != '\0') continue;
    char kept = path[i];
    path[i] = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return cli_fail(status, TF_UNKNOWN, "the folder %s cannot be made: %s", path, strerror(errno));
    path[i] = kept;
  }
  struct stat info;
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
    return cli_fail(status, TF_INVALID_ARGUMENT, "%s is not a folder", folder);
  return true;
}

// The output's name with what file names should not hold replaced; numbered when an earlier output took it.
static void choose_file(output *outputs, int index) {
  output *o = &outputs[index];
  char base[200];
  size_t len = 0;
  for (const char *p = o->info->name; *p && len + 1 < sizeof base; ++p) {
    bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                 *p == '-' || *p == '_' || (*p == '.' && len > 0);
    base[len++] = plain ? *p : '_';
  }
  base[len] = '\0';
  snprintf(o->file, sizeof o->file, "%s.npy", len ? base : "output");
  for (int number = 2, i = 0; i < index; ++i) {
    if (strcmp(outputs[i].file, o->file) != 0) continue;
    snprintf(o->file, sizeof o->file, "%s_%d.npy", base, number++);
    i = -1;
  }
}

static bool write_list(const char *folder, const output *outputs, int count, TF_Status *status) {
  char path[4400];
  snprintf(path, sizeof path, "%s/outputs.json", folder);
  FILE *file = fopen(path, "wb");
  if (!file) return cli_fail(status, TF_UNKNOWN, "%s cannot be written: %s", path, strerror(errno));
  json j = {.file = file};
  json_open(&j, NULL, '[');
  for (int i = 0; i < count; ++i) output_json(&j, &outputs[i], false);
  json_close(&j, ']');
  bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed)
    return cli_fail(status, TF_UNKNOWN, "%s cannot be written: %s", path, strerror(errno));
  return true;
}

bool outputs_write(const char *folder, output *outputs, int count, TF_Status *status) {
  char path[4400];
  if (!make_folders(folder, status)) return false;
  for (int i = 0; i < count; ++i) {
    if (dtype_npy_code(TF_TensorType(outputs[i].tensor))[0] == '\0') continue;
    choose_file(outputs, i);
    snprintf(path, sizeof path, "%s/%s", folder, outputs[i].file);
    if (!npy_write(path, outputs[i].tensor, status)) return false;
  }
  return write_list(folder, outputs, count, status);
}
