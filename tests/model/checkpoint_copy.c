// checkpoint_copy FROM TO: reads every tensor of a checkpoint and writes them to another one, so that stock
// TensorFlow can say whether it reads what Dovetail writes (checkpoint_test.py).
#include <stdio.h>

#include "graph/checkpoint.h"

static dvt_status copy(const dvt_checkpoint *from, const char *to) {
  size_t count = dvt_checkpoint_count(from);
  dvt_str *names = dvt_calloc(count + 1, sizeof *names);
  TF_Tensor **tensors = dvt_calloc(count + 1, sizeof *tensors);
  dvt_status status = names && tensors ? NULL : dvt_error_out_of_memory(count);
  for (size_t i = 0; !status && i < count; ++i) {
    names[i] = dvt_checkpoint_name(from, count - 1 - i);  // any order will do
    tensors[i] = dvt_tensor_handle_new();
    status = dvt_checkpoint_read(from, names[i], tensors[i]);
  }
  if (!status) status = dvt_checkpoint_write(to, names, (const TF_Tensor *const *)tensors, NULL, count);
  for (size_t i = 0; tensors && i < count; ++i) dvt_tensor_handle_delete(tensors[i]);
  dvt_free(tensors);
  dvt_free(names);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  dvt_checkpoint *from = NULL;
  dvt_status status = dvt_checkpoint_open(argv[1], &from);
  if (!status) status = copy(from, argv[2]);
  if (status) fprintf(stderr, "checkpoint_copy: %s\n", dvt_status_message(status));
  int code = status ? 1 : 0;
  dvt_status_free(status);
  dvt_checkpoint_close(from);
  return code;
}
