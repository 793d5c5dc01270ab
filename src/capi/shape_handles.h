// Handles of shape inference: small blocks from a free list, shared by the entry points of ops.h and shape.h.
#ifndef DVT_CAPI_SHAPE_HANDLES_H_
#define DVT_CAPI_SHAPE_HANDLES_H_

#include "op/shape_algebra.h"

// NULL when out of memory.
TF_ShapeHandle *dvt_shape_handle_new(dvt_shape shape, bool is_set) DVT_NODISCARD;
TF_DimensionHandle *dvt_dim_handle_new(dvt_dim dim, bool is_set) DVT_NODISCARD;

// Store an outcome: the value, or an unset handle beside the error. A NULL handle is an error of its own.
void dvt_shape_store(dvt_status error, dvt_shape shape, TF_ShapeHandle *out, TF_Status *status);
void dvt_dim_store(dvt_status error, dvt_dim dim, TF_DimensionHandle *out, TF_Status *status);
dvt_status dvt_handle_is_null(const char *function) DVT_NODISCARD DVT_COLD;

// The text as the functions that describe hand it out, for free(); takes what *text holds. NULL: out of
// memory.
char *dvt_shape_text_copy(dvt_buf *text) DVT_NODISCARD;

static inline dvt_shape dvt_handle_shape(const TF_ShapeHandle *handle) {
  return handle ? handle->shape : NULL;
}
// An unset or NULL handle stands for a new unknown.
static inline dvt_dim dvt_handle_dim(TF_ShapeInferenceContext *ctx, const TF_DimensionHandle *handle) {
  return handle && handle->is_set ? handle->dim : dvt_dim_new_unknown(ctx->arena);
}

#endif  // DVT_CAPI_SHAPE_HANDLES_H_
