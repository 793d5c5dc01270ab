// nn.so: convolutions, activations, normalisation and pooling.
#define DVP_OPS_FILE "nn/nn_ops.def"
#include "common/table.inc"
