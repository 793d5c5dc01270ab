// Ready-made shape functions under the names that C++ sources use. The short ones are written here and work
// on every host; the others are those of dovetail/shape_fn.h, and leave outputs unknown on a host that has
// them not.
#ifndef DOVETAIL_CC_COMMON_SHAPE_FNS_H_
#define DOVETAIL_CC_COMMON_SHAPE_FNS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dovetail/cc/padding.h"
#include "dovetail/cc/shape_inference.h"
#include "dovetail/cc/tensor_format.h"
#include "dovetail/shape_fn.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace shape_inference {

// ---- inputs passed on ----

inline Status UnchangedShape(InferenceContext *c) {
  c->set_output(0, c->input(0));
  const std::vector<ShapeAndType> *behind = c->input_handle_shapes_and_types(0);
  if (behind != nullptr) c->set_output_handle_shapes_and_types(0, *behind);
  return Status();
}

inline Status UnchangedShapeWithRank(InferenceContext *c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
  c->set_output(0, out);
  return Status();
}

inline Status UnchangedShapeWithRankAtLeast(InferenceContext *c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
  c->set_output(0, out);
  return Status();
}

inline Status UnchangedShapeWithRankAtMost(InferenceContext *c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
  c->set_output(0, out);
  return Status();
}

inline Status MergeBothInputsShapeFn(InferenceContext *c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return Status();
}

inline Status NoOutputs(InferenceContext *) { return Status(); }

inline Status ScalarShape(InferenceContext *c) {
  c->set_output(0, c->Scalar());
  return Status();
}

inline Status UnknownShape(InferenceContext *c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return Status();
}

// ---- shapes from attributes and values ----

inline Status ExplicitShape(InferenceContext *c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  c->set_output(0, out);
  return Status();
}

inline Status ExplicitShapes(InferenceContext *c) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("shapes", &shapes));
  if (shapes.empty()) return errors::Internal("shapes attribute must be non-empty");
  for (size_t i = 0; i < shapes.size(); ++i) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &out));
    c->set_output(static_cast<int>(i), out);
  }
  return Status();
}

inline Status DatasetIteratorShape(InferenceContext *c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  if (static_cast<int>(shapes.size()) != c->num_outputs()) {
    return errors::InvalidArgument("`output_shapes` must be the same length as `output_types` (",
                                   shapes.size(), " vs. ", c->num_outputs());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &out));
    c->set_output(static_cast<int>(i), out);
  }
  return Status();
}

inline Status RandomShape(InferenceContext *c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return Status();
}

// ---- broadcasting ----

// One dimension of the result; `*fit` becomes false when the two do not go together.
inline DimensionHandle BroadcastDim(InferenceContext *c, DimensionHandle x, DimensionHandle y, bool *fit) {
  const int64_t a = c->Value(x), b = c->Value(y);
  if (x.SameHandle(y) || a == 1) return y;
  if (b == 1) return x;
  if (a >= 0 && b >= 0) {
    *fit = a == b;
    return x;
  }
  if (a < 0 && b < 0) return c->UnknownDim();
  return a < 0 ? y : x;
}

inline Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext *c, ShapeHandle x, ShapeHandle y,
                                                   bool incompatible_shape_error, ShapeHandle *out) {
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return Status();
  }
  if (!c->FullyDefined(x) && !c->FullyDefined(y)) {
    // The host may know of unknown dimensions what this layer does not.
    TF_ShapeHandle *result = TF_NewShapeHandle();
    TF_ShapeInferenceContext_Broadcast(c->host(), c->Export(x), c->Export(y), result, dvt::ScratchStatus());
    const ShapeHandle known = c->Import(result);
    if (dvt::TakeStatus(dvt::ScratchStatus()).ok()) {
      *out = known;
      return Status();
    }
  }
  const int32_t rank = std::max(c->Rank(x), c->Rank(y));
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  for (int32_t i = 1; i <= rank; ++i) {
    DimensionHandle &dim = dims[static_cast<size_t>(rank - i)];
    if (i > c->Rank(x)) {
      dim = c->DimKnownRank(y, -i);
    } else if (i > c->Rank(y)) {
      dim = c->DimKnownRank(x, -i);
    } else {
      const DimensionHandle a = c->DimKnownRank(x, -i), b = c->DimKnownRank(y, -i);
      bool fit = true;
      dim = BroadcastDim(c, a, b, &fit);
      if (fit) continue;
      *out = c->UnknownShape();
      if (!incompatible_shape_error) return Status();
      return errors::InvalidArgument("Dimensions must be equal, but are ", c->Value(a), " and ", c->Value(b));
    }
  }
  *out = c->MakeShape(dims);
  return Status();
}

inline Status BroadcastBinaryOpOutputShapeFn(InferenceContext *c, int output_index) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
  c->set_output(output_index, out);
  return Status();
}

inline Status BroadcastBinaryOpShapeFn(InferenceContext *c) { return BroadcastBinaryOpOutputShapeFn(c, 0); }

// ---- windows ----

// How often a window fits on a dimension; the paddings count with EXPLICIT only.
inline Status GetWindowedOutputSizeFromDimsV2(InferenceContext *c, DimensionHandle input_size,
                                              DimensionOrConstant filter_size, int64_t dilation_rate,
                                              int64_t stride, Padding padding_type, int64_t padding_before,
                                              int64_t padding_after, DimensionHandle *output_size) {
  if (stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", stride);
  if (dilation_rate < 1)
    return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation_rate);
  if (padding_type == SAME) {
    TF_RETURN_IF_ERROR(c->Add(input_size, stride - 1, output_size));
    return c->Divide(*output_size, stride, false, output_size);
  }
  if (padding_type == EXPLICIT) {
    TF_RETURN_IF_ERROR(c->Add(input_size, padding_before + padding_after, &input_size));
  }
  DimensionHandle window = c->MakeDim(filter_size);
  if (dilation_rate > 1) {
    TF_RETURN_IF_ERROR(c->Subtract(window, 1, &window));
    TF_RETURN_IF_ERROR(c->Multiply(window, dilation_rate, &window));
    TF_RETURN_IF_ERROR(c->Add(window, 1, &window));
  }
  TF_RETURN_IF_ERROR(c->Subtract(input_size, window, output_size));
  TF_RETURN_IF_ERROR(c->Add(*output_size, stride, output_size));
  return c->Divide(*output_size, stride, false, output_size);
}

inline Status GetWindowedOutputSizeFromDims(InferenceContext *c, DimensionHandle input_size,
                                            DimensionOrConstant filter_size, int64_t stride,
                                            Padding padding_type, DimensionHandle *output_size) {
  if (padding_type == EXPLICIT) {
    return errors::Internal(
        "GetWindowedOutputSizeFromDims does not support EXPLICIT padding; call "
        "GetWindowedOutputSizeFromDimsV2 instead");
  }
  return GetWindowedOutputSizeFromDimsV2(c, input_size, filter_size, 1, stride, padding_type, -1, -1,
                                         output_size);
}

inline Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                                  const std::vector<DimensionOrConstant> &spatial,
                                  DimensionOrConstant channels, ShapeHandle *out, InferenceContext *c) {
  const int count = static_cast<int>(spatial.size()), rank = GetTensorDimsFromSpatialDims(count, format);
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  const auto at = [&dims](int i) -> DimensionHandle & { return dims[static_cast<size_t>(i)]; };
  at(GetTensorBatchDimIndex(rank, format)) = c->MakeDim(n);
  at(GetTensorFeatureDimIndex(rank, format)) = c->MakeDim(channels);
  for (int i = 0; i < count; ++i) {
    at(GetTensorSpatialDimIndex(rank, format, i)) = c->MakeDim(spatial[static_cast<size_t>(i)]);
  }
  if (format == FORMAT_NCHW_VECT_C) at(GetTensorInnerFeatureDimIndex(rank, format)) = c->MakeDim(4);
  if (format == FORMAT_NHWC_VECT_W) {
    at(GetTensorInnerWidthDimIndex(rank, format)) = c->MakeDim(4);
    DimensionHandle &width = at(GetTensorSpatialDimIndex(rank, format, count - 1));
    TF_RETURN_IF_ERROR(c->Divide(width, 4, true, &width));
  }
  *out = c->MakeShape(dims);
  return Status();
}

// ---- checks ----

inline Status ValidateSparseTensor(InferenceContext *c, ShapeHandle indices, ShapeHandle values,
                                   ShapeHandle shape) {
  TF_RETURN_IF_ERROR(c->WithRank(indices, 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(values, 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(shape, 1, &shape));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  return c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused);
}

inline Status ValidateVariableResourceHandle(InferenceContext *c, std::vector<ShapeAndType> *shape_and_type) {
  const std::vector<ShapeAndType> *known = c->input_handle_shapes_and_types(0);
  if (known == nullptr || known->empty()) {
    shape_and_type->emplace_back(c->UnknownShape(), DT_INVALID);
    return Status();
  }
  *shape_and_type = *known;
  DataType dtype = DT_INVALID;
  TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  if (known->front().dtype == dtype) return Status();
  return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                                 DataTypeString(known->front().dtype), " got ", DataTypeString(dtype));
}

inline Status ScatterNdShapeHelper(InferenceContext *c, ShapeHandle indices, ShapeHandle updates,
                                   ShapeHandle input) {
  if (c->Value(c->NumElements(input)) == 0 &&
      (c->Value(c->NumElements(indices)) > 0 || c->Value(c->NumElements(updates)) > 0)) {
    return errors::InvalidArgument("Indices and updates specified for empty input");
  }
  if (c->Rank(indices) >= 1 && c->RankKnown(updates) && c->ValueKnown(c->Dim(indices, -1))) {
    const int64_t outer = c->Rank(indices) - 1, depth = c->Value(c->Dim(indices, -1));
    ShapeHandle of_indices, of_updates, of_input, unused;
    TF_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &of_indices));
    TF_RETURN_IF_ERROR(c->Subshape(updates, 0, outer, &of_updates));
    if (!c->Merge(of_indices, of_updates, &unused).ok()) {
      return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", c->DebugString(indices),
                                     "] = ", c->DebugString(of_indices), " must match dimensions [0,", outer,
                                     ") of updates[shape=", c->DebugString(updates),
                                     "] = ", c->DebugString(of_updates));
    }
    TF_RETURN_IF_ERROR(c->Subshape(input, depth, &of_input));
    TF_RETURN_IF_ERROR(c->Subshape(updates, outer, &of_updates));
    if (!c->Merge(of_input, of_updates, &unused).ok()) {
      return errors::InvalidArgument(
          "Dimensions [", depth, ",", c->Rank(input), ") of input[shape=", c->DebugString(input),
          "] = ", c->DebugString(of_input), " must match dimensions [", outer, ",", c->Rank(updates),
          ") of updates[shape=", c->DebugString(updates), "] = ", c->DebugString(of_updates));
    }
  }
  if (c->input_handle_shapes_and_types(0) == nullptr && c->num_outputs() > 0) c->set_output(0, input);
  return Status();
}

// ---- the host's ----

#define DVT_CC_HOST_SHAPE_FN(name, host_fn) \
  inline Status name(InferenceContext *c) { return c->RunOnHost(host_fn); }
DVT_CC_HOST_SHAPE_FN(MatMulShape, dvt_shape_fn_matmul)
DVT_CC_HOST_SHAPE_FN(BatchMatMulShape, dvt_shape_fn_batch_matmul_v1)
DVT_CC_HOST_SHAPE_FN(BatchMatMulV2Shape, dvt_shape_fn_batch_matmul)
DVT_CC_HOST_SHAPE_FN(EinsumShape, dvt_shape_fn_einsum)
DVT_CC_HOST_SHAPE_FN(BiasAddShape, dvt_shape_fn_bias_add)
DVT_CC_HOST_SHAPE_FN(BiasAddGradShape, dvt_shape_fn_bias_add_grad)
DVT_CC_HOST_SHAPE_FN(ConvShape, dvt_shape_fn_conv)
DVT_CC_HOST_SHAPE_FN(Conv2DShape, dvt_shape_fn_conv2d)
DVT_CC_HOST_SHAPE_FN(Conv2DShapeWithExplicitPadding, dvt_shape_fn_conv2d)
DVT_CC_HOST_SHAPE_FN(Conv3DShape, dvt_shape_fn_conv3d)
DVT_CC_HOST_SHAPE_FN(DepthwiseConv2DNativeShape, dvt_shape_fn_depthwise_conv2d)
DVT_CC_HOST_SHAPE_FN(DepthwiseConv2DNativeShapeWithExplicitPadding, dvt_shape_fn_depthwise_conv2d)
DVT_CC_HOST_SHAPE_FN(Conv2DBackpropInputShape, dvt_shape_fn_conv2d_backprop_input)
DVT_CC_HOST_SHAPE_FN(AvgPoolShape, dvt_shape_fn_pool)
DVT_CC_HOST_SHAPE_FN(AvgPoolGradShape, dvt_shape_fn_avg_pool_grad)
DVT_CC_HOST_SHAPE_FN(MaxPoolShape, dvt_shape_fn_pool)
DVT_CC_HOST_SHAPE_FN(MaxPoolShapeWithExplicitPadding, dvt_shape_fn_pool)
DVT_CC_HOST_SHAPE_FN(MaxPoolGradShape, dvt_shape_fn_max_pool_grad)
DVT_CC_HOST_SHAPE_FN(Pool3DShape, dvt_shape_fn_pool3d)
DVT_CC_HOST_SHAPE_FN(MaxPool3DGradShape, dvt_shape_fn_max_pool3d_grad)
DVT_CC_HOST_SHAPE_FN(FusedBatchNormShape, dvt_shape_fn_fused_batch_norm)
DVT_CC_HOST_SHAPE_FN(FusedBatchNormV3Shape, dvt_shape_fn_fused_batch_norm)
DVT_CC_HOST_SHAPE_FN(FusedBatchNormGradShape, dvt_shape_fn_fused_batch_norm_grad)
DVT_CC_HOST_SHAPE_FN(MatrixDiagPartV2Shape, dvt_shape_fn_matrix_diag_part)
DVT_CC_HOST_SHAPE_FN(MatrixDiagV2Shape, dvt_shape_fn_matrix_diag)
DVT_CC_HOST_SHAPE_FN(MatrixSetDiagV2Shape, dvt_shape_fn_matrix_set_diag)
DVT_CC_HOST_SHAPE_FN(ReductionShape, dvt_shape_fn_reduction)
DVT_CC_HOST_SHAPE_FN(SegmentReductionWithNumSegmentsShapeFn, dvt_shape_fn_segment_reduction_with_num_segments)
DVT_CC_HOST_SHAPE_FN(ConcatV2Shape, dvt_shape_fn_concat)
DVT_CC_HOST_SHAPE_FN(SliceShape, dvt_shape_fn_slice)
DVT_CC_HOST_SHAPE_FN(GatherNdShape, dvt_shape_fn_gather_nd)
DVT_CC_HOST_SHAPE_FN(SparseReduceShapeFn, dvt_shape_fn_sparse_reduce)
DVT_CC_HOST_SHAPE_FN(QuantizedConv2DShape, dvt_shape_fn_quantized_conv2d)
DVT_CC_HOST_SHAPE_FN(QuantizedAvgPoolShape, dvt_shape_fn_quantized_pool)
DVT_CC_HOST_SHAPE_FN(QuantizeV2Shape, dvt_shape_fn_quantize)
DVT_CC_HOST_SHAPE_FN(ReduceScatterShape, dvt_shape_fn_reduce_scatter)
#undef DVT_CC_HOST_SHAPE_FN

inline Status MaxPoolV2Shape(InferenceContext *c, int) { return c->RunOnHost(dvt_shape_fn_max_pool_v2); }
inline Status ConcatShape(InferenceContext *c, int) { return c->RunOnHost(dvt_shape_fn_concat_v1); }
inline Status QuantizedConcatV2Shape(InferenceContext *c, int) {
  return c->RunOnHost(dvt_shape_fn_quantized_concat);
}

}  // namespace shape_inference
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_COMMON_SHAPE_FNS_H_
