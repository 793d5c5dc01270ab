// ops.h, shape inference: the 21 functions that a stock shape function may call. Handles are small heap
// objects that point to shapes of the inference's arena; every function with a status stores OK on success
// (semantics rules 72-93).
#include "base/status_internal.h"
#include "base/thread_cache.h"
#include "capi/shape_handles.h"
#include "tensorflow/c/ops.h"

// Both kinds of handle are blocks of one size, so that they share a free list.
typedef union handle_block {
  TF_ShapeHandle shape;
  TF_DimensionHandle dim;
} handle_block;

// Apart, so that the way through the free list saves no registers.
DVT_COLD static void *handle_allocate(void) {
  handle_block *block = dvt_malloc(sizeof *block);
  if (block) *block = (handle_block){.shape = {NULL, false, 0}};
  return block;
}

// Of an unset shape or dimension; both are the same bytes.
static inline void *handle_new(void) {
  handle_block *block = dvt_cache_pop(DVT_CACHE_SHAPE);
  if (DVT_UNLIKELY(!block)) return handle_allocate();
  *block = (handle_block){.shape = {NULL, false, 0}};
  return block;
}

DVT_COLD static void handle_free(void *handle) {
  if (handle && !dvt_cache_push(DVT_CACHE_SHAPE, handle)) dvt_free(handle);
}

static inline void handle_delete(void *handle) {
  dvt_thread_cache *cache = DVT_CACHE_OFF ? NULL : dvt_thread_cache_current;
  if (DVT_UNLIKELY(!handle || !cache || cache->lists[DVT_CACHE_SHAPE].count >= DVT_CACHE_LIMIT))
    handle_free(handle);
  else
    (void)dvt_cache_push(DVT_CACHE_SHAPE, handle);
}

TF_ShapeHandle *dvt_shape_handle_new(TF_ShapeInferenceContext *ctx, dvt_shape shape) {
  TF_ShapeHandle *handle = handle_new();
  if (handle) *handle = dvt_shape_handle_of(ctx, shape);
  return handle;
}

TF_DimensionHandle *dvt_dim_handle_new(TF_ShapeInferenceContext *ctx, dvt_dim dim) {
  TF_DimensionHandle *handle = handle_new();
  if (handle) *handle = (TF_DimensionHandle){dim, true, ctx->call};
  return handle;
}

dvt_status dvt_handle_is_null(const char *function) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s: a handle is NULL; make it with TF_NewShapeHandle or TF_NewDimensionHandle", function);
}

void dvt_handle_is_stale(TF_ShapeInferenceContext *ctx) {
  ctx->misuse = "used a handle of an earlier call; handles are good until the shape function returns";
}

enum {
  MAX_QUESTIONS = 1 << 20
};  // of one call in debug mode; the longest honest ones ask some thousand times

// In debug mode a function that loops gets errors from here on, and with them a reason to stop.
DVT_COLD static dvt_status count_question(TF_ShapeInferenceContext *ctx, dvt_status error) {
  if (error || ++ctx->question_count <= MAX_QUESTIONS) return error;
  ctx->misuse = "asked a million times without an end: it loops";
  return dvt_error(TF_ABORTED, "more than %d calls in one shape function: it loops", MAX_QUESTIONS);
}

static inline dvt_status question(TF_ShapeInferenceContext *ctx, dvt_status error) {
  return DVT_LIKELY(ctx->call == 0) ? error : count_question(ctx, error);
}

void dvt_shape_store(TF_ShapeInferenceContext *ctx, dvt_status error, dvt_shape shape, TF_ShapeHandle *out,
                     TF_Status *status) {
  error = question(ctx, error);
  if (out) *out = error ? (TF_ShapeHandle){NULL, false, 0} : dvt_shape_handle_of(ctx, shape);
  dvt_status_to_tf(error, status);
}

void dvt_dim_store(TF_ShapeInferenceContext *ctx, dvt_status error, dvt_dim dim, TF_DimensionHandle *out,
                   TF_Status *status) {
  error = question(ctx, error);
  if (out) *out = error ? (TF_DimensionHandle){0, false, 0} : (TF_DimensionHandle){dim, true, ctx->call};
  dvt_status_to_tf(error, status);
}

DVT_CACHE_LINE TF_ShapeHandle *TF_NewShapeHandle(void) { return handle_new(); }
DVT_CACHE_LINE void TF_DeleteShapeHandle(TF_ShapeHandle *handle) { handle_delete(handle); }
TF_DimensionHandle *TF_NewDimensionHandle(void) { return handle_new(); }
void TF_DeleteDimensionHandle(TF_DimensionHandle *handle) { handle_delete(handle); }

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx) { return ctx->node->input_count; }

// The two calls of every shape function: the way that goes well calls nothing and saves no registers, the
// other is apart. An index below 0 is a large one without its sign.

static inline bool is_plain(const TF_ShapeInferenceContext *ctx, const TF_Status *status) {
  return DVT_LIKELY(ctx->call == 0 && status && status->code == TF_OK);
}

DVT_COLD static void get_input(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                               TF_Status *status) {
  dvt_status result = NULL;
  if (!handle)
    result = dvt_handle_is_null("TF_ShapeInferenceContextGetInput");
  else if (i < 0 || i >= ctx->node->input_count)
    result = dvt_error(TF_INVALID_ARGUMENT, "input index out of range: %d, the node has %d inputs", i,
                       ctx->node->input_count);
  else
    *handle = dvt_shape_handle_of(ctx, ctx->inputs[i]);
  dvt_status_to_tf(question(ctx, result), status);
}

DVT_CACHE_LINE void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i,
                                                     TF_ShapeHandle *handle, TF_Status *status) {
  if (DVT_LIKELY(handle && (uint32_t)i < (uint32_t)ctx->node->input_count && is_plain(ctx, status)))
    *handle = (TF_ShapeHandle){ctx->inputs[(uint32_t)i], true, 0};
  else
    get_input(ctx, i, handle, status);
}

DVT_COLD static void set_output(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                TF_Status *status) {
  dvt_status result = NULL;
  dvt_shape *output = dvt_shape_output(ctx, i);
  if (!handle)
    result = dvt_handle_is_null("TF_ShapeInferenceContextSetOutput");
  else if (!output)
    result = dvt_error(TF_INVALID_ARGUMENT, "output index out of range: %d, the node has %d outputs", i,
                       ctx->node->output_count);
  else
    *output = dvt_handle_shape(ctx, handle);
  dvt_status_to_tf(result, status);
}

DVT_CACHE_LINE void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                      TF_ShapeHandle *handle, TF_Status *status) {
  if (DVT_LIKELY(handle && (uint32_t)i < (uint32_t)ctx->node->output_count && is_plain(ctx, status)))
    ctx->outputs[(uint32_t)i] = handle->shape;  // NULL when unset
  else
    set_output(ctx, i, handle, status);
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  for (int i = 0; i < ctx->node->output_count; i++) ctx->outputs[i] = NULL;
  dvt_status_to_tf(NULL, status);
}

TF_ShapeHandle *TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext *ctx) {
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, NULL, 0, false, &shape);
  dvt_status_free(error);
  return error ? NULL : dvt_shape_handle_new(ctx, shape);
}

TF_ShapeHandle *TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size) {
  dvt_dim dim = size > (size_t)INT64_MAX ? -1 : (dvt_dim)size;
  dvt_shape shape = NULL;
  dvt_status error = dvt_shape_make(ctx->arena, &dim, 1, true, &shape);
  dvt_status_free(error);
  return error ? NULL : dvt_shape_handle_new(ctx, shape);
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
  return dvt_shape_rank(dvt_handle_shape(ctx, handle));
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle) {
  return dvt_handle_shape(ctx, handle) != NULL;
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle, int64_t rank,
                                      TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = handle && result
                         ? dvt_shape_with_rank(ctx->arena, dvt_handle_shape(ctx, handle), rank, &shape)
                         : dvt_handle_is_null("TF_ShapeInferenceContextWithRank");
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                             int64_t rank, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = handle && result
                         ? dvt_shape_with_rank_at_least(dvt_handle_shape(ctx, handle), rank, &shape)
                         : dvt_handle_is_null("TF_ShapeInferenceContextWithRankAtLeast");
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                            int64_t rank, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = handle && result
                         ? dvt_shape_with_rank_at_most(dvt_handle_shape(ctx, handle), rank, &shape)
                         : dvt_handle_is_null("TF_ShapeInferenceContextWithRankAtMost");
  dvt_shape_store(ctx, error, shape, result, status);
}

// A dim of an unknown shape is unknown; an index outside the rank gives an unset handle (rules 80, 81).
void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle, int64_t i,
                                 TF_DimensionHandle *result) {
  if (!result) return;
  dvt_shape shape = dvt_handle_shape(ctx, shape_handle);
  bool in_range = !shape || (i >= -(int64_t)shape->rank && i < shape->rank);
  bool is_set = shape_handle && in_range;
  *result = (TF_DimensionHandle){is_set ? dvt_shape_dim(ctx->arena, shape, i) : 0, is_set, ctx->call};
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                      int64_t start, int64_t end, TF_ShapeHandle *result, TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error = shape_handle && result ? dvt_shape_slice(ctx->arena, dvt_handle_shape(ctx, shape_handle),
                                                              start, end, &shape)
                                            : dvt_handle_is_null("TF_ShapeInferenceContextSubshape");
  dvt_shape_store(ctx, error, shape, result, status);
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *first,
                                               TF_ShapeHandle *second, TF_ShapeHandle *result,
                                               TF_Status *status) {
  dvt_shape shape = NULL;
  dvt_status error =
      first && second && result
          ? dvt_shape_concat(ctx->arena, dvt_handle_shape(ctx, first), dvt_handle_shape(ctx, second), &shape)
          : dvt_handle_is_null("TF_ShapeInferenceContextConcatenateShapes");
  dvt_shape_store(ctx, error, shape, result, status);
}

int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle) {
  return dim_handle && dim_handle->is_set && dvt_dim_known(dim_handle->dim);
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle) {
  if (!dim_handle || !dim_handle->is_set) return 0;
  return dvt_dim_known(dim_handle->dim) ? dim_handle->dim : -1;
}
