// Variables for kernels: assigning, updating in place, locking several at once. Some errors go to the context
// and leave the status alone, as in stock. Temporary variables and the rest of kernels_experimental.h are in
// kernels_experimental.c.
#include <stdlib.h>

#include "base/buf.h"
#include "capi/lent_tensor.h"
#include "kernel/checked.h"
#include "kernel/context.h"
#include "tensorflow/c/kernels_experimental.h"

typedef void (*copy_fn)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest);

typedef struct copier {
  TF_OpKernelContext *ctx;
  copy_fn copy;
} copier;

static void copy_with_callback(void *arg, TF_Tensor *from, TF_Tensor *to) {
  const copier *c = arg;
  dvt_lent_tensor source = {0}, dest = {0};
  dvt_status status = dvt_tensor_lend(from, &source);
  if (!status) status = dvt_tensor_lend(to, &dest);
  if (status)
    dvt_context_fail(c->ctx, status);
  else
    c->copy(c->ctx, source.handle, dest.handle);
  dvt_tensor_take_back(c->ctx, &source);
  dvt_tensor_take_back(c->ctx, &dest);
}

// Another reference to the value, in memory that only the variable and the caller see.
static dvt_status own_buffer(TF_OpKernelContext *ctx, dvt_variable *variable, copy_fn copy, TF_Tensor *out) {
  copier c = {ctx, copy};
  return dvt_variable_unshare(variable, copy ? copy_with_callback : NULL, &c, out);
}

// ---- variables ----

static dvt_status value_input(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  DVT_RETURN_IF_ERROR(dvt_context_input(ctx, i, out_tensor));
  if (*out_tensor) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "input %d of {{node " DVT_STR_FMT "}}, the value to assign, is missing", i,
                   DVT_STR_ARG(ctx->kernel->node->name));
}

static dvt_status assign(TF_OpKernelContext *ctx, int variable_input, int value_index, bool validate_shape) {
  dvt_variable *variable;
  TF_Tensor *value = NULL;
  DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, variable_input, &variable));
  DVT_RETURN_IF_ERROR(value_input(ctx, value_index, &value));
  dvt_status status = dvt_variable_assign(variable, value, validate_shape);
  dvt_tensor_handle_delete(value);
  return status;
}

// A variable shares the value's buffer and copies when somebody writes, so there is nothing for `copyFunc` to
// do.
void TF_AssignVariable(TF_OpKernelContext *ctx, int input_index, int value_index, bool validate_shape,
                       void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest),
                       TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  (void)copyFunc;
  dvt_status error = assign(ctx, input_index, value_index, validate_shape);
  if (error)
    dvt_context_fail(ctx, error);
  else
    dvt_status_to_tf(NULL, status);
}

static dvt_status forward_ref(TF_OpKernelContext *ctx, int input, int output) {
  dvt_variable *variable;
  DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, input, &variable));
  return dvt_context_set_output_value(ctx, output, ctx->inputs[input]);
}

void TF_AssignRefVariable(TF_OpKernelContext *ctx, int input_ref_index, int output_ref_index, int value_index,
                          bool use_locking, bool validate_shape,
                          void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest),
                          TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  (void)use_locking;  // replacing a value always locks for the moment it takes
  (void)copyFunc;
  dvt_status error = assign(ctx, input_ref_index, value_index, validate_shape);
  if (!error) error = forward_ref(ctx, input_ref_index, output_ref_index);
  dvt_context_fail(ctx, error);
  dvt_status_to_tf(NULL, status);
}

static dvt_status different_shapes(const TF_Tensor *variable, const TF_Tensor *value) {
  dvt_buf a = {0}, b = {0};
  dvt_tensor_describe(variable, 0, &a);
  dvt_tensor_describe(value, 0, &b);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "Cannot update variable with shape " DVT_STR_FMT
                                " using a Tensor with shape " DVT_STR_FMT ", shapes must be equal.",
                                DVT_STR_ARG(dvt_buf_str(&a)), DVT_STR_ARG(dvt_buf_str(&b)));
  dvt_buf_deinit(&a);
  dvt_buf_deinit(&b);
  return status;
}

typedef struct update {
  TF_OpKernelContext *ctx;
  int op;
  copy_fn copy;
  void (*run)(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value, int op);
} update;

// With the variable locked for writing.
static dvt_status update_locked(const update *u, dvt_variable *variable, const TF_Tensor *value) {
  if (!dvt_tensor_is_empty(&variable->value) && variable->value.dtype != value->dtype)
    return dvt_error(TF_INVALID_ARGUMENT, "variable %s of type %s cannot be updated with a value of type %s",
                     variable->name, dvt_dtype_name(variable->value.dtype), dvt_dtype_name(value->dtype));
  if (!dvt_tensor_is_empty(&variable->value) && !dvt_same_shape(&variable->value, value))
    return different_shapes(&variable->value, value);
  TF_Tensor own = {0};
  DVT_RETURN_IF_ERROR(own_buffer(u->ctx, variable, u->copy, &own));
  dvt_lent_tensor target = {0}, source = {0};
  dvt_status status = dvt_tensor_lend(&own, &target);
  dvt_tensor_reset(&own);
  if (!status) status = dvt_tensor_lend(value, &source);
  if (!status) u->run(u->ctx, target.handle, source.handle, u->op);
  dvt_tensor_take_back(u->ctx, &target);
  dvt_tensor_take_back(u->ctx, &source);
  return status;
}

static dvt_status update_variable(const update *u, int variable_input, int value_index) {
  dvt_variable *variable;
  TF_Tensor *value = NULL;
  DVT_RETURN_IF_ERROR(dvt_context_variable(u->ctx, variable_input, &variable));
  DVT_RETURN_IF_ERROR(value_input(u->ctx, value_index, &value));
  bool locked = dvt_variable_lock(variable, true);
  dvt_status status = update_locked(u, variable, value);
  dvt_variable_unlock(variable, locked);
  dvt_tensor_handle_delete(value);
  return status;
}

void TF_AssignUpdateVariable(TF_OpKernelContext *ctx, int input_index, int value_index, int Op,
                             int isVariantType,
                             void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest),
                             void (*updateFunc)(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value,
                                                int Op),
                             TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  // Variants are copied by the runtime: their elements are references to objects.
  update u = {ctx, Op, isVariantType ? NULL : copyFunc, updateFunc};
  dvt_status error = update_variable(&u, input_index, value_index);
  if (error)
    dvt_context_fail(ctx, error);
  else
    dvt_status_to_tf(NULL, status);
}

static dvt_status get_from_variable(TF_OpKernelContext *ctx, int input, bool lock_held, copy_fn copy,
                                    TF_Tensor **out_tensor) {
  dvt_variable *variable;
  TF_Tensor own = {0};
  DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, input, &variable));
  bool locked = !lock_held && dvt_variable_lock(variable, false);
  dvt_status status = own_buffer(ctx, variable, copy, &own);
  dvt_variable_unlock(variable, locked);
  if (status) return status;
  *out_tensor = dvt_tensor_handle_copy(&own);
  dvt_tensor_reset(&own);
  return *out_tensor ? NULL : dvt_error_out_of_memory(sizeof **out_tensor);
}

void TF_GetInputTensorFromVariable(TF_OpKernelContext *ctx, int input, bool lock_held, bool isVariantType,
                                   bool sparse,
                                   void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source,
                                                    TF_Tensor *dest),
                                   TF_Tensor **out, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  (void)sparse;  // dense and sparse updates need the same: a buffer of the variable's own
  TF_Tensor *handle = NULL;
  dvt_status error = get_from_variable(ctx, input, lock_held, isVariantType ? NULL : copyFunc, &handle);
  if (error)
    dvt_context_fail(ctx, dvt_status_clone(error));
  else
    *out = handle;
  dvt_status_to_tf(error, status);
}

// ---- locking several variables ----

struct TF_VariableInputLockHolder {
  size_t count;
  dvt_variable *variables[];  // each once, sorted by address, retained and locked
};

static int compare_addresses(const void *a, const void *b) {
  uintptr_t x = (uintptr_t) * (dvt_variable *const *)a, y = (uintptr_t) * (dvt_variable *const *)b;
  return x < y ? -1 : x > y;
}

static bool needs_locks(const TF_OpKernelContext *ctx, bool do_lock, const int *inputs, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (inputs[i] >= 0 && inputs[i] < ctx->input_count &&
        dvt_kernel_input_type(ctx->kernel, inputs[i]) == TF_RESOURCE)
      return true;
  return do_lock;
}

static dvt_status collect(TF_OpKernelContext *ctx, const int *inputs, size_t len,
                          TF_VariableInputLockHolder *holder) {
  for (size_t i = 0; i < len; i++)
    DVT_RETURN_IF_ERROR(dvt_context_variable(ctx, inputs[i], &holder->variables[i]));
  qsort(holder->variables, len, sizeof holder->variables[0], compare_addresses);
  for (size_t i = 0; i < len; i++)
    if (holder->count == 0 || holder->variables[holder->count - 1] != holder->variables[i])
      holder->variables[holder->count++] = holder->variables[i];
  return NULL;
}

static dvt_status lock_in_order(TF_OpKernelContext *ctx, bool do_lock, const int *inputs, size_t len,
                                TF_VariableInputLockHolder **out_holder) {
  size_t bytes;
  if (!needs_locks(ctx, do_lock, inputs, len)) len = 0;
  if (!dvt_size_mul(len, sizeof(dvt_variable *), &bytes) ||
      !dvt_size_add(bytes, sizeof(TF_VariableInputLockHolder), &bytes))
    return dvt_error(TF_INVALID_ARGUMENT, "%zu variables cannot be locked at once", len);
  TF_VariableInputLockHolder *holder = dvt_calloc(1, bytes);
  if (!holder) return dvt_error_out_of_memory(bytes);
  dvt_status status = collect(ctx, inputs, len, holder);
  if (status) {
    dvt_free(holder);
    return status;
  }
  size_t wanted = holder->count;
  holder->count = 0;
  for (size_t i = 0; i < wanted; i++) {
    dvt_variable *variable = holder->variables[i];
    if (!dvt_variable_lock(variable, do_lock)) continue;  // another holder of this kernel has it
    dvt_object_retain(&variable->object);
    holder->variables[holder->count++] = variable;
  }
  *out_holder = holder;
  return NULL;
}

void TF_MaybeLockVariableInputMutexesInOrder(TF_OpKernelContext *ctx, bool do_lock, bool sparse,
                                             const int *const inputs, size_t len,
                                             void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source,
                                                              TF_Tensor *dest),
                                             TF_VariableInputLockHolder **lockHolder, TF_Status *status) {
  *lockHolder = NULL;
  if (dvt_context_refuses(ctx, __func__, status)) return;
  (void)sparse;  // TF_GetInputTensorFromVariable makes the buffers unique
  (void)copyFunc;
  dvt_status error = lock_in_order(ctx, do_lock, inputs, len, lockHolder);
  dvt_context_fail(ctx, dvt_status_clone(error));
  dvt_status_to_tf(error, status);
}

void TF_ReleaseVariableInputLockHolder(TF_VariableInputLockHolder *lockHolder) {
  if (!lockHolder) return;
  for (size_t i = lockHolder->count; i-- > 0;) {
    pthread_rwlock_unlock(&lockHolder->variables[i]->lock);
    dvt_object_release(&lockHolder->variables[i]->object);
  }
  dvt_free(lockHolder);
}
