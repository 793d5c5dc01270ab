// Text format to wire bytes: a recursive descent over the fields of one message, guided by its schema.
// Messages are written as they are met; nothing is built in between.
#include "base/number.h"
#include "base/schema.h"
#include "base/schema_write.h"
#include "base/text_lexer.h"

typedef struct text_parser {
  dvt_lexer lexer;
  dvt_buf scratch;  // the string being read
  int depth;
} text_parser;

static dvt_status parse_fields(text_parser *p, const dvt_schema *schema, char close, dvt_buf *out);

static dvt_status unexpected(text_parser *p, const char *expected, const char *field) {
  if (p->lexer.kind == DVT_TOKEN_END)
    return dvt_lexer_error(&p->lexer, "expected %s for %s, found the end of the text", expected, field);
  return dvt_lexer_error(&p->lexer, "expected %s for %s, found '" DVT_STR_FMT "'", expected, field,
                         (int)DVT_MIN(p->lexer.token.len, (size_t)40), p->lexer.token.data);
}

static dvt_status parse_int(text_parser *p, const dvt_schema_field *field, bool negative,
                            uint64_t *out_bits) {
  uint64_t magnitude;
  if (p->lexer.kind != DVT_TOKEN_NUMBER || !dvt_number_parse_uint64(p->lexer.token, &magnitude) ||
      !dvt_schema_int_bits(field->kind, negative, magnitude, out_bits))
    return unexpected(p, dvt_schema_kind_name(field->kind), field->name);
  return NULL;
}

static dvt_status parse_real(text_parser *p, const dvt_schema_field *field, bool negative,
                             uint64_t *out_bits) {
  dvt_str token = p->lexer.token;
  double value = 0;
  bool ok = false;
  if (p->lexer.kind == DVT_TOKEN_NUMBER) {
    if (token.data[token.len - 1] == 'f' || token.data[token.len - 1] == 'F') token.len--;
    ok = dvt_number_parse_double(token, &value);
  } else if (p->lexer.kind == DVT_TOKEN_NAME) {
    ok = dvt_number_parse_double(token, &value);
  }
  if (!ok) return unexpected(p, dvt_schema_kind_name(field->kind), field->name);
  bool is_nan = value != value;  // it has no sign in this format
  *out_bits = dvt_schema_real_bits(field->kind, negative && !is_nan ? -value : value);
  return NULL;
}

static dvt_status parse_bool(text_parser *p, const dvt_schema_field *field, uint64_t *out_bits) {
  static const char *const names[2][3] = {{"false", "False", "f"}, {"true", "True", "t"}};
  if (p->lexer.kind == DVT_TOKEN_NUMBER) return parse_int(p, field, false, out_bits);
  for (uint64_t value = 0; value < 2; value++)
    for (size_t i = 0; i < 3; i++)
      if (p->lexer.kind == DVT_TOKEN_NAME && dvt_str_is(p->lexer.token, names[value][i])) {
        *out_bits = value;
        return NULL;
      }
  return unexpected(p, dvt_schema_kind_name(field->kind), field->name);
}

static dvt_status parse_enum(text_parser *p, const dvt_schema_field *field, bool negative,
                             uint64_t *out_bits) {
  int32_t value;
  if (p->lexer.kind == DVT_TOKEN_NUMBER) return parse_int(p, field, negative, out_bits);
  if (p->lexer.kind != DVT_TOKEN_NAME || negative)
    return unexpected(p, "the name of an enum value", field->name);
  if (!dvt_schema_enum_value(field->enum_values, p->lexer.token, &value)) {
    const char *near = dvt_schema_nearest_enum(field->enum_values, p->lexer.token);
    return dvt_lexer_error(&p->lexer, "%s has no value \"" DVT_STR_FMT "\"%s%s%s", field->name,
                           DVT_STR_ARG(p->lexer.token), near ? "; did you mean \"" : "", near ? near : "",
                           near ? "\"?" : "");
  }
  *out_bits = (uint64_t)(int64_t)value;
  return NULL;
}

static dvt_status parse_scalar(text_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  uint64_t bits = 0;
  bool negative = dvt_lexer_is_sign(&p->lexer, '-');
  if (negative) dvt_lexer_advance(&p->lexer);
  switch (field->kind) {
    case DVT_KIND_FLOAT:
    case DVT_KIND_DOUBLE:
      DVT_RETURN_IF_ERROR(parse_real(p, field, negative, &bits));
      break;
    case DVT_KIND_BOOL:
      if (negative) return unexpected(p, "true or false", field->name);
      DVT_RETURN_IF_ERROR(parse_bool(p, field, &bits));
      break;
    case DVT_KIND_ENUM:
      DVT_RETURN_IF_ERROR(parse_enum(p, field, negative, &bits));
      break;
    default:
      DVT_RETURN_IF_ERROR(parse_int(p, field, negative, &bits));
      break;
  }
  dvt_lexer_advance(&p->lexer);
  dvt_message_put_scalar(writer, field, bits);
  return NULL;
}

static dvt_status parse_message(text_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  char close = dvt_lexer_is_sign(&p->lexer, '{') ? '}' : dvt_lexer_is_sign(&p->lexer, '<') ? '>' : 0;
  if (!close) return unexpected(p, "'{'", field->name);
  if (p->depth >= DVT_SCHEMA_MAX_DEPTH)
    return dvt_lexer_error(&p->lexer, "messages nest more than %d deep", DVT_SCHEMA_MAX_DEPTH);
  dvt_lexer_advance(&p->lexer);
  size_t begin = dvt_message_begin(writer, field);
  p->depth++;
  DVT_RETURN_IF_ERROR(parse_fields(p, field->message, close, writer->out));
  p->depth--;
  dvt_lexer_advance(&p->lexer);
  dvt_wire_end(writer->out, begin);
  return NULL;
}

static dvt_status parse_value(text_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (field->message) return parse_message(p, field, writer);
  if (field->kind != DVT_KIND_STRING && field->kind != DVT_KIND_BYTES) return parse_scalar(p, field, writer);
  dvt_buf_clear(&p->scratch);
  if (p->lexer.kind != DVT_TOKEN_STRING && p->lexer.kind != DVT_TOKEN_BAD)
    return unexpected(p, "a quoted string", field->name);
  DVT_RETURN_IF_ERROR(dvt_lexer_take_string(&p->lexer, &p->scratch));
  dvt_message_put_bytes(writer, field, dvt_buf_str(&p->scratch));
  return NULL;
}

// [a, b, c] for a repeated field.
static dvt_status parse_list(text_parser *p, const dvt_schema_field *field, dvt_message_writer *writer) {
  if (!field->repeated) return dvt_lexer_error(&p->lexer, "%s takes one value, not a list", field->name);
  dvt_lexer_advance(&p->lexer);
  if (dvt_lexer_is_sign(&p->lexer, ']')) {
    dvt_lexer_advance(&p->lexer);
    return NULL;
  }
  for (;;) {
    DVT_RETURN_IF_ERROR(parse_value(p, field, writer));
    bool done = dvt_lexer_is_sign(&p->lexer, ']');
    if (!done && !dvt_lexer_is_sign(&p->lexer, ',')) return unexpected(p, "',' or ']'", field->name);
    dvt_lexer_advance(&p->lexer);
    if (done) return NULL;
  }
}

static dvt_status unknown_field(text_parser *p, const dvt_schema *schema) {
  if (p->lexer.kind == DVT_TOKEN_END)
    return dvt_lexer_error(&p->lexer, "the text ends inside %s; a closing brace is missing", schema->name);
  if (dvt_lexer_is_sign(&p->lexer, '['))
    return dvt_lexer_error(&p->lexer, "extensions and expanded Any messages cannot be read; found one in %s",
                           schema->name);
  if (p->lexer.kind != DVT_TOKEN_NAME)
    return dvt_lexer_error(&p->lexer, "expected a field name of %s, found '" DVT_STR_FMT "'", schema->name,
                           (int)DVT_MIN(p->lexer.token.len, (size_t)40), p->lexer.token.data);
  const char *near = dvt_schema_nearest_field(schema, p->lexer.token);
  return dvt_lexer_error(&p->lexer, "%s has no field \"" DVT_STR_FMT "\"%s%s%s", schema->name,
                         (int)DVT_MIN(p->lexer.token.len, (size_t)80), p->lexer.token.data,
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static dvt_status parse_field(text_parser *p, const dvt_schema *schema, uint64_t *seen,
                              dvt_message_writer *writer) {
  const dvt_schema_field *field =
      p->lexer.kind == DVT_TOKEN_NAME ? dvt_schema_field_by_name(schema, p->lexer.token) : NULL;
  if (!field) return unknown_field(p, schema);
  uint64_t bit = UINT64_C(1) << ((size_t)(field - schema->fields) & 63);
  if (!field->repeated && (*seen & bit))
    return dvt_lexer_error(&p->lexer, "%s is given twice in %s, which takes it once", field->name,
                           schema->name);
  *seen |= bit;
  dvt_lexer_advance(&p->lexer);
  if (dvt_lexer_is_sign(&p->lexer, ':'))
    dvt_lexer_advance(&p->lexer);
  else if (!field->message)
    return unexpected(p, "':'", field->name);
  if (dvt_lexer_is_sign(&p->lexer, '['))
    DVT_RETURN_IF_ERROR(parse_list(p, field, writer));
  else
    DVT_RETURN_IF_ERROR(parse_value(p, field, writer));
  if (dvt_lexer_is_sign(&p->lexer, ',') || dvt_lexer_is_sign(&p->lexer, ';')) dvt_lexer_advance(&p->lexer);
  return NULL;
}

// Fields up to the sign `close`, which stays the current token; 0 means up to the end of the text.
static dvt_status parse_fields(text_parser *p, const dvt_schema *schema, char close, dvt_buf *out) {
  dvt_message_writer writer = {.out = out};
  uint64_t seen = 0;
  while (close ? !dvt_lexer_is_sign(&p->lexer, close) : p->lexer.kind != DVT_TOKEN_END)
    DVT_RETURN_IF_ERROR(parse_field(p, schema, &seen, &writer));
  dvt_message_finish(&writer);
  return NULL;
}

dvt_status dvt_text_parse(const dvt_schema *schema, dvt_str text, const char *what, dvt_buf *out) {
  text_parser p = {0};
  size_t before = out->len;
  dvt_lexer_open(&p.lexer, text, what);
  dvt_status status = parse_fields(&p, schema, 0, out);
  dvt_buf_deinit(&p.scratch);
  if (!status && out->failed) status = dvt_error_out_of_memory(out->len);
  if (status && !out->failed) out->len = before;
  return status;
}
