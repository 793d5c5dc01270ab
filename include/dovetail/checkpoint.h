// Writing checkpoints in the TensorBundle format, beside the stock reader of tensorflow/c/c_api_experimental.h.
#ifndef DOVETAIL_CHECKPOINT_H_
#define DOVETAIL_CHECKPOINT_H_

#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes `count` tensors under their names to PREFIX.data-00000-of-00001 and PREFIX.index, in this order, so that a reader
// finds an old checkpoint, none, or the whole new one. The prefix's folder is made if only its last level is missing.
// Owner: everything stays the caller's. Threads: any; two writers of one prefix must take turns.
// Errors: INVALID_ARGUMENT (a NULL, an empty or repeated name, a tensor of resource or variant), those of the file system.
// Since: dovetail
DVT_EXPORT void dvt_checkpoint_save(const char *prefix, const char *const *names, const TF_Tensor *const *tensors,
                                    int count, TF_Status *status);

// Where a tensor lies in a larger one of shape `dims`: `size` elements from `begin` along each of `rank` dimensions.
typedef struct dvt_checkpoint_slice {
  int rank;
  const int64_t *dims, *begin, *size;
} dvt_checkpoint_slice;

// As dvt_checkpoint_save; tensor i is slices[i] of the tensor names[i], or all of it where that is NULL. A name may stand for
// several slices. Readers put them together; they must not overlap.
// Errors: also INVALID_ARGUMENT for a slice that is not within its dims, has not the tensor's shape or is given twice, and for
// slices of one name that differ in dims or dtype. Since: dovetail
DVT_EXPORT void dvt_checkpoint_save_slices(const char *prefix, const char *const *names, const TF_Tensor *const *tensors,
                                           const dvt_checkpoint_slice *const *slices, int count, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_CHECKPOINT_H_
