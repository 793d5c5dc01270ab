// Reductions over any set of axes: the axes are merged into alternating kept and reduced dims, and typed
// loops work on rows of memory. Included by reduce_loops.c (typed loops) and reduce.c (driver).
#ifndef DOVETAIL_PLUGINS_MATH_REDUCE_H_
#define DOVETAIL_PLUGINS_MATH_REDUCE_H_

#include "common/call.h"
#include "common/plugin.h"

// Lanes that a contiguous row is folded into before the lanes are combined; divides the longest vector of any
// ISA.
#define DVP_REDUCE_LANES 64
// Bytes of the widest accumulator, a complex number of two doubles.
#define DVP_ACCUMULATOR_BYTES 16

// `acc` is an array of accumulators of the reduction's own type, `acc_bytes` each.
typedef struct dvp_reducer {
  int in_bytes, out_bytes, acc_bytes;
  int cost_ps;  // per input element
  void (*init)(void *acc, int64_t n);
  // acc[i] takes in[i], for i < n.
  void (*accumulate)(void *acc, const void *in, int64_t n);
  // acc[i] takes in[i * step].
  void (*accumulate_strided)(void *acc, const void *in, int64_t n, int64_t step);
  // acc[i] takes acc2[i].
  void (*combine)(void *acc, const void *acc2, int64_t n);
  // out[i] from acc[i]; `count` elements went into each.
  void (*finish)(const void *acc, void *out, int64_t n, int64_t count);
} dvp_reducer;

void dvp_reduce_run(void *state, TF_OpKernelContext *ctx, const dvp_reducer *reducer);
void *dvp_reduce_create(TF_OpKernelConstruction *ctx);
void dvp_reduce_destroy(void *state);

#endif  // DOVETAIL_PLUGINS_MATH_REDUCE_H_
