// See utf8.h.
#include "text/utf8.h"

size_t dvx_utf8_count(dvx_span s) {
  size_t count = 0;
  for (size_t i = 0; i < s.bytes; i++) count += !dvx_utf8_continues(s.data[i]);
  return count;
}

bool dvx_utf8_forward(dvx_span s, int64_t count, size_t *at) {
  size_t i = *at;
  for (; count > 0 && i < s.bytes; count--) {
    i++;
    while (i < s.bytes && dvx_utf8_continues(s.data[i])) i++;
  }
  *at = i;
  return count <= 0;
}

bool dvx_utf8_back(dvx_span s, int64_t count, size_t *at) {
  size_t i = *at;
  for (; count > 0 && i > 0; count--) {
    i--;
    while (i > 0 && dvx_utf8_continues(s.data[i])) i--;
  }
  *at = i;
  return count <= 0;
}

// Which second bytes may follow a lead byte: some would spell a character in too many bytes, a surrogate or
// more than U+10FFFF.
static bool second_fits(unsigned char lead, unsigned char c) {
  if ((c & 0xC0) != 0x80) return false;
  switch (lead) {
    case 0xE0:
      return c >= 0xA0;
    case 0xED:
      return c < 0xA0;
    case 0xF0:
      return c >= 0x90;
    case 0xF4:
      return c < 0x90;
    default:
      return true;
  }
}

size_t dvx_utf8_decode(dvx_span s, int32_t *out) {
  const unsigned char *p = (const unsigned char *)s.data, lead = p[0];
  *out = lead;
  if (lead < 0x80) return 1;
  *out = -1;
  size_t length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
  if (length == 1) return 1;
  int32_t c = lead & (0x7F >> length);
  for (size_t i = 1; i < length; i++) {
    if (i >= s.bytes || !(i == 1 ? second_fits(lead, p[1]) : (p[i] & 0xC0) == 0x80)) return i;
    c = c << 6 | (p[i] & 0x3F);
  }
  *out = c;
  return length;
}

void dvx_utf8_add(dvx_text *out, int64_t c) {
  if (!dvx_is_scalar_value(c)) c = DVX_REPLACEMENT;
  if (!dvx_text_reserve(out, 4)) return;
  char *p = out->data + out->bytes;
  if (c < 0x80) {
    p[0] = (char)c;
    out->bytes += 1;
  } else if (c < 0x800) {
    p[0] = (char)(0xC0 | c >> 6);
    p[1] = (char)(0x80 | (c & 0x3F));
    out->bytes += 2;
  } else if (c < 0x10000) {
    p[0] = (char)(0xE0 | c >> 12);
    p[1] = (char)(0x80 | (c >> 6 & 0x3F));
    p[2] = (char)(0x80 | (c & 0x3F));
    out->bytes += 3;
  } else {
    p[0] = (char)(0xF0 | c >> 18);
    p[1] = (char)(0x80 | (c >> 12 & 0x3F));
    p[2] = (char)(0x80 | (c >> 6 & 0x3F));
    p[3] = (char)(0x80 | (c & 0x3F));
    out->bytes += 4;
  }
}
