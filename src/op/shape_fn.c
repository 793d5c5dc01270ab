// Helpers of the ready-made shape functions (contract: shape_fn.h).
#include "op/shape_fn.h"

dvt_status dvt_fn_check_counts(const TF_ShapeInferenceContext *c, const char *function, int min_inputs,
                               int min_outputs) {
  if (DVT_LIKELY(c->node->input_count >= min_inputs && c->node->output_count >= min_outputs)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "shape function %s needs at least %d inputs and %d outputs; op '" DVT_STR_FMT
                   "' has %d and %d here",
                   function, min_inputs, min_outputs, DVT_STR_ARG(c->node->op->name), c->node->input_count,
                   c->node->output_count);
}

bool dvt_fn_has_attr(const TF_ShapeInferenceContext *c, const char *name) {
  dvt_str value;
  return dvt_node_attr(c->node, dvt_str_from(name), &value);
}

dvt_status dvt_fn_attr_int(const TF_ShapeInferenceContext *c, const char *name, int64_t *out) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  return dvt_attr_get_int(value, out);
}

dvt_status dvt_fn_attr_bool(const TF_ShapeInferenceContext *c, const char *name, bool *out) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  return dvt_attr_get_bool(value, out);
}

dvt_status dvt_fn_attr_float(const TF_ShapeInferenceContext *c, const char *name, float *out) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  return dvt_attr_get_float(value, out);
}

dvt_status dvt_fn_attr_string(const TF_ShapeInferenceContext *c, const char *name, dvt_str *out) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  return dvt_attr_get_string(value, out);
}

dvt_status dvt_fn_attr_ints(const TF_ShapeInferenceContext *c, const char *name, int64_t *values,
                            int capacity, int *out_count) {
  dvt_str value;
  dvt_attr_list list;
  uint64_t bits;
  int count = 0;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_INT, &list));
  for (; dvt_attr_list_next(&list, &bits, NULL); count++)
    if (count < capacity) values[count] = (int64_t)bits;
  *out_count = count;
  return NULL;
}

dvt_status dvt_fn_attr_shape(TF_ShapeInferenceContext *c, const char *name, dvt_shape *out_shape) {
  dvt_str value, proto;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, dvt_str_from(name), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_shape(value, &proto));
  return dvt_shape_of_proto(c->arena, proto, out_shape);
}

dvt_status dvt_fn_axis(TF_ShapeInferenceContext *c, int input, int64_t rank, int64_t *out_axis,
                       bool *out_known) {
  const TF_Tensor *tensor = dvt_shape_input_value(c, input);
  *out_known = tensor != NULL || rank == 1;
  *out_axis = 0;  // the only one of a vector
  if (!tensor) return NULL;
  if (dvt_tensor_count(tensor) != 1)
    return dvt_error(TF_INVALID_ARGUMENT, "the axis, input %d, must be a single value but has %lld", input,
                     (long long)dvt_tensor_count(tensor));
  int64_t axis;
  DVT_RETURN_IF_ERROR(dvt_tensor_int_at(tensor, 0, &axis));
  if (axis < -rank || axis >= rank)
    return dvt_error(TF_INVALID_ARGUMENT, "axis %lld is not in the range [%lld, %lld)", (long long)axis,
                     (long long)-rank, (long long)rank);
  *out_axis = axis < 0 ? axis + rank : axis;
  return NULL;
}

dvt_status dvt_fn_merge_inputs(TF_ShapeInferenceContext *c, dvt_shape *out_shape) {
  dvt_shape merged = c->inputs[c->node->input_count - 1];
  for (int i = c->node->input_count - 2; i >= 0; i--) {
    dvt_status status = dvt_shape_merge(c->arena, c->inputs[i], merged, &merged);
    if (status) return dvt_status_annotate(status, "\n\tFrom merging shape %d with other shapes.", i);
  }
  *out_shape = merged;
  return NULL;
}
