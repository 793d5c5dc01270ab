// Handles of shape inference: small blocks from a free list, shared by the entry points of ops.h and shape.h.
#ifndef DVT_CAPI_SHAPE_HANDLES_H_
#define DVT_CAPI_SHAPE_HANDLES_H_

#include "op/shape_algebra.h"

// NULL when out of memory. The handles carry the call of `ctx`; unset ones are of none.
TF_ShapeHandle *dvt_shape_handle_new(TF_ShapeInferenceContext *ctx, dvt_shape shape) DVT_NODISCARD;
TF_DimensionHandle *dvt_dim_handle_new(TF_ShapeInferenceContext *ctx, dvt_dim dim) DVT_NODISCARD;

// Store an outcome: the value, or an unset handle beside the error. A NULL handle is an error of its own.
void dvt_shape_store(TF_ShapeInferenceContext *ctx, dvt_status error, dvt_shape shape, TF_ShapeHandle *out,
                     TF_Status *status);
void dvt_dim_store(TF_ShapeInferenceContext *ctx, dvt_status error, dvt_dim dim, TF_DimensionHandle *out,
                   TF_Status *status);
dvt_status dvt_handle_is_null(const char *function) DVT_NODISCARD DVT_COLD;
// The text as the functions that describe hand it out, for free(); takes what *text holds. NULL: out of
// memory.
char *dvt_shape_text_copy(dvt_buf *text) DVT_NODISCARD;

static inline TF_ShapeHandle dvt_shape_handle_of(const TF_ShapeInferenceContext *ctx, dvt_shape shape) {
  return (TF_ShapeHandle){shape, true, ctx->call};
}

// Notes in the context that a handle of an earlier call was used; its shape may be gone.
void dvt_handle_is_stale(TF_ShapeInferenceContext *ctx) DVT_COLD;

// The shape of a handle; unknown for NULL, an unset and a stale one.
static inline dvt_shape dvt_handle_shape(TF_ShapeInferenceContext *ctx, const TF_ShapeHandle *handle) {
  if (!handle || !handle->is_set) return NULL;
  if (DVT_LIKELY(handle->call == ctx->call)) return handle->shape;
  dvt_handle_is_stale(ctx);
  return NULL;
}
// An unset or NULL handle stands for a new unknown.
static inline dvt_dim dvt_handle_dim(TF_ShapeInferenceContext *ctx, const TF_DimensionHandle *handle) {
  if (!handle || !handle->is_set) return dvt_dim_new_unknown(ctx->arena);
  if (DVT_LIKELY(handle->call == ctx->call)) return handle->dim;
  dvt_handle_is_stale(ctx);
  return dvt_dim_new_unknown(ctx->arena);
}

#endif  // DVT_CAPI_SHAPE_HANDLES_H_
