// Registration of ops and the shape-inference functions that go with them.
// Unlike the stock header this one declares its handle types with a typedef, so it is C as well as C++.
#ifndef TENSORFLOW_C_OPS_H_
#define TENSORFLOW_C_OPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

// ---- op definitions ----

// A builder for an op; its name is CamelCase, may begin with `_` and may have namespaces divided by
// `>`.
// Owner: copies `op_name`; the caller gives the builder to TF_RegisterOpDefinition or
//   TF_DeleteOpDefinitionBuilder.
// Since: 2.15
TF_CAPI_EXPORT TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name);

// Checks what the builder collected and registers the op.
// Owner: takes `builder`, also on failure.
// Threads: any; registrations are serialized.
// Errors: INVALID_ARGUMENT with all that is wrong in the name, the specs and the defaults;
//   ALREADY_EXISTS when another definition has the name.
// Since: 2.15
TF_CAPI_EXPORT void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder, TF_Status *status);

// Releases a builder that is not going to be registered.
// Owner: takes `builder`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder);

// Adds an attribute, written `name: type`, with an optional `>= minimum` and `= default`; the type may
// be a list or a set of allowed values.
// Owner: copies `attr_spec`.
// Errors: found by TF_RegisterOpDefinition.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder *builder, const char *attr_spec);

// Adds an input, written `name: type` where the type is a dtype, the name of a type attribute, `N*T`
// or `Ref(...)`.
// Owner: copies `input_spec`.
// Errors: found by TF_RegisterOpDefinition.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder *builder, const char *input_spec);

// Adds an output, written as an input is.
// Owner: copies `output_spec`.
// Errors: found by TF_RegisterOpDefinition.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder *builder, const char *output_spec);

// Says that the inputs may be exchanged.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder *builder,
                                                           bool is_commutative);

// Says that the op takes any number of inputs of one type and folds them, associatively and
// commutatively.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder *builder, bool is_aggregate);

// Says that the op keeps state or has effects, so that it is never folded, merged or skipped.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder *builder, bool is_stateful);

// Says that the op accepts a reference input without a value.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder *builder,
                                                                      bool allows_uninitialized_input);

// Says that graphs of GraphDef version `version` and later must not use the op; nodes of such graphs
// fail with UNIMPLEMENTED and the explanation.
// Owner: copies `explanation`.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder, int version,
                                                     const char *explanation);

// Sets the function that computes the output shapes from the input shapes; it runs once for each node
// that is added to a graph.
// Threads: `shape_inference_func` may run on several threads at once.
// Since: 2.15
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *ctx, TF_Status *status));

// ---- shape inference: what a shape function may call ----

// Number of inputs, list arguments flattened.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx);

// An unset shape handle, of unknown rank.
// Owner: the caller releases it with TF_DeleteShapeHandle; the shape it is set to belongs to the
//   context.
// Since: 2.15
TF_CAPI_EXPORT TF_ShapeHandle *TF_NewShapeHandle(void);

// Releases a shape handle.
// Owner: takes `handle`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteShapeHandle(TF_ShapeHandle *handle);

// An unset dimension handle.
// Owner: the caller releases it with TF_DeleteDimensionHandle; the dimension it is set to belongs to
//   the context.
// Since: 2.15
TF_CAPI_EXPORT TF_DimensionHandle *TF_NewDimensionHandle(void);

// Releases a dimension handle.
// Owner: takes `handle`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteDimensionHandle(TF_DimensionHandle *handle);

// Sets `handle` to the shape of input `i`.
// Owner: the caller keeps `handle`.
// Errors: INVALID_ARGUMENT when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i,
                                                     TF_ShapeHandle *handle, TF_Status *status);

// Sets the shape of output `i`; outputs that are not set have unknown rank.
// Owner: copies the shape of `handle`.
// Errors: INVALID_ARGUMENT when the index is out of range.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                      TF_ShapeHandle *handle, TF_Status *status);

// Sets every output to unknown rank; it can itself serve as a shape function.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// A handle with the shape of a scalar.
// Owner: the caller releases it with TF_DeleteShapeHandle.
// Since: 2.15
TF_CAPI_EXPORT TF_ShapeHandle *TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext *ctx);

// A handle with the shape of a vector of `size` elements; (size_t)-1 stands for an unknown size.
// Owner: the caller releases it with TF_DeleteShapeHandle.
// Since: 2.15
TF_CAPI_EXPORT TF_ShapeHandle *TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx,
                                                                      size_t size);

// Reads an attribute of kind type.
// Errors: NOT_FOUND when the node has no such attribute, INVALID_ARGUMENT when it is of another kind;
//   `val` is then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                         TF_DataType *val, TF_Status *status);

// The rank; -1 when unknown.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle);

// 1 when the rank is known, else 0.
// Since: 2.15
TF_CAPI_EXPORT int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle);

// Sets `result` to the shape, narrowed to rank `rank`; an unknown shape becomes one of that many
// unknown dimensions.
// Owner: the caller keeps all handles; `result` may be `handle`.
// Errors: INVALID_ARGUMENT when the rank is another one; `result` is then unset.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                                     int64_t rank, TF_ShapeHandle *result, TF_Status *status);

// Sets `result` to the shape if its rank is unknown or at least `rank`.
// Owner: the caller keeps all handles; `result` may be `handle`.
// Errors: INVALID_ARGUMENT when the rank is smaller; `result` is then unset.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *handle, int64_t rank,
                                                            TF_ShapeHandle *result, TF_Status *status);

// Sets `result` to the shape if its rank is unknown or at most `rank`.
// Owner: the caller keeps all handles; `result` may be `handle`.
// Errors: INVALID_ARGUMENT when the rank is larger; `result` is then unset.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx,
                                                           TF_ShapeHandle *handle, int64_t rank,
                                                           TF_ShapeHandle *result, TF_Status *status);

// Sets `result` to dimension `i`; a negative `i` counts from the end, and one out of range leaves
// `result` unset.
// Owner: the caller keeps all handles.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                                int64_t i, TF_DimensionHandle *result);

// Sets `result` to the dimensions from `start` up to, not including, `end`; negative positions count
// from the end, those past it are clamped.
// Owner: the caller keeps all handles; `result` may be `shape_handle`.
// Errors: INVALID_ARGUMENT when start lies behind end or a position before the shape; `result` is then
//   unset.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx,
                                                     TF_ShapeHandle *shape_handle, int64_t start, int64_t end,
                                                     TF_ShapeHandle *result, TF_Status *status);

// Sets `result` to the dimensions of `first` and then of `second`; unknown if either is.
// Owner: the caller keeps all handles.
// Since: 2.15
TF_CAPI_EXPORT void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx,
                                                              TF_ShapeHandle *first, TF_ShapeHandle *second,
                                                              TF_ShapeHandle *result, TF_Status *status);

// 1 when the size is known, else 0.
// Since: 2.15
TF_CAPI_EXPORT int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle);

// The size; -1 when it is unknown, 0 when the handle is unset.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle);

#ifdef __cplusplus
}
#endif

#endif
