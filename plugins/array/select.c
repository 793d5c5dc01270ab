// Select and SelectV2: elements of t where the condition is true, of e elsewhere.
#include <string.h>

#include "common/broadcast.h"
#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct block16 {
  uint64_t words[2];
} block16;

typedef struct select_run {
  const dvp_broadcast *space;
  const uint8_t *condition;
  const char *t, *e;
  char *out;
  TF_DataType dtype;
  int64_t bytes;
} select_run;

#define SELECT_LOOP(type)                                                                      \
  {                                                                                            \
    const type *t = (const type *)run->t + offsets[1], *e = (const type *)run->e + offsets[2]; \
    type *out = (type *)run->out + at;                                                         \
    for (int64_t i = 0; i < n; i++) out[i] = c[i * sc] ? t[i * st] : e[i * se];                \
    break;                                                                                     \
  }

static void select_row(void *arg, const int64_t *offsets, int64_t at, int64_t n) {
  const select_run *run = arg;
  int last = run->space->rank - 1;
  int64_t sc = run->space->strides[0][last], st = run->space->strides[1][last],
          se = run->space->strides[2][last];
  const uint8_t *c = run->condition + offsets[0];
  if (run->dtype == TF_STRING) {
    const TF_TString *t = (const TF_TString *)run->t + offsets[1],
                     *e = (const TF_TString *)run->e + offsets[2];
    TF_TString *out = (TF_TString *)run->out + at;
    for (int64_t i = 0; i < n; i++) {
      const TF_TString *from = c[i * sc] ? &t[i * st] : &e[i * se];
      TF_StringCopy(&out[i], TF_StringGetDataPointer(from), TF_StringGetSize(from));
    }
    return;
  }
  switch (run->bytes) {
    case 1:
      SELECT_LOOP(uint8_t)
    case 2:
      SELECT_LOOP(uint16_t)
    case 4:
      SELECT_LOOP(uint32_t)
    case 8:
      SELECT_LOOP(uint64_t)
    default:
      SELECT_LOOP(block16)
  }
}

static void select_range(void *arg, int64_t begin, int64_t end) {
  const select_run *run = arg;
  dvp_broadcast_rows(run->space, begin, end, select_row, arg);
}

static void select_views(dvp_call *call, const dvp_view *condition, const dvp_view *t, const dvp_view *e) {
  dvp_broadcast space;
  char tc[DVP_SHAPE_TEXT], tt[DVP_SHAPE_TEXT], te[DVP_SHAPE_TEXT];
  if (!dvp_broadcast_init(&space, (const dvp_view *const[]){condition, t, e}, 3)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "condition %s, then %s, and else %s must be broadcastable",
             dvp_shape_text(condition->dims, condition->rank, tc), dvp_shape_text(t->dims, t->rank, tt),
             dvp_shape_text(e->dims, e->rank, te));
    return;
  }
  char *out = dvp_output(call, 0, space.out_dims, space.out_rank);
  if (!out) return;
  select_run run = {
      &space, condition->data, t->data, e->data, out, t->dtype, (int64_t)dvp_element_bytes(call, t->dtype)};
  if (run.bytes && space.out_count) dvp_parallel(call, space.out_count, 500, select_range, &run);
}

DVP_COMPUTE(select_v2_compute) {
  (void)state;
  dvp_view condition, t, e;
  if (dvp_input(call, 0, &condition) && dvp_input(call, 1, &t) && dvp_input(call, 2, &e))
    select_views(call, &condition, &t, &e);
}
DVP_DEFINE_ANY(select_v2, NULL, NULL, select_v2_compute);

// The condition has the shape of t, is a scalar, or a vector that chooses rows.
DVP_COMPUTE(select_compute) {
  (void)state;
  dvp_view condition, t, e;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &condition) || !dvp_input(call, 1, &t) || !dvp_input(call, 2, &e)) return;
  if (!dvp_same_shape(&t, &e)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "'then' and 'else' must have the same size.  but received: %s vs. %s",
             dvp_shape_text(t.dims, t.rank, ta), dvp_shape_text(e.dims, e.rank, tb));
    return;
  }
  bool rows = condition.rank == 1 && t.rank >= 1 && condition.dims[0] == t.dims[0];
  if (condition.rank != 0 && !rows && !dvp_same_shape(&condition, &t)) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "'cond' must be a scalar, a vector as long as the first dimension of 'then', or of its shape, "
             "but is %s and %s",
             dvp_shape_text(condition.dims, condition.rank, ta), dvp_shape_text(t.dims, t.rank, tb));
    return;
  }
  if (rows) {
    for (int i = 1; i < t.rank; i++) condition.dims[i] = 1;
    condition.rank = t.rank;
  }
  select_views(call, &condition, &t, &e);
}
DVP_DEFINE_ANY(select, NULL, NULL, select_compute);
