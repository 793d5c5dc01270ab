// What lists, arrays and optionals are made of: partly known shapes, and tensors that several of them share.
// Also copying elements of any dtype between tensors, and joining pieces into an output.
#ifndef DOVETAIL_PLUGINS_LIST_ELEMENT_H_
#define DOVETAIL_PLUGINS_LIST_ELEMENT_H_

#include "common/call.h"
#include "dovetail/kernel_construction.h"
#include "dovetail/object.h"

// ---- partly known shapes ----

typedef struct dvl_shape {
  int rank;                    // -1: unknown
  int64_t dims[DVP_MAX_RANK];  // -1: unknown
} dvl_shape;

// Input `index` as a shape: a vector of int32 or int64, or the scalar -1 for any shape.
bool dvl_shape_input(dvp_call *call, int index, dvl_shape *out);
// Attribute `name` of kind shape. Fails the construction.
void dvl_shape_attr(TF_OpKernelConstruction *ctx, const char *name, dvl_shape *out);
bool dvl_shape_is_full(const dvl_shape *shape);
// Whether a tensor of these dims can be one of `shape`.
bool dvl_shape_fits(const dvl_shape *shape, const int64_t *dims, int rank);
// Adds to *shape what `dims` knows; false, and *shape is unchanged, when they contradict each other.
bool dvl_shape_merge(dvl_shape *shape, const int64_t *dims, int rank);
void dvl_shape_of(const TF_Tensor *tensor, dvl_shape *out);
// The shape behind dimension 0, which must exist.
void dvl_shape_tail(const dvl_shape *shape, dvl_shape *out);
const char *dvl_shape_text(const dvl_shape *shape, char out[DVP_SHAPE_TEXT]);

// ---- tensors that are shared ----

typedef struct dvl_item dvl_item;
// Takes over the tensor, also on failure. NULL after a failure.
dvl_item *dvl_item_new(dvp_call *call, TF_Tensor *tensor);
// The tensor of input `index` itself, not a copy.
dvl_item *dvl_item_input(dvp_call *call, int index);
// A copy of the elements from `first` on.
dvl_item *dvl_item_part(dvp_call *call, const TF_Tensor *from, int64_t first, const int64_t *dims, int rank);
dvl_item *dvl_item_share(dvl_item *item);    // accepts NULL
void dvl_item_release(dvl_item *item);       // accepts NULL
TF_Tensor *dvl_item_tensor(dvl_item *item);  // the item's, not the caller's

// ---- elements ----

// New tensors of zeros: empty strings, objects that hold nothing. NULL after a failure.
TF_Tensor *dvl_zeros(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank);
bool dvl_output_zeros(dvp_call *call, int index, const int64_t *dims, int rank);

// A part of what dvl_output_join puts together.
typedef struct dvl_piece {
  const TF_Tensor *tensor;  // NULL: zeros
  int64_t count;            // elements
} dvl_piece;
// Output `index` of shape `dims` holds the pieces one after the other. INVALID_ARGUMENT when their elements
// are not as many.
bool dvl_output_join(dvp_call *call, int index, const int64_t *dims, int rank, const dvl_piece *pieces,
                     int64_t piece_count);

// As dvt_tensor_fn: x + y, and zeros like x; for elements of any dtype that has such an operation.
TF_Tensor *dvl_add_fn(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *x, const TF_Tensor *y,
                      TF_Status *status);
TF_Tensor *dvl_zeros_fn(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *x, const TF_Tensor *unused,
                        TF_Status *status);

#endif  // DOVETAIL_PLUGINS_LIST_ELEMENT_H_
