// Element-wise drivers: see elementwise.h.
#include "common/elementwise.h"

#include <stdatomic.h>

#include "common/broadcast.h"

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

// Returns false when the shapes do not match; everything else is dealt with.
static bool binary_run_views(dvp_call *call, const dvp_binary_loops *loops, const dvp_view *a,
                             const dvp_view *b) {
  dvp_broadcast space;
  if (!dvp_broadcast_init(&space, (const dvp_view *const[]){a, b}, 2)) return false;
  char *out = loops->in_place && loops->in_bytes == loops->out_bytes
                  ? dvp_output_over(call, 0, 1, 0, space.out_dims, space.out_rank)
                  : dvp_output(call, 0, space.out_dims, space.out_rank);
  if (!out || space.out_count == 0) return true;
  binary_run run = {loops, &space, a->data, b->data, out, false};
  dvp_parallel(call, space.out_count, loops->cost_ps, binary_range, &run);
  if (atomic_load(&run.failed)) dvp_fail(call, TF_INVALID_ARGUMENT, "%s", loops->error);
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
