// Variables, reference inputs and variants for kernels of a plugin.
// Stock wheels since 2.19 declare these functions without exporting them; Dovetail exports all of them.
//
// `copyFunc` copies one tensor into another on the kernel's device; the host calls it when a variable's
// memory is shared and has to be split.
#ifndef TENSORFLOW_C_KERNELS_EXPERIMENTAL_H_
#define TENSORFLOW_C_KERNELS_EXPERIMENTAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_VariableInputLockHolder TF_VariableInputLockHolder;
typedef struct TF_CoordinationServiceAgent TF_CoordinationServiceAgent;

// ---- variables ----

// Assigns the tensor of input `value_index` to the variable of resource input `input_index`, which is
// made if it does not exist.
// Owner: the tensors passed to `copyFunc` belong to the host.
// Errors: INVALID_ARGUMENT, also on the context, when `validate_shape` is set and the shapes differ,
//   or the input is no variable.
// Since: 2.15
TF_CAPI_EXPORT void TF_AssignVariable(
    TF_OpKernelContext *ctx, int input_index, int value_index, bool validate_shape,
    void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest), TF_Status *status);

// Assigns the tensor of input `value_index` to reference input `input_ref_index` and makes that
// reference output `output_ref_index`.
// Errors: INVALID_ARGUMENT when the input is no reference, or when `validate_shape` is set and the
//   shapes differ.
// Since: 2.15
TF_CAPI_EXPORT void TF_AssignRefVariable(TF_OpKernelContext *ctx, int input_ref_index, int output_ref_index,
                                         int value_index, bool use_locking, bool validate_shape,
                                         void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source,
                                                          TF_Tensor *dest),
                                         TF_Status *status);

// Updates the variable of resource input `input_index` in place: `updateFunc` is called with it, the
// value and `Op`, under the variable's lock.
// Owner: the tensors passed to the functions belong to the host.
// Errors: INVALID_ARGUMENT when the shapes differ, NOT_FOUND when the variable does not exist,
//   FAILED_PRECONDITION when it has no value.
// Since: 2.15
TF_CAPI_EXPORT void TF_AssignUpdateVariable(
    TF_OpKernelContext *ctx, int input_index, int value_index, int Op, int isVariantType,
    void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest),
    void (*updateFunc)(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value, int Op),
    TF_Status *status);

// Sets `*out` to the tensor of the variable of input `input`, split by `copyFunc` from memory that
// others share.
// Owner: the caller deletes `*out`.
// Errors: INVALID_ARGUMENT when the input is no variable, NOT_FOUND when the variable does not exist,
//   FAILED_PRECONDITION when it has no value.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetInputTensorFromVariable(TF_OpKernelContext *ctx, int input, bool lock_held,
                                                  bool isVariantType, bool sparse,
                                                  void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source,
                                                                   TF_Tensor *dest),
                                                  TF_Tensor **out, TF_Status *status);

// Locks the variables of the given inputs in an order that cannot deadlock, exclusively when `do_lock`
// is set, and sets `*lockHolder`.
// Owner: the caller releases the holder with TF_ReleaseVariableInputLockHolder.
// Errors: INVALID_ARGUMENT when an input is no variable.
// Since: 2.15
TF_CAPI_EXPORT void TF_MaybeLockVariableInputMutexesInOrder(
    TF_OpKernelContext *ctx, bool do_lock, bool sparse, const int *const inputs, size_t len,
    void (*copyFunc)(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest),
    TF_VariableInputLockHolder **lockHolder, TF_Status *status);

// Unlocks the variables and releases the holder.
// Owner: takes `lockHolder`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_ReleaseVariableInputLockHolder(TF_VariableInputLockHolder *lockHolder);

// Makes a variable that lives until the end of the step and sets output 0 to a reference to it.
// Owner: copies `var_name`; `plugin_allocator` fills the tensor it is given.
// Errors: ALREADY_EXISTS when the step has a variable of that name.
// Since: 2.15
TF_CAPI_EXPORT void TF_TemporaryVariable(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                                         int num_dims, TF_StringView *var_name,
                                         void (*plugin_allocator)(TF_OpKernelContext *, TF_Tensor *,
                                                                  TF_DataType, const int64_t *, int,
                                                                  TF_Status *),
                                         TF_Status *tf_status);

// Moves the value of the step's variable to output 0 and removes the variable.
// Errors: INVALID_ARGUMENT for a bad index or an input that is no reference, NOT_FOUND when there is
//   no such variable.
// Since: 2.15
TF_CAPI_EXPORT void TF_DestroyTemporaryVariable(TF_OpKernelContext *ctx, const int index,
                                                TF_StringView *var_name, TF_Status *tf_status);

// ---- inputs and attributes ----

// Sets `*tensor` to a new handle of the named input.
// Owner: the caller deletes the handle.
// Errors: INVALID_ARGUMENT for an unknown name, a list argument or a reference.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetInputByName(TF_OpKernelContext *ctx, const char *inputName, TF_Tensor **tensor,
                                      TF_Status *status);

// Whether input `i` is a reference.
// Errors: OUT_OF_RANGE when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT bool TF_IsRefInput(TF_OpKernelContext *ctx, int i, TF_Status *status);

// Makes a reference input a reference output; nothing happens for other inputs.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelContext_ForwardRefInputToRefOutput(TF_OpKernelContext *ctx,
                                                                  int32_t input_index, int32_t output_index);

// Reads the dimensions of an attribute of kind shape.
// Errors: NOT_FOUND without such an attribute; INVALID_ARGUMENT when it is of another kind, its rank
//   is unknown or is not `num_dims`.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensorShape(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name, int64_t *dims,
                                                               size_t num_dims, TF_Status *status);

// ---- variants ----

#ifndef IS_MOBILE_PLATFORM

// Adds all inputs of kind variant into output 0; `binary_add_func` adds two tensors inside the
// variants.
// Owner: the tensors passed to the function belong to the host.
// Errors: INTERNAL when a variant holds something else than tensors or lists of tensors.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddNVariant(TF_OpKernelContext *ctx,
                                   void (*binary_add_func)(TF_OpKernelContext *ctx, TF_Tensor *a,
                                                           TF_Tensor *b, TF_Tensor *out),
                                   TF_Status *status);

// Sets output 0 to a variant like input 0 with zeros in it; `zeros_like_func` fills one tensor.
// Owner: the tensors passed to the function belong to the host.
// Errors: INTERNAL when the variant holds something else than tensors or lists of tensors.
// Since: 2.15
TF_CAPI_EXPORT void TF_ZerosLikeVariant(TF_OpKernelContext *ctx,
                                        void (*zeros_like_func)(TF_OpKernelContext *ctx, TF_Tensor *input,
                                                                TF_Tensor *out),
                                        TF_Status *status);
#endif

#ifdef __cplusplus
}
#endif

#endif
