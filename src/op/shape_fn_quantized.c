// Ready-made shape functions: ops on quantised values, which come and go with the ends of their range. The
// ranges are scalars, or vectors where each channel has its own.
#include "op/shape_fn.h"

// Inputs [first, stop) must be scalars.
static dvt_status check_scalars(TF_ShapeInferenceContext *c, int first, int stop) {
  dvt_shape scalar;
  for (int i = first; i < stop && i < c->node->input_count; i++)
    DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 0, &scalar));
  return NULL;
}

// Output 0 is what `of` makes of it; the others, ends of its range, are scalars.
static dvt_status infer_as(TF_ShapeInferenceContext *c, dvt_shape_fn of) {
  TF_Status *tf_status = TF_NewStatus();
  if (!tf_status) return dvt_error_out_of_memory(sizeof(void *));
  of(c, tf_status);
  dvt_status status = dvt_status_from_tf(tf_status);
  TF_DeleteStatus(tf_status);
  for (int i = 1; !status && i < c->node->output_count; i++) status = dvt_fn_set(c, i, NULL, 0);
  return status;
}

DVT_SHAPE_FN(quantized_conv2d, 6, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 2, 6));
  return infer_as(c, dvt_shape_fn_conv2d);
}

DVT_SHAPE_FN(quantized_pool, 3, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 1, 3));
  return infer_as(c, dvt_shape_fn_pool);
}

DVT_SHAPE_FN(quantized_matmul, 6, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 2, 6));
  return infer_as(c, dvt_shape_fn_matmul);
}

DVT_SHAPE_FN(quantized_binary, 6, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 2, 6));
  return infer_as(c, dvt_shape_fn_broadcast_binary);
}

DVT_SHAPE_FN(quantized_unchanged, 3, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 1, c->node->input_count));
  return infer_as(c, dvt_shape_fn_unchanged);
}

DVT_SHAPE_FN(quantized_bias_add, 6, 3) {
  DVT_RETURN_IF_ERROR(check_scalars(c, 2, 6));
  return infer_as(c, dvt_shape_fn_bias_add);
}

// Axis, n values, n least and n greatest ends of their ranges.
DVT_SHAPE_FN(quantized_concat, 4, 3) {
  int count = (c->node->input_count - 1) / 3;
  DVT_RETURN_IF_ERROR(check_scalars(c, 1 + count, c->node->input_count));
  dvt_node_def node = *c->node;
  TF_ShapeInferenceContext values = *c;
  node.input_count = 1 + count;
  node.output_count = 1;
  values.node = &node;
  DVT_RETURN_IF_ERROR(infer_as(&values, dvt_shape_fn_concat_v1));
  for (int i = 1; i < c->node->output_count; i++) DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, NULL, 0));
  return NULL;
}

// Attr `axis`: -1, or the dim of input 0 whose length the range, inputs `first` and `first` + 1, has. As in
// stock only the latter is held against the dim.
static dvt_status check_range(TF_ShapeInferenceContext *c, int first, dvt_shape *out_range) {
  int64_t axis = -1;
  dvt_shape low, high;
  dvt_dim depth;
  if (dvt_fn_has_attr(c, "axis")) DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "axis", &axis));
  if (axis < -1)
    return dvt_error(TF_INVALID_ARGUMENT, "axis should be at least -1, got %lld", (long long)axis);
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, first, axis == -1 ? 0 : 1, &low));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, first + 1, axis == -1 ? 0 : 1, &high));
  if (axis != -1) {
    dvt_shape input;
    if (axis >= DVT_MAX_RANK)
      return dvt_error(TF_INVALID_ARGUMENT, "axis %lld is above the highest rank, %d", (long long)axis,
                       DVT_MAX_RANK);
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], axis + 1, &input));
    DVT_RETURN_IF_ERROR(dvt_dim_merge(high->dims[0], dvt_fn_dim(c, input, axis), &depth));
    DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, &depth, 1, false, &high));
  }
  *out_range = high;
  return NULL;
}

DVT_SHAPE_FN(quantize, 3, 3) {
  dvt_shape range;
  DVT_RETURN_IF_ERROR(check_range(c, 1, &range));
  c->outputs[0] = c->inputs[0];
  c->outputs[1] = c->outputs[2] = range;
  return NULL;
}

DVT_SHAPE_FN(dequantize, 3, 1) {
  dvt_shape range;
  DVT_RETURN_IF_ERROR(check_range(c, 1, &range));
  c->outputs[0] = c->inputs[0];
  return NULL;
}
