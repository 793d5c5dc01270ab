// Computing with shapes, for hosts without dovetail/shape.h: results are put together of pieces of the given
// shapes and of sizes (shape_tools.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape_tools.h"

static TF_ShapeHandle *finished(dvt_tools_parts *parts) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  dvt_tools_store(parts, shape);
  TF_DeleteStatus(parts->status);
  return shape;
}

TF_ShapeHandle *DVT_POLYFILL(TF_ShapeInferenceContext_UnknownShape)(TF_ShapeInferenceContext *ctx) {
  (void)ctx;
  return TF_NewShapeHandle();
}

TF_ShapeHandle *DVT_POLYFILL(TF_ShapeInferenceContext_UnknownShapeOfRank)(TF_ShapeInferenceContext *ctx,
                                                                          int64_t rank) {
  if (rank < 0 || rank > DVT_MAX_RANK) return NULL;
  dvt_tools_parts parts = dvt_tools_begin(ctx, TF_NewStatus());
  for (int64_t i = 0; i < rank; i++) dvt_tools_add_size(&parts, -1);
  return finished(&parts);
}

TF_ShapeHandle *DVT_POLYFILL(TF_ShapeInferenceContext_Vector)(TF_ShapeInferenceContext *ctx,
                                                              TF_DimensionHandle *dim) {
  dvt_tools_parts parts = dvt_tools_begin(ctx, TF_NewStatus());
  dvt_tools_add_size(&parts, dvt_tools_size(dim));
  return finished(&parts);
}

TF_ShapeHandle *DVT_POLYFILL(TF_ShapeInferenceContext_Matrix)(TF_ShapeInferenceContext *ctx,
                                                              TF_DimensionHandle *rows,
                                                              TF_DimensionHandle *cols) {
  dvt_tools_parts parts = dvt_tools_begin(ctx, TF_NewStatus());
  dvt_tools_add_size(&parts, dvt_tools_size(rows));
  dvt_tools_add_size(&parts, dvt_tools_size(cols));
  return finished(&parts);
}

static bool check_rank(int64_t rank, int64_t least, TF_Status *status) {
  if (rank >= least && rank <= DVT_MAX_RANK) return true;
  return dvt_tools_fail(status, "a shape of rank %lld was asked for; ranks are %lld to %d", (long long)rank,
                        (long long)least, DVT_MAX_RANK);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_MakeShape)(TF_ShapeInferenceContext *ctx,
                                                      TF_DimensionHandle *const *dims, int num_dims,
                                                      TF_ShapeHandle *result, TF_Status *status) {
  if (!check_rank(num_dims, 0, status)) return;
  dvt_tools_parts parts = dvt_tools_begin(ctx, status);
  for (int i = 0; i < num_dims; i++) dvt_tools_add_size(&parts, dvt_tools_size(dims[i]));
  dvt_tools_store(&parts, result);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_MakeShapeFromDims)(TF_ShapeInferenceContext *ctx,
                                                              const int64_t *dims, int num_dims,
                                                              TF_ShapeHandle *result, TF_Status *status) {
  if (!check_rank(num_dims, -1, status)) return;
  for (int i = 0; i < num_dims; i++)
    if (dims[i] < -1) {
      dvt_tools_fail(status, "size %lld of dimension %d is below -1", (long long)dims[i], i);
      return;
    }
  if (num_dims < 0) {
    dvt_tools_set_shape(ctx, NULL, result, status);
    return;
  }
  dvt_tools_parts parts = dvt_tools_begin(ctx, status);
  for (int i = 0; i < num_dims; i++) dvt_tools_add_size(&parts, dims[i]);
  dvt_tools_store(&parts, result);
}

// A shape of the same rank as `a` and `b`: dimension i is that of a, of b, or a new unknown one, as
// pick(size, size) says.
typedef enum choice { PICK_A, PICK_B, PICK_NEW, PICK_NONE } choice;

static void combine(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a, TF_ShapeHandle *b, int64_t rank,
                    choice (*pick)(int64_t x, int64_t y, bool same), TF_ShapeHandle *result,
                    TF_Status *status) {
  TF_DimensionHandle *of_a = TF_NewDimensionHandle(), *of_b = TF_NewDimensionHandle();
  int64_t rank_a = dvt_tools_rank(ctx, a), rank_b = dvt_tools_rank(ctx, b);
  dvt_tools_parts parts = dvt_tools_begin(ctx, status);
  bool is_a = rank == rank_a, is_b = rank == rank_b;
  for (int64_t i = 0; i < rank && TF_GetCode(status) == TF_OK; i++) {
    // Shapes of different rank are aligned at their ends; what is missing in front counts as 1.
    int64_t at_a = i - (rank - rank_a), at_b = i - (rank - rank_b), x = 1, y = 1;
    if (at_a >= 0) TF_ShapeInferenceContextDim(ctx, a, at_a, of_a), x = dvt_tools_size(of_a);
    if (at_b >= 0) TF_ShapeInferenceContextDim(ctx, b, at_b, of_b), y = dvt_tools_size(of_b);
    bool same = at_a >= 0 && at_b >= 0 && dvt_tools_same(of_a, of_b);
    choice picked = pick(x, y, same);
    is_a = is_a && (picked == PICK_A || same);
    is_b = is_b && (picked == PICK_B || same);
    if (picked == PICK_A && at_a >= 0) dvt_tools_add_piece(&parts, a, at_a, at_a + 1);
    if (picked == PICK_B && at_b >= 0) dvt_tools_add_piece(&parts, b, at_b, at_b + 1);
    if ((picked == PICK_A && at_a < 0) || (picked == PICK_B && at_b < 0)) dvt_tools_add_size(&parts, 1);
    if (picked == PICK_NEW) dvt_tools_add_size(&parts, -1);
    if (picked == PICK_NONE)
      dvt_tools_fail(status, "Dimension %lld in both shapes must be equal, but are %lld and %lld",
                     (long long)i, (long long)x, (long long)y);
  }
  TF_DeleteDimensionHandle(of_a);
  TF_DeleteDimensionHandle(of_b);
  // One that gives the whole result is the result.
  if (TF_GetCode(status) == TF_OK && (is_a || is_b)) {
    TF_DeleteShapeHandle(parts.shape);
    dvt_tools_set_shape(ctx, is_a ? a : b, result, status);
  } else {
    dvt_tools_store(&parts, result);
  }
}

static choice pick_merged(int64_t x, int64_t y, bool same) {
  if (x >= 0 && y >= 0 && x != y) return PICK_NONE;
  (void)same;
  return x >= 0 || y < 0 ? PICK_A : PICK_B;
}

static choice pick_relaxed(int64_t x, int64_t y, bool same) {
  (void)x;
  return same ? PICK_A : y < 0 ? PICK_B : PICK_NEW;
}

static choice pick_broadcast(int64_t x, int64_t y, bool same) {
  if (same || y == 1) return PICK_A;
  if (x == 1) return PICK_B;
  if (x >= 0 && y >= 0) return PICK_NONE;
  return x >= 0 ? PICK_A : y >= 0 ? PICK_B : PICK_NEW;
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Merge)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a,
                                                  TF_ShapeHandle *b, TF_ShapeHandle *result,
                                                  TF_Status *status) {
  int64_t rank_a = dvt_tools_rank(ctx, a), rank_b = dvt_tools_rank(ctx, b);
  if (rank_a < 0 || rank_b < 0)
    dvt_tools_set_shape(ctx, rank_b < 0 ? a : b, result, status);
  else if (rank_a != rank_b)
    dvt_tools_fail(status, "Shapes must be equal rank, but are %lld and %lld", (long long)rank_a,
                   (long long)rank_b);
  else
    combine(ctx, a, b, rank_a, pick_merged, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Relax)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *old_shape,
                                                  TF_ShapeHandle *new_shape, TF_ShapeHandle *result,
                                                  TF_Status *status) {
  int64_t rank = dvt_tools_rank(ctx, old_shape);
  if (rank < 0 || rank != dvt_tools_rank(ctx, new_shape))
    dvt_tools_set_shape(ctx, NULL, result, status);
  else
    combine(ctx, old_shape, new_shape, rank, pick_relaxed, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_Broadcast)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *a,
                                                      TF_ShapeHandle *b, TF_ShapeHandle *result,
                                                      TF_Status *status) {
  int64_t rank_a = dvt_tools_rank(ctx, a), rank_b = dvt_tools_rank(ctx, b);
  if (rank_a < 0 || rank_b < 0)
    dvt_tools_set_shape(ctx, NULL, result, status);
  else
    combine(ctx, a, b, rank_a > rank_b ? rank_a : rank_b, pick_broadcast, result, status);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_MergePrefix)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                        TF_ShapeHandle *prefix, TF_ShapeHandle *shape_result,
                                                        TF_ShapeHandle *prefix_result, TF_Status *status) {
  int64_t rank = dvt_tools_rank(ctx, shape), prefix_rank = dvt_tools_rank(ctx, prefix);
  if (rank < 0 || prefix_rank < 0) {
    dvt_tools_set_shape(ctx, shape, shape_result, status);
    if (TF_GetCode(status) == TF_OK) dvt_tools_set_shape(ctx, prefix, prefix_result, status);
    return;
  }
  if (rank < prefix_rank) {
    dvt_tools_fail(status, "Shape must be at least rank %lld but is rank %lld", (long long)prefix_rank,
                   (long long)rank);
    return;
  }
  TF_ShapeHandle *front = TF_NewShapeHandle(), *merged = TF_NewShapeHandle();
  TF_ShapeInferenceContextSubshape(ctx, shape, 0, prefix_rank, front, status);
  if (TF_GetCode(status) == TF_OK) combine(ctx, front, prefix, prefix_rank, pick_merged, merged, status);
  if (TF_GetCode(status) == TF_OK) {
    dvt_tools_parts parts = dvt_tools_begin(ctx, status);
    dvt_tools_add_piece(&parts, merged, 0, prefix_rank);
    dvt_tools_add_piece(&parts, shape, prefix_rank, rank);
    dvt_tools_store(&parts, shape_result);
  }
  if (TF_GetCode(status) == TF_OK) dvt_tools_set_shape(ctx, merged, prefix_result, status);
  TF_DeleteShapeHandle(front);
  TF_DeleteShapeHandle(merged);
}

void DVT_POLYFILL(TF_ShapeInferenceContext_ReplaceDim)(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                                       int64_t index, TF_DimensionHandle *dim,
                                                       TF_ShapeHandle *result, TF_Status *status) {
  int64_t rank = dvt_tools_rank(ctx, shape), at = index < 0 ? index + rank : index;
  if (rank < 0) {
    dvt_tools_set_shape(ctx, NULL, result, status);
  } else if (at < 0 || at >= rank) {
    dvt_tools_fail(status, "Out of range dim_index %lld for shape with %lld dimensions", (long long)index,
                   (long long)rank);
  } else {
    dvt_tools_parts parts = dvt_tools_begin(ctx, status);
    dvt_tools_add_piece(&parts, shape, 0, at);
    dvt_tools_add_size(&parts, dvt_tools_size(dim));
    dvt_tools_add_piece(&parts, shape, at + 1, rank);
    dvt_tools_store(&parts, result);
  }
}

bool DVT_POLYFILL(TF_ShapeInferenceContext_FullyDefined)(TF_ShapeInferenceContext *ctx,
                                                         TF_ShapeHandle *shape) {
  int64_t rank = dvt_tools_rank(ctx, shape);
  for (int64_t i = 0; i < rank; i++)
    if (dvt_tools_size_at(ctx, shape, i) < 0) return false;
  return rank >= 0;
}

char *DVT_POLYFILL(TF_ShapeInferenceContext_DebugString)(TF_ShapeInferenceContext *ctx,
                                                         TF_ShapeHandle *shape) {
  int64_t rank = dvt_tools_rank(ctx, shape);
  if (rank < 0) return strdup("?");
  size_t room = (size_t)rank * 21 + 3, used = 1;
  char *text = malloc(room);
  if (!text) return NULL;
  text[0] = '[';
  for (int64_t i = 0; i < rank; i++) {
    int64_t size = dvt_tools_size_at(ctx, shape, i);
    const char *comma = i ? "," : "";
    used += (size_t)(size < 0 ? snprintf(text + used, room - used, "%s?", comma)
                              : snprintf(text + used, room - used, "%s%lld", comma, (long long)size));
  }
  strcpy(text + used, "]");
  return text;
}
