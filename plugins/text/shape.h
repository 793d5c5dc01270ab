// Shape functions of the ops in this plugin.
#ifndef DOVETAIL_PLUGINS_TEXT_SHAPE_H_
#define DOVETAIL_PLUGINS_TEXT_SHAPE_H_

#include "dovetail/shape.h"

#define DVX_SHAPE_FN(name) void dvx_shape_fn_##name(TF_ShapeInferenceContext *ctx, TF_Status *status)

DVX_SHAPE_FN(join);          // what the inputs have in common, scalars aside
DVX_SHAPE_FN(split);         // a sparse matrix: indices, values, shape
DVX_SHAPE_FN(ngrams);        // a vector, and splits like input 1
DVX_SHAPE_FN(substr);        // input 0 and positions broadcast together
DVX_SHAPE_FN(match);         // input 0; input 1 is a scalar
DVX_SHAPE_FN(replace);       // input 0; inputs 1 and 2 are scalars
DVX_SHAPE_FN(segment_join);  // [input 2, dimensions of input 0 that input 1 lacks]
DVX_SHAPE_FN(decode_raw);    // input 0 with one more dimension
DVX_SHAPE_FN(decode_padded_raw);
DVX_SHAPE_FN(decode);  // splits, one more than input 0 has elements, and vectors
DVX_SHAPE_FN(encode);  // a vector, one less than input 1 has elements

#endif  // DOVETAIL_PLUGINS_TEXT_SHAPE_H_
