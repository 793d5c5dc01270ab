// Shape functions of the ops in this plugin.
#ifndef DOVETAIL_PLUGINS_RAGGED_SHAPE_H_
#define DOVETAIL_PLUGINS_RAGGED_SHAPE_H_

#include "dovetail/shape.h"

#define DVR_SHAPE_FN(name) void dvr_shape_fn_##name(TF_ShapeInferenceContext *ctx, TF_Status *status)

DVR_SHAPE_FN(to_tensor);     // what input 0 spells, then the dimensions of the values behind the first
DVR_SHAPE_FN(to_variant);    // a scalar, or a vector of as many rows as input 0 splits
DVR_SHAPE_FN(from_variant);  // splits are vectors
DVR_SHAPE_FN(range);         // splits, one more than there are rows, and a vector
DVR_SHAPE_FN(gather);        // splits are vectors; the values have other rows
DVR_SHAPE_FN(to_sparse);     // a sparse tensor: indices, values, shape

#endif  // DOVETAIL_PLUGINS_RAGGED_SHAPE_H_
