// The steps of infer.h.
#include "common/infer.h"

TF_ShapeHandle *dvp_infer_keep(dvp_infer *in, TF_ShapeHandle *handle) {
  if (handle && in->used < DVP_INFER_HANDLES) {
    in->handles[in->used++] = handle;
    return handle;
  }
  TF_DeleteShapeHandle(handle);
  TF_SetStatus(in->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a shape");
  return NULL;
}
TF_DimensionHandle *dvp_infer_keep_dim(dvp_infer *in, TF_DimensionHandle *dim) {
  if (dim && in->dims_used < DVP_INFER_HANDLES) {
    in->dims[in->dims_used++] = dim;
    return dim;
  }
  TF_DeleteDimensionHandle(dim);
  TF_SetStatus(in->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a dimension");
  return NULL;
}
TF_ShapeHandle *dvp_infer_new(dvp_infer *in) {
  return dvp_infer_fine(in) ? dvp_infer_keep(in, TF_NewShapeHandle()) : NULL;
}
void dvp_infer_end(dvp_infer *in) {
  for (int i = 0; i < in->used; i++) TF_DeleteShapeHandle(in->handles[i]);
  for (int i = 0; i < in->dims_used; i++) TF_DeleteDimensionHandle(in->dims[i]);
}

TF_ShapeHandle *dvp_infer_input(dvp_infer *in, int i) {
  TF_ShapeHandle *shape = dvp_infer_new(in);
  if (shape) TF_ShapeInferenceContextGetInput(in->ctx, i, shape, in->status);
  return shape;
}

TF_ShapeHandle *dvp_infer_ranked(dvp_infer *in, int i, int rank) {
  TF_ShapeHandle *shape = dvp_infer_input(in, i);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextWithRank(in->ctx, shape, rank, shape, in->status);
  return shape;
}

TF_ShapeHandle *dvp_infer_rows(dvp_infer *in, int i) {
  TF_ShapeHandle *shape = dvp_infer_input(in, i);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextWithRankAtLeast(in->ctx, shape, 1, shape, in->status);
  return shape;
}

TF_ShapeHandle *dvp_infer_at_most(dvp_infer *in, int i, int rank) {
  TF_ShapeHandle *shape = dvp_infer_input(in, i);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextWithRankAtMost(in->ctx, shape, rank, shape, in->status);
  return shape;
}

static bool is_minus_one(const TF_Tensor *value) {
  if (TF_TensorType(value) == TF_INT32) return *(const int32_t *)TF_TensorData(value) == -1;
  return TF_TensorType(value) == TF_INT64 && *(const int64_t *)TF_TensorData(value) == -1;
}

TF_ShapeHandle *dvp_infer_spelled(dvp_infer *in, int i) {
  TF_ShapeHandle *shape = dvp_infer_at_most(in, i, 1);
  if (!dvp_infer_fine(in)) return NULL;
  if (TF_ShapeInferenceContextRank(in->ctx, shape) != 0) {
    TF_ShapeInferenceContext_MakeShapeFromShapeTensor(in->ctx, i, shape, in->status);
    return shape;
  }
  TF_Tensor *value = TF_ShapeInferenceContext_InputTensor(in->ctx, i, in->status);
  if (dvp_infer_fine(in) && value && !is_minus_one(value))
    TF_SetStatus(in->status, TF_INVALID_ARGUMENT,
                 "Shape must be rank 1, or the scalar -1 for an unknown shape");
  TF_DeleteTensor(value);
  return dvp_infer_unknown(in);
}

TF_ShapeHandle *dvp_infer_tail(dvp_infer *in, TF_ShapeHandle *shape) {
  TF_ShapeHandle *rest = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextSubshape(in->ctx, shape, 1, INT64_MAX, rest, in->status);
  return rest;
}

TF_ShapeHandle *dvp_infer_join(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b) {
  TF_ShapeHandle *both = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextConcatenateShapes(in->ctx, a, b, both, in->status);
  return both;
}

TF_ShapeHandle *dvp_infer_merge(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b) {
  TF_ShapeHandle *both = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Merge(in->ctx, a, b, both, in->status);
  return both;
}
void dvp_infer_check(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b) { dvp_infer_merge(in, a, b); }

TF_ShapeHandle *dvp_infer_vector(dvp_infer *in, int64_t size) {
  return dvp_infer_fine(in)
             ? dvp_infer_keep(in, TF_ShapeInferenceContextVectorFromSize(in->ctx, (size_t)size))
             : NULL;
}
TF_ShapeHandle *dvp_infer_matrix(dvp_infer *in, int64_t rows, int64_t columns) {
  TF_ShapeHandle *shape = dvp_infer_new(in);
  const int64_t dims[2] = {rows, columns};
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeShapeFromDims(in->ctx, dims, 2, shape, in->status);
  return shape;
}
TF_ShapeHandle *dvp_infer_unknown(dvp_infer *in) {
  return dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContext_UnknownShape(in->ctx)) : NULL;
}

int64_t dvp_infer_attr_int(dvp_infer *in, const char *name) {
  int64_t value = 0;
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_GetAttrInt(in->ctx, name, &value, in->status);
  return value;
}

void dvp_infer_output(dvp_infer *in, int i, TF_ShapeHandle *shape) {
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextSetOutput(in->ctx, i, shape, in->status);
}

void dvp_infer_output_scalar(dvp_infer *in, int i) {
  TF_ShapeHandle *scalar =
      dvp_infer_fine(in) ? dvp_infer_keep(in, TF_ShapeInferenceContextScalar(in->ctx)) : NULL;
  dvp_infer_output(in, i, scalar);
}
