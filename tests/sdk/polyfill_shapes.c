// A shape function that calls what dovetail/shape.h has beyond ops.h and writes down what came out. Dovetail
// answers itself, in stock the SDK does; the lines must be the same.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dovetail/shape.h"

void collect_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status);
extern char shapes_text[65536];
char shapes_text[65536];

static void say(const char *format, ...) {
  size_t used = strlen(shapes_text);
  va_list args;
  va_start(args, format);
  vsnprintf(shapes_text + used, sizeof shapes_text - used, format, args);
  va_end(args);
}

// ---- shapes written "2,?,5", "" for a scalar, "?" for an unknown rank ----

static TF_ShapeHandle *parse(TF_ShapeInferenceContext *ctx, const char *text, TF_Status *status) {
  int64_t dims[16];
  int rank = strcmp(text, "??") == 0 ? -1 : 0;
  for (const char *p = text; rank >= 0 && *p; p += *p == ',') {
    dims[rank++] = *p == '?' ? -1 : strtoll(p, NULL, 10);
    p += strcspn(p, ",");
  }
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContext_MakeShapeFromDims(ctx, dims, rank, shape, status);
  return shape;
}

static TF_DimensionHandle *dim(TF_ShapeInferenceContext *ctx, int64_t size) {
  return TF_ShapeInferenceContext_MakeDim(ctx, size);
}

static void say_shape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) {
    say(" error %d\n", (int)TF_GetCode(status));
    return;
  }
  char *text = TF_ShapeInferenceContext_DebugString(ctx, shape);
  TF_DimensionHandle *count = TF_ShapeInferenceContext_NumElements(ctx, shape);
  char *count_text = TF_ShapeInferenceContext_DimDebugString(ctx, count);
  say(" %s of %s, %d\n", text, count_text, TF_ShapeInferenceContext_FullyDefined(ctx, shape));
  free(text);
  free(count_text);
  TF_DeleteDimensionHandle(count);
}

typedef void (*binary)(TF_ShapeInferenceContext *, TF_ShapeHandle *, TF_ShapeHandle *, TF_ShapeHandle *,
                       TF_Status *);

static void try_shapes(TF_ShapeInferenceContext *ctx) {
  static const char *const shapes[] = {"??",  "",    "0",   "1",   "?",     "2",    "2,3",
                                       "?,3", "2,?", "1,3", "4,3", "2,3,4", "?,?,1"};
  static const struct {
    const char *name;
    binary call;
  } calls[] = {{"merge", TF_ShapeInferenceContext_Merge},
               {"relax", TF_ShapeInferenceContext_Relax},
               {"broadcast", TF_ShapeInferenceContext_Broadcast}};
  enum { COUNT = sizeof shapes / sizeof shapes[0] };
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < COUNT * COUNT; i++) {
    TF_ShapeHandle *a = parse(ctx, shapes[i / COUNT], status), *b = parse(ctx, shapes[i % COUNT], status);
    for (int k = 0; k < 3; k++) {
      TF_ShapeHandle *r = TF_NewShapeHandle();
      calls[k].call(ctx, a, b, r, status);
      say("%s [%s] [%s]", calls[k].name, shapes[i / COUNT], shapes[i % COUNT]);
      say_shape(ctx, r, status);
      TF_DeleteShapeHandle(r);
    }
    TF_ShapeHandle *front = TF_NewShapeHandle(), *whole = TF_NewShapeHandle();
    TF_ShapeInferenceContext_MergePrefix(ctx, a, b, whole, front, status);
    say("prefix [%s] [%s]", shapes[i / COUNT], shapes[i % COUNT]);
    say_shape(ctx, whole, status);
    if (TF_GetCode(status) == TF_OK) say_shape(ctx, front, status);
    TF_DeleteShapeHandle(front);
    TF_DeleteShapeHandle(whole);
    TF_DeleteShapeHandle(a);
    TF_DeleteShapeHandle(b);
  }
  TF_DeleteStatus(status);
}

typedef void (*dim_binary)(TF_ShapeInferenceContext *, TF_DimensionHandle *, TF_DimensionHandle *,
                           TF_DimensionHandle *, TF_Status *);

static void divide(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                   TF_DimensionHandle *r, TF_Status *status) {
  TF_ShapeInferenceContext_Divide(ctx, a, b, false, r, status);
}

static void divide_evenly(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                          TF_DimensionHandle *r, TF_Status *status) {
  TF_ShapeInferenceContext_Divide(ctx, a, b, true, r, status);
}

static void with_value(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                       TF_DimensionHandle *r, TF_Status *status) {
  (void)b;
  TF_ShapeInferenceContext_WithValue(ctx, a, 6, r, status);
}

static void try_dims(TF_ShapeInferenceContext *ctx) {
  static const int64_t sizes[] = {-1, 0, 1, 2, 6, INT64_MAX};
  static const struct {
    const char *name;
    dim_binary call;
  } calls[] = {{"add", TF_ShapeInferenceContext_Add},
               {"subtract", TF_ShapeInferenceContext_Subtract},
               {"multiply", TF_ShapeInferenceContext_Multiply},
               {"divide", divide},
               {"divide evenly", divide_evenly},
               {"min", TF_ShapeInferenceContext_Min},
               {"max", TF_ShapeInferenceContext_Max},
               {"merge", TF_ShapeInferenceContext_MergeDims},
               {"relax", TF_ShapeInferenceContext_RelaxDims},
               {"with value", with_value}};
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 36; i++)
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
      TF_DimensionHandle *a = dim(ctx, sizes[i / 6]), *b = dim(ctx, sizes[i % 6]),
                         *r = TF_NewDimensionHandle();
      calls[k].call(ctx, a, b, r, status);
      char *text = TF_GetCode(status) == TF_OK ? TF_ShapeInferenceContext_DimDebugString(ctx, r) : NULL;
      say("%s %lld %lld: %d %s\n", calls[k].name, (long long)sizes[i / 6], (long long)sizes[i % 6],
          (int)TF_GetCode(status), text ? text : "");
      free(text);
      TF_DeleteDimensionHandle(a);
      TF_DeleteDimensionHandle(b);
      TF_DeleteDimensionHandle(r);
    }
  TF_DeleteStatus(status);
}

static void try_making(TF_ShapeInferenceContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_DimensionHandle *three = dim(ctx, 3), *unknown = TF_ShapeInferenceContext_UnknownDim(ctx);
  TF_DimensionHandle *const dims[] = {three, unknown, NULL, three};
  TF_ShapeHandle *r = TF_NewShapeHandle(), *handles[] = {
                                               TF_ShapeInferenceContext_Vector(ctx, three),
                                               TF_ShapeInferenceContext_Matrix(ctx, three, unknown),
                                               TF_ShapeInferenceContext_UnknownShape(ctx),
                                               TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, 3),
                                           };
  for (int i = 0; i < 4; i++) say_shape(ctx, handles[i], status);
  TF_ShapeInferenceContext_MakeShape(ctx, dims, 4, r, status);
  say_shape(ctx, r, status);
  TF_ShapeInferenceContext_MakeShape(ctx, dims, 255, r, status);
  say_shape(ctx, r, status);
  TF_ShapeInferenceContext_MakeShapeFromDims(ctx, (int64_t[]){2, -2}, 2, r, status);
  say_shape(ctx, r, status);
  for (int i = -5; i < 5; i++) {
    TF_ShapeHandle *four = parse(ctx, "5,?,7,8", status);
    TF_ShapeInferenceContext_ReplaceDim(ctx, four, i, three, r, status);
    say("replace %d", i);
    say_shape(ctx, r, status);
    TF_DimensionHandle *found = TF_NewDimensionHandle();
    TF_ShapeInferenceContext_DimKnownRank(ctx, four, i, found, status);
    char *text = TF_GetCode(status) == TF_OK ? TF_ShapeInferenceContext_DimDebugString(ctx, found) : NULL;
    say("dim %d: %d %s\n", i, (int)TF_GetCode(status), text ? text : "");
    free(text);
    TF_DeleteDimensionHandle(found);
    TF_DeleteShapeHandle(four);
  }
  say("%d %d %d\n", TF_ShapeInferenceContext_MakeDim(ctx, -2) == NULL,
      TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, 255) == NULL,
      TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, -1) == NULL);
  for (int i = 0; i < 4; i++) TF_DeleteShapeHandle(handles[i]);
  TF_DeleteShapeHandle(r);
  TF_DeleteDimensionHandle(three);
  TF_DeleteDimensionHandle(unknown);
  TF_DeleteStatus(status);
}

void collect_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  shapes_text[0] = '\0';
  try_making(ctx);
  try_dims(ctx);
  try_shapes(ctx);
  TF_ShapeHandle *result = TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, 1);
  TF_ShapeInferenceContextSetOutput(ctx, 0, result, status);
  TF_DeleteShapeHandle(result);
}
