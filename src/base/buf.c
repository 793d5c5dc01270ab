// The growable byte run. One byte is always kept beyond `len` for the closing NUL.
#include "base/buf.h"

#include <stdio.h>

void dvt_buf_deinit(dvt_buf *buf) {
  dvt_free(buf->data);
  *buf = (dvt_buf){0};
}

void dvt_buf_clear(dvt_buf *buf) {
  buf->len = 0;
  buf->failed = false;
  if (buf->data) buf->data[0] = '\0';
}

char *dvt_buf_extend(dvt_buf *buf, size_t len) {
  size_t want;
  void *data = buf->data;
  if (buf->failed) return NULL;
  if (!dvt_size_add(buf->len, len, &want) || !dvt_size_add(want, 1, &want) ||
      !dvt_grow(&data, &buf->capacity, DVT_MAX(want, (size_t)32), 1)) {
    buf->failed = true;
    return NULL;
  }
  buf->data = data;
  char *room = buf->data + buf->len;
  buf->len += len;
  buf->data[buf->len] = '\0';
  return room;
}

void dvt_buf_append(dvt_buf *buf, const void *bytes, size_t len) {
  char *room = dvt_buf_extend(buf, len);
  if (room && len) memcpy(room, bytes, len);
}

void dvt_buf_append_str(dvt_buf *buf, dvt_str s) { dvt_buf_append(buf, s.data, s.len); }

void dvt_buf_append_byte(dvt_buf *buf, char c) {
  char *room = dvt_buf_extend(buf, 1);
  if (room) *room = c;
}

void dvt_buf_vprintf(dvt_buf *buf, const char *format, va_list args) {
  char small[256];
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(small, sizeof small, format, args);
  if (len < 0) {
    buf->failed = true;
  } else if ((size_t)len < sizeof small) {
    dvt_buf_append(buf, small, (size_t)len);
  } else {
    char *room = dvt_buf_extend(buf, (size_t)len);
    if (room) vsnprintf(room, (size_t)len + 1, format, again);
  }
  va_end(again);
}

void dvt_buf_printf(dvt_buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_buf_vprintf(buf, format, args);
  va_end(args);
}

char *dvt_buf_release(dvt_buf *buf) {
  char *data = buf->data;
  *buf = (dvt_buf){0};
  return data;
}
