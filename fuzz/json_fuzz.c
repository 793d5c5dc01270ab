// Any text through the JSON reader. What is accepted must be a well-formed message.
#include <stdlib.h>

#include "base/schema.h"
#include "base/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const dvt_schema *const schemas[] = {&dvt_schema_graph_def, &dvt_schema_attr_value,
                                              &dvt_schema_config_proto};
  for (size_t i = 0; i < DVT_COUNT_OF(schemas); i++) {
    dvt_buf wire = {0}, text = {0};
    dvt_status status = dvt_json_parse(schemas[i], dvt_str_make((const char *)data, size), "input", &wire);
    if (!status && !dvt_wire_valid(dvt_buf_str(&wire))) abort();
    if (!status && dvt_text_print(schemas[i], dvt_buf_str(&wire), false, &text)) abort();
    dvt_status_free(status);
    dvt_buf_deinit(&wire);
    dvt_buf_deinit(&text);
  }
  return 0;
}
