// See json_reader.h.
#include "base/json_reader.h"

#include "base/schema_write.h"
#include "base/text_lexer.h"

void dvt_json_deinit(dvt_json *json) {
  dvt_buf_deinit(&json->name);
  dvt_buf_deinit(&json->scratch);
}

dvt_status dvt_json_error(const dvt_json *p, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_status error = dvt_text_error(p->what, p->text, at, format, args);
  va_end(args);
  return error;
}

char dvt_json_peek(dvt_json *p) {
  while (p->at < p->text.len) {
    char c = p->text.data[p->at];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c;
    p->at++;
  }
  return 0;
}

bool dvt_json_take(dvt_json *p, char c) {
  if (dvt_json_peek(p) != c) return false;
  p->at++;
  return true;
}

bool dvt_json_take_word(dvt_json *p, const char *word) {
  dvt_json_peek(p);
  if (!dvt_str_starts_with(dvt_str_drop(p->text, p->at), dvt_str_from(word))) return false;
  p->at += strlen(word);
  return true;
}

static bool take_hex4(dvt_json *p, uint32_t *out_value) {
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
static bool take_unicode(dvt_json *p, dvt_buf *out) {
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

dvt_status dvt_json_take_string(dvt_json *p, dvt_buf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  dvt_buf_clear(out);
  if (!dvt_json_take(p, '"')) return dvt_json_error(p, p->at, "expected a quoted string");
  size_t begin = p->at;
  while (p->at < p->text.len) {
    char c = p->text.data[p->at++];
    if (c == '"') {
      dvt_buf_append(out, "", 0);
      return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
    }
    if ((unsigned char)c < 0x20)
      return dvt_json_error(p, p->at - 1, "a string holds a bare control character");
    if (c != '\\') {
      dvt_buf_append_byte(out, c);
      continue;
    }
    char escape = p->at < p->text.len ? p->text.data[p->at++] : 0;
    const char *simple = escape ? memchr(from, escape, sizeof from - 1) : NULL;
    if (simple)
      dvt_buf_append_byte(out, to[simple - from]);
    else if (escape != 'u' || !take_unicode(p, out))
      return dvt_json_error(p, p->at - 1, "a string holds an invalid escape");
  }
  return dvt_json_error(p, begin - 1, "the string has no end");
}

dvt_str dvt_json_take_number(dvt_json *p) {
  dvt_json_peek(p);
  size_t begin = p->at;
  while (p->at < p->text.len && p->text.data[p->at] && strchr("+-.0123456789eE", p->text.data[p->at]))
    p->at++;
  return dvt_str_make(p->text.data + begin, p->at - begin);
}

// ---- objects and arrays ----

dvt_status dvt_json_open(dvt_json *p, char bracket, const char *kind) {
  if (!dvt_json_take(p, bracket))
    return dvt_json_error(p, p->at, "expected %s for %s", bracket == '{' ? "an object" : "an array", kind);
  if (++p->depth > DVT_SCHEMA_MAX_DEPTH)
    return dvt_json_error(p, p->at - 1, "values nest more than %d deep", DVT_SCHEMA_MAX_DEPTH);
  return NULL;
}

// At the closing bracket, or behind the comma before the next thing.
static dvt_status next(dvt_json *p, char close, bool *first, bool *out_more) {
  *out_more = !dvt_json_take(p, close);
  if (!*out_more) --p->depth;
  if (*out_more && !*first && !dvt_json_take(p, ','))
    return dvt_json_error(p, p->at, "expected ',' or '%c'", close);
  *first = false;
  return NULL;
}

dvt_status dvt_json_next_member(dvt_json *p, bool *first, bool *out_more, dvt_str *out_name) {
  DVT_RETURN_IF_ERROR(next(p, '}', first, out_more));
  if (!*out_more) return NULL;
  DVT_RETURN_IF_ERROR(dvt_json_take_string(p, &p->name));
  *out_name = dvt_buf_str(&p->name);
  return dvt_json_take(p, ':') ? NULL : dvt_json_error(p, p->at, "expected ':'");
}

dvt_status dvt_json_next_item(dvt_json *p, bool *first, bool *out_more) {
  return next(p, ']', first, out_more);
}

static dvt_status skip_scalar(dvt_json *p) {
  if (dvt_json_peek(p) == '"') return dvt_json_take_string(p, &p->scratch);
  if (dvt_json_take_word(p, "true") || dvt_json_take_word(p, "false") || dvt_json_take_word(p, "null"))
    return NULL;
  size_t at = p->at;
  if (dvt_json_take_number(p).len) return NULL;
  bool beyond = dvt_json_take_word(p, "NaN") || dvt_json_take_word(p, "Infinity");
  return dvt_json_error(p, at, "expected a value%s", beyond ? "; JSON has no NaN and no Infinity" : "");
}

dvt_status dvt_json_skip(dvt_json *p) {
  char c = dvt_json_peek(p);
  bool first = true, more;
  dvt_str name;
  if (c != '{' && c != '[') return skip_scalar(p);
  DVT_RETURN_IF_ERROR(dvt_json_open(p, c, "a value"));
  for (;;) {
    DVT_RETURN_IF_ERROR(c == '{' ? dvt_json_next_member(p, &first, &more, &name)
                                 : dvt_json_next_item(p, &first, &more));
    if (!more) return NULL;
    DVT_RETURN_IF_ERROR(dvt_json_skip(p));
  }
}

dvt_status dvt_json_finish(dvt_json *p) {
  dvt_json_peek(p);
  return p->at < p->text.len ? dvt_json_error(p, p->at, "text goes on behind the JSON object") : NULL;
}
