// array.so: constants, shapes, slicing, joining, padding, gathering, rearranging. But for MirrorPadGrad nothing
// here computes on elements; all copying goes through common/strided.h.
#include "array/infer.h"
#include "common/shape_pattern.h"
#include "dovetail/shape.h"

// BroadcastArgs: as long as the longer of two vectors.
static void dvp_shape_fn_broadcast_args(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shapes[2] = {TF_NewShapeHandle(), TF_NewShapeHandle()}, *out = NULL;
  TF_DimensionHandle *lengths[2] = {TF_NewDimensionHandle(), TF_NewDimensionHandle()};
  for (int i = 0; i < 2 && TF_GetCode(status) == TF_OK; i++) {
    TF_ShapeInferenceContextGetInput(ctx, i, shapes[i], status);
    if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextWithRank(ctx, shapes[i], 1, shapes[i], status);
    if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextDim(ctx, shapes[i], 0, lengths[i]);
  }
  if (TF_GetCode(status) == TF_OK) {
    bool known = TF_DimensionHandleValueKnown(lengths[0]) && TF_DimensionHandleValueKnown(lengths[1]);
    int64_t a = TF_DimensionHandleValue(lengths[0]), b = TF_DimensionHandleValue(lengths[1]);
    out = TF_ShapeInferenceContextVectorFromSize(ctx, known ? (size_t)(a > b ? a : b) : (size_t)-1);
    if (out) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  }
  for (int i = 0; i < 2; i++) {
    TF_DeleteShapeHandle(shapes[i]);
    TF_DeleteDimensionHandle(lengths[i]);
  }
  TF_DeleteShapeHandle(out);
}

DVP_SHAPE_PATTERN(dvp_shape_fn_unique_counts, "n -> u; n; v")
DVP_SHAPE_PATTERN(dvp_shape_fn_list_diff, "n; m -> u; v")
DVP_SHAPE_PATTERN(dvp_shape_fn_tensor_scatter, "X; _; _ -> X")

DVP_SHAPE_PATTERN(dvp_shape_fn_reverse_sequence, "X; n -> X")
DVP_SHAPE_PATTERN(dvp_shape_fn_reverse, "X; n -> X")
DVP_SHAPE_PATTERN(dvp_shape_fn_roll, "n X; _; _ -> n X")
DVP_SHAPE_PATTERN(dvp_shape_fn_gradient_args, "n; m -> u; v")
DVP_SHAPE_PATTERN(dvp_shape_fn_matrix_diag_square, "X n -> X n n")
DVP_SHAPE_PATTERN(dvp_shape_fn_matrix_set_diag, "X r c; Y d -> X r c")
DVP_SHAPE_PATTERN(dvp_shape_fn_matrix_set_diag_band, "X r c; Y d; _ -> X r c")
DVP_SHAPE_PATTERN(dvp_shape_fn_matrix_band_part, "X; .; . -> X")
DVP_SHAPE_PATTERN(dvp_shape_fn_diag, "X -> X X")
DVP_SHAPE_PATTERN(dvp_shape_fn_strided_slice_grad, "_; _; _; _; _ -> =0")

#define DVP_OPS_FILE "array/array_ops.def"
#include "common/table.inc"
