// Reading and building shapes through the stock functions (contract: shape_tools.h).
#include "shape_tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int64_t dvt_tools_rank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape) {
  return shape && TF_ShapeInferenceContextRankKnown(ctx, shape) ? TF_ShapeInferenceContextRank(ctx, shape)
                                                                : -1;
}

int64_t dvt_tools_size_at(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t i) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  TF_ShapeInferenceContextDim(ctx, shape, i, dim);
  int64_t size = dvt_tools_size(dim);
  TF_DeleteDimensionHandle(dim);
  return size;
}

// Stock's handle is a pointer to the dimension, NULL while it is not set: an unset one has the value 0 there.
static const void *identity(const TF_DimensionHandle *dim) {
  const void *pointer;
  memcpy(&pointer, dim, sizeof pointer);
  return pointer;
}

int64_t dvt_tools_size(TF_DimensionHandle *dim) {
  return dim && identity(dim) && TF_DimensionHandleValueKnown(dim) ? TF_DimensionHandleValue(dim) : -1;
}

bool dvt_tools_same(TF_DimensionHandle *a, TF_DimensionHandle *b) {
  int64_t size = dvt_tools_size(a);
  if (size >= 0) return size == dvt_tools_size(b);
  return a && b && identity(a) && identity(a) == identity(b);
}

bool dvt_tools_fail(TF_Status *status, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
  return false;
}

// "At least rank 0" is every shape.
void dvt_tools_set_shape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *value, TF_ShapeHandle *result,
                         TF_Status *status) {
  TF_ShapeHandle *unknown = value ? NULL : TF_NewShapeHandle();
  TF_SetStatus(status, TF_OK, "");
  if (result)
    TF_ShapeInferenceContextWithRankAtLeast(ctx, value ? value : unknown, 0, result, status);
  else
    dvt_tools_fail(status, "the handle for the resulting shape is NULL");
  TF_DeleteShapeHandle(unknown);
}

void dvt_tools_set_size(TF_ShapeInferenceContext *ctx, int64_t size, TF_DimensionHandle *result,
                        TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  if (!result) {
    dvt_tools_fail(status, "the handle for the resulting dimension is NULL");
    return;
  }
  TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)size);
  TF_ShapeInferenceContextDim(ctx, vector, 0, result);
  TF_DeleteShapeHandle(vector);
}

void dvt_tools_set_dim(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *value, TF_DimensionHandle *result,
                       TF_Status *status) {
  if (result && value && identity(value)) {
    TF_SetStatus(status, TF_OK, "");
    memcpy(result, value, sizeof(void *));
  } else {
    dvt_tools_set_size(ctx, -1, result, status);
  }
}

dvt_tools_parts dvt_tools_begin(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  return (dvt_tools_parts){ctx, TF_ShapeInferenceContextScalar(ctx), status};
}

static void append(dvt_tools_parts *parts, TF_ShapeHandle *piece) {
  if (TF_GetCode(parts->status) != TF_OK) return;
  TF_ShapeInferenceContextConcatenateShapes(parts->ctx, parts->shape, piece, parts->shape, parts->status);
}

void dvt_tools_add_size(dvt_tools_parts *parts, int64_t size) {
  TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(parts->ctx, (size_t)size);
  append(parts, vector);
  TF_DeleteShapeHandle(vector);
}

void dvt_tools_add_piece(dvt_tools_parts *parts, TF_ShapeHandle *of, int64_t begin, int64_t end) {
  if (begin >= end || TF_GetCode(parts->status) != TF_OK) return;
  TF_ShapeHandle *piece = TF_NewShapeHandle();
  TF_ShapeInferenceContextSubshape(parts->ctx, of, begin, end, piece, parts->status);
  append(parts, piece);
  TF_DeleteShapeHandle(piece);
}

void dvt_tools_store(dvt_tools_parts *parts, TF_ShapeHandle *result) {
  if (TF_GetCode(parts->status) == TF_OK)
    dvt_tools_set_shape(parts->ctx, parts->shape, result, parts->status);
  TF_DeleteShapeHandle(parts->shape);
  parts->shape = NULL;
}
