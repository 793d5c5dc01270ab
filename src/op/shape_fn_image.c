// Ready-made shape functions: moving pixels between space, depth and batch, boxes in images, random numbers.
#include "op/shape_fn.h"

// Where height, width and channels stand: NHWC or NCHW.
static dvt_status read_order(const TF_ShapeInferenceContext *c, int *out_height, int *out_channel) {
  dvt_str name = DVT_STR("NHWC");
  if (dvt_fn_has_attr(c, "data_format")) DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "data_format", &name));
  bool last = dvt_str_is(name, "NHWC");
  *out_height = last ? 1 : 2;
  *out_channel = last ? 3 : 1;
  if (last || dvt_str_is(name, "NCHW")) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Invalid data format string: " DVT_STR_FMT "; this op takes NHWC or NCHW",
                   DVT_STR_ARG(name));
}

static dvt_status read_block(const TF_ShapeInferenceContext *c, int64_t *out_size, int64_t *out_area) {
  DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "block_size", out_size));
  if (*out_size >= 2 && !__builtin_mul_overflow(*out_size, *out_size, out_area)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "block_size must be at least 2 and its square fit, but it is %lld",
                   (long long)*out_size);
}

static dvt_status scale_dim(TF_ShapeInferenceContext *c, bool up, dvt_dim dim, int64_t factor, dvt_dim *out) {
  return up ? dvt_dim_multiply(c->arena, dim, factor, out) : dvt_dim_divide(c->arena, dim, factor, true, out);
}

// Rows, columns and channels, of which one side grows by the block as the other shrinks.
static dvt_status move_depth(TF_ShapeInferenceContext *c, bool to_space) {
  dvt_shape input;
  dvt_dim out[4];
  int64_t block, area;
  int h, channel;
  DVT_RETURN_IF_ERROR(read_order(c, &h, &channel));
  DVT_RETURN_IF_ERROR(read_block(c, &block, &area));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 4, &input));
  out[0] = input->dims[0];
  DVT_RETURN_IF_ERROR(scale_dim(c, to_space, input->dims[h], block, &out[h]));
  DVT_RETURN_IF_ERROR(scale_dim(c, to_space, input->dims[h + 1], block, &out[h + 1]));
  DVT_RETURN_IF_ERROR(scale_dim(c, !to_space, input->dims[channel], area, &out[channel]));
  return dvt_fn_set(c, 0, out, 4);
}

DVT_SHAPE_FN(depth_to_space, 1, 1) { return move_depth(c, true); }
DVT_SHAPE_FN(space_to_depth, 1, 1) { return move_depth(c, false); }

static dvt_status check_blocks(const TF_Tensor *sizes) {
  for (int64_t i = 0; sizes && i < dvt_tensor_count(sizes); i++) {
    int64_t size;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(sizes, i, &size));
    if (size < 1)
      return dvt_error(TF_INVALID_ARGUMENT, "block_shape must be positive, got %lld", (long long)size);
  }
  return NULL;
}

static dvt_status check_pads(const TF_Tensor *pads, bool to_batch) {
  for (int64_t i = 0; pads && i + 1 < dvt_tensor_count(pads); i += 2) {
    int64_t before, after, both;
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(pads, i, &before));
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(pads, i + 1, &after));
    if (before < 0 || after < 0 || __builtin_add_overflow(before, after, &both))
      return dvt_error(TF_INVALID_ARGUMENT, "%s must be non-negative and their sum fit, got %lld and %lld",
                       to_batch ? "paddings" : "crops", (long long)before, (long long)after);
  }
  return NULL;
}

// One spatial dim padded and divided by its block, or multiplied by it and cropped.
static dvt_status move_dim(TF_ShapeInferenceContext *c, bool to_batch, dvt_dim dim, int64_t block,
                           int64_t before, int64_t after, dvt_dim *out_dim) {
  int64_t both = before + after;
  if (to_batch) {
    DVT_RETURN_IF_ERROR(dvt_dim_add(c->arena, dim, both, &dim));
    return dvt_dim_divide(c->arena, dim, block, true, out_dim);
  }
  DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, dim, block, &dim));
  return dvt_dim_subtract(c->arena, dim, both, out_dim);
}

// SpaceToBatchND and BatchToSpaceND: inputs are the tensor, the block's sizes [m] and paddings or crops
// [m, 2].
static dvt_status move_blocks(TF_ShapeInferenceContext *c, bool to_batch) {
  dvt_shape input = c->inputs[0], block_shape, pads_shape;
  dvt_dim out[DVT_MAX_RANK], unused;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &block_shape));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 2, &pads_shape));
  int64_t blocks = block_shape->dims[0];
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(pads_shape->dims[1], 2, &unused));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(blocks, pads_shape->dims[0], &blocks));
  const TF_Tensor *sizes = dvt_shape_input_value(c, 1), *pads = dvt_shape_input_value(c, 2);
  DVT_RETURN_IF_ERROR(check_blocks(sizes));
  DVT_RETURN_IF_ERROR(check_pads(pads, to_batch));
  if (!dvt_dim_known(blocks)) return NULL;
  if (blocks >= DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "block_shape has %lld elements, more than a tensor has dimensions",
                     (long long)blocks);
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(input, blocks + 1, &input));
  if (!input) return NULL;
  if (sizes && dvt_tensor_count(sizes) != blocks) sizes = NULL;
  if (pads && dvt_tensor_count(pads) != 2 * blocks) pads = NULL;
  memcpy(out, input->dims, sizeof(dvt_dim) * (size_t)input->rank);
  if (!sizes && blocks > 0) out[0] = dvt_fn_unknown(c);
  for (int i = 0; i < blocks; i++) {
    int64_t size, before, after;
    if (sizes) {
      DVT_RETURN_IF_ERROR(dvt_tensor_int_at(sizes, i, &size));
      if (to_batch)
        DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, out[0], size, &out[0]));
      else
        DVT_RETURN_IF_ERROR(dvt_dim_divide(c->arena, out[0], size, true, &out[0]));
    }
    if (!sizes || !pads) {
      out[i + 1] = dvt_fn_unknown(c);
      continue;
    }
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(pads, 2 * i, &before));
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(pads, 2 * i + 1, &after));
    DVT_RETURN_IF_ERROR(move_dim(c, to_batch, input->dims[i + 1], size, before, after, &out[i + 1]));
  }
  return dvt_fn_set(c, 0, out, input->rank);
}

DVT_SHAPE_FN(space_to_batch_nd, 3, 1) { return move_blocks(c, true); }
DVT_SHAPE_FN(batch_to_space_nd, 3, 1) { return move_blocks(c, false); }

// Boxes [n, 4], scores [n], the most to select; the selected indices, and in later versions their scores
// and how many are valid, the vectors being as long as allowed where attr pad_to_max_output_size is set.
DVT_SHAPE_FN(non_max_suppression, 3, 1) {
  dvt_shape boxes, scores, scalar;
  dvt_dim unused, count = dvt_fn_unknown(c);
  bool pad = false;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 2, &boxes));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &scores));
  for (int i = 2; i < c->node->input_count; i++) DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 0, &scalar));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(boxes->dims[0], scores->dims[0], &unused));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(boxes->dims[1], 4, &unused));
  if (dvt_fn_has_attr(c, "pad_to_max_output_size"))
    DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "pad_to_max_output_size", &pad));
  if (pad) DVT_RETURN_IF_ERROR(dvt_dim_of_scalar_input(c, 2, &count));
  int vectors = c->node->output_count == 1 ? 1 : c->node->output_count - 1;
  for (int i = 0; i < vectors; i++) DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, &count, 1));
  return vectors < c->node->output_count ? dvt_fn_set(c, vectors, NULL, 0) : NULL;
}

// Images, boxes [n, 4], the image of each box [n], [height, width] of the crops.
DVT_SHAPE_FN(crop_and_resize, 4, 1) {
  dvt_shape image, boxes, indices, size;
  dvt_dim out[4], unused;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 4, &image));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 2, &boxes));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 1, &indices));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(boxes->dims[0], indices->dims[0], &out[0]));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(boxes->dims[1], 4, &unused));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 3, 1, &size));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(size->dims[0], 2, &unused));
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 3, &size));
  out[1] = dvt_fn_dim(c, size, 0);
  out[2] = dvt_fn_dim(c, size, 1);
  out[3] = image->dims[3];
  return dvt_fn_set(c, 0, out, 4);
}

// Input 0 spells the result's shape.
DVT_SHAPE_FN(random, 1, 1) {
  dvt_shape vector;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 1, &vector));
  return dvt_shape_of_input(c, 0, &c->outputs[0]);
}

// As random; input 1 is a seed of two numbers.
DVT_SHAPE_FN(stateless_random, 2, 1) {
  dvt_shape seed;
  dvt_dim two;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &seed));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(seed->dims[0], 2, &two));
  return dvt_shape_of_input(c, 0, &c->outputs[0]);
}

// Logits [batch, classes] and the number of samples.
DVT_SHAPE_FN(multinomial, 2, 1) {
  dvt_shape logits, scalar;
  dvt_dim out[2];
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 2, &logits));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 0, &scalar));
  DVT_RETURN_IF_ERROR(dvt_dim_of_scalar_input(c, 1, &out[1]));
  out[0] = logits->dims[0];
  return dvt_fn_set(c, 0, out, 2);
}
