// The shape functions of lookup.so.
#include "lookup/shape.h"

#include "common/infer.h"

#define DEFINE(name) DVP_SHAPE_FN(dvk_shape_fn_##name)

// A handle to a table; `value` is the shape of a value.
static void output_table(dvp_infer *in, TF_ShapeHandle *value) {
  TF_ShapeHandle *scalar =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContextScalar(in->ctx)) : NULL;
  TF_DataType types[2] = {0, 0};
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrType(in->ctx, "key_dtype", &types[0], in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrType(in->ctx, "value_dtype", &types[1], in->status);
  dvp_infer_output(in, 0, scalar);
  TF_ShapeHandle *const shapes[2] = {scalar, value ? value : scalar};
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(in->ctx, 0, shapes, types, 2, in->status);
}

DEFINE(mutable) { output_table(in, NULL); }
DEFINE(of_tensors) {
  TF_ShapeHandle *value = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrShape(in->ctx, "value_shape", value, in->status);
  output_table(in, value);
}

// The shape of a value behind input 0; NULL when nothing is told.
static TF_ShapeHandle *value_of(dvp_infer *in) {
  if (!dvp_infer_fine(in) || TF_ShapeInferenceContext_NumInputHandleShapes(in->ctx, 0) != 2) return NULL;
  TF_DataType type;
  TF_ShapeHandle *value = dvp_infer_new(in);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_GetInputHandleShapeAndType(in->ctx, 0, 1, value, &type, in->status);
  return dvp_infer_fine(in) ? value : NULL;
}

DEFINE(find) {
  dvp_infer_ranked(in, 0, 0);
  TF_ShapeHandle *value = value_of(in), *keys = dvp_infer_input(in, 1);
  dvp_infer_output(in, 0, value ? dvp_infer_join(in, keys, value) : dvp_infer_unknown(in));
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
  TF_ShapeHandle *value = value_of(in), *keys = dvp_infer_vector(in, -1);
  dvp_infer_output(in, 0, keys);
  dvp_infer_output(in, 1, value ? dvp_infer_join(in, keys, value) : dvp_infer_unknown(in));
}
