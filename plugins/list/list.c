// list.so: lists of tensors, TensorArrays and optionals.
#include "list/shape.h"

#define DVP_OPS_FILE "list/list_ops.def"
#include "common/table.inc"
