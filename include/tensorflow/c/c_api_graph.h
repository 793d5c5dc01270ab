// Graphs and operations: building, asking, changing. Part of c_api.h, which user code includes.
//
// Calls that change a graph, and calls on it while another thread changes it, are serialized inside; an
// operation lives until its graph is deleted. Functions without a TF_Status that are given something invalid
// log it and return NULL, 0 or -1; none ends the process.
#ifndef TENSORFLOW_C_C_API_GRAPH_H_
#define TENSORFLOW_C_C_API_GRAPH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Graph TF_Graph;
typedef struct TF_OperationDescription TF_OperationDescription;
typedef struct TF_Operation TF_Operation;

// The index-th input of an operation.
typedef struct TF_Input {
  TF_Operation *oper;
  int index;
} TF_Input;

// The index-th output of an operation.
typedef struct TF_Output {
  TF_Operation *oper;
  int index;
} TF_Output;

// ---- graphs ----

// An empty graph.
// Owner: the caller releases it with TF_DeleteGraph.
// Since: 2.15
TF_CAPI_EXPORT TF_Graph *TF_NewGraph(void);

// Releases the graph; one that sessions still use lives until they are deleted.
// Owner: takes `graph` and the operations in it; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteGraph(TF_Graph *graph);

// Narrows the static shape of an output; `num_dims` -1 and dimensions of -1 are unknown.
// Errors: INVALID_ARGUMENT when it contradicts what is known, or the output does not exist.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims,
                                           const int num_dims, TF_Status *status);

// Rank of the static shape of an output; -1 when unknown.
// Errors: INVALID_ARGUMENT when the output does not exist.
// Since: 2.15
TF_CAPI_EXPORT int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status);

// Static shape of an output, -1 for unknown dimensions; `num_dims` comes from
// TF_GraphGetTensorNumDims.
// Errors: INVALID_ARGUMENT when the output does not exist or the rank is another one.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
                                           TF_Status *status);

// The operation of that name, or NULL.
// Owner: the graph keeps it.
// Since: 2.15
TF_CAPI_EXPORT TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name);

// Walks over all operations in the order they were added: begin with `*pos` 0, end at NULL.
// Owner: the graph keeps them.
// Since: 2.15
TF_CAPI_EXPORT TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos);

// Serializes the graph into an empty buffer.
// Owner: the caller releases the buffer's content with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status);

// The serialized OpDef of an op or function known to the graph.
// Owner: the caller gives an empty buffer and releases it.
// Errors: NOT_FOUND for an unknown op.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def,
                                     TF_Status *status);

// The serialized VersionDef of the graph.
// Owner: the caller gives an empty buffer and releases it.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status);

// Computes an output that depends on constants only: 1 and `*result`, or 0 when it does not.
// Owner: the caller deletes the tensor.
// Errors: what the evaluation reports; 0 is then returned.
// Since: 2.15
TF_CAPI_EXPORT unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result,
                                                    TF_Status *status);

// Makes `new_src` the source of the input `dst` of an operation.
// A session that has run the operation keeps the old source, and warns of it at its next step; new sessions
// follow the change. The same holds for attributes, devices and control inputs set on operations.
// Errors: OUT_OF_RANGE when the output or the input does not exist, INVALID_ARGUMENT when types or
//   shapes do not fit.
// Since: 2.15
TF_CAPI_EXPORT void TF_UpdateEdge(TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status);

// ---- building an operation ----

// Begins an operation; it joins the graph in TF_FinishOperation.
// Owner: copies both names; TF_FinishOperation takes the description.
// Since: 2.15
TF_CAPI_EXPORT TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type,
                                                        const char *oper_name);

// As TF_NewOperation, for code of the runtime itself that holds the graph's lock already.
// Owner: copies both names; TF_FinishOperationLocked takes the description.
// Since: 2.15
TF_CAPI_EXPORT TF_OperationDescription *TF_NewOperationLocked(TF_Graph *graph, const char *op_type,
                                                              const char *oper_name);

// Sets the device to run on, as in /device:CPU:0; empty is any.
// Owner: copies `device`.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetDevice(TF_OperationDescription *desc, const char *device);

// Gives the next input argument, which takes one tensor.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddInput(TF_OperationDescription *desc, TF_Output input);

// Gives the next input argument, which takes a list.
// Owner: copies `inputs`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs);

// Makes the operation run after `input`.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input);

// Puts the operation on the device of `op`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op);

// Sets an attribute of kind string.
// Owner: copies `length` bytes.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value,
                                     size_t length);

// Sets a list of strings; string `i` has `lengths[i]` bytes.
// Owner: copies the strings.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name,
                                         const void *const *values, const size_t *lengths, int num_values);

// Sets an attribute of kind int.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value);

// Sets a list of ints.
// Owner: copies `values`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name,
                                      const int64_t *values, int num_values);

// Sets an attribute of kind float.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value);

// Sets a list of floats.
// Owner: copies `values`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name,
                                        const float *values, int num_values);

// Sets an attribute of kind bool.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value);

// Sets a list of bools.
// Owner: copies `values`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name,
                                       const unsigned char *values, int num_values);

// Sets an attribute of kind type.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value);

// Sets a list of types.
// Owner: copies `values`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name,
                                       const TF_DataType *values, int num_values);

// Sets an attribute of a function body to the attribute `placeholder` of the function itself.
// Owner: copies `placeholder`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name,
                                          const char *placeholder);

// Sets an attribute of kind func to a function's name.
// Owner: copies `length` bytes.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name,
                                       const char *value, size_t length);

// Sets an attribute of kind shape; `num_dims` -1 and dimensions of -1 are unknown.
// Owner: copies `dims`.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims,
                                    int num_dims);

// Sets a list of shapes; shape `i` has `num_dims[i]` dimensions.
// Owner: copies the dimensions.
// Errors: found by TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name,
                                        const int64_t *const *dims, const int *num_dims, int num_shapes);

// Sets an attribute of kind shape from a serialized TensorShapeProto.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no TensorShapeProto.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name,
                                               const void *proto, size_t proto_len, TF_Status *status);

// Sets a list of shapes from serialized TensorShapeProtos.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when one of them is no TensorShapeProto.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name,
                                                   const void *const *protos, const size_t *proto_lens,
                                                   int num_shapes, TF_Status *status);

// Sets an attribute of kind tensor.
// Owner: takes a reference of its own; the caller still deletes `value`.
// Errors: INVALID_ARGUMENT for a tensor that no graph can hold.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value,
                                     TF_Status *status);

// Sets a list of tensors.
// Owner: takes references of its own; the caller still deletes the tensors.
// Errors: INVALID_ARGUMENT for a tensor that no graph can hold.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name,
                                         TF_Tensor *const *values, int num_values, TF_Status *status);

// Sets an attribute from a serialized AttrValue.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no AttrValue.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name,
                                         const void *proto, size_t proto_len, TF_Status *status);

// Checks the operation, infers its shapes and adds it to the graph.
// Owner: takes `desc`, also on failure; the graph keeps the operation.
// Errors: INVALID_ARGUMENT naming node and op when inputs or attributes do not fit, the name is taken
//   or the shapes contradict, or the op is unknown; NULL is then returned and the graph unchanged.
// Since: 2.15
TF_CAPI_EXPORT TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status);

// As TF_FinishOperation, for a description from TF_NewOperationLocked.
// Owner: takes `desc`, also on failure; the graph keeps the operation.
// Errors: as TF_FinishOperation.
// Since: 2.15
TF_CAPI_EXPORT TF_Operation *TF_FinishOperationLocked(TF_OperationDescription *desc, TF_Status *status);

// ---- asking an operation ----

// Name of the operation.
// Owner: the graph keeps the text.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_OperationName(TF_Operation *oper);

// Name of its op.
// Owner: the graph keeps the text.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_OperationOpType(TF_Operation *oper);

// The device that was asked for; empty for any.
// Owner: the graph keeps the text.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_OperationDevice(TF_Operation *oper);

// Number of outputs, list arguments flattened.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationNumOutputs(TF_Operation *oper);

// Element type of an output.
// Errors: 0 and a log line when the output does not exist.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_OperationOutputType(TF_Output oper_out);

// Number of outputs of the named output argument.
// Errors: INVALID_ARGUMENT for an unknown argument; -1 is then returned.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status);

// Number of inputs, list arguments flattened, without control inputs.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationNumInputs(TF_Operation *oper);

// Element type of an input.
// Errors: 0 and a log line when the input does not exist.
// Since: 2.15
TF_CAPI_EXPORT TF_DataType TF_OperationInputType(TF_Input oper_in);

// Number of inputs of the named input argument.
// Errors: INVALID_ARGUMENT for an unknown argument; -1 is then returned.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status);

// The output that feeds an input.
// Errors: {NULL, -1} when the input does not exist.
// Since: 2.15
TF_CAPI_EXPORT TF_Output TF_OperationInput(TF_Input oper_in);

// The outputs that feed the first `max_inputs` inputs.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationAllInputs(TF_Operation *oper, TF_Output *inputs, int max_inputs);

// Number of inputs that an output feeds; it may change when operations are added.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationOutputNumConsumers(TF_Output oper_out);

// Writes the first `max_consumers` inputs that an output feeds; returns how many there are.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers, int max_consumers);

// Number of control inputs.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationNumControlInputs(TF_Operation *oper);

// Writes the first `max_control_inputs` control inputs; returns how many there are.
// Owner: the graph keeps the operations.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs,
                                                int max_control_inputs);

// Number of operations that wait for this one through control inputs.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationNumControlOutputs(TF_Operation *oper);

// Writes the first `max_control_outputs` of these operations; returns how many there are.
// Owner: the graph keeps the operations.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs,
                                                 int max_control_outputs);

// Serializes the operation as a NodeDef.
// Owner: the caller gives an empty buffer and releases it.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status);

// ---- attributes of an operation ----

// What kind of value an attribute has and how much room it takes.
typedef struct TF_AttrMetadata {
  unsigned char is_list;  // 1: the value is a list
  int64_t list_size;      // number of elements; -1 where is_list is 0
  TF_AttrType type;       // of the value, or of each element
  // string: bytes; list of strings: bytes of all; shape: rank, -1 unknown; list of shapes: dimensions of all.
  // Without meaning for other types.
  int64_t total_size;
} TF_AttrMetadata;

// Kind and sizes of an attribute.
// Errors: INVALID_ARGUMENT for an unknown attribute.
// Since: 2.15
TF_CAPI_EXPORT TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name,
                                                           TF_Status *status);

// Copies at most `max_length` bytes of an attribute of kind string, without a NUL.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value,
                                              size_t max_length, TF_Status *status);

// Copies the first `max_values` strings of a list one after another into `storage` and sets
// `values[i]` and `lengths[i]`.
// Owner: `values[i]` point into `storage`, which the caller keeps.
// Errors: INVALID_ARGUMENT for an unknown attribute, another kind or too little storage.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values,
                                                  size_t *lengths, int max_values, void *storage,
                                                  size_t storage_size, TF_Status *status);

// Reads an attribute of kind int.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind; `value` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrInt(TF_Operation *oper, const char *attr_name, int64_t *value,
                                           TF_Status *status);

// Reads the first `max_values` elements of a list of ints.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrIntList(TF_Operation *oper, const char *attr_name, int64_t *values,
                                               int max_values, TF_Status *status);

// Reads an attribute of kind float.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind; `value` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrFloat(TF_Operation *oper, const char *attr_name, float *value,
                                             TF_Status *status);

// Reads the first `max_values` elements of a list of floats.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrFloatList(TF_Operation *oper, const char *attr_name, float *values,
                                                 int max_values, TF_Status *status);

// Reads an attribute of kind bool.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind; `value` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrBool(TF_Operation *oper, const char *attr_name, unsigned char *value,
                                            TF_Status *status);

// Reads the first `max_values` elements of a list of bools.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrBoolList(TF_Operation *oper, const char *attr_name,
                                                unsigned char *values, int max_values, TF_Status *status);

// Reads an attribute of kind type.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind; `value` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrType(TF_Operation *oper, const char *attr_name, TF_DataType *value,
                                            TF_Status *status);

// Reads the first `max_values` elements of a list of types.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrTypeList(TF_Operation *oper, const char *attr_name,
                                                TF_DataType *values, int max_values, TF_Status *status);

// Reads the first `num_dims` dimensions of an attribute of kind shape, -1 for unknown ones.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value,
                                             int num_dims, TF_Status *status);

// Copies the first `num_shapes` shapes of a list one after another into `storage` and sets `dims[i]`
// and `num_dims[i]`, -1 for unknown rank.
// Owner: `dims[i]` point into `storage`, which the caller keeps.
// Errors: INVALID_ARGUMENT for an unknown attribute, another kind or too little storage.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims,
                                                 int *num_dims, int num_shapes, int64_t *storage,
                                                 int storage_size, TF_Status *status);

// An attribute of kind shape as a serialized TensorShapeProto.
// Owner: the caller gives an empty buffer and releases it.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name,
                                                        TF_Buffer *value, TF_Status *status);

// The first `max_values` shapes of a list as serialized TensorShapeProtos.
// Owner: the caller releases each buffer with TF_DeleteBuffer.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name,
                                                            TF_Buffer **values, int max_values,
                                                            TF_Status *status);

// Reads an attribute of kind tensor.
// Owner: the caller deletes the tensor.
// Errors: NOT_FOUND for an unknown attribute, INVALID_ARGUMENT for another kind; `*value` is then
//   NULL.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value,
                                              TF_Status *status);

// Reads the first `max_values` tensors of a list.
// Owner: the caller deletes each tensor.
// Errors: INVALID_ARGUMENT for an unknown attribute or another kind.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name,
                                                  TF_Tensor **values, int max_values, TF_Status *status);

// An attribute as a serialized AttrValue.
// Owner: the caller gives an empty buffer and releases it.
// Errors: INVALID_ARGUMENT for an unknown attribute.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name,
                                                  TF_Buffer *output_attr_value, TF_Status *status);

// Number of attributes.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationGetNumAttrs(TF_Operation *oper);

// Bytes of the name of attribute `i`, without a NUL.
// Errors: -1 when there is no such attribute.
// Since: 2.15
TF_CAPI_EXPORT int TF_OperationGetAttrNameLength(TF_Operation *oper, int i);

// Copies the name of attribute `i`, without a NUL; `output` has the room that
// TF_OperationGetAttrNameLength says.
// Errors: OUT_OF_RANGE when there is no such attribute.
// Since: 2.15
TF_CAPI_EXPORT void TF_OperationGetAttrName(TF_Operation *oper, int i, char *output, TF_Status *status);

// ---- changing a graph after it was built ----

// Makes `op` run after `input`; both are in the graph already.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddOperationControlInput(TF_Graph *graph, TF_Operation *op, TF_Operation *input);

// Sets an attribute of an operation in the graph from a serialized AttrValue.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no AttrValue.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name,
                               TF_Buffer *attr_value_proto, TF_Status *status);

// Removes an attribute of an operation in the graph, if it has it.
// Errors: INVALID_ARGUMENT when the operation is not in the graph.
// Since: 2.15
TF_CAPI_EXPORT void TF_ClearAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Status *status);

// Sets the full type of an operation in the graph from a serialized FullTypeDef.
// Owner: copies the bytes.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetFullType(TF_Graph *graph, TF_Operation *op, const TF_Buffer *full_type_proto);

// Sets the device of an operation in the graph.
// Owner: copies `device`.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetRequestedDevice(TF_Graph *graph, TF_Operation *op, const char *device);

// Removes the control inputs of an operation in the graph.
// Since: 2.15
TF_CAPI_EXPORT void TF_RemoveAllControlInputs(TF_Graph *graph, TF_Operation *op);

// Says whether an op without a shape function is an error in this graph, as it is by default.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetRequireShapeInferenceFns(TF_Graph *graph, bool require);

// What is known of the shapes and types behind a resource or variant output, as a serialized
// HandleData.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_GetHandleShapeAndType(TF_Graph *graph, TF_Output output);

// Says what is behind a resource or variant output, with a serialized HandleData.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no HandleData, OUT_OF_RANGE when the output does not
//   exist.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetHandleShapeAndType(TF_Graph *graph, TF_Output output, const void *proto,
                                             size_t proto_len, TF_Status *status);

// Adds an input to the While operation `dst`, whose attribute T has been extended before.
// Errors: INTERNAL when `dst` is no While operation, INVALID_ARGUMENT when the types do not fit.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddWhileInputHack(TF_Graph *graph, TF_Output new_src, TF_Operation *dst,
                                         TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
