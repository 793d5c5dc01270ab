// How the functions of kernel_context.h end.
#ifndef DVT_CAPI_CONTEXT_ERROR_H_
#define DVT_CAPI_CONTEXT_ERROR_H_

#include "kernel/checked.h"

// The error (consumed) with op and node named unless the message does so already; NULL stays NULL.
static inline dvt_status dvt_kernel_error(const dvt_kernel *kernel, dvt_status error) {
  if (DVT_LIKELY(error == NULL) || strstr(dvt_status_message(error), "{{node ")) return error;
  return dvt_status_annotate(error, ", for op '" DVT_STR_FMT "'\n\t [[{{node " DVT_STR_FMT "}}]]",
                             DVT_STR_ARG(kernel->def->op), DVT_STR_ARG(kernel->node->name));
}

// Stores such an error; OK when it is NULL. Consumes it.
static inline void dvt_context_answer(const TF_OpKernelContext *ctx, dvt_status error, TF_Status *status) {
  dvt_status_to_tf(dvt_kernel_error(ctx->kernel, error), status);
}

#endif  // DVT_CAPI_CONTEXT_ERROR_H_
