// include/dovetail/plugin.h: loops on the step's thread pool, lasting memory and handles of variables, for
// kernels.
#include "dovetail/plugin.h"

#include "base/buf.h"
#include "capi/object.h"
#include "kernel/checked.h"
#include "kernel/context.h"

void dvt_parallel_for(TF_OpKernelContext *ctx, int64_t total, int64_t cost_per_unit_ns,
                      void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  dvt_status failure = dvt_pool_parallel_for(ctx->step->pool, total, cost_per_unit_ns, fn, arg);
  if (DVT_UNLIKELY(failure != NULL)) dvt_status_free(dvt_context_misuse(ctx, failure));
}

int dvt_num_threads(TF_OpKernelContext *ctx) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return 0;
  return ctx->step->pool ? dvt_pool_threads(ctx->step->pool) : 1;
}

bool dvt_input_is_stable(TF_OpKernelContext *ctx, int index) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return false;
  return ctx->stable_inputs && index >= 0 && index < ctx->input_count && ctx->stable_inputs[index];
}

TF_Tensor *dvt_allocate_lasting(size_t bytes) {
  int64_t dim = (int64_t)bytes;
  TF_Tensor *tensor = bytes > INT64_MAX ? NULL : dvt_tensor_handle_new();
  if (!tensor) return NULL;
  dvt_status status = dvt_tensor_init_lasting(tensor, TF_UINT8, &dim, 1);
  if (!status) return tensor;
  dvt_status_free(status);
  dvt_tensor_handle_delete(tensor);
  return NULL;
}

typedef struct new_variable {
  dvt_str container, name;
  int dtype;
} new_variable;

static dvt_status make_variable(void *arg, dvt_object **out_object) {
  const new_variable *wanted = arg;
  dvt_buf text = {0};
  dvt_buf_append_str(&text, wanted->container);
  dvt_buf_append_byte(&text, '/');
  dvt_buf_append_str(&text, wanted->name);
  dvt_status status = text.failed ? dvt_error_out_of_memory(text.len)
                                  : dvt_variable_create(dvt_buf_str(&text), wanted->dtype, out_object);
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status find_variable(dvt_resource_manager *manager, new_variable *wanted,
                                dvt_object **out_object) {
  if (wanted->dtype != 0 && !dvt_dtype_is_valid(wanted->dtype))
    return dvt_error(TF_INVALID_ARGUMENT, "a variable of unknown type %d was asked for", wanted->dtype);
  if (wanted->container.len == 0) wanted->container = DVT_STR(DVT_DEFAULT_CONTAINER);
  if (wanted->name.len == 0) {
    wanted->name = DVT_STR("<anonymous>");
    return make_variable(wanted, out_object);
  }
  return dvt_resource_lookup(manager, wanted->container, wanted->name, &dvt_variable_type, make_variable,
                             wanted, out_object);
}

dvt_status dvt_wanted_variable_handle(dvt_resource_manager *manager, dvt_str container, dvt_str name,
                                      int dtype, TF_Tensor **out_handle) {
  new_variable wanted = {container, name, dtype};
  dvt_object *object = NULL;
  DVT_RETURN_IF_ERROR(find_variable(manager, &wanted, &object));
  return dvt_object_hand_out(object, out_handle);
}

TF_Tensor *dvt_variable_handle(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                               const char *name, size_t name_bytes, TF_DataType dtype, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status_to_tf(dvt_wanted_variable_handle(ctx->step->resources, dvt_str_make(container, container_bytes),
                                              dvt_str_make(name, name_bytes), (int)dtype, &handle),
                   status);
  return handle;
}

static dvt_status variable_value(TF_OpKernelContext *ctx, int index, TF_Tensor **out_tensor) {
  dvt_variable *variable = NULL;
  TF_Tensor value = {0};
  DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, index, &variable));
  DVT_RETURN_IF_ERROR(dvt_variable_read(variable, &value));
  *out_tensor = dvt_tensor_handle_copy(&value);
  dvt_tensor_reset(&value);
  return *out_tensor ? NULL : dvt_error_out_of_memory(sizeof **out_tensor);
}

TF_Tensor *dvt_variable_value(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *value = NULL;
  dvt_status_to_tf(variable_value(ctx, index, &value), status);
  return value;
}

bool dvt_variable_is_initialized(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_variable *variable = NULL;
  dvt_status error = dvt_context_variable(ctx, index, &variable);
  bool is_set = !error && dvt_variable_has_value(variable);
  dvt_status_to_tf(error, status);
  return is_set;
}
