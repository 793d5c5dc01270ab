// Computing with dimensions, for hosts without dovetail/shape.h: sizes are read, and results made anew
// (shape_tools.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape_tools.h"

static TF_DimensionHandle *dim_of_size(TF_ShapeInferenceContext *ctx, int64_t size) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  TF_Status *status = TF_NewStatus();
  dvt_tools_set_size(ctx, size, dim, status);
  TF_DeleteStatus(status);
  return dim;
}

TF_DimensionHandle *DVT_POLYFILL(TF_ShapeInferenceContext_MakeDim)(TF_ShapeInferenceContext *ctx,
                                                                   int64_t value) {
  return value < -1 ? NULL : dim_of_size(ctx, value);
}

TF_DimensionHandle *DVT_POLYFILL(TF_ShapeInferenceContext_UnknownDim)(TF_ShapeInferenceContext *ctx) {
  return dim_of_size(ctx, -1);
}

TF_DimensionHandle *DVT_POLYFILL(TF_ShapeInferenceContext_NumElements)(TF_ShapeInferenceContext *ctx,
                                                                       TF_ShapeHandle *shape) {
  int64_t rank = dvt_tools_rank(ctx, shape), count = 1;
  bool is_known = rank >= 0;
  for (int64_t i = 0; i < rank; i++) {
    int64_t size = dvt_tools_size_at(ctx, shape, i);
    if (size == 0) return dim_of_size(ctx, 0);
    is_known = is_known && size > 0 && !__builtin_mul_overflow(count, size, &count);
  }
  return dim_of_size(ctx, is_known ? count : -1);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_MergeDims)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                      TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                      TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b);
  if (x >= 0 && y >= 0 && x != y)
    dvt_tools_fail(status, "Dimensions must be equal, but are %lld and %lld", (long long)x, (long long)y);
  else
    dvt_tools_set_dim(ctx, x >= 0 || y < 0 ? a : b, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_RelaxDims)(TF_ShapeInferenceContext *ctx,
                                                      TF_DimensionHandle *old_dim,
                                                      TF_DimensionHandle *new_dim, TF_DimensionHandle *result,
                                                      TF_Status *status) {
  if (dvt_tools_same(old_dim, new_dim) || dvt_tools_size(new_dim) < 0)
    dvt_tools_set_dim(ctx, new_dim, result, status);
  else
    dvt_tools_set_size(ctx, -1, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_DimKnownRank)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                         int64_t index, TF_DimensionHandle *result,
                                                         TF_Status *status) {
  int64_t rank = dvt_tools_rank(ctx, shape), at = index < 0 ? index + rank : index;
  if (rank < 0)
    dvt_tools_fail(status, "the rank of the shape is not known");
  else if (at < 0 || at >= rank || !result)
    dvt_tools_fail(status, "dimension %lld was asked for; the shape has %lld", (long long)index,
                   (long long)rank);
  else
    TF_SetStatus(status, TF_OK, ""), TF_ShapeInferenceContextDim(ctx, shape, at, result);
}

char *DVT_POLYFILL(TF_ShapeInferenceContext_DimDebugString)(TF_ShapeInferenceContext *ctx,
                                                            TF_DimensionHandle *dim) {
  (void)ctx;
  char text[24] = "?";
  int64_t size = dvt_tools_size(dim);
  if (size >= 0) snprintf(text, sizeof text, "%lld", (long long)size);
  return strdup(text);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_WithValue)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *dim,
                                                      int64_t value, TF_DimensionHandle *result,
                                                      TF_Status *status) {
  int64_t size = dvt_tools_size(dim);
  if (size >= 0 && size != value)
    dvt_tools_fail(status, "Dimension must be %lld but is %lld", (long long)value, (long long)size);
  else
    dvt_tools_set_size(ctx, value, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Add)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b), sum = -1;
  if (x == 0 || y == 0)
    dvt_tools_set_dim(ctx, x == 0 ? b : a, result, status);
  else if (x > 0 && y > 0 && __builtin_add_overflow(x, y, &sum))
    dvt_tools_fail(status, "Dimension size overflow from adding %lld and %lld", (long long)x, (long long)y);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : sum, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Subtract)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                     TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                     TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b);
  if (y == 0)
    dvt_tools_set_dim(ctx, a, result, status);
  else if (x >= 0 && y >= 0 && x < y)
    dvt_tools_fail(status, "Negative dimension size caused by subtracting %lld from %lld", (long long)y,
                   (long long)x);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : x - y, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Multiply)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                     TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                     TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b), product = -1;
  if (x == 0 || y == 0)
    dvt_tools_set_size(ctx, 0, result, status);
  else if (x == 1 || y == 1)
    dvt_tools_set_dim(ctx, x == 1 ? b : a, result, status);
  else if (x > 0 && y > 0 && __builtin_mul_overflow(x, y, &product))
    dvt_tools_fail(status, "Negative dimension size caused by overflow when multiplying %lld and %lld",
                   (long long)x, (long long)y);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : product, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Divide)(TF_ShapeInferenceContext *ctx,
                                                   TF_DimensionHandle *dividend, TF_DimensionHandle *divisor,
                                                   bool evenly, TF_DimensionHandle *result,
                                                   TF_Status *status) {
  int64_t x = dvt_tools_size(dividend), y = dvt_tools_size(divisor);
  if (y == 1)
    dvt_tools_set_dim(ctx, dividend, result, status);
  else if (y == 0)
    dvt_tools_fail(status, "Divisor must be positive but is 0");
  else if (evenly && x >= 0 && y > 0 && x % y != 0)
    dvt_tools_fail(status, "Dimension size must be evenly divisible by %lld but is %lld", (long long)y,
                   (long long)x);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : x / y, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Min)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b);
  if (x == 0 || y == 0)
    dvt_tools_set_size(ctx, 0, result, status);
  else if (dvt_tools_same(a, b))
    dvt_tools_set_dim(ctx, a, result, status);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : x < y ? x : y, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Max)(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a,
                                                TF_DimensionHandle *b, TF_DimensionHandle *result,
                                                TF_Status *status) {
  int64_t x = dvt_tools_size(a), y = dvt_tools_size(b);
  if (x == 0 || y == 0 || dvt_tools_same(a, b))
    dvt_tools_set_dim(ctx, x == 0 ? b : a, result, status);
  else
    dvt_tools_set_size(ctx, x < 0 || y < 0 ? -1 : x > y ? x : y, result, status);
}
