// Ready-made shape functions: making, reshaping and joining arrays. Indexing and cutting are in
// shape_fn_index.c.
#include "op/shape_fn.h"
#include "tensor/dtype.h"

DVT_SHAPE_FN(const, 0, 1) {
  dvt_str value, proto;
  int64_t dims[DVT_MAX_RANK];
  int dtype, rank;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, DVT_STR("value"), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_tensor(value, &proto));
  DVT_RETURN_IF_ERROR(dvt_tensor_proto_header(proto, &dtype, dims, DVT_MAX_RANK, &rank));
  if (rank < 0) return NULL;
  return dvt_shape_make(c->arena, dims, rank, true, &c->outputs[0]);
}

enum { SCALAR_MEANS_UNKNOWN_VERSION = 21 };  // up to this GraphDef version

DVT_SHAPE_FN(placeholder, 0, 1) {
  dvt_shape shape = NULL;
  if (dvt_fn_has_attr(c, "shape")) DVT_RETURN_IF_ERROR(dvt_fn_attr_shape(c, "shape", &shape));
  if (shape && shape->rank == 0 && c->graph_def_version <= SCALAR_MEANS_UNKNOWN_VERSION) shape = NULL;
  c->outputs[0] = shape;
  return NULL;
}

DVT_SHAPE_FN(placeholder_with_default, 1, 1) {
  dvt_shape shape, merged;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_shape(c, "shape", &shape));
  DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, c->inputs[0], shape, &merged));
  c->outputs[0] = shape;  // another value of the placeholder need not have the default's shape
  return NULL;
}

DVT_SHAPE_FN(shape, 1, 1) {
  for (int i = 0; i < DVT_MIN(c->node->output_count, c->node->input_count); i++) {
    dvt_dim rank = c->inputs[i] ? c->inputs[i]->rank : dvt_fn_unknown(c);
    DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, &rank, 1));
  }
  return NULL;
}

// What is known of a shape's number of elements: the product of the known dims, and the symbols.
typedef struct shape_size {
  int64_t known;
  dvt_dim symbols[DVT_MAX_RANK];
  int at[DVT_MAX_RANK];  // which dim the symbol is
  int count;
} shape_size;

static dvt_status measure(dvt_shape shape, shape_size *out_size) {
  out_size->known = 1;
  out_size->count = 0;
  for (int i = 0; i < shape->rank; i++) {
    if (dvt_dim_known(shape->dims[i])) {
      DVT_RETURN_IF_ERROR(dvt_dim_multiply(NULL, out_size->known, shape->dims[i], &out_size->known));
    } else {
      out_size->at[out_size->count] = i;
      out_size->symbols[out_size->count++] = shape->dims[i];
    }
  }
  return NULL;
}

static void drop_symbol(shape_size *size, int i) {
  size->count--;
  size->symbols[i] = size->symbols[size->count];
  size->at[i] = size->at[size->count];
}

// Takes out the symbols that both have; false when there are none.
static bool cancel(shape_size *a, shape_size *b) {
  bool any = false;
  for (int i = a->count - 1; i >= 0; i--)
    for (int k = 0; k < b->count; k++) {
      if (a->symbols[i] != b->symbols[k]) continue;
      drop_symbol(a, i);
      drop_symbol(b, k);
      any = true;
      break;
    }
  return any;
}

static dvt_status elements_error(int64_t from, dvt_shape out, int64_t to) {
  dvt_buf text = {0};
  dvt_shape_print(out, &text);
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT, "Cannot reshape a tensor with %lld elements to shape %s (%lld elements)",
                (long long)from, text.data ? text.data : "?", (long long)to);
  dvt_buf_deinit(&text);
  return status;
}

// The one unknown dim of the result, since both have as many elements.
static dvt_status infer_missing(TF_ShapeInferenceContext *c, dvt_shape in, dvt_shape *out) {
  shape_size from, to;
  dvt_dim dim;
  DVT_RETURN_IF_ERROR(measure(in, &from));
  DVT_RETURN_IF_ERROR(measure(*out, &to));
  // Then what is left may differ: the symbols may be 0. A symbol that is left may be 0 as well, and running
  // the op leaves out all sizes of 0 where the wanted shape has one; so only a plain number is certain.
  bool cancelled = cancel(&from, &to);
  if (from.count == 0 && to.count == 0)
    return from.known == to.known || cancelled ? NULL : elements_error(from.known, *out, to.known);
  if (to.count == 0 && from.count == 1 && from.known != 0 && !cancelled)
    return dvt_dim_divide(c->arena, to.known, from.known, true, &dim);  // only to see that it fits
  if (to.count == 1 && to.known == 0 && from.count == 0 && from.known != 0)
    return elements_error(from.known, *out, 0);
  if (to.count != 1 || to.known == 0 || (cancelled && (from.count > 0 || from.known % to.known))) return NULL;
  dim = 1;
  for (int i = 0; i < from.count; i++)
    DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, dim, from.symbols[i], &dim));
  DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, dim, from.known, &dim));
  DVT_RETURN_IF_ERROR(dvt_dim_divide(c->arena, dim, to.known, true, &dim));
  return dvt_shape_replace_dim(c->arena, *out, to.at[0], dim, out);
}

DVT_SHAPE_FN(reshape, 2, 1) {
  dvt_shape out;
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 1, &out));
  if (out && c->inputs[0]) DVT_RETURN_IF_ERROR(infer_missing(c, c->inputs[0], &out));
  c->outputs[0] = out;
  return NULL;
}

DVT_SHAPE_FN(expand_dims, 2, 1) {
  dvt_shape input = c->inputs[0];
  dvt_dim dims[DVT_MAX_RANK + 1];
  int64_t axis = 0;
  bool known;
  if (!input) return NULL;
  int rank = input->rank;
  dvt_status status = dvt_fn_axis(c, 1, rank + 1, &axis, &known);
  if (status) return dvt_status_annotate(status, " of ExpandDims");
  if (!known) return dvt_fn_set_unknown_of_rank(c, 0, rank + 1);
  memcpy(dims, input->dims, sizeof dims[0] * (size_t)axis);
  dims[axis] = 1;
  memcpy(dims + axis + 1, input->dims + axis, sizeof dims[0] * (size_t)(rank - axis));
  return dvt_fn_set(c, 0, dims, rank + 1);
}

DVT_SHAPE_FN(squeeze, 1, 1) {
  dvt_shape input = c->inputs[0];
  int64_t axes[DVT_MAX_RANK];
  bool squeeze[DVT_MAX_RANK] = {false};
  dvt_dim dims[DVT_MAX_RANK];
  int count, rank = 0;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_ints(c, "squeeze_dims", axes, DVT_MAX_RANK, &count));
  if (!input) return NULL;
  for (int i = 0; i < DVT_MIN(count, DVT_MAX_RANK); i++) {
    if (axes[i] < -input->rank || axes[i] >= input->rank)
      return dvt_error(TF_INVALID_ARGUMENT, "squeeze_dims[%d] not in [%d,%d).", i, -input->rank, input->rank);
    squeeze[axes[i] < 0 ? axes[i] + input->rank : axes[i]] = true;
  }
  for (int i = 0; i < input->rank; i++) {
    dvt_dim dim = input->dims[i];
    if (count == 0 && !dvt_dim_known(dim)) return NULL;  // whether it is 1 decides the rank
    if (count == 0 ? dim == 1 : squeeze[i]) {
      if (!dvt_dim_known(dim) || dim == 1) continue;
      return dvt_error(TF_INVALID_ARGUMENT, "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                       (long long)dim);
    }
    dims[rank++] = dim;
  }
  return dvt_fn_set(c, 0, dims, rank);
}

DVT_SHAPE_FN(transpose, 2, 1) {
  dvt_shape input = c->inputs[0];
  const TF_Tensor *perm = dvt_shape_input_value(c, 1);
  dvt_dim elements = dvt_shape_element_count(c->arena, c->inputs[1]), dims[DVT_MAX_RANK];
  dvt_shape vector;
  if (!input && !dvt_dim_known(elements) && !perm) return NULL;
  int64_t rank = input ? input->rank : dvt_dim_known(elements) ? elements : dvt_tensor_count(perm);
  if (!input && rank < 2) return NULL;  // one element may stand for a scalar, too
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, input, rank, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &vector));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(elements, rank, &elements));
  if (!perm) return dvt_fn_set_unknown_of_rank(c, 0, rank);
  if (dvt_tensor_count(perm) != rank)
    return dvt_error(TF_INVALID_ARGUMENT, "perm has %lld elements for an input of rank %lld",
                     (long long)dvt_tensor_count(perm), (long long)rank);
  for (int64_t i = 0; i < rank; i++) {
    int64_t from;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(perm, i, &from));
    if (from < -rank || from >= rank)
      return dvt_error(TF_INVALID_ARGUMENT, "perm dim %lld is out of range of input rank %lld",
                       (long long)from, (long long)rank);
    dims[i] = input->dims[from < 0 ? from + rank : from];
  }
  return dvt_fn_set(c, 0, dims, (int)rank);
}

// Inputs [begin, end) joined along the axis that input `axis_input` gives.
static dvt_status concat(TF_ShapeInferenceContext *c, int begin, int end, int axis_input) {
  dvt_shape axis_shape, joined = NULL;
  int64_t axis = 0;
  bool known = false;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, axis_input, 0, &axis_shape));
  for (int i = begin; i < end; i++) {
    dvt_shape input = c->inputs[i];
    if (!input) continue;
    if (input->rank == 0)
      return dvt_error(TF_INVALID_ARGUMENT, "Can't concatenate scalars (use tf.stack instead)");
    if (!joined) {
      joined = input;
      DVT_RETURN_IF_ERROR(dvt_fn_axis(c, axis_input, input->rank, &axis, &known));
    } else if (input->rank != joined->rank) {
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Shapes must be equal rank, but are %d and %d\n\tFrom merging shape %d with "
                       "other shapes.",
                       joined->rank, input->rank, i - begin);
    }
  }
  if (!joined) return NULL;
  if (!known) return dvt_fn_set_unknown_of_rank(c, 0, joined->rank);
  dvt_dim dims[DVT_MAX_RANK], total = 0;
  for (int d = 0; d < joined->rank; d++) dims[d] = dvt_fn_unknown(c);
  for (int i = begin; i < end; i++) {
    dvt_shape input = c->inputs[i];
    DVT_RETURN_IF_ERROR(dvt_dim_add(c->arena, total, dvt_fn_dim(c, input, axis), &total));
    for (int d = 0; input && d < joined->rank; d++) {
      dvt_status status = d == axis ? NULL : dvt_dim_merge(input->dims[d], dims[d], &dims[d]);
      if (status)
        return dvt_status_annotate(status, " in dimension %d\n\tFrom merging shape %d with other shapes.", d,
                                   i - begin);
    }
  }
  dims[axis] = total;
  return dvt_fn_set(c, 0, dims, joined->rank);
}

DVT_SHAPE_FN(concat, 2, 1) { return concat(c, 0, c->node->input_count - 1, c->node->input_count - 1); }
DVT_SHAPE_FN(concat_v1, 2, 1) { return concat(c, 1, c->node->input_count, 0); }

DVT_SHAPE_FN(concat_offset, 2, 1) {
  for (int i = 1; i < c->node->input_count && i <= c->node->output_count; i++)
    c->outputs[i - 1] = c->inputs[i];
  return NULL;
}

// Attr `axis` for a result of rank `rank`.
static dvt_status pack_axis(const TF_ShapeInferenceContext *c, int rank, int *out_axis) {
  int64_t axis;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "axis", &axis));
  if (axis < -rank || axis >= rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid axis: %lld; must be in [%d,%d)", (long long)axis, -rank,
                     rank);
  *out_axis = (int)(axis < 0 ? axis + rank : axis);
  return NULL;
}

DVT_SHAPE_FN(pack, 1, 1) {
  dvt_dim dims[DVT_MAX_RANK + 1];
  int axis;
  dvt_shape each;
  DVT_RETURN_IF_ERROR(dvt_fn_merge_inputs(c, &each));
  if (!each) return NULL;
  DVT_RETURN_IF_ERROR(pack_axis(c, each->rank + 1, &axis));
  memcpy(dims, each->dims, sizeof dims[0] * (size_t)axis);
  dims[axis] = c->node->input_count;
  memcpy(dims + axis + 1, each->dims + axis, sizeof dims[0] * (size_t)(each->rank - axis));
  return dvt_fn_set(c, 0, dims, each->rank + 1);
}

DVT_SHAPE_FN(unpack, 1, 0) {
  dvt_shape value = c->inputs[0], each = NULL;
  dvt_dim dims[DVT_MAX_RANK], unused;
  int axis, rank = 0;
  if (!value) return NULL;
  DVT_RETURN_IF_ERROR(pack_axis(c, value->rank, &axis));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(value->dims[axis], c->node->output_count, &unused));
  for (int i = 0; i < value->rank; i++)
    if (i != axis) dims[rank++] = value->dims[i];
  DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, dims, rank, false, &each));
  for (int i = 0; i < c->node->output_count; i++) c->outputs[i] = each;
  return NULL;
}

DVT_SHAPE_FN(pad, 2, 1) {
  dvt_shape input = c->inputs[0], paddings;
  dvt_dim dims[DVT_MAX_RANK], unused;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 2, &paddings));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(paddings->dims[1], 2, &unused));
  dvt_dim rank = paddings->dims[0];
  if (!dvt_dim_known(rank) && !input) return NULL;
  if (!dvt_dim_known(rank)) rank = input->rank;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, input, rank, &input));
  const TF_Tensor *value = dvt_shape_input_value(c, 1);
  if (!value) return dvt_fn_set_unknown_of_rank(c, 0, rank);
  if (dvt_tensor_count(value) != 2 * rank)
    return dvt_error(TF_INVALID_ARGUMENT, "paddings has %lld values for an input of rank %lld",
                     (long long)dvt_tensor_count(value), (long long)rank);
  for (int i = 0; i < rank; i++) {
    int64_t before, after, sum;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, 2 * i, &before));
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, 2 * i + 1, &after));
    if (before < 0 || after < 0) return dvt_error(TF_INVALID_ARGUMENT, "Paddings must be non-negative");
    DVT_RETURN_IF_ERROR(dvt_dim_add(c->arena, before, after, &sum));
    DVT_RETURN_IF_ERROR(dvt_dim_add(c->arena, input->dims[i], sum, &dims[i]));
  }
  return dvt_fn_set(c, 0, dims, (int)rank);
}

DVT_SHAPE_FN(tile, 2, 1) {
  dvt_shape input = c->inputs[0], multiples;
  dvt_dim dims[DVT_MAX_RANK];
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 1, &multiples));
  if (!multiples && !input) return NULL;
  int rank = multiples ? multiples->rank : input->rank;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, input, rank, &input));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, multiples, rank, &multiples));
  for (int i = 0; i < rank; i++)
    DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, input->dims[i], multiples->dims[i], &dims[i]));
  return dvt_fn_set(c, 0, dims, rank);
}

// Dimensions and, where the op has it, the value.
DVT_SHAPE_FN(fill, 1, 1) {
  dvt_shape scalar, filled;
  if (c->node->input_count > 1) DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 0, &scalar));
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 0, &filled));
  const TF_Tensor *dims = dvt_shape_input_value(c, 0);
  for (int i = 0; dims && filled && i < filled->rank; i++)  // known, so that -1 is no unknown
    if (!dvt_dim_known(filled->dims[i]))
      return dvt_error(TF_INVALID_ARGUMENT, "Fill dimensions must be >= 0, but dimension %d is -1", i);
  c->outputs[0] = filled;
  return NULL;
}

DVT_SHAPE_FN(broadcast_to, 2, 1) {
  dvt_shape input = c->inputs[0], shape;
  dvt_dim dims[DVT_MAX_RANK];
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 1, &shape));
  c->outputs[0] = shape;
  if (!shape || !input) return NULL;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(shape, input->rank, &shape));
  memcpy(dims, shape->dims, sizeof dims[0] * (size_t)shape->rank);
  for (int i = 1; i <= input->rank; i++) {
    dvt_dim from = input->dims[input->rank - i], *to = &dims[shape->rank - i];
    if (!dvt_dim_known(from) || from == 1 || from == *to) continue;
    if (dvt_dim_known(*to) && from == 0) continue;  // left to the kernel, as in stock
    if (dvt_dim_known(*to))
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Dimension %d of the input is %lld and cannot be broadcast to %lld", input->rank - i,
                       (long long)from, (long long)*to);
    *to = from;
  }
  return dvt_fn_set(c, 0, dims, shape->rank);
}

DVT_SHAPE_FN(one_hot, 4, 1) {
  dvt_shape indices = c->inputs[0], scalar;
  dvt_dim dims[DVT_MAX_RANK + 1], depth;
  int64_t axis;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "axis", &axis));
  if (axis < -1) return dvt_error(TF_INVALID_ARGUMENT, "axis must be >= -1");
  for (int i = 1; i < 4; i++) DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 0, &scalar));
  DVT_RETURN_IF_ERROR(dvt_dim_of_scalar_input(c, 1, &depth));
  if (!indices) return NULL;
  if (axis == -1) axis = indices->rank;
  if (axis > indices->rank)
    return dvt_error(TF_INVALID_ARGUMENT, "axis %lld is larger than the rank of the indices, %d",
                     (long long)axis, indices->rank);
  memcpy(dims, indices->dims, sizeof dims[0] * (size_t)axis);
  dims[axis] = depth;
  memcpy(dims + axis + 1, indices->dims + axis, sizeof dims[0] * (size_t)(indices->rank - axis));
  return dvt_fn_set(c, 0, dims, indices->rank + 1);
}

DVT_SHAPE_FN(where, 1, 1) {
  dvt_dim rank = c->inputs[0] ? c->inputs[0]->rank : dvt_fn_unknown(c);
  return dvt_fn_set(c, 0, (dvt_dim[]){dvt_fn_unknown(c), rank}, 2);
}

DVT_SHAPE_FN(reverse_v2, 2, 1) {
  dvt_shape input = c->inputs[0], axes;
  bool seen[DVT_MAX_RANK] = {false};
  const TF_Tensor *value = dvt_shape_input_value(c, 1);
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &axes));
  c->outputs[0] = input;
  for (int64_t i = 0, n = value && input ? dvt_tensor_count(value) : 0; i < n; i++) {
    int64_t given, axis;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, i, &given));
    axis = given < 0 ? given + input->rank : given;
    if (axis < 0 || axis >= input->rank)
      return dvt_error(TF_INVALID_ARGUMENT, "'axis'[%lld] = %lld is out of valid range [0, %d", (long long)i,
                       (long long)given, input->rank - 1);
    if (seen[axis])
      return dvt_error(TF_INVALID_ARGUMENT, "axis %lld specified more than once.", (long long)axis);
    seen[axis] = true;
  }
  return NULL;
}

DVT_SHAPE_FN(unique, 1, 2) {
  dvt_dim count = dvt_fn_unknown(c);
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 1, &c->outputs[1]));
  for (int i = 0; i < c->node->output_count; i++)
    if (i != 1) DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, &count, 1));
  return NULL;
}
