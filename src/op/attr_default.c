// Default values in attr specs: proto text style (rule 57), parsed by the text-format reader as the one field
// of an AttrValue. Plain integers, booleans and short strings, nearly all defaults in practice, take a direct
// way.
#include "base/schema.h"
#include "op/spec_grammar.h"
#include "tensor/dtype.h"

static const char *field_name(int kind) {
  static const char *const names[] = {"s", "i", "f", "b", "type", "shape", "tensor", "placeholder", "func"};
  return names[kind];
}

static dvt_str trim(dvt_str s) {
  dvt_scan_space(&s);
  while (s.len && dvt_scan_is_space(s.data[s.len - 1])) s.len--;
  return s;
}

static bool parse_plain_int(dvt_str text, dvt_buf *out) {
  size_t sign = text.len && text.data[0] == '-';
  // A leading 0 may start an octal or hexadecimal number; 18 digits cannot overflow.
  if (text.len == sign || text.len - sign > 18 || (text.data[sign] == '0' && text.len - sign > 1))
    return false;
  int64_t value = 0;
  for (size_t i = sign; i < text.len; i++) {
    if (!dvt_scan_is_digit(text.data[i])) return false;
    value = value * 10 + (text.data[i] - '0');
  }
  dvt_attr_put_int(out, sign ? -value : value);
  return true;
}

static bool parse_plain_string(dvt_str text, dvt_buf *out) {
  if (text.len < 2 || (text.data[0] != '"' && text.data[0] != '\'')) return false;
  dvt_str inner = dvt_str_make(text.data + 1, text.len - 2);
  if (text.data[text.len - 1] != text.data[0]) return false;
  for (size_t i = 0; i < inner.len; i++)
    if (inner.data[i] == '\\' || inner.data[i] == text.data[0] || inner.data[i] == '\n') return false;
  dvt_attr_put_string(out, inner);
  return true;
}

static bool parse_plain(int kind, dvt_str text, dvt_buf *out) {
  if (kind == TF_ATTR_INT) return parse_plain_int(text, out);
  if (kind == TF_ATTR_STRING) return parse_plain_string(text, out);
  if (kind != TF_ATTR_BOOL || !(dvt_str_is(text, "true") || dvt_str_is(text, "false"))) return false;
  dvt_attr_put_bool(out, text.data[0] == 't');
  return true;
}

// The text must have filled exactly the field meant, or "1 s: 'x'" would pass as an int.
static bool is_one_field(dvt_str value, const dvt_attr_def *attr) {
  dvt_wire wire = dvt_wire_open(value);
  dvt_field field;
  int count = 0;
  while (dvt_wire_next(&wire, &field)) count++;
  dvt_attr_info info;
  dvt_status status = dvt_attr_inspect(value, &info);
  bool ok =
      !status && count == 1 && info.is_list == attr->is_list && (info.kind == attr->kind || info.kind < 0);
  dvt_status_free(status);
  return ok;
}

static bool parse_text(dvt_spec_context *context, dvt_str text, const dvt_attr_def *attr, dvt_buf *out) {
  dvt_buf message = {0};
  if (attr->is_list) dvt_buf_append_str(&message, DVT_STR("list { "));
  dvt_buf_printf(&message, "%s: ", field_name(attr->kind));
  dvt_buf_append_str(&message, text);
  if (attr->is_list) dvt_buf_append_str(&message, DVT_STR(" }"));
  bool ok = !message.failed;
  if (!ok) context->errors->failed = true;
  if (ok) {
    dvt_status status = dvt_text_parse(&dvt_schema_attr_value, dvt_buf_str(&message), "default value", out);
    ok = !status && is_one_field(dvt_buf_str(out), attr);
    dvt_status_free(status);
  }
  dvt_buf_deinit(&message);
  return ok;
}

bool dvt_spec_parse_default(dvt_spec_context *context, dvt_str text, dvt_attr_def *attr) {
  dvt_buf *out = context->scratch;
  dvt_buf_clear(out);
  text = trim(text);
  if (text.len == 0) return false;
  if (attr->is_list) {
    // The text format reads "i: 7" like "i: [7]" and refuses "i: []"; specs want brackets and allow the empty
    // list.
    if (text.len < 2 || text.data[0] != '[' || text.data[text.len - 1] != ']') return false;
    if (trim(dvt_str_make(text.data + 1, text.len - 2)).len == 0) {
      dvt_wire_end(out, dvt_wire_begin(out, 1));
    } else if (!parse_text(context, text, attr, out)) {
      return false;
    }
  } else if (!parse_plain(attr->kind, text, out) && !parse_text(context, text, attr, out)) {
    return false;
  }
  if (out->failed || !dvt_arena_copy_str(context->arena, dvt_buf_str(out), &attr->default_value)) {
    context->errors->failed = true;
    return false;
  }
  attr->has_default = true;
  return true;
}
