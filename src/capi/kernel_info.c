// What a running kernel can ask about its node, step, device and surroundings.
#include "base/handles.h"
#include "capi/buffer.h"
#include "kernel/checked.h"
#include "kernel/context.h"
#include "tensorflow/c/kernels.h"

static TF_StringView view(dvt_str s) { return (TF_StringView){s.data, s.len}; }

TF_StringView TF_GetOpKernelName(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->node->name);
}

TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext *ctx, size_t index) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return (TF_StringView){"", 0};
  if (index < (size_t)ctx->input_count)
    return view(ctx->kernel->input_names ? ctx->kernel->input_names[index] : DVT_STR(""));
  dvt_status_free(dvt_context_misuse(
      ctx, dvt_error(TF_OUT_OF_RANGE,
                     "TF_GetOpKernelRequestedInput: input index %zu out of range, the node has %d inputs",
                     index, (int)ctx->input_count)));
  return view(DVT_STR(""));
}

int64_t TF_StepId(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->step->id;
}
int64_t TF_GetStepId(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->step->id;
}
uint64_t TF_GetFrameId(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->frame_id;
}
int64_t TF_GetIterId(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->iteration_id;
}
int TF_GetDeviceId(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->device->ordinal;
}
TF_StringView TF_GetDeviceName(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->device->name);
}
int TF_GetGraphDefVersion(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : ctx->kernel->graph_def_version;
}

TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext *ctx) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return (TF_StringView){"", 0};
  (void)ctx;
  return view(DVT_STR(DVT_DEFAULT_CONTAINER));
}

SP_Stream TF_GetStream(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  dvt_status_to_tf(dvt_error(TF_FAILED_PRECONDITION,
                             "TF_GetStream is not supported for a " DVT_STR_FMT
                             " device. Run the work of this kernel in compute itself",
                             DVT_STR_ARG(ctx->kernel->device->type)),
                   status);
  return NULL;
}

void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext *ctx, TF_Buffer *serialized_function_def_library,
                                        TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_buf buf = {0};
  const dvt_step *step = ctx->step;
  dvt_status error = step->function_library ? step->function_library(step->function_library_arg, &buf) : NULL;
  if (error)
    dvt_buf_deinit(&buf);
  else
    error = dvt_buf_to_tf_buffer(&buf, serialized_function_def_library);
  dvt_status_to_tf(error, status);
}

void TF_GetSerializedConfigProto(TF_OpKernelContext *ctx, TF_Buffer *serialized_config_proto,
                                 TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_buf buf = {0};
  dvt_buf_append_str(&buf, ctx->step->config_proto);
  dvt_status_to_tf(dvt_buf_to_tf_buffer(&buf, serialized_config_proto), status);
}

// ResourceHandleProto: 1 device, 2 container, 3 name, 4 hash_code, 5 maybe_type_name. The hash code is the
// object's address: unique while the object lives, and nobody computes with it.
static dvt_status resource_handle(TF_OpKernelContext *ctx, int i, dvt_buf *out) {
  if (i < 0 || i >= ctx->input_count)
    return dvt_error(TF_OUT_OF_RANGE, "input index out of range: %d, the node has %d inputs", i,
                     (int)ctx->input_count);
  const TF_Tensor *input = ctx->inputs[i];
  if (!input || input->dtype != TF_RESOURCE || !dvt_tensor_holds_objects(input) ||
      input->buffer->bytes < sizeof(void *))
    return dvt_error(TF_INVALID_ARGUMENT, "input %d of {{node " DVT_STR_FMT "}} is no resource handle", i,
                     DVT_STR_ARG(ctx->kernel->node->name));
  const dvt_object *object = *(dvt_object *const *)input->data;
  if (!object)
    return dvt_error(TF_INVALID_ARGUMENT, "the resource handle in input %d refers to no resource", i);
  dvt_str container = DVT_STR(DVT_DEFAULT_CONTAINER), name = DVT_STR("");
  if (object->type == &dvt_variable_type) {
    name = dvt_str_from(((const dvt_variable *)object)->name);
    size_t slash = dvt_str_find(name, '/');
    if (slash < name.len) {
      container = dvt_str_make(name.data, slash);
      name = dvt_str_drop(name, slash + 1);
    }
  }
  dvt_wire_put_bytes(out, 1, ctx->kernel->device->name);
  dvt_wire_put_bytes(out, 2, container);
  dvt_wire_put_bytes(out, 3, name);
  dvt_wire_put_varint(out, 4, (uint64_t)(uintptr_t)object);
  dvt_wire_put_bytes(out, 5, dvt_str_from(object->type->name));
  return NULL;
}

void TF_GetSerializedResourceHandleProto(TF_OpKernelContext *ctx, int i,
                                         TF_Buffer *serialized_resource_handle_proto, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_buf buf = {0};
  dvt_status error = resource_handle(ctx, i, &buf);
  if (error)
    dvt_buf_deinit(&buf);
  else
    error = dvt_buf_to_tf_buffer(&buf, serialized_resource_handle_proto);
  dvt_status_to_tf(error, status);
}

void TF_IncNumDeferredOps(TF_OpKernelContext *context) {
  if (dvt_context_refuses(context, __func__, NULL)) return;
  dvt_step_defer(context->step);
}
// The one function for after compute.
void TF_DecNumDeferredOps(TF_OpKernelContext *context) {
  if (!dvt_handle_is_known(context, DVT_HANDLE_CONTEXT, __func__)) return;
  dvt_step_undefer(DVT_UNLIKELY(context->checked != NULL) ? dvt_checked_step(context) : context->step);
}
