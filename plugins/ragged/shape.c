// The shape functions of ragged.so that no pattern describes.
#include "ragged/shape.h"

#include "common/infer.h"

#define DEFINE(name) DVP_SHAPE_FN(dvr_shape_fn_##name)

// The shape of input 0 says what it can; the dimensions behind the ragged ones are those of the values.
DEFINE(to_tensor) {
  TF_ShapeHandle *shape = dvp_infer_spelled(in, 0), *values = dvp_infer_input(in, 1);
  int64_t partitions = dvp_infer_attr_int(in, "num_row_partition_tensors");
  const char *first[64];
  size_t lengths[64];
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_GetAttrStringList(in->ctx, "row_partition_types", first, lengths, 64,
                                               in->status);
  if (!dvp_infer_fine(in) || partitions < 1 || partitions > 64) return;
  bool sized = lengths[0] == sizeof("FIRST_DIM_SIZE") - 1;
  if (!TF_ShapeInferenceContextRankKnown(in->ctx, values)) {
    dvp_infer_output(in, 0, shape);
    return;
  }
  TF_ShapeHandle *ragged = dvp_infer_new(in);
  int64_t dims[65];
  for (int64_t i = 0; i <= partitions - sized; i++) dims[i] = -1;
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_MakeShapeFromDims(in->ctx, dims, (int)(partitions - sized) + 1, ragged,
                                               in->status);
  TF_ShapeHandle *whole = dvp_infer_join(in, ragged, dvp_infer_tail(in, values));
  dvp_infer_output(in, 0, dvp_infer_merge(in, shape, whole));
}

DEFINE(to_variant) {
  bool batched = false;
  int inputs = (int)TF_ShapeInferenceContextNumInputs(in->ctx);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_GetAttrBool(in->ctx, "batched_input", &batched, in->status);
  for (int i = 0; i + 1 < inputs; i++) dvp_infer_ranked(in, i, 1);
  if (!batched) {
    dvp_infer_output_scalar(in, 0);
    return;
  }
  if (inputs < 2) {
    TF_SetStatus(in->status, TF_INVALID_ARGUMENT, "A batch of ragged tensors has splits");
    return;
  }
  TF_DimensionHandle *rows = dvp_infer_fine(in) ? dvp_infer_keep_dim(in, TF_NewDimensionHandle()) : NULL,
                     *one = NULL;
  TF_ShapeHandle *splits = dvp_infer_ranked(in, 0, 1), *vector = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextDim(in->ctx, splits, 0, rows);
  if (dvp_infer_fine(in)) one = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_MakeDim(in->ctx, 1));
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Subtract(in->ctx, rows, one, rows, in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeShape(in->ctx, &rows, 1, vector, in->status);
  dvp_infer_output(in, 0, vector);
}

DEFINE(from_variant) {
  int64_t input_rank = dvp_infer_attr_int(in, "input_ragged_rank"),
          rank = dvp_infer_attr_int(in, "output_ragged_rank");
  TF_ShapeHandle *encoded = dvp_infer_input(in, 0);
  if (dvp_infer_fine(in) && input_rank >= 0)
    TF_ShapeInferenceContextWithRank(in->ctx, encoded, rank - input_rank, encoded, in->status);
  for (int64_t i = 0; dvp_infer_fine(in) && i < rank && in->used + 2 < DVP_INFER_HANDLES; i++)
    dvp_infer_output(in, (int)i, dvp_infer_vector(in, -1));
}

DEFINE(range) {
  TF_ShapeHandle *rows = NULL;
  for (int i = 0; i < 3; i++) {
    TF_ShapeHandle *shape = dvp_infer_at_most(in, i, 1);
    if (!dvp_infer_fine(in) || TF_ShapeInferenceContextRank(in->ctx, shape) != 1) continue;
    rows = rows ? dvp_infer_merge(in, rows, shape) : shape;
  }
  dvp_infer_output(in, 0, dvp_infer_vector(in, -1));
  dvp_infer_output(in, 1, dvp_infer_vector(in, -1));
  bool scalars = dvp_infer_fine(in) && !rows;
  for (int i = 0; scalars && i < 3; i++) {
    TF_ShapeHandle *shape = dvp_infer_input(in, i);
    scalars = dvp_infer_fine(in) && TF_ShapeInferenceContextRankKnown(in->ctx, shape);
  }
  if (scalars) dvp_infer_output(in, 0, dvp_infer_vector(in, 2));
  if (!rows) return;
  TF_DimensionHandle *count = dvp_infer_fine(in) ? dvp_infer_keep_dim(in, TF_NewDimensionHandle()) : NULL,
                     *one = NULL;
  if (dvp_infer_fine(in)) TF_ShapeInferenceContextDim(in->ctx, rows, 0, count);
  if (dvp_infer_fine(in)) one = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_MakeDim(in->ctx, 1));
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Add(in->ctx, count, one, count, in->status);
  TF_ShapeHandle *vector = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeShape(in->ctx, &count, 1, vector, in->status);
  dvp_infer_output(in, 0, vector);
}

DEFINE(gather) {
  int64_t params_rank = dvp_infer_attr_int(in, "PARAMS_RAGGED_RANK"),
          rank = dvp_infer_attr_int(in, "OUTPUT_RAGGED_RANK");
  TF_ShapeHandle *values = dvp_infer_rows(in, (int)params_rank), *vector = dvp_infer_vector(in, -1);
  dvp_infer_ranked(in, (int)params_rank + 1, (int)(rank - params_rank + 1));
  for (int64_t i = 0; dvp_infer_fine(in) && i < rank && in->used + 8 < DVP_INFER_HANDLES; i++)
    dvp_infer_output(in, (int)i, dvp_infer_vector(in, -1));
  dvp_infer_output(in, (int)rank, dvp_infer_join(in, vector, dvp_infer_tail(in, values)));
}

DEFINE(to_sparse) {
  int inputs = (int)TF_ShapeInferenceContextNumInputs(in->ctx);
  TF_ShapeHandle *values = dvp_infer_rows(in, inputs - 1), *indices = dvp_infer_new(in),
                 *count = dvp_infer_new(in);
  bool known = dvp_infer_fine(in) && TF_ShapeInferenceContextRankKnown(in->ctx, values);
  int64_t rank = known ? TF_ShapeInferenceContextRank(in->ctx, values) + inputs - 1 : -1;
  TF_DimensionHandle *dims[2] = {NULL, NULL};
  if (dvp_infer_fine(in))
    dims[0] = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_NumElements(in->ctx, values));
  if (dvp_infer_fine(in)) dims[1] = dvp_infer_keep_dim(in, TF_ShapeInferenceContext_MakeDim(in->ctx, rank));
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeShape(in->ctx, dims, 2, indices, in->status);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MakeShape(in->ctx, dims, 1, count, in->status);
  dvp_infer_output(in, 0, indices);
  dvp_infer_output(in, 1, count);
  dvp_infer_output(in, 2, dvp_infer_vector(in, rank));
}
