// RestoreV2: tensors, or slices of them, from a checkpoint, through the public reader.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "state/text.h"
#include "tensorflow/c/c_api_experimental.h"

// "8 16 0,4:-": the shape of the whole tensor, then for each dim "begin,length" or "-" for all of it.
typedef struct slice_spec {
  int rank;
  int64_t dims[DVP_MAX_RANK], begin[DVP_MAX_RANK], size[DVP_MAX_RANK];
} slice_spec;

static bool parse_slice(const char *text, slice_spec *out) {
  out->rank = 0;
  char *end;
  while (true) {
    const char *space = strchr(text, ' ');
    if (!space) break;
    if (out->rank == DVP_MAX_RANK) return false;
    out->dims[out->rank++] = strtoll(text, &end, 10);
    if (end != space || out->dims[out->rank - 1] < 0) return false;
    text = space + 1;
  }
  for (int i = 0; i < out->rank; i++) {
    if (*text == '-') {
      out->begin[i] = 0;
      out->size[i] = out->dims[i];
      text++;
    } else {
      out->begin[i] = strtoll(text, &end, 10);
      if (end == text || *end != ',') return false;
      text = end + 1;
      out->size[i] = strtoll(text, &end, 10);
      if (end == text) return false;
      text = end;
      if (out->begin[i] < 0 || out->size[i] < 0 || out->begin[i] > out->dims[i] - out->size[i]) return false;
    }
    if (i < out->rank - 1 && *text++ != ':') return false;
  }
  return *text == 0;
}

static bool set_slice(dvp_call *call, int index, const char *name, const TF_Tensor *whole, const char *text) {
  slice_spec spec;
  int64_t src[DVP_MAX_RANK], dst[DVP_MAX_RANK], base = 0;
  if (!parse_slice(text, &spec))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "'%s' is not a slice of tensor %s: expected dims and 'begin,length' or '-' each", text,
                    name);
  bool fits = spec.rank == TF_NumDims(whole);
  for (int i = 0; fits && i < spec.rank; i++) fits = spec.dims[i] == TF_Dim(whole, i);
  if (!fits)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Shape in shape_and_slice spec '%s' does not match the shape stored in "
                    "checkpoint for tensor %s",
                    text, name);
  char *out = dvp_output(call, index, spec.size, spec.rank);
  if (!out) return false;
  dvp_box box = {.rank = 0};
  dvp_strides(spec.dims, spec.rank, src);
  dvp_strides(spec.size, spec.rank, dst);
  for (int i = 0; i < spec.rank; i++) {
    base += spec.begin[i] * src[i];
    dvp_box_add(&box, spec.size[i], src[i], dst[i]);
  }
  int64_t bytes = (int64_t)dvp_element_bytes(call, TF_TensorType(whole));
  if (bytes == 0) return false;
  if (dvp_product(spec.size, 0, spec.rank))
    dvp_box_copy(call, &box, TF_TensorType(whole), (const char *)TF_TensorData(whole) + base * bytes, out);
  return true;
}

static bool restore_one(dvp_call *call, TF_CheckpointReader *reader, int index, const char *name,
                        const char *slice) {
  if (!TF_CheckpointReaderHasTensor(reader, name))
    return dvp_fail(call, TF_NOT_FOUND, "Key %s not found in checkpoint", name);
  TF_DataType stored = TF_CheckpointReaderGetVariableDataType(reader, name);
  TF_DataType wanted = TF_ExpectedOutputDataType(call->ctx, index);
  if (stored != wanted)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "tensor_name = %s; expected dtype %d does not equal original dtype %d", name, wanted,
                    stored);
  TF_Tensor *value = TF_CheckpointReaderGetTensor(reader, name, call->status);
  if (!dvp_ok(call)) return false;
  bool fine = true;
  if (*slice) {
    fine = set_slice(call, index, name, value, slice);
  } else {
    TF_SetOutput(call->ctx, index, value, call->status);
    fine = dvp_ok(call);
  }
  TF_DeleteTensor(value);
  return fine;
}

DVP_COMPUTE(restore_v2_compute) {
  (void)state;
  dvp_view prefix, names, slices;
  int count = TF_NumOutputs(call->ctx);
  if (!dvp_input(call, 0, &prefix) || !dvp_input(call, 1, &names) || !dvp_input(call, 2, &slices)) return;
  if (prefix.count != 1 || names.rank != 1 || slices.rank != 1 || names.count != count ||
      slices.count != count) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "RestoreV2 wants one prefix and as many tensor names and slices as outputs (%d), but got %" PRId64
        ", %" PRId64 " and %" PRId64,
        count, prefix.count, names.count, slices.count);
    return;
  }
  char *path = dvp_text_of(&prefix, 0);
  TF_CheckpointReader *reader = path ? TF_NewCheckpointReader(path, call->status) : NULL;
  bool fine = path ? dvp_ok(call) : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  for (int i = 0; fine && i < count; i++) {
    char *name = dvp_text_of(&names, i), *slice = dvp_text_of(&slices, i);
    fine = name && slice ? restore_one(call, reader, i, name, slice)
                         : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    free(name);
    free(slice);
  }
  if (reader) TF_DeleteCheckpointReader(reader);
  free(path);
}
DVP_DEFINE_ANY(restore_v2, NULL, NULL, restore_v2_compute);
