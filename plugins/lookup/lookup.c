// lookup.so: tables from keys to values.
#include "lookup/shape.h"

#define DVP_OPS_FILE "lookup/lookup_ops.def"
#include "common/table.inc"
