// How the functions of kernel_context.h end.
#ifndef DVT_CAPI_CONTEXT_ERROR_H_
#define DVT_CAPI_CONTEXT_ERROR_H_

#include "kernel/kernel.h"

// Stores the error, with op and node named unless the message does so already; OK when it is NULL. Consumes
// it.
static inline void dvt_context_answer(const TF_OpKernelContext *ctx, dvt_status error, TF_Status *status) {
  if (DVT_UNLIKELY(error != NULL) && !strstr(dvt_status_message(error), "{{node "))
    error = dvt_status_annotate(error, ", for op '" DVT_STR_FMT "'\n\t [[{{node " DVT_STR_FMT "}}]]",
                                DVT_STR_ARG(ctx->kernel->def->op), DVT_STR_ARG(ctx->kernel->node->name));
  dvt_status_to_tf(error, status);
}

#endif  // DVT_CAPI_CONTEXT_ERROR_H_
