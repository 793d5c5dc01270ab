// CTCLoss: the probability of a sequence of labels, summed over all ways to stretch it over the steps with
// blanks between (Graves, Supervised Sequence Labelling, chapter 7), and its gradient by the logits. All in
// f64 and, from the softmax on, in logarithms. Entries of the batch are computed in parallel.
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

typedef struct ctc_state {
  bool collapse, merge_repeated, ignore_longer;
  bool blank_first;
} ctc_state;

static void *create(TF_OpKernelConstruction *ctx, bool blank_first) {
  ctc_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->collapse = dvp_attr_bool(ctx, "preprocess_collapse_repeated");
  state->merge_repeated = dvp_attr_bool(ctx, "ctc_merge_repeated");
  state->ignore_longer = dvp_attr_bool(ctx, "ignore_longer_outputs_than_inputs");
  state->blank_first = blank_first;
  return state;
}
static void *ctc_create(TF_OpKernelConstruction *ctx) { return create(ctx, false); }
static void *ctc_v2_create(TF_OpKernelConstruction *ctx) { return create(ctx, true); }
static void ctc_destroy(void *state) { free(state); }

// The labels of an entry of the batch as given, and those that take part.
typedef struct sequence {
  int64_t first, given;  // in the values
  int32_t *labels;
  int64_t count;
} sequence;

typedef struct ctc {
  const ctc_state *options;
  dvp_view logits, indices, values, lengths;
  int64_t batch, classes;
  int32_t blank;
  sequence *sequences;
  int32_t *labels;
  void *loss, *gradient;
  atomic_bool failed;
} ctc;

static int64_t length_of(const ctc *c, int64_t b) { return ((const int32_t *)c->lengths.data)[b]; }

// ---- checking ----

static bool read_inputs(dvp_call *call, ctc *c) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &c->logits) || !dvp_input(call, 1, &c->indices) ||
      !dvp_input(call, 2, &c->values) || !dvp_input(call, 3, &c->lengths))
    return false;
  if (c->logits.rank != 3 || c->logits.count == 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "inputs must be [time, batch, classes], none of them 0, but are %s",
                    dvp_shape_text(c->logits.dims, c->logits.rank, text));
  c->batch = c->logits.dims[1];
  c->classes = c->logits.dims[2];
  if (c->classes > INT32_MAX) return dvp_fail(call, TF_INVALID_ARGUMENT, "There are too many classes");
  if (c->indices.rank != 2 || c->indices.dims[1] != 2 || c->values.rank != 1 ||
      c->indices.dims[0] != c->values.count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "labels_indices must be [n, 2] and labels_values [n]: got %s and %" PRId64 " values",
                    dvp_shape_text(c->indices.dims, c->indices.rank, text), c->values.count);
  if (c->lengths.rank != 1 || c->lengths.count != c->batch)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "sequence_length must have %" PRId64 " elements, but has %" PRId64, c->batch,
                    c->lengths.count);
  for (int64_t b = 0; b < c->batch; b++)
    if (length_of(c, b) < 0 || length_of(c, b) > c->logits.dims[0])
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "sequence_length(%" PRId64 ") is %" PRId64 ", but there are %" PRId64 " steps", b,
                      length_of(c, b), c->logits.dims[0]);
  c->blank = c->options->blank_first ? 0 : (int32_t)c->classes - 1;
  return true;
}

// Which values are of which entry of the batch; the indices must go up.
static bool group(dvp_call *call, ctc *c) {
  const int64_t *at = c->indices.data;
  for (int64_t i = 0; i < c->values.count; i++, at += 2) {
    if (at[0] < 0 || at[0] >= c->batch || at[1] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "labels_indices[%" PRId64 "] = [%" PRId64 ", %" PRId64
                      "] is outside of a batch of %" PRId64,
                      i, at[0], at[1], c->batch);
    if (i && (at[0] < at[-2] || (at[0] == at[-2] && at[1] <= at[-1])))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "labels_indices[%" PRId64 "] is out of order or repeated",
                      i);
    if (c->sequences[at[0]].given++ == 0) c->sequences[at[0]].first = i;
  }
  return true;
}

// CTCLoss: labels from the blank on end a sequence and stand for nothing.
static bool is_label(const ctc *c, int32_t label) {
  return c->options->blank_first ? label != 0 : label < c->blank;
}

static bool take_labels(dvp_call *call, ctc *c, int64_t b) {
  sequence *s = &c->sequences[b];
  const int32_t *given = (const int32_t *)c->values.data + s->first;
  bool finished = false;
  s->labels = c->labels + s->first;
  if (s->given == 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Entry %" PRId64 " of the batch has no labels", b);
  for (int64_t i = 0; i < s->given; i++) {
    if (i && c->options->collapse && given[i] == given[i - 1]) continue;
    if (!is_label(c, given[i])) {
      finished = true;
      continue;
    }
    if (finished || given[i] < 0 || given[i] >= c->classes)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Label %d at position %" PRId64 " of entry %" PRId64
                      " is negative, no class, or follows the end of the labels",
                      given[i], i, b);
    s->labels[s->count++] = given[i];
  }
  if (!c->options->ignore_longer && s->given > length_of(c, b))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Not enough time for the labels of entry %" PRId64 ": %" PRId64 " labels in %" PRId64
                    " steps; ignore_longer_outputs_than_inputs leaves such entries out",
                    b, s->given, length_of(c, b));
  return true;
}

// ---- one entry ----

static double log_sum(double a, double b) {
  double high = a > b ? a : b, low = a > b ? b : a;
  return low == -INFINITY ? high : high + log1p(exp(low - high));
}

// Labels with a blank before and behind each: position u of `positions`.
typedef struct alignment {
  const ctc *c;
  const sequence *s;
  int64_t steps, positions;
  double *softmax;       // [steps, classes]
  double *alpha, *beta;  // [steps, positions]
} alignment;

static int32_t class_at(const alignment *a, int64_t u) { return u % 2 ? a->s->labels[u / 2] : a->c->blank; }
static double log_probability(const alignment *a, int64_t t, int64_t u) {
  return log(a->softmax[t * a->c->classes + class_at(a, u)]);
}
// Whether a position may last, and whether one may go from u to u + 2 past the blank.
static bool may_stay(const alignment *a, int64_t u) { return a->c->options->merge_repeated || u % 2 == 0; }
static bool may_skip(const alignment *a, int64_t u) {
  return u % 2 && !(a->c->options->merge_repeated && class_at(a, u) == class_at(a, u + 2));
}
// The positions from which the end can still be reached at step t, and that the start reaches.
static int64_t lowest(const alignment *a, int64_t t) { return DVP_MAX(0, a->positions - 2 * (a->steps - t)); }
static int64_t limit(const alignment *a, int64_t t) { return DVP_MIN(a->positions, 2 * (t + 1)); }

static void go_forward(alignment *a) {
  for (int64_t u = 0; u < limit(a, 0); u++) a->alpha[u] = log_probability(a, 0, u);
  for (int64_t t = 1; t < a->steps; t++) {
    const double *before = a->alpha + (t - 1) * a->positions;
    for (int64_t u = lowest(a, t); u < limit(a, t); u++) {
      double sum = may_stay(a, u) ? before[u] : -INFINITY;
      if (u > 0) sum = log_sum(sum, before[u - 1]);
      if (u > 1 && may_skip(a, u - 2)) sum = log_sum(sum, before[u - 2]);
      a->alpha[t * a->positions + u] = log_probability(a, t, u) + sum;
    }
  }
}

static void go_back(alignment *a) {
  int64_t last = a->steps - 1;
  for (int64_t u = DVP_MAX(0, a->positions - 2); u < a->positions; u++) a->beta[last * a->positions + u] = 0;
  for (int64_t t = last - 1; t >= 0; t--) {
    const double *after = a->beta + (t + 1) * a->positions;
    for (int64_t u = lowest(a, t); u < limit(a, t); u++) {
      double sum = may_stay(a, u) ? after[u] + log_probability(a, t + 1, u) : -INFINITY;
      if (u + 1 < a->positions) sum = log_sum(sum, after[u + 1] + log_probability(a, t + 1, u + 1));
      if (u + 2 < a->positions && may_skip(a, u))
        sum = log_sum(sum, after[u + 2] + log_probability(a, t + 1, u + 2));
      a->beta[t * a->positions + u] = sum;
    }
  }
}

static double logit_at(const ctc *c, int64_t t, int64_t b, int64_t k) {
  int64_t i = (t * c->batch + b) * c->classes + k;
  return c->logits.dtype == TF_FLOAT ? ((const float *)c->logits.data)[i]
                                     : ((const double *)c->logits.data)[i];
}
static void store(const ctc *c, void *out, int64_t i, double value) {
  if (c->logits.dtype == TF_FLOAT)
    ((float *)out)[i] = (float)value;
  else
    ((double *)out)[i] = value;
}

static void find_softmax(alignment *a, int64_t b) {
  const ctc *c = a->c;
  for (int64_t t = 0; t < a->steps; t++) {
    double *row = a->softmax + t * c->classes, largest = -INFINITY, sum = 0;
    for (int64_t k = 0; k < c->classes; k++) largest = fmax(largest, logit_at(c, t, b, k));
    for (int64_t k = 0; k < c->classes; k++) sum += row[k] = exp(logit_at(c, t, b, k) - largest);
    for (int64_t k = 0; k < c->classes; k++) row[k] /= sum;
  }
}

// The softmax less the share of each class; the softmax itself where no alignment is possible.
static void write_gradient(const alignment *a, int64_t b, double total, double *shares) {
  const ctc *c = a->c;
  for (int64_t t = 0; t < a->steps; t++) {
    for (int64_t k = 0; k < c->classes; k++) shares[k] = -INFINITY;
    for (int64_t u = 0; u < a->positions; u++) {
      int64_t i = t * a->positions + u;
      double *share = &shares[class_at(a, u)];
      *share = log_sum(*share, a->alpha[i] + a->beta[i]);
    }
    for (int64_t k = 0; k < c->classes; k++) {
      double share = total == -INFINITY ? 0 : exp(shares[k] - total);
      store(c, c->gradient, (t * c->batch + b) * c->classes + k, a->softmax[t * c->classes + k] - share);
    }
  }
}

static bool entry(ctc *c, int64_t b) {
  alignment a = {.c = c, .s = &c->sequences[b], .steps = length_of(c, b)};
  a.positions = 2 * a.s->count + 1;
  if (a.steps == 0 || (c->options->ignore_longer && a.s->given > a.steps)) return true;
  size_t line, sum;
  if (__builtin_mul_overflow((size_t)a.positions, 2, &line) ||
      __builtin_add_overflow(line, (size_t)c->classes, &line) ||
      __builtin_mul_overflow(line, (size_t)a.steps, &sum) ||
      __builtin_add_overflow(sum, (size_t)c->classes, &sum) || sum > SIZE_MAX / sizeof(double))
    return false;
  double *memory = malloc(sum * sizeof(double)), total = -INFINITY;
  if (!memory) return false;
  a.softmax = memory;
  a.alpha = a.softmax + a.steps * c->classes;
  a.beta = a.alpha + a.steps * a.positions;
  for (int64_t i = 0; i < 2 * a.steps * a.positions; i++) a.alpha[i] = -INFINITY;
  find_softmax(&a, b);
  go_forward(&a);
  go_back(&a);
  for (int64_t u = 0; u < a.positions; u++) total = log_sum(total, a.alpha[u] + a.beta[u]);
  store(c, c->loss, b, -total);
  write_gradient(&a, b, total, a.beta + a.steps * a.positions);
  free(memory);
  return true;
}

static void entries(void *arg, int64_t begin, int64_t end) {
  ctc *c = arg;
  for (int64_t b = begin; b < end; b++)
    if (!entry(c, b)) atomic_store(&c->failed, true);
}

// ---- the kernel ----

static void compute(dvp_call *call, ctc *c) {
  c->sequences = calloc((size_t)c->batch, sizeof(*c->sequences));
  c->labels = malloc(((size_t)c->values.count + 1) * sizeof(*c->labels));
  if (!c->sequences || !c->labels) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for the labels");
    return;
  }
  if (!group(call, c)) return;
  for (int64_t b = 0; b < c->batch; b++)
    if (!take_labels(call, c, b)) return;
  c->loss = dvp_output(call, 0, &c->batch, 1);
  c->gradient = c->loss ? dvp_output(call, 1, c->logits.dims, 3) : NULL;
  if (!c->gradient) return;
  size_t bytes = TF_DataTypeSize(c->logits.dtype);
  memset(c->loss, 0, (size_t)c->batch * bytes);
  memset(c->gradient, 0, (size_t)c->logits.count * bytes);
  dvp_parallel(call, c->batch, c->logits.count / c->batch * 100000, entries, c);
  if (atomic_load(&c->failed)) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for the alignments");
}

DVP_COMPUTE(ctc_loss_compute) {
  ctc c = {.options = state};
  if (read_inputs(call, &c)) compute(call, &c);
  free(c.sequences);
  free(c.labels);
}
static const dvp_kernel ctc_loss_rows[] = {DVP_SINGLES(DVP_SHARED_ROW, ctc_loss)};
DVP_DEFINE_SET(ctc_loss, "T", ctc_create, ctc_destroy, ctc_loss_rows);
DVP_DEFINE_ANY(ctc_loss_v2, ctc_v2_create, ctc_destroy, ctc_loss_compute);
