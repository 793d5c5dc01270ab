// Shapes of the values of an expansion. The graph knows them only up to the borders of its functions and
// nothing of variables that a function is handed; here calls are inlined and constants folded, so more is
// known.
#ifndef DVT_EXEC_INFER_H_
#define DVT_EXEC_INFER_H_

#include "exec/expand.h"

// Fills *out, which must be zeroed; release with dvt_shapes_deinit also on failure. What cannot be inferred
// is unknown. Errors: out of memory only.
dvt_status dvt_shapes_infer(const dvt_expansion *x, dvt_shapes *out) DVT_NODISCARD;

#endif  // DVT_EXEC_INFER_H_
