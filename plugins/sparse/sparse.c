// sparse.so: sparse tensors, reductions by segment, sequences of labels.
#include "common/shape_pattern.h"
#include "sparse/shape.h"

DVP_SHAPE_PATTERN(dvs_shape_fn_fill_empty_rows, "n r; n; r; . -> u r; u; @2; n")
DVP_SHAPE_PATTERN(dvs_shape_fn_fill_grad, "n; m -> n; .")
DVP_SHAPE_PATTERN(dvs_shape_fn_reshape, "n r; r; s -> n s; s")
DVP_SHAPE_PATTERN(dvs_shape_fn_reorder, "n r; n; r -> n r; n")
DVP_SHAPE_PATTERN(dvs_shape_fn_slice, "n r; n; r; r; r -> u r; u; r")
DVP_SHAPE_PATTERN(dvs_shape_fn_to_dense, "_; r; _; _ -> =1")
DVP_SHAPE_PATTERN(dvs_shape_fn_add, "n r; n; r; m r; m; r; . -> u r; u; r")
DVP_SHAPE_PATTERN(dvs_shape_fn_segment, "n X; n -> u X")
DVP_SHAPE_PATTERN(dvs_shape_fn_sparse_segment, "m X; n; n -> u X")
DVP_SHAPE_PATTERN(dvs_shape_fn_sparse_segment_number, "m X; n; n; . -> #3 X")

DVP_SHAPE_PATTERN(dvs_shape_fn_ctc_greedy, "t b c; b -> n 2; n; 2; b 1")

#define DVP_OPS_FILE "sparse/sparse_ops.def"
#include "common/table.inc"
