// The shape functions of array.so that no pattern describes.
#ifndef DOVETAIL_PLUGINS_ARRAY_INFER_H_
#define DOVETAIL_PLUGINS_ARRAY_INFER_H_

#include "dovetail/shape.h"

// UniqueV2, UniqueWithCountsV2: a tensor of the input's rank, and as many indices as it is long along the
// axis.
void dvp_shape_fn_unique_v2(TF_ShapeInferenceContext *ctx, TF_Status *status);

#endif  // DOVETAIL_PLUGINS_ARRAY_INFER_H_
