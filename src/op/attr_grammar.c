// Attr specs: "name: type >= minimum = default" (the grammar is in spec_grammar.h).
#include <errno.h>
#include <stdlib.h>

#include "op/spec_grammar.h"
#include "tensor/dtype.h"

typedef dvt_spec_parser attr_parser;

#define FAIL(p, ...) dvt_spec_fail(p, dvt_spec_word((p)->rest), __VA_ARGS__)
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
      return dvt_spec_fail(p, text, "Trouble unescaping \"" DVT_STR_FMT "\", got error: %s",
                           DVT_STR_ARG(text), wrong);
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

static bool unknown_dtype(attr_parser *p, dvt_str name) {
  p->nearest = (dvt_nearest){.wanted = name};
  dvt_spec_offer_dtypes(&p->nearest);
  return dvt_spec_fail(p, name, "Unrecognized type string '" DVT_STR_FMT "'", DVT_STR_ARG(name));
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
      return unknown_dtype(p, name);
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

// What a wrong type of an attr may have been meant to be.
static void offer_types(attr_parser *p, dvt_str word) {
  static const char *const types[] = {"string",      "int",           "float",         "bool", "type",
                                      "shape",       "tensor",        "func",          "list", "numbertype",
                                      "numerictype", "quantizedtype", "realnumbertype"};
  int dtype;
  p->nearest = (dvt_nearest){.wanted = word};
  if (dvt_str_is(word, "realnumerictype"))
    p->hint = "That name is only known inside of braces: {realnumerictype}.";
  else if (dvt_dtype_from_name(word, &dtype))
    p->hint =
        "That is a dtype: for numbers write \"int\" or \"float\", for a dtype \"type\" or the allowed ones, "
        "\"{float, int32}\".";
  else
    for (size_t i = 0; i < DVT_COUNT_OF(types); i++) dvt_nearest_offer(&p->nearest, dvt_str_from(types[i]));
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
  if (!dvt_scan_literal(&p->rest, DVT_STR("{"))) {
    offer_types(p, dvt_spec_word(p->rest));
    return FAIL(p, "Trouble parsing type string at '" DVT_STR_FMT "'", REST(p));
  }
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
    return dvt_spec_fail(p, dvt_spec_word(rest),
                         "Could not parse integer lower limit after '>=', found '" DVT_STR_FMT "' instead",
                         REST(p));
  attr->has_minimum = true;
  p->rest = dvt_str_drop(rest, n + digits);
  dvt_scan_space(&p->rest);
  return true;
}

// How a default of each kind is written.
static const char *default_example(const dvt_attr_def *attr) {
  if (attr->is_list) return "Lists are written in brackets: [], [1, 2] or ['a'].";
  switch (attr->kind) {
    case TF_ATTR_STRING:
      return "Strings are written in quotes: 'text'.";
    case TF_ATTR_INT:
      return "It is a whole number of 64 bits: 5.";
    case TF_ATTR_FLOAT:
      return "It is a number: 1.5, inf or nan.";
    case TF_ATTR_BOOL:
      return "It is true or false.";
    case TF_ATTR_TYPE:
      return "Dtypes are written as DT_FLOAT.";
    case TF_ATTR_SHAPE:
      return "Shapes are written as { dim { size: 2 } }, { } or { unknown_rank: true }.";
    case TF_ATTR_TENSOR:
      return "Tensors are written as { dtype: DT_INT32 int_val: 5 tensor_shape { } }.";
    default:
      return "Functions are written as { name: 'f' }.";
  }
}

static bool parse_default(attr_parser *p, dvt_attr_def *attr) {
  dvt_scan_space(&p->rest);
  size_t before = p->context->errors->len;
  if (dvt_spec_parse_default(p->context, p->rest, attr)) return true;
  if (p->context->errors->len != before || p->context->errors->failed) return false;
  p->nearest = (dvt_nearest){.wanted = dvt_spec_word(p->rest)};
  if (attr->kind == TF_ATTR_TYPE)
    for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++)
      if (dvt_dtype_is_valid(dtype))
        dvt_nearest_offer(&p->nearest, dvt_str_from(dvt_dtype_proto_name(dtype)));
  if (p->nearest.count == 0) p->hint = default_example(attr);
  return dvt_spec_fail(p, p->rest, "Could not parse default value '" DVT_STR_FMT "' of type %s", REST(p),
                       dvt_attr_def_type_name(attr));
}

// Text behind a whole attr: part of a longer word that was meant, or a minimum where there is none.
static void explain_extra(attr_parser *p, dvt_str type, const dvt_attr_def *attr) {
  dvt_str word = dvt_spec_word(type);
  if (word.len && p->rest.data < word.data + word.len)
    offer_types(p, word);
  else if (dvt_str_starts_with(p->rest, DVT_STR(">=")) && attr->has_minimum)
    p->hint = "There is a minimum already.";
  else if (dvt_str_starts_with(p->rest, DVT_STR(">=")))
    p->hint = "Only an int and a list can have a minimum.";
}

bool dvt_spec_parse_attr(dvt_spec_context *context, dvt_str spec, dvt_attr_def *out_attr) {
  attr_parser parser = {.context = context, .kind = "Attr", .orig = spec, .rest = spec}, *p = &parser;
  dvt_attr_def attr = {0};
  if (!dvt_scan_name_colon(&p->rest, dvt_scan_is_letter, dvt_scan_is_word, &attr.name)) {
    p->hint = "A name is a letter, then letters, digits and '_'; a ':' follows.";
    return dvt_spec_fail(p, dvt_spec_bad_name(spec, dvt_scan_is_letter, dvt_scan_is_word), "%s",
                         "Trouble parsing '<name>:'");
  }
  dvt_str type = p->rest;
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
    explain_extra(p, type, &attr);
    return FAIL(p, "Extra '" DVT_STR_FMT "' unparsed at the end", REST(p));
  }
  *out_attr = attr;
  return true;
}
