// NumPy broadcasting of up to eight operands, written once: result shape, collapsed iteration space, rows.
#ifndef DOVETAIL_PLUGINS_COMMON_BROADCAST_H_
#define DOVETAIL_PLUGINS_COMMON_BROADCAST_H_

#include "common/call.h"

#define DVP_MAX_OPERANDS 8

// Row-major iteration space over the result; an operand's stride is 0 where it is repeated. Neighbouring dims
// that every operand walks evenly are merged, so that in the last dim each operand has stride 0 or 1.
typedef struct dvp_broadcast {
  int operands;
  int out_rank;
  int64_t out_dims[DVP_MAX_RANK];
  int64_t out_count;
  int rank;  // merged; at least 1
  int64_t dims[DVP_MAX_RANK];
  int64_t strides[DVP_MAX_OPERANDS][DVP_MAX_RANK];
} dvp_broadcast;

// False when the shapes do not match. Nothing is reported.
bool dvp_broadcast_init(dvp_broadcast *space, const dvp_view *const *operands, int count);
// "Incompatible shapes: [2,3] vs. [4]" as INVALID_ARGUMENT; returns false.
bool dvp_broadcast_fail(dvp_call *call, const dvp_view *a, const dvp_view *b);

// Calls row(arg, offsets, out_offset, n) for maximal runs in the last merged dim covering [begin, end) of the
// result; offsets[k] is operand k's element at the first of the n.
void dvp_broadcast_rows(const dvp_broadcast *space, int64_t begin, int64_t end,
                        void (*row)(void *arg, const int64_t *offsets, int64_t out_offset, int64_t n),
                        void *arg);

#endif  // DOVETAIL_PLUGINS_COMMON_BROADCAST_H_
