// Scattering: see scatter.h.
#include "common/scatter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct policy {
  bool ignore;
} policy;

void *dvp_bad_indices_create(TF_OpKernelConstruction *ctx) {
  policy *state = dvp_state_new(ctx, sizeof(*state));
  char name[16];
  if (!state) return NULL;
  dvp_attr_string(ctx, "bad_indices_policy", name, sizeof(name));
  state->ignore = strcmp(name, "IGNORE") == 0;
  if (name[0] && strcmp(name, "DEFAULT") != 0 && strcmp(name, "ERROR") != 0 && !state->ignore)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "bad_indices_policy must be DEFAULT, ERROR or IGNORE, but is '%s'", name);
  return state;
}
bool dvp_ignores_bad_indices(const void *state) { return ((const policy *)state)->ignore; }

static bool make_places(dvp_call *call, int64_t count, int64_t inner, dvp_places *out) {
  size_t bytes;
  *out = (dvp_places){.count = count, .inner = inner};
  if (!__builtin_mul_overflow((size_t)count, sizeof(int64_t), &bytes))
    out->places = malloc(bytes ? bytes : 1);
  return out->places || dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " indices", count);
}

void dvp_places_free(dvp_places *places) {
  free(places->places);
  places->places = NULL;
}

// Whether `updates` has shape first[0..count) followed by second[0..more).
static bool has_shape(const dvp_view *updates, const int64_t *first, int count, const int64_t *second,
                      int more) {
  if (updates->rank != count + more) return false;
  for (int i = 0; i < count; i++)
    if (updates->dims[i] != first[i]) return false;
  for (int i = 0; i < more; i++)
    if (updates->dims[count + i] != second[i]) return false;
  return true;
}

static bool shape_fail(dvp_call *call, const int64_t *dims, int rank, const dvp_view *indices,
                       const dvp_view *updates) {
  char ti[DVP_SHAPE_TEXT], tu[DVP_SHAPE_TEXT], td[DVP_SHAPE_TEXT];
  return dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Updates of shape %s do not fit indices of shape %s into shape %s",
                  dvp_shape_text(updates->dims, updates->rank, tu),
                  dvp_shape_text(indices->dims, indices->rank, ti), dvp_shape_text(dims, rank, td));
}

bool dvp_places_nd(dvp_call *call, const int64_t *dims, int rank, const dvp_view *indices,
                   const dvp_view *updates, bool ignore_bad, dvp_places *out) {
  *out = (dvp_places){0};
  if (indices->rank < 1 || updates->rank < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Indices and updates must have at least one dimension");
  int outer = indices->rank - 1;
  int64_t depth = indices->dims[outer];
  if (depth < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Indices must hold at least one coordinate for each update");
  if (depth > rank || !has_shape(updates, indices->dims, outer, dims + depth, rank - (int)depth))
    return shape_fail(call, dims, rank, indices, updates);
  int64_t count = dvp_product(indices->dims, 0, outer);
  if (!make_places(call, count, dvp_product(dims, (int)depth, rank), out)) return false;
  if (dvp_product(dims, 0, rank) == 0 && updates->count > 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Indices and updates specified for empty output");
  for (int64_t i = 0; i < count; i++) {
    int64_t at = 0;
    for (int64_t d = 0; d < depth && at >= 0; d++) {
      int64_t index = dvp_index_at(indices, i * depth + d);
      if (index >= 0 && index < dims[d])
        at = at * dims[d] + index;
      else if (ignore_bad)
        at = -1;
      else
        return dvp_fail(call, TF_INVALID_ARGUMENT,
                        "indices[%" PRId64 ", %" PRId64 "] = %" PRId64
                        " does not index into dimension of size %" PRId64,
                        i, d, index, dims[d]);
    }
    out->places[i] = at;
  }
  return true;
}

bool dvp_places_rows(dvp_call *call, const int64_t *dims, int rank, const dvp_view *indices,
                     const dvp_view *updates, dvp_places *out) {
  *out = (dvp_places){0};
  if (rank < 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "A scalar has no rows to scatter to");
  if (updates->rank != 0 && !has_shape(updates, indices->dims, indices->rank, dims + 1, rank - 1))
    return shape_fail(call, dims, rank, indices, updates);
  if (!make_places(call, indices->count, dvp_product(dims, 1, rank), out)) return false;
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t row = dvp_index_at(indices, i);
    if (row < 0 || row >= dims[0])
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "indices[%" PRId64 "] = %" PRId64 " is not in [0, %" PRId64 ")", i, row, dims[0]);
    out->places[i] = row;
  }
  return true;
}

// ---- joining ----

#define JOIN(t, EXPR)                                                              \
  for (int64_t i = 0; i < places->count; i++) {                                    \
    if (places->places[i] < 0) continue;                                           \
    dvp_##t *out = (dvp_##t *)target + places->places[i] * inner;                  \
    const dvp_##t *in = (const dvp_##t *)updates->data + (scalar ? 0 : i * inner); \
    for (int64_t j = 0; j < inner; j++) {                                          \
      const DVP_ARITH_##t a = DVP_LOAD_##t(out[j]);                                \
      const DVP_ARITH_##t b = DVP_LOAD_##t(in[scalar ? 0 : j]);                    \
      out[j] = DVP_STORE_##t(EXPR);                                                \
    }                                                                              \
  }

#define NUMBER_CASES(t)   \
  case DVP_SCATTER_ADD:   \
    JOIN(t, a + b) break; \
  case DVP_SCATTER_SUB:   \
    JOIN(t, a - b) break; \
  case DVP_SCATTER_MUL:   \
    JOIN(t, a *b) break;  \
  case DVP_SCATTER_DIV:   \
    JOIN(t, a / b) break;

#define DEFINE_REAL(t, unused)                                                                  \
  static void scatter_##t(dvp_scatter_op op, const dvp_places *places, const dvp_view *updates, \
                          void *target) {                                                       \
    const int64_t inner = places->inner;                                                        \
    const bool scalar = updates->rank == 0;                                                     \
    switch (op) {                                                                               \
      NUMBER_CASES(t)                                                                           \
      case DVP_SCATTER_MIN:                                                                     \
        JOIN(t, b < a ? b : a) break;                                                           \
      case DVP_SCATTER_MAX:                                                                     \
        JOIN(t, a < b ? b : a) break;                                                           \
      default:                                                                                  \
        break;                                                                                  \
    }                                                                                           \
  }
#define DEFINE_COMPLEX(t, unused)                                                               \
  static void scatter_##t(dvp_scatter_op op, const dvp_places *places, const dvp_view *updates, \
                          void *target) {                                                       \
    const int64_t inner = places->inner;                                                        \
    const bool scalar = updates->rank == 0;                                                     \
    switch (op) {                                                                               \
      NUMBER_CASES(t)                                                                           \
      default:                                                                                  \
        break;                                                                                  \
    }                                                                                           \
  }
DVP_REALS(DEFINE_REAL, )
DVP_COMPLEX(DEFINE_COMPLEX, )

// Sums of booleans are whether any is true, differences whether they differ.
static void scatter_b(dvp_scatter_op op, const dvp_places *places, const dvp_view *updates, void *target) {
  const int64_t inner = places->inner;
  const bool scalar = updates->rank == 0;
  if (op == DVP_SCATTER_ADD) JOIN(b, a | b)
  if (op == DVP_SCATTER_SUB) JOIN(b, a ^ b)
}

// Sums of strings are one after the other.
static bool append_string(TF_TString *out, const TF_TString *in) {
  size_t first = TF_StringGetSize(out), more = TF_StringGetSize(in);
  char *both = malloc(first + more + 1);
  if (!both) return false;
  memcpy(both, TF_StringGetDataPointer(out), first);
  memcpy(both + first, TF_StringGetDataPointer(in), more);
  TF_StringCopy(out, both, first + more);
  free(both);
  return true;
}

static bool scatter_strings(dvp_call *call, dvp_scatter_op op, const dvp_places *places,
                            const dvp_view *updates, void *target) {
  for (int64_t i = 0; i < places->count; i++) {
    if (places->places[i] < 0) continue;
    for (int64_t j = 0; j < places->inner; j++) {
      TF_TString *out = (TF_TString *)target + places->places[i] * places->inner + j;
      const TF_TString *in = (const TF_TString *)updates->data + (updates->rank ? i * places->inner + j : 0);
      if (op == DVP_SCATTER_UPDATE)
        TF_StringCopy(out, TF_StringGetDataPointer(in), TF_StringGetSize(in));
      else if (!append_string(out, in))
        return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a string");
    }
  }
  return true;
}

static void assign(const dvp_places *places, const dvp_view *updates, void *target) {
  size_t bytes = TF_DataTypeSize(updates->dtype), slice = bytes * (size_t)places->inner;
  for (int64_t i = 0; i < places->count && slice; i++) {
    if (places->places[i] < 0) continue;
    char *out = (char *)target + (size_t)places->places[i] * slice;
    if (updates->rank)
      memcpy(out, (const char *)updates->data + (size_t)i * slice, slice);
    else
      for (size_t at = 0; at < slice; at += bytes) memcpy(out + at, updates->data, bytes);
  }
}

#define ZERO_CASE(t, unused)                                     \
  case DVP_TYPE_##t:                                             \
    for (int64_t i = 0; i < updates->count; i++)                 \
      if (((const dvp_##t *)updates->data)[i] == 0) return true; \
    return false;
static bool holds_integer_zero(const dvp_view *updates) {
  switch (updates->dtype) {
    DVP_INTS(ZERO_CASE, )
    default:
      return false;
  }
}

#define SCATTER_CASE(t, unused)               \
  case DVP_TYPE_##t:                          \
    scatter_##t(op, places, updates, target); \
    return true;

bool dvp_scatter(dvp_call *call, dvp_scatter_op op, const dvp_places *places, const dvp_view *updates,
                 void *target) {
  if (op == DVP_SCATTER_DIV && places->count && holds_integer_zero(updates))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Integer division by zero");
  if (updates->dtype == TF_STRING) return scatter_strings(call, op, places, updates, target);
  if (op == DVP_SCATTER_UPDATE) {
    assign(places, updates, target);
    return true;
  }
  switch (updates->dtype) {
    DVP_NUMBERS(SCATTER_CASE, )
    SCATTER_CASE(b, )
    default:
      return dvp_fail(call, TF_UNIMPLEMENTED, "Elements of dtype %d cannot be scattered", updates->dtype);
  }
}
