// Checking splits and copying values; see ragged.h.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ragged/ragged.h"
#include "tensorflow/c/tf_tstring.h"

void dvr_copy(TF_DataType dtype, void *to, int64_t to_first, const void *from, int64_t from_first,
              int64_t count) {
  dvp_copy_elements(dtype, from, from_first, to, to_first, count, (int64_t)TF_DataTypeSize(dtype));
}

static bool check_vector(dvp_call *call, const dvp_view *splits, int64_t rows) {
  if (splits->count == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "Ragged splits may not be empty");
  if (dvr_int(splits, 0) != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "First value of ragged splits must be 0, but is %" PRId64,
                    dvr_int(splits, 0));
  for (int64_t i = 1; i < splits->count; i++)
    if (dvr_int(splits, i) < dvr_int(splits, i - 1))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Ragged splits should not decrease, but %" PRId64 " follows %" PRId64,
                      dvr_int(splits, i), dvr_int(splits, i - 1));
  int64_t last = dvr_int(splits, splits->count - 1);
  return last == rows ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Final value of ragged splits must be the number of rows that they split, %" PRId64
                  ", but is %" PRId64,
                  rows, last);
}

bool dvr_check_splits(dvp_call *call, const dvp_view *splits, int rank, int64_t values) {
  for (int i = 0; i < rank; i++)
    if (!check_vector(call, &splits[i], i + 1 < rank ? splits[i + 1].count - 1 : values)) return false;
  return true;
}

dvp_view *dvr_inputs(dvp_call *call, int first, int count) {
  dvp_view *views = malloc((size_t)DVP_MAX(count, 1) * sizeof(*views));
  bool fine = views ? true : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %d inputs", count);
  for (int i = 0; fine && i < count; i++) fine = dvp_input(call, first + i, &views[i]);
  if (fine) return views;
  free(views);
  return NULL;
}
