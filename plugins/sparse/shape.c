// The shape functions declared in sparse/shape.h, on top of patterns where these say a part.
#include "sparse/shape.h"

#include "common/shape_pattern.h"
#include "tensorflow/c/tf_tensor.h"

static bool fine(TF_Status *status) { return TF_GetCode(status) == TF_OK; }

static void input_of_rank(TF_ShapeInferenceContext *ctx, int i, int64_t rank, TF_ShapeHandle *out,
                          TF_Status *status) {
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, i, out, status);
  if (fine(status)) TF_ShapeInferenceContextWithRank(ctx, out, rank, out, status);
}

void dvs_shape_fn_matmul(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *a = TF_NewShapeHandle(), *b = TF_NewShapeHandle(), *out = NULL;
  TF_DimensionHandle *rows = TF_NewDimensionHandle(), *cols = TF_NewDimensionHandle(),
                     *inner = TF_NewDimensionHandle(), *depth = TF_NewDimensionHandle();
  bool adjoint_a = false, adjoint_b = false;
  dvp_shape_match(ctx, "n 2; n; 2; _ -> _", status);
  if (fine(status)) TF_ShapeInferenceContext_GetAttrBool(ctx, "adjoint_a", &adjoint_a, status);
  if (fine(status)) TF_ShapeInferenceContext_GetAttrBool(ctx, "adjoint_b", &adjoint_b, status);
  input_of_rank(ctx, 3, 2, b, status);
  if (fine(status)) TF_ShapeInferenceContext_MakeShapeFromShapeTensor(ctx, 2, a, status);
  if (fine(status)) TF_ShapeInferenceContextWithRank(ctx, a, 2, a, status);
  if (fine(status)) {
    TF_ShapeInferenceContextDim(ctx, a, adjoint_a, rows);
    TF_ShapeInferenceContextDim(ctx, a, !adjoint_a, inner);
    TF_ShapeInferenceContextDim(ctx, b, adjoint_b, depth);
    TF_ShapeInferenceContextDim(ctx, b, !adjoint_b, cols);
    TF_ShapeInferenceContext_MergeDims(ctx, inner, depth, inner, status);
  }
  if (fine(status)) out = TF_ShapeInferenceContext_Matrix(ctx, rows, cols);
  if (out) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  TF_DeleteShapeHandle(a);
  TF_DeleteShapeHandle(b);
  TF_DeleteShapeHandle(out);
  TF_DeleteDimensionHandle(rows);
  TF_DeleteDimensionHandle(cols);
  TF_DeleteDimensionHandle(inner);
  TF_DeleteDimensionHandle(depth);
}

enum { MAX_RANK = 254 };

// The result's dims from the dense shape and the axes; its rank, or -1 when an axis is out of range.
static int reduced_dims(const TF_Tensor *shape, const TF_Tensor *axes, bool keep_dims, int64_t *dims) {
  const int64_t *sizes = TF_TensorData(shape);
  const int32_t *list = TF_TensorData(axes);
  int64_t rank = TF_TensorElementCount(shape), count = TF_TensorElementCount(axes);
  bool reduced[MAX_RANK] = {false};
  int out = 0;
  if (rank > MAX_RANK) return -1;
  for (int64_t i = 0; i < count; i++) {
    if (list[i] < -rank || list[i] >= rank) return -1;
    reduced[list[i] < 0 ? list[i] + rank : list[i]] = true;
  }
  for (int d = 0; d < rank; d++)
    if (keep_dims || !reduced[d]) dims[out++] = reduced[d] ? 1 : sizes[d];
  return out;
}

void dvs_shape_fn_reduce(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  bool keep_dims = false;
  int64_t dims[MAX_RANK];
  TF_ShapeInferenceContext_GetAttrBool(ctx, "keep_dims", &keep_dims, status);
  TF_Tensor *shape = fine(status) ? TF_ShapeInferenceContext_InputTensor(ctx, 2, status) : NULL;
  TF_Tensor *axes = shape ? TF_ShapeInferenceContext_InputTensor(ctx, 3, status) : NULL;
  int rank = shape && axes ? reduced_dims(shape, axes, keep_dims, dims) : -1;
  if (fine(status) && rank >= 0) {
    TF_ShapeHandle *out = TF_NewShapeHandle();
    TF_ShapeInferenceContext_MakeShapeFromDims(ctx, dims, rank, out, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
    TF_DeleteShapeHandle(out);
  }
  TF_DeleteTensor(shape);
  TF_DeleteTensor(axes);
}

void dvs_shape_fn_concat(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  int n = (int)TF_ShapeInferenceContextNumInputs(ctx) / 3;
  TF_DimensionHandle *count = TF_ShapeInferenceContext_MakeDim(ctx, 0), *more = TF_NewDimensionHandle(),
                     *rank = TF_NewDimensionHandle();
  TF_ShapeHandle *shape = TF_NewShapeHandle(), *all = TF_ShapeInferenceContext_UnknownShape(ctx);
  for (int i = 0; i < n && fine(status); i++) {
    input_of_rank(ctx, n + i, 1, shape, status);
    input_of_rank(ctx, i, 2, shape, status);
    if (!fine(status)) break;
    TF_ShapeInferenceContextDim(ctx, shape, 0, more);
    TF_ShapeInferenceContextDim(ctx, shape, 1, rank);
    TF_ShapeInferenceContext_Add(ctx, count, more, count, status);
    TF_ShapeHandle *ranks = TF_ShapeInferenceContext_Vector(ctx, rank);
    if (fine(status)) TF_ShapeInferenceContext_Merge(ctx, all, ranks, all, status);
    TF_DeleteShapeHandle(ranks);
    input_of_rank(ctx, 2 * n + i, 1, shape, status);
    if (fine(status)) TF_ShapeInferenceContext_Merge(ctx, all, shape, all, status);
  }
  if (fine(status)) {
    TF_ShapeInferenceContextDim(ctx, all, 0, rank);
    TF_ShapeHandle *indices = TF_ShapeInferenceContext_Matrix(ctx, count, rank),
                   *values = TF_ShapeInferenceContext_Vector(ctx, count);
    TF_ShapeInferenceContextSetOutput(ctx, 0, indices, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 1, values, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 2, all, status);
    TF_DeleteShapeHandle(indices);
    TF_DeleteShapeHandle(values);
  }
  TF_DeleteDimensionHandle(count);
  TF_DeleteDimensionHandle(more);
  TF_DeleteDimensionHandle(rank);
  TF_DeleteShapeHandle(shape);
  TF_DeleteShapeHandle(all);
}

void dvs_shape_fn_split(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  int n = (int)TF_ShapeInferenceContext_NumOutputs(ctx) / 3;
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_DimensionHandle *rank = TF_NewDimensionHandle(), *some = TF_ShapeInferenceContext_UnknownDim(ctx);
  input_of_rank(ctx, 3, 1, shape, status);
  if (fine(status)) TF_ShapeInferenceContextDim(ctx, shape, 0, rank);
  for (int i = 0; i < n && fine(status); i++) {
    TF_ShapeHandle *indices = TF_ShapeInferenceContext_Matrix(ctx, some, rank),
                   *values = TF_ShapeInferenceContext_Vector(ctx, some);
    TF_ShapeInferenceContextSetOutput(ctx, i, indices, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, n + i, values, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 2 * n + i, shape, status);
    TF_DeleteShapeHandle(indices);
    TF_DeleteShapeHandle(values);
  }
  TF_DeleteShapeHandle(shape);
  TF_DeleteDimensionHandle(rank);
  TF_DeleteDimensionHandle(some);
}

void dvs_shape_fn_unsorted(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *data = TF_NewShapeHandle(), *ids = TF_NewShapeHandle(), *out = NULL;
  TF_DimensionHandle *rows = TF_NewDimensionHandle();
  dvp_shape_match(ctx, "_; _; . -> _", status);
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, 0, data, status);
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, 1, ids, status);
  bool known = fine(status) && TF_ShapeInferenceContextRankKnown(ctx, ids);
  if (known) {
    TF_ShapeInferenceContext_MergePrefix(ctx, data, ids, data, ids, status);
    if (fine(status))
      TF_ShapeInferenceContextSubshape(ctx, data, TF_ShapeInferenceContextRank(ctx, ids), INT64_MAX, data,
                                       status);
    if (fine(status)) TF_ShapeInferenceContext_MakeDimForScalarInput(ctx, 2, rows, status);
    if (fine(status)) out = TF_ShapeInferenceContext_Vector(ctx, rows);
    if (out) TF_ShapeInferenceContextConcatenateShapes(ctx, out, data, out, status);
    if (out && fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, out, status);
  }
  TF_DeleteShapeHandle(data);
  TF_DeleteShapeHandle(ids);
  TF_DeleteShapeHandle(out);
  TF_DeleteDimensionHandle(rows);
}

static void set_dims(TF_ShapeInferenceContext *ctx, int output, const int64_t *dims, int rank,
                     TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  if (fine(status)) TF_ShapeInferenceContext_MakeShapeFromDims(ctx, dims, rank, shape, status);
  if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, output, shape, status);
  TF_DeleteShapeHandle(shape);
}

void dvs_shape_fn_ctc_beam(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *scores = TF_NewShapeHandle(), *logits = TF_NewShapeHandle();
  TF_DimensionHandle *batch = TF_NewDimensionHandle();
  int64_t top = 0;
  const int64_t pairs[] = {-1, 2}, values[] = {-1}, shape[] = {2};
  dvp_shape_match(ctx, "t b c; b -> _", status);
  if (fine(status)) TF_ShapeInferenceContext_GetAttrInt(ctx, "top_paths", &top, status);
  for (int64_t i = 0; i < top && fine(status); i++) {
    set_dims(ctx, (int)i, pairs, 2, status);
    set_dims(ctx, (int)(top + i), values, 1, status);
    set_dims(ctx, (int)(2 * top + i), shape, 1, status);
  }
  input_of_rank(ctx, 0, 3, logits, status);
  if (fine(status)) {
    TF_DimensionHandle *paths = TF_ShapeInferenceContext_MakeDim(ctx, top);
    TF_ShapeInferenceContextDim(ctx, logits, 1, batch);
    TF_DeleteShapeHandle(scores);
    scores = TF_ShapeInferenceContext_Matrix(ctx, batch, paths);
    TF_ShapeInferenceContextSetOutput(ctx, (int)(3 * top), scores, status);
    TF_DeleteDimensionHandle(paths);
  }
  TF_DeleteShapeHandle(scores);
  TF_DeleteShapeHandle(logits);
  TF_DeleteDimensionHandle(batch);
}

void dvs_shape_fn_edit_distance(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  int64_t dims[MAX_RANK];
  dvp_shape_match(ctx, "n r; n; r; m r; m; r -> _", status);
  TF_Tensor *a = fine(status) ? TF_ShapeInferenceContext_InputTensor(ctx, 2, status) : NULL;
  TF_Tensor *b = a ? TF_ShapeInferenceContext_InputTensor(ctx, 5, status) : NULL;
  if (b && fine(status) && TF_TensorElementCount(a) == TF_TensorElementCount(b) &&
      TF_TensorElementCount(a) <= MAX_RANK) {
    const int64_t *x = TF_TensorData(a), *y = TF_TensorData(b);
    int rank = (int)TF_TensorElementCount(a) - 1;
    for (int i = 0; i < rank; i++) dims[i] = x[i] > y[i] ? x[i] : y[i];
    set_dims(ctx, 0, dims, rank > 0 ? rank : 0, status);
  }
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
}
