// Reading and writing text in encodings: UTF-8, UTF-16 and UTF-32 in either byte order, US-ASCII and
// ISO-8859-1.
#ifndef DOVETAIL_PLUGINS_TEXT_CODEC_H_
#define DOVETAIL_PLUGINS_TEXT_CODEC_H_

#include "text/utf8.h"

typedef enum dvx_encoding {
  DVX_UTF8,
  DVX_UTF16_BE,
  DVX_UTF16_LE,
  DVX_UTF16,  // a byte order mark tells; big-endian without one
  DVX_UTF32_BE,
  DVX_UTF32_LE,
  DVX_UTF32,
  DVX_ASCII,
  DVX_LATIN1,
  DVX_UNKNOWN,
} dvx_encoding;

// By any of its usual names; letter case, '-', '_' and spaces do not matter.
dvx_encoding dvx_encoding_named(const char *name);
// The encoding that `s` is in after its byte order mark, if this encoding has one, and the bytes of the mark.
dvx_encoding dvx_skip_mark(dvx_encoding encoding, dvx_span s, size_t *out_bytes);
// Decodes one character of `s`, which is not empty, and answers the bytes it takes; *out is -1 for bytes that
// are none.
size_t dvx_decode(dvx_encoding encoding, dvx_span s, int32_t *out);
// Appends a code point to UTF-8, UTF-16-BE or UTF-32-BE text.
void dvx_encode(dvx_encoding encoding, int32_t c, dvx_text *out);

#endif  // DOVETAIL_PLUGINS_TEXT_CODEC_H_
