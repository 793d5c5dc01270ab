// Shape functions as patterns: `DVP_SHAPE_PATTERN(name, "n r; n; r -> n r; n")` defines a static shape
// function `name`. Tensors are separated by ';', their dimensions by spaces:
//   a..z  a dimension; the same letter is the same size everywhere
//   A..Z  any number of dimensions; at most one a tensor among the inputs
//   3     a dimension of that size         ?   any dimension
//   .     a scalar                         _   a shape of which nothing is known
//   #2    the dimension that scalar input 2 gives         =2  the dimensions that vector input 2 gives
//   @2    the first of the dimensions that vector input 2 gives
// The last three are for outputs; a letter there that no input bound is an unknown dimension.
#ifndef DOVETAIL_PLUGINS_COMMON_SHAPE_PATTERN_H_
#define DOVETAIL_PLUGINS_COMMON_SHAPE_PATTERN_H_

#include "dovetail/shape.h"

void dvp_shape_match(TF_ShapeInferenceContext *ctx, const char *pattern, TF_Status *status);

#define DVP_SHAPE_PATTERN(name, pattern)                               \
  static void name(TF_ShapeInferenceContext *ctx, TF_Status *status) { \
    dvp_shape_match(ctx, pattern, status);                             \
  }

#endif  // DOVETAIL_PLUGINS_COMMON_SHAPE_PATTERN_H_
