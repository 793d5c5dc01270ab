// TF_CheckpointReader and dvt_checkpoint_save: checkpoints over the C ABI (graph/checkpoint.h does the work).
// The functions without a status log what is wrong and return 0, -1 or NULL, where stock ends the process.
#include "graph/checkpoint.h"
#include "base/log.h"
#include "dovetail/checkpoint.h"
#include "tensorflow/c/c_api_experimental.h"

struct TF_CheckpointReader {
  dvt_checkpoint *checkpoint;
};

TF_CheckpointReader *TF_NewCheckpointReader(const char *filename, TF_Status *status) {
  dvt_checkpoint *checkpoint = NULL;
  dvt_status opened = filename
                          ? dvt_checkpoint_open(filename, &checkpoint)
                          : dvt_error(TF_INVALID_ARGUMENT, "TF_NewCheckpointReader: the file name is NULL.");
  TF_CheckpointReader *reader = opened ? NULL : dvt_malloc(sizeof *reader);
  if (!opened && !reader) {
    dvt_checkpoint_close(checkpoint);
    opened = dvt_error_out_of_memory(sizeof *reader);
  }
  if (reader) reader->checkpoint = checkpoint;
  dvt_status_to_tf(opened, status);
  return reader;
}

void TF_DeleteCheckpointReader(TF_CheckpointReader *reader) {
  if (!reader) return;
  dvt_checkpoint_close(reader->checkpoint);
  dvt_free(reader);
}

int TF_CheckpointReaderSize(TF_CheckpointReader *reader) {
  return (int)dvt_checkpoint_count(reader->checkpoint);
}

int TF_CheckpointReaderHasTensor(TF_CheckpointReader *reader, const char *name) {
  return dvt_checkpoint_has(reader->checkpoint, dvt_str_from(name));
}

const char *TF_CheckpointReaderGetVariable(TF_CheckpointReader *reader, int index) {
  size_t count = dvt_checkpoint_count(reader->checkpoint);
  if (index >= 0 && (size_t)index < count) return dvt_checkpoint_name(reader->checkpoint, (size_t)index).data;
  dvt_log(DVT_ERROR,
          "TF_CheckpointReaderGetVariable: index %d is out of range; the checkpoint holds %zu tensors.",
          index, count);
  return NULL;
}

// dtype, rank and dims, or false with the error logged.
static bool describe(TF_CheckpointReader *reader, const char *function, const char *name, int *out_dtype,
                     int *out_rank) {
  dvt_status status =
      dvt_checkpoint_describe(reader->checkpoint, dvt_str_from(name), out_dtype, NULL, 0, out_rank);
  if (!status) return true;
  dvt_log(DVT_ERROR, "%s: %s", function, dvt_status_message(status));
  dvt_status_free(status);
  return false;
}

TF_DataType TF_CheckpointReaderGetVariableDataType(TF_CheckpointReader *reader, const char *name) {
  int dtype = 0;
  return describe(reader, __func__, name, &dtype, NULL) ? (TF_DataType)dtype : (TF_DataType)0;
}

int TF_CheckpointReaderGetVariableNumDims(TF_CheckpointReader *reader, const char *name) {
  int rank = 0;
  return describe(reader, __func__, name, NULL, &rank) ? rank : -1;
}

void TF_CheckpointReaderGetVariableShape(TF_CheckpointReader *reader, const char *name, int64_t *dims,
                                         int num_dims, TF_Status *status) {
  int64_t found[DVT_MAX_RANK];
  int rank;
  dvt_status result =
      dvt_checkpoint_describe(reader->checkpoint, dvt_str_from(name), NULL, found, DVT_MAX_RANK, &rank);
  if (!result && rank != num_dims)
    result = dvt_error(TF_INVALID_ARGUMENT, "Expected rank is %d but actual rank is %d (tensor '%s').",
                       num_dims, rank, name);
  if (!result)
    for (int i = 0; i < rank; ++i) dims[i] = found[i];
  dvt_status_to_tf(result, status);
}

TF_Tensor *TF_CheckpointReaderGetTensor(TF_CheckpointReader *reader, const char *name, TF_Status *status) {
  TF_Tensor *tensor = dvt_tensor_handle_new();
  dvt_status result = tensor ? dvt_checkpoint_read(reader->checkpoint, dvt_str_from(name), tensor)
                             : dvt_error_out_of_memory(sizeof *tensor);
  if (result) {
    dvt_tensor_handle_delete(tensor);
    tensor = NULL;
  }
  dvt_status_to_tf(result, status);
  return tensor;
}

static dvt_status save(const char *prefix, const char *const *names, const TF_Tensor *const *tensors,
                       const dvt_checkpoint_slice *const *slices, int count) {
  if (!prefix || count < 0 || (count > 0 && (!names || !tensors)))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "a checkpoint needs a prefix, names and tensors; one of them is NULL");
  dvt_str *texts = dvt_calloc((size_t)count + 1, sizeof *texts);
  if (!texts) return dvt_error_out_of_memory((size_t)count * sizeof *texts);
  dvt_status status = NULL;
  for (int i = 0; i < count && !status; i++) {
    texts[i] = dvt_str_from(names[i]);
    if (!names[i] || !tensors[i] || dvt_tensor_is_empty(tensors[i]))
      status = dvt_error(TF_INVALID_ARGUMENT, "name or tensor %d of checkpoint %s is NULL", i, prefix);
  }
  if (!status) status = dvt_checkpoint_write(prefix, texts, tensors, slices, (size_t)count);
  dvt_free(texts);
  return status;
}

void dvt_checkpoint_save(const char *prefix, const char *const *names, const TF_Tensor *const *tensors,
                         int count, TF_Status *status) {
  dvt_status_to_tf(save(prefix, names, tensors, NULL, count), status);
}

void dvt_checkpoint_save_slices(const char *prefix, const char *const *names, const TF_Tensor *const *tensors,
                                const dvt_checkpoint_slice *const *slices, int count, TF_Status *status) {
  dvt_status_to_tf(save(prefix, names, tensors, slices, count), status);
}
