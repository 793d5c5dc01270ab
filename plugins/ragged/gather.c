// RaggedGather: rows of a ragged tensor by their numbers. The dimensions of the indices become ragged
// dimensions of even rows, outside of those of the tensor.
#include <inttypes.h>
#include <stdlib.h>

#include "ragged/ragged.h"

// A run of rows [begin, end) of the dimension that is reached, one for each index.
typedef struct run {
  int64_t begin, end;
} run;

typedef struct gather {
  const dvp_view *splits, *values, *indices;
  int params_rank, output_rank;
  run *runs;  // as many as there are indices
} gather;

static bool find_runs(dvp_call *call, gather *g) {
  int64_t rows = g->splits[0].count - 1;
  for (int64_t i = 0; i < g->indices->count; i++) {
    int64_t row = dvr_int(g->indices, i);
    if (row < 0 || row >= rows)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "indices[%" PRId64 "] = %" PRId64 " is not in [0, %" PRId64 ")", i, row, rows);
    g->runs[i] = (run){row, row + 1};
  }
  return true;
}

// The splits of the indices' own dimensions but the last, as outputs 0 and up.
static bool output_even(dvp_call *call, const gather *g) {
  int64_t rows = 1;
  for (int k = 0; k + 1 < g->indices->rank; k++) {
    rows *= g->indices->dims[k];
    int64_t count = rows + 1;
    TF_DataType dtype = g->splits[0].dtype;
    void *out = dvp_output(call, k, &count, 1);
    for (int64_t i = 0; out && i < count; i++) dvr_set_int(dtype, out, i, i * g->indices->dims[k + 1]);
    if (!out) return false;
  }
  return true;
}

// The splits `level` of the gathered rows as output `index` (-1: none); the runs go on to what they split.
static bool gather_splits(dvp_call *call, gather *g, int level, int index) {
  const dvp_view *splits = &g->splits[level];
  int64_t count = 1, at = 1, total = 0;
  for (int64_t i = 0; i < g->indices->count; i++)
    if (__builtin_add_overflow(count, g->runs[i].end - g->runs[i].begin, &count))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "The gathered rows are too many");
  void *out = index < 0 ? NULL : dvp_output(call, index, &count, 1);
  if (index >= 0 && !out) return false;
  if (out) dvr_set_int(splits->dtype, out, 0, 0);
  for (int64_t i = 0; i < g->indices->count; i++) {
    for (int64_t row = g->runs[i].begin; out && row < g->runs[i].end; row++) {
      total += dvr_int(splits, row + 1) - dvr_int(splits, row);
      dvr_set_int(splits->dtype, out, at++, total);
    }
    g->runs[i] = (run){dvr_int(splits, g->runs[i].begin), dvr_int(splits, g->runs[i].end)};
  }
  return true;
}

static bool gather_values(dvp_call *call, const gather *g) {
  int64_t dims[DVP_MAX_RANK], row = dvp_product(g->values->dims, 1, g->values->rank), at = 0;
  for (int i = 1; i < g->values->rank; i++) dims[i] = g->values->dims[i];
  dims[0] = 0;
  for (int64_t i = 0; i < g->indices->count; i++)
    if (__builtin_add_overflow(dims[0], g->runs[i].end - g->runs[i].begin, &dims[0]))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "The gathered values are too many");
  void *out = dvp_output(call, g->output_rank, dims, g->values->rank);
  for (int64_t i = 0; out && i < g->indices->count; i++) {
    int64_t count = (g->runs[i].end - g->runs[i].begin) * row;
    dvr_copy(g->values->dtype, out, at, g->values->data, g->runs[i].begin * row, count);
    at += count;
  }
  return out != NULL;
}

static void gather_all(dvp_call *call, gather *g) {
  if (g->values->rank == 0 || g->values->dtype == TF_VARIANT || g->values->dtype == TF_RESOURCE) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The values must be no scalar, nor variants or resources");
    return;
  }
  if (g->output_rank != g->params_rank + g->indices->rank - 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "OUTPUT_RAGGED_RANK is %d, but must be PARAMS_RAGGED_RANK, %d, and the rank of the "
             "indices, %d, less 1",
             g->output_rank, g->params_rank, g->indices->rank);
    return;
  }
  if (!dvr_check_splits(call, g->splits, g->params_rank, g->values->dims[0])) return;
  g->runs = malloc((size_t)DVP_MAX(g->indices->count, 1) * sizeof(*g->runs));
  if (!g->runs) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " indices", g->indices->count);
    return;
  }
  bool fine = find_runs(call, g) && output_even(call, g);
  // A scalar index gives the row itself, without the dimension that it is a row of.
  for (int k = 0; fine && k < g->params_rank; k++) fine = gather_splits(call, g, k, g->indices->rank - 1 + k);
  if (fine) gather_values(call, g);
  free(g->runs);
}

DVP_COMPUTE(gather_compute) {
  (void)state;
  int params_rank = TF_NumInputs(call->ctx) - 2;
  dvp_view *inputs = dvr_inputs(call, 0, params_rank + 2);
  if (!inputs) return;
  gather g = {.splits = inputs,
              .values = &inputs[params_rank],
              .indices = &inputs[params_rank + 1],
              .params_rank = params_rank,
              .output_rank = TF_NumOutputs(call->ctx) - 1};
  gather_all(call, &g);
  free(inputs);
}
DVP_DEFINE_ANY(gather, NULL, NULL, gather_compute);
