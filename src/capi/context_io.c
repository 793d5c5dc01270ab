// include/dovetail/kernel_context.h: inputs and outputs by name, taking an output back, references, and
// checks of what the node is given.
#include "capi/context_error.h"
#include "dovetail/kernel_context.h"
#include "kernel/context.h"
#include "kernel/signature.h"
#include "tensor/tensor_proto.h"

static dvt_status single(const TF_OpKernelContext *ctx, const char *name, bool is_input, int *out_index) {
  int start, stop;
  const dvt_node_def *node = ctx->kernel->node;
  dvt_str text = dvt_str_from(name);
  DVT_RETURN_IF_ERROR(is_input ? dvt_node_input_range(node, text, &start, &stop)
                               : dvt_node_output_range(node, text, &start, &stop));
  if (stop != start + 1)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "OpKernel used list-valued %s name '%s' when a single one was expected; it stands for %d "
        "of them, see %s",
        is_input ? "input" : "output", name, stop - start,
        is_input ? "TF_InputRange" : "TF_OpKernelContext_OutputRange");
  *out_index = start;
  return NULL;
}

static dvt_status out_of_range(const char *what, int index, int count) {
  return dvt_error(TF_OUT_OF_RANGE, "%s index out of range: %d, the node has %d %ss", what, index, count,
                   what);
}

static dvt_status check_input(const TF_OpKernelContext *ctx, int index) {
  return index >= 0 && index < ctx->input_count ? NULL : out_of_range("input", index, ctx->input_count);
}

static dvt_status check_output(const TF_OpKernelContext *ctx, int index) {
  return index >= 0 && index < ctx->output_count ? NULL : out_of_range("output", index, ctx->output_count);
}

TF_DataType TF_OpKernelContext_InputDatatypeByName(TF_OpKernelContext *ctx, const char *name,
                                                   TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return (TF_DataType)0;
  int index = 0;
  dvt_status error = single(ctx, name, true, &index);
  TF_DataType dtype = (TF_DataType)(error ? 0 : dvt_kernel_input_type(ctx->kernel, index));
  dvt_context_answer(ctx, error, status);
  return dtype;
}

static bool has_value(const TF_OpKernelContext *ctx, int index) {
  return ctx->inputs[index] && !dvt_tensor_is_empty(ctx->inputs[index]);
}

bool TF_OpKernelContext_HasInput(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = check_input(ctx, index);
  bool has = !error && has_value(ctx, index);
  dvt_context_answer(ctx, error, status);
  return has;
}

bool TF_OpKernelContext_IsInputDead(TF_OpKernelContext *ctx) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return false;
  for (int i = 0; i < ctx->input_count; i++)
    if (!has_value(ctx, i)) return true;
  return false;
}

void TF_OpKernelContext_OutputRange(TF_OpKernelContext *ctx, const char *name, int *start, int *stop,
                                    TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  int first = 0, last = 0;
  dvt_status error = dvt_node_output_range(ctx->kernel->node, dvt_str_from(name), &first, &last);
  if (!error) {
    *start = first;
    *stop = last;
  }
  dvt_context_answer(ctx, error, status);
}

void TF_OpKernelContext_SetOutputByName(TF_OpKernelContext *ctx, const char *name, const TF_Tensor *tensor,
                                        TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  int index = 0;
  dvt_status error = single(ctx, name, false, &index);
  if (!error) error = dvt_context_set_output(ctx, index, tensor);
  dvt_context_answer(ctx, error, status);
}

TF_Tensor *TF_OpKernelContext_AllocateOutputByName(TF_OpKernelContext *ctx, const char *name,
                                                   const int64_t *dims, int num_dims, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  int index = 0;
  TF_Tensor *handle = NULL;
  dvt_status error = single(ctx, name, false, &index);
  if (!error) error = dvt_context_allocate_output(ctx, index, dims, num_dims, &handle);
  dvt_context_answer(ctx, error, status);
  return handle;
}

TF_Tensor *TF_OpKernelContext_GetMutableOutputByName(TF_OpKernelContext *ctx, const char *name,
                                                     TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  int index = 0;
  TF_Tensor *handle = NULL;
  dvt_status error = single(ctx, name, false, &index);
  if (!error) error = dvt_context_mutable_output(ctx, index, &handle);
  dvt_context_answer(ctx, error, status);
  return handle;
}

TF_Tensor *TF_OpKernelContext_ReleaseOutput(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_context_answer(ctx, dvt_context_release_output(ctx, index, &handle), status);
  return handle;
}

bool TF_OpKernelContext_OutputRequired(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = check_output(ctx, index);
  bool required = error || dvt_context_output_is_read(ctx, index);
  dvt_context_answer(ctx, error, status);
  return required;
}

// ---- references ----

static dvt_status ref_variable(TF_OpKernelContext *ctx, int index, dvt_variable **out_variable) {
  DVT_RETURN_IF_ERROR(check_input(ctx, index));
  if (!dvt_context_input_is_ref(ctx, index))
    return dvt_error(TF_INVALID_ARGUMENT, "input %d is no reference but a %s", index,
                     dvt_dtype_name(dvt_kernel_input_type(ctx->kernel, index)));
  return dvt_context_variable(ctx, index, out_variable);
}

static dvt_status check_dtype(const dvt_variable *variable, int dtype) {
  if (!variable->dtype || variable->dtype == dtype) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "variable '%s' is of type %s; got %s", variable->name,
                   dvt_dtype_name(variable->dtype), dvt_dtype_name(dtype));
}

static dvt_status replace(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor) {
  dvt_variable *variable;
  DVT_RETURN_IF_ERROR(ref_variable(ctx, index, &variable));
  if (!tensor || dvt_tensor_is_empty(tensor))
    return dvt_error(TF_INVALID_ARGUMENT, "reference input %d was to be replaced by no tensor", index);
  DVT_RETURN_IF_ERROR(check_dtype(variable, tensor->dtype));
  bool locked = dvt_variable_lock(variable, true);
  dvt_status status = dvt_variable_assign(variable, tensor, false);
  dvt_variable_unlock(variable, locked);
  return status;
}

void TF_OpKernelContext_ReplaceRefInput(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                                        TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_context_answer(ctx, replace(ctx, index, tensor), status);
}

void TF_OpKernelContext_DeleteRefInput(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_variable *variable;
  dvt_status error = ref_variable(ctx, index, &variable);
  if (!error) {
    bool locked = dvt_variable_lock(variable, true);
    dvt_variable_clear(variable);
    dvt_variable_unlock(variable, locked);
  }
  dvt_context_answer(ctx, error, status);
}

static dvt_status set_output_ref(TF_OpKernelContext *ctx, int index, const TF_Tensor *variable) {
  dvt_object *object;
  DVT_RETURN_IF_ERROR(check_output(ctx, index));
  int declared = dvt_kernel_output_type(ctx->kernel, index);
  if (declared < DVT_DTYPE_REF_OFFSET)
    return dvt_error(TF_INVALID_ARGUMENT, "output %d is no reference but a %s; use TF_SetOutput", index,
                     dvt_dtype_name(declared));
  if (!variable)
    return dvt_error(TF_INVALID_ARGUMENT, "reference output %d was to be set to no variable (NULL)", index);
  dvt_status status = dvt_resource_from_tensor(variable, &dvt_variable_type, &object);
  if (status) return dvt_status_annotate(status, " (for reference output %d)", index);
  DVT_RETURN_IF_ERROR(check_dtype((const dvt_variable *)object, declared - DVT_DTYPE_REF_OFFSET));
  return dvt_context_set_output_value(ctx, index, variable);
}

void TF_OpKernelContext_SetOutputRef(TF_OpKernelContext *ctx, int index, const TF_Tensor *variable,
                                     TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_context_answer(ctx, set_output_ref(ctx, index, variable), status);
}

// ---- checks ----

static dvt_status same_shapes(const TF_OpKernelContext *ctx) {
  const TF_Tensor *first = NULL;
  for (int i = 0; i < ctx->input_count; i++) {
    const TF_Tensor *input = ctx->inputs[i];
    if (!has_value(ctx, i) || dvt_context_input_is_ref(ctx, i)) continue;
    if (!first) first = input;
    if (dvt_same_shape(first, input)) continue;
    dvt_buf wanted = {0}, got = {0};
    dvt_shape_describe(dvt_tensor_dims(first), first->rank, &wanted);
    dvt_shape_describe(dvt_tensor_dims(input), input->rank, &got);
    dvt_status status =
        dvt_error(TF_INVALID_ARGUMENT,
                  "Inputs to operation " DVT_STR_FMT " of type " DVT_STR_FMT
                  " must have the same size and shape.  Input 0: " DVT_STR_FMT " != input %d: " DVT_STR_FMT,
                  DVT_STR_ARG(ctx->kernel->node->name), DVT_STR_ARG(ctx->kernel->def->op),
                  DVT_STR_ARG(dvt_buf_str(&wanted)), i, DVT_STR_ARG(dvt_buf_str(&got)));
    dvt_buf_deinit(&wanted);
    dvt_buf_deinit(&got);
    return status;
  }
  return NULL;
}

bool TF_OpKernelContext_ValidateInputsAreSameShape(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = same_shapes(ctx);
  bool same = !error;
  dvt_context_answer(ctx, error, status);
  if (!same) dvt_context_fail(ctx, dvt_status_from_tf(status));
  return same;
}

bool TF_OpKernelContext_MatchSignature(TF_OpKernelContext *ctx, const TF_DataType *expected_inputs,
                                       int num_expected_inputs, const TF_DataType *expected_outputs,
                                       int num_expected_outputs, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = dvt_node_match_signature(ctx->kernel->node, expected_inputs, num_expected_inputs,
                                              expected_outputs, num_expected_outputs);
  bool matches = !error;
  dvt_context_answer(ctx, error, status);
  return matches;
}

void TF_OpKernelContext_GetStatus(TF_OpKernelContext *ctx, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(dvt_context_failure(ctx), status);
}
