// dvt_buf: a growable run of bytes: text being composed, a protobuf message being written. Errors are sticky: after a
// failed allocation every append is a no-op and `failed` stays set, so that callers check once at the end.
#ifndef DVT_BASE_BUF_H_
#define DVT_BASE_BUF_H_

#include <stdarg.h>

#include "base/alloc.h"

typedef struct dvt_buf {
  char *data;  // NUL-terminated whenever not NULL
  size_t len, capacity;
  bool failed;
} dvt_buf;

// A zero-initialised dvt_buf is ready to use.
void dvt_buf_deinit(dvt_buf *buf);
void dvt_buf_clear(dvt_buf *buf);  // keeps the memory, resets `failed`
void dvt_buf_append(dvt_buf *buf, const void *bytes, size_t len);
void dvt_buf_append_str(dvt_buf *buf, dvt_str s);
void dvt_buf_append_byte(dvt_buf *buf, char c);
void dvt_buf_printf(dvt_buf *buf, const char *format, ...) DVT_PRINTF(2, 3);
void dvt_buf_vprintf(dvt_buf *buf, const char *format, va_list args);
// Opens `len` bytes of uninitialised room at the end and returns it; NULL when out of memory.
char *dvt_buf_extend(dvt_buf *buf, size_t len);
static inline dvt_str dvt_buf_str(const dvt_buf *buf) { return (dvt_str){buf->data, buf->len}; }
// Hands the bytes (dvt_malloc'ed, to be freed with dvt_free) to the caller and empties the buf.
char *dvt_buf_release(dvt_buf *buf);

#endif  // DVT_BASE_BUF_H_
