// Buffers and the loop over elements; see text.h.
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "text/text.h"

void dvx_text_free(dvx_text *text) { free(text->data); }

bool dvx_text_reserve(dvx_text *text, size_t bytes) {
  if (text->capacity - text->bytes >= bytes) return true;
  size_t wanted = text->bytes + bytes, capacity = text->capacity + text->capacity / 2 + 64;
  if (wanted < bytes) {
    text->failed = true;
    return false;
  }
  if (capacity < wanted) capacity = wanted;
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void dvx_text_add(dvx_text *text, dvx_span s) {
  if (s.bytes == 0 || !dvx_text_reserve(text, s.bytes)) return;
  memcpy(text->data + text->bytes, s.data, s.bytes);
  text->bytes += s.bytes;
}

void dvx_text_add_char(dvx_text *text, char c) {
  if (dvx_text_reserve(text, 1)) text->data[text->bytes++] = c;
}

void dvx_text_printf(dvx_text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int bytes = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (bytes < 0) {
    text->failed = true;
  } else if (dvx_text_reserve(text, (size_t)bytes + 1)) {
    vsnprintf(text->data + text->bytes, (size_t)bytes + 1, format, again);
    text->bytes += (size_t)bytes;
  }
  va_end(again);
}

typedef struct mapping {
  dvx_map map;
  const void *arg;
  const dvp_view *in;
  TF_TString *out;
  const char *_Atomic problem;
} mapping;

static void map_range(void *arg, int64_t begin, int64_t end) {
  mapping *m = arg;
  dvx_text text = {0};
  for (int64_t i = begin; i < end && !atomic_load_explicit(&m->problem, memory_order_relaxed); i++) {
    text.bytes = 0;
    const char *problem = m->map(m->arg, dvx_element(m->in, i), &text), *none = NULL;
    if (!problem && text.failed) problem = DVX_NO_MEMORY;
    if (problem) atomic_compare_exchange_strong(&m->problem, &none, problem);
    dvx_store(&m->out[i], dvx_text_span(&text));
  }
  dvx_text_free(&text);
}

void dvx_map_elements(dvp_call *call, dvx_map map, const void *arg, int64_t cost_ps) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  mapping m = {.map = map, .arg = arg, .in = &in, .out = dvp_output(call, 0, in.dims, in.rank)};
  if (!m.out) return;
  dvp_parallel(call, in.count, cost_ps, map_range, &m);
  const char *problem = atomic_load(&m.problem);
  if (problem)
    dvp_fail(call, strcmp(problem, DVX_NO_MEMORY) ? TF_INVALID_ARGUMENT : TF_RESOURCE_EXHAUSTED, "%s",
             problem);
}

bool dvx_input_scalar(dvp_call *call, int index, const char *what, dvx_span *out) {
  dvp_view view;
  if (!dvp_input_scalar(call, index, what, &view)) return false;
  *out = dvx_element(&view, 0);
  return true;
}
