// The shape functions of array.so that no pattern describes.
#ifndef DOVETAIL_PLUGINS_ARRAY_INFER_H_
#define DOVETAIL_PLUGINS_ARRAY_INFER_H_

#include "dovetail/shape.h"

// UniqueV2, UniqueWithCountsV2: a tensor of the input's rank, and as many indices as it is long along the
// axis.
void dvp_shape_fn_unique_v2(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MatrixDiagV2 and V3, MatrixDiagPart in all versions: from the band, where its value is known.
void dvp_shape_fn_matrix_diag(TF_ShapeInferenceContext *ctx, TF_Status *status);
void dvp_shape_fn_matrix_diag_part(TF_ShapeInferenceContext *ctx, TF_Status *status);
// MirrorPadGrad: the dimensions less the paddings, where they are known.
void dvp_shape_fn_mirror_pad_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);
// DiagPart: half of the dimensions, which come twice.
void dvp_shape_fn_diag_part(TF_ShapeInferenceContext *ctx, TF_Status *status);
// DynamicPartition and DynamicStitch: any number of slices, or as many as constant indices name.
void dvp_shape_fn_dynamic_partition(TF_ShapeInferenceContext *ctx, TF_Status *status);
void dvp_shape_fn_dynamic_stitch(TF_ShapeInferenceContext *ctx, TF_Status *status);

#endif  // DOVETAIL_PLUGINS_ARRAY_INFER_H_
