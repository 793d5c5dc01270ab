// The lexer of the text format: comments run from # to the end of the line, strings take C escapes,
// everything that is neither name, number nor string is a sign of one character.
#include "base/text_lexer.h"

void dvt_text_position(dvt_str text, size_t offset, int *out_line, int *out_column) {
  int line = 1, column = 1;
  for (size_t i = 0; i < offset && i < text.len; i++) {
    column++;
    if (text.data[i] == '\n') {
      line++;
      column = 1;
    }
  }
  *out_line = line;
  *out_column = column;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_space(dvt_lexer *lexer) {
  bool in_comment = false;
  for (; lexer->next < lexer->text.len; lexer->next++) {
    char c = lexer->text.data[lexer->next];
    if (c == '#') in_comment = true;
    if (c == '\n') in_comment = false;
    if (!in_comment && !is_space(c)) return;
  }
}

static size_t string_end(dvt_str text, size_t at) {
  char quote = text.data[at++];
  for (; at < text.len && text.data[at] != '\n'; at++) {
    if (text.data[at] == quote) return at + 1;
    if (text.data[at] == '\\') at++;
  }
  return 0;
}

// Digits, letters (hexadecimal, exponent, suffix), points, and a sign right behind an exponent's e.
static size_t number_end(dvt_str text, size_t at) {
  bool is_hex = at + 1 < text.len && (text.data[at + 1] == 'x' || text.data[at + 1] == 'X');
  for (; at < text.len; at++) {
    char c = text.data[at];
    if (is_digit(c) || is_letter(c) || c == '.') continue;
    char before = text.data[at - 1];
    if ((c == '+' || c == '-') && !is_hex && (before == 'e' || before == 'E')) continue;
    break;
  }
  return at;
}

void dvt_lexer_advance(dvt_lexer *lexer) {
  skip_space(lexer);
  dvt_str text = lexer->text;
  size_t at = lexer->next, end = at;
  if (at >= text.len) {
    lexer->kind = DVT_TOKEN_END;
  } else if (is_letter(text.data[at])) {
    lexer->kind = DVT_TOKEN_NAME;
    while (end < text.len && (is_letter(text.data[end]) || is_digit(text.data[end]))) end++;
  } else if (is_digit(text.data[at]) ||
             (text.data[at] == '.' && at + 1 < text.len && is_digit(text.data[at + 1]))) {
    lexer->kind = DVT_TOKEN_NUMBER;
    end = number_end(text, at + 1);
  } else if (text.data[at] == '"' || text.data[at] == '\'') {
    end = string_end(text, at);
    lexer->kind = end ? DVT_TOKEN_STRING : DVT_TOKEN_BAD;
    if (!end) end = at + 1;
  } else {
    lexer->kind = DVT_TOKEN_SIGN;
    end = at + 1;
  }
  lexer->token = dvt_str_make(text.data ? text.data + at : "", end - at);
  lexer->next = end;
}

void dvt_lexer_open(dvt_lexer *lexer, dvt_str text, const char *what) {
  *lexer = (dvt_lexer){.what = what, .text = text};
  dvt_lexer_advance(lexer);
}

bool dvt_lexer_is_sign(const dvt_lexer *lexer, char c) {
  return lexer->kind == DVT_TOKEN_SIGN && lexer->token.data[0] == c;
}

dvt_status dvt_text_error(const char *what, dvt_str text, size_t at, const char *format, va_list args) {
  dvt_buf message = {0};
  dvt_buf_vprintf(&message, format, args);
  int line, column;
  dvt_text_position(text, at, &line, &column);
  dvt_status error = dvt_error(TF_INVALID_ARGUMENT, "%s:%d:%d: %s", what, line, column,
                               message.data ? message.data : "malformed text");
  dvt_buf_deinit(&message);
  return error;
}

dvt_status dvt_lexer_error(const dvt_lexer *lexer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_status error = dvt_text_error(lexer->what, lexer->text, lexer->next - lexer->token.len, format, args);
  va_end(args);
  return error;
}

void dvt_text_put_utf8(dvt_buf *out, uint32_t code) {
  if (code < 0x80) {
    dvt_buf_append_byte(out, (char)code);
    return;
  }
  int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  dvt_buf_append_byte(out, (char)((0xff00 >> (extra + 1) & 0xff) | (code >> (6 * extra))));
  while (extra-- > 0) dvt_buf_append_byte(out, (char)(0x80 | (code >> (6 * extra) & 0x3f)));
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Up to `most` digits of base 8 or 16 from s[*at]; returns how many there were.
static int take_digits(dvt_str s, size_t *at, int most, int base, uint32_t *out_value) {
  uint32_t value = 0;
  int n = 0;
  for (; n < most && *at < s.len; n++, ++*at) {
    int digit = hex_digit(s.data[*at]);
    if (digit < 0 || digit >= base) break;
    value = value * (uint32_t)base + (uint32_t)digit;
  }
  *out_value = value;
  return n;
}

// The escape whose backslash is just behind; *at is moved past it. False for an unknown or incomplete one.
static bool put_escape(dvt_str s, size_t *at, dvt_buf *out) {
  static const char from[] = "abfnrtv\\'\"?", to[] = "\a\b\f\n\r\t\v\\'\"?";
  uint32_t value;
  char c = s.data[*at];
  const char *simple = memchr(from, c, sizeof from - 1);
  if (simple) {
    ++*at;
    dvt_buf_append_byte(out, to[simple - from]);
    return true;
  }
  if (c >= '0' && c <= '7') {
    take_digits(s, at, 3, 8, &value);
    dvt_buf_append_byte(out, (char)value);
    return value < 256;
  }
  ++*at;
  if (c == 'x' || c == 'X') {
    if (!take_digits(s, at, 2, 16, &value)) return false;
    dvt_buf_append_byte(out, (char)value);
    return true;
  }
  int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (!digits || take_digits(s, at, digits, 16, &value) != digits || value > 0x10ffff) return false;
  dvt_text_put_utf8(out, value);
  return true;
}

dvt_status dvt_lexer_take_string(dvt_lexer *lexer, dvt_buf *out) {
  if (lexer->kind == DVT_TOKEN_BAD) return dvt_lexer_error(lexer, "the string does not end on its line");
  if (lexer->kind != DVT_TOKEN_STRING) return dvt_lexer_error(lexer, "expected a quoted string");
  for (; lexer->kind == DVT_TOKEN_STRING; dvt_lexer_advance(lexer)) {
    dvt_str s = dvt_str_make(lexer->token.data + 1, lexer->token.len - 2);
    for (size_t at = 0; at < s.len;) {
      const char *slash = memchr(s.data + at, '\\', s.len - at);
      size_t plain = slash ? (size_t)(slash - s.data) - at : s.len - at;
      dvt_buf_append(out, s.data + at, plain);
      at += plain;
      if (at == s.len) break;
      at++;
      if (at == s.len || !put_escape(s, &at, out))
        return dvt_lexer_error(lexer, "the string has an invalid escape");
    }
  }
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}
