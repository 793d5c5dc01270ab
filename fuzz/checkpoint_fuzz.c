// Checkpoint reader: the first four bytes say how many of the rest are the index, what follows is the data
// file. Checksums are off, otherwise nearly every mutation would stop at them.
#include "graph/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  uint32_t split;
  if (len < sizeof split) return 0;
  memcpy(&split, bytes, sizeof split);
  dvt_str rest = {(const char *)bytes + sizeof split, len - sizeof split};
  size_t index_len = DVT_MIN((size_t)split, rest.len);
  dvt_checkpoint *checkpoint = NULL;
  dvt_status status = dvt_checkpoint_open_memory(dvt_str_make(rest.data, index_len),
                                                 dvt_str_drop(rest, index_len), false, &checkpoint);
  for (size_t i = 0; !status && i < dvt_checkpoint_count(checkpoint) && i < 64; ++i) {
    TF_Tensor tensor = {0};
    dvt_status_free(dvt_checkpoint_read(checkpoint, dvt_checkpoint_name(checkpoint, i), &tensor));
    dvt_tensor_reset(&tensor);
  }
  dvt_status_free(status);
  dvt_checkpoint_close(checkpoint);
  return 0;
}
