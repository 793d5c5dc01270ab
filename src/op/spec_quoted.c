// Quoted strings in attr specs and their C escapes.
#include "op/spec_grammar.h"

static int hex_digit(char c) {
  if (dvt_scan_is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static void put_utf8(dvt_buf *out, uint32_t code) {
  if (code < 0x80) {
    dvt_buf_append_byte(out, (char)code);
  } else if (code < 0x800) {
    dvt_buf_append_byte(out, (char)(0xC0 | code >> 6));
    dvt_buf_append_byte(out, (char)(0x80 | (code & 63)));
  } else if (code < 0x10000) {
    dvt_buf_append_byte(out, (char)(0xE0 | code >> 12));
    dvt_buf_append_byte(out, (char)(0x80 | (code >> 6 & 63)));
    dvt_buf_append_byte(out, (char)(0x80 | (code & 63)));
  } else {
    dvt_buf_append_byte(out, (char)(0xF0 | code >> 18));
    dvt_buf_append_byte(out, (char)(0x80 | (code >> 12 & 63)));
    dvt_buf_append_byte(out, (char)(0x80 | (code >> 6 & 63)));
    dvt_buf_append_byte(out, (char)(0x80 | (code & 63)));
  }
}

// \xH.. (all hex digits that follow), \uHHHH or \UHHHHHHHH; `i` stands on the letter. NULL or what is wrong.
static const char *unescape_hex(dvt_str text, size_t *i, dvt_buf *out) {
  char letter = text.data[*i];
  size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : text.len, n = 0;
  uint32_t value = 0;
  for (; n < digits && *i + 1 < text.len && hex_digit(text.data[*i + 1]) >= 0; n++, ++*i) {
    if (value >> 28) return "hex escape is too large";
    value = value * 16 + (uint32_t)hex_digit(text.data[*i + 1]);
  }
  if (letter != 'u' && letter != 'U') {
    if (n == 0) return "\\x must be followed by hex digits";
    if (value > 0xFF) return "\\x value exceeds one byte";
    dvt_buf_append_byte(out, (char)value);
    return NULL;
  }
  if (n < digits) return letter == 'u' ? "\\u needs 4 hex digits" : "\\U needs 8 hex digits";
  if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return "not a Unicode code point";
  put_utf8(out, value);
  return NULL;
}

const char *dvt_spec_unescape(dvt_str text, dvt_buf *out) {
  static const char letters[] = "abfnrtv\\?'\"", values[] = "\a\b\f\n\r\t\v\\?'\"";
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c != '\\') {
      dvt_buf_append_byte(out, c);
      continue;
    }
    if (++i == text.len) return "string ends in a backslash";
    c = text.data[i];
    const char *plain = c ? strchr(letters, c) : NULL;
    if (plain) {
      dvt_buf_append_byte(out, values[plain - letters]);
    } else if (c >= '0' && c <= '7') {
      unsigned value = (unsigned)(c - '0');
      for (int n = 1; n < 3 && i + 1 < text.len && text.data[i + 1] >= '0' && text.data[i + 1] <= '7'; n++)
        value = value * 8 + (unsigned)(text.data[++i] - '0');
      if (value > 0xFF) return "octal value exceeds one byte";
      dvt_buf_append_byte(out, (char)value);
    } else if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
      const char *wrong = unescape_hex(text, &i, out);
      if (wrong) return wrong;
    } else {
      return "unknown escape sequence";
    }
  }
  return NULL;
}

bool dvt_scan_quoted(dvt_str *rest, dvt_str *out_text) {
  if (rest->len == 0 || (rest->data[0] != '\'' && rest->data[0] != '"')) return false;
  char quote = rest->data[0];
  size_t i = 1;
  while (i < rest->len && rest->data[i] != quote) i += rest->data[i] == '\\' ? 2 : 1;
  if (i >= rest->len) return false;
  *out_text = dvt_str_make(rest->data + 1, i - 1);
  *rest = dvt_str_drop(*rest, i + 1);
  dvt_scan_space(rest);
  return true;
}
