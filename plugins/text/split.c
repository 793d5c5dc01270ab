// StringSplit and StringSplitV2: parts of strings as a sparse tensor (indices [n, 2], values [n], shape [2]).
// Parts are spans of the input, collected in one list, and copied at the end.
#include <inttypes.h>

#include "text/text.h"

typedef struct parts {
  dvx_span *items;
  int64_t *rows;
  int64_t count, capacity;
  bool failed;
} parts;

static void add_part(parts *p, int64_t row, dvx_span part) {
  if (p->count == p->capacity && !p->failed) {
    int64_t capacity = p->capacity * 2 + 64;
    dvx_span *items = realloc(p->items, (size_t)capacity * sizeof(*items));
    if (items) p->items = items;
    int64_t *rows = items ? realloc(p->rows, (size_t)capacity * sizeof(*rows)) : NULL;
    if (rows) p->rows = rows;
    p->failed = !rows;
    if (rows) p->capacity = capacity;
  }
  if (p->failed) return;
  p->items[p->count] = part;
  p->rows[p->count++] = row;
}

static bool output_parts(dvp_call *call, const parts *p, int64_t rows) {
  if (p->failed) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory while splitting strings");
  const int64_t matrix[2] = {p->count, 2}, two = 2;
  int64_t *indices = dvp_output(call, 0, matrix, 2);
  TF_TString *values = indices ? dvp_output(call, 1, &p->count, 1) : NULL;
  int64_t *shape = values ? dvp_output(call, 2, &two, 1) : NULL;
  if (!shape) return false;
  int64_t longest = 0, column = 0;
  for (int64_t i = 0; i < p->count; i++) {
    column = i > 0 && p->rows[i] == p->rows[i - 1] ? column + 1 : 0;
    indices[2 * i] = p->rows[i];
    indices[2 * i + 1] = column;
    longest = DVP_MAX(longest, column + 1);
    dvx_store(&values[i], p->items[i]);
  }
  shape[0] = rows;
  shape[1] = longest;
  return true;
}

static bool input_rows(dvp_call *call, dvp_view *out) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, out)) return false;
  return out->rank == 1 || dvp_fail(call, TF_INVALID_ARGUMENT, "input must be a vector, got shape: %s",
                                    dvp_shape_text(out->dims, out->rank, text));
}

// ---- StringSplit: any byte of the delimiter separates ----

typedef struct split_state {
  bool skip_empty;
  int64_t most;  // separators to use; negative: all
} split_state;

static void *split_create(TF_OpKernelConstruction *ctx) {
  split_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->skip_empty = dvp_attr_bool(ctx, "skip_empty");
  return state;
}
static void *split_v2_create(TF_OpKernelConstruction *ctx) {
  split_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->most = dvp_attr_int(ctx, "maxsplit");
  return state;
}
static void split_destroy(void *state) { free(state); }

static void split_by_bytes(parts *p, int64_t row, dvx_span s, dvx_span delimiter, bool skip_empty) {
  if (s.bytes == 0) return;
  size_t begin = 0;
  for (size_t i = 0; i <= s.bytes; i++) {
    bool ends = delimiter.bytes == 0 || i == s.bytes || memchr(delimiter.data, s.data[i], delimiter.bytes);
    if (!ends) continue;
    if (delimiter.bytes == 0) {
      if (i < s.bytes) add_part(p, row, dvx_part(s, i, i + 1));
    } else {
      if (i > begin || !skip_empty) add_part(p, row, dvx_part(s, begin, i));
      begin = i + 1;
    }
  }
}

DVP_COMPUTE(string_split_compute) {
  const split_state *split = state;
  dvp_view in;
  dvx_span delimiter;
  if (!input_rows(call, &in) || !dvx_input_scalar(call, 1, "delimiter", &delimiter)) return;
  parts p = {0};
  for (int64_t i = 0; i < in.count; i++)
    split_by_bytes(&p, i, dvx_element(&in, i), delimiter, split->skip_empty);
  output_parts(call, &p, in.count);
  free(p.items);
  free(p.rows);
}
DVP_DEFINE_ANY(string_split, split_create, split_destroy, string_split_compute);

// ---- StringSplitV2: the separator as a whole; an empty one is any run of white space ----

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// After `most` parts the rest is one more, even when it is empty.
static void split_by_space(parts *p, int64_t row, dvx_span s, int64_t most) {
  if (most == 0) {
    add_part(p, row, s);
    return;
  }
  size_t i = 0;
  while (i < s.bytes && is_space(s.data[i])) i++;
  while (i < s.bytes) {
    size_t begin = i;
    while (i < s.bytes && !is_space(s.data[i])) i++;
    add_part(p, row, dvx_part(s, begin, i));
    while (i < s.bytes && is_space(s.data[i])) i++;
    if (--most == 0) {
      add_part(p, row, dvx_part(s, i, s.bytes));
      return;
    }
  }
}

static void split_by_text(parts *p, int64_t row, dvx_span s, dvx_span separator, int64_t most) {
  size_t begin = 0;
  while (most-- != 0 && s.bytes - begin >= separator.bytes) {
    const char *found = memmem(s.data + begin, s.bytes - begin, separator.data, separator.bytes);
    if (!found) break;
    size_t at = (size_t)(found - s.data);
    add_part(p, row, dvx_part(s, begin, at));
    begin = at + separator.bytes;
  }
  add_part(p, row, dvx_part(s, begin, s.bytes));
}

DVP_COMPUTE(string_split_v2_compute) {
  const split_state *split = state;
  dvp_view in;
  dvx_span separator;
  if (!input_rows(call, &in) || !dvx_input_scalar(call, 1, "sep", &separator)) return;
  parts p = {0};
  for (int64_t i = 0; i < in.count; i++) {
    dvx_span s = dvx_element(&in, i);
    if (separator.bytes == 0)
      split_by_space(&p, i, s, split->most);
    else
      split_by_text(&p, i, s, separator, split->most);
  }
  output_parts(call, &p, in.count);
  free(p.items);
  free(p.rows);
}
DVP_DEFINE_ANY(string_split_v2, split_v2_create, split_destroy, string_split_v2_compute);
