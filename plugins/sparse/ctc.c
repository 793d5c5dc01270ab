// CTCGreedyDecoder and CTCBeamSearchDecoder: the labels that logits [time, batch, classes] most likely spell,
// as sparse tensors. Entries of the batch are decoded in parallel.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "sparse/ctc_beam.h"
#include "sparse/indices.h"

typedef struct ctc_state {
  bool merge_repeated, beam;
  int64_t width, top_paths, blank;  // blank: of the greedy decoder, negative from the end
} ctc_state;

static void *greedy_create(TF_OpKernelConstruction *ctx) {
  ctc_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->merge_repeated = dvp_attr_bool(ctx, "merge_repeated");
  state->blank = dvp_attr_int(ctx, "blank_index");
  state->top_paths = 1;
  return state;
}
static void *beam_create(TF_OpKernelConstruction *ctx) {
  ctc_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->beam = true;
  state->merge_repeated = dvp_attr_bool(ctx, "merge_repeated");
  state->width = dvp_attr_int(ctx, "beam_width");
  state->top_paths = dvp_attr_int(ctx, "top_paths");
  if (state->width > INT32_MAX / 4 || state->top_paths > state->width)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "beam_width %" PRId64 " is too large, or smaller than top_paths %" PRId64, state->width,
                    state->top_paths);
  return state;
}
static void ctc_destroy(void *state) { free(state); }

typedef struct decoding {
  const ctc_state *options;
  dvp_view logits, lengths;
  int64_t steps, batch;
  int classes, blank;
  dvs_path *paths;  // [batch, top_paths]
  void *scores;     // [batch, top_paths], the output
  atomic_int result;
} decoding;

static int64_t length_of(const decoding *d, int64_t b) { return ((const int32_t *)d->lengths.data)[b]; }

static bool read_inputs(dvp_call *call, const ctc_state *state, decoding *d) {
  if (!dvp_input(call, 0, &d->logits) || !dvp_input(call, 1, &d->lengths)) return false;
  if (d->logits.rank != 3) return dvp_fail(call, TF_INVALID_ARGUMENT, "inputs is not a 3-Tensor");
  if (d->logits.count == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "inputs must not be empty");
  d->steps = d->logits.dims[0];
  d->batch = d->logits.dims[1];
  if (d->lengths.rank != 1 || d->lengths.count != d->batch)
    return dvp_fail(call, TF_FAILED_PRECONDITION, "sequence_length must be a vector of %" PRId64 " elements",
                    d->batch);
  for (int64_t b = 0; b < d->batch; b++)
    if (length_of(d, b) > d->steps)
      return dvp_fail(call, TF_FAILED_PRECONDITION,
                      "sequence_length(%" PRId64 ") = %" PRId64 " exceeds the %" PRId64 " steps", b,
                      length_of(d, b), d->steps);
  if (d->logits.dims[2] > INT32_MAX / 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "num_classes cannot exceed max int");
  d->classes = (int)d->logits.dims[2];
  int64_t blank = state->blank < 0 ? d->classes + state->blank : state->blank;
  if (!state->beam && (blank < 0 || blank >= d->classes))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "blank_index expected to be between %d and %d but was %" PRId64, -d->classes,
                    d->classes - 1, state->blank);
  d->blank = (int)blank;
  return true;
}

// ---- the best class at each step ----

#define GREEDY(t)                                                                                   \
  static void greedy_##t(decoding *d, int64_t b) {                                                  \
    dvs_path *path = &d->paths[b];                                                                  \
    int64_t steps = DVP_MAX(0, length_of(d, b));                                                    \
    dvp_##t *score = (dvp_##t *)d->scores + b;                                                      \
    path->labels = malloc(steps ? (size_t)steps * sizeof(int64_t) : 1);                             \
    if (!path->labels) {                                                                            \
      atomic_store(&d->result, 1);                                                                  \
      return;                                                                                       \
    }                                                                                               \
    int before = -1;                                                                                \
    for (int64_t step = 0; step < steps; step++) {                                                  \
      const dvp_##t *logits = (const dvp_##t *)d->logits.data + (step * d->batch + b) * d->classes; \
      int best = 0;                                                                                 \
      for (int c = 1; c < d->classes; c++)                                                          \
        if (logits[c] > logits[best]) best = c;                                                     \
      *score -= logits[best];                                                                       \
      if (best != d->blank && !(d->options->merge_repeated && best == before))                      \
        path->labels[path->length++] = best;                                                        \
      before = best;                                                                                \
    }                                                                                               \
  }
GREEDY(f32)
GREEDY(f64)

static void decode_range(void *arg, int64_t begin, int64_t end) {
  decoding *d = arg;
  bool is_float = d->logits.dtype == TF_FLOAT;
  int top = (int)d->options->top_paths;
  for (int64_t b = begin; b < end; b++) {
    if (!d->options->beam) {
      (is_float ? greedy_f32 : greedy_f64)(d, b);
      continue;
    }
    const char *logits =
        (const char *)d->logits.data + (size_t)(b * d->classes) * TF_DataTypeSize(d->logits.dtype);
    dvs_search search = {logits, length_of(d, b), d->batch * d->classes, d->classes, (int)d->options->width};
    int result = is_float ? dvs_beam_search_f32(&search, top, d->options->merge_repeated, d->paths + b * top,
                                                (float *)d->scores + b * top)
                          : dvs_beam_search_f64(&search, top, d->options->merge_repeated, d->paths + b * top,
                                                (double *)d->scores + b * top);
    if (result) atomic_store(&d->result, result);
  }
}

// Outputs of path `p`: coordinates, labels, shape.
static bool output_path(dvp_call *call, const decoding *d, int64_t p) {
  int64_t top = d->options->top_paths, total = 0, longest = 0, two = 2;
  for (int64_t b = 0; b < d->batch; b++) {
    total += d->paths[b * top + p].length;
    longest = DVP_MAX(longest, d->paths[b * top + p].length);
  }
  int64_t *indices = dvp_output(call, (int)p, (const int64_t[]){total, 2}, 2);
  int64_t *values = indices ? dvp_output(call, (int)(top + p), &total, 1) : NULL;
  int64_t *shape = values ? dvp_output(call, (int)(2 * top + p), &two, 1) : NULL;
  if (!shape) return false;
  for (int64_t b = 0; b < d->batch; b++) {
    const dvs_path *path = &d->paths[b * top + p];
    for (int64_t i = 0; i < path->length; i++) {
      *indices++ = b;
      *indices++ = i;
      *values++ = path->labels[i];
    }
  }
  shape[0] = d->batch;
  shape[1] = longest;
  return true;
}

DVP_COMPUTE(ctc_compute) {
  const ctc_state *options = state;
  decoding d = {.options = options, .result = 0};
  int64_t top = options->top_paths;
  if (!read_inputs(call, options, &d)) return;
  size_t bytes = (size_t)(d.batch * top) * TF_DataTypeSize(d.logits.dtype);
  d.scores = dvp_output(call, (int)(3 * top), (const int64_t[]){d.batch, top}, 2);
  d.paths = d.scores ? calloc((size_t)(d.batch * top), sizeof(*d.paths)) : NULL;
  if (d.paths) {
    memset(d.scores, 0, bytes);
    dvp_parallel(call, d.batch, 1000 * d.steps * d.classes * DVP_MAX(1, options->width), decode_range, &d);
  }
  int result = d.paths ? atomic_load(&d.result) : 1;
  if (result == 2)
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Less leaves in the beam search than requested: top_paths is %" PRId64, top);
  else if (result && d.scores)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for decoded sequences");
  for (int64_t p = 0; !result && p < top; p++)
    if (!output_path(call, &d, p)) break;
  for (int64_t i = 0; d.paths && i < d.batch * top; i++) free(d.paths[i].labels);
  free(d.paths);
}

static const dvp_kernel ctc_rows[] = {DVP_SINGLES(DVP_SHARED_ROW, ctc)};
DVP_DEFINE_SET(ctc_greedy, "T", greedy_create, ctc_destroy, ctc_rows);
DVP_DEFINE_SET(ctc_beam_search, "T", beam_create, ctc_destroy, ctc_rows);
