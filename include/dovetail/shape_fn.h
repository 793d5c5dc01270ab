// Ready-made shape functions for TF_OpDefinitionBuilderSetShapeInferenceFunction: pass their address. What a
// shape function of one's own may ask and compute is in dovetail/shape.h.
#ifndef DOVETAIL_SHAPE_FN_H_
#define DOVETAIL_SHAPE_FN_H_

#include "dovetail/export.h"
#include "tensorflow/c/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- general ----

// Every output has an unknown shape.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unknown(TF_ShapeInferenceContext *ctx, TF_Status *status);

// For ops without outputs.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_no_outputs(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Every output is a scalar.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_scalar(TF_ShapeInferenceContext *ctx, TF_Status *status);

// The first output has the shape of the first input.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged(TF_ShapeInferenceContext *ctx, TF_Status *status);

// As dvt_shape_fn_unchanged, for an input that must be a vector (InvertPermutation).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_vector(TF_ShapeInferenceContext *ctx, TF_Status *status);

// As dvt_shape_fn_unchanged, for an input of rank 1 or more (Softmax).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_rank_at_least_1(TF_ShapeInferenceContext *ctx, TF_Status *status);

// All inputs have one shape; the first output has it too (AddN).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_merge_inputs(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Output i has the shape of input i (IdentityN).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_identity_list(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Output i has the i-th shape of attribute `output_shapes` (or `_output_shapes`); without them the shapes
// are unknown (If, While, PartitionedCall).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_output_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ---- math ----

// Elementwise operation on two inputs with broadcasting. With an attribute `incompatible_shape_error` of
// false shapes that do not fit give a scalar instead of an error.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_broadcast_binary(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Select(condition, t, e): t and e have one shape; the condition has it too, is a scalar, or a vector as
// long as their first dimension.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_select(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SelectV2(condition, t, e): the three broadcast.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_select_v2(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MatMul and _FusedMatMul with `transpose_a`, `transpose_b`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_matmul(TF_ShapeInferenceContext *ctx, TF_Status *status);

// BatchMatMulV2 and V3 with `adj_x`, `adj_y`; the leading dimensions broadcast.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_batch_matmul(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Reductions over the axes that input 1 gives, with `keep_dims`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_reduction(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ArgMax and ArgMin: input 1 is the axis that goes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_arg_extremum(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Range(start, limit, delta).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_range(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ---- neural networks ----

// BiasAdd with `data_format`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_bias_add(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv2D and _FusedConv2D with `strides`, `dilations`, `padding`, `explicit_paddings`, `data_format` (NHWC,
// NCHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv2d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv2DBackpropInput: input 0 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv2d_backprop_input(TF_ShapeInferenceContext *ctx, TF_Status *status);

// DepthwiseConv2dNative with the attributes of dvt_shape_fn_conv2d.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_depthwise_conv2d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MaxPool and AvgPool with `ksize`, `strides`, `padding`, `explicit_paddings`, `data_format` (NHWC, NCHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_pool(TF_ShapeInferenceContext *ctx, TF_Status *status);

// FusedBatchNorm, V2 and V3 with `is_training`, `data_format` (NHWC, NCHW, NDHWC, NCDHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_fused_batch_norm(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ResizeBilinear, ResizeNearestNeighbor: input 1 is [height, width].
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_resize(TF_ShapeInferenceContext *ctx, TF_Status *status);

// TopKV2: input 1 is k; the last dimension becomes k in both outputs.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_top_k(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv3D with `strides`, `dilations`, `padding`, `data_format` (NDHWC, NCDHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv3d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv3DBackpropInputV2: input 0 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv3d_backprop_input(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MaxPool3D and AvgPool3D with `ksize`, `strides`, `padding`, `data_format` (NDHWC, NCDHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_pool3d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// DepthToSpace with `block_size` and `data_format` (NHWC, NCHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_depth_to_space(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SpaceToDepth with `block_size` and `data_format` (NHWC, NCHW).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_space_to_depth(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SpaceToBatchND: input 1 is the block, input 2 the paddings.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_space_to_batch_nd(TF_ShapeInferenceContext *ctx, TF_Status *status);

// BatchToSpaceND: input 1 is the block, input 2 the crops.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_batch_to_space_nd(TF_ShapeInferenceContext *ctx, TF_Status *status);

// NonMaxSuppression and its versions: boxes, scores and the most to select; `pad_to_max_output_size` if
// the op has it.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_non_max_suppression(TF_ShapeInferenceContext *ctx, TF_Status *status);

// CropAndResize: input 3 is [height, width].
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_crop_and_resize(TF_ShapeInferenceContext *ctx, TF_Status *status);

// RandomUniform and other ops whose input 0 spells the shape of the result.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_random(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Multinomial: logits [batch, classes]; input 1 is the number of samples.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_multinomial(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ---- arrays ----

// Const: the shape of attribute `value`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_const(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Placeholder: the shape of attribute `shape`; a scalar shape in graphs up to version 21 means unknown.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_placeholder(TF_ShapeInferenceContext *ctx, TF_Status *status);

// PlaceholderWithDefault: attribute `shape`, which the input must fit.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_placeholder_with_default(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Shape: a vector as long as the rank of the input. For ShapeN, each output that of its input.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Reshape: input 1 is the shape; one dimension may be found from the others.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_reshape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ExpandDims: input 1 is the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_expand_dims(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Squeeze with `squeeze_dims`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_squeeze(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Transpose: input 1 is the permutation.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_transpose(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ConcatV2: the last input is the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_concat(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Concat: the first input is the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_concat_v1(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ConcatOffset: output i has the shape of input i + 1.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_concat_offset(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Pack with `axis`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_pack(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Unpack with `axis`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unpack(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Split: input 0 is the axis; the value is divided evenly.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_split(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SplitV: input 1 gives the sizes, input 2 the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_split_v(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Slice: inputs 1 and 2 are begin and size.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_slice(TF_ShapeInferenceContext *ctx, TF_Status *status);

// StridedSlice with all five masks.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_strided_slice(TF_ShapeInferenceContext *ctx, TF_Status *status);

// GatherV2 with `batch_dims`: input 2 is the axis. For Gather (two inputs) the axis is 0.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_gather(TF_ShapeInferenceContext *ctx, TF_Status *status);

// GatherNd.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_gather_nd(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ScatterNd: input 2 is the shape.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_scatter_nd(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Pad, PadV2 and MirrorPad: input 1 is the paddings.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_pad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Tile: input 1 is the multiples.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_tile(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Fill: input 0 is the shape. Also for the random ops whose input 0 is the shape.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_fill(TF_ShapeInferenceContext *ctx, TF_Status *status);

// BroadcastTo: input 1 is the shape.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_broadcast_to(TF_ShapeInferenceContext *ctx, TF_Status *status);

// OneHot with `axis`: input 1 is the depth.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_one_hot(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Where: [unknown, rank of the input].
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_where(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ReverseV2: unchanged; the axes are checked.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_reverse_v2(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Unique: [unknown] and the shape of the input.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unique(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ---- state and control ----

// VarHandleOp: a scalar.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_var_handle(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ReadVariableOp: the shape the variable was declared with, if the handle tells, else unknown.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_read_variable(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ResourceGather: as Gather on the variable.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_resource_gather(TF_ShapeInferenceContext *ctx, TF_Status *status);

// AssignVariableOp and its kin: no outputs; the handle is a scalar.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_assign_variable(TF_ShapeInferenceContext *ctx, TF_Status *status);

// RestoreV2: shapes from `shape_and_slices` where it is known and says, else unknown.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_restore(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Switch and RefSwitch: both outputs as input 0.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_switch(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Merge: what the inputs have in common, and a scalar.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_merge(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Enter: unknown, or input 0 where attribute `is_constant` is set.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_enter(TF_ShapeInferenceContext *ctx, TF_Status *status);

// LoopCond: input 0, which must be a scalar.
// Errors: INVALID_ARGUMENT for another rank.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_scalar(TF_ShapeInferenceContext *ctx, TF_Status *status);

// While: the shapes of attribute `output_shapes`, or those of the inputs where it is empty.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_while(TF_ShapeInferenceContext *ctx, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_SHAPE_FN_H_
