// The slices that SaveV2 and RestoreV2 are given as text.
#ifndef DOVETAIL_PLUGINS_STATE_SLICE_H_
#define DOVETAIL_PLUGINS_STATE_SLICE_H_

#include "common/call.h"

// "8 16 0,4:-": the shape of the whole tensor, then for each dim "begin,length" or "-" for all of it.
typedef struct dvs_slice {
  int rank;
  int64_t dims[DVP_MAX_RANK], begin[DVP_MAX_RANK], size[DVP_MAX_RANK];
} dvs_slice;

// Fails the call with INVALID_ARGUMENT, naming the tensor, for a text that is none.
bool dvs_slice_parse(dvp_call *call, const char *text, const char *tensor, dvs_slice *out);

#endif  // DOVETAIL_PLUGINS_STATE_SLICE_H_
