// Tensors lent to callbacks of plugins. Releases of stock differ in whether the callback or the host deletes
// the tensors given to it. A lent handle stands on a buffer of its own, over the memory of the tensor, whose
// references tell afterwards whether the callback has deleted the handle.
#ifndef DVT_CAPI_LENT_TENSOR_H_
#define DVT_CAPI_LENT_TENSOR_H_

#include "kernel/kernel.h"

typedef struct dvt_lent_tensor {
  TF_Tensor *handle;    // what the callback is given
  dvt_buffer *wrapper;  // our reference
} dvt_lent_tensor;

dvt_status dvt_tensor_lend(const TF_Tensor *tensor, dvt_lent_tensor *out_lent) DVT_NODISCARD;
// After the callback; deletes the handle if the callback has not. A zeroed `lent` is accepted.
void dvt_tensor_take_back(TF_OpKernelContext *ctx, dvt_lent_tensor *lent);

#endif  // DVT_CAPI_LENT_TENSOR_H_
