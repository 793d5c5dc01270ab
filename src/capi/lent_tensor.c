// Handles for callbacks that may or may not delete them; see lent_tensor.h.
#include "capi/lent_tensor.h"

static void release_lender(void *data, size_t bytes, void *arg) {
  (void)data;
  (void)bytes;
  dvt_buffer_release(arg);
}

dvt_status dvt_tensor_lend(const TF_Tensor *tensor, dvt_lent_tensor *out_lent) {
  dvt_buffer *wrapper = dvt_buffer_adopt(tensor->data, tensor->buffer->bytes, release_lender,
                                         dvt_buffer_retain(tensor->buffer));
  TF_Tensor *handle = wrapper ? dvt_tensor_handle_new() : NULL;
  if (!handle) {
    dvt_buffer_release(wrapper);
    return dvt_error_out_of_memory(sizeof *handle);
  }
  dvt_status status = dvt_tensor_init_with_buffer(handle, tensor->dtype, dvt_tensor_dims(tensor),
                                                  tensor->rank, dvt_buffer_retain(wrapper));
  if (status) {
    dvt_tensor_handle_delete(handle);
    dvt_buffer_release(wrapper);
    return status;
  }
  *out_lent = (dvt_lent_tensor){handle, wrapper};
  return NULL;
}

void dvt_tensor_take_back(TF_OpKernelContext *ctx, dvt_lent_tensor *lent) {
  if (!lent->wrapper) return;
  int others = atomic_load(&lent->wrapper->refs) - 1;
  for (int i = 0; i < ctx->output_count; i++)
    if (ctx->outputs[i].is_set && ctx->outputs[i].tensor.buffer == lent->wrapper) others--;
  if (others > 0) dvt_tensor_handle_delete(lent->handle);
  dvt_buffer_release(lent->wrapper);
}
