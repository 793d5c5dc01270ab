// JSON to wire bytes after the proto3 mapping: field names as they are or in lowerCamelCase, 64-bit integers
// as numbers or strings, bytes as base64, enums by name or number, maps as objects, null for "not set".
#include <math.h>

#include "base/json_reader.h"
#include "base/number.h"
#include "base/schema_write.h"

static dvt_status parse_object(dvt_json *p, const dvt_schema *schema, dvt_buf *out);

// Digits with an optional sign, or a real number with an integral value ("1e3").
static bool int_from_text(dvt_str s, dvt_field_kind kind, uint64_t *out_bits) {
  bool negative = s.len && s.data[0] == '-';
  dvt_str digits = negative ? dvt_str_drop(s, 1) : s;
  uint64_t magnitude;
  double value;
  bool plain = digits.len == 1 || (digits.len && digits.data[0] != '0');
  if (plain && dvt_number_parse_uint64(digits, &magnitude))
    return dvt_schema_int_bits(kind, negative, magnitude, out_bits);
  if (!dvt_number_parse_double(s, &value) || value != floor(value) || fabs(value) >= 0x1p64) return false;
  return dvt_schema_int_bits(kind, value < 0, (uint64_t)fabs(value), out_bits);
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

// In place: the decoded bytes are never longer. Standard or URL alphabet, padding optional.
static bool decode_base64(dvt_buf *buf) {
  dvt_str s = dvt_buf_str(buf);
  while (s.len && s.data[s.len - 1] == '=') s.len--;
  uint32_t bits = 0, count = 0;
  size_t to = 0;
  for (size_t i = 0; i < s.len; i++) {
    int digit = base64_digit(s.data[i]);
    if (digit < 0) return false;
    bits = bits << 6 | (uint32_t)digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    buf->data[to++] = (char)(bits >> count);
  }
  buf->len = to;
  return count < 6;
}

static dvt_status wrong_value(dvt_json *p, size_t at, const dvt_schema_field *field) {
  return dvt_json_error(p, at, "expected %s for %s", dvt_schema_kind_name(field->kind), field->name);
}

static dvt_status enum_from_text(dvt_json *p, size_t at, const dvt_schema_field *field, dvt_str s,
                                 uint64_t *out_bits) {
  int32_t value;
  if (!dvt_schema_enum_value(field->enum_values, s, &value)) {
    const char *near = dvt_schema_nearest_enum(field->enum_values, s);
    return dvt_json_error(p, at, "%s has no value \"" DVT_STR_FMT "\"%s%s%s", field->name, DVT_STR_ARG(s),
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  *out_bits = (uint64_t)(int64_t)value;
  return NULL;
}

// A scalar that is written as `s`, quoted or not: numbers may be either, and map keys are always quoted.
static dvt_status scalar_from_text(dvt_json *p, size_t at, const dvt_schema_field *field, dvt_str s,
                                   bool quoted, uint64_t *out_bits) {
  double value;
  if (field->kind == DVT_KIND_ENUM && quoted) return enum_from_text(p, at, field, s, out_bits);
  if (field->kind == DVT_KIND_BOOL) {
    *out_bits = dvt_str_is(s, "true");
    return *out_bits || dvt_str_is(s, "false") ? NULL : wrong_value(p, at, field);
  }
  if (field->kind == DVT_KIND_FLOAT || field->kind == DVT_KIND_DOUBLE) {
    if (!dvt_number_parse_double(s, &value)) return wrong_value(p, at, field);
    *out_bits = dvt_schema_real_bits(field->kind, value);
    return NULL;
  }
  return int_from_text(s, field->kind, out_bits) ? NULL : wrong_value(p, at, field);
}

static dvt_status parse_scalar(dvt_json *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  char c = dvt_json_peek(p);
  size_t at = p->at;
  uint64_t bits;
  if (field->kind == DVT_KIND_BOOL) {
    bits = dvt_json_take_word(p, "true");
    if (!bits && !dvt_json_take_word(p, "false")) return wrong_value(p, at, field);
  } else if (c == '"') {
    DVT_RETURN_IF_ERROR(dvt_json_take_string(p, &p->scratch));
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, field, dvt_buf_str(&p->scratch), true, &bits));
  } else {
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, field, dvt_json_take_number(p), false, &bits));
  }
  dvt_message_put_scalar(writer, field, bits);
  return NULL;
}

static dvt_status parse_value(dvt_json *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  char c = dvt_json_peek(p);
  size_t at = p->at;
  if (field->kind == DVT_KIND_STRING || field->kind == DVT_KIND_BYTES) {
    if (c != '"') return wrong_value(p, at, field);
    DVT_RETURN_IF_ERROR(dvt_json_take_string(p, &p->scratch));
    if (field->kind == DVT_KIND_BYTES && !decode_base64(&p->scratch))
      return dvt_json_error(p, at, "expected base64 text for %s", field->name);
    dvt_message_put_bytes(writer, field, dvt_buf_str(&p->scratch));
    return NULL;
  }
  if (field->kind != DVT_KIND_MESSAGE) return parse_scalar(p, field, writer);
  size_t begin = dvt_message_begin(writer, field);
  DVT_RETURN_IF_ERROR(parse_object(p, field->message, writer->out));
  dvt_wire_end(writer->out, begin);
  return NULL;
}

static dvt_status parse_array(dvt_json *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (!dvt_json_take(p, '[')) return dvt_json_error(p, p->at, "expected an array for %s", field->name);
  if (dvt_json_take(p, ']')) return NULL;
  do {
    DVT_RETURN_IF_ERROR(parse_value(p, field, writer));
  } while (dvt_json_take(p, ','));
  return dvt_json_take(p, ']')
             ? NULL
             : dvt_json_error(p, p->at, "expected ',' or ']' in the array of %s", field->name);
}

static dvt_status parse_map_entry(dvt_json *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  const dvt_schema_field *key = &field->message->fields[0], *value = &field->message->fields[1];
  size_t at = p->at;
  uint64_t bits;
  DVT_RETURN_IF_ERROR(dvt_json_take_string(p, &p->scratch));
  size_t begin = dvt_message_begin(writer, field);
  dvt_message_writer entry = {.out = writer->out};
  if (key->kind == DVT_KIND_STRING) {
    dvt_message_put_bytes(&entry, key, dvt_buf_str(&p->scratch));
  } else {
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, key, dvt_buf_str(&p->scratch), true, &bits));
    dvt_message_put_scalar(&entry, key, bits);
  }
  if (!dvt_json_take(p, ':')) return dvt_json_error(p, p->at, "expected ':' behind a key of %s", field->name);
  DVT_RETURN_IF_ERROR(parse_value(p, value, &entry));
  dvt_wire_end(writer->out, begin);
  return NULL;
}

static dvt_status parse_map(dvt_json *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (!dvt_json_take(p, '{')) return dvt_json_error(p, p->at, "expected an object for %s", field->name);
  if (dvt_json_take(p, '}')) return NULL;
  do {
    dvt_json_peek(p);
    DVT_RETURN_IF_ERROR(parse_map_entry(p, field, writer));
  } while (dvt_json_take(p, ','));
  return dvt_json_take(p, '}') ? NULL : dvt_json_error(p, p->at, "expected ',' or '}' in %s", field->name);
}

static dvt_status parse_member(dvt_json *p, const dvt_schema *schema, dvt_message_writer *writer) {
  dvt_json_peek(p);
  size_t at = p->at;
  DVT_RETURN_IF_ERROR(dvt_json_take_string(p, &p->name));
  dvt_str name = dvt_buf_str(&p->name);
  const dvt_schema_field *field = dvt_schema_field_by_json_name(schema, name);
  if (!field && p->ignore_unknown)
    return dvt_json_take(p, ':') ? dvt_json_skip(p) : dvt_json_error(p, p->at, "expected ':'");
  if (!field) {
    const char *near = dvt_schema_nearest_field(schema, name);
    return dvt_json_error(p, at, "%s has no field \"" DVT_STR_FMT "\"%s%s%s", schema->name,
                          (int)DVT_MIN(name.len, (size_t)80), name.data, near ? "; did you mean \"" : "",
                          near ? near : "", near ? "\"?" : "");
  }
  if (!dvt_json_take(p, ':')) return dvt_json_error(p, p->at, "expected ':' behind \"%s\"", field->name);
  if (dvt_json_take_word(p, "null")) return NULL;
  if (field->kind == DVT_KIND_MAP) return parse_map(p, field, writer);
  return field->repeated ? parse_array(p, field, writer) : parse_value(p, field, writer);
}

static dvt_status parse_object(dvt_json *p, const dvt_schema *schema, dvt_buf *out) {
  dvt_message_writer writer = {.out = out};
  if (!dvt_json_take(p, '{')) return dvt_json_error(p, p->at, "expected an object for %s", schema->name);
  if (++p->depth > DVT_SCHEMA_MAX_DEPTH)
    return dvt_json_error(p, p->at - 1, "objects nest more than %d deep", DVT_SCHEMA_MAX_DEPTH);
  if (!dvt_json_take(p, '}')) {
    do {
      DVT_RETURN_IF_ERROR(parse_member(p, schema, &writer));
    } while (dvt_json_take(p, ','));
    if (!dvt_json_take(p, '}')) return dvt_json_error(p, p->at, "expected ',' or '}' in %s", schema->name);
  }
  p->depth--;
  dvt_message_finish(&writer);
  return NULL;
}

dvt_status dvt_json_take_message(dvt_json *p, const dvt_schema *schema, dvt_buf *out) {
  size_t before = out->len;
  dvt_status status = parse_object(p, schema, out);
  if (!status && out->failed) status = dvt_error_out_of_memory(out->len);
  if (status && !out->failed) out->len = before;
  return status;
}

dvt_status dvt_json_parse(const dvt_schema *schema, dvt_str json, const char *what, dvt_buf *out) {
  dvt_json p = {.what = what, .text = json};
  size_t before = out->len;
  dvt_status status = dvt_json_take_message(&p, schema, out);
  if (!status) status = dvt_json_finish(&p);
  if (status && !out->failed) out->len = before;
  dvt_json_deinit(&p);
  return status;
}
