// Attr specs: "name: type >= minimum = default" (the grammar is in spec_grammar.h).
#include <errno.h>
#include <stdlib.h>

#include "op/spec_grammar.h"
#include "tensor/dtype.h"

typedef struct attr_parser {
  dvt_spec_context *context;
  dvt_str orig, rest;
} attr_parser;

#define FAIL(p, format, ...)                                                                          \
  (dvt_spec_error((p)->context->errors, format " from Attr(\"" DVT_STR_FMT "\") for Op " DVT_STR_FMT, \
                  __VA_ARGS__, DVT_STR_ARG((p)->orig), DVT_STR_ARG((p)->context->op_name)),           \
   false)
#define REST(p) DVT_STR_ARG((p)->rest)

bool dvt_spec_dtype_from_name(dvt_str name, int *out_dtype) {
  if (dvt_dtype_from_name(name, out_dtype)) return true;
  dvt_str suffix = DVT_STR("_ref");
  if (name.len <= suffix.len || memcmp(name.data + name.len - suffix.len, suffix.data, suffix.len) != 0)
    return false;
  int dtype;
  if (!dvt_dtype_from_name(dvt_str_make(name.data, name.len - suffix.len), &dtype)) return false;
  *out_dtype = dtype + DVT_DTYPE_REF_OFFSET;
  return true;
}

// Moves what was written to the scratch buf into the arena.
static bool keep_scratch(attr_parser *p, dvt_str *out) {
  if (p->context->scratch->failed ||
      !dvt_arena_copy_str(p->context->arena, dvt_buf_str(p->context->scratch), out)) {
    p->context->errors->failed = true;
    return false;
  }
  return true;
}

// After an element of a braced list: 1 = another one follows, 0 = the list is closed, -1 = neither.
static int next_in_braces(attr_parser *p) {
  if (dvt_scan_literal(&p->rest, DVT_STR(","))) {
    dvt_scan_space(&p->rest);
    return dvt_scan_literal(&p->rest, DVT_STR("}")) ? 0 : 1;
  }
  return dvt_scan_literal(&p->rest, DVT_STR("}")) ? 0 : -1;
}

// Inside braces, strings: writes AttrValue.list.s to the scratch buf.
static bool parse_allowed_strings(attr_parser *p, dvt_attr_def *attr) {
  dvt_buf *out = p->context->scratch;
  dvt_buf_clear(out);
  size_t list = dvt_wire_begin(out, 1);
  for (int more = 1; more == 1;) {
    dvt_str text;
    if (!dvt_scan_quoted(&p->rest, &text))
      return FAIL(p, "Trouble parsing allowed string at '" DVT_STR_FMT "'", REST(p));
    size_t element = dvt_wire_begin(out, 2);
    const char *wrong = dvt_spec_unescape(text, out);
    if (wrong)
      return FAIL(p, "Trouble unescaping \"" DVT_STR_FMT "\", got error: %s", DVT_STR_ARG(text), wrong);
    dvt_wire_end(out, element);
    more = next_in_braces(p);
    if (more < 0) return FAIL(p, "Expected , or } after strings in list, not: '" DVT_STR_FMT "'", REST(p));
  }
  dvt_wire_end(out, list);
  attr->kind = TF_ATTR_STRING;
  return keep_scratch(p, &attr->allowed);
}

static void put_types(dvt_buf *out, const int *dtypes, size_t count) {
  for (size_t i = 0; i < count; i++) dvt_wire_put_raw_varint(out, (uint64_t)dtypes[i]);
}

// Inside braces, dtypes and sets of them: writes AttrValue.list.type.
static bool parse_allowed_types(attr_parser *p, dvt_attr_def *attr) {
  dvt_buf *out = p->context->scratch;
  dvt_buf_clear(out);
  size_t list = dvt_wire_begin(out, 1), packed = dvt_wire_begin(out, 6);
  for (int more = 1; more == 1;) {
    dvt_str name;
    const int *dtypes;
    size_t count;
    int dtype;
    if (!dvt_scan_name(&p->rest, dvt_scan_is_lower_word, dvt_scan_is_lower_word, &name))
      return FAIL(p, "Trouble parsing type string at '" DVT_STR_FMT "'", REST(p));
    if (dvt_dtype_group(name, &dtypes, &count))
      put_types(out, dtypes, count);
    else if (dvt_dtype_from_name(name, &dtype))
      put_types(out, &dtype, 1);
    else
      return FAIL(p, "Unrecognized type string '" DVT_STR_FMT "'", DVT_STR_ARG(name));
    more = next_in_braces(p);
    if (more < 0) return FAIL(p, "Expected , or } after types in list, not: '" DVT_STR_FMT "'", REST(p));
  }
  dvt_wire_end(out, packed);
  dvt_wire_end(out, list);
  attr->kind = TF_ATTR_TYPE;
  return keep_scratch(p, &attr->allowed);
}

static bool parse_set(attr_parser *p, const char *set, dvt_attr_def *attr) {
  const int *dtypes;
  size_t count;
  dvt_buf *out = p->context->scratch;
  if (!dvt_dtype_group(dvt_str_from(set), &dtypes, &count))
    return FAIL(p, "Unrecognized type string '%s'", set);
  dvt_buf_clear(out);
  size_t list = dvt_wire_begin(out, 1), packed = dvt_wire_begin(out, 6);
  put_types(out, dtypes, count);
  dvt_wire_end(out, packed);
  dvt_wire_end(out, list);
  attr->kind = TF_ATTR_TYPE;
  return keep_scratch(p, &attr->allowed);
}

// The keywords are tried in this order and match as prefixes: what follows is caught later as "Extra '..'"
// (rule 51). "realnumerictype" is deliberately absent, its misspelling present, as in every stock release
// (rule 52).
static bool parse_base_type(attr_parser *p, dvt_attr_def *attr) {
  static const struct {
    dvt_str word;
    int kind;
    const char *set;
  } words[] = {
      {{"string", 6}, TF_ATTR_STRING, NULL},       {{"int", 3}, TF_ATTR_INT, NULL},
      {{"float", 5}, TF_ATTR_FLOAT, NULL},         {{"bool", 4}, TF_ATTR_BOOL, NULL},
      {{"type", 4}, TF_ATTR_TYPE, NULL},           {{"shape", 5}, TF_ATTR_SHAPE, NULL},
      {{"tensor", 6}, TF_ATTR_TENSOR, NULL},       {{"func", 4}, TF_ATTR_FUNC, NULL},
      {{"numbertype", 10}, 0, "numbertype"},       {{"numerictype", 11}, 0, "numbertype"},
      {{"quantizedtype", 13}, 0, "quantizedtype"}, {{"realnumbertype", 14}, 0, "realnumbertype"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(words); i++) {
    if (!dvt_scan_literal(&p->rest, words[i].word)) continue;
    if (words[i].set) return parse_set(p, words[i].set, attr);
    attr->kind = (int8_t)words[i].kind;
    return true;
  }
  if (!dvt_scan_literal(&p->rest, DVT_STR("{")))
    return FAIL(p, "Trouble parsing type string at '" DVT_STR_FMT "'", REST(p));
  dvt_scan_space(&p->rest);
  bool strings = p->rest.len && (p->rest.data[0] == '\'' || p->rest.data[0] == '"');
  return strings ? parse_allowed_strings(p, attr) : parse_allowed_types(p, attr);
}

static bool parse_minimum(attr_parser *p, dvt_attr_def *attr) {
  dvt_str rest = p->rest;
  dvt_scan_space(&rest);
  size_t n = rest.len && rest.data[0] == '-' ? 1 : 0, digits = 0;
  while (n + digits < rest.len && dvt_scan_is_digit(rest.data[n + digits])) digits++;
  char text[32];
  bool ok = digits > 0 && n + digits < sizeof text;
  if (ok) {
    memcpy(text, rest.data, n + digits);
    text[n + digits] = '\0';
    errno = 0;
    attr->minimum = strtoll(text, NULL, 10);
    ok = errno == 0;
  }
  if (!ok)
    return FAIL(p, "Could not parse integer lower limit after '>=', found '" DVT_STR_FMT "' instead",
                REST(p));
  attr->has_minimum = true;
  p->rest = dvt_str_drop(rest, n + digits);
  dvt_scan_space(&p->rest);
  return true;
}

static bool parse_default(attr_parser *p, dvt_attr_def *attr) {
  dvt_scan_space(&p->rest);
  size_t before = p->context->errors->len;
  if (dvt_spec_parse_default(p->context, p->rest, attr)) return true;
  if (p->context->errors->len == before && !p->context->errors->failed)
    return FAIL(p, "Could not parse default value '" DVT_STR_FMT "' of type %s", REST(p),
                dvt_attr_def_type_name(attr));
  return false;
}

bool dvt_spec_parse_attr(dvt_spec_context *context, dvt_str spec, dvt_attr_def *out_attr) {
  attr_parser parser = {context, spec, spec}, *p = &parser;
  dvt_attr_def attr = {0};
  if (!dvt_scan_name_colon(&p->rest, dvt_scan_is_letter, dvt_scan_is_word, &attr.name))
    return FAIL(p, "%s", "Trouble parsing '<name>:'");
  attr.is_list = dvt_scan_open(&p->rest, DVT_STR("list"));
  if (!parse_base_type(p, &attr)) return false;
  dvt_scan_space(&p->rest);
  if (attr.is_list) {
    if (!dvt_scan_literal(&p->rest, DVT_STR(")")))
      return FAIL(p, "Expected ) to close 'list(', not: '" DVT_STR_FMT "'", REST(p));
    dvt_scan_space(&p->rest);
  }
  bool may_have_minimum = attr.is_list || attr.kind == TF_ATTR_INT;
  if (may_have_minimum && dvt_scan_literal(&p->rest, DVT_STR(">=")) && !parse_minimum(p, &attr)) return false;
  if (dvt_scan_literal(&p->rest, DVT_STR("="))) {
    if (!parse_default(p, &attr)) return false;
  } else if (p->rest.len) {
    return FAIL(p, "Extra '" DVT_STR_FMT "' unparsed at the end", REST(p));
  }
  *out_attr = attr;
  return true;
}
