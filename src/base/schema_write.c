// Schema look-ups and the message writer. Tables are short (37 fields at most), so look-ups are linear.
#include "base/schema_write.h"

#include "base/nearest.h"

const dvt_schema_field *dvt_schema_field_by_name(const dvt_schema *schema, dvt_str name) {
  for (size_t i = 0; i < schema->field_count; i++)
    if (dvt_str_is(name, schema->fields[i].name)) return &schema->fields[i];
  return NULL;
}

// Is `json` the lowerCamelCase of `name`: underscores gone, the letter after each in upper case?
static bool is_camel_of(dvt_str json, const char *name) {
  size_t at = 0;
  for (bool upper = false; *name; name++) {
    if (*name == '_') {
      upper = true;
      continue;
    }
    char want = upper && *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    if (at >= json.len || json.data[at++] != want) return false;
    upper = false;
  }
  return at == json.len;
}

const dvt_schema_field *dvt_schema_field_by_json_name(const dvt_schema *schema, dvt_str name) {
  const dvt_schema_field *field = dvt_schema_field_by_name(schema, name);
  for (size_t i = 0; !field && i < schema->field_count; i++)
    if (is_camel_of(name, schema->fields[i].name)) field = &schema->fields[i];
  return field;
}

const dvt_schema_field *dvt_schema_field_by_number(const dvt_schema *schema, uint32_t number) {
  for (size_t i = 0; i < schema->field_count; i++)
    if (schema->fields[i].number == number) return &schema->fields[i];
  return NULL;
}

bool dvt_schema_enum_value(const dvt_schema_enum *values, dvt_str name, int32_t *out_value) {
  for (; values->name; values++) {
    if (!dvt_str_is(name, values->name)) continue;
    *out_value = values->value;
    return true;
  }
  return false;
}

const char *dvt_schema_enum_name(const dvt_schema_enum *values, int64_t value) {
  for (; values->name; values++)
    if (values->value == value) return values->name;
  return NULL;
}

// Keeps the nearer of *best and `candidate`; names that differ in more than about a third are not near.
static void consider(dvt_str name, const char *candidate, const char **best, uint32_t *best_distance) {
  size_t longer = DVT_MAX(name.len, strlen(candidate));
  uint32_t limit = (uint32_t)DVT_MIN(longer / 3 + 1, (size_t)255);
  uint32_t d = dvt_str_distance(name, dvt_str_from(candidate), limit);
  if (d >= *best_distance) return;
  *best = candidate;
  *best_distance = d;
}

const char *dvt_schema_nearest_field(const dvt_schema *schema, dvt_str name) {
  const char *best = NULL;
  uint32_t best_distance = UINT32_MAX;
  for (size_t i = 0; i < schema->field_count; i++)
    consider(name, schema->fields[i].name, &best, &best_distance);
  return best;
}

const char *dvt_schema_nearest_enum(const dvt_schema_enum *values, dvt_str name) {
  const char *best = NULL;
  uint32_t best_distance = UINT32_MAX;
  for (; values->name; values++) consider(name, values->name, &best, &best_distance);
  return best;
}

dvt_wire_type dvt_schema_wire_type(dvt_field_kind kind) {
  switch (kind) {
    case DVT_KIND_FLOAT:
      return DVT_WIRE_FIXED32;
    case DVT_KIND_DOUBLE:
    case DVT_KIND_FIXED64:
      return DVT_WIRE_FIXED64;
    case DVT_KIND_STRING:
    case DVT_KIND_BYTES:
    case DVT_KIND_MESSAGE:
    case DVT_KIND_MAP:
      return DVT_WIRE_BYTES;
    default:
      return DVT_WIRE_VARINT;
  }
}

const char *dvt_schema_kind_name(dvt_field_kind kind) {
  switch (kind) {
    case DVT_KIND_INT32:
      return "a 32-bit integer";
    case DVT_KIND_INT64:
    case DVT_KIND_SINT64:
      return "a 64-bit integer";
    case DVT_KIND_UINT32:
      return "an unsigned 32-bit integer";
    case DVT_KIND_UINT64:
    case DVT_KIND_FIXED64:
      return "an unsigned 64-bit integer";
    case DVT_KIND_BOOL:
      return "true or false";
    case DVT_KIND_ENUM:
      return "the name of an enum value";
    case DVT_KIND_FLOAT:
    case DVT_KIND_DOUBLE:
      return "a number";
    case DVT_KIND_STRING:
    case DVT_KIND_BYTES:
      return "a quoted string";
    default:
      return "a message in braces";
  }
}

bool dvt_schema_int_bits(dvt_field_kind kind, bool negative, uint64_t magnitude, uint64_t *out_bits) {
  uint64_t largest;
  switch (kind) {
    case DVT_KIND_INT32:
    case DVT_KIND_ENUM:
      largest = (uint64_t)INT32_MAX;
      break;
    case DVT_KIND_INT64:
    case DVT_KIND_SINT64:
      largest = (uint64_t)INT64_MAX;
      break;
    case DVT_KIND_UINT32:
      largest = UINT32_MAX;
      break;
    case DVT_KIND_UINT64:
    case DVT_KIND_FIXED64:
      largest = UINT64_MAX;
      break;
    case DVT_KIND_BOOL:
      largest = 1;
      break;
    default:
      return false;
  }
  bool is_signed = largest == (uint64_t)INT32_MAX || largest == (uint64_t)INT64_MAX;
  if (negative && !is_signed && magnitude) return false;
  if (magnitude > largest + (negative && is_signed ? 1u : 0u)) return false;
  uint64_t bits = negative ? 0u - magnitude : magnitude;
  if (kind == DVT_KIND_SINT64) bits = bits << 1 ^ (bits >> 63 ? UINT64_MAX : 0);  // zigzag
  *out_bits = bits;
  return true;
}

uint64_t dvt_schema_real_bits(dvt_field_kind kind, double value) {
  uint64_t bits = 0;
  if (kind == DVT_KIND_FLOAT) {
    // Beyond the range of float the result is infinite, as where protocol buffers read text.
    float narrow = value > 3.4028235677973366e38    ? __builtin_inff()
                   : value < -3.4028235677973366e38 ? -__builtin_inff()
                                                    : (float)value;
    memcpy(&bits, &narrow, sizeof narrow);
  } else {
    memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

static void put_raw(dvt_buf *out, dvt_wire_type type, uint64_t bits) {
  if (type == DVT_WIRE_VARINT)
    dvt_wire_put_raw_varint(out, bits);
  else
    dvt_buf_append(out, &bits, type == DVT_WIRE_FIXED32 ? 4 : 8);  // little endian
}

void dvt_message_finish(dvt_message_writer *writer) {
  if (writer->packed) dvt_wire_end(writer->out, writer->packed_begin);
  writer->packed = NULL;
}

void dvt_message_put_scalar(dvt_message_writer *writer, const dvt_schema_field *field, uint64_t bits) {
  dvt_wire_type type = dvt_schema_wire_type(field->kind);
  if (writer->packed != field) dvt_message_finish(writer);
  if (field->packed && !writer->packed) {
    writer->packed = field;
    writer->packed_begin = dvt_wire_begin(writer->out, field->number);
  }
  if (field->packed)
    put_raw(writer->out, type, bits);
  else if (type == DVT_WIRE_VARINT)
    dvt_wire_put_varint(writer->out, field->number, bits);
  else if (type == DVT_WIRE_FIXED32)
    dvt_wire_put_fixed32(writer->out, field->number, (uint32_t)bits);
  else
    dvt_wire_put_fixed64(writer->out, field->number, bits);
}

void dvt_message_put_bytes(dvt_message_writer *writer, const dvt_schema_field *field, dvt_str bytes) {
  dvt_message_finish(writer);
  dvt_wire_put_bytes(writer->out, field->number, bytes);
}

size_t dvt_message_begin(dvt_message_writer *writer, const dvt_schema_field *field) {
  dvt_message_finish(writer);
  return dvt_wire_begin(writer->out, field->number);
}
