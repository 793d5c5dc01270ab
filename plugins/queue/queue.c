// queue.so: queues that steps put tensors into and take them from, waiting for each other.
#include "dovetail/shape_fn.h"

#define DVP_OPS_FILE "queue/queue_ops.def"
#include "common/table.inc"
