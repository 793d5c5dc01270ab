// What brings many operations into a graph at once: GraphDef import, functions, while loops, gradients.
// Part of c_api.h, which user code includes; the graph itself is in c_api_graph.h.
#ifndef TENSORFLOW_C_C_API_FUNCTION_H_
#define TENSORFLOW_C_C_API_FUNCTION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_graph.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Function TF_Function;
typedef struct TF_FunctionOptions TF_FunctionOptions;
typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;

// ---- importing a GraphDef ----

// Import options with their defaults.
// Owner: the caller releases them with TF_DeleteImportGraphDefOptions.
// Since: 2.15
TF_CAPI_EXPORT TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void);

// Releases the options.
// Owner: takes `opts`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts);

// Puts `prefix` and a slash before the name of every imported node.
// Owner: copies `prefix`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix);

// Sets the device of imported nodes that name none.
// Owner: copies `device`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts,
                                                             const char *device);

// Lets imported nodes take another name when theirs is taken.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts,
                                                             unsigned char uniquify_names);

// Lets the prefix change when a node of the graph uses it already.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                                              unsigned char uniquify_prefix);

// Feeds inputs that name `src_name:src_index` from `dst`, an output in the graph; -1 stands for the
// control input.
// Owner: copies `src_name`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts,
                                                            const char *src_name, int src_index,
                                                            TF_Output dst);

// Replaces control inputs from `src_name` by `dst`, an operation in the graph.
// Owner: copies `src_name`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts,
                                                                   const char *src_name, TF_Operation *dst);

// Makes every imported node without inputs from the import run after `oper`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts,
                                                                 TF_Operation *oper);

// Asks for an output of the import by its name there; if it is mapped, for what it is mapped to.
// Owner: copies `oper_name`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts,
                                                            const char *oper_name, int index);

// Number of outputs asked for.
// Since: 2.15
TF_CAPI_EXPORT int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts);

// Asks for an operation of the import by its name there.
// Owner: copies `oper_name`.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts,
                                                               const char *oper_name);

// Number of operations asked for.
// Since: 2.15
TF_CAPI_EXPORT int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts);

// Adds the nodes and functions of a serialized GraphDef to the graph, all or nothing.
// Errors: INVALID_ARGUMENT for bytes that are no GraphDef and for a graph that is wrong: missing
//   inputs, cycles, taken names; NOT_FOUND for unknown ops, all in one message.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                                           const TF_ImportGraphDefOptions *options, TF_Status *status);

// As TF_GraphImportGraphDef; writes the outputs asked for, in the order they were asked for.
// Errors: as TF_GraphImportGraphDef; INVALID_ARGUMENT when `num_return_outputs` is not the number
//   asked for.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Output *return_outputs, int num_return_outputs,
                                                            TF_Status *status);

// As TF_GraphImportGraphDef; returns what was asked for.
// Owner: the caller releases the results with TF_DeleteImportGraphDefResults.
// Errors: as TF_GraphImportGraphDef; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(
    TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status);

// As TF_GraphImportGraphDefWithResults, with a buffer whose data is an in-memory GraphDef object of
// stock TensorFlow.
// Owner: the caller releases the results with TF_DeleteImportGraphDefResults.
// Errors: UNIMPLEMENTED: that object is a C++ class of another library.
// Since: 2.17
TF_CAPI_EXPORT TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResultsNoSerialization(
    TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status);

// The outputs asked for, in that order.
// Owner: the results keep the array, the graph the operations.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs,
                                                          TF_Output **outputs);

// The operations asked for, in that order.
// Owner: the results keep the array, the graph the operations.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results,
                                                             int *num_opers, TF_Operation ***opers);

// The input mappings whose source is not in the GraphDef.
// Owner: the results keep the arrays and the names.
// Since: 2.15
TF_CAPI_EXPORT void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                                       int *num_missing_unused_input_mappings,
                                                                       const char ***src_names,
                                                                       int **src_indexes);

// Releases the results.
// Owner: takes `results`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results);

// ---- functions ----

// Adds a copy of `func`, and of its gradient `grad` if not NULL, to the graph; the same function again
// is no error.
// Owner: copies both.
// Errors: INVALID_ARGUMENT when another function or op has the name, or `func` has another gradient
//   already.
// Since: 2.15
TF_CAPI_EXPORT void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad,
                                         TF_Status *status);

// Number of functions in the graph.
// Since: 2.15
TF_CAPI_EXPORT int TF_GraphNumFunctions(TF_Graph *g);

// The first `max_func` functions of the graph; returns how many were written.
// Owner: the caller releases each with TF_DeleteFunction.
// Since: 2.15
TF_CAPI_EXPORT int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status);

// A function whose body is the given operations of a graph, all of them when `num_opers` is -1;
// `output_names` may be NULL.
// Owner: copies the body; the caller releases the function with TF_DeleteFunction.
// Errors: INVALID_ARGUMENT when an input of the body is neither in it nor listed, or names collide;
//   NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                                               unsigned char append_hash_to_fn_name, int num_opers,
                                               const TF_Operation *const *opers, int ninputs,
                                               const TF_Output *inputs, int noutputs,
                                               const TF_Output *outputs, const char *const *output_names,
                                               const TF_FunctionOptions *opts, const char *description,
                                               TF_Status *status);

// As TF_GraphToFunction, with operations that run whenever the function does.
// Owner: copies the body; the caller releases the function with TF_DeleteFunction.
// Errors: as TF_GraphToFunction.
// Since: 2.15
TF_CAPI_EXPORT TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation *const *opers, int ninputs, const TF_Output *inputs, int noutputs,
    const TF_Output *outputs, const char *const *output_names, int ncontrol_outputs,
    const TF_Operation *const *control_outputs, const char *const *control_output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status);

// Name of the function.
// Owner: the function keeps the text.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_FunctionName(TF_Function *func);

// Serializes the function as a FunctionDef.
// Owner: the caller gives an empty buffer and releases it.
// Since: 2.15
TF_CAPI_EXPORT void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def,
                                             TF_Status *status);

// A function from a serialized FunctionDef.
// Owner: the caller releases it with TF_DeleteFunction.
// Errors: INVALID_ARGUMENT when the bytes are no FunctionDef; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len,
                                                         TF_Status *status);

// Sets an attribute of the function from a serialized AttrValue.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no AttrValue.
// Since: 2.15
TF_CAPI_EXPORT void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto,
                                                 size_t proto_len, TF_Status *status);

// An attribute of the function as a serialized AttrValue.
// Owner: the caller gives an empty buffer and releases it.
// Errors: INVALID_ARGUMENT for an unknown attribute.
// Since: 2.15
TF_CAPI_EXPORT void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name,
                                                 TF_Buffer *output_attr_value, TF_Status *status);

// Releases the function; graphs keep their copies.
// Owner: takes `func`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteFunction(TF_Function *func);

// ---- while loops and gradients ----

// A loop under construction: two graphs to fill in, see TF_NewWhile.
typedef struct TF_WhileParams {
  const int ninputs;                   // loop variables
  TF_Graph *const cond_graph;          // to fill: decides whether to go on
  const TF_Output *const cond_inputs;  // `ninputs` placeholders in cond_graph
  TF_Output cond_output;               // to set: a scalar of type TF_BOOL in cond_graph
  TF_Graph *const body_graph;          // to fill: one turn
  const TF_Output *const body_inputs;  // `ninputs` placeholders in body_graph
  TF_Output *const body_outputs;       // to set: the loop variables after one turn
  const char *name;                    // to set: unique prefix of the operations made
} TF_WhileParams;

// Begins a while loop over `inputs`: the caller fills condition and body graph of the result, then
// calls TF_FinishWhile or TF_AbortWhile.
// Owner: TF_FinishWhile or TF_AbortWhile releases what the result points to.
// Errors: INVALID_ARGUMENT for bad inputs.
// Since: 2.15
TF_CAPI_EXPORT TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status);

// Adds the loop to the graph and writes its `ninputs` results to `outputs`.
// Owner: releases what `params` points to, also on failure.
// Errors: INVALID_ARGUMENT when condition or body is incomplete or the types differ; `outputs` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs);

// Gives up a loop from TF_NewWhile.
// Owner: releases what `params` points to.
// Since: 2.15
TF_CAPI_EXPORT void TF_AbortWhile(const TF_WhileParams *params);

// Adds operations that compute the partial derivatives of the sum of `y` by each of `x`, weighted by
// `dx`, all ones when NULL; writes `nx` outputs to `dy`.
// Errors: INVALID_ARGUMENT or UNIMPLEMENTED naming the op without a gradient; `dy` is then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx,
                                    TF_Status *status, TF_Output *dy);

// As TF_AddGradients, with a prefix for the names of the operations; NULL chooses `gradients`.
// Owner: copies `prefix`.
// Errors: as TF_AddGradients; INVALID_ARGUMENT when the prefix is taken.
// Since: 2.15
TF_CAPI_EXPORT void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny,
                                              TF_Output *x, int nx, TF_Output *dx, TF_Status *status,
                                              TF_Output *dy);

#ifdef __cplusplus
}
#endif

#endif
