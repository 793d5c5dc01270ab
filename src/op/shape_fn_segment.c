// Ready-made shape functions: reductions over segments, reductions of sparse tensors, updates by index.
#include "op/shape_fn.h"

// [first] and the dims of `data` behind its first.
static dvt_status set_rows(TF_ShapeInferenceContext *c, dvt_dim first, dvt_shape data, dvt_shape *out_shape) {
  dvt_shape row, vector;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, data, 1, INT64_MAX, &row));
  DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, &first, 1, false, &vector));
  return dvt_shape_concat(c->arena, vector, row, out_shape);
}

// The data, input 0, and vectors of equal length in inputs 1 and, with `two`, 2.
static dvt_status check_segments(TF_ShapeInferenceContext *c, bool two, dvt_shape *out_data) {
  dvt_shape ids, indices;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 1, out_data));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &indices));
  if (!two) return NULL;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 1, &ids));
  return dvt_shape_merge(c->arena, indices, ids, &ids);
}

static dvt_status scalar_dim(TF_ShapeInferenceContext *c, int input, dvt_dim *out_dim) {
  dvt_shape scalar;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, input, 0, &scalar));
  return dvt_dim_of_scalar_input(c, input, out_dim);
}

DVT_SHAPE_FN(segment_reduction, 2, 1) {
  dvt_shape data;
  DVT_RETURN_IF_ERROR(check_segments(c, false, &data));
  return set_rows(c, dvt_fn_unknown(c), data, &c->outputs[0]);
}

// Data, ids of any rank whose dims begin those of the data, number of segments.
DVT_SHAPE_FN(segment_reduction_with_num_segments, 3, 1) {
  dvt_shape data = c->inputs[0], ids = c->inputs[1], head, rest, vector;
  dvt_dim count;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 0, &vector));
  if (!ids) return NULL;
  DVT_RETURN_IF_ERROR(dvt_dim_of_scalar_input(c, 2, &count));
  if (data) {
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(data, ids->rank, &data));
    DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, data, 0, ids->rank, &head));
    DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, head, ids, &head));
  }
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, data, ids->rank, INT64_MAX, &rest));
  DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, &count, 1, false, &vector));
  return dvt_shape_concat(c->arena, vector, data ? rest : NULL, &c->outputs[0]);
}

DVT_SHAPE_FN(sparse_segment_reduction, 3, 1) {
  dvt_shape data;
  DVT_RETURN_IF_ERROR(check_segments(c, true, &data));
  return set_rows(c, dvt_fn_unknown(c), data, &c->outputs[0]);
}

DVT_SHAPE_FN(sparse_segment_reduction_with_num_segments, 4, 1) {
  dvt_shape data;
  dvt_dim count;
  DVT_RETURN_IF_ERROR(check_segments(c, true, &data));
  DVT_RETURN_IF_ERROR(scalar_dim(c, 3, &count));
  return set_rows(c, count, data, &c->outputs[0]);
}

// Gradient, indices, ids, number of rows of the data.
DVT_SHAPE_FN(sparse_segment_reduction_grad, 4, 1) {
  return infer_sparse_segment_reduction_with_num_segments(c);
}

// As the one above, but only the rows that occur, and which those are.
DVT_SHAPE_FN(sparse_segment_reduction_grad_v2, 4, 2) {
  dvt_shape data, scalar;
  dvt_dim rows = dvt_fn_unknown(c);
  DVT_RETURN_IF_ERROR(check_segments(c, true, &data));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 3, 0, &scalar));
  DVT_RETURN_IF_ERROR(set_rows(c, rows, data, &c->outputs[0]));
  return dvt_fn_set(c, 1, &rows, 1);
}

// Indices, values, dense shape, axes; the shape is known when the last two are.
DVT_SHAPE_FN(sparse_reduce, 4, 1) {
  const TF_Tensor *shape = dvt_shape_input_value(c, 2), *axes = dvt_shape_input_value(c, 3);
  bool keep_dims = false, reduced[DVT_MAX_RANK] = {false};
  dvt_dim dims[DVT_MAX_RANK];
  int count = 0;
  if (dvt_fn_has_attr(c, "keep_dims")) DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "keep_dims", &keep_dims));
  if (!shape || !axes) return NULL;
  int64_t rank = dvt_tensor_count(shape);
  if (rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a sparse tensor of rank %lld; the highest rank is %d",
                     (long long)rank, DVT_MAX_RANK);
  for (int64_t i = 0, n = dvt_tensor_count(axes); i < n; i++) {
    int64_t axis;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(axes, i, &axis));
    if (axis < -rank || axis >= rank)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Invalid reduction dimension %lld for a sparse tensor of rank %lld", (long long)axis,
                       (long long)rank);
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  for (int i = 0; i < rank; i++) {
    if (reduced[i] && !keep_dims) continue;
    dims[count] = 1;
    if (!reduced[i]) DVT_RETURN_IF_ERROR(dvt_tensor_int_at(shape, i, &dims[count]));
    if (dims[count] < 0)
      return dvt_error(TF_INVALID_ARGUMENT, "dimension %d of the sparse tensor is %lld", i,
                       (long long)dims[count]);
    count++;
  }
  return dvt_fn_set(c, 0, dims, count);
}

static dvt_status annotate_parts(dvt_status status, const char *which, const char *of, int64_t dims) {
  return status
             ? dvt_status_annotate(status, "\n\tThe %s %lld dimensions of %s must match those of the updates",
                                   which, (long long)dims, of)
             : NULL;
}

// Do `indices` [..., depth] and `updates`, or one scalar for all of them, fit `tensor`?
static dvt_status check_updates(TF_ShapeInferenceContext *c, dvt_shape tensor, dvt_shape indices,
                                dvt_shape updates) {
  dvt_shape a, b;
  int64_t outer = indices ? indices->rank - 1 : 0;
  if (dvt_shape_element_count(c->arena, tensor) == 0 &&
      (dvt_shape_element_count(c->arena, indices) > 0 || dvt_shape_element_count(c->arena, updates) > 0))
    return dvt_error(TF_INVALID_ARGUMENT, "Indices and updates specified for empty output shape");
  if (!indices || !updates || updates->rank == 0 || !dvt_dim_known(indices->dims[outer])) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, indices, 0, outer, &a));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, updates, 0, outer, &b));
  DVT_RETURN_IF_ERROR(annotate_parts(dvt_shape_merge(c->arena, a, b, &a), "outer", "the indices", outer));
  if (!tensor) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, tensor, indices->dims[outer], INT64_MAX, &a));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, updates, outer, INT64_MAX, &b));
  return annotate_parts(dvt_shape_merge(c->arena, a, b, &a), "inner", "the tensor",
                        tensor->rank - indices->dims[outer]);
}

// Tensor (or a handle of a variable), indices, updates.
DVT_SHAPE_FN(scatter_nd_update, 3, 0) {
  dvt_shape tensor = c->inputs[0], indices, updates = c->inputs[2];
  const dvt_handle_shapes *handle = dvt_shape_input_handle(c, 0);
  if (handle) tensor = handle->count == 1 ? handle->at[0].shape : NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[1], 1, &indices));
  DVT_RETURN_IF_ERROR(check_updates(c, tensor, indices, updates));
  if (c->node->output_count && !handle) c->outputs[0] = tensor;
  return NULL;
}

// Handle of a variable, indices of rows, rows or one scalar for all.
DVT_SHAPE_FN(resource_scatter_update, 3, 0) {
  const dvt_handle_shapes *handle = dvt_shape_input_handle(c, 0);
  dvt_shape variable = handle && handle->count ? handle->at[0].shape : NULL, row, wanted, scalar;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &scalar));
  if (!variable || (c->inputs[2] && c->inputs[2]->rank == 0)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, variable, 1, INT64_MAX, &row));
  DVT_RETURN_IF_ERROR(dvt_shape_concat(c->arena, c->inputs[1], row, &wanted));
  return dvt_shape_merge(c->arena, c->inputs[2], wanted, &wanted);
}
