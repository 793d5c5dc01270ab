// Snappy's raw format, written from its public format description. An element's low two bits say what it is:
// 0 literal, 1 copy with an 11-bit offset, 2 with a 16-bit, 3 with a 32-bit offset.
#include "graph/snappy.h"

// Header varint (at most five bytes); returns its length in bytes, 0 when malformed.
static size_t header(dvt_str in, uint64_t *out_len) {
  uint64_t value = 0;
  for (size_t i = 0; i < 5 && i < in.len; ++i) {
    value |= (uint64_t)((uint8_t)in.data[i] & 0x7f) << (7 * i);
    if ((uint8_t)in.data[i] < 0x80) {
      *out_len = value;
      return i + 1;
    }
  }
  return 0;
}

bool dvt_snappy_length(dvt_str in, size_t *out_len) {
  uint64_t len;
  // The densest element, a 3-byte copy, makes 64 bytes.
  if (!header(in, &len) || len / 22 > in.len) return false;
  *out_len = (size_t)len;
  return true;
}

static size_t little_endian(const uint8_t *p, size_t bytes) {
  size_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= (size_t)p[i] << (8 * i);
  return value;
}

bool dvt_snappy_decode(dvt_str in, char *out, size_t len) {
  uint64_t declared;
  size_t skip = header(in, &declared);
  if (!skip || declared != len) return false;
  const uint8_t *p = (const uint8_t *)in.data + skip, *end = (const uint8_t *)in.data + in.len;
  size_t done = 0;
  while (p < end) {
    uint8_t tag = *p++;
    size_t left = (size_t)(end - p), count, offset;
    if ((tag & 3) == 0) {
      count = (size_t)(tag >> 2) + 1;
      if (count > 60) {
        size_t extra = count - 60;
        if (extra > left) return false;
        count = little_endian(p, extra) + 1;
        p += extra;
        left -= extra;
      }
      if (count > left || count > len - done) return false;
      memcpy(out + done, p, count);
      p += count;
      done += count;
      continue;
    }
    size_t extra = (tag & 3) == 1 ? 1 : (tag & 3) == 2 ? 2 : 4;
    if (extra > left) return false;
    offset = little_endian(p, extra);
    p += extra;
    count = (size_t)(tag >> 2) + 1;
    if ((tag & 3) == 1) {
      offset |= (size_t)(tag >> 5) << 8;
      count = (size_t)((tag >> 2) & 7) + 4;
    }
    if (offset == 0 || offset > done || count > len - done) return false;
    for (size_t i = 0; i < count; ++i)
      out[done + i] = out[done + i - offset];  // source and target may overlap
    done += count;
  }
  return done == len;
}
