// Transpose: one strided copy, or none when only dims of size 1 move.
#include <inttypes.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

DVP_COMPUTE(transpose_compute) {
  (void)state;
  dvp_view in;
  int64_t perm[DVP_MAX_RANK], dims[DVP_MAX_RANK], src[DVP_MAX_RANK], dst[DVP_MAX_RANK];
  bool seen[DVP_MAX_RANK] = {false};
  int rank, count;
  if (!dvp_input(call, 0, &in) || !dvp_input_ints(call, 1, "perm", perm, DVP_MAX_RANK, &rank, &count)) return;
  if (rank != 1 || count != in.rank) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "transpose expects a vector of size %d. But input(1) is a %s of size %d", in.rank,
             rank == 1 ? "vector" : "scalar", count);
    return;
  }
  int64_t previous = -1;
  bool moved = false;
  for (int i = 0; i < count; i++) {
    int64_t d = perm[i] < 0 ? perm[i] + in.rank : perm[i];
    if (d < 0 || d >= in.rank) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "%" PRId64 " is out of range [0 .. %d)", perm[i], in.rank);
      return;
    }
    if (seen[d]) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "perm names dimension %" PRId64 " twice", d);
      return;
    }
    seen[d] = true;
    dims[i] = in.dims[d];
    perm[i] = d;
    if (in.dims[d] == 1) continue;
    moved = moved || d < previous;
    previous = d;
  }
  if (!moved) {
    dvp_output_reshaped(call, 0, 0, dims, count);
    return;
  }
  void *out = dvp_output(call, 0, dims, count);
  if (!out || in.count == 0) return;
  dvp_box box = {.rank = 0};
  dvp_strides(in.dims, in.rank, src);
  dvp_strides(dims, count, dst);
  for (int i = 0; i < count; i++) dvp_box_add(&box, dims[i], src[perm[i]], dst[i]);
  dvp_box_copy(call, &box, in.dtype, in.data, out);
}
DVP_DEFINE_ANY(transpose, NULL, NULL, transpose_compute);
