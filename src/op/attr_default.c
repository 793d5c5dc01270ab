// Default values in attr specs: proto text style (rule 57). Scalars and lists of scalars are read here;
// shapes, tensors and functions, being messages, by the text-format reader as the one field of an AttrValue.
#include <errno.h>
#include <stdlib.h>

#include "base/schema.h"
#include "op/spec_grammar.h"
#include "tensor/dtype.h"

enum { LONGEST_TOKEN = 64 };

static dvt_str trim(dvt_str s) {
  dvt_scan_space(&s);
  while (s.len && dvt_scan_is_space(s.data[s.len - 1])) s.len--;
  return s;
}

// A number or word up to a space, comma, bracket or comment, as a C string; false when there is none or it is
// too long.
static bool scan_token(dvt_str *rest, char out_token[LONGEST_TOKEN]) {
  size_t n = 0;
  while (n < rest->len && !dvt_scan_is_space(rest->data[n]) && !strchr(",]#", rest->data[n])) n++;
  if (n == 0 || n >= LONGEST_TOKEN || memchr(rest->data, '\0', n)) return false;
  memcpy(out_token, rest->data, n);
  out_token[n] = '\0';
  *rest = dvt_str_drop(*rest, n);
  dvt_scan_space(rest);
  return true;
}

static bool parse_int(const char *token, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(token, &end, 10);
  return errno == 0 && *end == '\0' && !dvt_scan_is_space(token[0]);
}

static bool parse_type(const char *token, int *out_dtype) {
  int64_t number;
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++) {
    if (strcmp(token, dvt_dtype_proto_name(dtype)) != 0) continue;
    *out_dtype = dtype;
    return true;
  }
  if (!parse_int(token, &number) || number < 0 || number > INT16_MAX || !dvt_dtype_is_valid((int)number))
    return false;
  *out_dtype = (int)number;
  return true;
}

static bool parse_bool(const char *token, bool *out) {
  static const char *const words[] = {"false", "False", "0", "true", "True", "1"};
  for (size_t i = 0; i < DVT_COUNT_OF(words); i++) {
    if (strcmp(token, words[i]) != 0) continue;
    *out = i >= 3;
    return true;
  }
  return false;
}

// Appends one scalar as field `number` of AttrValue or ListValue, which use the same numbers.
static bool parse_scalar(int kind, dvt_str *rest, dvt_buf *out) {
  char token[LONGEST_TOKEN], *end;
  dvt_str text;
  int64_t integer;
  bool flag;
  int dtype;
  if (kind == TF_ATTR_STRING) {
    if (!dvt_scan_quoted(rest, &text)) return false;
    size_t begin = dvt_wire_begin(out, 2);
    if (dvt_spec_unescape(text, out)) return false;
    dvt_wire_end(out, begin);
    return true;
  }
  if (!scan_token(rest, token)) return false;
  switch (kind) {
    case TF_ATTR_INT:
      if (!parse_int(token, &integer)) return false;
      dvt_attr_put_int(out, integer);
      return true;
    case TF_ATTR_FLOAT: {
      float value = strtof(token, &end);
      if (*end != '\0') return false;
      dvt_attr_put_float(out, value);
      return true;
    }
    case TF_ATTR_BOOL:
      if (!parse_bool(token, &flag)) return false;
      dvt_attr_put_bool(out, flag);
      return true;
    default:
      if (!parse_type(token, &dtype)) return false;
      dvt_attr_put_type(out, dtype);
      return true;
  }
}

static bool is_scalar_kind(int kind) { return kind <= TF_ATTR_TYPE; }

static bool parse_scalar_list(int kind, dvt_str text, dvt_buf *out) {
  dvt_str rest = dvt_str_drop(text, 1);
  size_t list = dvt_wire_begin(out, 1);
  dvt_scan_space(&rest);
  if (!dvt_scan_literal(&rest, DVT_STR("]"))) {
    for (bool more = true; more;) {
      if (!parse_scalar(kind, &rest, out)) return false;
      more = dvt_scan_literal(&rest, DVT_STR(","));
      dvt_scan_space(&rest);
    }
    if (!dvt_scan_literal(&rest, DVT_STR("]"))) return false;
  }
  dvt_wire_end(out, list);
  return rest.len == 0;
}

// The text must have filled exactly the field meant, or "{} s: 'x'" would pass as a shape.
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

static bool parse_messages(dvt_spec_context *context, dvt_str text, const dvt_attr_def *attr, dvt_buf *out) {
  dvt_buf message = {0};
  dvt_buf_printf(&message, attr->is_list ? "list { %s: " : "%s: ", dvt_attr_kind_name(attr->kind));
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

static bool parse(dvt_spec_context *context, dvt_str text, const dvt_attr_def *attr, dvt_buf *out) {
  if (text.len == 0) return false;
  bool scalars = is_scalar_kind(attr->kind);
  if (attr->is_list) {
    // The text format reads "x: 7" like "x: [7]" and refuses "x: []"; specs want brackets and allow the empty
    // list.
    if (text.len < 2 || text.data[0] != '[' || text.data[text.len - 1] != ']') return false;
    bool empty = trim(dvt_str_make(text.data + 1, text.len - 2)).len == 0;
    return scalars || empty ? parse_scalar_list(attr->kind, text, out)
                            : parse_messages(context, text, attr, out);
  }
  if (!scalars) return parse_messages(context, text, attr, out);
  return parse_scalar(attr->kind, &text, out) && (text.len == 0 || text.data[0] == '#');
}

// A list of scalars as parsed has one field an element; numbers are packed, as every writer packs them.
static void pack_numbers(const dvt_attr_def *attr, dvt_spec_context *context) {
  dvt_buf *buf = context->scratch;
  dvt_field list;
  if (!attr->is_list || !is_scalar_kind(attr->kind) || attr->kind == TF_ATTR_STRING) return;
  if (!dvt_wire_find(dvt_buf_str(buf), 1, DVT_WIRE_BYTES, &list) || list.bytes.len == 0) return;
  dvt_buf packed = {0};
  dvt_wire wire = dvt_wire_open(list.bytes);
  dvt_field element;
  size_t outer = dvt_wire_begin(&packed, 1), inner = 0;
  for (bool first = true; dvt_wire_next(&wire, &element); first = false) {
    if (first) inner = dvt_wire_begin(&packed, element.number);
    unsigned char le[4] = {element.value & 255, element.value >> 8 & 255, element.value >> 16 & 255,
                           element.value >> 24 & 255};
    if (element.type == DVT_WIRE_FIXED32)
      dvt_buf_append(&packed, le, sizeof le);
    else
      dvt_wire_put_raw_varint(&packed, element.value);
  }
  dvt_wire_end(&packed, inner);
  dvt_wire_end(&packed, outer);
  dvt_buf_clear(buf);
  dvt_buf_append_str(buf, dvt_buf_str(&packed));
  buf->failed = buf->failed || packed.failed;
  dvt_buf_deinit(&packed);
}

bool dvt_spec_parse_default(dvt_spec_context *context, dvt_str text, dvt_attr_def *attr) {
  dvt_buf *out = context->scratch;
  dvt_buf_clear(out);
  if (!parse(context, trim(text), attr, out)) return false;
  pack_numbers(attr, context);
  if (out->failed || !dvt_arena_copy_str(context->arena, dvt_buf_str(out), &attr->default_value)) {
    context->errors->failed = true;
    return false;
  }
  attr->has_default = true;
  return true;
}
