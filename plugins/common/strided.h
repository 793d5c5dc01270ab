// Copies between strided boxes of elements, written once: the array ops describe what they do as one or more
// boxes.
#ifndef DOVETAIL_PLUGINS_COMMON_STRIDED_H_
#define DOVETAIL_PLUGINS_COMMON_STRIDED_H_

#include "common/call.h"

// A box: for each index below dims, dst[sum index*dst_stride] = src[sum index*src_stride]. Strides count
// elements and may be 0 (src) or negative. The two boxes share no memory.
typedef struct dvp_box {
  int rank;
  int64_t dims[DVP_MAX_RANK], src[DVP_MAX_RANK], dst[DVP_MAX_RANK];
} dvp_box;

static inline void dvp_box_add(dvp_box *box, int64_t dim, int64_t src_stride, int64_t dst_stride) {
  box->dims[box->rank] = dim;
  box->src[box->rank] = src_stride;
  box->dst[box->rank++] = dst_stride;
}

// Row-major strides of a shape.
void dvp_strides(const int64_t *dims, int rank, int64_t *out_strides);

// Bytes of an element in memory: 24 for strings. 0 when elements cannot be copied here (resources, variants),
// which is reported as UNIMPLEMENTED.
size_t dvp_element_bytes(dvp_call *call, TF_DataType dtype);

// Copies the box; `src` and `dst` point at the element with index 0. Strings are copied deeply into dst,
// which holds valid strings.
void dvp_box_copy(dvp_call *call, const dvp_box *box, TF_DataType dtype, const void *src, void *dst);

#endif  // DOVETAIL_PLUGINS_COMMON_STRIDED_H_
