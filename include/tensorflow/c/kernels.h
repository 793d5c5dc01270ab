/* Kernels: the code that computes an op on a device.
 * A plugin builds a TF_KernelBuilder from three functions (create, compute, delete), narrows it down, registers it.
 * The host then calls create once per node with a TF_OpKernelConstruction and compute once per step with a
 * TF_OpKernelContext; the functions below that take one of the two work only during that call. Compute may run on
 * several threads at once on the same kernel object. */
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

/* ---- registration ---- */

TF_CAPI_PLUGIN_ENTRY void TF_InitKernel(void);
TF_CAPI_EXPORT TF_KernelBuilder* TF_NewKernelBuilder(const char* op_name, const char* device_name,
    void* (*create_func)(TF_OpKernelConstruction* ctx),
    void (*compute_func)(void* kernel, TF_OpKernelContext* ctx), void (*delete_func)(void* kernel));
TF_CAPI_EXPORT TF_KernelBuilder* TF_NewAsyncKernelBuilder(const char* op_name, const char* device_name,
    void* (*create_func)(TF_OpKernelConstruction* ctx),
    void (*compute_async_func)(void* kernel, TF_OpKernelContext* ctx, TF_AsyncOpKernelDoneCallback* done),
    void (*delete_func)(void* kernel));
TF_CAPI_EXPORT void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback* done);
TF_CAPI_EXPORT void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder* kernel_builder,
    const char* attr_name, TF_DataType type, TF_Status* status);
TF_CAPI_EXPORT void TF_KernelBuilder_HostMemory(TF_KernelBuilder* kernel_builder, const char* arg_name);
TF_CAPI_EXPORT void TF_KernelBuilder_Priority(TF_KernelBuilder* kernel_builder, int32_t priority_number);
TF_CAPI_EXPORT void TF_KernelBuilder_Label(TF_KernelBuilder* kernel_builder, const char* label);
TF_CAPI_EXPORT void TF_RegisterKernelBuilder(const char* kernel_name, TF_KernelBuilder* builder,
    TF_Status* status);
TF_CAPI_EXPORT void TF_RegisterKernelBuilderWithKernelDef(const char* serialized_kernel_def,
    const char* name, TF_KernelBuilder* builder, TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteKernelBuilder(TF_KernelBuilder* builder);

/* ---- construction: during create ---- */

TF_CAPI_EXPORT void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx, TF_Status* status);
TF_CAPI_EXPORT TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction* ctx);
TF_CAPI_EXPORT TF_Buffer* TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction* ctx,
    TF_Status* status);
TF_CAPI_EXPORT bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx, const char* attr_name,
    TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction* ctx,
    const char* attr_name, int32_t* list_size, int32_t* total_size, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_DataType* val, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction* ctx,
    const char* attr_name, int32_t* val, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction* ctx,
    const char* attr_name, int64_t* val, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction* ctx,
    const char* attr_name, float* val, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_Bool* val, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx,
    const char* attr_name, char* val, size_t max_length, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_Tensor** val, TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_DataType* vals, int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction* ctx,
    const char* attr_name, int32_t* vals, int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction* ctx,
    const char* attr_name, int64_t* vals, int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction* ctx,
    const char* attr_name, float* vals, int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_Bool* vals, int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction* ctx,
    const char* attr_name, char** values, size_t* lengths, int max_values, void* storage,
    size_t storage_size, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction* ctx,
    const char* attr_name, TF_Tensor** vals, int max_values, TF_Status* status);

/* ---- compute: inputs ---- */

TF_CAPI_EXPORT int TF_NumInputs(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor, TF_Status* status);
TF_CAPI_EXPORT TF_DataType TF_InputDatatype(TF_OpKernelContext* ctx, int index);

/* Argument and answer of TF_InputRange. */
typedef struct TF_InputRange_Args {
  size_t struct_size; /* TF_InputRange_Args_STRUCT_SIZE */
  void* priv;         /* kept by the host; the caller leaves it NULL */
  int start;          /* out: first flat input index of the argument */
  int stop;           /* out: one behind the last */
  TF_Status* status;  /* in: where errors go; owned by the caller */
} TF_InputRange_Args;

#ifdef __cplusplus
const size_t TF_InputRange_Args_STRUCT_SIZE = TF_OFFSET_OF_END(TF_InputRange_Args, status);
#else
/* A macro in C: a const object here would be defined again in every C file. */
#define TF_InputRange_Args_STRUCT_SIZE TF_OFFSET_OF_END(TF_InputRange_Args, status)
#endif

TF_CAPI_EXPORT void TF_InputRange(TF_OpKernelContext* ctx, const char* name, TF_InputRange_Args* args);
TF_CAPI_EXPORT bool TF_IsHostMemoryInput(TF_OpKernelContext* ctx, int i, TF_Status* status);
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext* ctx, size_t index);
TF_CAPI_EXPORT void TF_GetSerializedResourceHandleProto(TF_OpKernelContext* ctx, int i,
    TF_Buffer* serialized_resource_handle_proto, TF_Status* status);

/* ---- compute: outputs and memory ---- */

TF_CAPI_EXPORT int TF_NumOutputs(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx, int i);
TF_CAPI_EXPORT void TF_SetOutput(TF_OpKernelContext* ctx, int i, const TF_Tensor* tensor,
    TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_GetMutableOutput(TF_OpKernelContext* ctx, int i, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* context, int index, TF_DataType dtype,
    const int64_t* dims, int num_dims, size_t len, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_ForwardInputOrAllocateOutput(TF_OpKernelContext* context,
    const int* candidate_input_indices, int num_candidate_input_indices, int output_index,
    const int64_t* output_dims, int output_num_dims, int* forwarded_input, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* context, TF_DataType dtype,
    const int64_t* dims, int num_dims, TF_AllocatorAttributes* alloc_attrs, TF_Status* status);
TF_CAPI_EXPORT bool TF_IsHostMemoryOutput(TF_OpKernelContext* ctx, int i, TF_Status* status);

/* ---- compute: errors, step and surroundings ---- */

TF_CAPI_EXPORT void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx, TF_Status* status);
TF_CAPI_EXPORT SP_Stream TF_GetStream(TF_OpKernelContext* ctx, TF_Status* status);
TF_CAPI_EXPORT int64_t TF_StepId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int64_t TF_GetStepId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT uint64_t TF_GetFrameId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int64_t TF_GetIterId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int TF_GetDeviceId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetDeviceName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int TF_GetGraphDefVersion(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext* ctx,
    TF_Buffer* serialized_function_def_library, TF_Status* status);
TF_CAPI_EXPORT void TF_GetSerializedConfigProto(TF_OpKernelContext* ctx,
    TF_Buffer* serialized_config_proto, TF_Status* status);
TF_CAPI_EXPORT void TF_IncNumDeferredOps(TF_OpKernelContext* context);
TF_CAPI_EXPORT void TF_DecNumDeferredOps(TF_OpKernelContext* context);

#if !defined(IS_MOBILE_PLATFORM) && !defined(IS_SLIM_BUILD)
TF_CAPI_EXPORT TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext* ctx);
#endif

#ifdef __cplusplus
}
#endif

#endif
