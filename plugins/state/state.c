// state.so: variables, restoring and saving checkpoints.
#define DVP_OPS_FILE "state/state_ops.def"
#include "common/table.inc"
