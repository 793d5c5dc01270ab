// Ready-made shape functions: splitting, slicing and gathering. Strided slices have their own file.
#include "op/shape_fn.h"

static void set_all(TF_ShapeInferenceContext *c, dvt_shape shape) {
  for (int i = 0; i < c->node->output_count; i++) c->outputs[i] = shape;
}

// The parts have a shape each. A node of a few bytes can ask for very many of very high rank: those stay
// unknown.
static bool is_too_much(const TF_ShapeInferenceContext *c, dvt_shape input) {
  return (int64_t)c->node->output_count * input->rank > 1 << 16;
}

DVT_SHAPE_FN(split, 2, 1) {
  dvt_shape axis_shape, input = c->inputs[1], each;
  int64_t axis = 0;
  bool known;
  dvt_dim part;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &axis_shape));
  if (!input) return NULL;
  DVT_RETURN_IF_ERROR(dvt_fn_axis(c, 0, input->rank, &axis, &known));
  if (!known) {
    for (int i = 0; i < c->node->output_count && !is_too_much(c, input); i++)
      DVT_RETURN_IF_ERROR(dvt_fn_set_unknown_of_rank(c, i, input->rank));
    return NULL;
  }
  dvt_status status = dvt_dim_divide(c->arena, input->dims[axis], c->node->output_count, true, &part);
  if (status)
    return dvt_status_annotate(status,
                               "\n\tNumber of ways to split should evenly divide the split dimension");
  DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, input, axis, part, &each));
  set_all(c, each);
  return NULL;
}

// The sizes of the parts where input 1 is known: checks them against the dim and fills in the one -1.
static dvt_status split_sizes(TF_ShapeInferenceContext *c, const TF_Tensor *value, dvt_dim dim,
                              dvt_dim *sizes) {
  int count = c->node->output_count, rest = -1;
  int64_t total = 0;
  if (dvt_tensor_count(value) != count)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Length of size_splits should be equal to num_outputs, got %lld and %d",
                     (long long)dvt_tensor_count(value), count);
  for (int i = 0; i < count; i++) {
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, i, &sizes[i]));
    if (sizes[i] < -1 || (sizes[i] == -1 && rest >= 0))
      return dvt_error(TF_INVALID_ARGUMENT,
                       sizes[i] < -1 ? "size_splits[%d] is negative"
                                     : "size_splits can only have one -1; there is another at %d",
                       i);
    if (sizes[i] == -1)
      rest = i;
    else if (__builtin_add_overflow(total, sizes[i], &total))
      return dvt_error(TF_INVALID_ARGUMENT, "the sum of size_splits overflows at %d", i);
  }
  if (dvt_dim_known(dim) && (rest < 0 ? total != dim : total > dim))
    return dvt_error(TF_INVALID_ARGUMENT, "can't split axis of size %lld into pieces of total size %lld",
                     (long long)dim, (long long)total);
  if (rest >= 0) sizes[rest] = dvt_dim_known(dim) ? dim - total : dvt_fn_unknown(c);
  return NULL;
}

DVT_SHAPE_FN(split_v, 3, 1) {
  dvt_shape input = c->inputs[0], shape;
  int64_t axis = 0;
  bool known;
  int count = c->node->output_count;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &shape));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 0, &shape));
  if (!input) return NULL;
  if (input->rank == 0) return dvt_error(TF_INVALID_ARGUMENT, "Can't split scalars");
  if (count == 1) {
    c->outputs[0] = input;
    return NULL;
  }
  DVT_RETURN_IF_ERROR(dvt_fn_axis(c, 2, input->rank, &axis, &known));
  const TF_Tensor *value = dvt_shape_input_value(c, 1);
  dvt_dim *sizes = value && known ? dvt_malloc(sizeof *sizes * (size_t)count) : NULL;
  if (value && known && !sizes) return dvt_error_out_of_memory(sizeof *sizes * (size_t)count);
  dvt_status status = sizes ? split_sizes(c, value, input->dims[axis], sizes) : NULL;
  for (int i = 0; i < count && !status && !is_too_much(c, input); i++) {
    if (!known)
      status = dvt_fn_set_unknown_of_rank(c, i, input->rank);
    else
      status =
          dvt_shape_replace_dim(c->arena, input, axis, sizes ? sizes[i] : dvt_fn_unknown(c), &c->outputs[i]);
  }
  dvt_free(sizes);
  return status;
}

DVT_SHAPE_FN(slice, 3, 1) {
  dvt_shape input = c->inputs[0], begin, size;
  dvt_dim dims[DVT_MAX_RANK], rank;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &begin));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 1, &size));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(begin->dims[0], size->dims[0], &rank));
  if (!dvt_dim_known(rank)) rank = input ? input->rank : -1;
  if (!dvt_dim_known(rank)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, input, rank, &input));
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 1, &begin));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, begin, rank, &begin));
  const TF_Tensor *sizes = dvt_shape_input_value(c, 2);
  if (!sizes) {
    DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 2, &size));
    return dvt_shape_with_rank(c->arena, size, rank, &c->outputs[0]);
  }
  if (dvt_tensor_count(sizes) != rank)
    return dvt_error(TF_INVALID_ARGUMENT, "size has %lld elements for an input of rank %lld",
                     (long long)dvt_tensor_count(sizes), (long long)rank);
  for (int i = 0; i < rank; i++) {
    int64_t wanted, end;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(sizes, i, &wanted));
    if (wanted < -1)
      return dvt_error(TF_INVALID_ARGUMENT, "size[%d] must be >= -1, got %lld", i, (long long)wanted);
    dims[i] = wanted;
    if (wanted == -1) {  // the rest of the dimension
      DVT_RETURN_IF_ERROR(dvt_dim_subtract(c->arena, input->dims[i], begin->dims[i], &dims[i]));
    } else if (dvt_dim_known(begin->dims[i]) && dvt_dim_known(input->dims[i]) &&
               (__builtin_add_overflow(begin->dims[i], wanted, &end) || end > input->dims[i])) {
      return dvt_error(TF_INVALID_ARGUMENT,
                       "slice of dimension %d: begin %lld and size %lld pass its end, %lld", i,
                       (long long)begin->dims[i], (long long)wanted, (long long)input->dims[i]);
    }
  }
  return dvt_fn_set(c, 0, dims, (int)rank);
}

// Attr batch_dims, made non-negative; 0 without the attr.
static dvt_status read_batch_dims(const TF_ShapeInferenceContext *c, dvt_shape indices, int64_t *out_batch) {
  int64_t batch = 0;
  if (dvt_fn_has_attr(c, "batch_dims")) DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "batch_dims", &batch));
  if (batch < -indices->rank || batch > indices->rank)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "batch_dims %lld is not in the range [%d, %d] of the rank of the indices",
                     (long long)batch, -indices->rank, indices->rank);
  *out_batch = batch < 0 ? batch + indices->rank : batch;
  return NULL;
}

DVT_SHAPE_FN(gather, 2, 1) {
  dvt_shape params, indices = c->inputs[1], outer, middle, inner;
  int64_t axis = 0, batch;
  bool known = true;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 1, &params));
  if (c->node->input_count > 2) {
    DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 0, &outer));
    if (params) DVT_RETURN_IF_ERROR(dvt_fn_axis(c, 2, params->rank, &axis, &known));
  }
  if (!params || !indices) return NULL;
  DVT_RETURN_IF_ERROR(read_batch_dims(c, indices, &batch));
  if (!known) return dvt_fn_set_unknown_of_rank(c, 0, (int64_t)params->rank + indices->rank - 1 - batch);
  if (batch > axis)
    return dvt_error(TF_INVALID_ARGUMENT, "batch_dims (%lld) must be less than or equal to axis (%lld)",
                     (long long)batch, (long long)axis);
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, params, 0, axis, &outer));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, indices, batch, INT64_MAX, &middle));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, params, axis + 1, INT64_MAX, &inner));
  DVT_RETURN_IF_ERROR(dvt_shape_concat(c->arena, outer, middle, &outer));
  return dvt_shape_concat(c->arena, outer, inner, &c->outputs[0]);
}

// The tensor, or the variable behind the handle, that input 0 is.
static dvt_shape tensor_or_variable(TF_ShapeInferenceContext *c) {
  const dvt_handle_shapes *handle = dvt_shape_input_handle(c, 0);
  if (handle) return handle->count ? handle->at[0].shape : NULL;
  bool is_handle = c->node->input_types && c->node->input_types[0] == TF_RESOURCE;
  return is_handle ? NULL : c->inputs[0];
}

DVT_SHAPE_FN(gather_nd, 2, 1) {
  dvt_shape params = tensor_or_variable(c), indices, outer, inner;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[1], 1, &indices));
  if (!params || !indices || !dvt_dim_known(indices->dims[indices->rank - 1])) return NULL;
  dvt_dim depth = indices->dims[indices->rank - 1];
  if (depth > params->rank)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "indices.shape[-1] must be <= params.rank, but is %lld and the rank is %d",
                     (long long)depth, params->rank);
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, indices, 0, -1, &outer));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, params, depth, INT64_MAX, &inner));
  return dvt_shape_concat(c->arena, outer, inner, &c->outputs[0]);
}

DVT_SHAPE_FN(scatter_nd, 3, 1) { return dvt_shape_of_input(c, 2, &c->outputs[0]); }

// Input, groups [n, size], axis: each member of a group keeps its part of the axis.
DVT_SHAPE_FN(reduce_scatter, 3, 1) {
  dvt_shape input = c->inputs[0], groups;
  const TF_Tensor *value = dvt_shape_input_value(c, 2);
  int64_t axis;
  dvt_dim part;
  if (!input) return NULL;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 2, &groups));
  if (!value) return NULL;
  DVT_RETURN_IF_ERROR(dvt_tensor_scalar_int(value, &axis));
  if (axis < 0 || axis >= input->rank)
    return dvt_error(TF_INVALID_ARGUMENT, "scatter_dimension %lld is not in the range [0, %d)",
                     (long long)axis, input->rank);
  DVT_RETURN_IF_ERROR(dvt_dim_divide(c->arena, input->dims[axis], groups->dims[1], true, &part));
  return dvt_shape_replace_dim(c->arena, input, axis, part, &c->outputs[0]);
}
