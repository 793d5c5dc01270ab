// Broadcasting: see broadcast.h.
#include "common/broadcast.h"

#include <string.h>

// Appends a dim to the merged space, merging it into the previous one where all operands allow.
static void append(dvp_broadcast *space, int64_t dim, const int64_t *strides) {
  int last = space->rank - 1;
  if (last >= 0) {
    bool merge = true;
    for (int k = 0; k < space->operands; k++) merge = merge && space->strides[k][last] == strides[k] * dim;
    if (merge) {
      space->dims[last] *= dim;
      for (int k = 0; k < space->operands; k++) space->strides[k][last] = strides[k];
      return;
    }
  }
  space->dims[space->rank] = dim;
  for (int k = 0; k < space->operands; k++) space->strides[k][space->rank] = strides[k];
  space->rank++;
}

bool dvp_broadcast_init(dvp_broadcast *space, const dvp_view *const *operands, int count) {
  int64_t steps[DVP_MAX_OPERANDS];  // elements of each operand behind the dims already seen, from the right
  space->operands = count;
  space->rank = 0;
  space->out_rank = 0;
  space->out_count = 1;
  for (int k = 0; k < count; k++) {
    space->out_rank = DVP_MAX(space->out_rank, operands[k]->rank);
    steps[k] = operands[k]->count;
  }
  for (int i = 0; i < space->out_rank; i++) {
    int64_t out = 1, strides[DVP_MAX_OPERANDS];
    for (int k = 0; k < count; k++) {
      int axis = i - (space->out_rank - operands[k]->rank);
      int64_t dim = axis < 0 ? 1 : operands[k]->dims[axis];
      if (dim == 1) continue;
      if (out != 1 && out != dim) return false;
      out = dim;
    }
    for (int k = 0; k < count; k++) {
      int axis = i - (space->out_rank - operands[k]->rank);
      int64_t dim = axis < 0 ? 1 : operands[k]->dims[axis];
      if (dim > 1) steps[k] /= dim;
      strides[k] = dim == 1 ? 0 : steps[k];
    }
    space->out_dims[i] = out;
    if (__builtin_mul_overflow(space->out_count, out, &space->out_count)) return false;
    if (out != 1) append(space, out, strides);
  }
  if (space->rank == 0) {
    const int64_t none[DVP_MAX_OPERANDS] = {0};
    append(space, 1, none);
  }
  return true;
}

bool dvp_broadcast_fail(dvp_call *call, const dvp_view *a, const dvp_view *b) {
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  return dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
                  dvp_shape_text(a->dims, a->rank, ta), dvp_shape_text(b->dims, b->rank, tb));
}

void dvp_broadcast_rows(const dvp_broadcast *space, int64_t begin, int64_t end,
                        void (*row)(void *arg, const int64_t *offsets, int64_t out_offset, int64_t n),
                        void *arg) {
  int last = space->rank - 1, operands = space->operands;
  int64_t index[DVP_MAX_RANK], offsets[DVP_MAX_OPERANDS] = {0}, rest = begin;
  for (int d = last; d >= 0; d--) {
    index[d] = rest % space->dims[d];
    rest /= space->dims[d];
    for (int k = 0; k < operands; k++) offsets[k] += index[d] * space->strides[k][d];
  }
  while (begin < end) {
    int64_t n = DVP_MIN(space->dims[last] - index[last], end - begin);
    row(arg, offsets, begin, n);
    begin += n;
    for (int k = 0; k < operands; k++) offsets[k] -= index[last] * space->strides[k][last];
    index[last] = 0;
    for (int d = last - 1; d >= 0; d--) {
      for (int k = 0; k < operands; k++) offsets[k] += space->strides[k][d];
      if (++index[d] < space->dims[d]) break;
      for (int k = 0; k < operands; k++) offsets[k] -= space->dims[d] * space->strides[k][d];
      index[d] = 0;
    }
  }
}
