// Patterns of shapes: see shape_pattern.h. Every piece of a shape, one dimension or many, is a shape handle.
#include "common/shape_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 128
#define SOME_RANK 1  // of what stands for an unknown dimension

typedef struct matching {
  TF_ShapeInferenceContext *ctx;
  TF_Status *status;
  TF_ShapeHandle *bound[NAMES];  // NULL: not seen yet
} matching;

static bool fine(const matching *m) { return TF_GetCode(m->status) == TF_OK; }

// The next token of a tensor's pattern, without the spaces before it; false at its end.
static bool next_token(const char **at, const char *end, const char **token) {
  while (*at < end && **at == ' ') (*at)++;
  *token = *at;
  while (*at < end && **at != ' ') (*at)++;
  return *at > *token;
}

// ---- inputs ----

static void bind(matching *m, char name, TF_ShapeHandle *piece) {
  TF_ShapeHandle **bound = &m->bound[(int)name];
  if (*bound) {
    TF_ShapeInferenceContext_Merge(m->ctx, *bound, piece, *bound, m->status);
  } else if ((*bound = TF_NewShapeHandle())) {
    TF_ShapeInferenceContext_Merge(m->ctx, piece, piece, *bound, m->status);
  }
}

// Binds one token to dimensions [first, last) of a shape.
static void bind_part(matching *m, const char *token, TF_ShapeHandle *shape, int64_t first, int64_t last) {
  bool known = TF_ShapeInferenceContextRankKnown(m->ctx, shape);
  TF_ShapeHandle *piece = known             ? TF_NewShapeHandle()
                          : isupper(*token) ? TF_ShapeInferenceContext_UnknownShape(m->ctx)
                                            : TF_ShapeInferenceContext_UnknownShapeOfRank(m->ctx, SOME_RANK);
  if (known) TF_ShapeInferenceContextSubshape(m->ctx, shape, first, last, piece, m->status);
  if (fine(m) && isalpha(*token)) bind(m, *token, piece);
  if (fine(m) && isdigit(*token)) {
    TF_ShapeHandle *wanted = TF_ShapeInferenceContextVectorFromSize(m->ctx, strtoul(token, NULL, 10));
    TF_ShapeInferenceContext_Merge(m->ctx, piece, wanted, piece, m->status);
    TF_DeleteShapeHandle(wanted);
  }
  TF_DeleteShapeHandle(piece);
}

static void match_input(matching *m, int index, const char *begin, const char *end) {
  const char *at = begin, *token;
  int tokens = 0, run = -1;
  while (next_token(&at, end, &token)) {
    if (*token == '_') return;
    if (*token == '.') break;
    if (isupper(*token)) run = tokens;
    tokens++;
  }
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(m->ctx, index, shape, m->status);
  if (fine(m) && run >= 0)
    TF_ShapeInferenceContextWithRankAtLeast(m->ctx, shape, tokens - 1, shape, m->status);
  else if (fine(m))
    TF_ShapeInferenceContextWithRank(m->ctx, shape, tokens, shape, m->status);
  bool known = fine(m) && TF_ShapeInferenceContextRankKnown(m->ctx, shape);
  int64_t more = run < 0 || !known ? 0 : TF_ShapeInferenceContextRank(m->ctx, shape) - tokens;
  at = begin;
  for (int i = 0; i < tokens && fine(m) && next_token(&at, end, &token); i++) {
    int64_t first = i + (run >= 0 && i > run ? more : 0);
    bind_part(m, token, shape, first, first + 1 + (i == run ? more : 0));
  }
  TF_DeleteShapeHandle(shape);
}

// ---- outputs ----

static void keep_first(matching *m, TF_ShapeHandle *shape) {
  TF_DimensionHandle *dim = TF_ShapeInferenceContext_UnknownDim(m->ctx);
  if (TF_ShapeInferenceContextRankKnown(m->ctx, shape) && TF_ShapeInferenceContextRank(m->ctx, shape) > 0)
    TF_ShapeInferenceContextDim(m->ctx, shape, 0, dim);
  TF_ShapeInferenceContext_MakeShape(m->ctx, &dim, 1, shape, m->status);
  TF_DeleteDimensionHandle(dim);
}

// The handle is the caller's; NULL after a failure or when out of memory.
static TF_ShapeHandle *piece_of(matching *m, const char *token) {
  TF_ShapeHandle *piece = NULL;
  if (isalpha(*token) && m->bound[(int)*token]) {
    piece = TF_NewShapeHandle();
    if (piece)
      TF_ShapeInferenceContext_Merge(m->ctx, m->bound[(int)*token], m->bound[(int)*token], piece, m->status);
  } else if (isupper(*token)) {
    piece = TF_ShapeInferenceContext_UnknownShape(m->ctx);
  } else if (isdigit(*token)) {
    piece = TF_ShapeInferenceContextVectorFromSize(m->ctx, strtoul(token, NULL, 10));
  } else if (*token == '=' || *token == '@') {
    piece = TF_NewShapeHandle();
    TF_ShapeInferenceContext_MakeShapeFromShapeTensor(m->ctx, atoi(token + 1), piece, m->status);
    if (*token == '@' && fine(m)) keep_first(m, piece);
  } else if (*token == '#') {
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    TF_ShapeInferenceContext_MakeDimForScalarInput(m->ctx, atoi(token + 1), dim, m->status);
    piece = fine(m) ? TF_ShapeInferenceContext_Vector(m->ctx, dim) : NULL;
    TF_DeleteDimensionHandle(dim);
  } else {
    piece = TF_ShapeInferenceContext_UnknownShapeOfRank(m->ctx, SOME_RANK);
  }
  if (!piece && fine(m)) TF_SetStatus(m->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a shape");
  return piece;
}

static void make_output(matching *m, int index, const char *begin, const char *end) {
  const char *at = begin, *token;
  TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(m->ctx);
  while (fine(m) && next_token(&at, end, &token)) {
    if (*token == '.') break;
    if (*token == '_') {
      TF_DeleteShapeHandle(shape);
      return;
    }
    TF_ShapeHandle *piece = piece_of(m, token);
    if (fine(m)) TF_ShapeInferenceContextConcatenateShapes(m->ctx, shape, piece, shape, m->status);
    TF_DeleteShapeHandle(piece);
  }
  if (fine(m)) TF_ShapeInferenceContextSetOutput(m->ctx, index, shape, m->status);
  TF_DeleteShapeHandle(shape);
}

void dvp_shape_match(TF_ShapeInferenceContext *ctx, const char *pattern, TF_Status *status) {
  matching m = {.ctx = ctx, .status = status};
  const char *arrow = strstr(pattern, "->"), *at = pattern;
  for (int i = 0; at < arrow && fine(&m); i++) {
    const char *end = at + strcspn(at, ";");
    if (end > arrow) end = arrow;
    match_input(&m, i, at, end);
    at = end + 1;
  }
  at = arrow + 2;
  for (int i = 0; *at && fine(&m); i++) {
    const char *end = at + strcspn(at, ";");
    make_output(&m, i, at, end);
    at = *end ? end + 1 : end;
  }
  for (int i = 0; i < NAMES; i++) TF_DeleteShapeHandle(m.bound[i]);
}
