// Kernels: the code that computes an op on a device.
// A plugin builds a TF_KernelBuilder from three functions (create, compute, delete), narrows it down,
// registers it. The host then calls create once per node with a TF_OpKernelConstruction and compute once per
// step with a TF_OpKernelContext; the functions below that take one of the two work only during that call.
// Compute may run on several threads at once on the same kernel object.
#ifndef TENSORFLOW_C_KERNELS_H_
#define TENSORFLOW_C_KERNELS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tsl/platform/platform.h"

#if !defined(IS_MOBILE_PLATFORM) && !defined(IS_SLIM_BUILD)
#include "tensorflow/core/common_runtime/next_pluggable_device/c/tf_rendezvous_c_api.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_KernelBuilder TF_KernelBuilder;
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
typedef struct TF_OpKernelContext TF_OpKernelContext;
typedef struct TF_AsyncOpKernelDoneCallback TF_AsyncOpKernelDoneCallback;

// ---- registration ----

// The plugin's entry point: defined by the plugin, called once by the host after loading, to register
// kernels and ops.
// Threads: the host calls it from one thread.
// Since: 2.15
TF_CAPI_PLUGIN_ENTRY void TF_InitKernel(void);

// A builder for a kernel of op `op_name` on device type `device_name`; `create_func` and `delete_func`
// may be NULL, the kernel pointer is then NULL.
// Owner: copies both names; the caller gives the builder to TF_RegisterKernelBuilder or
//   TF_DeleteKernelBuilder. The host hands the pointer that `create_func` returns to `delete_func` in
//   the end.
// Threads: `compute_func` may run on several threads at once on the same kernel.
// Since: 2.15
TF_CAPI_EXPORT TF_KernelBuilder *TF_NewKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *ctx),
    void (*compute_func)(void *kernel, TF_OpKernelContext *ctx), void (*delete_func)(void *kernel));

// As TF_NewKernelBuilder, for a kernel that may finish after `compute_async_func` returned: it, or
// whatever thread ends the work, runs `done` once.
// Owner: copies both names; context and inputs stay valid until `done` runs; `done` belongs to the
//   host.
// Threads: `compute_async_func` may run on several threads at once on the same kernel.
// Since: 2.15
TF_CAPI_EXPORT TF_KernelBuilder *TF_NewAsyncKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *ctx),
    void (*compute_async_func)(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done),
    void (*delete_func)(void *kernel));

// Says that an asynchronous computation is finished; neither its context nor `done` may be used
// afterwards.
// Owner: takes `done`.
// Threads: any, also after compute_async_func returned.
// Since: 2.15
TF_CAPI_EXPORT void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback *done);

// Narrows the kernel to nodes whose attribute `attr_name` is `type`, or a list of nothing else; a
// second constraint must hold as well.
// Owner: copies `attr_name`.
// Errors: UNIMPLEMENTED when `type` is no type that kernels can name.
// Since: 2.15
TF_CAPI_EXPORT void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder, const char *attr_name,
                                                    TF_DataType type, TF_Status *status);

// Says that argument `arg_name` of the op lives in host memory, whatever the device.
// Owner: copies `arg_name`.
// Errors: an unknown argument is reported when the kernel is first used.
// Since: 2.15
TF_CAPI_EXPORT void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder, const char *arg_name);

// Sets the priority among kernels that match the same node; the highest wins, the default is 0.
// Since: 2.15
TF_CAPI_EXPORT void TF_KernelBuilder_Priority(TF_KernelBuilder *kernel_builder, int32_t priority_number);

// Sets a label: only nodes whose `_kernel` attribute is the label use the kernel.
// Owner: copies `label`.
// Since: 2.15
TF_CAPI_EXPORT void TF_KernelBuilder_Label(TF_KernelBuilder *kernel_builder, const char *label);

// Registers the kernel for the life of the process; `kernel_name` is for messages and may be NULL.
// Owner: takes `builder`, also on failure; copies `kernel_name`.
// Threads: any; registrations are serialized.
// Errors: conflicts and unknown ops are reported when a node looks for its kernel.
// Since: 2.15
TF_CAPI_EXPORT void TF_RegisterKernelBuilder(const char *kernel_name, TF_KernelBuilder *builder,
                                             TF_Status *status);

// As TF_RegisterKernelBuilder, with constraints, host memory, label and priority from a serialized
// KernelDef, a C string; NULL adds nothing.
// Owner: takes `builder`, also on failure.
// Threads: any; registrations are serialized.
// Errors: INVALID_ARGUMENT when the bytes are no KernelDef.
// Since: 2.15
TF_CAPI_EXPORT void TF_RegisterKernelBuilderWithKernelDef(const char *serialized_kernel_def, const char *name,
                                                          TF_KernelBuilder *builder, TF_Status *status);

// Releases a builder that was not registered.
// Owner: takes `builder`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteKernelBuilder(TF_KernelBuilder *builder);

// ---- construction: during create ----

// Reports that the kernel cannot be created; the first error counts, an OK status does nothing.
// Owner: copies `status`.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx, TF_Status *status);

// Name of the node.
// Owner: the host keeps the text as long as the kernel lives.
// Since: 2.15
TF_CAPI_EXPORT TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction *ctx);

// The node as a serialized NodeDef, defaults filled in.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction *ctx, TF_Status *status);

// Whether the node has the attribute; `status` stays as it is.
// Since: 2.15
TF_CAPI_EXPORT bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                    TF_Status *status);

// Sizes of an attribute: the number of elements, -1 if it is no list; and the bytes of strings or the
// dimensions of shapes, -1 for other kinds.
// Errors: INVALID_ARGUMENT when there is no such attribute. With an error already in `status` both
//   sizes become -1 and the error stays.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                        int32_t *list_size, int32_t *total_size,
                                                        TF_Status *status);

// Reads an attribute of kind type.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `val` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                        TF_DataType *val, TF_Status *status);

// Reads an attribute of kind int.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind or the
//   value does not fit; `val` is then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                         int32_t *val, TF_Status *status);

// Reads an attribute of kind int.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `val` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                         int64_t *val, TF_Status *status);

// Reads an attribute of kind float.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `val` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                         float *val, TF_Status *status);

// Reads an attribute of kind bool.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `val` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                        TF_Bool *val, TF_Status *status);

// Copies at most `max_length` bytes of an attribute of kind string into `val`, without a NUL.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `val` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                          char *val, size_t max_length, TF_Status *status);

// Reads an attribute of kind tensor.
// Owner: the caller deletes the tensor.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; `*val` is
//   then NULL.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                          TF_Tensor **val, TF_Status *status);

// Reads an attribute of kind func as a serialized NameAttrList.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; NULL is
//   then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction *ctx,
                                                                  const char *attr_name, TF_Status *status);

// Reads the first `max_vals` elements of a list of types.
// Errors: INVALID_ARGUMENT without such an attribute or when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction *ctx,
                                                            const char *attr_name, TF_DataType *vals,
                                                            int max_vals, TF_Status *status);

// Reads the first `max_vals` elements of a list of ints, each cut to 32 bits.
// Errors: INVALID_ARGUMENT without such an attribute or when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction *ctx,
                                                             const char *attr_name, int32_t *vals,
                                                             int max_vals, TF_Status *status);

// Reads the first `max_vals` elements of a list of ints.
// Errors: INVALID_ARGUMENT without such an attribute or when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction *ctx,
                                                             const char *attr_name, int64_t *vals,
                                                             int max_vals, TF_Status *status);

// Reads the first `max_vals` elements of a list of floats.
// Errors: INVALID_ARGUMENT without such an attribute or when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction *ctx,
                                                             const char *attr_name, float *vals, int max_vals,
                                                             TF_Status *status);

// Reads the first `max_vals` elements of a list of bools.
// Errors: INVALID_ARGUMENT without such an attribute or when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction *ctx,
                                                            const char *attr_name, TF_Bool *vals,
                                                            int max_vals, TF_Status *status);

// Copies the first `max_values` strings of a list one after another into `storage` and sets
// `values[i]` and `lengths[i]`.
// Owner: `values[i]` point into `storage`, which the caller keeps.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is no such list or `storage`
//   is too small.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction *ctx,
                                                              const char *attr_name, char **values,
                                                              size_t *lengths, int max_values, void *storage,
                                                              size_t storage_size, TF_Status *status);

// Reads the first `max_values` tensors of a list.
// Owner: the caller deletes each tensor.
// Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is no such list.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction *ctx,
                                                              const char *attr_name, TF_Tensor **vals,
                                                              int max_values, TF_Status *status);

// ---- compute: inputs ----

// Number of inputs, list arguments flattened.
// Threads: any while compute runs.
// Since: 2.15
TF_CAPI_EXPORT int TF_NumInputs(TF_OpKernelContext *ctx);

// Sets `*tensor` to a new handle of input `i`, to be read only; NULL with the status unchanged for an
// optional input that is absent.
// Owner: the caller deletes the handle.
// Threads: any while compute runs.
// Errors: OUT_OF_RANGE when the index is out of range, FAILED_PRECONDITION when the input has no
//   value; `*tensor` is then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor, TF_Status *status);

// Element type of input `index`.
// Threads: any while compute runs.
// Errors: OUT_OF_RANGE on the context, and 0, when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_InputDatatype(TF_OpKernelContext *ctx, int index);

// Argument and answer of TF_InputRange.
typedef struct TF_InputRange_Args {
  size_t struct_size;  // TF_InputRange_Args_STRUCT_SIZE
  void *priv;          // kept by the host; the caller leaves it NULL
  int start;           // out: first flat input index of the argument
  int stop;            // out: one behind the last
  TF_Status *status;   // in: where errors go; owned by the caller
} TF_InputRange_Args;

#ifdef __cplusplus
const size_t TF_InputRange_Args_STRUCT_SIZE = TF_OFFSET_OF_END(TF_InputRange_Args, status);
#else
// A macro in C: a const object here would be defined again in every C file.
#define TF_InputRange_Args_STRUCT_SIZE TF_OFFSET_OF_END(TF_InputRange_Args, status)
#endif

// Sets `start` and `stop` of `args` to the flat indices of the named input argument.
// Errors: INVALID_ARGUMENT in `args->status` for an unknown name; both are then -1.
// Since: 2.15
TF_CAPI_EXPORT void TF_InputRange(TF_OpKernelContext *ctx, const char *name, TF_InputRange_Args *args);

// Whether input `i` lies in host memory by the kernel's own wish.
// Errors: OUT_OF_RANGE when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT bool TF_IsHostMemoryInput(TF_OpKernelContext *ctx, int i, TF_Status *status);

// Name of the node that feeds input `index`.
// Owner: the host keeps the text as long as the kernel lives.
// Errors: empty when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext *ctx, size_t index);

// Fills the buffer with the serialized ResourceHandleProto of input `i`.
// Owner: the caller gives an empty buffer and releases it.
// Errors: OUT_OF_RANGE when the index is out of range, INVALID_ARGUMENT when the input is no resource.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetSerializedResourceHandleProto(TF_OpKernelContext *ctx, int i,
                                                        TF_Buffer *serialized_resource_handle_proto,
                                                        TF_Status *status);

// ---- compute: outputs and memory ----

// Number of outputs, list arguments flattened.
// Threads: any while compute runs.
// Since: 2.15
TF_CAPI_EXPORT int TF_NumOutputs(TF_OpKernelContext *ctx);

// Element type that the op gives output `i`.
// Errors: OUT_OF_RANGE on the context, and 0, when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i);

// Makes `tensor` output `i`.
// Owner: takes a reference of its own; the caller still deletes its handle.
// Threads: any while compute runs, one for each output.
// Errors: OUT_OF_RANGE when the index is out of range, INVALID_ARGUMENT for NULL, FAILED_PRECONDITION
//   when the output is already set.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor, TF_Status *status);

// A new handle of output `i`, which must have been set or allocated.
// Owner: the caller deletes the handle.
// Errors: OUT_OF_RANGE when the index is out of range, FAILED_PRECONDITION when the output is not
//   there yet; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_GetMutableOutput(TF_OpKernelContext *ctx, int i, TF_Status *status);

// Allocates output `index` in the given shape and returns a handle of it; its type is the one of the
// op, whatever `dtype` says.
// Owner: the caller deletes the handle, the output stays.
// Threads: any while compute runs, one for each output.
// Errors: INTERNAL for a bad index or an output that is already set, INVALID_ARGUMENT for a bad shape,
//   RESOURCE_EXHAUSTED when memory is out; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index, TF_DataType dtype,
                                            const int64_t *dims, int num_dims, size_t len, TF_Status *status);

// Gives output `output_index` the memory of the first candidate input that nobody else needs and that
// has its type and size, else allocates it; `*forwarded_input` becomes that input or -1, and may be
// NULL.
// Owner: the caller deletes the handle. A handle of the input that is still held prevents forwarding.
// Errors: as TF_AllocateOutput; INVALID_ARGUMENT for a candidate out of range.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_ForwardInputOrAllocateOutput(TF_OpKernelContext *context,
                                                          const int *candidate_input_indices,
                                                          int num_candidate_input_indices, int output_index,
                                                          const int64_t *output_dims, int output_num_dims,
                                                          int *forwarded_input, TF_Status *status);

// A tensor for the kernel's own use; with `on_host` in `alloc_attrs` in host memory. `alloc_attrs` may
// be NULL.
// Owner: the caller deletes it; it may also become an output.
// Errors: INVALID_ARGUMENT for a bad shape or a `struct_size` of 0, RESOURCE_EXHAUSTED when memory is
//   out; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_AllocateTemp(TF_OpKernelContext *context, TF_DataType dtype, const int64_t *dims,
                                          int num_dims, TF_AllocatorAttributes *alloc_attrs,
                                          TF_Status *status);

// Whether output `i` lies in host memory by the kernel's own wish.
// Errors: OUT_OF_RANGE when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT bool TF_IsHostMemoryOutput(TF_OpKernelContext *ctx, int i, TF_Status *status);

// ---- compute: errors, step and surroundings ----

// Reports that the computation failed; the first error counts, an OK status does nothing.
// Owner: copies `status`.
// Threads: any while compute runs.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status);

// The stream of the kernel's device, on which its work must be queued.
// Owner: the device keeps the stream.
// Errors: FAILED_PRECONDITION on a CPU device; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT SP_Stream TF_GetStream(TF_OpKernelContext *ctx, TF_Status *status);

// Number of the step, counted from 1 by a session; the same as TF_GetStepId.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_StepId(TF_OpKernelContext *ctx);

// Number of the step, counted from 1 by a session.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_GetStepId(TF_OpKernelContext *ctx);

// Id of the loop frame the node runs in; 0 outside loops.
// Since: 2.15
TF_CAPI_EXPORT uint64_t TF_GetFrameId(TF_OpKernelContext *ctx);

// Number of the iteration of that frame; 0 outside loops.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_GetIterId(TF_OpKernelContext *ctx);

// Number of the device among those of its type.
// Since: 2.15
TF_CAPI_EXPORT int TF_GetDeviceId(TF_OpKernelContext *ctx);

// Full name of the device, as in /job:localhost/replica:0/task:0/device:CPU:0.
// Owner: the device keeps the text.
// Since: 2.17
TF_CAPI_EXPORT TF_StringView TF_GetDeviceName(TF_OpKernelContext *ctx);

// GraphDef version of the graph that the node belongs to.
// Since: 2.15
TF_CAPI_EXPORT int TF_GetGraphDefVersion(TF_OpKernelContext *ctx);

// Name of the node.
// Owner: the host keeps the text as long as the kernel lives.
// Since: 2.15
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelName(TF_OpKernelContext *ctx);

// Name of the container for resources that name none.
// Owner: the host keeps the text.
// Since: 2.15
TF_CAPI_EXPORT TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext *ctx);

// Fills the buffer with the functions known to the graph, as a serialized FunctionDefLibrary.
// Owner: the caller gives an empty buffer and releases it.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext *ctx,
                                                       TF_Buffer *serialized_function_def_library,
                                                       TF_Status *status);

// Fills the buffer with the session's ConfigProto.
// Owner: the caller gives an empty buffer and releases it.
// Since: 2.15
TF_CAPI_EXPORT void TF_GetSerializedConfigProto(TF_OpKernelContext *ctx, TF_Buffer *serialized_config_proto,
                                                TF_Status *status);

// Says that the step must wait for work that goes on after compute; each call needs one
// TF_DecNumDeferredOps.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_IncNumDeferredOps(TF_OpKernelContext *context);

// Says that such work is finished.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_DecNumDeferredOps(TF_OpKernelContext *context);

#if !defined(IS_MOBILE_PLATFORM) && !defined(IS_SLIM_BUILD)

// Functions to send and receive tensors by name within the step: a send meets the receives of its key in order, or waits for
// one; cancelling or ending the step answers who still waits.
// Owner: the host keeps what the thunk points to, valid during the step.
// Since: 2.17
TF_CAPI_EXPORT TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext *ctx);
#endif

#ifdef __cplusplus
}
#endif

#endif
