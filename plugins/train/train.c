// train.so: gradients, losses and optimisers, which graphs hold that were written while training.
#include "common/infer.h"
#include "common/shape_pattern.h"
#include "dovetail/shape.h"

DVP_SHAPE_PATTERN(dvr_shape_fn_sparse_cross_entropy, "b c; b -> b; b c")
DVP_SHAPE_PATTERN(dvr_shape_fn_ctc_loss, "t b c; n ?; n; b -> b; t b c")

// Whether two shapes are of one matrix, which then is *out.
static bool are_one_matrix(dvp_infer *in, TF_ShapeHandle *out) {
  TF_Status *status = TF_NewStatus();
  TF_ShapeInferenceContextWithRank(in->ctx, dvp_infer_input(in, 0), 2, out, status);
  if (TF_GetCode(status) == TF_OK)
    TF_ShapeInferenceContext_Merge(in->ctx, out, dvp_infer_input(in, 1), out, status);
  bool fine = TF_GetCode(status) == TF_OK;
  TF_DeleteStatus(status);
  return fine;
}

// SoftmaxCrossEntropyWithLogits: a loss for each row of what both inputs broadcast to.
static void dvr_shape_fn_cross_entropy(TF_ShapeInferenceContext *ctx, TF_Status *status);
DVP_SHAPE_FN(dvr_shape_fn_cross_entropy) {
  TF_ShapeHandle *both = dvp_infer_new(in);
  if (!dvp_infer_fine(in)) return;
  if (!are_one_matrix(in, both)) {
    TF_ShapeInferenceContext_Broadcast(in->ctx, dvp_infer_input(in, 0), dvp_infer_input(in, 1), both,
                                       in->status);
    if (dvp_infer_fine(in) && !TF_ShapeInferenceContextRankKnown(in->ctx, both))
      TF_SetStatus(in->status, TF_INVALID_ARGUMENT, "The rank that both inputs broadcast to must be known");
    if (dvp_infer_fine(in)) TF_ShapeInferenceContextWithRank(in->ctx, both, 2, both, in->status);
  }
  TF_DimensionHandle *rows = dvp_infer_keep_dim(in, TF_NewDimensionHandle());
  if (!dvp_infer_fine(in)) return;
  TF_ShapeInferenceContextDim(in->ctx, both, 0, rows);
  dvp_infer_output(in, 0, dvp_infer_keep(in, TF_ShapeInferenceContext_Vector(in->ctx, rows)));
  dvp_infer_output(in, 1, both);
}

#define DVP_OPS_FILE "train/train_ops.def"
#include "common/table.inc"
