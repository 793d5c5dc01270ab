// Counting and searching: Bincount, DenseBincount, LowerBound, UpperBound; L2Loss and ApproximateEqual.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

// ---- Bincount and DenseBincount ----

// Rows of values, each counted into a row of bins.
typedef struct counting {
  dvp_view values, weights;
  int64_t rows, row_length, bins;
  bool binary;  // 1 for each value that occurs
  void *out;
} counting;

#define COUNT(t, unused)                                                          \
  static void count_##t(const counting *c) {                                      \
    const dvp_##t *weights = c->weights.count ? c->weights.data : NULL;           \
    for (int64_t row = 0; row < c->rows; row++) {                                 \
      dvp_##t *out = (dvp_##t *)c->out + row * c->bins;                           \
      for (int64_t i = row * c->row_length; i < (row + 1) * c->row_length; i++) { \
        int64_t bin = dvp_index_at(&c->values, i);                                \
        if (bin >= c->bins) continue;                                             \
        out[bin] = c->binary ? 1 : out[bin] + (weights ? weights[i] : 1);         \
      }                                                                           \
    }                                                                             \
  }
COUNT(i32, )
COUNT(i64, )
COUNT(f32, )
COUNT(f64, )

// The values are not negative, and there is a weight for each or none at all.
static bool check_counting(dvp_call *call, const counting *c) {
  char tv[DVP_SHAPE_TEXT], tw[DVP_SHAPE_TEXT];
  if (c->bins < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "size (%" PRId64 ") must be non-negative", c->bins);
  if (c->weights.count != 0 && !dvp_same_shape(&c->weights, &c->values))
    return dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "weights must be the same shape as the values or a length-0 Tensor, but have shape %s, not %s",
        dvp_shape_text(c->weights.dims, c->weights.rank, tw),
        dvp_shape_text(c->values.dims, c->values.rank, tv));
  for (int64_t i = 0; i < c->values.count; i++)
    if (dvp_index_at(&c->values, i) < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "The values must not be negative, but element %" PRId64 " is %" PRId64, i,
                      dvp_index_at(&c->values, i));
  return true;
}

static void count(dvp_call *call, counting *c, const int64_t *dims, int rank) {
  c->out = dvp_output(call, 0, dims, rank);
  if (!c->out) return;
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 0);
  memset(c->out, 0, (size_t)(c->rows * c->bins) * TF_DataTypeSize(dtype));
  (dtype == TF_INT32   ? count_i32
   : dtype == TF_INT64 ? count_i64
   : dtype == TF_FLOAT ? count_f32
                       : count_f64)(c);
}

DVP_COMPUTE(bincount_compute) {
  (void)state;
  dvp_view size;
  counting c = {.rows = 1};
  if (!dvp_input(call, 0, &c.values) || !dvp_input_scalar(call, 1, "size", &size) ||
      !dvp_input(call, 2, &c.weights))
    return;
  c.bins = dvp_index_at(&size, 0);
  c.row_length = c.values.count;
  if (check_counting(call, &c)) count(call, &c, &c.bins, 1);
}

typedef struct dense_state {
  bool binary;
} dense_state;
static void *dense_create(TF_OpKernelConstruction *ctx) {
  dense_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->binary = dvp_attr_bool(ctx, "binary_output");
  return state;
}
static void dense_destroy(void *state) { free(state); }

DVP_COMPUTE(dense_bincount_compute) {
  dvp_view size;
  counting c = {.binary = ((const dense_state *)state)->binary};
  if (!dvp_input(call, 0, &c.values) || !dvp_input_scalar(call, 1, "size", &size) ||
      !dvp_input(call, 2, &c.weights))
    return;
  if (c.values.rank > 2) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank %d", c.values.rank);
    return;
  }
  bool matrix = c.values.rank == 2;
  c.bins = dvp_index_at(&size, 0);
  c.rows = matrix ? c.values.dims[0] : 1;
  c.row_length = matrix ? c.values.dims[1] : c.values.count;
  if (check_counting(call, &c))
    count(call, &c, matrix ? (const int64_t[]){c.rows, c.bins} : &c.bins, matrix ? 2 : 1);
}

#define COUNTED(X, ...) DVP_INDICES(X, __VA_ARGS__) DVP_SINGLES(X, __VA_ARGS__)
static const dvp_kernel bincount_rows[] = {COUNTED(DVP_SHARED_ROW, bincount)};
DVP_DEFINE_SET(bincount, "T", NULL, NULL, bincount_rows);
static const dvp_kernel dense_bincount_rows[] = {COUNTED(DVP_SHARED_ROW, dense_bincount)};
DVP_DEFINE_SET(dense_bincount, "T", dense_create, dense_destroy, dense_bincount_rows);

// ---- LowerBound and UpperBound ----

// Where in sorted rows values of the same row would go: before (lower) or behind (upper) their equals.
typedef struct searching {
  const void *sorted, *values;
  void *out;
  TF_DataType out_dtype;
  int64_t rows, sorted_length, length;
  bool upper;
} searching;

static void store_index(const searching *s, int64_t i, int64_t value) {
  if (s->out_dtype == TF_INT32)
    ((int32_t *)s->out)[i] = (int32_t)value;
  else
    ((int64_t *)s->out)[i] = value;
}

#define SEARCH(t, unused)                                                                 \
  static void search_##t(const searching *s) {                                            \
    for (int64_t i = 0; i < s->rows * s->length; i++) {                                   \
      const dvp_##t *row = (const dvp_##t *)s->sorted + i / s->length * s->sorted_length; \
      const DVP_ARITH_##t x = DVP_LOAD_##t(((const dvp_##t *)s->values)[i]);              \
      int64_t first = 0, count = s->sorted_length;                                        \
      while (count > 0) {                                                                 \
        int64_t half = count / 2;                                                         \
        const DVP_ARITH_##t at = DVP_LOAD_##t(row[first + half]);                         \
        bool behind = s->upper ? !(x < at) : at < x;                                      \
        first += behind ? half + 1 : 0;                                                   \
        count = behind ? count - half - 1 : half;                                         \
      }                                                                                   \
      store_index(s, i, first);                                                           \
    }                                                                                     \
  }
DVP_REALS(SEARCH, )

#define SEARCH_CASE(t, unused) \
  case DVP_TYPE_##t:           \
    search_##t(&s);            \
    break;

static void search(dvp_call *call, bool upper) {
  dvp_view sorted, values;
  if (!dvp_input(call, 0, &sorted) || !dvp_input(call, 1, &values)) return;
  if (sorted.rank != 2 || values.rank != 2 || sorted.dims[0] != values.dims[0]) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "sorted_inputs and values must be matrices with as many rows");
    return;
  }
  searching s = {sorted.data,
                 values.data,
                 dvp_output(call, 0, values.dims, 2),
                 TF_ExpectedOutputDataType(call->ctx, 0),
                 values.dims[0],
                 sorted.dims[1],
                 values.dims[1],
                 upper};
  if (!s.out) return;
  if (s.out_dtype == TF_INT32 && s.sorted_length > INT32_MAX) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Rows of %" PRId64 " elements want an output of int64",
             s.sorted_length);
    return;
  }
  switch (sorted.dtype) {
    DVP_REALS(SEARCH_CASE, )
    default:
      break;  // the kernels' constraint admits real numbers only
  }
}
DVP_COMPUTE(lower_bound_compute) {
  (void)state;
  search(call, false);
}
DVP_COMPUTE(upper_bound_compute) {
  (void)state;
  search(call, true);
}
static const dvp_kernel lower_bound_rows[] = {DVP_REALS(DVP_SHARED_ROW, lower_bound)};
DVP_DEFINE_SET(lower_bound, "T", NULL, NULL, lower_bound_rows);
static const dvp_kernel upper_bound_rows[] = {DVP_REALS(DVP_SHARED_ROW, upper_bound)};
DVP_DEFINE_SET(upper_bound, "T", NULL, NULL, upper_bound_rows);

// ---- L2Loss and ApproximateEqual ----

#define L2_LOSS(t, unused)                                          \
  DVP_COMPUTE(l2_loss_##t##_compute) {                              \
    (void)state;                                                    \
    dvp_view in;                                                    \
    if (!dvp_input(call, 0, &in)) return;                           \
    double sum = 0;                                                 \
    for (int64_t i = 0; i < in.count; i++) {                        \
      const double x = DVP_LOAD_##t(((const dvp_##t *)in.data)[i]); \
      sum += x * x;                                                 \
    }                                                               \
    dvp_##t *out = dvp_output(call, 0, NULL, 0);                    \
    if (out) *out = DVP_STORE_##t((DVP_ARITH_##t)(sum / 2));        \
  }
DVP_FLOATS(L2_LOSS, )
static const dvp_kernel l2_loss_rows[] = {DVP_FLOATS(DVP_ROW, l2_loss)};
DVP_DEFINE_SET(l2_loss, "T", NULL, NULL, l2_loss_rows);

typedef struct approximate_state {
  float tolerance;
} approximate_state;
static void *approximate_create(TF_OpKernelConstruction *ctx) {
  approximate_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->tolerance = dvp_attr_float(ctx, "tolerance");
  return state;
}
static void approximate_destroy(void *state) { free(state); }

#define APPROXIMATE(t, unused)                                                                \
  DVP_COMPUTE(approximate_##t##_compute) {                                                    \
    const dvp_##t tolerance = (dvp_##t)((const approximate_state *)state)->tolerance;         \
    dvp_view x, y;                                                                            \
    if (!dvp_input(call, 0, &x) || !dvp_input(call, 1, &y)) return;                           \
    if (!dvp_same_shape(&x, &y)) {                                                            \
      dvp_fail(call, TF_INVALID_ARGUMENT, "x and y must be of the same shape");               \
      return;                                                                                 \
    }                                                                                         \
    uint8_t *out = dvp_output(call, 0, x.dims, x.rank);                                       \
    for (int64_t i = 0; out && i < x.count; i++) {                                            \
      const dvp_##t difference = ((const dvp_##t *)x.data)[i] - ((const dvp_##t *)y.data)[i]; \
      out[i] = (difference < 0 ? -difference : difference) < tolerance;                       \
    }                                                                                         \
  }
DVP_SINGLES(APPROXIMATE, )
static const dvp_kernel approximate_rows[] = {DVP_SINGLES(DVP_ROW, approximate)};
DVP_DEFINE_SET(approximate_equal, "T", approximate_create, approximate_destroy, approximate_rows);
