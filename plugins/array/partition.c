// DynamicPartition, DynamicStitch and BroadcastGradientArgs.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

// Slices of `inner` elements, one after the other; strings deeply.
static void copy_slice(dvp_call *call, TF_DataType dtype, const void *from, int64_t first, void *to,
                       int64_t to_first, int64_t inner) {
  int64_t bytes = (int64_t)dvp_element_bytes(call, dtype);
  const char *source = (const char *)from + first * inner * bytes;
  char *target = (char *)to + to_first * inner * bytes;
  if (dtype != TF_STRING) {
    memcpy(target, source, (size_t)(inner * bytes));
    return;
  }
  dvp_box box = {.rank = 0};
  dvp_box_add(&box, inner, 1, 1);
  dvp_box_copy(call, &box, dtype, source, target);
}

// Whether `data` has a shape that starts with that of `indices`.
static bool starts_with(const dvp_view *data, const dvp_view *indices) {
  if (data->rank < indices->rank) return false;
  for (int i = 0; i < indices->rank; i++)
    if (data->dims[i] != indices->dims[i]) return false;
  return true;
}

// ---- DynamicPartition ----

DVP_COMPUTE(dynamic_partition_compute) {
  (void)state;
  dvp_view data, partitions;
  int parts = TF_NumOutputs(call->ctx);
  if (!dvp_input(call, 0, &data) || !dvp_input(call, 1, &partitions)) return;
  if (!starts_with(&data, &partitions)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "data.shape must start with partitions.shape");
    return;
  }
  const int32_t *part = partitions.data;
  int64_t *sizes = calloc((size_t)parts * 2, sizeof(int64_t)), dims[DVP_MAX_RANK + 1];
  void **outs = calloc((size_t)parts, sizeof(void *));
  bool fine =
      (sizes && outs) || dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %d partitions", parts);
  for (int64_t i = 0; fine && i < partitions.count; i++) {
    fine = (part[i] >= 0 && part[i] < parts) ||
           dvp_fail(call, TF_INVALID_ARGUMENT, "partitions[%" PRId64 "] = %d is not in [0, %d)", i, part[i],
                    parts);
    if (fine) sizes[part[i]]++;
  }
  int rank = 0;
  dims[rank++] = 0;
  for (int i = partitions.rank; i < data.rank; i++) dims[rank++] = data.dims[i];
  for (int p = 0; fine && p < parts; p++) {
    dims[0] = sizes[p];
    outs[p] = dvp_output(call, p, dims, rank);
    fine = outs[p] != NULL;
  }
  int64_t inner = dvp_product(data.dims, partitions.rank, data.rank);
  fine = fine && dvp_element_bytes(call, data.dtype) != 0;
  for (int64_t i = 0; fine && inner && i < partitions.count; i++)
    copy_slice(call, data.dtype, data.data, i, outs[part[i]], sizes[parts + part[i]]++, inner);
  free(sizes);
  free(outs);
}
DVP_DEFINE_ANY(dynamic_partition, NULL, NULL, dynamic_partition_compute);

// ---- DynamicStitch ----

// The shape behind the indices of input 0, and the number of slices of the result.
static bool measure(dvp_call *call, int n, int64_t *dims, int *out_rank) {
  dvp_view indices, data;
  int64_t last = -1;
  for (int k = 0; k < n; k++) {
    if (!dvp_input(call, k, &indices) || !dvp_input(call, n + k, &data)) return false;
    if (!starts_with(&data, &indices))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "data[%d].shape does not start with indices[%d].shape", k,
                      k);
    int rank = data.rank - indices.rank;
    if (k == 0) {
      memcpy(dims + 1, data.dims + indices.rank, (size_t)rank * sizeof(int64_t));
      *out_rank = rank + 1;
    } else if (rank + 1 != *out_rank ||
               memcmp(dims + 1, data.dims + indices.rank, (size_t)rank * sizeof(int64_t)) != 0) {
      return dvp_fail(call, TF_INVALID_ARGUMENT, "data[%d] and data[0] have slices of different shapes", k);
    }
    const int32_t *index = indices.data;
    for (int64_t i = 0; i < indices.count; i++) {
      if (index[i] < 0)
        return dvp_fail(call, TF_INVALID_ARGUMENT, "indices[%d] holds %d, which is out of range", k,
                        index[i]);
      last = DVP_MAX(last, index[i]);
    }
  }
  dims[0] = last + 1;
  return true;
}

DVP_COMPUTE(dynamic_stitch_compute) {
  (void)state;
  int n = TF_NumInputs(call->ctx) / 2, rank = 0;
  int64_t dims[DVP_MAX_RANK + 1];
  dvp_view indices, data;
  if (!measure(call, n, dims, &rank)) return;
  char *out = dvp_output(call, 0, dims, rank);
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 0);
  size_t bytes = out ? dvp_element_bytes(call, dtype) : 0;
  if (bytes == 0) return;
  int64_t inner = dvp_product(dims, 1, rank);
  if (dtype != TF_STRING) memset(out, 0, (size_t)(dims[0] * inner) * bytes);  // slices that no index names
  for (int k = 0; k < n && inner; k++) {
    if (!dvp_input(call, k, &indices) || !dvp_input(call, n + k, &data)) return;
    const int32_t *index = indices.data;
    for (int64_t i = 0; i < indices.count; i++) copy_slice(call, dtype, data.data, i, out, index[i], inner);
  }
}
DVP_DEFINE_ANY(dynamic_stitch, NULL, NULL, dynamic_stitch_compute);

// ---- BroadcastGradientArgs: along which dimensions each of two broadcast operands was repeated ----

static bool output_axes(dvp_call *call, int output, TF_DataType dtype, const int *axes, int64_t count) {
  void *out = dvp_output(call, output, &count, 1);
  if (!out) return false;
  for (int64_t i = 0; i < count; i++) {
    if (dtype == TF_INT32)
      ((int32_t *)out)[i] = axes[i];
    else
      ((int64_t *)out)[i] = axes[i];
  }
  return true;
}

DVP_COMPUTE(broadcast_gradient_args_compute) {
  (void)state;
  int64_t s[2][DVP_MAX_RANK];
  int ranks[2], counts[2], axes[2][DVP_MAX_RANK], n[2] = {0, 0};
  for (int k = 0; k < 2; k++)
    if (!dvp_input_ints(call, k, k ? "s1" : "s0", s[k], DVP_MAX_RANK, &ranks[k], &counts[k])) return;
  if (ranks[0] != 1 || ranks[1] != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "s0 and s1 must be vectors");
    return;
  }
  int rank = DVP_MAX(counts[0], counts[1]);
  bool same = counts[0] == counts[1] && memcmp(s[0], s[1], (size_t)rank * sizeof(int64_t)) == 0;
  for (int i = 0; i < rank && !same; i++) {
    int64_t dim[2];
    for (int k = 0; k < 2; k++) dim[k] = i < rank - counts[k] ? 1 : s[k][i - (rank - counts[k])];
    if (dim[0] != dim[1] && dim[0] != 1 && dim[1] != 1) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "Incompatible shapes for broadcasting: %" PRId64 " and %" PRId64 " in dimension %d", dim[0],
               dim[1], i);
      return;
    }
    for (int k = 0; k < 2; k++)
      if (dim[k] == 1) axes[k][n[k]++] = i;
  }
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 0);
  if (output_axes(call, 0, dtype, axes[0], n[0])) output_axes(call, 1, dtype, axes[1], n[1]);
}
DVP_DEFINE_ANY(broadcast_gradient_args, NULL, NULL, broadcast_gradient_args_compute);
