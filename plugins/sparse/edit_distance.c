// EditDistance: how many insertions, deletions and replacements turn one sequence into another, for the
// sequences along the last dimension of two sparse tensors.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "sparse/indices.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct edit_state {
  bool normalize;
} edit_state;
static void *edit_create(TF_OpKernelConstruction *ctx) {
  edit_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->normalize = dvp_attr_bool(ctx, "normalize");
  return state;
}
static void edit_destroy(void *state) { free(state); }

typedef bool (*equal_fn)(const void *a, int64_t i, const void *b, int64_t j);
#define EQUAL(t, unused)                                                                   \
  static bool equal_##t(const void *a, int64_t i, const void *b, int64_t j) {              \
    return DVP_LOAD_##t(((const dvp_##t *)a)[i]) == DVP_LOAD_##t(((const dvp_##t *)b)[j]); \
  }
DVP_NUMBERS(EQUAL, )
EQUAL(b, )
static bool equal_string(const void *a, int64_t i, const void *b, int64_t j) {
  const TF_TString *x = (const TF_TString *)a + i, *y = (const TF_TString *)b + j;
  size_t size = TF_StringGetSize(x);
  return size == TF_StringGetSize(y) &&
         memcmp(TF_StringGetDataPointer(x), TF_StringGetDataPointer(y), size) == 0;
}
#define EQUAL_CASE(t, unused) \
  case DVP_TYPE_##t:          \
    return equal_##t;
static equal_fn equal_of(TF_DataType dtype) {
  switch (dtype) {
    DVP_NUMBERS(EQUAL_CASE, )
    EQUAL_CASE(b, )
    default:
      return equal_string;
  }
}

// Values [first, end) of a sparse tensor: one sequence.
typedef struct sequence {
  int64_t first, end;
} sequence;

// The next sequence of `in` after `at`: values whose coordinates but the last are equal.
static sequence next_sequence(const dvs_sparse *in, int64_t at) {
  sequence s = {at, at};
  for (; s.end < in->count; s.end++)
    for (int d = 0; d < in->rank - 1; d++)
      if (dvs_at(in, s.end, d) != dvs_at(in, at, d)) return s;
  return s;
}

// The place of the sequence with value `at` in an output of shape `dims`; -1 when it is out of range.
static int64_t place_of(const dvs_sparse *in, int64_t at, const int64_t *dims) {
  int64_t place = 0;
  for (int d = 0; d < in->rank - 1; d++) {
    int64_t index = dvs_at(in, at, d);
    if (index < 0 || index >= dims[d]) return -1;
    place = place * dims[d] + index;
  }
  return place;
}

static int compare_places(const dvs_sparse *a, int64_t i, const dvs_sparse *b, int64_t j) {
  for (int d = 0; d < a->rank - 1; d++) {
    int64_t x = dvs_at(a, i, d), y = dvs_at(b, j, d);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// `row` has place for one more than the length of y.
static int64_t distance(equal_fn equal, const dvs_sparse *a, sequence x, const dvs_sparse *b, sequence y,
                        int64_t *row) {
  int64_t n = x.end - x.first, m = y.end - y.first;
  for (int64_t j = 0; j <= m; j++) row[j] = j;
  for (int64_t i = 0; i < n; i++) {
    int64_t diagonal = row[0];
    row[0] = i + 1;
    for (int64_t j = 0; j < m; j++) {
      int64_t replaced = diagonal + !equal(a->values.data, x.first + i, b->values.data, y.first + j);
      diagonal = row[j + 1];
      row[j + 1] = DVP_MIN(replaced, DVP_MIN(row[j], row[j + 1]) + 1);
    }
  }
  return row[m];
}

// The output's shape: the larger of the dimensions but the last.
static bool read_tensors(dvp_call *call, dvs_sparse *a, dvs_sparse *b, int64_t *dims) {
  if (!dvs_input_sparse(call, 0, 1, 2, a) || !dvs_input_sparse(call, 3, 4, 5, b)) return false;
  if (a->rank != b->rank || a->rank < 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "hypothesis and truth must have one rank, of at least 2, but have ranks %d and %d",
                    a->rank, b->rank);
  for (int d = 0; d < a->rank - 1; d++) dims[d] = DVP_MAX(a->dims[d], b->dims[d]);
  for (int64_t i = 0; i < a->count; i++)
    if (place_of(a, i, dims) < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "hypothesis_indices[%" PRId64 "] is out of range", i);
  for (int64_t i = 0; i < b->count; i++)
    if (place_of(b, i, dims) < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "truth_indices[%" PRId64 "] is out of range", i);
  return true;
}

// Walks the sequences of both side by side; either may lack one.
static void compare_all(const dvs_sparse *a, const dvs_sparse *b, const int64_t *dims, bool normalize,
                        int64_t *row, float *out) {
  equal_fn equal = equal_of(a->values.dtype);
  int64_t i = 0, j = 0;
  while (i < a->count || j < b->count) {
    int order = i == a->count ? 1 : j == b->count ? -1 : compare_places(a, i, b, j);
    sequence x = {i, i}, y = {j, j};
    if (order <= 0) x = next_sequence(a, i);
    if (order >= 0) y = next_sequence(b, j);
    int64_t place = order <= 0 ? place_of(a, i, dims) : place_of(b, j, dims), length = y.end - y.first;
    if (order == 0) {
      float edits = (float)distance(equal, a, x, b, y, row);
      out[place] = normalize ? edits / (float)length : edits;
    } else if (order < 0) {
      out[place] = normalize ? INFINITY : (float)(x.end - x.first);
    } else {
      out[place] = normalize ? 1.0f : (float)length;
    }
    i = x.end;
    j = y.end;
  }
}

DVP_COMPUTE(edit_distance_compute) {
  dvs_sparse a, b;
  int64_t dims[DVP_MAX_RANK], count;
  if (!read_tensors(call, &a, &b, dims) || !dvp_count(call, dims, a.rank - 1, &count)) return;
  float *out = dvp_output(call, 0, dims, a.rank - 1);
  int64_t *row = out ? dvs_alloc(call, b.count + 1, sizeof(int64_t)) : NULL;
  if (row) {
    if (count) memset(out, 0, (size_t)count * sizeof(float));
    compare_all(&a, &b, dims, ((const edit_state *)state)->normalize, row, out);
  }
  free(row);
}

#define EDIT_TYPES(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)
static const dvp_kernel edit_rows[] = {EDIT_TYPES(DVP_SHARED_ROW, edit_distance)
                                           DVP_KERNEL(TF_STRING, edit_distance)};
DVP_DEFINE_SET(edit_distance, "T", edit_create, edit_destroy, edit_rows);
