// state.so: variables, restoring checkpoints, and the string ops that name them.
#define DVP_OPS_FILE "state/state_ops.def"
#include "common/table.inc"
