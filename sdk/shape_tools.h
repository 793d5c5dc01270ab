// What the replacements of dovetail/shape.h share: reading shapes through the stock functions of ops.h and
// building new ones of them. A piece of an existing shape (stock's Subshape) keeps its unknown dimensions
// equal to the origin's, so results are put together of pieces where they can be. An unknown dimension that
// comes from a dimension handle alone becomes a new unknown one: the stock functions have no way from a
// dimension to a shape.
#ifndef DVT_SDK_SHAPE_TOOLS_H_
#define DVT_SDK_SHAPE_TOOLS_H_

#include "binding.h"
#include "dovetail/shape.h"

#pragma GCC visibility push(hidden)

enum { DVT_MAX_RANK = 254 };

// -1: unknown.
int64_t dvt_tools_rank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape);
int64_t dvt_tools_size_at(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, int64_t i);
// The size of a dimension; -1 for an unknown one, an unset handle and NULL.
int64_t dvt_tools_size(TF_DimensionHandle *dim);
bool dvt_tools_same(TF_DimensionHandle *a, TF_DimensionHandle *b);

// INVALID_ARGUMENT with the text; false for the caller to return.
bool dvt_tools_fail(TF_Status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Results. Each stores OK; a NULL result is an error.
void dvt_tools_set_shape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *value, TF_ShapeHandle *result,
                         TF_Status *status);
void dvt_tools_set_size(TF_ShapeInferenceContext *ctx, int64_t size, TF_DimensionHandle *result,
                        TF_Status *status);
void dvt_tools_set_dim(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *value, TF_DimensionHandle *result,
                       TF_Status *status);

// A shape under construction: begins as a scalar; NULL after a failure, which `status` tells.
typedef struct dvt_tools_parts {
  TF_ShapeInferenceContext *ctx;
  TF_ShapeHandle *shape;
  TF_Status *status;
} dvt_tools_parts;
dvt_tools_parts dvt_tools_begin(TF_ShapeInferenceContext *ctx, TF_Status *status);
void dvt_tools_add_size(dvt_tools_parts *parts, int64_t size);
void dvt_tools_add_piece(dvt_tools_parts *parts, TF_ShapeHandle *of, int64_t begin, int64_t end);
// Stores the shape unless adding failed, and ends the construction.
void dvt_tools_store(dvt_tools_parts *parts, TF_ShapeHandle *result);

#pragma GCC visibility pop

#endif  // DVT_SDK_SHAPE_TOOLS_H_
