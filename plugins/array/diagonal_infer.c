// The shape functions, declared in array/infer.h, of the ops on diagonals and on partitions.
#include "array/infer.h"
#include "common/shape_pattern.h"
#include "tensorflow/c/tf_tensor.h"

static bool fine(TF_Status *status) { return TF_GetCode(status) == TF_OK; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

// The value of input `i`, one or two int32; their number, or -1 when it is not known.
static int known_ints(TF_ShapeInferenceContext *ctx, int i, int64_t out[2], TF_Status *status) {
  TF_Tensor *value = fine(status) ? TF_ShapeInferenceContext_InputTensor(ctx, i, status) : NULL;
  int64_t count = value ? TF_TensorElementCount(value) : -1;
  for (int64_t k = 0; k < count && k < 2; k++) out[k] = ((const int32_t *)TF_TensorData(value))[k];
  TF_DeleteTensor(value);
  return (int)least(count, 2);
}

// The band that input `i` names; false when it is not known.
static bool known_band(TF_ShapeInferenceContext *ctx, int i, int64_t *lower, int64_t *upper,
                       TF_Status *status) {
  int64_t k[2];
  int count = known_ints(ctx, i, k, status);
  if (count < 1) return false;
  *lower = k[0];
  *upper = k[count - 1];
  if (*lower > *upper)
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "lower_diag_index is larger than upper_diag_index");
  return fine(status);
}

static int64_t size_of(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t axis) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  TF_ShapeInferenceContextDim(ctx, shape, axis, dim);
  int64_t size = TF_DimensionHandleValueKnown(dim) ? TF_DimensionHandleValue(dim) : -1;
  TF_DeleteDimensionHandle(dim);
  return size;
}

// Output 0: the shape without its last `drop` dimensions, and those of `dims` (-1: unknown).
static void output_with(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t drop,
                        const int64_t *dims, int count, TF_Status *status) {
  TF_ShapeHandle *front = TF_NewShapeHandle(), *back = TF_NewShapeHandle();
  int64_t rank = TF_ShapeInferenceContextRank(ctx, shape);
  TF_ShapeInferenceContextSubshape(ctx, shape, 0, rank - drop, front, status);
  if (fine(status)) TF_ShapeInferenceContext_MakeShapeFromDims(ctx, dims, count, back, status);
  if (fine(status)) TF_ShapeInferenceContextConcatenateShapes(ctx, front, back, front, status);
  if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, front, status);
  TF_DeleteShapeHandle(front);
  TF_DeleteShapeHandle(back);
}

static bool input_of_least_rank(TF_ShapeInferenceContext *ctx, int64_t rank, TF_ShapeHandle *out,
                                TF_Status *status) {
  TF_ShapeInferenceContextGetInput(ctx, 0, out, status);
  if (fine(status)) TF_ShapeInferenceContextWithRankAtLeast(ctx, out, rank, out, status);
  return fine(status) && TF_ShapeInferenceContextRankKnown(ctx, out);
}

void dvp_shape_fn_matrix_diag_part(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle();
  int64_t lower = 0, upper = 0, dims[2];
  bool known = input_of_least_rank(ctx, 2, in, status);
  if (TF_ShapeInferenceContextNumInputs(ctx) > 1) known = known_band(ctx, 1, &lower, &upper, status) && known;
  if (known && fine(status)) {
    int64_t rank = TF_ShapeInferenceContextRank(ctx, in), rows = size_of(ctx, in, rank - 2),
            cols = size_of(ctx, in, rank - 1);
    int count = 0;
    if (upper > lower) dims[count++] = upper - lower + 1;
    dims[count++] = rows < 0 || cols < 0 ? -1 : least(rows + least(upper, 0), cols - most(lower, 0));
    if (TF_ShapeInferenceContextNumInputs(ctx) == 1 && (rows == 0 || cols == 0)) dims[count - 1] = 0;
    if (dims[count - 1] < -1)
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "The diagonals are out of range");
    else
      output_with(ctx, in, 2, dims, count, status);
  }
  TF_DeleteShapeHandle(in);
}

void dvp_shape_fn_matrix_diag(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle();
  int64_t lower, upper, rows[2] = {-1}, cols[2] = {-1};
  bool known = input_of_least_rank(ctx, 1, in, status);
  known = known_band(ctx, 1, &lower, &upper, status) && known;
  bool sized = known_ints(ctx, 2, rows, status) == 1;
  sized = known_ints(ctx, 3, cols, status) == 1 && sized;
  if (known && fine(status)) {
    int64_t rank = TF_ShapeInferenceContextRank(ctx, in), longest = size_of(ctx, in, rank - 1);
    int64_t least_rows = longest - least(upper, 0), least_cols = longest + most(lower, 0);
    int64_t dims[2] = {rows[0], cols[0]};
    if (sized && longest >= 0 && dims[0] == -1 && dims[1] == -1) {
      dims[0] = dims[1] = most(least_rows, least_cols);
    } else if (sized && longest >= 0) {
      if (dims[0] == -1) dims[0] = least_rows;
      if (dims[1] == -1) dims[1] = least_cols;
    }
    output_with(ctx, in, upper > lower ? 2 : 1, dims, 2, status);
  }
  TF_DeleteShapeHandle(in);
}

void dvp_shape_fn_diag_part(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *in = TF_NewShapeHandle(), *half = TF_NewShapeHandle(), *rest = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, in, status);
  if (fine(status) && TF_ShapeInferenceContextRankKnown(ctx, in)) {
    int64_t rank = TF_ShapeInferenceContextRank(ctx, in);
    if (rank % 2 || rank == 0)
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "Input must have even and non-zero rank");
    if (fine(status)) TF_ShapeInferenceContextSubshape(ctx, in, 0, rank / 2, half, status);
    if (fine(status)) TF_ShapeInferenceContextSubshape(ctx, in, rank / 2, rank, rest, status);
    if (fine(status)) TF_ShapeInferenceContext_Merge(ctx, half, rest, half, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, half, status);
  }
  TF_DeleteShapeHandle(in);
  TF_DeleteShapeHandle(half);
  TF_DeleteShapeHandle(rest);
}

// ---- partitions ----

// The dimensions of `data` behind those of `indices`, which it starts with; false when they are not known.
static bool behind(TF_ShapeInferenceContext *ctx, int indices, int data, TF_ShapeHandle *out,
                   TF_Status *status) {
  TF_ShapeHandle *index = TF_NewShapeHandle();
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, indices, index, status);
  if (fine(status)) TF_ShapeInferenceContextGetInput(ctx, data, out, status);
  bool known = fine(status) && TF_ShapeInferenceContextRankKnown(ctx, index);
  if (known) {
    TF_ShapeInferenceContext_MergePrefix(ctx, out, index, out, index, status);
    if (fine(status))
      TF_ShapeInferenceContextSubshape(ctx, out, TF_ShapeInferenceContextRank(ctx, index), INT64_MAX, out,
                                       status);
  }
  TF_DeleteShapeHandle(index);
  return known && fine(status);
}

void dvp_shape_fn_dynamic_partition(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *rest = TF_NewShapeHandle();
  int64_t outputs = TF_ShapeInferenceContext_NumOutputs(ctx);
  if (behind(ctx, 1, 0, rest, status))
    for (int64_t i = 0; i < outputs && fine(status); i++) {
      TF_ShapeHandle *shape = TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)-1);
      TF_ShapeInferenceContextConcatenateShapes(ctx, shape, rest, shape, status);
      if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, (int)i, shape, status);
      TF_DeleteShapeHandle(shape);
    }
  TF_DeleteShapeHandle(rest);
}

void dvp_shape_fn_dynamic_stitch(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  int n = (int)TF_ShapeInferenceContextNumInputs(ctx) / 2;
  TF_ShapeHandle *slice = TF_ShapeInferenceContext_UnknownShape(ctx), *rest = TF_NewShapeHandle();
  int64_t rows = 0;
  for (int k = 0; k < n && fine(status); k++) {
    TF_Tensor *indices = TF_ShapeInferenceContext_InputTensor(ctx, k, status);
    if (fine(status) && !indices) rows = -1;
    for (int64_t i = 0; indices && rows >= 0 && i < TF_TensorElementCount(indices); i++)
      rows = most(rows, (int64_t)((const int32_t *)TF_TensorData(indices))[i] + 1);
    TF_DeleteTensor(indices);
    if (behind(ctx, k, n + k, rest, status)) TF_ShapeInferenceContext_Merge(ctx, slice, rest, slice, status);
  }
  if (fine(status)) {
    TF_ShapeHandle *shape = TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)rows);
    TF_ShapeInferenceContextConcatenateShapes(ctx, shape, slice, shape, status);
    if (fine(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
  }
  TF_DeleteShapeHandle(slice);
  TF_DeleteShapeHandle(rest);
}
