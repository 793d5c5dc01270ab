// .npy reader of the `dovetail` command.
#include "../tools/dovetail/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  TF_Status *status = TF_NewStatus();
  TF_DeleteTensor(npy_parse((const char *)bytes, len, TF_BFLOAT16, status));
  TF_DeleteStatus(status);
  return 0;
}
