// The shape functions of list.so over the public shape inference. Each works on handles from one small pool,
// and stops at the first error: every step checks the status before it does anything.
#include "list/shape.h"

#define HANDLES 16

typedef struct inference {
  TF_ShapeInferenceContext *ctx;
  TF_Status *status;
  TF_ShapeHandle *handles[HANDLES];
  int used;
} inference;

static bool fine(const inference *in) { return TF_GetCode(in->status) == TF_OK; }

static TF_ShapeHandle *keep(inference *in, TF_ShapeHandle *handle) {
  if (handle && in->used < HANDLES) {
    in->handles[in->used++] = handle;
    return handle;
  }
  TF_DeleteShapeHandle(handle);
  TF_SetStatus(in->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a shape");
  return NULL;
}
static TF_ShapeHandle *fresh(inference *in) { return fine(in) ? keep(in, TF_NewShapeHandle()) : NULL; }
static void end(inference *in) {
  for (int i = 0; i < in->used; i++) TF_DeleteShapeHandle(in->handles[i]);
}

// ---- steps; NULL after a failure ----

static TF_ShapeHandle *input(inference *in, int i) {
  TF_ShapeHandle *shape = fresh(in);
  if (shape) TF_ShapeInferenceContextGetInput(in->ctx, i, shape, in->status);
  return shape;
}

static TF_ShapeHandle *input_of_rank(inference *in, int i, int rank) {
  TF_ShapeHandle *shape = input(in, i);
  if (fine(in)) TF_ShapeInferenceContextWithRank(in->ctx, shape, rank, shape, in->status);
  return shape;
}

static TF_ShapeHandle *rows_of(inference *in, int i) {
  TF_ShapeHandle *shape = input(in, i);
  if (fine(in)) TF_ShapeInferenceContextWithRankAtLeast(in->ctx, shape, 1, shape, in->status);
  return shape;
}

static bool is_minus_one(const TF_Tensor *value) {
  if (TF_TensorType(value) == TF_INT32) return *(const int32_t *)TF_TensorData(value) == -1;
  return TF_TensorType(value) == TF_INT64 && *(const int64_t *)TF_TensorData(value) == -1;
}

// The shape that input i spells; a scalar says that it is unknown, which it does by the value -1.
static TF_ShapeHandle *spelled(inference *in, int i) {
  TF_ShapeHandle *shape = input(in, i);
  if (!fine(in)) return NULL;
  TF_ShapeInferenceContextWithRankAtMost(in->ctx, shape, 1, shape, in->status);
  if (!fine(in)) return NULL;
  if (TF_ShapeInferenceContextRank(in->ctx, shape) != 0) {
    TF_ShapeInferenceContext_MakeShapeFromShapeTensor(in->ctx, i, shape, in->status);
    return shape;
  }
  TF_Tensor *value = TF_ShapeInferenceContext_InputTensor(in->ctx, i, in->status);
  if (fine(in) && value && !is_minus_one(value))
    TF_SetStatus(in->status, TF_INVALID_ARGUMENT,
                 "Shape must be rank 1, or the scalar -1 for an unknown shape");
  TF_DeleteTensor(value);
  return keep(in, TF_ShapeInferenceContext_UnknownShape(in->ctx));
}

static TF_ShapeHandle *tail(inference *in, TF_ShapeHandle *shape) {
  TF_ShapeHandle *rest = fresh(in);
  if (fine(in)) TF_ShapeInferenceContextSubshape(in->ctx, shape, 1, INT64_MAX, rest, in->status);
  return rest;
}

static TF_ShapeHandle *join(inference *in, TF_ShapeHandle *a, TF_ShapeHandle *b) {
  TF_ShapeHandle *both = fresh(in);
  if (fine(in)) TF_ShapeInferenceContextConcatenateShapes(in->ctx, a, b, both, in->status);
  return both;
}

static TF_ShapeHandle *vector(inference *in, int64_t size) {
  return fine(in) ? keep(in, TF_ShapeInferenceContextVectorFromSize(in->ctx, (size_t)size)) : NULL;
}

static void check_merge(inference *in, TF_ShapeHandle *a, TF_ShapeHandle *b) {
  TF_ShapeHandle *both = fresh(in);
  if (fine(in)) TF_ShapeInferenceContext_Merge(in->ctx, a, b, both, in->status);
}

static void output(inference *in, int i, TF_ShapeHandle *shape) {
  if (fine(in)) TF_ShapeInferenceContextSetOutput(in->ctx, i, shape, in->status);
}

static void scalar_output(inference *in, int i) {
  TF_ShapeHandle *scalar = fine(in) ? keep(in, TF_ShapeInferenceContextScalar(in->ctx)) : NULL;
  output(in, i, scalar);
}

// Defines a shape function around the body that follows, which works on `in`.
#define DEFINE(name)                               \
  static void name##_body(inference *in);          \
  DVL_SHAPE_FN(name) {                             \
    inference in = {.ctx = ctx, .status = status}; \
    name##_body(&in);                              \
    end(&in);                                      \
  }                                                \
  static void name##_body(inference *in)

// ---- lists ----

DEFINE(make_list) {
  spelled(in, 0);
  scalar_output(in, 0);
}
DEFINE(scatter_list) {
  spelled(in, 2);
  scalar_output(in, 0);
}
DEFINE(from_tensor) {
  check_merge(in, tail(in, input(in, 0)), spelled(in, 1));
  scalar_output(in, 0);
}
DEFINE(split_list) {
  TF_ShapeHandle *rows = rows_of(in, 0);
  input_of_rank(in, 2, 1);
  TF_ShapeHandle *row = tail(in, rows), *part = join(in, vector(in, -1), row);
  check_merge(in, part, spelled(in, 1));
  scalar_output(in, 0);
}
DEFINE(scatter_into_list) {
  rows_of(in, 1);
  input_of_rank(in, 2, 1);
  scalar_output(in, 0);
}
DEFINE(resize_list) {
  input_of_rank(in, 1, 0);
  scalar_output(in, 0);
}
DEFINE(push_back_batch) {
  TF_ShapeHandle *lists = input_of_rank(in, 0, 1), *rows = rows_of(in, 1);
  if (fine(in)) TF_ShapeInferenceContext_MergePrefix(in->ctx, rows, lists, rows, lists, in->status);
  output(in, 0, lists);
}
DEFINE(concat_lists) {
  TF_ShapeHandle *a = input(in, 0), *b = input(in, 1), *both = fresh(in);
  if (fine(in)) TF_ShapeInferenceContext_Merge(in->ctx, a, b, both, in->status);
  output(in, 0, both);
}
DEFINE(pop_back) { scalar_output(in, 0); }
DEFINE(get_item) {
  TF_ShapeHandle *shape = spelled(in, 2);
  output(in, 0, shape);
}
DEFINE(stack) {
  int64_t count = -1;
  TF_ShapeInferenceContext_GetAttrInt(in->ctx, "num_elements", &count, in->status);
  TF_ShapeHandle *shape = spelled(in, 1), *whole = join(in, vector(in, count), shape);
  output(in, 0, whole);
}
DEFINE(gather) {
  TF_ShapeHandle *shape = spelled(in, 2), *whole = join(in, input(in, 1), shape);
  output(in, 0, whole);
}

static void output_concat(inference *in, TF_ShapeHandle *element) {
  if (fine(in) && TF_ShapeInferenceContextRankKnown(in->ctx, element)) {
    TF_ShapeHandle *whole = join(in, vector(in, -1), tail(in, element));
    output(in, 0, whole);
  }
  TF_ShapeHandle *lengths = vector(in, -1);
  output(in, 1, lengths);
}
DEFINE(concat) {
  TF_ShapeHandle *element = fresh(in);
  if (fine(in)) TF_ShapeInferenceContext_GetAttrShape(in->ctx, "element_shape", element, in->status);
  output_concat(in, element);
}
DEFINE(concat_v2) { output_concat(in, spelled(in, 1)); }

// ---- TensorArrays ----

// Stock declares the handle to be a vector of two, as it was when handles were strings.
static void check_handle(inference *in) {
  TF_ShapeHandle *handle = input_of_rank(in, 0, 1), *pair = vector(in, 2);
  check_merge(in, handle, pair);
}

DEFINE(array) {
  TF_ShapeHandle *handle = vector(in, 2);
  output(in, 0, handle);
  scalar_output(in, 1);
}
DEFINE(array_close) { check_handle(in); }
DEFINE(array_read) {
  check_handle(in);
  input_of_rank(in, 1, 0);
  input_of_rank(in, 2, 0);
}
DEFINE(array_write) {
  check_handle(in);
  input_of_rank(in, 1, 0);
  input_of_rank(in, 3, 0);
  scalar_output(in, 0);
}
DEFINE(array_gather) {
  check_handle(in);
  input_of_rank(in, 1, 1);
  input_of_rank(in, 2, 0);
}
DEFINE(array_scatter) {
  check_handle(in);
  TF_ShapeHandle *indices = input_of_rank(in, 1, 1), *value = rows_of(in, 2);
  input_of_rank(in, 3, 0);
  if (fine(in)) TF_ShapeInferenceContext_MergePrefix(in->ctx, value, indices, value, indices, in->status);
  scalar_output(in, 0);
}
DEFINE(array_concat) {
  check_handle(in);
  input_of_rank(in, 1, 0);
  TF_ShapeHandle *lengths = vector(in, -1);
  output(in, 1, lengths);
}
DEFINE(array_split) {
  check_handle(in);
  input_of_rank(in, 2, 1);
  input_of_rank(in, 3, 0);
  scalar_output(in, 0);
}
