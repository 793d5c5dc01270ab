// See codec.h.
#include "text/codec.h"

#include <ctype.h>

dvx_encoding dvx_encoding_named(const char *name) {
  static const struct {
    const char *name;
    dvx_encoding encoding;
  } names[] = {
      {"utf8", DVX_UTF8},        {"utf16", DVX_UTF16},   {"utf16be", DVX_UTF16_BE},
      {"utf16le", DVX_UTF16_LE}, {"utf32", DVX_UTF32},   {"utf32be", DVX_UTF32_BE},
      {"utf32le", DVX_UTF32_LE}, {"usascii", DVX_ASCII}, {"ascii", DVX_ASCII},
      {"iso88591", DVX_LATIN1},  {"latin1", DVX_LATIN1}, {"l1", DVX_LATIN1},
      {"iso646us", DVX_ASCII},   {"ibm819", DVX_LATIN1}, {"ansix341968", DVX_ASCII},
      {"cp819", DVX_LATIN1},
  };
  char plain[32];
  size_t bytes = 0;
  for (; *name; name++) {
    if (*name == '-' || *name == '_' || *name == ' ') continue;
    if (bytes == sizeof(plain) - 1) return DVX_UNKNOWN;
    plain[bytes++] = (char)tolower((unsigned char)*name);
  }
  plain[bytes] = 0;
  for (int i = 0; i < DVP_COUNT_OF(names); i++)
    if (strcmp(plain, names[i].name) == 0) return names[i].encoding;
  return DVX_UNKNOWN;
}

static bool begins_with(dvx_span s, const char *mark, size_t bytes) {
  return s.bytes >= bytes && memcmp(s.data, mark, bytes) == 0;
}

dvx_encoding dvx_skip_mark(dvx_encoding encoding, dvx_span s, size_t *out_bytes) {
  *out_bytes = 0;
  if (encoding == DVX_UTF16) {
    bool big = begins_with(s, "\xFE\xFF", 2), little = begins_with(s, "\xFF\xFE", 2);
    *out_bytes = big || little ? 2 : 0;
    return little ? DVX_UTF16_LE : DVX_UTF16_BE;
  }
  if (encoding == DVX_UTF32) {
    bool big = begins_with(s, "\0\0\xFE\xFF", 4), little = begins_with(s, "\xFF\xFE\0\0", 4);
    *out_bytes = big || little ? 4 : 0;
    return little ? DVX_UTF32_LE : DVX_UTF32_BE;
  }
  return encoding;
}

static uint32_t unit16(const char *p, bool big) {
  const unsigned char *u = (const unsigned char *)p;
  return big ? (uint32_t)u[0] << 8 | u[1] : (uint32_t)u[1] << 8 | u[0];
}

static size_t decode16(dvx_span s, bool big, int32_t *out) {
  *out = -1;
  if (s.bytes < 2) return s.bytes;
  uint32_t first = unit16(s.data, big);
  if (first < 0xD800 || first > 0xDFFF) {
    *out = (int32_t)first;
    return 2;
  }
  if (first > 0xDBFF) return 2;
  // A lead surrogate that the text ends in the middle of the pair of takes what is left.
  if (s.bytes < 4) return s.bytes;
  uint32_t second = unit16(s.data + 2, big);
  if (second < 0xDC00 || second > 0xDFFF) return 2;
  *out = (int32_t)(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
  return 4;
}

static size_t decode32(dvx_span s, bool big, int32_t *out) {
  *out = -1;
  if (s.bytes < 4) return s.bytes;
  uint32_t high = unit16(s.data + (big ? 0 : 2), big), low = unit16(s.data + (big ? 2 : 0), big);
  int64_t c = (int64_t)(high << 16 | low);
  if (dvx_is_scalar_value(c)) *out = (int32_t)c;
  return 4;
}

size_t dvx_decode(dvx_encoding encoding, dvx_span s, int32_t *out) {
  switch (encoding) {
    case DVX_UTF8:
      return dvx_utf8_decode(s, out);
    case DVX_UTF16_BE:
    case DVX_UTF16_LE:
      return decode16(s, encoding == DVX_UTF16_BE, out);
    case DVX_UTF32_BE:
    case DVX_UTF32_LE:
      return decode32(s, encoding == DVX_UTF32_BE, out);
    default: {
      unsigned char c = (unsigned char)s.data[0];
      *out = encoding == DVX_ASCII && c > 0x7F ? -1 : c;
      return 1;
    }
  }
}

static void add_unit16(dvx_text *out, uint32_t unit) {
  dvx_text_add_char(out, (char)(unit >> 8));
  dvx_text_add_char(out, (char)unit);
}

void dvx_encode(dvx_encoding encoding, int32_t c, dvx_text *out) {
  if (encoding == DVX_UTF8) {
    dvx_utf8_add(out, c);
  } else if (encoding == DVX_UTF32_BE) {
    add_unit16(out, (uint32_t)c >> 16);
    add_unit16(out, (uint32_t)c & 0xFFFF);
  } else if (c < 0x10000) {
    add_unit16(out, (uint32_t)c);
  } else {
    add_unit16(out, 0xD800 + (((uint32_t)c - 0x10000) >> 10));
    add_unit16(out, 0xDC00 + (((uint32_t)c - 0x10000) & 0x3FF));
  }
}
