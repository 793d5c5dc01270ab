// An op definition as readable text, for registry_list.c.
#ifndef DVT_CAPI_REGISTRY_OP_H_
#define DVT_CAPI_REGISTRY_OP_H_

#include "dovetail/dovetail.h"
#include "op/op_def.h"

// All but `plugin` and `kernel_count`; what *out points to is in the arena. False when out of memory.
bool dvt_op_info_fill(const dvt_op_def *op, dvt_arena *arena, dvt_op_info *out) DVT_NODISCARD;

#endif  // DVT_CAPI_REGISTRY_OP_H_
