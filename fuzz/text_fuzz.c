// Any text through the text format. What is accepted must print as text that reads back to the same bytes.
#include <stdlib.h>

#include "base/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const dvt_schema *schema, dvt_str text) {
  dvt_buf wire = {0}, printed = {0}, again = {0};
  dvt_status status = dvt_text_parse(schema, text, "input", &wire);
  if (!status) {
    if (dvt_text_print(schema, dvt_buf_str(&wire), text.len % 2, &printed)) abort();
    if (dvt_text_parse(schema, dvt_buf_str(&printed), "printed", &again)) abort();
    if (!dvt_str_eq(dvt_buf_str(&wire), dvt_buf_str(&again))) abort();
  }
  dvt_status_free(status);
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&printed);
  dvt_buf_deinit(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const dvt_schema *const schemas[] = {&dvt_schema_graph_def, &dvt_schema_attr_value,
                                              &dvt_schema_config_proto};
  for (size_t i = 0; i < DVT_COUNT_OF(schemas); i++)
    round_trip(schemas[i], dvt_str_make((const char *)data, size));
  return 0;
}
