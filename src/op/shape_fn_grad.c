// Ready-made shape functions: gradients of the functions in shape_fn_nn.c. Where an input spells the shape of
// the result, its rank is all there is to check.
#include "op/shape_fn.h"

// The result has the shape that input `input` spells, of rank `rank`.
static dvt_status infer_spelled(TF_ShapeInferenceContext *c, int input, int rank) {
  dvt_shape sizes;
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, input, &sizes));
  return dvt_shape_with_rank(c->arena, sizes, rank, &c->outputs[0]);
}

DVT_SHAPE_FN(conv2d_backprop_filter, 3, 1) { return infer_spelled(c, 1, 4); }
DVT_SHAPE_FN(conv3d_backprop_filter, 3, 1) { return infer_spelled(c, 1, 5); }
DVT_SHAPE_FN(depthwise_conv2d_backprop_input, 3, 1) { return infer_spelled(c, 0, 4); }
DVT_SHAPE_FN(depthwise_conv2d_backprop_filter, 3, 1) { return infer_spelled(c, 1, 4); }
DVT_SHAPE_FN(avg_pool_grad, 2, 1) { return infer_spelled(c, 0, 4); }
DVT_SHAPE_FN(avg_pool3d_grad, 2, 1) { return infer_spelled(c, 0, 5); }
DVT_SHAPE_FN(max_pool_grad, 3, 1) { return dvt_fn_rank(c, 0, 4, &c->outputs[0]); }
DVT_SHAPE_FN(max_pool3d_grad, 3, 1) { return dvt_fn_rank(c, 0, 5, &c->outputs[0]); }

static dvt_status is_channels_first(const TF_ShapeInferenceContext *c, bool *out_first) {
  dvt_str name = DVT_STR("");
  if (dvt_fn_has_attr(c, "data_format")) DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "data_format", &name));
  *out_first = dvt_str_is(name, "NCHW") || dvt_str_is(name, "NCDHW");
  return NULL;
}

DVT_SHAPE_FN(bias_add_grad, 1, 1) {
  dvt_shape input;
  bool first;
  DVT_RETURN_IF_ERROR(is_channels_first(c, &first));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], first ? 3 : 2, &input));
  dvt_dim channels = dvt_fn_dim(c, input, first ? 1 : -1);
  return dvt_fn_set(c, 0, &channels, 1);
}

// Inputs: gradient of y, x, scale, mean, variance and, in some versions, what the forward kernel kept.
DVT_SHAPE_FN(fused_batch_norm_grad, 5, 5) {
  dvt_str format = DVT_STR("NHWC");
  dvt_shape gradient, x, vector;
  bool first, is_training;
  dvt_dim channels;
  DVT_RETURN_IF_ERROR(is_channels_first(c, &first));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "is_training", &is_training));
  if (dvt_fn_has_attr(c, "data_format")) DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "data_format", &format));
  int rank = (int)format.len, at = first ? 1 : rank - 1;
  if (rank != 4 && rank != 5)
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid data format string: " DVT_STR_FMT, DVT_STR_ARG(format));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, rank, &gradient));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, rank, &x));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(gradient->dims[at], x->dims[at], &channels));
  for (int i = 2; i < 5; i++) {
    DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 1, &vector));
    DVT_RETURN_IF_ERROR(dvt_dim_merge(channels, vector->dims[0], &channels));
  }
  DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, gradient, at, channels, &c->outputs[0]));
  DVT_RETURN_IF_ERROR(dvt_fn_set(c, 1, &channels, 1));
  c->outputs[2] = c->outputs[1];
  // Two outputs are only there to be of the forward op's number.
  DVT_RETURN_IF_ERROR(dvt_fn_set(c, 3, (dvt_dim[]){0}, 1));
  c->outputs[4] = c->outputs[3];
  return NULL;
}
