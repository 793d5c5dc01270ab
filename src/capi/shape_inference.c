// ops.h, shape inference: the 21 functions that a stock shape function may call. Handles are small heap
// objects that point to shapes of the inference's arena; every function with a status stores OK on success
// (semantics rules 72-93).
#include "base/thread_cache.h"
#include "capi/shape_handles.h"
#include "tensorflow/c/ops.h"

// Both kinds of handle are blocks of one size, so that they share a free list.
typedef union handle_block {
  TF_ShapeHandle shape;
  TF_DimensionHandle dim;
} handle_block;

static void *handle_new(void) {
  void *block = dvt_cache_pop(DVT_CACHE_SHAPE);
  return block ? block : dvt_malloc(sizeof(handle_block));
}

static void handle_delete(void *handle) {
  if (handle && !dvt_cache_push(DVT_CACHE_SHAPE, handle)) dvt_free(handle);
}

TF_ShapeHandle *dvt_shape_handle_new(dvt_shape shape, bool is_set) {
  TF_ShapeHandle *handle = handle_new();
  if (handle) *handle = (TF_ShapeHandle){shape, is_set};
  return handle;
}

TF_DimensionHandle *dvt_dim_handle_new(dvt_dim dim, bool is_set) {
  TF_DimensionHandle *handle = handle_new();
  if (handle) *handle = (TF_DimensionHandle){dim, is_set};
  return handle;
}

dvt_status dvt_handle_is_null(const char *function) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s: a handle is NULL; make it with TF_NewShapeHandle or TF_NewDimensionHandle", function);
}

void dvt_shape_store(dvt_status error, dvt_shape shape, TF_ShapeHandle *out, TF_Status *status) {
  if (out) *out = error ? (TF_ShapeHandle){NULL, false} : (TF_ShapeHandle){shape, true};
  dvt_status_to_tf(error, status);
}

void dvt_dim_store(dvt_status error, dvt_dim dim, TF_DimensionHandle *out, TF_Status *status) {
  if (out) *out = error ? (TF_DimensionHandle){0, false} : (TF_DimensionHandle){dim, true};
  dvt_status_to_tf(error, status);
}

TF_ShapeHandle *TF_NewShapeHandle(void) { return dvt_shape_handle_new(NULL, false); }
void TF_DeleteShapeHandle(TF_ShapeHandle *handle) { handle_delete(handle); }
TF_DimensionHandle *TF_NewDimensionHandle(void) { return dvt_dim_handle_new(0, false); }
void TF_DeleteDimensionHandle(TF_DimensionHandle *handle) { handle_delete(handle); }

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx) { return ctx->node->input_count; }

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                      TF_Status *status) {
  dvt_status result = NULL;
  if (DVT_UNLIKELY(!handle)) {
    result = dvt_handle_is_null("TF_ShapeInferenceContextGetInput");
  } else if (DVT_UNLIKELY(i < 0 || i >= ctx->node->input_count)) {
    result = dvt_error(TF_INVALID_ARGUMENT, "input index out of range: %d, the node has %d inputs", i,
                       ctx->node->input_count);
  } else {
    *handle = (TF_ShapeHandle){ctx->inputs[i], true};
  }
  dvt_status_to_tf(result, status);
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                       TF_Status *status) {
  dvt_status result = NULL;
  dvt_shape *output = dvt_shape_output(ctx, i);
  if (DVT_UNLIKELY(!handle)) {
    result = dvt_handle_is_null("TF_ShapeInferenceContextSetOutput");
  } else if (DVT_UNLIKELY(!output)) {
    result = dvt_error(TF_INVALID_ARGUMENT, "output index out of range: %d, the node has %d outputs", i,
                       ctx->node->output_count);
  } else {
    *output = handle->shape;
  }
  dvt_status_to_tf(result, status);
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  for (int i = 0; i < ctx->node->output_count; i++) ctx->outputs[i] = NULL;
  dvt_status_to_tf(NULL, status);
}

TF_ShapeHandle *TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext *ctx) {
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, NULL, 0, false, &shape);
  dvt_status_free(error);
  return error ? NULL : dvt_shape_handle_new(shape, true);
}

TF_ShapeHandle *TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size) {
  dvt_dim dim = size > (size_t)INT64_MAX ? -1 : (dvt_dim)size;
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, &dim, 1, true, &shape);
  dvt_status_free(error);
  return error ? NULL : dvt_shape_handle_new(shape, true);
}

void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                          TF_DataType *val, TF_Status *status) {
  dvt_str value;
  int dtype;
  dvt_status result = dvt_node_attr_or_error(ctx->node, dvt_str_from(attr_name), &value);
  if (!result) result = dvt_attr_get_type(value, &dtype);
  if (!result) *val = (TF_DataType)dtype;
  dvt_status_to_tf(result, status);
}

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle) {
  (void)ctx;
  return handle ? dvt_shape_rank(handle->shape) : -1;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle) {
  (void)ctx;
  return handle && handle->shape;
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle, int64_t rank,
                                      TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = handle && result ? dvt_shape_with_rank(ctx->arena, handle->shape, rank, &shape)
                                      : dvt_handle_is_null("TF_ShapeInferenceContextWithRank");
  dvt_shape_store(error, shape, result, status);
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                             int64_t rank, TF_ShapeHandle *result, TF_Status *status) {
  (void)ctx;
  dvt_shape shape = NULL;
  dvt_status error = handle && result ? dvt_shape_with_rank_at_least(handle->shape, rank, &shape)
                                      : dvt_handle_is_null("TF_ShapeInferenceContextWithRankAtLeast");
  dvt_shape_store(error, shape, result, status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                            int64_t rank, TF_ShapeHandle *result, TF_Status *status) {
  (void)ctx;
  dvt_shape shape = NULL;
  dvt_status error = handle && result ? dvt_shape_with_rank_at_most(handle->shape, rank, &shape)
                                      : dvt_handle_is_null("TF_ShapeInferenceContextWithRankAtMost");
  dvt_shape_store(error, shape, result, status);
}

// A dim of an unknown shape is unknown; an index outside the rank gives an unset handle (rules 80, 81).
void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle, int64_t i,
                                 TF_DimensionHandle *result) {
  if (!result) return;
  dvt_shape shape = shape_handle ? shape_handle->shape : NULL;
  bool in_range = !shape || (i >= -(int64_t)shape->rank && i < shape->rank);
  bool is_set = shape_handle && in_range;
  *result = (TF_DimensionHandle){is_set ? dvt_shape_dim(ctx->arena, shape, i) : 0, is_set};
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                      int64_t start, int64_t end, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = shape_handle && result
                         ? dvt_shape_slice(ctx->arena, shape_handle->shape, start, end, &shape)
                         : dvt_handle_is_null("TF_ShapeInferenceContextSubshape");
  dvt_shape_store(error, shape, result, status);
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *first,
                                               TF_ShapeHandle *second, TF_ShapeHandle *result,
                                               TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = first && second && result
                         ? dvt_shape_concat(ctx->arena, first->shape, second->shape, &shape)
                         : dvt_handle_is_null("TF_ShapeInferenceContextConcatenateShapes");
  dvt_shape_store(error, shape, result, status);
}

int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle) {
  return dim_handle && dim_handle->is_set && dvt_dim_known(dim_handle->dim);
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle) {
  if (!dim_handle || !dim_handle->is_set) return 0;
  return dvt_dim_known(dim_handle->dim) ? dim_handle->dim : -1;
}
