// The shape functions of sparse.so that no pattern describes.
#ifndef DOVETAIL_PLUGINS_SPARSE_SHAPE_H_
#define DOVETAIL_PLUGINS_SPARSE_SHAPE_H_

#include "dovetail/shape.h"

// SparseTensorDenseMatMul: [rows of a or a', columns of b or b'].
void dvs_shape_fn_matmul(TF_ShapeInferenceContext *ctx, TF_Status *status);
// SparseReduceSum, SparseReduceMax: from the values of the shape and the axes, where they are known.
void dvs_shape_fn_reduce(TF_ShapeInferenceContext *ctx, TF_Status *status);
// SparseConcat: as many values as all inputs have.
void dvs_shape_fn_concat(TF_ShapeInferenceContext *ctx, TF_Status *status);
void dvs_shape_fn_split(TF_ShapeInferenceContext *ctx, TF_Status *status);
// UnsortedSegment*: the number of segments, and the dimensions of the data behind those of the ids.
void dvs_shape_fn_unsorted(TF_ShapeInferenceContext *ctx, TF_Status *status);

// CTCBeamSearchDecoder: `top_paths` sparse matrices and a matrix of scores.
void dvs_shape_fn_ctc_beam(TF_ShapeInferenceContext *ctx, TF_Status *status);
// EditDistance: the larger of the two dense shapes, where both are known, without the last dimension.
void dvs_shape_fn_edit_distance(TF_ShapeInferenceContext *ctx, TF_Status *status);

#endif  // DOVETAIL_PLUGINS_SPARSE_SHAPE_H_
