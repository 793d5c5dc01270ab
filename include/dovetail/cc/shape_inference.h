// InferenceContext: what a C++ shape function asks and computes, over the C interface of tensorflow/c/ops.h
// and dovetail/shape.h.
//
// Shapes are computed with here; only what goes in and comes out crosses the interface (shape_host.h). On a
// host that does not tell a shape function all of it (stock: attributes other than types, values of inputs),
// the function sees an UNIMPLEMENTED status or a value that is not known; if an attribute was missing, all
// outputs become unknown there and the function succeeds, since what the host then does not know it finds
// when the kernel runs.
#ifndef DOVETAIL_CC_SHAPE_INFERENCE_H_
#define DOVETAIL_CC_SHAPE_INFERENCE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/cc/node_def_util.h"
#include "dovetail/cc/op_args.h"
#include "dovetail/cc/proto.h"
#include "dovetail/cc/shape_handle.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/tensor_shape.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/shape.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace shape_inference {

class InferenceContext {
 public:
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int32_t kUnknownRank = -1;

  // For the length of one call of a shape function.
  InferenceContext(TF_ShapeInferenceContext *host, const dvt::OpArgs &args);
  ~InferenceContext();
  InferenceContext(const InferenceContext &) = delete;
  void operator=(const InferenceContext &) = delete;

  // Runs the shape function and hands the outputs to the host.
  Status Run(const std::function<Status(InferenceContext *)> &fn);

  // ---- the node ----

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  ShapeHandle input(int64_t idx) const;
  Status input(StringPiece name, std::vector<ShapeHandle> *output) const;
  int num_outputs() const { return num_outputs_; }
  ShapeHandle output(int64_t idx) const;
  Status output(StringPiece name, std::vector<ShapeHandle> *output) const;
  void set_output(int idx, ShapeHandle shape);
  Status set_output(StringPiece name, const std::vector<ShapeHandle> &shapes);
  Status ExpandOutputs(int new_output_size);
  int graph_def_version() const;
  const FullTypeDef &ret_types() const {
    static const FullTypeDef none{};
    return none;
  }
  Status construction_status() const { return Status(); }

  // ---- values of inputs ----

  // NULL while the value is not known.
  const Tensor *input_tensor(int idx);
  void request_input_tensor(int) {}
  bool requested_input_tensor(int) const { return false; }
  void request_input_tensor_as_partial_shape(int) {}
  bool requested_input_tensor_as_partial_shape(int) const { return false; }
  const std::vector<ShapeHandle> &input_tensors_as_shapes();
  Status MakeShapeFromShapeTensor(int idx, ShapeHandle *out);
  Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int idx, ShapeHandle *out);
  Status MakeShapeFromTensor(const Tensor *t, ShapeHandle tensor_shape, ShapeHandle *out);
  Status MakeDimForScalarInput(int idx, DimensionHandle *out);
  Status MakeDimForScalarInputWithNegativeIndexing(int idx, int input_rank, DimensionHandle *out);
  Status GetScalarFromTensor(const Tensor *t, int64_t *val);
  Status GetScalarFromTensor(const Tensor *t, int64_t idx, int64_t *val);

  // ---- attributes ----

  Status GetAttr(StringPiece name, const AttrValue **value) const;
  const AttrValue *GetAttr(StringPiece name) const;
  template <class T>
  Status GetAttr(StringPiece name, T *value) const {
    if constexpr (std::is_same_v<T, DataType>) return GetTypeAttr(name, value);
    const AttrValue *attr = nullptr;
    TF_RETURN_IF_ERROR(GetAttr(name, &attr));
    return dvt::AttrTo(*attr, name, value);
  }

  // ---- asking shapes ----

  static int32_t Rank(ShapeHandle s) { return s.IsSet() ? s->rank_ : kUnknownRank; }
  static bool RankKnown(ShapeHandle s) { return Rank(s) != kUnknownRank; }
  static int64_t Value(DimensionOrConstant d) { return d.dim.IsSet() ? d.dim->value_ : d.val; }
  static bool ValueKnown(DimensionOrConstant d) { return Value(d) != kUnknownDim; }
  DimensionHandle Dim(ShapeHandle s, int64_t idx) {
    return RankKnown(s) ? DimKnownRank(s, idx) : UnknownDim();
  }
  static DimensionHandle DimKnownRank(ShapeHandle s, int64_t idx) {
    const int64_t at = idx < 0 ? Rank(s) + idx : idx;
    if (at < 0 || at >= Rank(s)) {
      dvt::Fail(errors::InvalidArgument("Dimension ", idx, " is asked of a shape of rank ", Rank(s)));
    }
    return s->dims_[static_cast<size_t>(at)];
  }
  bool FullyDefined(ShapeHandle s) {
    if (!RankKnown(s)) return false;
    for (DimensionHandle d : s->dims_) {
      if (!ValueKnown(d)) return false;
    }
    return true;
  }
  DimensionHandle NumElements(ShapeHandle s);
  void ShapeHandleToProto(ShapeHandle s, TensorShapeProto *proto) {
    proto->Clear();
    proto->set_unknown_rank(!RankKnown(s));
    for (int64_t i = 0; i < Rank(s); ++i) proto->add_dim()->set_size(Value(DimKnownRank(s, i)));
  }
  TensorShapeProto ShapeHandleToProto(ShapeHandle s) {
    TensorShapeProto proto;
    ShapeHandleToProto(s, &proto);
    return proto;
  }
  std::string DebugString(DimensionHandle d) { return ValueKnown(d) ? strings::StrCat(Value(d)) : "?"; }
  std::string DebugString(ShapeHandle s) {
    if (!RankKnown(s)) return "?";
    std::string text = "[";
    for (int64_t i = 0; i < Rank(s); ++i) text += (i ? "," : "") + DebugString(DimKnownRank(s, i));
    return text + "]";
  }
  std::string DebugString(const ShapeAndType &s) {
    return strings::StrCat(DebugString(s.shape), ":", DataTypeString(s.dtype));
  }
  std::string DebugString(const std::vector<ShapeAndType> &list) {
    std::string text = "[";
    for (const ShapeAndType &s : list) text += (text.size() > 1 ? "," : "") + DebugString(s);
    return text + "]";
  }
  std::string DebugString() const;

  // ---- computing with shapes ----

  Status WithRank(ShapeHandle shape, int64_t rank, ShapeHandle *out);
  Status WithRankAtLeast(ShapeHandle shape, int64_t rank, ShapeHandle *out);
  Status WithRankAtMost(ShapeHandle shape, int64_t rank, ShapeHandle *out);
  Status WithValue(DimensionHandle dim, int64_t value, DimensionHandle *out);
  Status Merge(ShapeHandle s0, ShapeHandle s1, ShapeHandle *out);
  Status MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle *s_out, ShapeHandle *prefix_out);
  Status Merge(DimensionHandle d0, DimensionHandle d1, DimensionHandle *out);
  Status Subshape(ShapeHandle s, int64_t start, ShapeHandle *out) {
    return Subshape(s, start, std::numeric_limits<int64_t>::max(), out);
  }
  Status Subshape(ShapeHandle s, int64_t start, int64_t end, ShapeHandle *out) {
    return Subshape(s, start, end, 1, out);
  }
  Status Subshape(ShapeHandle s, int64_t start, int64_t end, int64_t stride, ShapeHandle *out);
  Status Concatenate(ShapeHandle s1, ShapeHandle s2, ShapeHandle *out);
  Status ReplaceDim(ShapeHandle s, int64_t dim_index, DimensionHandle new_dim, ShapeHandle *out);
  Status Divide(DimensionHandle dividend, DimensionOrConstant divisor, bool evenly_divisible,
                DimensionHandle *out);
  Status Add(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out);
  Status Subtract(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out);
  Status Multiply(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out);
  Status Min(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out);
  Status Max(DimensionHandle first, DimensionOrConstant second, DimensionHandle *out);

  // ---- making shapes ----

  DimensionHandle MakeDim(DimensionOrConstant d) {
    if (d.dim.IsSet()) return d.dim;
    dims_.emplace_back(new Dimension(d.val < 0 ? kUnknownDim : d.val));
    return DimensionHandle(dims_.back().get());
  }
  DimensionHandle UnknownDim() { return MakeDim(kUnknownDim); }
  ShapeHandle MakeShape(const std::vector<DimensionHandle> &dims) {
    return NewShape(static_cast<int32_t>(dims.size()), dims);
  }
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) {
    std::vector<DimensionHandle> handles;
    handles.reserve(dims.size());
    for (const DimensionOrConstant &d : dims) handles.push_back(MakeDim(d));
    return MakeShape(handles);
  }
  ShapeHandle UnknownShape() { return NewShape(kUnknownRank, {}); }
  ShapeHandle UnknownShapeOfRank(int64_t rank) {
    if (rank == kUnknownRank) return UnknownShape();
    std::vector<DimensionHandle> dims;
    for (int64_t i = 0; i < rank; ++i) dims.push_back(UnknownDim());
    return MakeShape(dims);
  }
  ShapeHandle Scalar() { return NewShape(0, {}); }
  ShapeHandle Vector(DimensionOrConstant dim) { return MakeShape({dim}); }
  ShapeHandle Matrix(DimensionOrConstant dim1, DimensionOrConstant dim2) { return MakeShape({dim1, dim2}); }
  Status MakeShapeFromShapeProto(const TensorShapeProto &proto, ShapeHandle *out);
  Status MakeShapeFromPartialTensorShape(const PartialTensorShape &shape, ShapeHandle *out);
  Status MakeShapeFromTensorShape(const TensorShape &shape, ShapeHandle *out);

  // ---- values behind resources and variants ----

  // NULL when nothing is known.
  const std::vector<ShapeAndType> *input_handle_shapes_and_types(int idx);
  const std::vector<ShapeAndType> *output_handle_shapes_and_types(int idx);
  void set_output_handle_shapes_and_types(int idx, const std::vector<ShapeAndType> &shapes_and_types);
  bool MergeInputHandleShapesAndTypes(int idx, const std::vector<ShapeAndType> &shapes) TF_MUST_USE_RESULT;
  bool MergeOutputHandleShapesAndTypes(int idx, const std::vector<ShapeAndType> &shapes) TF_MUST_USE_RESULT;
  bool RelaxInputHandleShapesAndMergeTypes(int idx,
                                           const std::vector<ShapeAndType> &shapes) TF_MUST_USE_RESULT;
  bool RelaxOutputHandleShapesAndMergeTypes(int idx,
                                            const std::vector<ShapeAndType> &shapes) TF_MUST_USE_RESULT;

  // ---- the host's side, for functions that only the host can compute ----

  TF_ShapeInferenceContext *host() { return host_; }
  // Runs a shape function of the host (dovetail/shape_fn.h) on what is known, instead of one of this layer.
  Status RunOnHost(void (*fn)(TF_ShapeInferenceContext *ctx, TF_Status *status));
  // A shape that the host computed. Owner: the context takes the handle.
  ShapeHandle Import(TF_ShapeHandle *handle) const;
  // A shape for the host. Owner: the context.
  TF_ShapeHandle *Export(ShapeHandle shape) const;

 private:
  using HostDimFn = void (*)(TF_ShapeInferenceContext *, TF_DimensionHandle *, TF_DimensionHandle *,
                             TF_DimensionHandle *, TF_Status *);
  using HandleShapesFn = bool (*)(TF_ShapeInferenceContext *, int, TF_ShapeHandle *const *,
                                  const TF_DataType *, int);

  ShapeHandle NewShape(int32_t rank, std::vector<DimensionHandle> dims) const {
    shapes_.emplace_back(new Shape(rank, std::move(dims)));
    return ShapeHandle(shapes_.back().get());
  }
  TF_ShapeHandle *NewHostShape() const;
  TF_DimensionHandle *ExportDim(DimensionHandle dim) const;
  DimensionHandle ImportDim(TF_DimensionHandle *dim) const;
  TF_ShapeHandle *ExportRun(const Shape &shape, size_t *at) const;
  // An unknown dimension that is the host's `fn` of two others, if it computes with them.
  DimensionHandle Compute(HostDimFn fn, DimensionHandle a, DimensionOrConstant b);
  Status FromTensor(const Tensor *t, bool scalar_is_unknown, ShapeHandle tensor_shape, ShapeHandle *out);
  Status ShapeFromInput(int idx, bool scalar_is_unknown, ShapeHandle *out);
  Status GetTypeAttr(StringPiece name, DataType *value) const;
  Status InputRange(StringPiece name, int *start, int *stop) const;
  Status OutputRange(StringPiece name, int *start, int *stop) const;
  bool ChangeHandleShapes(HandleShapesFn fn, int idx, const std::vector<ShapeAndType> &shapes);
  void StoreHandleShapes();
  Status StoreOutputs();
  Status Lacks(Status status) const {
    if (status.code() == error::UNIMPLEMENTED) lacks_ = true;
    return status;
  }

  TF_ShapeInferenceContext *const host_;
  const dvt::OpArgs &args_;
  mutable std::vector<ShapeHandle> inputs_;
  int num_outputs_ = 0;
  bool num_outputs_certain_ = true;
  std::vector<ShapeHandle> outputs_;
  std::vector<bool> output_set_;
  std::vector<std::unique_ptr<Tensor>> input_tensors_;
  std::vector<ShapeHandle> inputs_as_shapes_;
  std::vector<std::unique_ptr<std::vector<ShapeAndType>>> input_handles_;
  std::vector<std::unique_ptr<std::vector<ShapeAndType>>> output_handles_;
  mutable std::map<std::string, AttrValue, std::less<>> attrs_;
  mutable std::vector<std::unique_ptr<const Dimension>> dims_;
  mutable std::vector<std::unique_ptr<const Shape>> shapes_;
  mutable std::vector<TF_ShapeHandle *> host_shapes_;
  mutable std::vector<TF_DimensionHandle *> host_dims_;
  // The host did not tell something that the outputs may depend on.
  mutable bool lacks_ = false;
};

}  // namespace shape_inference
}  // namespace tensorflow
DVT_CC_END

#include "dovetail/cc/shape_algebra.h"
#include "dovetail/cc/shape_host.h"

#endif  // DOVETAIL_CC_SHAPE_INFERENCE_H_
