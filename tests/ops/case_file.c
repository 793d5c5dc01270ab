// Reader of case files: see case_file.h.
#include "case_file.h"

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

static const char magic[] = "DVTCASES1\n";

static bool get(FILE *file, void *out, size_t bytes) { return bytes == 0 || fread(out, bytes, 1, file) == 1; }

static bool get_string(FILE *file, char **out, uint32_t *out_bytes) {
  if (!get(file, out_bytes, sizeof(*out_bytes)) || *out_bytes > 1u << 30) return false;
  *out = malloc((size_t)*out_bytes + 1);
  if (!*out || !get(file, *out, *out_bytes)) return false;
  (*out)[*out_bytes] = 0;
  return true;
}

static bool get_strings(FILE *file, TF_Tensor *tensor) {
  TF_TString *out = TF_TensorData(tensor);
  for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
    char *text;
    uint32_t bytes;
    if (!get_string(file, &text, &bytes)) return false;
    TF_StringCopy(&out[i], text, bytes);
    free(text);
  }
  return true;
}

static TF_Tensor *get_tensor(FILE *file) {
  uint32_t dtype, rank;
  int64_t dims[256];
  uint64_t bytes;
  if (!get(file, &dtype, 4) || !get(file, &rank, 4) || rank > 254 || !get(file, dims, rank * 8) ||
      !get(file, &bytes, 8))
    return NULL;
  if (dtype == TF_STRING) {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) count *= dims[i];
    bytes = (uint64_t)count * sizeof(TF_TString);
  }
  TF_Tensor *tensor = TF_AllocateTensor((TF_DataType)dtype, dims, (int)rank, bytes);
  if (!tensor) return NULL;
  bool fine = dtype == TF_STRING ? get_strings(file, tensor) : get(file, TF_TensorData(tensor), bytes);
  if (fine) return tensor;
  TF_DeleteTensor(tensor);
  return NULL;
}

static bool get_endpoint(FILE *file, case_tensor *out, bool has_value, bool is_fetch) {
  uint32_t bytes, index;
  if (!get_string(file, &out->node, &bytes) || !get(file, &index, 4)) return false;
  out->index = (int)index;
  if (is_fetch) {
    int32_t rank;
    if (!get(file, &out->relative, 8) || !get(file, &out->absolute, 8) || !get(file, &rank, 4) || rank > 16)
      return false;
    out->static_rank = rank;
    if (rank > 0 && !get(file, out->static_dims, (size_t)rank * 8)) return false;
  }
  if (has_value) out->value = get_tensor(file);
  return !has_value || out->value != NULL;
}

int case_file_open(const char *path, FILE **out_file) {
  char head[sizeof(magic)] = {0};
  uint32_t count;
  *out_file = fopen(path, "rb");
  if (!*out_file) return -1;
  if (!get(*out_file, head, sizeof(magic) - 1) || strcmp(head, magic) != 0 || !get(*out_file, &count, 4)) {
    fclose(*out_file);
    return -1;
  }
  return (int)count;
}

bool case_read(FILE *file, test_case *out) {
  uint32_t bytes, feeds, fetches;
  uint8_t fails;
  char *graph = NULL;
  memset(out, 0, sizeof(*out));
  if (!get_string(file, &out->name, &bytes) || !get_string(file, &graph, &bytes)) return false;
  out->graph = TF_NewBufferFromString(graph, bytes);
  free(graph);
  if (!get(file, &fails, 1) || !get(file, &feeds, 4) || feeds > MAX_TENSORS) return false;
  out->fails = fails;
  for (; (uint32_t)out->feed_count < feeds; out->feed_count++)
    if (!get_endpoint(file, &out->feeds[out->feed_count], true, false)) return false;
  if (!get(file, &fetches, 4) || fetches > MAX_TENSORS) return false;
  for (; (uint32_t)out->fetch_count < fetches; out->fetch_count++)
    if (!get_endpoint(file, &out->fetches[out->fetch_count], !fails, true)) return false;
  return true;
}

void case_free(test_case *c) {
  for (int i = 0; i < MAX_TENSORS; i++) {
    free(c->feeds[i].node);
    free(c->fetches[i].node);
    TF_DeleteTensor(c->feeds[i].value);
    TF_DeleteTensor(c->fetches[i].value);
  }
  TF_DeleteBuffer(c->graph);
  free(c->name);
}
