// RestoreV2: tensors, or slices of them, from a checkpoint, through the public reader; they are read and
// checked on the pool.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "state/slice.h"
#include "state/text.h"
#include "tensorflow/c/c_api_experimental.h"

static bool set_slice(dvp_call *call, int index, const char *name, const TF_Tensor *whole, const char *text) {
  dvs_slice spec;
  int64_t src[DVP_MAX_RANK], dst[DVP_MAX_RANK], base = 0;
  if (!dvs_slice_parse(call, text, name, &spec)) return false;
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

// Reading and checking a tensor, in picoseconds; their sizes are not known here.
#define READ_PS 50000000

typedef struct restored {
  char *name, *slice;
  TF_Tensor *value;
  TF_Status *status;
} restored;

typedef struct restore_run {
  TF_CheckpointReader *reader;
  restored *tensors;
} restore_run;

static bool check(dvp_call *call, TF_CheckpointReader *reader, int index, const char *name) {
  if (!TF_CheckpointReaderHasTensor(reader, name))
    return dvp_fail(call, TF_NOT_FOUND, "Key %s not found in checkpoint", name);
  TF_DataType stored = TF_CheckpointReaderGetVariableDataType(reader, name);
  TF_DataType wanted = TF_ExpectedOutputDataType(call->ctx, index);
  return stored == wanted || dvp_fail(call, TF_INVALID_ARGUMENT,
                                      "tensor_name = %s; expected dtype %d does not equal original dtype %d",
                                      name, wanted, stored);
}

static void read_tensors(void *arg, int64_t begin, int64_t end) {
  const restore_run *run = arg;
  for (int64_t i = begin; i < end; i++) {
    restored *t = &run->tensors[i];
    t->value = TF_CheckpointReaderGetTensor(run->reader, t->name, t->status);
  }
}

static bool set_output(dvp_call *call, int index, const restored *t) {
  if (TF_GetCode(t->status) != TF_OK) {
    TF_SetStatus(call->status, TF_GetCode(t->status), TF_Message(t->status));
    return dvp_ok(call);
  }
  if (*t->slice) return set_slice(call, index, t->name, t->value, t->slice);
  TF_SetOutput(call->ctx, index, t->value, call->status);
  return dvp_ok(call);
}

static void restore(dvp_call *call, TF_CheckpointReader *reader, const dvp_view *names,
                    const dvp_view *slices, int count, restored *tensors) {
  restore_run run = {reader, tensors};
  for (int i = 0; i < count; i++) {
    tensors[i] =
        (restored){.name = dvp_text_of(names, i), .slice = dvp_text_of(slices, i), .status = TF_NewStatus()};
    if (!tensors[i].name || !tensors[i].slice) {
      dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
      return;
    }
    if (!check(call, reader, i, tensors[i].name)) return;
  }
  dvp_parallel(call, count, READ_PS, read_tensors, &run);
  for (int i = 0; i < count; i++)
    if (!set_output(call, i, &tensors[i])) return;
}

static void restore_all(dvp_call *call, const char *path, const dvp_view *names, const dvp_view *slices,
                        int count) {
  TF_CheckpointReader *reader = TF_NewCheckpointReader(path, call->status);
  restored *tensors = dvp_ok(call) ? calloc((size_t)count + 1, sizeof(*tensors)) : NULL;
  if (tensors)
    restore(call, reader, names, slices, count, tensors);
  else if (reader)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  for (int i = 0; tensors && i < count; i++) {
    free(tensors[i].name);
    free(tensors[i].slice);
    TF_DeleteTensor(tensors[i].value);
    TF_DeleteStatus(tensors[i].status);
  }
  free(tensors);
  if (reader) TF_DeleteCheckpointReader(reader);
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
  if (path)
    restore_all(call, path, &names, &slices, count);
  else
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  free(path);
}
DVP_DEFINE_ANY(restore_v2, NULL, NULL, restore_v2_compute);
