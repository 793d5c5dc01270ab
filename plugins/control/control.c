// control.so: ops for order and checks, and the definitions of function calls.
#define DVP_OPS_FILE "control/control_ops.def"
#include "common/table.inc"
