// Shapes of the values of an expansion. The graph knows them only up to the borders of its functions and
// nothing of variables that a function is handed; here calls are inlined and constants folded, so more is
// known.
#ifndef DVT_EXEC_INFER_H_
#define DVT_EXEC_INFER_H_

#include "exec/expand.h"
#include "op/shape_inference.h"

typedef struct dvt_shapes {
  dvt_shape_arena arena;
  int32_t *first_output;  // by node of the expansion, in `outputs`
  dvt_shape *outputs;     // NULL: unknown rank
  dvt_shape *feeds;       // by feed
  size_t node_count;      // later nodes are not known
} dvt_shapes;

// Fills *out, which must be zeroed; release with dvt_shapes_deinit also on failure. What cannot be inferred
// is unknown. Errors: out of memory only.
dvt_status dvt_shapes_infer(const dvt_expansion *x, dvt_shapes *out) DVT_NODISCARD;
void dvt_shapes_deinit(dvt_shapes *shapes);
dvt_shape dvt_shapes_of(const dvt_shapes *shapes, dvt_source source);

#endif  // DVT_EXEC_INFER_H_
