// nn.so: convolutions, activations, normalisation and pooling, and their gradients.
#include "common/shape_pattern.h"
#include "dovetail/shape.h"

DVP_SHAPE_PATTERN(dvp_shape_fn_image, "b h w c -> b h w c")
DVP_SHAPE_PATTERN(dvp_shape_fn_images, "b h w c; b h w c; b h w c -> b h w c")
DVP_SHAPE_PATTERN(dvp_shape_fn_second, "_; X -> X")

#define DVP_OPS_FILE "nn/nn_ops.def"
#include "common/table.inc"
