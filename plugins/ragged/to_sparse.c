// RaggedTensorToSparse: every value of a ragged tensor with its coordinates.
#include <stdlib.h>

#include "ragged/ragged.h"

typedef struct to_sparse {
  const dvp_view *splits, *values;
  int ragged_rank, rank;  // of the sparse tensor
} to_sparse;

static bool output_shape(dvp_call *call, const to_sparse *s) {
  int64_t count = s->rank;
  int64_t *out = dvp_output(call, 2, &count, 1);
  if (!out) return false;
  out[0] = s->splits[0].count - 1;
  for (int k = 0; k < s->ragged_rank; k++) {
    out[k + 1] = 0;
    for (int64_t i = 1; i < s->splits[k].count; i++)
      out[k + 1] = DVP_MAX(out[k + 1], dvr_int(&s->splits[k], i) - dvr_int(&s->splits[k], i - 1));
  }
  for (int i = 1; i < s->values->rank; i++) out[s->ragged_rank + i] = s->values->dims[i];
  return true;
}

// The coordinates of the rows of values: for each ragged dimension the row that is walked through.
static void fill(const to_sparse *s, int64_t *out, int64_t *rows) {
  int64_t inner = dvp_product(s->values->dims, 1, s->values->rank);
  for (int k = 0; k < s->ragged_rank; k++) rows[k] = 0;
  for (int64_t i = 0; i < s->values->dims[0]; i++) {
    int64_t at = i;
    for (int k = s->ragged_rank - 1; k >= 0; k--) {
      while (dvr_int(&s->splits[k], rows[k] + 1) <= at) rows[k]++;
      at = rows[k];
    }
    for (int64_t j = 0; j < inner; j++, out += s->rank) {
      out[0] = rows[0];
      for (int k = 0; k < s->ragged_rank; k++)
        out[k + 1] = (k + 1 < s->ragged_rank ? rows[k + 1] : i) - dvr_int(&s->splits[k], rows[k]);
      int64_t rest = j;
      for (int d = s->values->rank - 1; d > 0; d--) {
        out[s->ragged_rank + d] = rest % s->values->dims[d];
        rest /= s->values->dims[d];
      }
    }
  }
}

static void run(dvp_call *call, const to_sparse *s) {
  const int64_t dims[2] = {s->values->count, s->rank};
  int64_t *indices = dvp_output(call, 0, dims, 2);
  void *values = indices ? dvp_output(call, 1, dims, 1) : NULL;
  int64_t *rows = malloc((size_t)s->ragged_rank * sizeof(*rows));
  if (!rows) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  if (values && rows && output_shape(call, s)) {
    fill(s, indices, rows);
    dvr_copy(s->values->dtype, values, 0, s->values->data, 0, s->values->count);
  }
  free(rows);
}

DVP_COMPUTE(to_sparse_compute) {
  (void)state;
  int ragged_rank = TF_NumInputs(call->ctx) - 1;
  dvp_view *inputs = dvr_inputs(call, 0, ragged_rank + 1);
  if (!inputs) return;
  const dvp_view *values = &inputs[ragged_rank];
  if (values->dtype == TF_VARIANT || values->dtype == TF_RESOURCE)
    dvp_fail(call, TF_UNIMPLEMENTED, "Ragged tensors of dtype %d", values->dtype);
  else if (values->rank == 0)
    dvp_fail(call, TF_INVALID_ARGUMENT, "The values of a ragged tensor must not be a scalar");
  else if (dvr_check_splits(call, inputs, ragged_rank, values->dims[0]))
    run(call, &(to_sparse){inputs, values, ragged_rank, ragged_rank + values->rank});
  free(inputs);
}
DVP_DEFINE_ANY(to_sparse, NULL, NULL, to_sparse_compute);
