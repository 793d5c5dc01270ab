// Any bytes through the wire reader and, read as each message type, through the text printer.
#include <stdlib.h>

#include "base/schema.h"
#include "base/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const dvt_wire_type element_types[] = {DVT_WIRE_VARINT, DVT_WIRE_FIXED32, DVT_WIRE_FIXED64};

static void walk(dvt_str message, int depth) {
  dvt_wire wire = dvt_wire_open(message);
  dvt_field field, found;
  size_t fields = 0;
  while (dvt_wire_next(&wire, &field)) {
    fields++;
    for (size_t i = 0; i < DVT_COUNT_OF(element_types); i++) {
      dvt_wire_packed packed = {0};
      uint64_t bits;
      bool bad = false;
      while (dvt_wire_packed_next(&packed, &field, element_types[i], &bits, &bad)) {
      }
    }
    if (!dvt_wire_find(message, field.number, field.type, &found)) abort();
    if (field.type == DVT_WIRE_BYTES && depth < 3 && fields < 100) walk(field.bytes, depth + 1);
  }
  if (wire.bad == dvt_wire_valid(message)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const dvt_schema *const schemas[] = {&dvt_schema_graph_def, &dvt_schema_saved_model,
                                              &dvt_schema_attr_value, &dvt_schema_run_metadata};
  dvt_str message = dvt_str_make((const char *)data, size);
  if (size < 512) walk(message, 0);
  for (size_t i = 0; i < DVT_COUNT_OF(schemas); i++) {
    dvt_buf text = {0};
    dvt_status_free(dvt_text_print(schemas[i], message, i % 2, &text));
    dvt_buf_deinit(&text);
  }
  return 0;
}
