// What is wrong with a spec: one line that says it, as stock does, with the nearest valid names, and two that
// show it:
//   Unrecognized type string 'int33' from Attr("T: {float, int33}") for Op X. Did you mean 'int32'?
//       T: {float, int33}
//                  ^~~~~
#include "op/spec_grammar.h"
#include "tensor/dtype.h"

enum { SHOWN = 100, SHOWN_BEFORE = 60 };  // bytes of a spec, and of those before the place

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

// Control characters would break the picture.
static void put_shown(dvt_buf *errors, const char *text, size_t len) {
  for (size_t i = 0; i < len; i++) dvt_buf_append_byte(errors, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
}

void dvt_spec_point(dvt_buf *errors, dvt_str spec, dvt_str part) {
  size_t at = part.data ? (size_t)(part.data - spec.data) : 0, begin = 0;
  if (at > spec.len) return;
  if (at > SHOWN_BEFORE) begin = at - SHOWN_BEFORE;
  while (begin < at && is_continuation(spec.data[begin])) begin++;
  size_t len = DVT_MIN(spec.len - begin, (size_t)SHOWN);
  while (begin + len < spec.len && is_continuation(spec.data[begin + len])) len--;
  const char *before = begin ? "    ..." : "    ";
  dvt_buf_printf(errors, "\n%s", before);
  put_shown(errors, spec.data + begin, len);
  if (begin + len < spec.len) dvt_buf_append(errors, "...", 3);
  dvt_buf_printf(errors, "\n    %s", begin ? "   " : "");
  for (size_t i = begin; i < at; i++)
    if (!is_continuation(spec.data[i])) dvt_buf_append_byte(errors, ' ');
  dvt_buf_append_byte(errors, '^');
  for (size_t i = at + 1; i < at + part.len && i < begin + len; i++)
    if (!is_continuation(spec.data[i])) dvt_buf_append_byte(errors, '~');
}

bool dvt_spec_fail(dvt_spec_parser *p, dvt_str part, const char *format, ...) {
  dvt_buf *errors = p->context->errors;
  va_list args;
  if (!dvt_spec_error_begin(errors)) return false;
  va_start(args, format);
  dvt_buf_vprintf(errors, format, args);
  va_end(args);
  dvt_buf_printf(errors, " from %s(\"" DVT_STR_FMT "\") for Op " DVT_STR_FMT, p->kind, DVT_STR_ARG(p->orig),
                 DVT_STR_ARG(p->context->op_name));
  if (p->hint || p->nearest.count) dvt_buf_append_byte(errors, '.');
  if (p->hint) dvt_buf_printf(errors, " %s", p->hint);
  dvt_nearest_print(&p->nearest, errors);
  dvt_spec_point(errors, p->orig, part);
  return false;
}

dvt_str dvt_spec_word(dvt_str text) {
  size_t n = 0;
  while (n < text.len && dvt_scan_is_word(text.data[n])) n++;
  return dvt_str_make(text.data, n ? n : DVT_MIN(text.len, (size_t)1));
}

dvt_str dvt_spec_bad_name(dvt_str spec, bool (*first)(char), bool (*next)(char)) {
  dvt_str name;
  if (!dvt_scan_name(&spec, first, next, &name)) return dvt_spec_word(spec);
  return dvt_str_make(spec.data, DVT_MIN(spec.len, (size_t)1));
}

void dvt_spec_offer_dtypes(dvt_nearest *nearest) {
  static const char *const sets[] = {"numbertype", "numerictype", "realnumbertype", "realnumerictype",
                                     "quantizedtype"};
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++)
    if (dvt_dtype_is_valid(dtype)) dvt_nearest_offer(nearest, dvt_str_from(dvt_dtype_name(dtype)));
  for (size_t i = 0; i < DVT_COUNT_OF(sets); i++) dvt_nearest_offer(nearest, dvt_str_from(sets[i]));
}

dvt_str dvt_spec_default_text(dvt_str spec) {
  char quote = 0;
  for (size_t i = 0; i < spec.len; i++) {
    char c = spec.data[i];
    if (quote && c == '\\') {
      i++;
    } else if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '=' && (i == 0 || spec.data[i - 1] != '>')) {
      dvt_str text = dvt_str_drop(spec, i + 1);
      dvt_scan_space(&text);
      return text;
    }
  }
  return (dvt_str){0};
}
