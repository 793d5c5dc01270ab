// Shape inference beyond the 21 stock functions of tensorflow/c/ops.h: everything a shape function may ask
// or compute. Ready-made shape functions are in dovetail/shape_fn.h, which this header includes.
//
// The names extend the stock ones (TF_ShapeInferenceContext_...). Handles behave as stock's: the caller makes
// them with TF_NewShapeHandle or TF_NewDimensionHandle and deletes them; a result handle may be one of the
// inputs; every function with a status stores OK on success and leaves the result handle unset on failure.
// Pointers into attributes and shapes are valid until the shape function returns. All of it is for use inside
// a shape function, in the thread that runs it. The conventions and the table from the C++ methods are in
// docs/shape_inference.md.
#ifndef DOVETAIL_SHAPE_H_
#define DOVETAIL_SHAPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "dovetail/shape_fn.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the node ----

// Number of outputs, lists counted element by element.
// Since: dovetail
DVT_EXPORT int64_t TF_ShapeInferenceContext_NumOutputs(TF_ShapeInferenceContext *ctx);

// The positions [start, stop) of the inputs that argument `name` of the op stands for.
// Errors: INVALID_ARGUMENT for a name the op does not have.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_InputRange(TF_ShapeInferenceContext *ctx, const char *name,
                                                    int *start, int *stop, TF_Status *status);

// The positions [start, stop) of the outputs that argument `name` of the op stands for.
// Errors: INVALID_ARGUMENT for a name the op does not have.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_OutputRange(TF_ShapeInferenceContext *ctx, const char *name,
                                                     int *start, int *stop, TF_Status *status);

// The GraphDef version that the graph is built for.
// Since: dovetail
DVT_EXPORT int TF_ShapeInferenceContext_GraphDefVersion(TF_ShapeInferenceContext *ctx);

// The dtype of input `i`, without the mark of a reference; 0 for an index out of range.
// Since: dovetail
DVT_EXPORT TF_DataType TF_ShapeInferenceContext_InputType(TF_ShapeInferenceContext *ctx, int i);

// The dtype that output `i` has by the attributes, without the mark of a reference; 0 for an index out of
// range.
// Since: dovetail
DVT_EXPORT TF_DataType TF_ShapeInferenceContext_OutputType(TF_ShapeInferenceContext *ctx, int i);

// The shapes of the inputs that argument `name` stands for, at most `max_results` of them, stored into
// handles of the caller; InputRange tells how many there are. Errors: INVALID_ARGUMENT for a name the op does
// not have. Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetInputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                                         TF_ShapeHandle *const *results, int max_results,
                                                         TF_Status *status);

// The shapes stored so far for the outputs that argument `name` stands for, at most `max_results` of them.
// Errors: INVALID_ARGUMENT for a name the op does not have.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetOutputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                                          TF_ShapeHandle *const *results, int max_results,
                                                          TF_Status *status);

// Sets all outputs that argument `name` stands for; the handles are copied.
// Errors: INVALID_ARGUMENT for a name the op does not have, or when it stands for another number of outputs
//   than `num_shapes`; no output is then touched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_SetOutputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                                          TF_ShapeHandle *const *shapes, int num_shapes,
                                                          TF_Status *status);

// Makes room for `new_output_count` outputs, the new ones unknown. A node's outputs follow from its
// attributes: what is stored beyond them is forgotten when the shape function returns.
// Errors: INVALID_ARGUMENT for fewer outputs than there are.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_ExpandOutputs(TF_ShapeInferenceContext *ctx, int new_output_count,
                                                       TF_Status *status);

// The node as text for messages: "{{node n}} = Op[T=DT_FLOAT](a, b:1) with input shapes: [2,?], ?".
// Owner: the caller frees the text with free(); NULL when out of memory.
// Since: dovetail
DVT_EXPORT char *TF_ShapeInferenceContext_NodeDebugString(TF_ShapeInferenceContext *ctx);

// ---- attributes ----

// Whether the node, or its op by a default, has the attribute.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_HasAttr(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                 TF_Status *status);

// The size of an attribute: `list_size` is the number of elements or -1 for a scalar; `total_size` the
// bytes of a string or of all strings of a list, the rank of a shape or the sum of ranks of a list of
// shapes, and -1 for all other kinds and for a shape of unknown rank.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrSize(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                     int32_t *list_size, int32_t *total_size,
                                                     TF_Status *status);

// An attribute of type int.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrInt(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                    int64_t *val, TF_Status *status);

// An attribute of type float.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrFloat(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                      float *val, TF_Status *status);

// An attribute of type bool.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrBool(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                     bool *val, TF_Status *status);

// An attribute of type string; not NUL-terminated.
// Owner: `val` points into the node and lives as long as it.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrString(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                       const char **val, size_t *length, TF_Status *status);

// An attribute of type shape; unknown dimensions become unknown dimensions of the inference.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrShape(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                      TF_ShapeHandle *result, TF_Status *status);

// An attribute of type tensor.
// Owner: the caller deletes the tensor; NULL on failure.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_ShapeInferenceContext_GetAttrTensor(TF_ShapeInferenceContext *ctx,
                                                             const char *attr_name, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(int).
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrIntList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                        int64_t *vals, int max_vals, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(float).
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrFloatList(TF_ShapeInferenceContext *ctx,
                                                          const char *attr_name, float *vals, int max_vals,
                                                          TF_Status *status);

// The first `max_vals` elements of an attribute of type list(bool).
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrBoolList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                         bool *vals, int max_vals, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(type).
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrTypeList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                         TF_DataType *vals, int max_vals, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(string); not NUL-terminated.
// Owner: the pointers point into the node and live as long as it.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrStringList(TF_ShapeInferenceContext *ctx,
                                                           const char *attr_name, const char **vals,
                                                           size_t *lengths, int max_vals, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(shape), stored into handles of the caller.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrShapeList(TF_ShapeInferenceContext *ctx,
                                                          const char *attr_name,
                                                          TF_ShapeHandle *const *results, int max_vals,
                                                          TF_Status *status);

// An attribute of type func: the serialised NameAttrList.
// Owner: the caller deletes the buffer; NULL on failure.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_ShapeInferenceContext_GetAttrFunction(TF_ShapeInferenceContext *ctx,
                                                               const char *attr_name, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(func), each a serialised NameAttrList.
// Owner: the caller deletes the buffers.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the values are then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrFunctionList(TF_ShapeInferenceContext *ctx,
                                                             const char *attr_name, TF_Buffer **vals,
                                                             int max_vals, TF_Status *status);

// The first `max_vals` elements of an attribute of type list(tensor).
// Owner: the caller deletes the tensors.
// Errors: NOT_FOUND when the node has no such attribute and its op no default; INVALID_ARGUMENT when the
//   attribute is of another kind; the values are then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetAttrTensorList(TF_ShapeInferenceContext *ctx,
                                                           const char *attr_name, TF_Tensor **vals,
                                                           int max_vals, TF_Status *status);

// An attribute of any kind: the serialised AttrValue.
// Owner: the caller deletes the buffer; NULL on failure.
// Errors: NOT_FOUND when the node has no such attribute and its op no default.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_ShapeInferenceContext_GetAttrValueProto(TF_ShapeInferenceContext *ctx,
                                                                 const char *attr_name, TF_Status *status);

// ---- values of inputs ----

// The value of input `i` if it is known while the graph is built, as that of a constant is, else NULL.
// Owner: the caller deletes the tensor; it must not write to it.
// Errors: INVALID_ARGUMENT for an index out of range; NULL is then returned.
// Since: dovetail
DVT_EXPORT TF_Tensor *TF_ShapeInferenceContext_InputTensor(TF_ShapeInferenceContext *ctx, int i,
                                                           TF_Status *status);

// The shape that input `i`, a vector of integers, spells as far as it is known: its value, else the parts
// of it that are known, else as many unknown dimensions as it has elements, else an unknown shape.
// Errors: INVALID_ARGUMENT for an index out of range, an input that is no vector, values below -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_InputAsPartialShape(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *result, TF_Status *status);

// As InputAsPartialShape; the name of the C++ method that shape functions know.
// Errors: INVALID_ARGUMENT for an index out of range, an input that is no vector, values below -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShapeFromShapeTensor(TF_ShapeInferenceContext *ctx, int i,
                                                                  TF_ShapeHandle *result, TF_Status *status);

// As MakeShapeFromShapeTensor; the scalar -1, or a scalar that is not known yet, is an unknown shape.
// Errors: INVALID_ARGUMENT for an index out of range, an input of rank above 1, another scalar, values below
//   -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShapeFromShapeTensorTreatScalarAsUnknownShape(
    TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *result, TF_Status *status);

// The shape that a tensor spells. Where `tensor` is NULL, not known yet, `tensor_shape` tells the rank by its
// length.
// Errors: INVALID_ARGUMENT for a tensor that is no vector of int32 or int64, values below -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShapeFromTensor(TF_ShapeInferenceContext *ctx,
                                                             const TF_Tensor *tensor,
                                                             TF_ShapeHandle *tensor_shape,
                                                             TF_ShapeHandle *result, TF_Status *status);

// The dimension whose size scalar input `i` gives; unknown if the value is not known yet.
// Errors: INVALID_ARGUMENT for an index out of range, an input that is no scalar or no integer, a negative
//   value.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeDimForScalarInput(TF_ShapeInferenceContext *ctx, int i,
                                                               TF_DimensionHandle *result, TF_Status *status);

// As MakeDimForScalarInput for an axis: a negative value counts from `input_rank`, and gives an unknown
// dimension while that is -1.
// Errors: INVALID_ARGUMENT for an index out of range, an input that is no scalar or no integer, a value below
//   -input_rank.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeDimForScalarInputWithNegativeIndexing(
    TF_ShapeInferenceContext *ctx, int i, int input_rank, TF_DimensionHandle *result, TF_Status *status);

// The value of a scalar of int32 or int64.
// Errors: INVALID_ARGUMENT for another rank or dtype; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetScalarFromTensor(TF_ShapeInferenceContext *ctx,
                                                             const TF_Tensor *tensor, int64_t *val,
                                                             TF_Status *status);

// Element `index` of a vector of int32 or int64; a negative index counts from the end.
// Errors: INVALID_ARGUMENT for another rank or dtype or an index out of range; the value is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetElementFromTensor(TF_ShapeInferenceContext *ctx,
                                                              const TF_Tensor *tensor, int64_t index,
                                                              int64_t *val, TF_Status *status);

// ---- making dimensions and shapes ----

// A dimension of known size, or a new unknown one for -1.
// Owner: the caller deletes the handle; NULL when out of memory or for a size below -1.
// Since: dovetail
DVT_EXPORT TF_DimensionHandle *TF_ShapeInferenceContext_MakeDim(TF_ShapeInferenceContext *ctx, int64_t value);

// A new unknown dimension, equal only to itself.
// Owner: the caller deletes the handle; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_DimensionHandle *TF_ShapeInferenceContext_UnknownDim(TF_ShapeInferenceContext *ctx);

// A shape of unknown rank.
// Owner: the caller deletes the handle; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_ShapeHandle *TF_ShapeInferenceContext_UnknownShape(TF_ShapeInferenceContext *ctx);

// A shape of the given rank, 0 to 254, with new unknown dimensions.
// Owner: the caller deletes the handle; NULL when out of memory or for another rank.
// Since: dovetail
DVT_EXPORT TF_ShapeHandle *TF_ShapeInferenceContext_UnknownShapeOfRank(TF_ShapeInferenceContext *ctx,
                                                                       int64_t rank);

// The shape [dim].
// Owner: the caller deletes the handle and keeps `dim`; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_ShapeHandle *TF_ShapeInferenceContext_Vector(TF_ShapeInferenceContext *ctx,
                                                           TF_DimensionHandle *dim);

// The shape [rows, cols].
// Owner: the caller deletes the handle and keeps the dimensions; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_ShapeHandle *TF_ShapeInferenceContext_Matrix(TF_ShapeInferenceContext *ctx,
                                                           TF_DimensionHandle *rows,
                                                           TF_DimensionHandle *cols);

// The shape of the given dimensions; a NULL or unset handle stands for a new unknown one.
// Owner: the caller keeps the handles.
// Errors: INVALID_ARGUMENT for a rank outside 0 to 254.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShape(TF_ShapeInferenceContext *ctx,
                                                   TF_DimensionHandle *const *dims, int num_dims,
                                                   TF_ShapeHandle *result, TF_Status *status);

// The shape of the given sizes; -1 stands for a new unknown dimension, and a `num_dims` of -1 for an
// unknown rank.
// Errors: INVALID_ARGUMENT for a rank outside -1 to 254 or a size below -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShapeFromDims(TF_ShapeInferenceContext *ctx, const int64_t *dims,
                                                           int num_dims, TF_ShapeHandle *result,
                                                           TF_Status *status);

// The shape of a serialised TensorShapeProto.
// Errors: INVALID_ARGUMENT for bytes that are no such message, a rank above 254, a size below -1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MakeShapeFromShapeProto(TF_ShapeInferenceContext *ctx,
                                                                 const void *proto, size_t proto_bytes,
                                                                 TF_ShapeHandle *result, TF_Status *status);

// The shape as a serialised TensorShapeProto, unknown dimensions as -1.
// Owner: the caller deletes the buffer; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_Buffer *TF_ShapeInferenceContext_ShapeHandleToProto(TF_ShapeInferenceContext *ctx,
                                                                  TF_ShapeHandle *shape, TF_Status *status);

// ---- computing with shapes ----

// The shape that is both `a` and `b`: known parts of either.
// Errors: INVALID_ARGUMENT when they differ in rank or in a known dimension.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Merge(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a,
                                               TF_ShapeHandle *b, TF_ShapeHandle *result, TF_Status *status);

// Merges `prefix` with the first dimensions of `shape`; gives both with what each knows of the other.
// Errors: INVALID_ARGUMENT when `shape` has a lower rank or a known dimension differs.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MergePrefix(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                     TF_ShapeHandle *prefix, TF_ShapeHandle *shape_result,
                                                     TF_ShapeHandle *prefix_result, TF_Status *status);

// The shape that is known of a value that was `old_shape` and may be `new_shape` from now on, as a loop's
// does: what both agree on, else new unknown dimensions, or an unknown shape where the ranks differ. Errors:
// INVALID_ARGUMENT for a NULL result. Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Relax(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *old_shape,
                                               TF_ShapeHandle *new_shape, TF_ShapeHandle *result,
                                               TF_Status *status);

// The shape that elementwise operation on `a` and `b` gives, dimensions of size 1 being repeated.
// Errors: INVALID_ARGUMENT when two dimensions differ and neither is 1.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Broadcast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a,
                                                   TF_ShapeHandle *b, TF_ShapeHandle *result,
                                                   TF_Status *status);

// The shape with one dimension replaced; a negative index counts from the end.
// Errors: INVALID_ARGUMENT for an index out of range.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_ReplaceDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                    int64_t index, TF_DimensionHandle *dim,
                                                    TF_ShapeHandle *result, TF_Status *status);

// Every `stride`-th dimension from `start` up to, not including, `end`; negative positions count from the
// end, a negative stride goes backwards.
// Errors: INVALID_ARGUMENT for positions out of range or a stride of 0.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_SubshapeWithStride(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *shape, int64_t start, int64_t end,
                                                            int64_t stride, TF_ShapeHandle *result,
                                                            TF_Status *status);

// The number of elements; unknown if any dimension is, unless one is 0.
// Owner: the caller deletes the handle; NULL when out of memory.
// Since: dovetail
DVT_EXPORT TF_DimensionHandle *TF_ShapeInferenceContext_NumElements(TF_ShapeInferenceContext *ctx,
                                                                    TF_ShapeHandle *shape);

// Whether rank and all dimensions are known.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_FullyDefined(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape);

// The shape stored for output `i` so far; unknown when none was.
// Errors: INVALID_ARGUMENT for an index out of range.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                   TF_ShapeHandle *result, TF_Status *status);

// The shape as text for messages: "[2,?,5]", or "?" for an unknown rank.
// Owner: the caller frees the text with free(); NULL when out of memory.
// Since: dovetail
DVT_EXPORT char *TF_ShapeInferenceContext_DebugString(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape);

// ---- computing with dimensions ----

// The dimension that is both `a` and `b`.
// Errors: INVALID_ARGUMENT when both are known and differ.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_MergeDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                   TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                   TF_Status *status);

// As Relax, of one dimension.
// Errors: INVALID_ARGUMENT for a NULL result.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_RelaxDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *old_dim,
                                                   TF_DimensionHandle *new_dim, TF_DimensionHandle *result,
                                                   TF_Status *status);

// A dimension of a shape of known rank; a negative index counts from the end.
// Errors: INVALID_ARGUMENT for a shape of unknown rank or an index out of range.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_DimKnownRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                      int64_t index, TF_DimensionHandle *result,
                                                      TF_Status *status);

// The dimension as text for messages: its size, or "?".
// Owner: the caller frees the text with free(); NULL when out of memory.
// Since: dovetail
DVT_EXPORT char *TF_ShapeInferenceContext_DimDebugString(TF_ShapeInferenceContext *ctx,
                                                         TF_DimensionHandle *dim);

// The dimension with the size `value`.
// Errors: INVALID_ARGUMENT when it is known to have another size.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_WithValue(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim,
                                                   int64_t value, TF_DimensionHandle *result,
                                                   TF_Status *status);

// The sum of two dimensions; unknown if either is, unless it cannot matter.
// Errors: INVALID_ARGUMENT when it overflows.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Add(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                             TF_DimensionHandle *b, TF_DimensionHandle *result,
                                             TF_Status *status);

// The difference of two dimensions; unknown if either is, unless it cannot matter.
// Errors: INVALID_ARGUMENT when it would be negative.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Subtract(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                  TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                  TF_Status *status);

// The product of two dimensions; unknown if either is, unless it cannot matter.
// Errors: INVALID_ARGUMENT when it overflows.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Multiply(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                  TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                  TF_Status *status);

// The quotient, rounded down; with `evenly` a remainder is an error.
// Errors: INVALID_ARGUMENT for a divisor of 0, or a remainder with `evenly`.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Divide(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dividend,
                                                TF_DimensionHandle *divisor, bool evenly,
                                                TF_DimensionHandle *result, TF_Status *status);

// The smaller of two dimensions; unknown if either is, unless one is 0.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Min(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                             TF_DimensionHandle *b, TF_DimensionHandle *result,
                                             TF_Status *status);

// The larger of two dimensions; unknown if either is, unless one is 0.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_Max(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                             TF_DimensionHandle *b, TF_DimensionHandle *result,
                                             TF_Status *status);

// ---- what several ops check ----

// How often a window of `filter` elements fits on a dimension. `padding` is "VALID", "SAME" or "EXPLICIT";
// only with the last do the paddings `before` and `after` count. Errors: INVALID_ARGUMENT for a stride or a
// dilation below 1, another padding, a window larger than the dimension. Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_WindowedOutputSize(TF_ShapeInferenceContext *ctx,
                                                            TF_DimensionHandle *input,
                                                            TF_DimensionHandle *filter, int64_t dilation,
                                                            int64_t stride, const char *padding,
                                                            int64_t before, int64_t after,
                                                            TF_DimensionHandle *result, TF_Status *status);

// Whether three shapes are those of a sparse tensor: indices [n, rank], values [n], dense shape [rank].
// Errors: INVALID_ARGUMENT when they are not.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_ValidateSparseTensor(TF_ShapeInferenceContext *ctx,
                                                              TF_ShapeHandle *indices, TF_ShapeHandle *values,
                                                              TF_ShapeHandle *dense_shape, TF_Status *status);

// ---- values behind resources and variants ----
//
// A resource or variant stands for values elsewhere: a variable for one, an iterator for one a component, a
// TensorList for its elements. What is known of them is a list of shapes with dtypes.

// Number of values behind input `i`; -1 when nothing is known of them or the index is out of range.
// Since: dovetail
DVT_EXPORT int TF_ShapeInferenceContext_NumInputHandleShapes(TF_ShapeInferenceContext *ctx, int i);

// Shape and dtype of value `index` behind input `i`; the dtype is 0 while it is not known.
// Errors: INVALID_ARGUMENT for an input or a value that is not there; `type` is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetInputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i,
                                                                    int index, TF_ShapeHandle *shape,
                                                                    TF_DataType *type, TF_Status *status);

// Number of values behind output `i` as stored so far; -1 when none were or the index is out of range.
// Since: dovetail
DVT_EXPORT int TF_ShapeInferenceContext_NumOutputHandleShapes(TF_ShapeInferenceContext *ctx, int i);

// Shape and dtype of value `index` behind output `i` as stored so far.
// Errors: INVALID_ARGUMENT for an output or a value that is not there; `type` is then untouched.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_GetOutputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i,
                                                                     int index, TF_ShapeHandle *shape,
                                                                     TF_DataType *type, TF_Status *status);

// Says what is behind output `i`; the handles are copied, and a NULL handle is an unknown shape.
// Errors: INVALID_ARGUMENT for an index out of range.
// Since: dovetail
DVT_EXPORT void TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                                       TF_ShapeHandle *const *shapes,
                                                                       const TF_DataType *types,
                                                                       int num_values, TF_Status *status);

// Adds to what is known of the values behind input `i`: true when that made a shape or a dtype more precise.
// Shapes that contradict are left as they were; another number of values or another dtype changes nothing.
// The shape function itself sees the change; the producer of the input does not.
// Errors: false, too, for an index out of range and when out of memory.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                                        TF_ShapeHandle *const *shapes,
                                                                        const TF_DataType *types,
                                                                        int num_values);

// Reduces what is known of the values behind input `i` to what the given shapes agree with: true when that
// changed anything. Another number of values or another dtype changes nothing.
// The shape function itself sees the change; the producer of the input does not.
// Errors: false, too, for an index out of range and when out of memory.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_RelaxInputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx,
                                                                             int i,
                                                                             TF_ShapeHandle *const *shapes,
                                                                             const TF_DataType *types,
                                                                             int num_values);

// Adds to what is known of the values behind output `i`: true when that made a shape or a dtype more precise.
// Shapes that contradict are left as they were; another number of values or another dtype changes nothing.
// Errors: false, too, for an index out of range and when out of memory.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_MergeOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                                         TF_ShapeHandle *const *shapes,
                                                                         const TF_DataType *types,
                                                                         int num_values);

// Reduces what is known of the values behind output `i` to what the given shapes agree with: true when that
// changed anything. Another number of values or another dtype changes nothing.
// Errors: false, too, for an index out of range and when out of memory.
// Since: dovetail
DVT_EXPORT bool TF_ShapeInferenceContext_RelaxOutputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx,
                                                                              int i,
                                                                              TF_ShapeHandle *const *shapes,
                                                                              const TF_DataType *types,
                                                                              int num_values);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_SHAPE_H_
