// Unique and its versions, and ListDiff: items (elements, or slices along an axis) found again by hashing.
// NaN differs from itself; -0 equals 0, but not in half precision, as stock has it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "tensorflow/c/tf_tstring.h"

// n items of `outer` runs of `inner` elements, which are n * inner apart.
typedef struct items {
  const dvp_view *view;
  int64_t outer, n, inner;
} items;

// ---- comparing and hashing elements ----

#define HASHED(t, ZERO)                                                                                      \
  static uint64_t hash_##t(const void *a, int64_t i) {                                                       \
    uint64_t bits = 0;                                                                                       \
    if (ZERO(DVP_LOAD_##t(((const dvp_##t *)a)[i]))) memcpy(&bits, (const dvp_##t *)a + i, sizeof(dvp_##t)); \
    return bits;                                                                                             \
  }
#define TYPED(t, unused)                                                                   \
  static bool equal_##t(const void *a, int64_t i, const void *b, int64_t j) {              \
    return DVP_LOAD_##t(((const dvp_##t *)a)[i]) == DVP_LOAD_##t(((const dvp_##t *)b)[j]); \
  }                                                                                        \
  HASHED(t, IS_SET)
#define IS_SET(x) ((x) != 0)
#define ANY_VALUE(x) ((void)(x), true)
#define TYPED_HALF(t, unused)                                                 \
  static bool equal_##t(const void *a, int64_t i, const void *b, int64_t j) { \
    dvp_##t x = ((const dvp_##t *)a)[i], y = ((const dvp_##t *)b)[j];         \
    return x.bits == y.bits && DVP_LOAD_##t(x) == DVP_LOAD_##t(y);            \
  }                                                                           \
  HASHED(t, ANY_VALUE)
DVP_HALVES(TYPED_HALF, )
DVP_SINGLES(TYPED, )
DVP_INTS(TYPED, )
TYPED(b, )

static bool equal_string(const void *a, int64_t i, const void *b, int64_t j) {
  const TF_TString *x = (const TF_TString *)a + i, *y = (const TF_TString *)b + j;
  size_t size = TF_StringGetSize(x);
  return size == TF_StringGetSize(y) &&
         memcmp(TF_StringGetDataPointer(x), TF_StringGetDataPointer(y), size) == 0;
}
static uint64_t hash_string(const void *a, int64_t i) {
  const TF_TString *text = (const TF_TString *)a + i;
  const char *bytes = TF_StringGetDataPointer(text);
  uint64_t hash = 14695981039346656037u;
  for (size_t k = 0; k < TF_StringGetSize(text); k++) hash = (hash ^ (uint8_t)bytes[k]) * 1099511628211u;
  return hash;
}

typedef struct comparing {
  bool (*equal)(const void *a, int64_t i, const void *b, int64_t j);
  uint64_t (*hash)(const void *a, int64_t i);
} comparing;

#define COMPARING_CASE(t, unused) \
  case DVP_TYPE_##t:              \
    return (comparing){equal_##t, hash_##t};
static comparing comparing_of(TF_DataType dtype) {
  switch (dtype) {
    DVP_REALS(COMPARING_CASE, )
    COMPARING_CASE(b, )
    default:
      return (comparing){equal_string, hash_string};
  }
}

// ---- a table of items ----

typedef struct table {
  comparing by;
  const items *kept;
  int64_t *slots;  // item number + 1, or 0
  uint64_t mask;
} table;

static bool table_init(dvp_call *call, table *t, const items *kept) {
  uint64_t size = 16;
  while (size < 2 * (uint64_t)kept->n) size *= 2;
  *t = (table){comparing_of(kept->view->dtype), kept, calloc(size, sizeof(int64_t)), size - 1};
  return t->slots ||
         dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a table of %" PRId64 " items", kept->n);
}

static bool same_item(const table *t, const items *x, int64_t i, int64_t kept) {
  for (int64_t o = 0; o < x->outer; o++)
    for (int64_t k = 0; k < x->inner; k++)
      if (!t->by.equal(x->view->data, (o * x->n + i) * x->inner + k, t->kept->view->data,
                       (o * t->kept->n + kept) * x->inner + k))
        return false;
  return true;
}

// The slot that holds item i of x, or the free one where it would be.
static int64_t *find_slot(const table *t, const items *x, int64_t i) {
  uint64_t hash = 0;
  for (int64_t o = 0; o < x->outer; o++)
    for (int64_t k = 0; k < x->inner; k++) {
      hash = (hash ^ t->by.hash(x->view->data, (o * x->n + i) * x->inner + k)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
  uint64_t at = hash & t->mask;
  while (t->slots[at] && !same_item(t, x, i, t->slots[at] - 1)) at = (at + 1) & t->mask;
  return &t->slots[at];
}

static void store_index(TF_DataType dtype, void *out, int64_t i, int64_t value) {
  if (dtype == TF_INT32)
    ((int32_t *)out)[i] = (int32_t)value;
  else
    ((int64_t *)out)[i] = value;
}

// Item `from` of `in` becomes item `to` of n in `out`.
static void copy_item(dvp_call *call, const items *in, int64_t from, char *out, int64_t to, int64_t n) {
  int64_t bytes = (int64_t)dvp_element_bytes(call, in->view->dtype);
  for (int64_t o = 0; o < in->outer; o++)
    dvp_copy_elements(in->view->dtype, in->view->data, (o * in->n + from) * in->inner, out,
                      (o * n + to) * in->inner, in->inner, bytes);
}

// ---- Unique ----

// The items of input 0: its elements, or its slices along the axis that input 1 gives.
static bool read_items(dvp_call *call, dvp_view *in, items *out, int *out_axis) {
  int64_t axis = 0;
  int rank, given = 0;
  if (!dvp_input(call, 0, in)) return false;
  if (TF_NumInputs(call->ctx) > 1) {
    if (!dvp_input_ints(call, 1, "axis", &axis, 1, &rank, &given)) return false;
    if (rank != 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "axis expects a 1D vector.");
  }
  if (!given && in->rank != 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "unique expects a 1D vector.");
  if (axis < -in->rank || axis >= in->rank)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "axis has to be between [-%d, %d), but is %" PRId64, in->rank,
                    in->rank, axis);
  if (axis < 0) axis += in->rank;
  *out_axis = (int)axis;
  *out = (items){in, dvp_product(in->dims, 0, (int)axis), in->dims[axis],
                 dvp_product(in->dims, (int)axis + 1, in->rank)};
  return true;
}

// Outputs y and count, from the first of each group and the sizes of groups.
static void output_groups(dvp_call *call, const items *in, int axis, const int64_t *firsts,
                          const int64_t *sizes, int64_t groups) {
  int64_t dims[DVP_MAX_RANK];
  memcpy(dims, in->view->dims, sizeof(dims));
  dims[axis] = groups;
  char *y = dvp_output(call, 0, dims, in->view->rank);
  if (!y) return;
  for (int64_t g = 0; g < groups; g++) copy_item(call, in, firsts[g], y, g, groups);
  if (TF_NumOutputs(call->ctx) < 3) return;
  void *counts = dvp_output(call, 2, &groups, 1);
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 2);
  for (int64_t g = 0; counts && g < groups; g++) store_index(dtype, counts, g, sizes[g]);
}

DVP_COMPUTE(unique_compute) {
  (void)state;
  dvp_view view;
  items in;
  table seen = {0};
  int axis = 0;
  if (!read_items(call, &view, &in, &axis)) return;
  void *places = dvp_output(call, 1, &in.n, 1);
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 1);
  if (!places || !table_init(call, &seen, &in)) return;
  int64_t *firsts = calloc((size_t)in.n * 3 + 1, sizeof(int64_t));
  if (!firsts) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " items", in.n);
  } else {
    int64_t *sizes = firsts + in.n, *groups_of = sizes + in.n, groups = 0;
    for (int64_t i = 0; i < in.n; i++) {
      int64_t *slot = find_slot(&seen, &in, i);
      if (!*slot) {
        *slot = i + 1;
        firsts[groups] = i;
        groups_of[i] = groups++;
      }
      int64_t group = groups_of[*slot - 1];
      sizes[group]++;
      store_index(dtype, places, i, group);
    }
    output_groups(call, &in, axis, firsts, sizes, groups);
  }
  free(firsts);
  free(seen.slots);
}

static const dvp_kernel unique_rows[] = {DVP_REALS(DVP_SHARED_ROW, unique) DVP_SHARED_ROW(b, unique)
                                             DVP_KERNEL(TF_STRING, unique)};
DVP_DEFINE_SET(unique, "T", NULL, NULL, unique_rows);

// ---- ListDiff ----

DVP_COMPUTE(list_diff_compute) {
  (void)state;
  dvp_view x, y;
  table seen = {0};
  if (!dvp_input(call, 0, &x) || !dvp_input(call, 1, &y)) return;
  if (x.rank != 1 || y.rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "x and y should be 1D vectors.");
    return;
  }
  items in = {&x, 1, x.count, 1}, out = {&y, 1, y.count, 1};
  if (!table_init(call, &seen, &out)) return;
  int64_t *picks = calloc((size_t)x.count + 1, sizeof(int64_t)), n = 0;
  for (int64_t i = 0; i < y.count; i++) *find_slot(&seen, &out, i) = i + 1;
  for (int64_t i = 0; picks && i < x.count; i++)
    if (!*find_slot(&seen, &in, i)) picks[n++] = i;
  char *values = picks ? dvp_output(call, 0, &n, 1) : NULL;
  void *places = values ? dvp_output(call, 1, &n, 1) : NULL;
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 1);
  for (int64_t i = 0; places && i < n; i++) {
    copy_item(call, &in, picks[i], values, i, n);
    store_index(dtype, places, i, picks[i]);
  }
  if (!picks) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " items", x.count);
  free(picks);
  free(seen.slots);
}
static const dvp_kernel list_diff_rows[] = {DVP_REALS(DVP_SHARED_ROW, list_diff)
                                                DVP_KERNEL(TF_STRING, list_diff)};
DVP_DEFINE_SET(list_diff, "T", NULL, NULL, list_diff_rows);
