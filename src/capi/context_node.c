// include/dovetail/kernel_context.h: the kernel's node and its device.
#include "capi/buffer.h"
#include "capi/context_error.h"
#include "dovetail/kernel_context.h"
#include "kernel/context.h"

static TF_StringView view(dvt_str s) { return (TF_StringView){s.data, s.len}; }

TF_StringView TF_OpKernelContext_TypeString(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->node->op->name);
}

TF_StringView TF_OpKernelContext_RequestedDevice(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->node->device);
}

TF_StringView TF_OpKernelContext_DeviceType(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? view(DVT_STR("")) : view(ctx->kernel->device->type);
}

TF_Buffer *TF_OpKernelContext_GetNodeDef(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  dvt_buf buf = {0};
  dvt_status error;
  dvt_node_to_proto(ctx->kernel->node, ctx->kernel->input_names, ctx->kernel->device->name, &buf);
  TF_Buffer *buffer = dvt_buf_hand_out(&buf, &error);
  dvt_context_answer(ctx, error, status);
  return buffer;
}

// DeviceAttributes: 1 name, 2 device_type, 4 memory_limit, 6 incarnation (fixed64).
TF_Buffer *TF_OpKernelContext_GetDeviceAttributes(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  const dvt_device *device = ctx->kernel->device;
  dvt_buf buf = {0};
  dvt_status error;
  dvt_wire_put_bytes(&buf, 1, device->name);
  dvt_wire_put_bytes(&buf, 2, device->type);
  dvt_wire_put_varint(&buf, 4, (uint64_t)device->memory_bytes);
  dvt_wire_put_fixed64(&buf, 6, device->incarnation);
  TF_Buffer *buffer = dvt_buf_hand_out(&buf, &error);
  dvt_context_answer(ctx, error, status);
  return buffer;
}

bool TF_OpKernelContext_IsExpensive(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? false : !ctx->view || ctx->view->is_expensive(ctx);
}
