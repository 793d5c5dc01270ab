// The part of the C ABI that stock TensorFlow calls experimental: pluggable devices, checkpoints, XLA
// switches, shape inference for single ops.
#ifndef TENSORFLOW_C_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_C_C_API_EXPERIMENTAL_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TFE_Context TFE_Context;
typedef struct TFE_Op TFE_Op;
typedef struct TFE_TensorHandle TFE_TensorHandle;
typedef struct TF_AttrBuilder TF_AttrBuilder;
typedef struct TF_CheckpointReader TF_CheckpointReader;

// ---- plugins with devices ----

// Loads a plugin and calls those of its entry points SE_InitPlugin, TF_InitGraph, TF_InitProfiler and
// TF_InitKernel that it has; all it registers counts, or nothing.
// Owner: the caller releases the handle with TF_DeletePluggableDeviceLibraryHandle; the process keeps
//   the library.
// Threads: any; loads are serialized.
// Errors: as TF_LoadLibrary, and what an entry point reports; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Library *TF_LoadPluggableDeviceLibrary(const char *library_filename, TF_Status *status);

// Releases the handle; the plugin stays loaded.
// Owner: takes `lib_handle`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeletePluggableDeviceLibraryHandle(TF_Library *lib_handle);

// ---- XLA switches ----

// Sets the global JIT level in the options: on when `enable` is not 0.
// Since: 2.15
TF_CAPI_EXPORT void TF_EnableXLACompilation(TF_SessionOptions *options, unsigned char enable);

// Sets the process-wide switch for compiling lazily and returns what it was.
// Since: 2.15
TF_CAPI_EXPORT unsigned char TF_SetXlaEnableLazyCompilation(unsigned char enable);

// Sets the process-wide switch for compiling on CPU devices and returns what it was.
// Since: 2.15
TF_CAPI_EXPORT unsigned char TF_SetTfXlaCpuGlobalJit(unsigned char enable);

// Sets the process-wide mode of automatic compilation from the text of the XLA flag.
// Owner: copies `mode`.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetXlaAutoJitMode(const char *mode);

// 1 when automatic compilation is on in the process.
// Since: 2.15
TF_CAPI_EXPORT unsigned char TF_GetXlaAutoJitEnabled(void);

// Sets the process-wide smallest number of nodes to compile together.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetXlaMinClusterSize(int size);

// 1 when constant folding is switched off in the process.
// Since: 2.15
TF_CAPI_EXPORT unsigned char TF_GetXlaConstantFoldingDisabled(void);

// Switches constant folding off, or on with 0, in the process.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetXlaConstantFoldingDisabled(unsigned char should_enable);

// ---- configuration protos ----

// A serialized ConfigProto with the given global JIT level, GPU memory growth and number of CPU
// devices.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_CreateConfig(unsigned char enable_xla_compilation,
                                          unsigned char gpu_memory_allow_growth,
                                          unsigned int num_cpu_devices);

// A serialized RunOptions with full tracing, or none with 0.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_CreateRunOptions(unsigned char enable_full_trace);

// A serialized ServerDef from its text form.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Errors: INVALID_ARGUMENT for text that is no ServerDef; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TFE_GetServerDef(const char *text_proto, TF_Status *status);

// Says whether an import fails when a node is to be colocated with one that does not exist, as it does
// by default.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetValidateColocationConstraints(TF_ImportGraphDefOptions *opts,
                                                                             unsigned char enable);

// ---- looking at graphs and functions ----

// The graph as text for people.
// Owner: the caller releases it with free().
// Since: 2.15
TF_CAPI_EXPORT const char *TF_GraphDebugString(TF_Graph *graph, size_t *len);

// The function as text for people.
// Owner: the caller releases it with free().
// Since: 2.15
TF_CAPI_EXPORT char *TF_FunctionDebugString(TF_Function *func, size_t *len);

// Removes a function from the graph.
// Errors: INVALID_ARGUMENT for an unknown function.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphRemoveFunction(TF_Graph *g, const char *func_name, TF_Status *status);

// ---- named queues of a session ----

// Runs the node `fifo_queue_dequeue_<tensor_id>` and returns its tensor, once there is one.
// Owner: the caller deletes the tensor.
// Errors: as TF_SessionRun, INVALID_ARGUMENT without such a node; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_DequeueNamedTensor(TF_Session *session, int tensor_id, TF_Status *status);

// Runs the node `fifo_queue_enqueue_<tensor_id>` with its placeholder `arg_tensor_enqueue_<tensor_id>`
// fed.
// Owner: the caller keeps the tensor.
// Errors: as TF_SessionRun, INVALID_ARGUMENT without such a node.
// Since: 2.15
TF_CAPI_EXPORT void TF_EnqueueNamedTensor(TF_Session *session, int tensor_id, TF_Tensor *tensor,
                                          TF_Status *status);

// ---- checkpoints ----

// Opens a checkpoint; `filename` is its path without .index.
// Owner: the caller releases it with TF_DeleteCheckpointReader.
// Errors: NOT_FOUND for missing files, DATA_LOSS for damaged ones; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_CheckpointReader *TF_NewCheckpointReader(const char *filename, TF_Status *status);

// Closes the checkpoint.
// Owner: takes `reader`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteCheckpointReader(TF_CheckpointReader *reader);

// Number of variables.
// Since: 2.15
TF_CAPI_EXPORT int TF_CheckpointReaderSize(TF_CheckpointReader *reader);

// 1 when the checkpoint holds the variable, else 0.
// Since: 2.15
TF_CAPI_EXPORT int TF_CheckpointReaderHasTensor(TF_CheckpointReader *reader, const char *name);

// Name of the variable with that number.
// Owner: the reader keeps the text.
// Errors: NULL when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_CheckpointReaderGetVariable(TF_CheckpointReader *reader, int index);

// Element type of a variable.
// Errors: 0 and a log line for an unknown variable.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_CheckpointReaderGetVariableDataType(TF_CheckpointReader *reader,
                                                                  const char *name);

// Rank of a variable.
// Errors: -1 and a log line for an unknown variable.
// Since: 2.15
TF_CAPI_EXPORT int TF_CheckpointReaderGetVariableNumDims(TF_CheckpointReader *reader, const char *name);

// Shape of a variable; `num_dims` is its rank.
// Errors: NOT_FOUND for an unknown variable, INVALID_ARGUMENT for another rank.
// Since: 2.15
TF_CAPI_EXPORT void TF_CheckpointReaderGetVariableShape(TF_CheckpointReader *reader, const char *name,
                                                        int64_t *dims, int num_dims, TF_Status *status);

// Reads a variable.
// Owner: the caller deletes the tensor.
// Errors: NOT_FOUND for an unknown variable, DATA_LOSS for damaged data; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Tensor *TF_CheckpointReaderGetTensor(TF_CheckpointReader *reader, const char *name,
                                                       TF_Status *status);

// ---- asking about an op and its attributes ----

// A set of attributes for an op, to ask what a node with them could do.
// Owner: copies `op_name`; the caller releases it with TF_DeleteAttrBuilder.
// Since: 2.15
TF_CAPI_EXPORT TF_AttrBuilder *TF_NewAttrBuilder(const char *op_name);

// Releases the set.
// Owner: takes `builder`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteAttrBuilder(TF_AttrBuilder *builder);

// Sets an attribute of kind type.
// Since: 2.15
TF_CAPI_EXPORT void TF_AttrBuilderSetType(TF_AttrBuilder *builder, const char *attr_name, TF_DataType value);

// Sets a list of types.
// Owner: copies `values`.
// Since: 2.15
TF_CAPI_EXPORT void TF_AttrBuilderSetTypeList(TF_AttrBuilder *builder, const char *attr_name,
                                              const TF_DataType *values, int num_values);

// Whether a kernel on that device type would run such a node.
// Errors: NOT_FOUND or INVALID_ARGUMENT saying why not.
// Since: 2.15
TF_CAPI_EXPORT void TF_AttrBuilderCheckCanRunOnDevice(TF_AttrBuilder *builder, const char *device_type,
                                                      TF_Status *status);

// Name of the attribute that holds the length of list input `input_index` of an op.
// Owner: static text, as long as the op is registered.
// Errors: NOT_FOUND for an unknown op or an input that is no such list, INVALID_ARGUMENT for an index
//   out of range; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_GetNumberAttrForOpListInput(const char *op_name, int input_index,
                                                          TF_Status *status);

// 1 when the op is stateful, else 0.
// Errors: NOT_FOUND for an unknown op.
// Since: 2.15
TF_CAPI_EXPORT int TF_OpIsStateful(const char *op_type, TF_Status *status);

// ---- the process ----

// Takes the arguments of main; there is nothing to do on this platform.
// Since: 2.15
TF_CAPI_EXPORT void TF_InitMain(const char *usage, int *argc, char ***argv);

// A TCP port that nobody used a moment ago, for tests.
// Errors: 0 and a log line when there is none.
// Since: 2.15
TF_CAPI_EXPORT int TF_PickUnusedPortOrDie(void);

// Sets the status to INTERNAL with a message.
// Owner: copies `errMsg`.
// Since: 2.15
TF_CAPI_EXPORT void TF_MakeInternalErrorStatus(TF_Status *status, const char *errMsg);

// ---- eager ----

// An eager tensor from one element.
// Owner: copies `len` bytes; the caller releases the handle with TFE_DeleteTensorHandle.
// Errors: INVALID_ARGUMENT when `len` is not the size of the type.
// Since: 2.15
TF_CAPI_EXPORT TFE_TensorHandle *TFE_NewTensorHandleFromScalar(TF_DataType data_type, void *data, size_t len,
                                                               TF_Status *status);

// Gives the context a serialized ServerDef for collective ops.
// Errors: INVALID_ARGUMENT when the bytes are no ServerDef.
// Since: 2.15
TF_CAPI_EXPORT void TFE_EnableCollectiveOps(TFE_Context *ctx, const void *proto, size_t proto_len,
                                            TF_Status *status);

// Ends all collective ops that go on, and later ones, with `status`.
// Since: 2.15
TF_CAPI_EXPORT void TFE_AbortCollectiveOps(TFE_Context *ctx, TF_Status *status);

// Asks whether a task answers within `timeout_in_ms` milliseconds.
// Errors: DEADLINE_EXCEEDED or UNAVAILABLE when it does not.
// Since: 2.15
TF_CAPI_EXPORT void TFE_CollectiveOpsCheckPeerHealth(TFE_Context *ctx, const char *task,
                                                     int64_t timeout_in_ms, TF_Status *status);

// ---- shapes of one op ----

typedef struct TF_ShapeAndType {
  int num_dims;   // -1: unknown rank
  int64_t *dims;  // -1: unknown size
  TF_DataType dtype;
} TF_ShapeAndType;

typedef struct TF_ShapeAndTypeList {
  int num_items;
  TF_ShapeAndType *items;
} TF_ShapeAndTypeList;

// A list of `num_shapes` shapes, all of unknown rank and type 0.
// Owner: the caller releases it with TF_DeleteShapeAndTypeList.
// Errors: NULL for a negative number or when memory is out.
// Since: 2.15
TF_CAPI_EXPORT TF_ShapeAndTypeList *TF_NewShapeAndTypeList(int num_shapes);

// Sets the shape of one element; dimensions of -1 are unknown.
// Owner: copies `dims`.
// Errors: a bad index or rank is logged and ignored.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeAndTypeListSetShape(TF_ShapeAndTypeList *shape_list, int index,
                                                const int64_t *dims, int num_dims);

// Sets one element to unknown rank.
// Errors: a bad index is logged and ignored.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeAndTypeListSetUnknownShape(TF_ShapeAndTypeList *shape_list, int index);

// Sets the type of one element.
// Errors: a bad index is logged and ignored.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeAndTypeListSetDtype(TF_ShapeAndTypeList *shape_list, int index,
                                                TF_DataType dtype);

// Releases the list.
// Owner: takes `shape_list`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteShapeAndTypeList(TF_ShapeAndTypeList *shape_list);

// Releases an array of lists and the lists in it.
// Owner: takes `shape_list_array`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteShapeAndTypeListArray(TF_ShapeAndTypeList **shape_list_array, int num_items);

// Runs the shape function of an eager op over the given input shapes; `input_tensors` and the
// arguments after it may be NULL.
// Owner: the caller releases the lists with TF_DeleteShapeAndTypeList.
// Errors: what the shape function reports.
// Since: 2.15
TF_CAPI_EXPORT void TFE_InferShapes(TFE_Op *op, TF_ShapeAndTypeList *input_shapes, TF_Tensor **input_tensors,
                                    TF_ShapeAndTypeList *input_tensor_as_shapes,
                                    TF_ShapeAndTypeList **input_resource_shapes_and_types,
                                    TF_ShapeAndTypeList **output_shapes,
                                    TF_ShapeAndTypeList ***output_resource_shapes_and_types,
                                    TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
