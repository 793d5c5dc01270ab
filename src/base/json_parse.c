// JSON to wire bytes after the proto3 mapping: field names as they are or in lowerCamelCase, 64-bit integers
// as numbers or strings, bytes as base64, enums by name or number, maps as objects, null for "not set".
#include <math.h>

#include "base/number.h"
#include "base/schema.h"
#include "base/schema_write.h"
#include "base/text_lexer.h"

typedef struct json_parser {
  const char *what;
  dvt_str text;
  size_t at;
  dvt_buf name, scratch;  // the object key and the string being read
  int depth;
} json_parser;

static dvt_status parse_object(json_parser *p, const dvt_schema *schema, dvt_buf *out);

static dvt_status json_error(json_parser *p, size_t at, const char *format, ...) DVT_PRINTF(3, 4);
static dvt_status json_error(json_parser *p, size_t at, const char *format, ...) {
  dvt_buf message = {0};
  va_list args;
  va_start(args, format);
  dvt_buf_vprintf(&message, format, args);
  va_end(args);
  int line, column;
  dvt_text_position(p->text, at, &line, &column);
  dvt_status error = dvt_error(TF_INVALID_ARGUMENT, "%s:%d:%d: %s", p->what, line, column,
                               message.data ? message.data : "malformed JSON");
  dvt_buf_deinit(&message);
  return error;
}

// The next character that is not space, 0 at the end; it is not taken.
static char peek(json_parser *p) {
  while (p->at < p->text.len) {
    char c = p->text.data[p->at];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c;
    p->at++;
  }
  return 0;
}

static bool take(json_parser *p, char c) {
  if (peek(p) != c) return false;
  p->at++;
  return true;
}

static bool take_word(json_parser *p, const char *word) {
  peek(p);
  if (!dvt_str_starts_with(dvt_str_drop(p->text, p->at), dvt_str_from(word))) return false;
  p->at += strlen(word);
  return true;
}

static bool take_hex4(json_parser *p, uint32_t *out_value) {
  uint32_t value = 0;
  if (p->text.len - p->at < 4) return false;
  for (int i = 0; i < 4; i++) {
    char c = p->text.data[p->at++];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return false;
    value = value << 4 | (uint32_t)digit;
  }
  *out_value = value;
  return true;
}

// Behind "\u": one code point, from two escapes where they are a surrogate pair.
static bool take_unicode(json_parser *p, dvt_buf *out) {
  uint32_t code, low;
  if (!take_hex4(p, &code)) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (!dvt_str_starts_with(dvt_str_drop(p->text, p->at), DVT_STR("\\u"))) return false;
    p->at += 2;
    if (!take_hex4(p, &low) || low < 0xdc00 || low > 0xdfff) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code <= 0xdfff) {
    return false;
  }
  dvt_text_put_utf8(out, code);
  return true;
}

static dvt_status take_string(json_parser *p, dvt_buf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  dvt_buf_clear(out);
  if (!take(p, '"')) return json_error(p, p->at, "expected a quoted string");
  size_t begin = p->at;
  while (p->at < p->text.len) {
    char c = p->text.data[p->at++];
    if (c == '"') {
      dvt_buf_append(out, "", 0);
      return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
    }
    if ((unsigned char)c < 0x20) return json_error(p, p->at - 1, "a string holds a bare control character");
    if (c != '\\') {
      dvt_buf_append_byte(out, c);
      continue;
    }
    char escape = p->at < p->text.len ? p->text.data[p->at++] : 0;
    const char *simple = escape ? memchr(from, escape, sizeof from - 1) : NULL;
    if (simple)
      dvt_buf_append_byte(out, to[simple - from]);
    else if (escape != 'u' || !take_unicode(p, out))
      return json_error(p, p->at - 1, "a string holds an invalid escape");
  }
  return json_error(p, begin - 1, "the string has no end");
}

static dvt_str take_number(json_parser *p) {
  peek(p);
  size_t begin = p->at;
  while (p->at < p->text.len && p->text.data[p->at] && strchr("+-.0123456789eE", p->text.data[p->at]))
    p->at++;
  return dvt_str_make(p->text.data + begin, p->at - begin);
}

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

static dvt_status wrong_value(json_parser *p, size_t at, const dvt_schema_field *field) {
  return json_error(p, at, "expected %s for %s", dvt_schema_kind_name(field->kind), field->name);
}

static dvt_status enum_from_text(json_parser *p, size_t at, const dvt_schema_field *field, dvt_str s,
                                 uint64_t *out_bits) {
  int32_t value;
  if (!dvt_schema_enum_value(field->enum_values, s, &value)) {
    const char *near = dvt_schema_nearest_enum(field->enum_values, s);
    return json_error(p, at, "%s has no value \"" DVT_STR_FMT "\"%s%s%s", field->name, DVT_STR_ARG(s),
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  *out_bits = (uint64_t)(int64_t)value;
  return NULL;
}

// A scalar that is written as `s`, quoted or not: numbers may be either, and map keys are always quoted.
static dvt_status scalar_from_text(json_parser *p, size_t at, const dvt_schema_field *field, dvt_str s,
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

static dvt_status parse_scalar(json_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  char c = peek(p);
  size_t at = p->at;
  uint64_t bits;
  if (field->kind == DVT_KIND_BOOL) {
    bits = take_word(p, "true");
    if (!bits && !take_word(p, "false")) return wrong_value(p, at, field);
  } else if (c == '"') {
    DVT_RETURN_IF_ERROR(take_string(p, &p->scratch));
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, field, dvt_buf_str(&p->scratch), true, &bits));
  } else {
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, field, take_number(p), false, &bits));
  }
  dvt_message_put_scalar(writer, field, bits);
  return NULL;
}

static dvt_status parse_value(json_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  char c = peek(p);
  size_t at = p->at;
  if (field->kind == DVT_KIND_STRING || field->kind == DVT_KIND_BYTES) {
    if (c != '"') return wrong_value(p, at, field);
    DVT_RETURN_IF_ERROR(take_string(p, &p->scratch));
    if (field->kind == DVT_KIND_BYTES && !decode_base64(&p->scratch))
      return json_error(p, at, "expected base64 text for %s", field->name);
    dvt_message_put_bytes(writer, field, dvt_buf_str(&p->scratch));
    return NULL;
  }
  if (field->kind != DVT_KIND_MESSAGE) return parse_scalar(p, field, writer);
  size_t begin = dvt_message_begin(writer, field);
  DVT_RETURN_IF_ERROR(parse_object(p, field->message, writer->out));
  dvt_wire_end(writer->out, begin);
  return NULL;
}

static dvt_status parse_array(json_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (!take(p, '[')) return json_error(p, p->at, "expected an array for %s", field->name);
  if (take(p, ']')) return NULL;
  do {
    DVT_RETURN_IF_ERROR(parse_value(p, field, writer));
  } while (take(p, ','));
  return take(p, ']') ? NULL : json_error(p, p->at, "expected ',' or ']' in the array of %s", field->name);
}

static dvt_status parse_map_entry(json_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  const dvt_schema_field *key = &field->message->fields[0], *value = &field->message->fields[1];
  size_t at = p->at;
  uint64_t bits;
  DVT_RETURN_IF_ERROR(take_string(p, &p->scratch));
  size_t begin = dvt_message_begin(writer, field);
  dvt_message_writer entry = {.out = writer->out};
  if (key->kind == DVT_KIND_STRING) {
    dvt_message_put_bytes(&entry, key, dvt_buf_str(&p->scratch));
  } else {
    DVT_RETURN_IF_ERROR(scalar_from_text(p, at, key, dvt_buf_str(&p->scratch), true, &bits));
    dvt_message_put_scalar(&entry, key, bits);
  }
  if (!take(p, ':')) return json_error(p, p->at, "expected ':' behind a key of %s", field->name);
  DVT_RETURN_IF_ERROR(parse_value(p, value, &entry));
  dvt_wire_end(writer->out, begin);
  return NULL;
}

static dvt_status parse_map(json_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (!take(p, '{')) return json_error(p, p->at, "expected an object for %s", field->name);
  if (take(p, '}')) return NULL;
  do {
    peek(p);
    DVT_RETURN_IF_ERROR(parse_map_entry(p, field, writer));
  } while (take(p, ','));
  return take(p, '}') ? NULL : json_error(p, p->at, "expected ',' or '}' in %s", field->name);
}

static dvt_status parse_member(json_parser *p, const dvt_schema *schema, dvt_message_writer *writer) {
  peek(p);
  size_t at = p->at;
  DVT_RETURN_IF_ERROR(take_string(p, &p->name));
  dvt_str name = dvt_buf_str(&p->name);
  const dvt_schema_field *field = dvt_schema_field_by_json_name(schema, name);
  if (!field) {
    const char *near = dvt_schema_nearest_field(schema, name);
    return json_error(p, at, "%s has no field \"" DVT_STR_FMT "\"%s%s%s", schema->name,
                      (int)DVT_MIN(name.len, (size_t)80), name.data, near ? "; did you mean \"" : "",
                      near ? near : "", near ? "\"?" : "");
  }
  if (!take(p, ':')) return json_error(p, p->at, "expected ':' behind \"%s\"", field->name);
  if (take_word(p, "null")) return NULL;
  if (field->kind == DVT_KIND_MAP) return parse_map(p, field, writer);
  return field->repeated ? parse_array(p, field, writer) : parse_value(p, field, writer);
}

static dvt_status parse_object(json_parser *p, const dvt_schema *schema, dvt_buf *out) {
  dvt_message_writer writer = {.out = out};
  if (!take(p, '{')) return json_error(p, p->at, "expected an object for %s", schema->name);
  if (++p->depth > DVT_SCHEMA_MAX_DEPTH)
    return json_error(p, p->at - 1, "objects nest more than %d deep", DVT_SCHEMA_MAX_DEPTH);
  if (!take(p, '}')) {
    do {
      DVT_RETURN_IF_ERROR(parse_member(p, schema, &writer));
    } while (take(p, ','));
    if (!take(p, '}')) return json_error(p, p->at, "expected ',' or '}' in %s", schema->name);
  }
  p->depth--;
  dvt_message_finish(&writer);
  return NULL;
}

dvt_status dvt_json_parse(const dvt_schema *schema, dvt_str json, const char *what, dvt_buf *out) {
  json_parser p = {.what = what, .text = json};
  size_t before = out->len;
  dvt_status status = parse_object(&p, schema, out);
  peek(&p);
  if (!status && p.at < json.len) status = json_error(&p, p.at, "text goes on behind the JSON object");
  dvt_buf_deinit(&p.name);
  dvt_buf_deinit(&p.scratch);
  if (!status && out->failed) status = dvt_error_out_of_memory(out->len);
  if (status && !out->failed) out->len = before;
  return status;
}
