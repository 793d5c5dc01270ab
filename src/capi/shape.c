// dovetail/shape.h: making and computing with shapes and dimensions. The node is in shape_node.c, its
// attributes in shape_attrs.c, values of inputs in shape_values.c, values behind handles in
// shape_handle_data.c.
#include "dovetail/shape.h"

#include <stdlib.h>

#include "capi/shape_handles.h"
#include "op/shape_fn.h"

// ---- making ----

TF_DimensionHandle *TF_ShapeInferenceContext_MakeDim(TF_ShapeInferenceContext *ctx, int64_t value) {
  if (value < -1) return NULL;
  return dvt_dim_handle_new(ctx, value < 0 ? dvt_dim_new_unknown(ctx->arena) : value);
}

TF_DimensionHandle *TF_ShapeInferenceContext_UnknownDim(TF_ShapeInferenceContext *ctx) {
  return dvt_dim_handle_new(ctx, dvt_dim_new_unknown(ctx->arena));
}

TF_ShapeHandle *TF_ShapeInferenceContext_UnknownShape(TF_ShapeInferenceContext *ctx) {
  return dvt_shape_handle_new(ctx, NULL);
}

// The handle, or NULL for an error, which the functions without a status cannot tell.
static TF_ShapeHandle *handle_or_null(TF_ShapeInferenceContext *ctx, dvt_status error, dvt_shape shape) {
  dvt_status_free(error);
  return error ? NULL : dvt_shape_handle_new(ctx, shape);
}

TF_ShapeHandle *TF_ShapeInferenceContext_UnknownShapeOfRank(TF_ShapeInferenceContext *ctx, int64_t rank) {
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_unknown_of_rank(ctx->arena, rank, &shape);
  return handle_or_null(ctx, error, shape);
}

TF_ShapeHandle *TF_ShapeInferenceContext_Vector(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim) {
  dvt_dim dims[] = {dvt_handle_dim(ctx, dim)};
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, dims, 1, false, &shape);
  return handle_or_null(ctx, error, shape);
}

TF_ShapeHandle *TF_ShapeInferenceContext_Matrix(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *rows,
                                                TF_DimensionHandle *cols) {
  dvt_dim dims[] = {dvt_handle_dim(ctx, rows), dvt_handle_dim(ctx, cols)};
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, dims, 2, false, &shape);
  return handle_or_null(ctx, error, shape);
}

static dvt_status check_rank(int rank, int lowest) {
  if (rank >= lowest && rank <= DVT_MAX_RANK) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %d was asked for; ranks %d to %d are possible", rank,
                   lowest, DVT_MAX_RANK);
}

void TF_ShapeInferenceContext_MakeShape(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *const *dims,
                                        int num_dims, TF_ShapeHandle *result, TF_Status *status) {
  dvt_dim values[DVT_MAX_RANK];
  dvt_shape shape = NULL;
  dvt_status error =
      result ? check_rank(num_dims, 0) : dvt_handle_is_null("TF_ShapeInferenceContext_MakeShape");
  for (int i = 0; !error && i < num_dims; i++) values[i] = dvt_handle_dim(ctx, dims[i]);
  if (!error) error = dvt_shape_make(ctx->arena, values, num_dims, false, &shape);
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContext_MakeShapeFromDims(TF_ShapeInferenceContext *ctx, const int64_t *dims,
                                                int num_dims, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error =
      result ? check_rank(num_dims, -1) : dvt_handle_is_null("TF_ShapeInferenceContext_MakeShapeFromDims");
  for (int i = 0; !error && i < num_dims; i++)
    if (dims[i] < -1)
      error = dvt_error(TF_INVALID_ARGUMENT, "dimension %d is %lld; sizes are 0 or more, or -1 for unknown",
                        i, (long long)dims[i]);
  if (!error && num_dims >= 0) error = dvt_shape_make(ctx->arena, dims, num_dims, true, &shape);
  dvt_shape_store(ctx, error, shape, result, status);
}

// ---- computing with shapes ----

void TF_ShapeInferenceContext_Merge(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a, TF_ShapeHandle *b,
                                    TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error =
      result ? dvt_shape_merge(ctx->arena, dvt_handle_shape(ctx, a), dvt_handle_shape(ctx, b), &shape)
             : dvt_handle_is_null("TF_ShapeInferenceContext_Merge");
  dvt_shape_store(ctx, error, shape, result, status);
}

static dvt_status merge_prefix(TF_ShapeInferenceContext *ctx, dvt_shape *shape, dvt_shape *prefix) {
  if (!*shape || !*prefix) return NULL;
  dvt_shape head, tail;
  int rank = (*prefix)->rank;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(*shape, rank, shape));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(ctx->arena, *shape, 0, rank, &head));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(ctx->arena, *shape, rank, INT64_MAX, &tail));
  DVT_RETURN_IF_ERROR(dvt_shape_merge(ctx->arena, head, *prefix, prefix));
  return dvt_shape_concat(ctx->arena, *prefix, tail, shape);
}

void TF_ShapeInferenceContext_MergePrefix(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                          TF_ShapeHandle *prefix, TF_ShapeHandle *shape_result,
                                          TF_ShapeHandle *prefix_result, TF_Status *status) {
  dvt_shape whole = dvt_handle_shape(ctx, shape), head = dvt_handle_shape(ctx, prefix);
  dvt_status error = shape_result && prefix_result
                         ? merge_prefix(ctx, &whole, &head)
                         : dvt_handle_is_null("TF_ShapeInferenceContext_MergePrefix");
  if (prefix_result)
    *prefix_result = error ? (TF_ShapeHandle){NULL, false, 0} : dvt_shape_handle_of(ctx, head);
  dvt_shape_store(ctx, error, whole, shape_result, status);
}

void TF_ShapeInferenceContext_Broadcast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a, TF_ShapeHandle *b,
                                        TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error =
      result ? dvt_shape_broadcast(ctx->arena, dvt_handle_shape(ctx, a), dvt_handle_shape(ctx, b), &shape)
             : dvt_handle_is_null("TF_ShapeInferenceContext_Broadcast");
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContext_ReplaceDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t index,
                                         TF_DimensionHandle *dim, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape replaced = NULL;
  dvt_status error = result ? dvt_shape_replace_dim(ctx->arena, dvt_handle_shape(ctx, shape), index,
                                                    dvt_handle_dim(ctx, dim), &replaced)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_ReplaceDim");
  dvt_shape_store(ctx, error, replaced, result, status);
}

static dvt_status slice_with_stride(TF_ShapeInferenceContext *ctx, dvt_shape shape, int64_t start_in,
                                    int64_t end_in, int64_t stride, dvt_shape *out_shape) {
  if (stride == 0) return dvt_error(TF_INVALID_ARGUMENT, "Subshape stride must not be 0");
  if (stride == 1) return dvt_shape_slice(ctx->arena, shape, start_in, end_in, out_shape);
  if (!shape) return NULL;
  int64_t rank = shape->rank, start = DVT_MIN(start_in, rank), end = DVT_MIN(end_in, rank);
  if (start < 0) start += rank;
  if (end < 0) end += rank;
  // Going backwards, the last dim is taken by an end one before the first.
  int64_t lowest_end = stride < 0 ? -1 : 0;
  if (start < 0 || end < lowest_end || (stride > 0 ? start > end : start < end))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Subshape from %lld to %lld by %lld is out of bounds for a shape of rank %lld",
                     (long long)start_in, (long long)end_in, (long long)stride, (long long)rank);
  dvt_dim dims[DVT_MAX_RANK];
  int count = 0;
  if (stride < 0 && start == rank) start--;
  for (int64_t i = start; stride > 0 ? i < end : i > end; i += stride) {
    dims[count++] = shape->dims[i];
    if (stride > rank || stride < -rank) break;
  }
  return dvt_shape_make(ctx->arena, dims, count, false, out_shape);
}

void TF_ShapeInferenceContext_SubshapeWithStride(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                 int64_t start, int64_t end, int64_t stride,
                                                 TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape part = NULL;
  dvt_status error = result ? slice_with_stride(ctx, dvt_handle_shape(ctx, shape), start, end, stride, &part)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_SubshapeWithStride");
  dvt_shape_store(ctx, error, part, result, status);
}

TF_DimensionHandle *TF_ShapeInferenceContext_NumElements(TF_ShapeInferenceContext *ctx,
                                                         TF_ShapeHandle *shape) {
  return dvt_dim_handle_new(ctx, dvt_shape_element_count(ctx->arena, dvt_handle_shape(ctx, shape)));
}

bool TF_ShapeInferenceContext_FullyDefined(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape) {
  return dvt_shape_is_full(dvt_handle_shape(ctx, shape));
}

void TF_ShapeInferenceContext_Relax(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *old_shape,
                                    TF_ShapeHandle *new_shape, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = result ? dvt_shape_relax(ctx->arena, dvt_handle_shape(ctx, old_shape),
                                              dvt_handle_shape(ctx, new_shape), &shape)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_Relax");
  dvt_shape_store(ctx, error, shape, result, status);
}

// A copy that the caller releases with free(), not with an allocator of ours.
char *dvt_shape_text_copy(dvt_buf *text) {
  char *copy = text->failed || !text->data ? NULL : strdup(text->data);
  dvt_buf_deinit(text);
  return copy;
}

char *TF_ShapeInferenceContext_DebugString(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape) {
  dvt_buf text = {0};
  dvt_shape_print(dvt_handle_shape(ctx, shape), &text);
  return dvt_shape_text_copy(&text);
}

char *TF_ShapeInferenceContext_DimDebugString(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim) {
  dvt_buf text = {0};
  dvt_dim_print(dvt_handle_dim(ctx, dim), &text);
  return dvt_shape_text_copy(&text);
}

// ---- computing with dimensions ----

void TF_ShapeInferenceContext_RelaxDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *old_dim,
                                        TF_DimensionHandle *new_dim, TF_DimensionHandle *result,
                                        TF_Status *status) {
  dvt_dim dim = dvt_dim_relax(ctx->arena, dvt_handle_dim(ctx, old_dim), dvt_handle_dim(ctx, new_dim));
  dvt_dim_store(ctx, result ? NULL : dvt_handle_is_null("TF_ShapeInferenceContext_RelaxDims"), dim, result,
                status);
}

void TF_ShapeInferenceContext_DimKnownRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                           int64_t index, TF_DimensionHandle *result, TF_Status *status) {
  dvt_shape shape = dvt_handle_shape(ctx, handle);
  dvt_status error = result ? NULL : dvt_handle_is_null("TF_ShapeInferenceContext_DimKnownRank");
  if (!error && !shape)
    error = dvt_error(TF_INVALID_ARGUMENT, "dimension %lld of a shape of unknown rank was asked for",
                      (long long)index);
  if (!error && (index < -(int64_t)shape->rank || index >= shape->rank))
    error = dvt_error(TF_INVALID_ARGUMENT, "dimension %lld is out of range for a shape of rank %d",
                      (long long)index, shape->rank);
  dvt_dim_store(ctx, error, error ? 0 : dvt_shape_dim(ctx->arena, shape, index), result, status);
}

void TF_ShapeInferenceContext_MergeDims(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                        TF_DimensionHandle *b, TF_DimensionHandle *result,
                                        TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error = dvt_dim_merge(dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b), &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_WithValue(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim, int64_t value,
                                        TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim fixed = 0;
  dvt_status error =
      value < 0 ? dvt_error(TF_INVALID_ARGUMENT, "a dimension cannot have the size %lld", (long long)value)
                : dvt_dim_with_value(dvt_handle_dim(ctx, dim), value, &fixed);
  dvt_dim_store(ctx, error, fixed, result, status);
}

void TF_ShapeInferenceContext_Add(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                                  TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error = dvt_dim_add(ctx->arena, dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b), &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_Subtract(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                       TF_DimensionHandle *b, TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error = dvt_dim_subtract(ctx->arena, dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b), &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_Multiply(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                       TF_DimensionHandle *b, TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error = dvt_dim_multiply(ctx->arena, dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b), &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_Divide(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dividend,
                                     TF_DimensionHandle *divisor, bool evenly, TF_DimensionHandle *result,
                                     TF_Status *status) {
  dvt_dim dim = 0;
  dvt_status error =
      dvt_dim_divide(ctx->arena, dvt_handle_dim(ctx, dividend), dvt_handle_dim(ctx, divisor), evenly, &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

void TF_ShapeInferenceContext_Min(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                                  TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim_store(ctx, NULL, dvt_dim_min(ctx->arena, dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b)), result,
                status);
}

void TF_ShapeInferenceContext_Max(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                                  TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim_store(ctx, NULL, dvt_dim_max(ctx->arena, dvt_handle_dim(ctx, a), dvt_handle_dim(ctx, b)), result,
                status);
}

// ---- what several ops check ----

void TF_ShapeInferenceContext_WindowedOutputSize(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *input,
                                                 TF_DimensionHandle *filter, int64_t dilation, int64_t stride,
                                                 const char *padding, int64_t before, int64_t after,
                                                 TF_DimensionHandle *result, TF_Status *status) {
  dvt_dim dim = 0;
  dvt_window window = {.stride = stride, .dilation = dilation, .before = before, .after = after};
  dvt_status error = result ? dvt_padding_of_name(dvt_str_from(padding), &window.padding)
                            : dvt_handle_is_null("TF_ShapeInferenceContext_WindowedOutputSize");
  if (!error)
    error =
        dvt_dim_windows(ctx->arena, dvt_handle_dim(ctx, input), dvt_handle_dim(ctx, filter), window, &dim);
  dvt_dim_store(ctx, error, dim, result, status);
}

static dvt_status check_sparse(dvt_shape_arena *arena, dvt_shape indices, dvt_shape values, dvt_shape dense) {
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(arena, indices, 2, &indices));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(arena, values, 1, &values));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(arena, dense, 1, &dense));
  dvt_dim count = indices->dims[0], rank = indices->dims[1];
  if (dvt_dim_known(count) && dvt_dim_known(values->dims[0]) && count != values->dims[0])
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Number of elements in index (%lld) and values (%lld) do not match.", (long long)count,
                     (long long)values->dims[0]);
  if (dvt_dim_known(rank) && dvt_dim_known(dense->dims[0]) && rank != dense->dims[0])
    return dvt_error(TF_INVALID_ARGUMENT, "Index rank (%lld) and shape rank (%lld) do not match.",
                     (long long)rank, (long long)dense->dims[0]);
  return NULL;
}

void TF_ShapeInferenceContext_ValidateSparseTensor(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *indices,
                                                   TF_ShapeHandle *values, TF_ShapeHandle *dense_shape,
                                                   TF_Status *status) {
  dvt_status_to_tf(check_sparse(ctx->arena, dvt_handle_shape(ctx, indices), dvt_handle_shape(ctx, values),
                                dvt_handle_shape(ctx, dense_shape)),
                   status);
}
