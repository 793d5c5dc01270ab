// The part of kernels_experimental.h that is neither about updating variables (kernel_variables.c) nor about
// variants (object_variant.c): reference inputs, inputs by name, temporary variables.
#include "tensorflow/c/kernels_experimental.h"

#include "base/buf.h"
#include "kernel/checked.h"
#include "kernel/context.h"

bool TF_IsRefInput(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  bool in_range = i >= 0 && i < ctx->input_count;
  dvt_status_to_tf(in_range
                       ? NULL
                       : dvt_error(TF_OUT_OF_RANGE, "input index out of range: %d, the node has %d inputs", i,
                                   (int)ctx->input_count),
                   status);
  return in_range && dvt_context_input_is_ref(ctx, i);
}

static dvt_status input_by_name(TF_OpKernelContext *ctx, dvt_str name, TF_Tensor **out_tensor) {
  const dvt_node_def *node = ctx->kernel->node;
  int start, stop;
  DVT_RETURN_IF_ERROR(dvt_node_input_range(node, name, &start, &stop));
  if (stop != start + 1)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "OpKernel used list-valued input name '" DVT_STR_FMT
                     "' when single-valued input was expected; use TF_InputRange",
                     DVT_STR_ARG(name));
  if (dvt_context_input_is_ref(ctx, start))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "OpKernel used ref input name '" DVT_STR_FMT "' when non-ref input was expected",
                     DVT_STR_ARG(name));
  return dvt_context_input(ctx, start, out_tensor);
}

void TF_GetInputByName(TF_OpKernelContext *ctx, const char *inputName, TF_Tensor **tensor,
                       TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  TF_Tensor *handle = NULL;
  dvt_status error = input_by_name(ctx, dvt_str_from(inputName), &handle);
  if (!error) *tensor = handle;
  dvt_status_to_tf(error, status);
}

void TF_OpKernelContext_ForwardRefInputToRefOutput(TF_OpKernelContext *ctx, int32_t input_index,
                                                   int32_t output_index) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  dvt_status error;
  if (input_index < 0 || input_index >= ctx->input_count)
    error = dvt_error(TF_OUT_OF_RANGE, "input index out of range: %d, the node has %d inputs",
                      (int)input_index, (int)ctx->input_count);
  else if (!dvt_context_input_is_ref(ctx, input_index))
    return;
  else
    error = dvt_context_set_output_value(ctx, output_index, ctx->inputs[input_index]);
  dvt_context_fail(ctx, error);
}

// ---- temporary variables: they live in the step's container ----

// "name" or "name/frame:f/iter:i" in a loop.
static dvt_status temporary_name(const TF_OpKernelContext *ctx, const TF_StringView *name, dvt_buf *out) {
  dvt_buf_append(out, name->data, name->len);
  if (ctx->frame_id || ctx->iteration_id)
    dvt_buf_printf(out, "/frame:%llu/iter:%lld", (unsigned long long)ctx->frame_id,
                   (long long)ctx->iteration_id);
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}

static dvt_status give_object(void *arg, dvt_object **out_object) {
  *out_object = dvt_object_retain(arg);
  return NULL;
}

// Lets the plugin fill a fresh tensor and moves it into the variable.
static dvt_status allocate_value(TF_OpKernelContext *ctx, dvt_variable *variable, int dtype,
                                 const int64_t *dims, int num_dims,
                                 void (*allocate)(TF_OpKernelContext *, TF_Tensor *, TF_DataType,
                                                  const int64_t *, int, TF_Status *),
                                 TF_Status *status) {
  const int64_t none = 0;
  if (num_dims < 0 || num_dims > DVT_MAX_RANK || (num_dims > 0 && !dims))
    return dvt_error(TF_INVALID_ARGUMENT, "TF_TemporaryVariable: a shape of %d dimensions%s", num_dims,
                     dims ? "; at most 254 are possible" : " is given as NULL");
  if (!allocate) return dvt_tensor_init_allocate(&variable->value, dtype, dims, num_dims);
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_status error = dvt_tensor_init_allocate(handle, TF_FLOAT, &none, 1);
  if (!error) {
    allocate(ctx, handle, (TF_DataType)dtype, dims, num_dims, status);
    error = dvt_status_from_tf(status);
  }
  if (!error && handle->dtype != dtype)
    error = dvt_error(TF_INTERNAL,
                      "the plugin's allocator made a tensor of type %s for a temporary variable of type %s",
                      dvt_dtype_name(handle->dtype), dvt_dtype_name(dtype));
  if (!error) dvt_tensor_move(&variable->value, handle);
  dvt_tensor_handle_delete(handle);
  return error;
}

static dvt_status publish(TF_OpKernelContext *ctx, dvt_object *object, dvt_str name) {
  char container[DVT_STEP_CONTAINER_BYTES];
  dvt_object *stored = NULL;
  TF_Tensor reference = {0};
  DVT_RETURN_IF_ERROR(dvt_resource_lookup(ctx->step->resources, dvt_step_container(ctx->step, container),
                                          name, &dvt_variable_type, give_object, object, &stored));
  dvt_step_note_temporary(ctx->step);
  bool is_new = stored == object;
  dvt_object_release(stored);
  if (!is_new)
    return dvt_error(TF_ALREADY_EXISTS, "temporary variable '" DVT_STR_FMT "' exists already in this step",
                     DVT_STR_ARG(name));
  DVT_RETURN_IF_ERROR(dvt_resource_tensor(object, &reference));
  dvt_status status = dvt_context_set_output_value(ctx, 0, &reference);
  dvt_tensor_reset(&reference);
  return status;
}

void TF_TemporaryVariable(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims, int num_dims,
                          TF_StringView *var_name,
                          void (*plugin_allocator)(TF_OpKernelContext *, TF_Tensor *, TF_DataType,
                                                   const int64_t *, int, TF_Status *),
                          TF_Status *tf_status) {
  if (dvt_context_refuses(ctx, __func__, tf_status)) return;
  dvt_buf name = {0};
  dvt_object *object = NULL;
  dvt_status error = temporary_name(ctx, var_name, &name);
  if (!error) error = dvt_variable_create(dvt_buf_str(&name), (int)dtype, &object);
  if (!error)
    error =
        allocate_value(ctx, (dvt_variable *)object, (int)dtype, dims, num_dims, plugin_allocator, tf_status);
  if (!error) error = publish(ctx, object, dvt_buf_str(&name));
  dvt_object_release(object);
  dvt_buf_deinit(&name);
  dvt_context_fail(ctx, dvt_status_clone(error));
  dvt_status_to_tf(error, tf_status);
}

static dvt_status destroy_temporary(TF_OpKernelContext *ctx, int index, const TF_StringView *var_name) {
  char container[DVT_STEP_CONTAINER_BYTES];
  dvt_buf name = {0};
  dvt_variable *variable;
  TF_Tensor value = {0};
  if (index < 0 || index >= ctx->input_count || !dvt_context_input_is_ref(ctx, index))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "TF_DestroyTemporaryVariable needs a reference input; input %d of {{node " DVT_STR_FMT
                     "}} is none",
                     index, DVT_STR_ARG(ctx->kernel->node->name));
  DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, index, &variable));
  DVT_RETURN_IF_ERROR(dvt_variable_read(variable, &value));
  dvt_status status = dvt_context_set_output_value(ctx, 0, &value);
  dvt_tensor_reset(&value);
  if (!status) status = temporary_name(ctx, var_name, &name);
  if (!status)
    status = dvt_resource_delete(ctx->step->resources, dvt_step_container(ctx->step, container),
                                 dvt_buf_str(&name));
  dvt_buf_deinit(&name);
  return status;
}

void TF_DestroyTemporaryVariable(TF_OpKernelContext *ctx, const int index, TF_StringView *var_name,
                                 TF_Status *tf_status) {
  if (dvt_context_refuses(ctx, __func__, tf_status)) return;
  dvt_status error = destroy_temporary(ctx, index, var_name);
  dvt_context_fail(ctx, dvt_status_clone(error));
  dvt_status_to_tf(error, tf_status);
}
