// Describing a model: GraphDef files in both forms, their ends, their ops and what they reach, without
// importing anything (graph_def_fuzz does that). The bytes go through a file in memory, because models are
// opened by path.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dovetail/dovetail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  char path[64];
  int file = memfd_create("model", MFD_CLOEXEC);
  if (file < 0) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (write(file, bytes, len) == (ssize_t)len) {
    dvt_model_options options = {.struct_size = sizeof options, .describe_only = true};
    TF_Status *status = TF_NewStatus();
    dvt_model *model = NULL;
    dvt_model_open(path, &options, &model, status);
    if (model) dvt_model_missing_count(model);
    dvt_model_close(model);
    TF_DeleteStatus(status);
  }
  close(file);
  return 0;
}
