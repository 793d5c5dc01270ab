// math.so: element-wise arithmetic, comparison and functions, casts, sequences and reductions. Loads without
// oneDNN.
#define DVP_OPS_FILE "math/math_ops.def"
#include "common/table.inc"
