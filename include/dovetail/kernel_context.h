// What a running kernel may ask beyond tensorflow/c/kernels.h: everything that C++ kernels get from
// OpKernelContext and OpKernel and that has a meaning outside TensorFlow's own runtime.
//
// The names extend the stock ones. All functions are for use while compute runs, in an asynchronous kernel
// until it reports done, on any thread unless a function says otherwise. Every function with a status
// stores OK on success; after an error results are untouched or NULL, and the message names node, op and
// argument. Handles of tensors are new ones that the caller deletes with TF_DeleteTensor, buffers are
// deleted with TF_DeleteBuffer; string views belong to the host and last as long as the kernel unless a
// function says otherwise. docs/kernels.md has the table from the C++ methods.
#ifndef DOVETAIL_KERNEL_CONTEXT_H_
#define DOVETAIL_KERNEL_CONTEXT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- inputs and outputs by name ----

// Element type of the named input, which must be a single one; 100 more for a reference, as
// TF_InputDatatype.
// Errors: INVALID_ARGUMENT for an unknown name or a list; the result is then 0.
// Since: dovetail
DVT_EXPORT TF_DataType TF_OpKernelContext_InputDatatypeByName(TF_OpKernelContext *ctx, const char *name,
                                                              TF_Status *status);

// Whether input `index` has a value; an optional input may have none.
// Errors: OUT_OF_RANGE (index); the result is then false.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_HasInput(TF_OpKernelContext *ctx, int index, TF_Status *status);

// Whether an input comes from a branch that was not taken. Kernels run with such inputs only where a graph
// is malformed: nodes behind dead branches are passed over.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_IsInputDead(TF_OpKernelContext *ctx);

// The flat positions [*start, *stop) of the outputs that the named argument stands for.
// Errors: INVALID_ARGUMENT for an unknown name.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_OutputRange(TF_OpKernelContext *ctx, const char *name, int *start,
                                               int *stop, TF_Status *status);

// TF_SetOutput for the named output, which must be a single one.
// Owner: takes a reference of its own; the caller still deletes its handle.
// Errors: INVALID_ARGUMENT for an unknown name, a list, or NULL as tensor; FAILED_PRECONDITION when the
//   output is already set.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_SetOutputByName(TF_OpKernelContext *ctx, const char *name,
                                                   const TF_Tensor *tensor, TF_Status *status);

// TF_AllocateOutput for the named output, which must be a single one. NULL after an error.
// Owner: the caller deletes the handle, the output stays.
// Errors: INVALID_ARGUMENT for an unknown name, a list or a bad shape, INTERNAL when the output is already
//   set, RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_AllocateOutputByName(TF_OpKernelContext *ctx, const char *name,
                                                              const int64_t *dims, int num_dims,
                                                              TF_Status *status);

// TF_GetMutableOutput for the named output, which must be a single one. NULL after an error.
// Owner: the caller deletes the handle.
// Errors: INVALID_ARGUMENT for an unknown name or a list, FAILED_PRECONDITION when the output is not there
//   yet.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_GetMutableOutputByName(TF_OpKernelContext *ctx, const char *name,
                                                                TF_Status *status);

// Takes output `index` back: the tensor that was set or allocated, which may then be set again. NULL after
// an error.
// Owner: the caller deletes the handle, which is the output's reference.
// Threads: when a handle of an output or input is held, the one that runs compute.
// Errors: OUT_OF_RANGE (index), FAILED_PRECONDITION when the output is not set or the thread is another
//   one.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_ReleaseOutput(TF_OpKernelContext *ctx, int index, TF_Status *status);

// ---- references ----

// The variable behind reference input `index` gets the tensor as its value, whatever its shape. The
// variable's mutex is taken unless this thread holds it (TF_MaybeLockVariableInputMutexesInOrder).
// Owner: takes a reference of its own.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT when the input is no reference, for NULL or another
//   dtype.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_ReplaceRefInput(TF_OpKernelContext *ctx, int index,
                                                   const TF_Tensor *tensor, TF_Status *status);

// The variable behind reference input `index` loses its value; who reads it afterwards is told that it is
// uninitialised. Handles to the value keep it.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT when the input is no reference.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_DeleteRefInput(TF_OpKernelContext *ctx, int index, TF_Status *status);

// Makes reference output `index` refer to the variable in `variable`, a scalar TF_RESOURCE tensor
// (dvt_variable_handle).
// Owner: takes a reference of its own.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT when the output is no reference, the tensor holds no
//   variable or one of another dtype, FAILED_PRECONDITION when the output is already set.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_SetOutputRef(TF_OpKernelContext *ctx, int index, const TF_Tensor *variable,
                                                TF_Status *status);

// ---- memory ----

// What kind of memory a tensor shall have. On the CPU all memory is host memory, so `on_host` is always
// granted; the other two are wishes that a device library may read.
typedef struct TF_OpKernelContext_AllocatorAttributes {
  size_t struct_size;      // TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE
  TF_Bool on_host;         // host memory, whatever the kernel's device
  TF_Bool nic_compatible;  // registered with the network card
  TF_Bool gpu_compatible;  // pinned, for copies to and from a GPU
  int32_t scope_id;        // of a scoped allocator; there are none here, so 0
} TF_OpKernelContext_AllocatorAttributes;

#define TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE \
  TF_OFFSET_OF_END(TF_OpKernelContext_AllocatorAttributes, scope_id)

// Fills *attributes, whose struct_size the caller has set, with those that input `index` was allocated
// with.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT (struct_size, NULL).
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_InputAllocatorAttributes(
    TF_OpKernelContext *ctx, int index, TF_OpKernelContext_AllocatorAttributes *attributes,
    TF_Status *status);

// Fills *attributes, whose struct_size the caller has set, with those that output `index` is allocated
// with.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT (struct_size, NULL).
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_OutputAllocatorAttributes(
    TF_OpKernelContext *ctx, int index, TF_OpKernelContext_AllocatorAttributes *attributes,
    TF_Status *status);

// TF_AllocateOutput with attributes, which are added to the output's own; NULL: none. NULL after an error.
// Owner: the caller deletes the handle, the output stays.
// Errors: INTERNAL for a bad index or an output that is already set, INVALID_ARGUMENT for a bad shape or
//   bad attributes, RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_AllocateOutput(
    TF_OpKernelContext *ctx, int index, const int64_t *dims, int num_dims,
    const TF_OpKernelContext_AllocatorAttributes *attributes, TF_Status *status);

// TF_AllocateTemp with all attributes; NULL: none. NULL after an error.
// Owner: the caller deletes the tensor; it may also become an output.
// Errors: INVALID_ARGUMENT for a bad dtype, shape or attributes, RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_AllocateTemp(
    TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims, int num_dims,
    const TF_OpKernelContext_AllocatorAttributes *attributes, TF_Status *status);

// `bytes` of memory from the allocator that these attributes choose (C++: get_allocator), for data that is
// no tensor; `attributes` may be NULL. NULL after an error.
// Units: `alignment` in bytes, a power of two; at least 64 is given.
// Owner: the caller returns it with TF_OpKernelContext_DeallocateRaw; it may outlive the step.
// Errors: INVALID_ARGUMENT (alignment, attributes), RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT void *TF_OpKernelContext_AllocateRaw(TF_OpKernelContext *ctx,
                                                const TF_OpKernelContext_AllocatorAttributes *attributes,
                                                size_t alignment, size_t bytes, TF_Status *status);

// Returns memory of TF_OpKernelContext_AllocateRaw; NULL is accepted.
// Threads: any, at any time.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_DeallocateRaw(void *memory);

// ---- forwarding and aliasing ----

// A tensor of the given type and shape over the memory of input `index`, when that input has this dtype
// and this many elements, nobody else needs it or holds a handle of it, and its memory is as `attributes`
// (may be NULL) ask; else NULL with an OK status. It is no output yet: the kernel may use it as a
// temporary or pass it to TF_SetOutput. The input's values are the tensor's until it is written to.
// Owner: the caller deletes the handle.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT (shape, attributes).
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_ForwardInput(
    TF_OpKernelContext *ctx, int index, TF_DataType dtype, const int64_t *dims, int num_dims,
    const TF_OpKernelContext_AllocatorAttributes *attributes, TF_Status *status);

// Makes output `output_index` the memory of input `input_index` in the given shape, under the conditions
// of TF_ForwardInputOrAllocateOutput; else NULL with an OK status, and the output is as before.
// Owner: the caller deletes the handle, the output stays.
// Errors: INTERNAL for a bad output index or an output that is already set, OUT_OF_RANGE (input index),
//   INVALID_ARGUMENT (shape).
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_ForwardInputToOutputWithShape(TF_OpKernelContext *ctx,
                                                                       int input_index, int output_index,
                                                                       const int64_t *dims, int num_dims,
                                                                       TF_Status *status);

// TF_OpKernelContext_ForwardInput of the first candidate that allows it, else
// TF_OpKernelContext_AllocateTemp; *forwarded_input becomes that input or -1, and may be NULL. NULL after
// an error.
// Owner: the caller deletes the tensor; it may also become an output.
// Errors: OUT_OF_RANGE for a candidate, INVALID_ARGUMENT for a bad dtype, shape or attributes,
//   RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelContext_ForwardInputOrAllocateTemp(
    TF_OpKernelContext *ctx, const int *candidate_input_indices, int num_candidate_input_indices,
    TF_DataType dtype, const int64_t *dims, int num_dims,
    const TF_OpKernelContext_AllocatorAttributes *attributes, int *forwarded_input, TF_Status *status);

// Whether anybody reads output `index`. An output that is not required may be left unset.
// Errors: OUT_OF_RANGE (index); the result is then true.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_OutputRequired(TF_OpKernelContext *ctx, int index, TF_Status *status);

// Whether the graph asks that output `index` takes over the memory of an input (pairs of input and output
// in the node's attribute _forward_input). Here that is a wish: forwarding still depends on who else needs
// the input, and allocating the output is no error.
// Errors: OUT_OF_RANGE (index); the result is then false.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_OutputExpectsForwarding(TF_OpKernelContext *ctx, int index,
                                                           TF_Status *status);

// Whether output `output_index`, which must be set, lies in the memory of input `input_index`: writing to
// it changes the input.
// Errors: OUT_OF_RANGE (either index), FAILED_PRECONDITION when the output is not set; the result is then
//   false.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_OutputSharesInput(TF_OpKernelContext *ctx, int output_index,
                                                     int input_index, TF_Status *status);

// Whether two inputs lie in the same memory, as when one tensor is wired to both. An input without a value
// shares with none.
// Errors: OUT_OF_RANGE (either index); the result is then false.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_InputsShareMemory(TF_OpKernelContext *ctx, int index, int other_index,
                                                     TF_Status *status);

// ---- checks ----

// Whether all inputs have the shape of the first; otherwise INVALID_ARGUMENT names the first that differs.
// The error is also the context's, so that a kernel may just return.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_ValidateInputsAreSameShape(TF_OpKernelContext *ctx, TF_Status *status);

// Whether the node's inputs and outputs have these types; a reference (100 more) also fits its plain type.
// Otherwise INVALID_ARGUMENT shows both signatures.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_MatchSignature(TF_OpKernelContext *ctx, const TF_DataType *expected_inputs,
                                                  int num_expected_inputs,
                                                  const TF_DataType *expected_outputs,
                                                  int num_expected_outputs, TF_Status *status);

// Stores the error that the context has, OK when it has none.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_GetStatus(TF_OpKernelContext *ctx, TF_Status *status);

// ---- the kernel's node ----

// Name of the node's op.
// Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelContext_TypeString(TF_OpKernelContext *ctx);

// The node as a serialised NodeDef, defaults filled in. NULL after an error.
// Owner: the caller deletes the buffer.
// Errors: RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_OpKernelContext_GetNodeDef(TF_OpKernelContext *ctx, TF_Status *status);

// The device that the graph asks for, as it is written there; empty when it asks for none.
// Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelContext_RequestedDevice(TF_OpKernelContext *ctx);

// Whether the executor finds the node worth a thread of its own: it has taken some 20 microseconds or was
// not measured yet.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_IsExpensive(TF_OpKernelContext *ctx);

// ---- device and session ----

// Type of the kernel's device, such as CPU. The name is TF_GetDeviceName.
// Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelContext_DeviceType(TF_OpKernelContext *ctx);

// The device as a serialised DeviceAttributes: name, device_type, memory_limit, incarnation. NULL after an
// error.
// Owner: the caller deletes the buffer.
// Errors: RESOURCE_EXHAUSTED when memory is out.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_OpKernelContext_GetDeviceAttributes(TF_OpKernelContext *ctx, TF_Status *status);

// Name and version of the model as the session's ConfigProto gives them (experimental.session_metadata);
// false, and nothing stored, when it does not. `name` and `version` may be NULL.
// Owner: the session keeps the text.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_SessionMetadata(TF_OpKernelContext *ctx, TF_StringView *name,
                                                   int64_t *version);

// A text that stands for the session, unique in this process. Empty where no session runs the kernel
// (constants that are evaluated beforehand).
// Owner: the session keeps the text.
// Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelContext_SessionHandle(TF_OpKernelContext *ctx);

// ---- the step ----

// Name of a resource container that the host clears when the step has ended; functions that a kernel calls
// share the step's.
// Owner: the host keeps the text until the step has ended; empty when memory is out.
// Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelContext_StepContainer(TF_OpKernelContext *ctx);

// When the step must be finished; false, and nothing stored, when it has no time limit.
// Units: microseconds since 1970 (UTC).
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_Deadline(TF_OpKernelContext *ctx, int64_t *unix_us);

// When the step began, in microseconds since 1970 (UTC). Sessions take that time from the first step on in
// which a kernel asks; in that step the answer is the time of the question.
// Since: dovetail
DVT_EXPORT int64_t TF_OpKernelContext_StartTime(TF_OpKernelContext *ctx);

// Runs fn(arg) on the threads that nodes run on, perhaps after the kernel or even the step has ended; in
// the calling thread before this returns where all of the step runs in one thread. TF_IncNumDeferredOps,
// or an asynchronous kernel, makes the step wait for it.
// Owner: arg stays the caller's.
// Errors: INVALID_ARGUMENT (fn is NULL), RESOURCE_EXHAUSTED; fn does then not run.
// Since: dovetail
DVT_EXPORT void TF_OpKernelContext_Run(TF_OpKernelContext *ctx, void (*fn)(void *arg), void *arg,
                                       TF_Status *status);

// Whether all kernels of the step run one after another in the thread that runs the session.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_RunAllKernelsInline(TF_OpKernelContext *ctx);

// ---- cancellation ----
//
// A step is cancelled when one of its nodes fails, its time limit passes, its session is closed, or the step
// whose kernel called it as a function is cancelled. A kernel that waits for something registers a callback
// that wakes it, waits, and takes the callback back:
//
//   int64_t token = TF_OpKernelContext_RegisterCancellation(ctx, wake, &work, status);
//   if (TF_GetCode(status) == TF_OK) {
//     ... wait ...
//     TF_OpKernelContext_DeregisterCancellation(ctx, token);  // afterwards wake() does not run
//   }

// Whether the step has been cancelled. Cheap enough for a loop.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx);

// callback(arg) runs once when the step is cancelled, in the thread that cancels it, which holds no lock
// of the host; like in stock it also runs when the step ends and it was not taken back. The result is the
// token to take it back with, 0 after an error. The callback may finish an asynchronous kernel.
// Owner: arg stays the caller's.
// Errors: CANCELLED when the step is cancelled already: the callback does not run, and the kernel may fail
//   with this status; INVALID_ARGUMENT (callback is NULL), RESOURCE_EXHAUSTED.
// Since: dovetail
DVT_EXPORT int64_t TF_OpKernelContext_RegisterCancellation(TF_OpKernelContext *ctx,
                                                           void (*callback)(void *arg), void *arg,
                                                           TF_Status *status);

// Takes a callback back. True: it has not run and never will. False: it has run; when it runs in another
// thread this returns after it has ended. False for a token that is unknown.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_DeregisterCancellation(TF_OpKernelContext *ctx, int64_t token);

// The same without waiting: false also while the callback runs. For callers that hold a lock which the
// callback takes.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelContext_TryDeregisterCancellation(TF_OpKernelContext *ctx, int64_t token);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_KERNEL_CONTEXT_H_
