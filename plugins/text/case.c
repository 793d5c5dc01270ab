// StringLower and StringUpper: of ASCII letters, or with attribute encoding 'utf-8' of all characters, by the
// full mappings of Unicode (one character may become up to three; a capital sigma that ends a word becomes a
// final one).
#include "text/utf8.h"

// Characters first, first + step, ..., last become themselves plus `delta`.
typedef struct case_run {
  int32_t first, last, step, delta;
} case_run;
// Character c becomes two or three; 0: none.
typedef struct case_long {
  int32_t c, first, second, third;
} case_long;
typedef struct code_range {
  int32_t first, last;
} code_range;

#include "text/case_table.inc"

typedef struct case_table {
  const case_run *runs;
  int run_count;
  const case_long *longer;
  int longer_count;
} case_table;
static const case_table lower_table = {lower_runs, DVP_COUNT_OF(lower_runs), lower_long,
                                       DVP_COUNT_OF(lower_long)};
static const case_table upper_table = {upper_runs, DVP_COUNT_OF(upper_runs), upper_long,
                                       DVP_COUNT_OF(upper_long)};

static bool in_ranges(const code_range *ranges, int count, int32_t c) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (c > ranges[middle].last)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && c >= ranges[low].first;
}

static void add_mapped(const case_table *table, int32_t c, dvx_text *out) {
  for (int i = 0; c >= 0x80 && i < table->longer_count; i++) {
    if (table->longer[i].c != c) continue;
    dvx_utf8_add(out, table->longer[i].first);
    dvx_utf8_add(out, table->longer[i].second);
    if (table->longer[i].third) dvx_utf8_add(out, table->longer[i].third);
    return;
  }
  // Runs are in the order of their first characters, but those with a step of 2 may interleave.
  for (int i = 0; i < table->run_count && table->runs[i].first <= c; i++) {
    const case_run *run = &table->runs[i];
    if (c > run->last || (c - run->first) % run->step) continue;
    c += run->delta;
    break;
  }
  dvx_utf8_add(out, c);
}

// Whether the capital sigma before which `before` and after which `after` stands ends a word: a cased letter
// comes before it, none after it, characters that carry no letter aside.
static bool sigma_is_final(int32_t last_letter, dvx_span after) {
  if (last_letter < 0 || !in_ranges(cased, DVP_COUNT_OF(cased), last_letter)) return false;
  while (after.bytes > 0) {
    int32_t c;
    after = dvx_part(after, dvx_utf8_decode(after, &c), after.bytes);
    if (c < 0) return true;
    if (!in_ranges(ignorable, DVP_COUNT_OF(ignorable), c)) return !in_ranges(cased, DVP_COUNT_OF(cased), c);
  }
  return true;
}

typedef struct case_state {
  bool unicode, upper;
} case_state;

static const char *map_case(const void *arg, dvx_span in, dvx_text *out) {
  const case_state *state = arg;
  if (!state->unicode) {
    char from = state->upper ? 'a' : 'A';
    for (size_t i = 0; i < in.bytes; i++) {
      char c = in.data[i];
      dvx_text_add_char(out, c >= from && c <= from + 25 ? (char)(c ^ 0x20) : c);
    }
    return NULL;
  }
  // Stock reads a C string here.
  in.bytes = strnlen(in.data, in.bytes);
  int32_t last_letter = -1;
  while (in.bytes > 0) {
    int32_t c;
    in = dvx_part(in, dvx_utf8_decode(in, &c), in.bytes);
    if (c < 0)
      dvx_utf8_add(out, DVX_REPLACEMENT);
    else if (c == 0x3A3 && !state->upper)
      dvx_utf8_add(out, sigma_is_final(last_letter, in) ? 0x3C2 : 0x3C3);
    else
      add_mapped(state->upper ? &upper_table : &lower_table, c, out);
    if (c < 0 || !in_ranges(ignorable, DVP_COUNT_OF(ignorable), c)) last_letter = c;
  }
  return NULL;
}

static void *create(TF_OpKernelConstruction *ctx, bool upper) {
  case_state *state = dvp_state_new(ctx, sizeof(*state));
  dvx_attr encoding = dvx_attr_get(ctx, "encoding");
  if (state && encoding.data) {
    state->upper = upper;
    state->unicode = strcmp(encoding.data, "utf-8") == 0;
    if (encoding.bytes > 0 && !state->unicode)
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "only utf-8 or '' (no encoding) is supported, received %s",
                      encoding.data);
  }
  free(encoding.data);
  return state;
}
static void *lower_create(TF_OpKernelConstruction *ctx) { return create(ctx, false); }
static void *upper_create(TF_OpKernelConstruction *ctx) { return create(ctx, true); }
static void case_destroy(void *state) { free(state); }

DVP_COMPUTE(string_case_compute) { dvx_map_elements(call, map_case, state, 200000); }
DVP_DEFINE_ANY(string_lower, lower_create, case_destroy, string_case_compute);
static const dvp_kernel string_upper_rows[] = {DVP_KERNEL(0, string_case)};
DVP_DEFINE_SET(string_upper, NULL, upper_create, case_destroy, string_upper_rows);
