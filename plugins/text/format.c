// StringFormat: a template whose placeholders become the values of the inputs, each printed as an array of
// which only the first and last elements of every dimension are shown.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/dtype.h"
#include "text/text.h"

typedef struct format_state {
  dvx_attr template, placeholder;
  int64_t summarize;
  bool any;
} format_state;

static void format_destroy(void *arg) {
  format_state *state = arg;
  if (!state) return;
  free(state->template.data);
  free(state->placeholder.data);
  free(state);
}

// Where the next placeholder begins at or after `at`, or -1.
static int64_t find_placeholder(const format_state *f, size_t at) {
  const char *found = at <= f->template.bytes ? memmem(f->template.data + at, f->template.bytes - at,
                                                       f->placeholder.data, f->placeholder.bytes)
                                              : NULL;
  return found ? found - f->template.data : -1;
}

static void *format_create(TF_OpKernelConstruction *ctx) {
  format_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->template = dvx_attr_get(ctx, "template");
  state->placeholder = dvx_attr_get(ctx, "placeholder");
  state->summarize = dvp_attr_int(ctx, "summarize");
  if (state->placeholder.data && state->placeholder.bytes == 0)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "The placeholder must not be empty");
  return state;
}

// ---- printing values ----

// With as few of the usual digits as give the number back.
static void add_float(dvx_text *out, double x, bool is_double) {
  char text[40];
  if (isnan(x)) {
    dvx_text_printf(out, "nan");
    return;
  }
  snprintf(text, sizeof(text), "%.*g", is_double ? 15 : 6, x);
  double again = is_double ? strtod(text, NULL) : (double)strtof(text, NULL);
  if (again != x) snprintf(text, sizeof(text), "%.*g", is_double ? 17 : 9, x);
  dvx_text_printf(out, "%s", text);
}

// As a C literal; bytes above 127 stay as they are.
static void add_quoted(dvx_text *out, dvx_span s) {
  dvx_text_add_char(out, '"');
  for (size_t i = 0; i < s.bytes; i++) {
    unsigned char c = (unsigned char)s.data[i];
    const char *escaped = c == '\n'   ? "\\n"
                          : c == '\r' ? "\\r"
                          : c == '\t' ? "\\t"
                          : c == '"'  ? "\\\""
                                      : NULL;
    if (c == '\'') escaped = "\\'";
    if (c == '\\') escaped = "\\\\";
    if (escaped)
      dvx_text_printf(out, "%s", escaped);
    else if (c >= 0x20 && c != 0x7F)
      dvx_text_add_char(out, (char)c);
    else
      dvx_text_printf(out, "\\%03o", c);
  }
  dvx_text_add_char(out, '"');
}

#define ADD_FLOAT(t, unused)                                                                    \
  case DVP_TYPE_##t:                                                                            \
    add_float(out, (double)DVP_LOAD_##t(((const dvp_##t *)in->data)[i]), sizeof(dvp_##t) == 8); \
    return;
#define ADD_SIGNED(t, unused)                                                  \
  case DVP_TYPE_##t:                                                           \
    dvx_text_printf(out, "%" PRId64, (int64_t)((const dvp_##t *)in->data)[i]); \
    return;
#define ADD_UNSIGNED(t, unused)                                                 \
  case DVP_TYPE_##t:                                                            \
    dvx_text_printf(out, "%" PRIu64, (uint64_t)((const dvp_##t *)in->data)[i]); \
    return;
static void add_element(dvx_text *out, const dvp_view *in, int64_t i) {
  switch (in->dtype) {
    DVP_FLOATS(ADD_FLOAT, )
    DVP_SIGNED(ADD_SIGNED, )
    DVP_UNSIGNED(ADD_UNSIGNED, )
    ADD_UNSIGNED(b, )
    case TF_STRING:
      add_quoted(out, dvx_element(in, i));
      return;
    default:
      dvx_text_add_char(out, '?');
  }
}

// The part of `in` that begins at element `at` and has the dimensions from `axis` on.
static void add_array(const format_state *f, dvx_text *out, const dvp_view *in, int axis, int64_t at) {
  if (axis == in->rank) {
    add_element(out, in, at);
    return;
  }
  int64_t size = in->dims[axis], step = dvp_product(in->dims, axis + 1, in->rank);
  int64_t edge = in->count == 0 ? 0 : f->summarize < 0 || f->summarize > size / 2 ? size : f->summarize;
  bool cut = edge < size && 2 * edge < size;
  dvx_text_add_char(out, '[');
  for (int64_t i = 0; i < size; i++) {
    bool gap = cut && i == edge;
    if (gap) i = size - edge;
    if (axis == in->rank - 1) {
      if (gap) dvx_text_printf(out, " ...");
      if (i < size && (i > 0)) dvx_text_add_char(out, ' ');
    } else {
      for (int k = axis; gap && k < in->rank - 1; k++) dvx_text_add_char(out, '\n');
      if (gap) dvx_text_printf(out, "%*s...", axis + 1, "");
      if (i < size && i > 0) {
        for (int k = axis; k < in->rank - 1; k++) dvx_text_add_char(out, '\n');
        dvx_text_printf(out, "%*s", axis + 1, "");
      }
    }
    if (i < size) add_array(f, out, in, axis + 1, at + i * step);
  }
  dvx_text_add_char(out, ']');
}

DVP_COMPUTE(string_format_compute) {
  const format_state *f = state;
  int count = TF_NumInputs(call->ctx), used = 0;
  dvx_text text = {0};
  size_t at = 0;
  int64_t found;
  bool fine = true;
  for (; fine && (found = find_placeholder(f, at)) >= 0; used++) {
    dvp_view in;
    dvx_text_add(&text, dvx_part(dvx_attr_span(&f->template), at, (size_t)found));
    at = (size_t)found + f->placeholder.bytes;
    if (used >= count) continue;
    fine = dvp_input(call, used, &in);
    // Stock shows nothing of an empty tensor of bool, not even brackets.
    if (fine && (in.dtype != TF_BOOL || in.count > 0)) add_array(f, &text, &in, 0, 0);
  }
  dvx_text_add(&text, dvx_part(dvx_attr_span(&f->template), at, f->template.bytes));
  if (fine && used != count)
    dvp_fail(call, TF_INVALID_ARGUMENT, "num placeholders in template and num inputs must match: %d vs. %d",
             used, count);
  else if (fine && text.failed)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  TF_TString *out = fine && used == count && !text.failed ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) dvx_store(out, dvx_text_span(&text));
  dvx_text_free(&text);
}
DVP_DEFINE_ANY(string_format, format_create, format_destroy, string_format_compute);
