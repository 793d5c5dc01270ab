// Characters of UTF-8 text, both as stock counts them (bytes that do not continue a character) and decoded.
#ifndef DOVETAIL_PLUGINS_TEXT_UTF8_H_
#define DOVETAIL_PLUGINS_TEXT_UTF8_H_

#include "text/text.h"

#define DVX_REPLACEMENT 0xFFFD
#define DVX_MAX_CODE_POINT 0x10FFFF

static inline bool dvx_utf8_continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }
static inline bool dvx_is_scalar_value(int64_t c) {
  return c >= 0 && c <= DVX_MAX_CODE_POINT && !(c >= 0xD800 && c <= 0xDFFF);
}

// Bytes that do not continue a character.
size_t dvx_utf8_count(dvx_span s);
// Moves *at over `count` characters; false when the text ends before, and *at is then its end.
bool dvx_utf8_forward(dvx_span s, int64_t count, size_t *at);
// Moves *at back over `count` characters; false when the text begins before, and *at is then 0.
bool dvx_utf8_back(dvx_span s, int64_t count, size_t *at);

// Decodes the character at the beginning of `s`, which is not empty: the bytes it takes, and the code point
// or -1 for bytes that are none (as many as a character could begin with).
size_t dvx_utf8_decode(dvx_span s, int32_t *out);
// Appends a code point; what is no character becomes DVX_REPLACEMENT.
void dvx_utf8_add(dvx_text *out, int64_t c);

#endif  // DOVETAIL_PLUGINS_TEXT_UTF8_H_
