// What the functions of a construction context share: reading an attr, and ending with a status that says
// where it happened.
#ifndef DVT_CAPI_CONSTRUCTION_H_
#define DVT_CAPI_CONSTRUCTION_H_

#include "kernel/checked.h"

// The node's value or its op's default; NOT_FOUND without either.
dvt_status dvt_construction_attr(const TF_OpKernelConstruction *ctx, const char *attr_name,
                                 dvt_str *out_value) DVT_NODISCARD;
// Stores the status, an error with attr (NULL: about none), op and node added; consumes it.
void dvt_construction_finish(const TF_OpKernelConstruction *ctx, const char *attr_name, dvt_status error,
                             TF_Status *status);

#endif  // DVT_CAPI_CONSTRUCTION_H_
