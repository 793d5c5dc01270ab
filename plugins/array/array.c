// array.so: constants, shapes, slicing, joining, padding, gathering, rearranging. Nothing here computes on
// elements; all copying goes through common/strided.h.
#define DVP_OPS_FILE "array/array_ops.def"
#include "common/table.inc"
