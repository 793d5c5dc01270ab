// Inputs, outputs and memory of a running kernel: TF_GetInput to TF_AllocateTemp, and the end of an async
// kernel. kernel/context.c does the work; what the node and the step know is in kernel_info.c.
#include "base/log.h"
#include "kernel/checked.h"
#include "kernel/context.h"
#include "tensorflow/c/kernels.h"

int TF_NumInputs(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->input_count;
}
int TF_NumOutputs(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->output_count;
}

void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  TF_Tensor *handle = NULL;
  dvt_status error = dvt_context_input(ctx, i, &handle);
  if (DVT_LIKELY(!error)) *tensor = handle;
  // A missing input leaves the status as it is.
  if (DVT_LIKELY(error || handle)) dvt_status_to_tf(error, status);
}

TF_DataType TF_InputDatatype(TF_OpKernelContext *ctx, int index) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return (TF_DataType)0;
  if (index >= 0 && index < ctx->input_count) return (TF_DataType)dvt_kernel_input_type(ctx->kernel, index);
  dvt_status_free(dvt_context_misuse(
      ctx, dvt_error(TF_OUT_OF_RANGE, "TF_InputDatatype: input index %d out of range, the node has %d inputs",
                     index, (int)ctx->input_count)));
  return (TF_DataType)0;
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return (TF_DataType)0;
  if (i >= 0 && i < ctx->output_count) return (TF_DataType)dvt_kernel_output_type(ctx->kernel, i);
  dvt_status_free(dvt_context_misuse(
      ctx, dvt_error(TF_OUT_OF_RANGE,
                     "TF_ExpectedOutputDataType: output index %d out of range, the node has %d outputs", i,
                     (int)ctx->output_count)));
  return (TF_DataType)0;
}

void TF_InputRange(TF_OpKernelContext *ctx, const char *name, TF_InputRange_Args *args) {
  if (dvt_context_refuses(ctx, __func__, args->status)) return;
  int start = -1, stop = -1;
  dvt_status error = dvt_node_input_range(ctx->kernel->node, dvt_str_from(name), &start, &stop);
  args->start = error ? -1 : start;
  args->stop = error ? -1 : stop;
  dvt_status_to_tf(error, args->status);
}

static bool host_memory(const uint8_t *flags, int count, int i, const char *what, TF_Status *status) {
  dvt_status error = NULL;
  if (i < 0 || i >= count)
    error = dvt_error(TF_OUT_OF_RANGE, "%s index out of range: %d, the node has %d here", what, i, count);
  bool is_host = !error && flags && flags[i];
  dvt_status_to_tf(error, status);
  return is_host;
}

bool TF_IsHostMemoryInput(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  return dvt_context_refuses(ctx, __func__, status)
             ? false
             : host_memory(ctx->kernel->host_memory_inputs, ctx->input_count, i, "input", status);
}

bool TF_IsHostMemoryOutput(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  return dvt_context_refuses(ctx, __func__, status)
             ? false
             : host_memory(ctx->kernel->host_memory_outputs, ctx->output_count, i, "output", status);
}

void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(dvt_context_set_output(ctx, i, tensor), status);
}

TF_Tensor *TF_GetMutableOutput(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status_to_tf(dvt_context_mutable_output(ctx, i, &handle), status);
  return handle;
}

// `dtype` and `len` are ignored, as in stock: the op's signature gives the dtype, the shape the length.
TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index, TF_DataType dtype, const int64_t *dims,
                             int num_dims, size_t len, TF_Status *status) {
  if (dvt_context_refuses(context, __func__, status)) return NULL;
  (void)dtype;
  (void)len;
  TF_Tensor *handle = NULL;
  dvt_status_to_tf(dvt_context_allocate_output(context, index, dims, num_dims, &handle), status);
  return handle;
}

TF_Tensor *TF_ForwardInputOrAllocateOutput(TF_OpKernelContext *context, const int *candidate_input_indices,
                                           int num_candidate_input_indices, int output_index,
                                           const int64_t *output_dims, int output_num_dims,
                                           int *forwarded_input, TF_Status *status) {
  if (dvt_context_refuses(context, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status_to_tf(
      dvt_context_forward_or_allocate(context, candidate_input_indices, num_candidate_input_indices,
                                      output_index, output_dims, output_num_dims, forwarded_input, &handle),
      status);
  return handle;
}

// On the CPU all memory is host memory, so `on_host` asks for nothing more.
TF_Tensor *TF_AllocateTemp(TF_OpKernelContext *context, TF_DataType dtype, const int64_t *dims, int num_dims,
                           TF_AllocatorAttributes *alloc_attrs, TF_Status *status) {
  if (dvt_context_refuses(context, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status error;
  if (alloc_attrs && alloc_attrs->struct_size == 0)
    error = dvt_error(TF_INVALID_ARGUMENT,
                      "TF_AllocatorAttributes struct size member must be set to "
                      "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE");
  else
    error = dvt_context_allocate_temp(context, (int)dtype, dims, num_dims, &handle);
  dvt_status_to_tf(error, status);
  return handle;
}

void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  dvt_context_fail(ctx, dvt_status_from_tf(status));
}

void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback *done) {
  if (!done) return;
  if (atomic_fetch_add(&done->runs, 1) > 0) {
    // The executor may have freed all else of that execution, but neither the object nor the kernel.
    const dvt_kernel *kernel = done->kernel;
    dvt_str plugin = dvt_kernel_plugin_name(kernel);
    dvt_log(DVT_ERROR,
            "TF_RunAsyncOpKernelDoneCallback was called more than once for the same execution of "
            "{{node " DVT_STR_FMT "}}, op '" DVT_STR_FMT "'%s" DVT_STR_FMT "; ignored",
            DVT_STR_ARG(kernel->node->name), DVT_STR_ARG(kernel->def->op), plugin.len ? " of plugin " : "",
            DVT_STR_ARG(plugin));
    return;
  }
  done->done(done->arg);
}
