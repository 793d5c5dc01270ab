// Sizes computed from unknown sizes. The same computation on the same symbols gives the same symbol, so that
// two branches of a network that halve an unknown height are known to agree; and what undoes itself ((N+2)-2,
// N*4/4) is the symbol it started from. Part of a dvt_shape_arena; used by the arithmetic of shape_algebra.c.
#ifndef DVT_OP_DIM_EXPR_H_
#define DVT_OP_DIM_EXPR_H_

#include "op/shape_inference.h"

typedef enum dvt_dim_op {
  DVT_DIM_ADD,
  DVT_DIM_SUBTRACT,
  DVT_DIM_MULTIPLY,
  DVT_DIM_DIVIDE,  // rounded down
  DVT_DIM_MIN,
  DVT_DIM_MAX
} dvt_dim_op;

// The size `a op b`, of which at least one is unknown: a symbol, or one of the operands, or a number where
// that is provable. A new symbol without memory, and where constants overflow.
dvt_dim dvt_dim_compute(dvt_shape_arena *arena, dvt_dim_op op, dvt_dim a, dvt_dim b);
// Is `a - b` provably a size, that is not negative? Then *out_dim is it. Nothing new is made.
bool dvt_dim_difference(const dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim);
// Appends the size as text: a number; a symbol made by a computation as "(N+2)/2"; other symbols by `name`.
void dvt_dim_describe(const dvt_shape_arena *arena, dvt_dim dim,
                      void (*name)(void *arg, dvt_dim symbol, dvt_buf *out), void *arg, dvt_buf *out);
void dvt_dim_exprs_destroy(dvt_dim_exprs *exprs);

#endif  // DVT_OP_DIM_EXPR_H_
