// StringNGrams: runs of neighbouring strings of a ragged row, joined with a separator, for each of some
// widths; rows may be padded on both sides.
#include <inttypes.h>

#include "text/text.h"

#define MAX_WIDTHS 64

typedef struct ngrams_state {
  dvx_attr separator, left, right;
  int64_t widths[MAX_WIDTHS];
  int width_count;
  int64_t pad;  // -1: one less than the width
  bool preserve_short;
} ngrams_state;

static void *ngrams_create(TF_OpKernelConstruction *ctx) {
  ngrams_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->separator = dvx_attr_get(ctx, "separator");
  state->left = dvx_attr_get(ctx, "left_pad");
  state->right = dvx_attr_get(ctx, "right_pad");
  int64_t widths[MAX_WIDTHS + 1];
  int count = dvp_attr_ints(ctx, "ngram_widths", widths, MAX_WIDTHS + 1);
  if (count > MAX_WIDTHS) dvp_create_fail(ctx, TF_UNIMPLEMENTED, "More than %d ngram_widths", MAX_WIDTHS);
  state->width_count = DVP_MIN(count, MAX_WIDTHS);
  memcpy(state->widths, widths, (size_t)state->width_count * sizeof(widths[0]));
  state->pad = dvp_attr_int(ctx, "pad_width");
  state->preserve_short = dvp_attr_bool(ctx, "preserve_short_sequences");
  return state;
}
static void ngrams_destroy(void *arg) {
  ngrams_state *state = arg;
  if (!state) return;
  free(state->separator.data);
  free(state->left.data);
  free(state->right.data);
  free(state);
}

static int64_t pad_of(const ngrams_state *n, int64_t width) {
  return n->pad < 0 ? width - 1 : DVP_MIN(n->pad, width - 1);
}
// Widths and lengths are below 2^32, so nothing here overflows.
static int64_t count_of(const ngrams_state *n, int64_t length, int64_t width) {
  return DVP_MAX(0, length + 2 * pad_of(n, width) - width + 1);
}

// N-gram `index` of the `count` of this width from `row`.
static void add_ngram(const ngrams_state *n, dvx_text *text, const TF_TString *row, int64_t index,
                      int64_t count, int64_t width) {
  int64_t pad = pad_of(n, width);
  int64_t left = DVP_MAX(0, pad - index), right = DVP_MAX(0, pad - (count - index - 1));
  int64_t tokens = width - left - right, first = left > 0 ? 0 : index - pad;
  for (int64_t i = 0; i < left + DVP_MAX(tokens, 0) + right; i++) {
    if (i > 0) dvx_text_add(text, dvx_attr_span(&n->separator));
    if (i < left)
      dvx_text_add(text, dvx_attr_span(&n->left));
    else if (i < left + tokens)
      dvx_text_add(text, dvx_span_of(&row[first + i - left]));
    else
      dvx_text_add(text, dvx_attr_span(&n->right));
  }
}

static int64_t split_at(const dvp_view *splits, int64_t i) {
  return splits->dtype == TF_INT32 ? ((const int32_t *)splits->data)[i] : ((const int64_t *)splits->data)[i];
}
static void set_split(const dvp_view *splits, void *out, int64_t i, int64_t value) {
  if (splits->dtype == TF_INT32)
    ((int32_t *)out)[i] = (int32_t)value;
  else
    ((int64_t *)out)[i] = value;
}

static bool check(dvp_call *call, const ngrams_state *n, const dvp_view *data, const dvp_view *splits) {
  for (int i = 0; i < n->width_count; i++)
    if (n->widths[i] <= 0 || n->widths[i] > INT32_MAX)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "ngram_widths must contain positive values");
  if (data->rank > 1 || splits->rank > 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "data and data_splits must be vectors");
  int64_t before = 0;
  for (int64_t i = 0; i < splits->count; i++) {
    int64_t split = split_at(splits, i);
    if ((i == 0 && split != 0) || split < before || split > data->count)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Invalid split value %" PRId64 ", must be in [%" PRId64 ", %" PRId64 "]", split, before,
                      i == 0 ? 0 : data->count);
    before = split;
  }
  return splits->count == 0 || before == data->count ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Last split value must be data size. Expected %" PRId64 ", got %" PRId64, data->count,
                  before);
}

// The n-grams of a row; with `out`, they are stored there. -1: the row is to be kept though no padding is
// told.
static int64_t do_row(const ngrams_state *n, const TF_TString *row, int64_t length, dvx_text *text,
                      TF_TString *out) {
  int64_t total = 0;
  for (int k = 0; k < n->width_count; k++) {
    int64_t count = count_of(n, length, n->widths[k]);
    for (int64_t i = 0; out && i < count && !text->failed; i++) {
      text->bytes = 0;
      add_ngram(n, text, row, i, count, n->widths[k]);
      dvx_store(&out[total + i], dvx_text_span(text));
    }
    if (__builtin_add_overflow(total, count, &total)) return INT64_MAX;
  }
  if (total > 0 || !n->preserve_short || length == 0) return total;
  if (n->pad < 0) return -1;
  if (out) {
    text->bytes = 0;
    add_ngram(n, text, row, 0, 1, length + 2 * n->pad);
    dvx_store(out, dvx_text_span(text));
  }
  return 1;
}

DVP_COMPUTE(string_ngrams_compute) {
  const ngrams_state *n = state;
  dvp_view data, splits;
  if (!dvp_input(call, 0, &data) || !dvp_input(call, 1, &splits) || !check(call, n, &data, &splits)) return;
  void *out_splits = dvp_output(call, 1, splits.dims, splits.rank);
  if (!out_splits) return;
  const TF_TString *strings = data.data;
  // Without splits there are no rows, and stock answers as many empty strings as there is data.
  int64_t total = splits.count ? 0 : data.count, most = splits.dtype == TF_INT32 ? INT32_MAX : INT64_MAX;
  dvx_text text = {0};
  if (splits.count > 0) set_split(&splits, out_splits, 0, 0);
  for (int64_t i = 1; i < splits.count; i++) {
    int64_t begin = split_at(&splits, i - 1), length = split_at(&splits, i) - begin;
    int64_t count = data.count == 0 ? 0 : do_row(n, strings + begin, length, &text, NULL);
    if (count < 0) {
      dvp_fail(
          call, TF_INVALID_ARGUMENT,
          "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, "
          "got %" PRId64,
          n->pad);
      return;
    }
    if (__builtin_add_overflow(total, count, &total) || total > most) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "The n-grams are too many for the dtype of the splits");
      return;
    }
    set_split(&splits, out_splits, i, total);
  }
  TF_TString *out = dvp_output(call, 0, &total, 1);
  for (int64_t i = 1; out && total > 0 && i < splits.count; i++) {
    int64_t begin = split_at(&splits, i - 1), length = split_at(&splits, i) - begin;
    out += do_row(n, strings + begin, length, &text, out);
  }
  if (text.failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  dvx_text_free(&text);
}
static const dvp_kernel string_ngrams_rows[] = {DVP_KERNEL(TF_INT32, string_ngrams)
                                                    DVP_KERNEL(TF_INT64, string_ngrams)};
DVP_DEFINE_SET(string_ngrams, "Tsplits", ngrams_create, ngrams_destroy, string_ngrams_rows);
