// The algebra of shapes: InferenceContext's methods that merge, cut, join and count, with the results and
// messages that TensorFlow's have. Included by shape_inference.h.
#ifndef DOVETAIL_CC_SHAPE_ALGEBRA_H_
#define DOVETAIL_CC_SHAPE_ALGEBRA_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "dovetail/cc/shape_inference.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace shape_inference {

// ---- ranks and dimensions that must be ----

inline Status InferenceContext::WithRank(ShapeHandle shape, int64_t rank, ShapeHandle *out) {
  if (rank > std::numeric_limits<int32_t>::max()) {
    *out = ShapeHandle();
    return errors::InvalidArgument("Rank cannot exceed kint32max");
  }
  const int32_t existing = Rank(shape);
  if (existing == rank) {
    *out = shape;
  } else if (existing == kUnknownRank) {
    *out = UnknownShapeOfRank(rank);
  } else {
    *out = ShapeHandle();
    return errors::InvalidArgument("Shape must be rank ", rank, " but is rank ", existing);
  }
  return Status();
}

inline Status InferenceContext::WithRankAtLeast(ShapeHandle shape, int64_t rank, ShapeHandle *out) {
  const int32_t existing = Rank(shape);
  if (rank > std::numeric_limits<int32_t>::max() || (existing != kUnknownRank && existing < rank)) {
    *out = ShapeHandle();
    return errors::InvalidArgument("Shape must be at least rank ", rank, " but is rank ", existing);
  }
  *out = shape;
  return Status();
}

inline Status InferenceContext::WithRankAtMost(ShapeHandle shape, int64_t rank, ShapeHandle *out) {
  const int32_t existing = Rank(shape);
  if (existing != kUnknownRank && existing > rank) {
    *out = ShapeHandle();
    return errors::InvalidArgument("Shape must be at most rank ", rank, " but is rank ", existing);
  }
  *out = shape;
  return Status();
}

inline Status InferenceContext::WithValue(DimensionHandle dim, int64_t value, DimensionHandle *out) {
  const int64_t existing = Value(dim);
  if (existing == value) {
    *out = dim;
  } else if (existing == kUnknownDim) {
    *out = MakeDim(value);
  } else {
    *out = DimensionHandle();
    return errors::InvalidArgument("Dimension must be ", value, " but is ", existing);
  }
  return Status();
}

// ---- merging ----

inline Status InferenceContext::Merge(DimensionHandle d0, DimensionHandle d1, DimensionHandle *out) {
  if (!d0.IsSet() || !d1.IsSet()) {
    *out = d0.IsSet() ? d0 : d1.IsSet() ? d1 : UnknownDim();
  } else if (d0.SameHandle(d1) || Value(d0) == Value(d1)) {
    *out = d0;
  } else if (!ValueKnown(d1)) {
    *out = d0;
  } else if (!ValueKnown(d0)) {
    *out = d1;
  } else {
    *out = DimensionHandle();
    return errors::InvalidArgument("Dimensions must be equal, but are ", Value(d0), " and ", Value(d1));
  }
  return Status();
}

inline Status InferenceContext::Merge(ShapeHandle s0, ShapeHandle s1, ShapeHandle *out) {
  if (s0.SameHandle(s1) || !RankKnown(s1)) {
    *out = s0;
    return Status();
  }
  if (!RankKnown(s0)) {
    *out = s1;
    return Status();
  }
  const int32_t rank = Rank(s0);
  if (rank != Rank(s1)) {
    *out = ShapeHandle();
    return errors::InvalidArgument("Shapes must be equal rank, but are ", rank, " and ", Rank(s1));
  }
  bool is_s0 = true, is_s1 = true;
  for (int32_t i = 0; i < rank; ++i) {
    const int64_t v0 = Value(DimKnownRank(s0, i)), v1 = Value(DimKnownRank(s1, i));
    if (v0 == v1) continue;
    if (v0 == kUnknownDim) {
      is_s0 = false;
    } else if (v1 == kUnknownDim) {
      is_s1 = false;
    } else {
      *out = ShapeHandle();
      return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ", v0, " and ",
                                     v1, ". Shapes are ", DebugString(s0), " and ", DebugString(s1), ".");
    }
  }
  if (is_s0 || is_s1) {
    *out = is_s0 ? s0 : s1;
    return Status();
  }
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  for (int32_t i = 0; i < rank; ++i) {
    TF_RETURN_IF_ERROR(Merge(DimKnownRank(s0, i), DimKnownRank(s1, i), &dims[static_cast<size_t>(i)]));
  }
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle *s_out,
                                            ShapeHandle *prefix_out) {
  *s_out = *prefix_out = ShapeHandle();
  if (!RankKnown(prefix) || !RankKnown(s)) {
    *s_out = s;
    *prefix_out = prefix;
    return Status();
  }
  const int32_t rank = Rank(prefix);
  TF_RETURN_IF_ERROR(WithRankAtLeast(s, rank, &s));
  std::vector<DimensionHandle> dims;
  for (int32_t i = 0; i < rank; ++i) {
    DimensionHandle dim;
    TF_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(prefix, i), &dim));
    dims.push_back(dim);
  }
  *prefix_out = MakeShape(dims);
  for (int32_t i = rank; i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
  *s_out = MakeShape(dims);
  return Status();
}

// ---- cutting and joining ----

inline Status InferenceContext::Subshape(ShapeHandle s, int64_t start_in, int64_t end_in, int64_t stride,
                                         ShapeHandle *out) {
  const int32_t rank = Rank(s);
  if (start_in == 0 && stride == 1 &&
      (end_in == std::numeric_limits<int64_t>::max() || (RankKnown(s) && end_in >= rank))) {
    *out = s;
    return Status();
  }
  *out = ShapeHandle();
  if (stride == 0) return errors::InvalidArgument("Subshape stride must not be 0");
  if (!RankKnown(s)) {
    *out = UnknownShape();
    return Status();
  }
  int64_t start = std::min<int64_t>(start_in, rank), end = std::min<int64_t>(end_in, rank);
  if (stride < 0 && start == rank) --start;
  if (start < 0) start += rank;
  if (end < 0) end += rank;
  if (start < 0) {
    return errors::InvalidArgument("Subshape start out of bounds: ", start_in, ", for shape with rank ",
                                   rank);
  }
  if (end < 0) {
    return errors::InvalidArgument("Subshape end out of bounds: ", end_in, ", for shape with rank ", rank);
  }
  if (stride > 0 ? start > end : start < end) {
    return errors::InvalidArgument("Subshape must have computed start ",
                                   stride > 0 ? "<= end" : ">= end since stride is negative", ", but is ",
                                   start, " and ", end, " (computed from start ", start_in, " and end ",
                                   end_in, " over shape with rank ", rank, ")");
  }
  std::vector<DimensionHandle> dims;
  for (int64_t i = start; stride > 0 ? i < end : i > end; i += stride) dims.push_back(DimKnownRank(s, i));
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::Concatenate(ShapeHandle s1, ShapeHandle s2, ShapeHandle *out) {
  if (!RankKnown(s1) || !RankKnown(s2)) {
    *out = UnknownShape();
    return Status();
  }
  std::vector<DimensionHandle> dims = s1->dims_;
  dims.insert(dims.end(), s2->dims_.begin(), s2->dims_.end());
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::ReplaceDim(ShapeHandle s, int64_t dim_index, DimensionHandle new_dim,
                                           ShapeHandle *out) {
  if (!RankKnown(s)) {
    *out = UnknownShape();
    return Status();
  }
  const int64_t at = dim_index < 0 ? dim_index + Rank(s) : dim_index;
  if (at < 0 || at >= Rank(s)) {
    *out = ShapeHandle();
    return errors::InvalidArgument("Out of range dim_index ", dim_index, " for shape with ", Rank(s),
                                   " dimensions");
  }
  std::vector<DimensionHandle> dims = s->dims_;
  dims[static_cast<size_t>(at)] = new_dim;
  *out = MakeShape(dims);
  return Status();
}

inline DimensionHandle InferenceContext::NumElements(ShapeHandle s) {
  if (!RankKnown(s)) return UnknownDim();
  DimensionHandle product;
  for (DimensionHandle d : s->dims_) {
    if (Value(d) == 0) return d;
    if (!product.IsSet()) {
      product = d;
    } else if (!Multiply(product, d, &product).ok()) {
      return UnknownDim();
    }
  }
  if (!product.IsSet()) return MakeDim(1);
  return product;
}

// ---- arithmetic ----

inline Status InferenceContext::Divide(DimensionHandle dividend, DimensionOrConstant divisor,
                                       bool evenly_divisible, DimensionHandle *out) {
  const int64_t by = Value(divisor), value = Value(dividend);
  if (by == 1) {
    *out = dividend;
    return Status();
  }
  if (by == 0 || by < kUnknownDim) {
    *out = DimensionHandle();
    return errors::InvalidArgument("Divisor must be positive but is ", by);
  }
  if (by == kUnknownDim || value == kUnknownDim) {
    *out = UnknownDim();
    if (ExportDim(dividend) == nullptr) return Status();
    TF_DimensionHandle *host = TF_NewDimensionHandle();
    TF_ShapeInferenceContext_Divide(host_, ExportDim(dividend), ExportDim(MakeDim(divisor)), evenly_divisible,
                                    host, dvt::ScratchStatus());
    host_dims_.push_back(host);
    if (dvt::TakeStatus(dvt::ScratchStatus()).ok()) *out = ImportDim(host);
    return Status();
  }
  if (evenly_divisible && value % by != 0) {
    *out = DimensionHandle();
    return errors::InvalidArgument("Dimension size must be evenly divisible by ", by, " but is ", value);
  }
  *out = MakeDim(value / by);
  return Status();
}

inline Status InferenceContext::Add(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0) {
    *out = MakeDim(second);
  } else if (b == 0) {
    *out = first;
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = Compute(TF_ShapeInferenceContext_Add, first, second);
  } else if (b > std::numeric_limits<int64_t>::max() - a) {
    *out = DimensionHandle();
    return errors::InvalidArgument("Dimension size overflow from adding ", a, " and ", b);
  } else {
    *out = MakeDim(a + b);
  }
  return Status();
}

inline Status InferenceContext::Subtract(DimensionHandle first, DimensionOrConstant second,
                                         DimensionHandle *out) {
  const int64_t a = Value(first), b = Value(second);
  if (b == 0) {
    *out = first;
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = Compute(TF_ShapeInferenceContext_Subtract, first, second);
  } else if (a < b) {
    *out = DimensionHandle();
    return errors::InvalidArgument("Negative dimension size caused by subtracting ", b, " from ", a);
  } else {
    *out = MakeDim(a - b);
  }
  return Status();
}

inline Status InferenceContext::Multiply(DimensionHandle first, DimensionOrConstant second,
                                         DimensionHandle *out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0 || b == 1) {
    *out = first;
  } else if (b == 0 || a == 1) {
    *out = MakeDim(second);
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = Compute(TF_ShapeInferenceContext_Multiply, first, second);
  } else if (b > std::numeric_limits<int64_t>::max() / a) {
    *out = DimensionHandle();
    return errors::InvalidArgument("Negative dimension size caused by overflow when multiplying ", a, " and ",
                                   b);
  } else {
    *out = MakeDim(a * b);
  }
  return Status();
}

inline Status InferenceContext::Min(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0) {
    *out = first;
  } else if (b == 0) {
    *out = MakeDim(second);
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = Compute(TF_ShapeInferenceContext_Min, first, second);
  } else {
    *out = a <= b ? first : MakeDim(second);
  }
  return Status();
}

inline Status InferenceContext::Max(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == kUnknownDim || b == kUnknownDim) {
    *out = Compute(TF_ShapeInferenceContext_Max, first, second);
  } else {
    *out = a >= b ? first : MakeDim(second);
  }
  return Status();
}

// ---- shapes from elsewhere ----

inline Status InferenceContext::MakeShapeFromShapeProto(const TensorShapeProto &proto, ShapeHandle *out) {
  *out = ShapeHandle();
  if (proto.unknown_rank()) {
    *out = UnknownShape();
    return Status();
  }
  std::vector<DimensionHandle> dims;
  for (const TensorShapeProto::Dim &dim : proto.dim()) {
    if (dim.size() < kUnknownDim) {
      return errors::InvalidArgument("Shape ", proto.DebugString(),
                                     " is not fully defined or has negative dimensions");
    }
    dims.push_back(MakeDim(dim.size()));
  }
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::MakeShapeFromPartialTensorShape(const PartialTensorShape &shape,
                                                                ShapeHandle *out) {
  if (shape.dims() < 0) {
    *out = UnknownShape();
    return Status();
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < shape.dims(); ++i) dims.push_back(MakeDim(static_cast<int64_t>(shape.dim_size(i))));
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::MakeShapeFromTensorShape(const TensorShape &shape, ShapeHandle *out) {
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < shape.dims(); ++i) dims.push_back(MakeDim(static_cast<int64_t>(shape.dim_size(i))));
  *out = MakeShape(dims);
  return Status();
}

inline Status InferenceContext::GetScalarFromTensor(const Tensor *t, int64_t *val) {
  if (t->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", t->dims());
  if (t->dtype() == DT_INT32) {
    *val = t->scalar<int32_t>()();
  } else if (t->dtype() == DT_INT64) {
    *val = t->scalar<int64_t>()();
  } else {
    return errors::InvalidArgument("Scalar input must be int32 or int64.");
  }
  return Status();
}

inline Status InferenceContext::GetScalarFromTensor(const Tensor *t, int64_t idx, int64_t *val) {
  if (t->dims() != 1) return errors::InvalidArgument("Input must be 1D but has rank ", t->dims());
  const int64_t size = t->NumElements(), at = idx < 0 ? idx + size : idx;
  if (at < 0 || at >= size)
    return errors::InvalidArgument("Invalid index ", idx, " for Tensor of size ", size);
  if (t->dtype() == DT_INT32) {
    *val = t->flat<int32_t>()(at);
  } else if (t->dtype() == DT_INT64) {
    *val = t->flat<int64_t>()(at);
  } else {
    return errors::InvalidArgument("Tensor input must be int32 or int64.");
  }
  return Status();
}

inline Status InferenceContext::MakeShapeFromTensor(const Tensor *t, ShapeHandle tensor_shape,
                                                    ShapeHandle *out) {
  return FromTensor(t, false, tensor_shape, out);
}

inline Status InferenceContext::FromTensor(const Tensor *t, bool scalar_is_unknown, ShapeHandle tensor_shape,
                                           ShapeHandle *out) {
  *out = ShapeHandle();
  if (!scalar_is_unknown) TF_RETURN_IF_ERROR(WithRank(tensor_shape, 1, &tensor_shape));
  if (t == nullptr) {
    const bool length_known = Rank(tensor_shape) == 1 && ValueKnown(DimKnownRank(tensor_shape, 0));
    *out = length_known ? UnknownShapeOfRank(Value(DimKnownRank(tensor_shape, 0))) : UnknownShape();
    return Status();
  }
  if (t->dtype() != DT_INT32 && t->dtype() != DT_INT64) {
    return errors::InvalidArgument("Input tensor must be int32 or int64, but was ",
                                   DataTypeString(t->dtype()));
  }
  if (t->dims() == 0) {
    int64_t value = 0;
    TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &value));
    if (value != kUnknownDim || !scalar_is_unknown) {
      return errors::InvalidArgument(
          "Input tensor must be rank 1, or if its rank 0 it must have value -1 "
          "(representing an unknown shape).  Saw value: ",
          value);
    }
    *out = UnknownShape();
    return Status();
  }
  if (t->dims() != 1)
    return errors::InvalidArgument("Input tensor must be rank 1, but was rank ", t->dims(), ".");
  std::vector<DimensionHandle> dims;
  for (int64_t i = 0; i < t->NumElements(); ++i) {
    int64_t value = 0;
    TF_RETURN_IF_ERROR(GetScalarFromTensor(t, i, &value));
    if (value < kUnknownDim)
      return errors::InvalidArgument("Invalid value in tensor used for shape: ", value);
    dims.push_back(MakeDim(value));
  }
  *out = MakeShape(dims);
  return Status();
}

}  // namespace shape_inference
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_SHAPE_ALGEBRA_H_
