// Message schemas as tables: field name, number, kind. They drive the text format (.pbtxt) in both directions, JSON
// reading, and checks of a message's bytes. Only messages the runtime reads or writes have a table (schema_graph.c,
// schema_saved_model.c, schema_config.c). Field numbers are those of the public .proto files.
#ifndef DVT_BASE_SCHEMA_H_
#define DVT_BASE_SCHEMA_H_

#include "base/buf.h"
#include "base/status.h"

typedef enum dvt_field_kind {
  DVT_KIND_INT32, DVT_KIND_INT64, DVT_KIND_UINT32, DVT_KIND_UINT64, DVT_KIND_BOOL, DVT_KIND_ENUM,
  DVT_KIND_FLOAT, DVT_KIND_DOUBLE, DVT_KIND_STRING, DVT_KIND_BYTES, DVT_KIND_MESSAGE, DVT_KIND_MAP,
  DVT_KIND_FIXED64, DVT_KIND_SINT64,
} dvt_field_kind;

typedef struct dvt_schema dvt_schema;
typedef struct dvt_schema_enum {
  const char *name;
  int32_t value;
} dvt_schema_enum;

typedef struct dvt_schema_field {
  const char *name;
  uint32_t number;
  dvt_field_kind kind;
  bool repeated, packed;
  const dvt_schema *message;            // MESSAGE: the type; MAP: the entry type {1 key, 2 value}
  const dvt_schema_enum *enum_values;   // ENUM: NULL-name terminated
} dvt_schema_field;

struct dvt_schema {
  const char *name;
  const dvt_schema_field *fields;
  size_t field_count;
};

extern const dvt_schema dvt_schema_graph_def, dvt_schema_node_def, dvt_schema_attr_value, dvt_schema_tensor_proto,
    dvt_schema_tensor_shape, dvt_schema_op_def, dvt_schema_op_list, dvt_schema_function_def,
    dvt_schema_function_library, dvt_schema_saved_model, dvt_schema_meta_graph_def, dvt_schema_signature_def,
    dvt_schema_kernel_def, dvt_schema_kernel_list, dvt_schema_config_proto, dvt_schema_run_options,
    dvt_schema_name_attr_list, dvt_schema_step_stats, dvt_schema_run_metadata;

// Text format -> wire bytes appended to *out. `what` names the text in errors, which give line, column, what was
// expected and the nearest field name.
dvt_status dvt_text_parse(const dvt_schema *schema, dvt_str text, const char *what, dvt_buf *out) DVT_NODISCARD;
// Wire bytes -> text format, fields in the order of the bytes (one a line, two-space indent; `single_line` for error
// messages). Fields without a row in the table are printed by number.
dvt_status dvt_text_print(const dvt_schema *schema, dvt_str wire, bool single_line, dvt_buf *out) DVT_NODISCARD;
// JSON (proto3 mapping) -> wire bytes; used for model.json topologies and options.
dvt_status dvt_json_parse(const dvt_schema *schema, dvt_str json, const char *what, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_BASE_SCHEMA_H_
