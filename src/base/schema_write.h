// Look-ups in schema tables, and a writer of one message that gathers packed values. For the text and JSON
// readers and the text printer.
#ifndef DVT_BASE_SCHEMA_WRITE_H_
#define DVT_BASE_SCHEMA_WRITE_H_

#include "base/schema.h"
#include "base/wire.h"

// Messages may nest this deep, as in protocol buffers' own readers.
#define DVT_SCHEMA_MAX_DEPTH 100

const dvt_schema_field *dvt_schema_field_by_name(const dvt_schema *schema, dvt_str name);
// By name or by its lowerCamelCase form.
const dvt_schema_field *dvt_schema_field_by_json_name(const dvt_schema *schema, dvt_str name);
const dvt_schema_field *dvt_schema_field_by_number(const dvt_schema *schema, uint32_t number);
bool dvt_schema_enum_value(const dvt_schema_enum *values, dvt_str name, int32_t *out_value);
const char *dvt_schema_enum_name(const dvt_schema_enum *values, int64_t value);  // NULL when unknown
// The field or enum name most like `name`, NULL when none is near.
const char *dvt_schema_nearest_field(const dvt_schema *schema, dvt_str name);
const char *dvt_schema_nearest_enum(const dvt_schema_enum *values, dvt_str name);
// Of one element: BYTES for strings, bytes and messages.
dvt_wire_type dvt_schema_wire_type(dvt_field_kind kind);
const char *dvt_schema_kind_name(dvt_field_kind kind);  // "a 32-bit integer", for "expected ..."

// An integer of sign and magnitude as the bits a field of `kind` carries; false when it is out of range.
bool dvt_schema_int_bits(dvt_field_kind kind, bool negative, uint64_t magnitude, uint64_t *out_bits);
uint64_t dvt_schema_real_bits(dvt_field_kind kind, double value);  // FLOAT or DOUBLE

// Neighbouring values of the same packed field share one run.
typedef struct dvt_message_writer {
  dvt_buf *out;
  const dvt_schema_field *packed;  // whose run is open
  size_t packed_begin;
} dvt_message_writer;

void dvt_message_put_scalar(dvt_message_writer *writer, const dvt_schema_field *field, uint64_t bits);
void dvt_message_put_bytes(dvt_message_writer *writer, const dvt_schema_field *field, dvt_str bytes);
size_t dvt_message_begin(dvt_message_writer *writer,
                         const dvt_schema_field *field);  // to be ended by dvt_wire_end
void dvt_message_finish(dvt_message_writer *writer);

#endif  // DVT_BASE_SCHEMA_WRITE_H_
