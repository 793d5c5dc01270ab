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

// As dvt_shape_fn_unchanged, for an input of rank 2 or more (FFT2D).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_rank_at_least_2(TF_ShapeInferenceContext *ctx, TF_Status *status);

// As dvt_shape_fn_unchanged, for an input of rank 3 or more (FFT3D).
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_rank_at_least_3(TF_ShapeInferenceContext *ctx, TF_Status *status);

// As dvt_shape_fn_unchanged, for an input of rank 1 or less.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_rank_at_most_1(TF_ShapeInferenceContext *ctx, TF_Status *status);

// As dvt_shape_fn_unchanged, for an input that must be a matrix.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_unchanged_matrix(TF_ShapeInferenceContext *ctx, TF_Status *status);

// The first output has the shape of attribute `shape`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_explicit_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Output i has the i-th shape of attribute `shapes`, which has one for each.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_explicit_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status);

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

// BatchMatMul with `adj_x`, `adj_y`; the leading dimensions are the same.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_batch_matmul_v1(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Einsum with `equation`, one or two inputs.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_einsum(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Cross: both inputs have one shape, with a last dimension of 3.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_cross(TF_ShapeInferenceContext *ctx, TF_Status *status);

// RFFT: input 1 is the length of the last dimension before the transform.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_rfft(TF_ShapeInferenceContext *ctx, TF_Status *status);

// RFFT2D: input 1 gives the lengths of the last two dimensions before the transform.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_rfft2d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// RFFT3D: input 1 gives the lengths of the last three dimensions before the transform.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_rfft3d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// IRFFT: input 1 is the length of the last dimension.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_irfft(TF_ShapeInferenceContext *ctx, TF_Status *status);

// IRFFT2D: input 1 gives the lengths of the last two dimensions.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_irfft2d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// IRFFT3D: input 1 gives the lengths of the last three dimensions.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_irfft3d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SegmentSum and its kin: data and the segment of each row.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_segment_reduction(TF_ShapeInferenceContext *ctx, TF_Status *status);

// UnsortedSegmentSum, SegmentSumV2 and their kin: input 2 is the number of segments; the segments may have
// the rank of any first dimensions of the data. Since: dovetail
DVT_EXPORT void dvt_shape_fn_segment_reduction_with_num_segments(TF_ShapeInferenceContext *ctx,
                                                                 TF_Status *status);

// SparseSegmentSum and its kin: data, the rows taken, the segment of each.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_sparse_segment_reduction(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SparseSegmentSumWithNumSegments and its kin: input 3 is the number of segments.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_sparse_segment_reduction_with_num_segments(TF_ShapeInferenceContext *ctx,
                                                                        TF_Status *status);

// SparseSegmentSumGrad and its kin: input 3 is the number of rows of the data.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_sparse_segment_reduction_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// SparseSegmentSumGradV2 and its kin: the rows that occur, and which those are.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_sparse_segment_reduction_grad_v2(TF_ShapeInferenceContext *ctx,
                                                              TF_Status *status);

// SparseReduceSum and SparseReduceMax with `keep_dims`: input 2 is the dense shape, input 3 the axes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_sparse_reduce(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MatrixDiagPartV2 and V3: input 1 gives the diagonals.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_matrix_diag_part(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MatrixDiagV2 and V3: diagonals, which they are, rows, columns, padding.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_matrix_diag(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MatrixSetDiagV2 and V3: input 2 gives the diagonals.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_matrix_set_diag(TF_ShapeInferenceContext *ctx, TF_Status *status);

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

// Conv with `strides`, `dilations`, `padding`, `explicit_paddings`, `data_format` (CHANNELS_LAST,
// CHANNELS_FIRST) and `batch_dims`; the filter tells whether there are two or three spatial dimensions.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv2DBackpropFilter: input 1 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv2d_backprop_filter(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Conv3DBackpropFilterV2: input 1 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_conv3d_backprop_filter(TF_ShapeInferenceContext *ctx, TF_Status *status);

// DepthwiseConv2dNativeBackpropInput: input 0 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_depthwise_conv2d_backprop_input(TF_ShapeInferenceContext *ctx,
                                                             TF_Status *status);

// DepthwiseConv2dNativeBackpropFilter: input 1 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_depthwise_conv2d_backprop_filter(TF_ShapeInferenceContext *ctx,
                                                              TF_Status *status);

// MaxPoolV2: the last two inputs are sizes and strides of the window.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_max_pool_v2(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MaxPoolGrad: the shape of the forward op's input.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_max_pool_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// MaxPool3DGrad: the shape of the forward op's input.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_max_pool3d_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// AvgPoolGrad: input 0 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_avg_pool_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// AvgPool3DGrad: input 0 gives the sizes.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_avg_pool3d_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// BiasAddGrad with `data_format`: a vector of the channels.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_bias_add_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

// FusedBatchNormGrad, V2 and V3 with `is_training`, `data_format`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_fused_batch_norm_grad(TF_ShapeInferenceContext *ctx, TF_Status *status);

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

// StatelessRandomUniform and its kin: input 0 spells the shape, input 1 is a seed of two numbers.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_stateless_random(TF_ShapeInferenceContext *ctx, TF_Status *status);

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

// GatherNd; ResourceGatherNd, on the variable.
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

// TensorScatterUpdate, ScatterNdUpdate, ResourceScatterNdUpdate and their kin: indices and updates must fit
// the tensor or the variable. Since: dovetail
DVT_EXPORT void dvt_shape_fn_scatter_nd_update(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedConv2D: as dvt_shape_fn_conv2d; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_conv2d(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedMaxPool and QuantizedAvgPool: as dvt_shape_fn_pool; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_pool(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedMatMul: as dvt_shape_fn_matmul; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_matmul(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedAdd and QuantizedMul: as dvt_shape_fn_broadcast_binary; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_binary(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedRelu and its kin: as dvt_shape_fn_unchanged; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_unchanged(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedBiasAdd: as dvt_shape_fn_bias_add; the ranges are scalars.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_bias_add(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizedConcat: axis, values, and the ends of their ranges.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantized_concat(TF_ShapeInferenceContext *ctx, TF_Status *status);

// QuantizeV2 with `axis`: unchanged; the ranges are scalars, or vectors along the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_quantize(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Dequantize with `axis`: unchanged; the ranges are scalars, or vectors along the axis.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_dequantize(TF_ShapeInferenceContext *ctx, TF_Status *status);

// XlaReduceScatter: input 1 [groups, size of a group], input 2 the axis that is divided.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_reduce_scatter(TF_ShapeInferenceContext *ctx, TF_Status *status);

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

// VariableShape: a vector as long as the rank of the variable.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_variable_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ResourceScatterUpdate and its kin: indices of rows and the rows, which must fit the variable.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_resource_scatter_update(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Assign and AssignAdd: the value's shape, which with `validate_shape` (the default) is the reference's, too.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_assign(TF_ShapeInferenceContext *ctx, TF_Status *status);

// IteratorGetNext: the handle is a scalar, output i has the i-th shape of attribute `output_shapes`.
// Since: dovetail
DVT_EXPORT void dvt_shape_fn_iterator_get_next(TF_ShapeInferenceContext *ctx, TF_Status *status);

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
