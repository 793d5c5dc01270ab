// Element-wise drivers: see elementwise.h.
#include "common/elementwise.h"

#include <stdatomic.h>
#include <string.h>

#include "common/broadcast.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct binary_run {
  const dvp_binary_loops *loops;
  const dvp_broadcast *space;
  const char *a, *b;
  char *out;
  atomic_bool failed;
} binary_run;

static void binary_row(void *arg, const int64_t *offsets, int64_t out_offset, int64_t n) {
  binary_run *run = arg;
  const dvp_binary_loops *loops = run->loops;
  const dvp_broadcast *space = run->space;
  int last = space->rank - 1;
  const char *a = run->a + offsets[0] * loops->in_bytes, *b = run->b + offsets[1] * loops->in_bytes;
  char *out = run->out + out_offset * loops->out_bytes;
  bool fine = space->strides[1][last] == 0   ? loops->vs(a, b, out, n)
              : space->strides[0][last] == 0 ? loops->sv(a, b, out, n)
                                             : loops->vv(a, b, out, n);
  if (!fine) atomic_store_explicit(&run->failed, true, memory_order_relaxed);
}

static void binary_range(void *arg, int64_t begin, int64_t end) {
  binary_run *run = arg;
  dvp_broadcast_rows(run->space, begin, end, binary_row, run);
}

// ---- a short last dim against a vector of that length: the vector is repeated, so that loops are long ----

#define PATTERN 512

typedef struct pattern_run {
  const dvp_binary_loops *loops;
  const char *whole, *pattern;  // the operand of the result's shape, the repeated one
  char *out;
  int64_t count, length;
  bool swapped;  // the pattern is the left operand
  atomic_bool failed;
} pattern_run;

// Units are patterns.
static void pattern_range(void *arg, int64_t begin, int64_t end) {
  pattern_run *run = arg;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t at = unit * run->length, n = DVP_MIN(run->length, run->count - at);
    const char *whole = run->whole + at * run->loops->in_bytes;
    char *out = run->out + at * run->loops->out_bytes;
    if (!(run->swapped ? run->loops->vv(run->pattern, whole, out, n)
                       : run->loops->vv(whole, run->pattern, out, n)))
      atomic_store_explicit(&run->failed, true, memory_order_relaxed);
  }
}

// Which operand (0, 1) is a vector along a short last dim of the other; -1: neither.
static int short_vector(const dvp_broadcast *space) {
  if (space->rank != 2 || space->dims[1] > PATTERN / 8 || space->out_count < 4 * PATTERN) return -1;
  for (int k = 0; k < 2; k++) {
    const int64_t *vector = space->strides[k], *whole = space->strides[1 - k];
    if (vector[0] == 0 && vector[1] == 1 && whole[0] == space->dims[1] && whole[1] == 1) return k;
  }
  return -1;
}

static bool run_pattern(dvp_call *call, const dvp_binary_loops *loops, const dvp_broadcast *space, int vector,
                        const dvp_view *const operands[2], char *out) {
  TF_Tensor *scratch;
  int64_t step = space->dims[1], length = PATTERN / step * step;
  size_t bytes = (size_t)(step * loops->in_bytes);
  char *pattern = dvp_temp(call, (size_t)(length * loops->in_bytes), &scratch);
  if (!pattern) return false;
  for (int64_t i = 0; i < length / step; i++)
    memcpy(pattern + (size_t)i * bytes, operands[vector]->data, bytes);
  pattern_run run = {loops, operands[1 - vector]->data, pattern, out, space->out_count, length, vector == 0,
                     false};
  dvp_parallel(call, (run.count + length - 1) / length, length * loops->cost_ps, pattern_range, &run);
  dvp_free_temp(scratch);
  return !atomic_load(&run.failed);
}

// Returns false when the shapes do not match; everything else is dealt with.
static bool binary_run_views(dvp_call *call, const dvp_binary_loops *loops, const dvp_view *a,
                             const dvp_view *b) {
  dvp_broadcast space;
  if (!dvp_broadcast_init(&space, (const dvp_view *const[]){a, b}, 2)) return false;
  char *out = loops->in_place && loops->in_bytes == loops->out_bytes
                  ? dvp_output_over(call, 0, 1, 0, space.out_dims, space.out_rank)
                  : dvp_output(call, 0, space.out_dims, space.out_rank);
  if (!out || space.out_count == 0) return true;
  // Strings are not copied byte by byte; they come without in-place loops.
  int vector = loops->in_place || loops->in_bytes != sizeof(TF_TString) ? short_vector(&space) : -1;
  bool fine;
  if (vector >= 0) {
    fine = run_pattern(call, loops, &space, vector, (const dvp_view *const[]){a, b}, out);
  } else {
    binary_run run = {loops, &space, a->data, b->data, out, false};
    dvp_parallel(call, space.out_count, loops->cost_ps, binary_range, &run);
    fine = !atomic_load(&run.failed);
  }
  if (!fine && TF_GetCode(call->status) == TF_OK) dvp_fail(call, TF_INVALID_ARGUMENT, "%s", loops->error);
  return true;
}

void dvp_binary_run(TF_OpKernelContext *ctx, const dvp_binary_loops *loops) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view a, b;
  if (dvp_input(&call, 0, &a) && dvp_input(&call, 1, &b) && !binary_run_views(&call, loops, &a, &b))
    dvp_broadcast_fail(&call, &a, &b);
  TF_DeleteStatus(call.status);
}

void dvp_compare_run(TF_OpKernelContext *ctx, const dvp_binary_loops *loops, bool mismatch) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view a, b;
  if (dvp_input(&call, 0, &a) && dvp_input(&call, 1, &b) && !binary_run_views(&call, loops, &a, &b)) {
    uint8_t *out = dvp_output(&call, 0, NULL, 0);
    if (out) *out = mismatch;
  }
  TF_DeleteStatus(call.status);
}

typedef struct unary_run {
  const dvp_unary_loops *loops;
  const char *in;
  char *out;
} unary_run;

static void unary_range(void *arg, int64_t begin, int64_t end) {
  unary_run *run = arg;
  run->loops->loop(run->in + begin * run->loops->in_bytes, run->out + begin * run->loops->out_bytes,
                   end - begin);
}

void dvp_unary_run(TF_OpKernelContext *ctx, const dvp_unary_loops *loops) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in;
  if (dvp_input(&call, 0, &in)) {
    char *out = loops->in_bytes == loops->out_bytes ? dvp_output_over(&call, 0, -1, 0, in.dims, in.rank)
                                                    : dvp_output(&call, 0, in.dims, in.rank);
    unary_run run = {loops, in.data, out};
    if (out) dvp_parallel(&call, in.count, loops->cost_ps, unary_range, &run);
  }
  TF_DeleteStatus(call.status);
}
