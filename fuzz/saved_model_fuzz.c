// SavedModel reader: the bytes of a saved_model.pb. The first byte chooses whether tags are asked for.
#include "graph/saved_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  static const char *const serve[] = {"serve"};
  if (len == 0) return 0;
  dvt_saved_model *model = NULL;
  dvt_status status = dvt_saved_model_parse("fuzzed", dvt_str_make((const char *)bytes + 1, len - 1), serve,
                                            bytes[0] & 1, &model);
  dvt_status_free(status);
  dvt_saved_model_close(model);
  return 0;
}
