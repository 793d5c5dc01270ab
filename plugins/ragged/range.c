// RaggedRange: a row from each start up to its limit by its delta.
#include <math.h>

#include "common/dtype.h"
#include "ragged/ragged.h"

typedef struct ranges {
  dvp_view starts, limits, deltas;
  int64_t rows;
} ranges;

static bool take(dvp_call *call, int index, const char *what, dvp_view *out, ranges *r, bool *known) {
  if (!dvp_input(call, index, out)) return false;
  if (out->rank > 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a scalar or vector", what);
  if (out->rank == 0) return true;
  if (*known && out->dims[0] != r->rows)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "starts, limits, and deltas must have the same shape");
  *known = true;
  r->rows = out->dims[0];
  return true;
}

static bool read(dvp_call *call, ranges *r) {
  bool known = false;
  r->rows = 1;
  return take(call, 0, "starts", &r->starts, r, &known) && take(call, 1, "limits", &r->limits, r, &known) &&
         take(call, 2, "deltas", &r->deltas, r, &known);
}

// Elements from start to limit, or -1 when they are more than `most`. The delta is not 0.
static int64_t size_of_reals(double size, int64_t most) {
  return size <= 0 ? 0 : size < (double)most ? (int64_t)size : -1;
}
static int64_t size_of_integers(int64_t start, int64_t limit, int64_t delta, int64_t most) {
  if (delta > 0 ? start >= limit : start <= limit) return 0;
  uint64_t distance = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta,
           size = distance / step + (distance % step != 0);
  return size <= (uint64_t)most ? (int64_t)size : -1;
}
#define SIZE_f32(start, limit, delta, most)               \
  ((delta) > 0 ? (start) >= (limit) : (start) <= (limit)) \
      ? 0                                                 \
      : size_of_reals((double)ceilf(fabsf(((limit) - (start)) / (delta))), most)
#define SIZE_f64(start, limit, delta, most)               \
  ((delta) > 0 ? (start) >= (limit) : (start) <= (limit)) \
      ? 0                                                 \
      : size_of_reals(ceil(fabs(((limit) - (start)) / (delta))), most)
#define SIZE_i32 size_of_integers
#define SIZE_i64 size_of_integers

#define RANGE_COMPUTE(t, op)                                                                                 \
  DVP_COMPUTE(op##_##t##_compute) {                                                                          \
    (void)state;                                                                                             \
    ranges r;                                                                                                \
    if (!read(call, &r)) return;                                                                             \
    const dvp_##t *starts = r.starts.data, *limits = r.limits.data, *deltas = r.deltas.data;                 \
    int start_step = r.starts.rank, limit_step = r.limits.rank, delta_step = r.deltas.rank;                  \
    TF_DataType type = TF_ExpectedOutputDataType(call->ctx, 0);                                              \
    int64_t count = r.rows + 1, most = type == TF_INT32 ? INT32_MAX : INT64_MAX, total = 0;                  \
    void *splits = dvp_output(call, 0, &count, 1);                                                           \
    if (!splits) return;                                                                                     \
    dvr_set_int(type, splits, 0, 0);                                                                         \
    for (int64_t i = 0; i < r.rows; i++) {                                                                   \
      dvp_##t start = starts[i * start_step], limit = limits[i * limit_step],                                \
              delta = deltas[i * delta_step];                                                                \
      int64_t size = delta == 0 ? -2 : SIZE_##t(start, limit, delta, most);                                  \
      if (size < 0 || __builtin_add_overflow(total, size, &total) || total > most) {                         \
        dvp_fail(call, TF_INVALID_ARGUMENT, size == -2 ? "Requires delta != 0" : "The ranges are too long"); \
        return;                                                                                              \
      }                                                                                                      \
      dvr_set_int(type, splits, i + 1, total);                                                               \
    }                                                                                                        \
    dvp_##t *out = dvp_output(call, 1, &total, 1);                                                           \
    for (int64_t i = 0; out && i < r.rows; i++) {                                                            \
      dvp_##t start = starts[i * start_step], limit = limits[i * limit_step],                                \
              delta = deltas[i * delta_step];                                                                \
      dvp_##t value = start;                                                                                 \
      for (int64_t k = SIZE_##t(start, limit, delta, most); k > 0; k--) {                                    \
        *out++ = value;                                                                                      \
        value = (dvp_##t)(value + delta);                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }
RANGE_COMPUTE(f32, range)
RANGE_COMPUTE(f64, range)
RANGE_COMPUTE(i32, range)
RANGE_COMPUTE(i64, range)
static const dvp_kernel range_rows[] = {DVP_SINGLES(DVP_ROW, range) DVP_INDICES(DVP_ROW, range)};
DVP_DEFINE_SET(ragged_range, "T", NULL, NULL, range_rows);
