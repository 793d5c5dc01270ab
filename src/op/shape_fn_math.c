// Ready-made shape functions: elementwise math, products of matrices, reductions, ranges.
#include <math.h>

#include "op/shape_fn.h"
#include "tensor/half.h"

// Could two shapes not broadcast, once an unknown dim next to a size above 1 is known?
static bool may_not_fit(dvt_shape a, dvt_shape b) {
  for (int i = 1; a && b && i <= DVT_MIN(a->rank, b->rank); i++) {
    dvt_dim x = a->dims[a->rank - i], y = b->dims[b->rank - i];
    if (dvt_dim_known(x) != dvt_dim_known(y) && (x > 1 || y > 1)) return true;
  }
  return false;
}

DVT_SHAPE_FN(broadcast_binary, 2, 1) {
  bool strict = true;
  if (dvt_fn_has_attr(c, "incompatible_shape_error"))
    DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "incompatible_shape_error", &strict));
  dvt_status status = dvt_shape_broadcast(c->arena, c->inputs[0], c->inputs[1], &c->outputs[0]);
  if (strict) return status;
  // Shapes that do not fit are merely unequal: the result is one false.
  dvt_status_free(status);
  if (status) return dvt_fn_set(c, 0, NULL, 0);
  if (may_not_fit(c->inputs[0], c->inputs[1])) c->outputs[0] = NULL;
  return NULL;
}

DVT_SHAPE_FN(select, 3, 1) {
  dvt_shape data, condition = c->inputs[0];
  DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, c->inputs[1], c->inputs[2], &data));
  if (condition && data && condition->rank == 1 && data->rank != 1) {
    dvt_dim first;
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(data, 1, &data));
    DVT_RETURN_IF_ERROR(dvt_dim_merge(data->dims[0], condition->dims[0], &first));
    DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, data, 0, first, &data));
  } else if (condition && condition->rank > 0) {
    // A vector may also select rows of data whose rank is not known yet.
    if (data || condition->rank > 1) DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, data, condition, &data));
  }
  c->outputs[0] = data;
  return NULL;
}

DVT_SHAPE_FN(select_v2, 3, 1) {
  dvt_shape data;
  DVT_RETURN_IF_ERROR(dvt_shape_broadcast(c->arena, c->inputs[1], c->inputs[2], &data));
  return dvt_shape_broadcast(c->arena, c->inputs[0], data, &c->outputs[0]);
}

DVT_SHAPE_FN(matmul, 2, 1) {
  dvt_shape a, b;
  bool transpose_a, transpose_b;
  dvt_dim inner;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 2, &a));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 2, &b));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "transpose_a", &transpose_a));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "transpose_b", &transpose_b));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(a->dims[!transpose_a], b->dims[transpose_b], &inner));
  return dvt_fn_set(c, 0, (dvt_dim[]){a->dims[transpose_a], b->dims[!transpose_b]}, 2);
}

// The leading dims of both operands, and the matrix that the last two of each give.
static dvt_status batch_matmul_parts(TF_ShapeInferenceContext *c, dvt_shape *out_batch_a,
                                     dvt_shape *out_batch_b, dvt_shape *out_matrix) {
  dvt_shape a, b;
  bool adj_x, adj_y;
  dvt_dim inner;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 2, &a));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[1], 2, &b));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "adj_x", &adj_x));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "adj_y", &adj_y));
  dvt_dim rows = dvt_fn_dim(c, a, adj_x ? -1 : -2), cols = dvt_fn_dim(c, b, adj_y ? -2 : -1);
  DVT_RETURN_IF_ERROR(
      dvt_dim_merge(dvt_fn_dim(c, a, adj_x ? -2 : -1), dvt_fn_dim(c, b, adj_y ? -1 : -2), &inner));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, a, 0, -2, out_batch_a));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, b, 0, -2, out_batch_b));
  return dvt_shape_make(c->arena, (dvt_dim[]){rows, cols}, 2, false, out_matrix);
}

DVT_SHAPE_FN(batch_matmul, 2, 1) {
  dvt_shape batch_a, batch_b, batch, matrix;
  DVT_RETURN_IF_ERROR(batch_matmul_parts(c, &batch_a, &batch_b, &matrix));
  DVT_RETURN_IF_ERROR(dvt_shape_broadcast(c->arena, batch_a, batch_b, &batch));
  return dvt_shape_concat(c->arena, batch, matrix, &c->outputs[0]);
}

// BatchMatMul: the leading dims are the same.
DVT_SHAPE_FN(batch_matmul_v1, 2, 1) {
  dvt_shape batch_a, batch_b, batch, matrix;
  DVT_RETURN_IF_ERROR(batch_matmul_parts(c, &batch_a, &batch_b, &matrix));
  DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, batch_a, batch_b, &batch));
  return dvt_shape_concat(c->arena, batch, matrix, &c->outputs[0]);
}

enum { VERSION_OF_AXES_AS_VECTOR = 21 };  // graphs before may give axes of any rank

DVT_SHAPE_FN(reduction, 2, 1) {
  dvt_shape input = c->inputs[0], axes;
  bool keep_dims = false, reduced[DVT_MAX_RANK] = {false};
  dvt_dim dims[DVT_MAX_RANK];
  if (c->graph_def_version >= VERSION_OF_AXES_AS_VECTOR)
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_most(c->inputs[1], 1, &axes));
  if (dvt_fn_has_attr(c, "keep_dims")) DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "keep_dims", &keep_dims));
  const TF_Tensor *value = dvt_shape_input_value(c, 1);
  if (!input) return NULL;
  if (!value) return keep_dims ? dvt_fn_set_unknown_of_rank(c, 0, input->rank) : NULL;
  for (int64_t i = 0, count = dvt_tensor_count(value); i < count; i++) {
    int64_t axis;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, i, &axis));
    if (axis < -(int64_t)input->rank || axis >= input->rank)
      return dvt_error(TF_INVALID_ARGUMENT, "Invalid reduction dimension %lld for input with %d dimensions.",
                       (long long)axis, input->rank);
    reduced[axis < 0 ? axis + input->rank : axis] = true;
  }
  int rank = 0;
  for (int i = 0; i < input->rank; i++)
    if (!reduced[i] || keep_dims) dims[rank++] = reduced[i] ? 1 : input->dims[i];
  return dvt_fn_set(c, 0, dims, rank);
}

DVT_SHAPE_FN(arg_extremum, 2, 1) {
  dvt_shape input = c->inputs[0], axis_shape;
  dvt_dim dims[DVT_MAX_RANK];
  int64_t axis = 0;
  bool known;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 0, &axis_shape));
  if (!input) return NULL;
  if (input->rank <= 1) return dvt_fn_set(c, 0, NULL, 0);
  DVT_RETURN_IF_ERROR(dvt_fn_axis(c, 1, input->rank, &axis, &known));
  if (!known) return dvt_fn_set_unknown_of_rank(c, 0, input->rank - 1);
  int rank = 0;
  for (int i = 0; i < input->rank; i++)
    if (i != axis) dims[rank++] = input->dims[i];
  return dvt_fn_set(c, 0, dims, rank);
}

static double real_at_zero(const TF_Tensor *t) {
  switch (t->dtype) {
    case TF_HALF:
      return (double)dvt_half_to_float(*(const uint16_t *)t->data);
    case TF_BFLOAT16:
      return (double)dvt_bfloat16_to_float(*(const uint16_t *)t->data);
    case TF_FLOAT:
      return (double)*(const float *)t->data;
    default:
      return *(const double *)t->data;
  }
}

static bool is_real(int dtype) {
  return dtype == TF_HALF || dtype == TF_BFLOAT16 || dtype == TF_FLOAT || dtype == TF_DOUBLE;
}

static dvt_status bad_range(bool zero_delta, bool negative) {
  if (zero_delta) return dvt_error(TF_INVALID_ARGUMENT, "Requires delta != 0");
  return dvt_error(TF_INVALID_ARGUMENT, "Requires start %s limit when delta %s 0",
                   negative ? ">=" : "<=", negative ? "<" : ">");
}

static dvt_status integer_range(const TF_Tensor *const t[3], dvt_dim *out_size) {
  int64_t v[3];
  for (int i = 0; i < 3; i++) DVT_RETURN_IF_ERROR(dvt_tensor_int_at(t[i], 0, &v[i]));
  bool negative = v[2] < 0;
  if (v[2] == 0 || (negative ? v[0] < v[1] : v[0] > v[1])) return bad_range(v[2] == 0, negative);
  uint64_t span = negative ? (uint64_t)v[0] - (uint64_t)v[1] : (uint64_t)v[1] - (uint64_t)v[0];
  uint64_t step = negative ? 0 - (uint64_t)v[2] : (uint64_t)v[2];
  uint64_t size = span == 0 ? 0 : (span - 1) / step + 1;
  if (size > INT64_MAX) return dvt_error(TF_INVALID_ARGUMENT, "the range would have more than 2^63 elements");
  *out_size = (dvt_dim)size;
  return NULL;
}

static dvt_status real_range(const TF_Tensor *const t[3], dvt_dim *out_size) {
  double start = real_at_zero(t[0]), limit = real_at_zero(t[1]), delta = real_at_zero(t[2]);
  bool negative = delta < 0;
  if (delta == 0 || (negative ? start < limit : start > limit)) return bad_range(delta == 0, negative);
  double size = ceil(fabs((limit - start) / delta));
  if (!(size < 9.2e18)) return dvt_error(TF_INVALID_ARGUMENT, "the range would have more than 2^63 elements");
  *out_size = (dvt_dim)size;
  return NULL;
}

DVT_SHAPE_FN(range, 3, 1) {
  const TF_Tensor *t[3];
  dvt_dim size = 0;
  bool integers = true, reals = true;
  for (int i = 0; i < 3; i++) {
    dvt_shape scalar;
    dvt_status status = dvt_fn_rank(c, i, 0, &scalar);
    if (status)
      return dvt_status_annotate(status, "\n\t for '%s'", i == 0 ? "start" : i == 1 ? "limit" : "delta");
    t[i] = dvt_shape_input_value(c, i);
    if (t[i] && t[i]->rank != 0) t[i] = NULL;
    integers = integers && t[i] && (t[i]->dtype == TF_INT32 || t[i]->dtype == TF_INT64);
    reals = reals && t[i] && is_real(t[i]->dtype);
  }
  if (integers)
    DVT_RETURN_IF_ERROR(integer_range(t, &size));
  else if (reals)
    DVT_RETURN_IF_ERROR(real_range(t, &size));
  else
    size = dvt_fn_unknown(c);
  return dvt_fn_set(c, 0, &size, 1);
}
