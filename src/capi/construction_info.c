// include/dovetail/kernel_construction.h: what a create function may ask about its node's inputs and outputs,
// device and graph, its own status, and memory. Attributes are in construction_attrs.c.
#include <stdio.h>

#include "base/log.h"
#include "capi/buffer.h"
#include "capi/construction.h"
#include "dovetail/kernel_construction.h"
#include "exec/session.h"
#include "kernel/signature.h"

static TF_StringView view(dvt_str s) { return (TF_StringView){s.data, s.len}; }

// ---- inputs and outputs ----

int TF_OpKernelConstruction_NumInputs(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->node->input_count;
}
int TF_OpKernelConstruction_NumOutputs(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->node->output_count;
}

static dvt_status check_index(const char *what, int i, int count) {
  if (i >= 0 && i < count) return NULL;
  return dvt_error(TF_OUT_OF_RANGE, "%s index %d out of range, the node has %d", what, i, count);
}

TF_DataType TF_OpKernelConstruction_InputType(TF_OpKernelConstruction *ctx, int i, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return (TF_DataType)0;
  dvt_status error = check_index("input", i, ctx->kernel->node->input_count);
  TF_DataType type = error ? (TF_DataType)0 : (TF_DataType)dvt_kernel_input_type(ctx->kernel, i);
  dvt_construction_finish(ctx, NULL, error, status);
  return type;
}

TF_DataType TF_OpKernelConstruction_OutputType(TF_OpKernelConstruction *ctx, int i, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return (TF_DataType)0;
  dvt_status error = check_index("output", i, ctx->kernel->node->output_count);
  TF_DataType type = error ? (TF_DataType)0 : (TF_DataType)dvt_kernel_output_type(ctx->kernel, i);
  dvt_construction_finish(ctx, NULL, error, status);
  return type;
}

void TF_OpKernelConstruction_InputTypes(TF_OpKernelConstruction *ctx, TF_DataType *types, int max_types) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return;
  for (int i = 0; i < DVT_MIN(max_types, ctx->kernel->node->input_count); i++)
    types[i] = (TF_DataType)dvt_kernel_input_type(ctx->kernel, i);
}

void TF_OpKernelConstruction_OutputTypes(TF_OpKernelConstruction *ctx, TF_DataType *types, int max_types) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return;
  for (int i = 0; i < DVT_MIN(max_types, ctx->kernel->node->output_count); i++)
    types[i] = (TF_DataType)dvt_kernel_output_type(ctx->kernel, i);
}

bool TF_OpKernelConstruction_IsHostMemoryInput(TF_OpKernelConstruction *ctx, int i, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return false;
  const dvt_kernel *kernel = ctx->kernel;
  dvt_status error = check_index("input", i, kernel->node->input_count);
  bool is_host = !error && kernel->host_memory_inputs && kernel->host_memory_inputs[i];
  dvt_construction_finish(ctx, NULL, error, status);
  return is_host;
}

bool TF_OpKernelConstruction_IsHostMemoryOutput(TF_OpKernelConstruction *ctx, int i, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return false;
  const dvt_kernel *kernel = ctx->kernel;
  dvt_status error = check_index("output", i, kernel->node->output_count);
  bool is_host = !error && kernel->host_memory_outputs && kernel->host_memory_outputs[i];
  dvt_construction_finish(ctx, NULL, error, status);
  return is_host;
}

void TF_OpKernelConstruction_MatchSignature(TF_OpKernelConstruction *ctx, const TF_DataType *inputs,
                                            int num_inputs, const TF_DataType *outputs, int num_outputs,
                                            TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_construction_finish(
      ctx, NULL, dvt_node_match_signature(ctx->kernel->node, inputs, num_inputs, outputs, num_outputs),
      status);
}

// ---- status ----

void TF_OpKernelConstruction_GetStatus(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(dvt_status_clone(ctx->status), status);
}

void TF_OpKernelConstruction_FailureWithWarning(TF_OpKernelConstruction *ctx, const char *file, int line,
                                                TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return;
  const dvt_node_def *node = ctx->kernel->node;
  dvt_status error = dvt_status_from_tf(status);
  if (!error) return;
  char place[32] = "";
  if (file) snprintf(place, sizeof place, ":%d: ", line);
  dvt_log(DVT_WARNING,
          "%s%sthe kernel of op '" DVT_STR_FMT "' could not be made: %s\n\t [[{{node " DVT_STR_FMT "}}]]",
          file ? file : "", place, DVT_STR_ARG(node->op->name), dvt_status_message(error),
          DVT_STR_ARG(node->name));
  if (ctx->status)
    dvt_status_free(error);
  else
    ctx->status = error;
}

// ---- device and memory ----

TF_StringView TF_OpKernelConstruction_GetDeviceName(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->device->name);
}
TF_StringView TF_OpKernelConstruction_GetDeviceType(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->device->type);
}
int TF_OpKernelConstruction_GetDeviceId(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->device->ordinal;
}

static dvt_status allocate(TF_DataType dtype, const int64_t *dims, int num_dims,
                           const TF_AllocatorAttributes *attrs, TF_Tensor **out_tensor) {
  if (attrs && attrs->struct_size == 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "TF_AllocatorAttributes struct size member must be set to "
                     "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE");
  if (!dvt_dtype_is_valid((int)dtype))
    return dvt_error(TF_INVALID_ARGUMENT, "a tensor of unknown type %d was asked for", (int)dtype);
  if (num_dims > 0 && !dims)
    return dvt_error(TF_INVALID_ARGUMENT, "the shape is NULL, but %d dimensions were announced", num_dims);
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_status status = dvt_tensor_init_allocate(handle, (int)dtype, dims, num_dims);
  if (status)
    dvt_tensor_handle_delete(handle);
  else
    *out_tensor = handle;
  return status;
}

TF_Tensor *TF_OpKernelConstruction_AllocateTemp(TF_OpKernelConstruction *ctx, TF_DataType dtype,
                                                const int64_t *dims, int num_dims,
                                                TF_AllocatorAttributes *alloc_attrs, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_construction_finish(ctx, NULL, allocate(dtype, dims, num_dims, alloc_attrs, &handle), status);
  return handle;
}

// ---- graph and session ----

int TF_OpKernelConstruction_GetGraphDefVersion(TF_OpKernelConstruction *ctx) {
  return dvt_construction_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->graph_def_version;
}

// Ends a function that fills the caller's buffer.
static void finish_buffer(const TF_OpKernelConstruction *ctx, dvt_status error, dvt_buf *bytes,
                          TF_Buffer *out_buffer, TF_Status *status) {
  if (error)
    dvt_buf_deinit(bytes);
  else
    error = dvt_buf_to_tf_buffer(bytes, out_buffer);
  dvt_construction_finish(ctx, NULL, error, status);
}

void TF_OpKernelConstruction_GetSerializedFunctionDefLibrary(TF_OpKernelConstruction *ctx,
                                                             TF_Buffer *serialized_function_def_library,
                                                             TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_buf buf = {0};
  dvt_status error = ctx->session ? dvt_session_function_library(ctx->session, &buf) : NULL;
  finish_buffer(ctx, error, &buf, serialized_function_def_library, status);
}

void TF_OpKernelConstruction_GetSerializedConfigProto(TF_OpKernelConstruction *ctx,
                                                      TF_Buffer *serialized_config_proto, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_buf buf = {0};
  if (ctx->session) dvt_buf_append_str(&buf, dvt_session_config_proto(ctx->session));
  finish_buffer(ctx, NULL, &buf, serialized_config_proto, status);
}
