// linalg.so: products of matrices. The only plugin beside nn.so that needs oneDNN.
#include "linalg/einsum.h"

#define DVP_OPS_FILE "linalg/linalg_ops.def"
#include "common/table.inc"
