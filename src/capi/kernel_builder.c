// Registering kernels: TF_NewKernelBuilder to TF_RegisterKernelBuilder, and the lists of what is registered.
#include "base/buf.h"
#include "base/handles.h"
#include "capi/buffer.h"
#include "kernel/builder.h"
#include "plugin/plugin.h"
#include "tensor/dtype.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"

static TF_KernelBuilder *new_builder(const char *op_name, const char *device_name,
                                     void *(*create)(TF_OpKernelConstruction *), void (*destroy)(void *)) {
  TF_KernelBuilder *builder = dvt_kernel_builder_new(dvt_str_from(op_name), dvt_str_from(device_name));
  if (!builder) return NULL;
  dvt_handle_made(builder, DVT_HANDLE_KERNEL_BUILDER);
  builder->def.create = create;
  builder->def.destroy = destroy;
  return builder;
}

TF_KernelBuilder *TF_NewKernelBuilder(const char *op_name, const char *device_name,
                                      void *(*create_func)(TF_OpKernelConstruction *ctx),
                                      void (*compute_func)(void *kernel, TF_OpKernelContext *ctx),
                                      void (*delete_func)(void *kernel)) {
  TF_KernelBuilder *builder = new_builder(op_name, device_name, create_func, delete_func);
  if (builder) builder->def.compute = compute_func;
  return builder;
}

TF_KernelBuilder *TF_NewAsyncKernelBuilder(const char *op_name, const char *device_name,
                                           void *(*create_func)(TF_OpKernelConstruction *ctx),
                                           void (*compute_async_func)(void *kernel, TF_OpKernelContext *ctx,
                                                                      TF_AsyncOpKernelDoneCallback *done),
                                           void (*delete_func)(void *kernel)) {
  TF_KernelBuilder *builder = new_builder(op_name, device_name, create_func, delete_func);
  if (builder) builder->def.compute_async = compute_async_func;
  return builder;
}

static bool is_good(const TF_KernelBuilder *builder, const char *function) {
  return builder && !dvt_handle_is_bad(builder, DVT_HANDLE_KERNEL_BUILDER, function);
}

// May the function end the builder's life? Debug mode knows of builders that were registered or deleted.
static dvt_status take(const TF_KernelBuilder *builder, const char *function) {
  if (!builder || dvt_handle_may_delete(builder, DVT_HANDLE_KERNEL_BUILDER, function)) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION, "%s: the builder was registered or deleted before", function);
}

void TF_DeleteKernelBuilder(TF_KernelBuilder *builder) {
  dvt_status error = take(builder, __func__);
  if (!error) dvt_kernel_builder_delete(builder);
  dvt_status_free(error);
}

// Stock's set: every type up to UINT64; the eight-bit floats and the packed integers came later and are not
// in it.
static bool is_constrainable(int dtype) { return dtype >= TF_FLOAT && dtype <= TF_UINT64; }

static dvt_status add_type_constraint(TF_KernelBuilder *builder, const char *attr_name, int dtype) {
  if (!is_good(builder, "TF_KernelBuilder_TypeConstraint"))
    return dvt_error(TF_INVALID_ARGUMENT, "TF_KernelBuilder_TypeConstraint: the builder is %s",
                     builder ? "registered or deleted already" : "NULL");
  if (!attr_name)
    return dvt_error(TF_INVALID_ARGUMENT, "TF_KernelBuilder_TypeConstraint: the attr name is NULL");
  if (!is_constrainable(dtype))
    return dvt_error(TF_UNIMPLEMENTED,
                     "Unexpected type %d: kernels can be constrained to types 1 (float) to 23 (uint64)",
                     dtype);
  uint8_t allowed = (uint8_t)dtype;
  dvt_kernel_builder_add_constraint(builder, dvt_str_from(attr_name), &allowed, 1);
  return NULL;
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder, const char *attr_name,
                                     TF_DataType type, TF_Status *status) {
  dvt_status_to_tf(add_type_constraint(kernel_builder, attr_name, (int)type), status);
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder, const char *arg_name) {
  if (is_good(kernel_builder, __func__))
    dvt_kernel_builder_add_host_memory(kernel_builder, dvt_str_from(arg_name));
}

void TF_KernelBuilder_Priority(TF_KernelBuilder *kernel_builder, int32_t priority_number) {
  if (is_good(kernel_builder, __func__)) kernel_builder->def.priority = priority_number;
}

void TF_KernelBuilder_Label(TF_KernelBuilder *kernel_builder, const char *label) {
  if (is_good(kernel_builder, __func__)) dvt_kernel_builder_set_label(kernel_builder, dvt_str_from(label));
}

// Constructors of plugins rarely look at the status: the load that runs them must fail all the same.
static void report(dvt_status error, TF_Status *status) {
  if (DVT_UNLIKELY(error != NULL)) dvt_plugin_note_error(error);
  dvt_status_to_tf(error, status);
}

void TF_RegisterKernelBuilder(const char *kernel_name, TF_KernelBuilder *builder, TF_Status *status) {
  dvt_status error = take(builder, __func__);
  if (!error) error = dvt_kernel_register(builder, dvt_str_from(kernel_name));
  report(error, status);
}

static dvt_status register_with_def(const char *serialized_kernel_def, const char *name,
                                    TF_KernelBuilder *builder) {
  dvt_status error = NULL;
  if (serialized_kernel_def && builder)
    error = dvt_kernel_builder_set_proto(builder, dvt_str_from(serialized_kernel_def));
  if (!error) return dvt_kernel_register(builder, dvt_str_from(name));
  dvt_kernel_builder_delete(builder);
  return error;
}

void TF_RegisterKernelBuilderWithKernelDef(const char *serialized_kernel_def, const char *name,
                                           TF_KernelBuilder *builder, TF_Status *status) {
  dvt_status error = take(builder, __func__);
  if (!error) error = register_with_def(serialized_kernel_def, name, builder);
  report(error, status);
}

static TF_Buffer *kernel_list(dvt_str op, TF_Status *status) {
  dvt_buf list = {0};
  dvt_kernel_list_proto(op, &list);
  TF_Buffer *buffer = TF_NewBuffer();
  if (!buffer) {
    dvt_buf_deinit(&list);
    dvt_status_to_tf(dvt_error_out_of_memory(sizeof *buffer), status);
    return NULL;
  }
  dvt_status error = dvt_buf_to_tf_buffer(&list, buffer);
  if (error) {
    TF_DeleteBuffer(buffer);
    buffer = NULL;
  }
  dvt_status_to_tf(error, status);
  return buffer;
}

TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status) {
  dvt_plugin_autoload_init();
  dvt_str op = dvt_str_from(name);
  if (op.len == 0) {
    dvt_status_to_tf(NULL, status);
    return TF_NewBuffer();
  }
  dvt_plugin_autoload(op);
  return kernel_list(op, status);
}

TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status) {
  dvt_plugin_autoload_init();
  dvt_op_registry_load_all();
  return kernel_list((dvt_str){0}, status);
}
