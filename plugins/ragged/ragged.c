// ragged.so: tensors whose rows have different lengths.
#include "ragged/shape.h"

#define DVP_OPS_FILE "ragged/ragged_ops.def"
#include "common/table.inc"
