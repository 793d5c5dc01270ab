// The shape functions of text.so.
#include "text/shape.h"

#include "common/infer.h"

#define DEFINE(name) DVP_SHAPE_FN(dvx_shape_fn_##name)

static bool rank_known(dvp_infer *in, TF_ShapeHandle *shape) {
  return dvp_infer_fine(in) && TF_ShapeInferenceContextRankKnown(in->ctx, shape);
}
static int64_t rank_of(dvp_infer *in, TF_ShapeHandle *shape) {
  return rank_known(in, shape) ? TF_ShapeInferenceContextRank(in->ctx, shape) : -1;
}

// As in stock, an input of unknown rank beside one of known rank does not make the result unknown: it may be
// a scalar.
DEFINE(join) {
  bool all_scalars = true;
  TF_ShapeHandle *out = dvp_infer_unknown(in), *shape = dvp_infer_new(in);
  for (int i = 0; dvp_infer_fine(in) && i < TF_ShapeInferenceContextNumInputs(in->ctx); i++) {
    TF_ShapeInferenceContextGetInput(in->ctx, i, shape, in->status);
    int64_t rank = rank_of(in, shape);
    all_scalars = all_scalars && rank == 0;
    if (rank > 0) TF_ShapeInferenceContext_Merge(in->ctx, out, shape, out, in->status);
  }
  if (all_scalars)
    dvp_infer_output_scalar(in, 0);
  else
    dvp_infer_output(in, 0, out);
}

DEFINE(split) {
  dvp_infer_ranked(in, 0, 1);
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_output(in, 0, dvp_infer_matrix(in, -1, 2));
  dvp_infer_output(in, 1, dvp_infer_vector(in, -1));
  dvp_infer_output(in, 2, dvp_infer_vector(in, 2));
}

DEFINE(ngrams) {
  dvp_infer_output(in, 0, dvp_infer_vector(in, -1));
  dvp_infer_ranked(in, 0, 1);
  dvp_infer_output(in, 1, dvp_infer_ranked(in, 1, 1));
}

DEFINE(substr) {
  TF_ShapeHandle *strings = dvp_infer_input(in, 0), *pos = dvp_infer_input(in, 1),
                 *len = dvp_infer_input(in, 2);
  TF_ShapeHandle *both = dvp_infer_merge(in, pos, len);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Broadcast(in->ctx, strings, both, both, in->status);
  dvp_infer_output(in, 0, both);
}

DEFINE(match) {
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_output(in, 0, dvp_infer_input(in, 0));
}
DEFINE(replace) {
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_ranked(in, 2, 0);
  dvp_infer_output(in, 0, dvp_infer_input(in, 0));
}

DEFINE(segment_join) {
  TF_ShapeHandle *data = dvp_infer_input(in, 0), *ids = dvp_infer_input(in, 1);
  dvp_infer_ranked(in, 2, 0);
  int64_t rank = rank_of(in, ids);
  if (rank < 0) {
    dvp_infer_output(in, 0, dvp_infer_unknown(in));
    return;
  }
  TF_ShapeHandle *prefix = dvp_infer_new(in), *rest = dvp_infer_new(in);
  TF_DimensionHandle *segments = dvp_infer_fine(in) ? dvp_infer_keep_dim(in, TF_NewDimensionHandle()) : NULL;
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MergePrefix(in->ctx, data, ids, data, prefix, in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeDimForScalarInput(in->ctx, 2, segments, in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextSubshape(in->ctx, data, rank, INT64_MAX, rest, in->status);
  TF_ShapeHandle *first =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContext_Vector(in->ctx, segments)) : NULL;
  dvp_infer_output(in, 0, dvp_infer_join(in, first, rest));
}

DEFINE(decode_raw) {
  dvp_infer_output(in, 0, dvp_infer_join(in, dvp_infer_input(in, 0), dvp_infer_vector(in, -1)));
}

DEFINE(decode_padded_raw) {
  TF_DataType dtype = TF_UINT8;
  int64_t width = -1;
  dvp_infer_ranked(in, 1, 0);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrType(in->ctx, "out_type", &dtype, in->status);
  TF_Tensor *length =
      dvp_infer_fine(in) ? TF_ShapeInferenceContext_InputTensor(in->ctx, 1, in->status) : NULL;
  if (length) width = *(const int32_t *)TF_TensorData(length);
  if (length && width <= 0)
    TF_SetStatus(in->status, TF_INVALID_ARGUMENT, "`fixed_length` must be greater than 0");
  else if (length)
    width /= (int64_t)TF_DataTypeSize(dtype);
  TF_DeleteTensor(length);
  dvp_infer_output(in, 0, dvp_infer_join(in, dvp_infer_input(in, 0), dvp_infer_vector(in, width)));
}

DEFINE(decode) {
  TF_DimensionHandle *count = NULL, *one = NULL;
  TF_ShapeHandle *strings = dvp_infer_input(in, 0);
  if (dvp_infer_fine(in))
    count = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_NumElements(in->ctx, strings));
  if (dvp_infer_fine(in)) one = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_MakeDim(in->ctx, 1));
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Add(in->ctx, count, one, count, in->status);
  TF_ShapeHandle *splits =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContext_Vector(in->ctx, count)) : NULL;
  dvp_infer_output(in, 0, splits);
  for (int i = 1; dvp_infer_fine(in) && i < TF_ShapeInferenceContext_NumOutputs(in->ctx); i++)
    dvp_infer_output(in, i, dvp_infer_vector(in, -1));
}

DEFINE(encode) {
  dvp_infer_ranked(in, 0, 1);
  TF_ShapeHandle *splits = dvp_infer_ranked(in, 1, 1);
  TF_DimensionHandle *count = dvp_infer_fine(in) ? dvp_infer_keep_dim(in, TF_NewDimensionHandle()) : NULL,
                     *one = NULL;
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextDim(in->ctx, splits, 0, count);
  if (dvp_infer_fine(in)) one = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_MakeDim(in->ctx, 1));
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Subtract(in->ctx, count, one, count, in->status);
  TF_ShapeHandle *strings =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContext_Vector(in->ctx, count)) : NULL;
  dvp_infer_output(in, 0, strings);
}
