// The shape functions of lookup.so.
#include "lookup/shape.h"

#include "common/infer.h"

#define DEFINE(name) DVP_SHAPE_FN(dvk_shape_fn_##name)

// A handle to a table; `key` and `value` are the shapes of a key and a value, NULL those of scalars.
static void output_table(dvp_infer *in, TF_ShapeHandle *key, TF_ShapeHandle *value) {
  TF_ShapeHandle *scalar =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContextScalar(in->ctx)) : NULL;
  TF_DataType types[2] = {0, 0};
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrType(in->ctx, "key_dtype", &types[0], in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrType(in->ctx, "value_dtype", &types[1], in->status);
  dvp_infer_output(in, 0, scalar);
  TF_ShapeHandle *const shapes[2] = {key ? key : scalar, value ? value : scalar};
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(in->ctx, 0, shapes, types, 2, in->status);
}

static TF_ShapeHandle *value_shape(dvp_infer *in) {
  TF_ShapeHandle *value = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrShape(in->ctx, "value_shape", value, in->status);
  return value;
}

DEFINE(mutable) { output_table(in, NULL, NULL); }
DEFINE(of_tensors) { output_table(in, NULL, value_shape(in)); }
DEFINE(dense) {
  TF_ShapeHandle *key = dvp_infer_at_most(in, 0, 1);
  output_table(in, key, value_shape(in));
}

// The shape of a key (0) or a value (1) behind input 0; NULL when nothing is told.
static TF_ShapeHandle *told_of(dvp_infer *in, int which) {
  if (!dvp_infer_fine(in) || TF_ShapeInferenceContext_NumInputHandleShapes(in->ctx, 0) != 2) return NULL;
  TF_DataType type;
  TF_ShapeHandle *shape = dvp_infer_new(in);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_GetInputHandleShapeAndType(in->ctx, 0, which, shape, &type, in->status);
  return dvp_infer_fine(in) ? shape : NULL;
}

// The dimensions of the keys before those of a key; NULL when the ranks do not tell.
static TF_ShapeHandle *before_key(dvp_infer *in, TF_ShapeHandle *keys, TF_ShapeHandle *key) {
  if (!dvp_infer_fine(in) || !key) return NULL;
  int64_t rank = TF_ShapeInferenceContextRank(in->ctx, keys),
          key_rank = TF_ShapeInferenceContextRank(in->ctx, key);
  if (rank < 0 || key_rank < 0) return NULL;
  TF_ShapeHandle *prefix = dvp_infer_new(in), *suffix = dvp_infer_new(in);
  if (rank < key_rank)
    TF_SetStatus(in->status, TF_INVALID_ARGUMENT, "Expected keys to end with the dimensions of a key");
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContextSubshape(in->ctx, keys, 0, rank - key_rank, prefix, in->status);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContextSubshape(in->ctx, keys, rank - key_rank, rank, suffix, in->status);
  dvp_infer_check(in, suffix, key);
  return dvp_infer_fine(in) ? prefix : NULL;
}

DEFINE(find) {
  dvp_infer_ranked(in, 0, 0);
  TF_ShapeHandle *key = told_of(in, 0), *value = told_of(in, 1);
  TF_ShapeHandle *prefix = before_key(in, dvp_infer_input(in, 1), key);
  dvp_infer_output(in, 0, value && prefix ? dvp_infer_join(in, prefix, value) : dvp_infer_unknown(in));
}
DEFINE(change) { dvp_infer_ranked(in, 0, 0); }
DEFINE(pairs) {
  dvp_infer_ranked(in, 0, 0);
  dvp_infer_check(in, dvp_infer_ranked(in, 1, 1), dvp_infer_ranked(in, 2, 1));
}
DEFINE(import) {
  dvp_infer_ranked(in, 0, 0);
  dvp_infer_ranked(in, 1, 1);
}
DEFINE(file) {
  dvp_infer_ranked(in, 0, 0);
  dvp_infer_ranked(in, 1, 0);
}
DEFINE(size) {
  dvp_infer_ranked(in, 0, 0);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(export) {
  dvp_infer_ranked(in, 0, 0);
  TF_ShapeHandle *value = told_of(in, 1), *keys = dvp_infer_vector(in, -1);
  dvp_infer_output(in, 0, keys);
  dvp_infer_output(in, 1, value ? dvp_infer_join(in, keys, value) : dvp_infer_unknown(in));
}

// ---- by reference: a handle is two strings, the container and the name ----

static void ref_input(dvp_infer *in) { dvp_infer_check(in, dvp_infer_input(in, 0), dvp_infer_vector(in, 2)); }

DEFINE(ref) { dvp_infer_output(in, 0, dvp_infer_vector(in, 2)); }
DEFINE(ref_change) { ref_input(in); }
DEFINE(ref_find) {
  ref_input(in);
  dvp_infer_at_most(in, 2, 1);
  dvp_infer_output(in, 0, dvp_infer_unknown(in));
}
DEFINE(ref_pairs) {
  ref_input(in);
  dvp_infer_check(in, dvp_infer_ranked(in, 1, 1), dvp_infer_ranked(in, 2, 1));
}
DEFINE(ref_file) {
  ref_input(in);
  dvp_infer_ranked(in, 1, 0);
}
DEFINE(ref_size) {
  ref_input(in);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(ref_export) {
  ref_input(in);
  dvp_infer_output(in, 0, dvp_infer_vector(in, -1));
  dvp_infer_output(in, 1, dvp_infer_unknown(in));
}
