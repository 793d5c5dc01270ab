// Spans of bytes and buffers that grow, for C and for the C++ of re2.cc.
#ifndef DOVETAIL_PLUGINS_TEXT_TEXT_BUFFER_H_
#define DOVETAIL_PLUGINS_TEXT_TEXT_BUFFER_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that somebody else holds; any byte may be among them.
typedef struct dvx_span {
  const char *data;
  size_t bytes;
} dvx_span;

// A buffer that grows. `failed` says that memory ran out; what is appended afterwards is lost.
typedef struct dvx_text {
  char *data;
  size_t bytes, capacity;
  bool failed;
} dvx_text;

void dvx_text_free(dvx_text *text);
// Makes room for `bytes` more; false when memory ran out.
bool dvx_text_reserve(dvx_text *text, size_t bytes);
void dvx_text_add(dvx_text *text, dvx_span s);
void dvx_text_add_char(dvx_text *text, char c);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_PLUGINS_TEXT_TEXT_BUFFER_H_
