// What a kernel's create function may do beyond the stock functions of tensorflow/c/kernels.h: everything that C++
// offers in OpKernelConstruction. docs/kernels.md has the table from the C++ methods.
//
// The names extend the stock ones (TF_OpKernelConstruction_...). All of it is for use inside a create function, in the
// thread that runs it; the context is gone when create returns, what these functions handed out is not. A function with
// a status stores OK on success; on failure it leaves its results untouched, and the message names node, op and
// attribute. A kernel that uses these functions runs in Dovetail only.
//
// The env() of C++ has no function here: the functions of tensorflow/c/env.h work on the one environment that a process
// has.
#ifndef DOVETAIL_KERNEL_CONSTRUCTION_H_
#define DOVETAIL_KERNEL_CONSTRUCTION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "dovetail/object.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- attributes ----

// A shape with unknown parts: unknown dimensions are -1; *rank is -1 for an unknown rank, and nothing is then stored in
// `dims`. TF_OpKernelConstruction_GetAttrTensorShape reads a shape that must be known.
// Errors: NOT_FOUND without such an attribute; INVALID_ARGUMENT when it is of another kind or has more than `max_dims`
//   dimensions.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetAttrPartialShape(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                            int64_t *dims, int max_dims, int *rank,
                                                            TF_Status *status);

// The first `max_shapes` elements of a list(shape), unknown parts as for GetAttrPartialShape. dims[i] points to ranks[i]
// sizes in `storage`, which has room for `storage_size` of them; TF_OpKernelConstruction_GetAttrSize tells how many
// shapes and, as the total size, how many sizes there are.
// Errors: NOT_FOUND without such an attribute; INVALID_ARGUMENT when it is of another kind or the storage is too small.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetAttrPartialShapeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                                int64_t **dims, int *ranks, int max_shapes,
                                                                int64_t *storage, int storage_size,
                                                                TF_Status *status);

// The same for shapes that must all be known.
// Errors: as GetAttrPartialShapeList; INVALID_ARGUMENT when a rank or a dimension of one of them is unknown.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetAttrTensorShapeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                               int64_t **dims, int *ranks, int max_shapes,
                                                               int64_t *storage, int storage_size, TF_Status *status);

// The first `max_vals` elements of a list(func), each a serialised NameAttrList; all or none. dvt_callable_count tells
// how many there are (TF_OpKernelConstruction_GetAttrSize does not, as in stock), dvt_callable_find makes them callable.
// Owner: the caller deletes the buffers.
// Errors: NOT_FOUND without such an attribute; INVALID_ARGUMENT when it is of another kind.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetAttrFunctionList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                            TF_Buffer **vals, int max_vals, TF_Status *status);

// An attribute of any kind as a serialised AttrValue. NULL after a failure.
// Owner: the caller deletes the buffer. Errors: NOT_FOUND without such an attribute.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_OpKernelConstruction_GetAttrValueProto(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                                TF_Status *status);

// ---- inputs and outputs ----

// Number of inputs, lists counted element by element.
// Since: dovetail
DVT_EXPORT int TF_OpKernelConstruction_NumInputs(TF_OpKernelConstruction *ctx);

// Number of outputs, lists counted element by element.
// Since: dovetail
DVT_EXPORT int TF_OpKernelConstruction_NumOutputs(TF_OpKernelConstruction *ctx);

// The dtype of input `i`, 100 added for a reference; 0 after a failure.
// Errors: OUT_OF_RANGE.
// Since: dovetail
DVT_EXPORT TF_DataType TF_OpKernelConstruction_InputType(TF_OpKernelConstruction *ctx, int i, TF_Status *status);

// The dtype of output `i`, 100 added for a reference; 0 after a failure.
// Errors: OUT_OF_RANGE.
// Since: dovetail
DVT_EXPORT TF_DataType TF_OpKernelConstruction_OutputType(TF_OpKernelConstruction *ctx, int i, TF_Status *status);

// The dtypes of the first `max_types` inputs, 100 added for references.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_InputTypes(TF_OpKernelConstruction *ctx, TF_DataType *types, int max_types);

// The dtypes of the first `max_types` outputs, 100 added for references.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_OutputTypes(TF_OpKernelConstruction *ctx, TF_DataType *types, int max_types);

// Whether the kernel was registered with input `i` in host memory (TF_KernelBuilder_HostMemory); false after a failure.
// TF_IsHostMemoryInput tells the same in compute.
// Errors: OUT_OF_RANGE.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelConstruction_IsHostMemoryInput(TF_OpKernelConstruction *ctx, int i, TF_Status *status);

// Whether the kernel was registered with output `i` in host memory; false after a failure.
// Errors: OUT_OF_RANGE.
// Since: dovetail
DVT_EXPORT bool TF_OpKernelConstruction_IsHostMemoryOutput(TF_OpKernelConstruction *ctx, int i, TF_Status *status);

// Checks that the node has inputs and outputs of these dtypes. A reference fits where its value's dtype is expected, and
// only a reference where a reference (100 added) is.
// Errors: INVALID_ARGUMENT with both signatures: "Signature mismatch, have: float->float expected: int32->int32".
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_MatchSignature(TF_OpKernelConstruction *ctx, const TF_DataType *inputs,
                                                       int num_inputs, const TF_DataType *outputs, int num_outputs,
                                                       TF_Status *status);

// ---- status ----

// Stores a copy of the first failure that was reported for this kernel (TF_OpKernelConstruction_Failure), OK if none was.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetStatus(TF_OpKernelConstruction *ctx, TF_Status *status);

// TF_OpKernelConstruction_Failure that also logs the failure as a warning, with the place in the kernel's source if `file`
// is not NULL. An OK status does nothing.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_FailureWithWarning(TF_OpKernelConstruction *ctx, const char *file, int line,
                                                           TF_Status *status);

// ---- device and memory ----

// The full name of the device that the kernel is made for, "/job:localhost/replica:0/task:0/device:CPU:0".
// Owner: the device, which outlives the kernel. Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelConstruction_GetDeviceName(TF_OpKernelConstruction *ctx);

// The type of that device, "CPU"; not the DEFAULT that the kernel may be registered for.
// Owner: the device, which outlives the kernel. Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelConstruction_GetDeviceType(TF_OpKernelConstruction *ctx);

// The number of that device among those of its type.
// Since: dovetail
DVT_EXPORT int TF_OpKernelConstruction_GetDeviceId(TF_OpKernelConstruction *ctx);

// A tensor in the device's memory, for create alone or for as long as the kernel likes to keep it: what C++ calls temporary
// and persistent is one thing here. Numbers are not zeroed, strings are empty. NULL after a failure. dvt_allocate_lasting
// is the better choice for much memory that stays.
// Shapes: rank 0 to 254, dims NULL for a scalar. Owner: the caller deletes the tensor, if it keeps it in the kernel's delete.
// Errors: INVALID_ARGUMENT (dtype, shape, or a `struct_size` of 0), RESOURCE_EXHAUSTED.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelConstruction_AllocateTemp(TF_OpKernelConstruction *ctx, TF_DataType dtype,
                                                           const int64_t *dims, int num_dims,
                                                           TF_AllocatorAttributes *alloc_attrs, TF_Status *status);

// ---- graph and session ----

// The GraphDef version of the producer of the kernel's graph, as TF_GetGraphDefVersion tells it in compute.
// Since: dovetail
DVT_EXPORT int TF_OpKernelConstruction_GetGraphDefVersion(TF_OpKernelConstruction *ctx);

// The functions of the graph as a serialised FunctionDefLibrary, as TF_GetSerializedFunctionDefLibrary gives them in
// compute. To call one, see dvt_callable_find in dovetail/function.h.
// Owner: the caller's buffer, which must be empty. Errors: INVALID_ARGUMENT when it is not.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetSerializedFunctionDefLibrary(TF_OpKernelConstruction *ctx,
                                                                        TF_Buffer *serialized_function_def_library,
                                                                        TF_Status *status);

// The session's ConfigProto, as TF_GetSerializedConfigProto gives it in compute.
// Owner: the caller's buffer, which must be empty. Errors: INVALID_ARGUMENT when it is not.
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_GetSerializedConfigProto(TF_OpKernelConstruction *ctx,
                                                                 TF_Buffer *serialized_config_proto,
                                                                 TF_Status *status);

// ---- resources ----

// How TF_OpKernelConstruction_ResourceHandle makes the value of a resource that does not exist yet: returns it, or NULL
// with an error in `status`.
typedef void *(*TF_OpKernelConstruction_CreateResource)(TF_OpKernelConstruction *ctx, void *arg, TF_Status *status);

// dvt_resource_handle (dovetail/object.h) at construction: a scalar TF_RESOURCE tensor that refers to the resource
// container/name of the session; made with `create` if it does not exist (NULL: looked up only). A kernel that keeps the
// handle keeps the resource alive.
// Owner: the caller deletes the tensor.
// Errors: INVALID_ARGUMENT when the name holds another type, NOT_FOUND, FAILED_PRECONDITION (the kernel is not made for a
//   session), what create reports.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelConstruction_ResourceHandle(TF_OpKernelConstruction *ctx, const char *container,
                                                             size_t container_bytes, const char *name,
                                                             size_t name_bytes, const dvt_value_type *type,
                                                             TF_OpKernelConstruction_CreateResource create, void *arg,
                                                             TF_Status *status);

// dvt_variable_handle (dovetail/plugin.h) at construction.
// Owner: the caller deletes the tensor.
// Errors: INVALID_ARGUMENT when the name holds another kind of resource or for an unknown dtype, FAILED_PRECONDITION (the
//   kernel is not made for a session).
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_OpKernelConstruction_VariableHandle(TF_OpKernelConstruction *ctx, const char *container,
                                                             size_t container_bytes, const char *name,
                                                             size_t name_bytes, TF_DataType dtype, TF_Status *status);

// dvt_resource_remove at construction: takes the resource out of its container; handles to it keep it alive.
// Errors: NOT_FOUND, FAILED_PRECONDITION (the kernel is not made for a session).
// Since: dovetail
DVT_EXPORT void TF_OpKernelConstruction_RemoveResource(TF_OpKernelConstruction *ctx, const char *container,
                                                       size_t container_bytes, const char *name, size_t name_bytes,
                                                       TF_Status *status);

// The container that an empty container name stands for, as TF_GetResourceMgrDefaultContainerName tells it in compute.
// Owner: static. Since: dovetail
DVT_EXPORT TF_StringView TF_OpKernelConstruction_GetResourceMgrDefaultContainerName(TF_OpKernelConstruction *ctx);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_KERNEL_CONSTRUCTION_H_
