// .txt files for inputs of strings: a scalar gets the whole file without its last line end, [n] and [n,1] get
// one string a line. A line ends with LF or CR LF.
#include <inttypes.h>
#include <string.h>

#include "input.h"

static int64_t count_lines(const char *bytes, size_t len) {
  int64_t lines = 0;
  for (size_t i = 0; i < len; ++i) lines += bytes[i] == '\n';
  return lines + (len > 0 && bytes[len - 1] != '\n');
}

// Length of the line that starts at `bytes`, without its end; *out_next is where the next one starts.
static size_t line_length(const char *bytes, size_t len, size_t *out_next) {
  const char *end = memchr(bytes, '\n', len);
  size_t line = end ? (size_t)(end - bytes) : len;
  *out_next = end ? line + 1 : len;
  return end && line > 0 && bytes[line - 1] == '\r' ? line - 1 : line;
}

TF_Tensor *text_parse(const char *bytes, size_t len, const dvt_tensor_info *info, TF_Status *status) {
  int64_t dims[2] = {count_lines(bytes, len), 1};
  int rank = info->rank < 0 ? 1 : info->rank;
  if (info->dtype && info->dtype != TF_STRING) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "it holds text, the model wants %s; save the numbers with numpy.save", dtype_name(info->dtype));
    return NULL;
  }
  if (rank > 2 || (rank == 2 && info->dims[1] != 1)) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "text fits inputs of shape [] (the whole file), [n] or [n,1] (a string a line); "
             "save other shapes with numpy.save");
    return NULL;
  }
  if (rank > 0 && info->rank >= 0 && info->dims[0] >= 0 && info->dims[0] != dims[0]) {
    cli_fail(status, TF_INVALID_ARGUMENT, "it has %" PRId64 " lines, the model wants %" PRId64, dims[0],
             info->dims[0]);
    return NULL;
  }
  int64_t count = rank == 0 ? 1 : dims[0];
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, dims, rank, (size_t)count * sizeof(TF_TString));
  if (!tensor) {
    cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  TF_TString *strings = TF_TensorData(tensor);
  if (rank == 0) {
    size_t whole = len;
    if (whole > 0 && bytes[whole - 1] == '\n') --whole;
    if (whole < len && whole > 0 && bytes[whole - 1] == '\r') --whole;
    TF_TString_Copy(strings, bytes, whole);
    return tensor;
  }
  for (int64_t i = 0; i < count; ++i) {
    size_t next, line = line_length(bytes, len, &next);
    TF_TString_Copy(&strings[i], bytes, line);
    bytes += next;
    len -= next;
  }
  return tensor;
}
