// Serialised KernelDefs: what parses can be described.
#include "kernel/builder.h"
#include "kernel/registry_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TF_KernelBuilder *builder = dvt_kernel_builder_new(DVT_STR("Fuzz"), DVT_STR("CPU"));
  if (!builder) return 0;
  dvt_status status = dvt_kernel_builder_set_proto(builder, dvt_str_make((const char *)data, size));
  dvt_buf text = {0};
  if (!status) dvt_kernel_def_describe(&builder->def, &text);
  dvt_buf_deinit(&text);
  dvt_kernel_builder_delete(builder);
  dvt_status_free(status);
  return 0;
}
