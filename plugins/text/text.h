// What the kernels of text.so work with: spans of bytes, buffers that grow, and the loop over the elements of
// a string tensor.
#ifndef DOVETAIL_PLUGINS_TEXT_TEXT_H_
#define DOVETAIL_PLUGINS_TEXT_TEXT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "tensorflow/c/tf_tstring.h"
#include "text/text_buffer.h"

#define DVX_NO_MEMORY "Out of memory for a string"

static inline dvx_span dvx_span_of(const TF_TString *string) {
  return (dvx_span){TF_StringGetDataPointer(string), TF_StringGetSize(string)};
}
static inline dvx_span dvx_element(const dvp_view *strings, int64_t i) {
  return dvx_span_of((const TF_TString *)strings->data + i);
}
static inline dvx_span dvx_part(dvx_span s, size_t begin, size_t end) {
  return (dvx_span){s.data + begin, end - begin};
}
static inline bool dvx_same(dvx_span a, dvx_span b) {
  return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}
// The kernel fails when there is no memory; an element that could not be stored is empty.
static inline void dvx_store(TF_TString *out, dvx_span s) { TF_StringCopy(out, s.data, s.bytes); }

void dvx_text_printf(dvx_text *text, const char *format, ...) DVP_PRINTF(2, 3);
static inline dvx_span dvx_text_span(const dvx_text *text) { return (dvx_span){text->data, text->bytes}; }

// A string attribute.
typedef struct dvx_attr {
  char *data;
  size_t bytes;
} dvx_attr;
static inline dvx_attr dvx_attr_get(TF_OpKernelConstruction *ctx, const char *name) {
  dvx_attr attr = {NULL, 0};
  attr.data = dvp_attr_string_new(ctx, name, &attr.bytes);
  return attr;
}
static inline dvx_span dvx_attr_span(const dvx_attr *attr) { return (dvx_span){attr->data, attr->bytes}; }

// Output 0 becomes what `map` writes for every element of input 0, over the pool. `map` answers NULL, or a
// sentence that the kernel fails with (INVALID_ARGUMENT).
typedef const char *(*dvx_map)(const void *arg, dvx_span in, dvx_text *out);
void dvx_map_elements(dvp_call *call, dvx_map map, const void *arg, int64_t cost_ps);

// The scalar string input `index`; INVALID_ARGUMENT, naming `what`, for other ranks.
bool dvx_input_scalar(dvp_call *call, int index, const char *what, dvx_span *out);

#endif  // DOVETAIL_PLUGINS_TEXT_TEXT_H_
