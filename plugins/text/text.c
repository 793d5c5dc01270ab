// text.so: strings.
#include "text/shape.h"

#define DVP_OPS_FILE "text/text_ops.def"
#include "common/table.inc"
