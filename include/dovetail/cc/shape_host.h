// Where an InferenceContext meets the host: inputs come in, outputs go out, attributes and values are asked
// for. Only the functions of tensorflow/c/ops.h are needed for shapes themselves: an output is joined from
// pieces of what the host gave, so that its unknown dimensions stay the ones they are, and of vectors for
// what was computed here. Included by shape_inference.h.
#ifndef DOVETAIL_CC_SHAPE_HOST_H_
#define DOVETAIL_CC_SHAPE_HOST_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/cc/shape_inference.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace shape_inference {

inline InferenceContext::InferenceContext(TF_ShapeInferenceContext *host, const dvt::OpArgs &args)
    : host_(host), args_(args), inputs_(static_cast<size_t>(TF_ShapeInferenceContextNumInputs(host))) {
  num_outputs_ = args.NumOutputs(num_inputs());
  if (num_outputs_ < 0) {
    // A call with a status tells whether the host counts at all.
    int start = 0, stop = 0;
    num_outputs_ = 0;
    num_outputs_certain_ = false;
    for (const std::string &name : args.output_names()) {
      TF_ShapeInferenceContext_OutputRange(host, name.c_str(), &start, &stop, dvt::ScratchStatus());
      if (!dvt::TakeStatus(dvt::ScratchStatus()).ok()) break;
      num_outputs_ = stop;
      num_outputs_certain_ = true;
    }
  }
}

inline InferenceContext::~InferenceContext() {
  for (TF_ShapeHandle *shape : host_shapes_) TF_DeleteShapeHandle(shape);
  for (TF_DimensionHandle *dim : host_dims_) TF_DeleteDimensionHandle(dim);
}

inline TF_ShapeHandle *InferenceContext::NewHostShape() const {
  host_shapes_.push_back(TF_NewShapeHandle());
  return host_shapes_.back();
}

// ---- shapes in and out ----

inline ShapeHandle InferenceContext::Import(TF_ShapeHandle *handle) const {
  if (host_shapes_.empty() || host_shapes_.back() != handle) host_shapes_.push_back(handle);
  const int64_t rank = TF_ShapeInferenceContextRank(host_, handle);
  std::vector<DimensionHandle> dims;
  if (rank > 0) {
    TF_DimensionHandle *host_dim = TF_NewDimensionHandle();
    for (int64_t i = 0; i < rank; ++i) {
      TF_ShapeInferenceContextDim(host_, handle, i, host_dim);
      const bool known = TF_DimensionHandleValueKnown(host_dim);
      Dimension *dim = new Dimension(known ? TF_DimensionHandleValue(host_dim) : kUnknownDim);
      dims_.emplace_back(dim);
      dim->origin_ = handle;
      dim->origin_index_ = i;
      dims.push_back(DimensionHandle(dim));
    }
    TF_DeleteDimensionHandle(host_dim);
  }
  const ShapeHandle shape = NewShape(rank < 0 ? kUnknownRank : static_cast<int32_t>(rank), std::move(dims));
  shape->host_ = handle;
  return shape;
}

// Dimensions from `*at` on that lie side by side in a shape that the host knows, as a shape of their own.
inline TF_ShapeHandle *InferenceContext::ExportRun(const Shape &shape, size_t *at) const {
  const DimensionHandle first = shape.dims_[*at];
  if (first->origin_ == nullptr) {
    const int64_t value = first->value_;
    TF_ShapeHandle *vector = nullptr;
    if (first->host_ != nullptr) vector = TF_ShapeInferenceContext_Vector(host_, first->host_);
    if (vector == nullptr) vector = TF_ShapeInferenceContextVectorFromSize(host_, static_cast<size_t>(value));
    host_shapes_.push_back(vector);
    first->origin_ = vector;
    first->origin_index_ = 0;
  }
  size_t end = *at + 1;
  while (end < shape.dims_.size() && shape.dims_[end]->origin_ == first->origin_ &&
         shape.dims_[end]->origin_index_ == first->origin_index_ + static_cast<int64_t>(end - *at)) {
    ++end;
  }
  TF_ShapeHandle *run = NewHostShape();
  TF_ShapeInferenceContextSubshape(host_, first->origin_, first->origin_index_,
                                   first->origin_index_ + static_cast<int64_t>(end - *at), run,
                                   dvt::ScratchStatus());
  dvt::TakeStatus(dvt::ScratchStatus()).IgnoreError();
  *at = end;
  return run;
}

inline TF_ShapeHandle *InferenceContext::Export(ShapeHandle shape) const {
  if (shape.IsSet() && shape->host_ != nullptr) return shape->host_;
  if (!RankKnown(shape)) return NewHostShape();
  TF_ShapeHandle *result = nullptr;
  if (shape->dims_.empty()) {
    result = TF_ShapeInferenceContextScalar(host_);
    host_shapes_.push_back(result);
  }
  for (size_t at = 0; at < shape->dims_.size();) {
    TF_ShapeHandle *run = ExportRun(*shape.ptr_, &at);
    if (result == nullptr) {
      result = run;
      continue;
    }
    TF_ShapeHandle *joined = NewHostShape();
    TF_ShapeInferenceContextConcatenateShapes(host_, result, run, joined, dvt::ScratchStatus());
    dvt::TakeStatus(dvt::ScratchStatus()).IgnoreError();
    result = joined;
  }
  shape->host_ = result;
  return result;
}

// NULL for a dimension that the host cannot make.
inline TF_DimensionHandle *InferenceContext::ExportDim(DimensionHandle dim) const {
  if (dim->host_ != nullptr) return dim->host_;
  if (dim->origin_ != nullptr) {
    dim->host_ = TF_NewDimensionHandle();
    TF_ShapeInferenceContextDim(host_, dim->origin_, dim->origin_index_, dim->host_);
    host_dims_.push_back(dim->host_);
    return dim->host_;
  }
  TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(host_, static_cast<size_t>(dim->value_));
  if (vector == nullptr) return nullptr;
  host_shapes_.push_back(vector);
  dim->origin_ = vector;
  dim->origin_index_ = 0;
  return ExportDim(dim);
}

inline DimensionHandle InferenceContext::ImportDim(TF_DimensionHandle *host_dim) const {
  const bool known = TF_DimensionHandleValueKnown(host_dim);
  Dimension *dim = new Dimension(known ? TF_DimensionHandleValue(host_dim) : kUnknownDim);
  dims_.emplace_back(dim);
  dim->host_ = host_dim;
  return DimensionHandle(dim);
}

inline DimensionHandle InferenceContext::Compute(HostDimFn fn, DimensionHandle a, DimensionOrConstant b) {
  TF_DimensionHandle *host_a = ExportDim(a.IsSet() ? a : UnknownDim()), *host_b = ExportDim(MakeDim(b));
  if (host_a == nullptr || host_b == nullptr) return UnknownDim();
  TF_DimensionHandle *result = TF_NewDimensionHandle();
  host_dims_.push_back(result);
  fn(host_, host_a, host_b, result, dvt::ScratchStatus());
  return dvt::TakeStatus(dvt::ScratchStatus()).ok() ? ImportDim(result) : UnknownDim();
}

inline ShapeHandle InferenceContext::input(int64_t idx) const {
  if (idx < 0 || idx >= num_inputs()) {
    dvt::Fail(errors::InvalidArgument("Input ", idx, " is asked of a node with ", num_inputs(), " inputs"));
  }
  ShapeHandle &shape = inputs_[static_cast<size_t>(idx)];
  if (!shape.IsSet()) {
    TF_ShapeHandle *handle = NewHostShape();
    TF_ShapeInferenceContextGetInput(host_, static_cast<int>(idx), handle, dvt::ScratchStatus());
    // Releases before 2.21 know the first input only; the others are unknown there.
    dvt::TakeStatus(dvt::ScratchStatus()).IgnoreError();
    shape = Import(handle);
  }
  return shape;
}

inline Status InferenceContext::InputRange(StringPiece name, int *start, int *stop) const {
  if (args_.InputRange(name, num_inputs(), start, stop)) return Status();
  TF_ShapeInferenceContext_InputRange(host_, std::string(name).c_str(), start, stop, dvt::ScratchStatus());
  return Lacks(dvt::TakeStatus(dvt::ScratchStatus()));
}

inline Status InferenceContext::OutputRange(StringPiece name, int *start, int *stop) const {
  if (args_.OutputRange(name, num_inputs(), start, stop)) return Status();
  TF_ShapeInferenceContext_OutputRange(host_, std::string(name).c_str(), start, stop, dvt::ScratchStatus());
  return Lacks(dvt::TakeStatus(dvt::ScratchStatus()));
}

inline Status InferenceContext::input(StringPiece name, std::vector<ShapeHandle> *output) const {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(InputRange(name, &start, &stop));
  output->clear();
  for (int i = start; i < stop; ++i) output->push_back(input(i));
  return Status();
}

inline ShapeHandle InferenceContext::output(int64_t idx) const {
  return static_cast<size_t>(idx) < outputs_.size() ? outputs_[static_cast<size_t>(idx)] : ShapeHandle();
}

inline Status InferenceContext::output(StringPiece name, std::vector<ShapeHandle> *output) const {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(OutputRange(name, &start, &stop));
  output->clear();
  for (int i = start; i < stop; ++i) output->push_back(this->output(i));
  return Status();
}

inline void InferenceContext::set_output(int idx, ShapeHandle shape) {
  if (idx < 0 || (num_outputs_certain_ && idx >= num_outputs_)) {
    dvt::Fail(errors::InvalidArgument("Output ", idx, " is set of a node with ", num_outputs_, " outputs"));
  }
  const size_t at = static_cast<size_t>(idx);
  if (outputs_.size() <= at) {
    outputs_.resize(at + 1);
    output_set_.resize(at + 1);
  }
  outputs_[at] = shape;
  output_set_[at] = true;
}

inline Status InferenceContext::set_output(StringPiece name, const std::vector<ShapeHandle> &shapes) {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(OutputRange(name, &start, &stop));
  if (static_cast<size_t>(stop - start) != shapes.size()) {
    return errors::InvalidArgument("Must have exactly ", stop - start, " shapes for output ", name, ".");
  }
  for (int i = start; i < stop; ++i) set_output(i, shapes[static_cast<size_t>(i - start)]);
  return Status();
}

inline Status InferenceContext::ExpandOutputs(int new_output_size) {
  if (new_output_size < num_outputs_) {
    return errors::InvalidArgument("Trying to reduce number of outputs of op.");
  }
  num_outputs_ = new_output_size;
  return Status();
}

inline Status InferenceContext::StoreOutputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!output_set_[i]) continue;
    TF_ShapeInferenceContextSetOutput(host_, static_cast<int>(i), Export(outputs_[i]), dvt::ScratchStatus());
    // Releases before 2.21 take the first output only.
    const Status status = dvt::TakeStatus(dvt::ScratchStatus());
    if (!status.ok() && i == 0) return status;
  }
  return Status();
}

inline Status InferenceContext::Run(const std::function<Status(InferenceContext *)> &fn) {
  Status status = fn(this);
  if (!lacks_) {
    TF_RETURN_IF_ERROR(status);
    TF_RETURN_IF_ERROR(StoreOutputs());
    StoreHandleShapes();
    return Status();
  }
  TF_ShapeInferenceContextSetUnknownShape(host_, dvt::ScratchStatus());
  return dvt::TakeStatus(dvt::ScratchStatus());
}

inline Status InferenceContext::RunOnHost(void (*fn)(TF_ShapeInferenceContext *ctx, TF_Status *status)) {
  fn(host_, dvt::ScratchStatus());
  TF_RETURN_IF_ERROR(Lacks(dvt::TakeStatus(dvt::ScratchStatus())));
  for (int i = 0; i < num_outputs_; ++i) {
    TF_ShapeHandle *shape = NewHostShape();
    TF_ShapeInferenceContext_GetOutput(host_, i, shape, dvt::ScratchStatus());
    if (dvt::TakeStatus(dvt::ScratchStatus()).ok()) set_output(i, Import(shape));
  }
  return Status();
}

// ---- the node ----

inline int InferenceContext::graph_def_version() const {
  return TF_ShapeInferenceContext_GraphDefVersion(host_);
}

inline std::string InferenceContext::DebugString() const {
  char *text = TF_ShapeInferenceContext_NodeDebugString(host_);
  const std::string result = text == nullptr ? "" : text;
  free(text);
  return result;
}

inline Status InferenceContext::GetAttr(StringPiece name, const AttrValue **value) const {
  const auto found = attrs_.find(name);
  if (found != attrs_.end()) {
    *value = &found->second;
    return Status();
  }
  const std::string key(name);
  TF_Buffer *buffer = TF_ShapeInferenceContext_GetAttrValueProto(host_, key.c_str(), dvt::ScratchStatus());
  TF_RETURN_IF_ERROR(Lacks(dvt::TakeStatus(dvt::ScratchStatus())));
  AttrValue parsed;
  const bool ok =
      parsed.ParseFromString(StringPiece(static_cast<const char *>(buffer->data), buffer->length));
  TF_DeleteBuffer(buffer);
  if (!ok) return errors::Internal("The value of attribute ", name, " is malformed");
  *value = &attrs_.emplace(key, std::move(parsed)).first->second;
  return Status();
}

inline const AttrValue *InferenceContext::GetAttr(StringPiece name) const {
  const AttrValue *value = nullptr;
  GetAttr(name, &value).IgnoreError();
  return value;
}

// The one kind that every host tells.
inline Status InferenceContext::GetTypeAttr(StringPiece name, DataType *value) const {
  TF_DataType type = static_cast<TF_DataType>(0);
  TF_ShapeInferenceContext_GetAttrType(host_, std::string(name).c_str(), &type, dvt::ScratchStatus());
  TF_RETURN_IF_ERROR(dvt::TakeStatus(dvt::ScratchStatus()));
  *value = static_cast<DataType>(type);
  return Status();
}

// ---- values of inputs ----

inline const Tensor *InferenceContext::input_tensor(int idx) {
  input_tensors_.resize(inputs_.size());
  const size_t at = static_cast<size_t>(idx);
  if (idx < 0 || at >= inputs_.size()) return nullptr;
  if (input_tensors_[at]) return input_tensors_[at].get();
  TF_Tensor *tensor = TF_ShapeInferenceContext_InputTensor(host_, idx, dvt::ScratchStatus());
  dvt::TakeStatus(dvt::ScratchStatus()).IgnoreError();
  if (tensor == nullptr) return nullptr;
  input_tensors_[at] = std::make_unique<Tensor>(dvt::TensorAccess::Adopt(tensor));
  return input_tensors_[at].get();
}

inline const std::vector<ShapeHandle> &InferenceContext::input_tensors_as_shapes() {
  if (!inputs_as_shapes_.empty()) return inputs_as_shapes_;
  inputs_as_shapes_.resize(inputs_.size());
  for (int i = 0; i < num_inputs(); ++i) {
    TF_ShapeHandle *shape = NewHostShape();
    TF_ShapeInferenceContext_InputAsPartialShape(host_, i, shape, dvt::ScratchStatus());
    if (dvt::TakeStatus(dvt::ScratchStatus()).ok()) inputs_as_shapes_[static_cast<size_t>(i)] = Import(shape);
  }
  return inputs_as_shapes_;
}

inline Status InferenceContext::ShapeFromInput(int idx, bool scalar_is_unknown, ShapeHandle *out) {
  TF_ShapeHandle *shape = NewHostShape();
  (scalar_is_unknown
       ? TF_ShapeInferenceContext_MakeShapeFromShapeTensorTreatScalarAsUnknownShape
       : TF_ShapeInferenceContext_MakeShapeFromShapeTensor)(host_, idx, shape, dvt::ScratchStatus());
  const Status status = dvt::TakeStatus(dvt::ScratchStatus());
  if (status.code() == error::UNIMPLEMENTED)
    return FromTensor(input_tensor(idx), scalar_is_unknown, input(idx), out);
  TF_RETURN_IF_ERROR(status);
  *out = Import(shape);
  return Status();
}

inline Status InferenceContext::MakeShapeFromShapeTensor(int idx, ShapeHandle *out) {
  return ShapeFromInput(idx, false, out);
}

inline Status InferenceContext::MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int idx, ShapeHandle *out) {
  return ShapeFromInput(idx, true, out);
}

inline Status InferenceContext::MakeDimForScalarInput(int idx, DimensionHandle *out) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  host_dims_.push_back(dim);
  TF_ShapeInferenceContext_MakeDimForScalarInput(host_, idx, dim, dvt::ScratchStatus());
  const Status status = dvt::TakeStatus(dvt::ScratchStatus());
  *out = status.ok() ? ImportDim(dim) : UnknownDim();
  return status.code() == error::UNIMPLEMENTED ? Status() : status;
}

inline Status InferenceContext::MakeDimForScalarInputWithNegativeIndexing(int idx, int input_rank,
                                                                          DimensionHandle *out) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  host_dims_.push_back(dim);
  TF_ShapeInferenceContext_MakeDimForScalarInputWithNegativeIndexing(host_, idx, input_rank, dim,
                                                                     dvt::ScratchStatus());
  const Status status = dvt::TakeStatus(dvt::ScratchStatus());
  *out = status.ok() ? ImportDim(dim) : UnknownDim();
  return status.code() == error::UNIMPLEMENTED ? Status() : status;
}

// ---- values behind resources and variants ----

inline const std::vector<ShapeAndType> *InferenceContext::input_handle_shapes_and_types(int idx) {
  input_handles_.resize(inputs_.size());
  const size_t at = static_cast<size_t>(idx);
  if (idx < 0 || at >= inputs_.size()) return nullptr;
  if (input_handles_[at]) return input_handles_[at].get();
  auto list = std::make_unique<std::vector<ShapeAndType>>();
  for (int i = 0;; ++i) {
    TF_ShapeHandle *shape = NewHostShape();
    TF_DataType type = static_cast<TF_DataType>(0);
    TF_ShapeInferenceContext_GetInputHandleShapeAndType(host_, idx, i, shape, &type, dvt::ScratchStatus());
    if (!dvt::TakeStatus(dvt::ScratchStatus()).ok()) break;
    list->emplace_back(Import(shape), static_cast<DataType>(type));
  }
  if (list->empty()) return nullptr;
  input_handles_[at] = std::move(list);
  return input_handles_[at].get();
}

inline const std::vector<ShapeAndType> *InferenceContext::output_handle_shapes_and_types(int idx) {
  const size_t at = static_cast<size_t>(idx);
  return idx >= 0 && at < output_handles_.size() ? output_handles_[at].get() : nullptr;
}

inline void InferenceContext::set_output_handle_shapes_and_types(int idx,
                                                                 const std::vector<ShapeAndType> &list) {
  if (idx < 0) dvt::Fail(errors::InvalidArgument("Output ", idx, " is not there"));
  if (output_handles_.size() <= static_cast<size_t>(idx))
    output_handles_.resize(static_cast<size_t>(idx) + 1);
  output_handles_[static_cast<size_t>(idx)] = std::make_unique<std::vector<ShapeAndType>>(list);
}

inline void InferenceContext::StoreHandleShapes() {
  for (size_t i = 0; i < output_handles_.size(); ++i) {
    if (!output_handles_[i]) continue;
    std::vector<TF_ShapeHandle *> shapes;
    std::vector<TF_DataType> types;
    for (const ShapeAndType &value : *output_handles_[i]) {
      shapes.push_back(Export(value.shape));
      types.push_back(static_cast<TF_DataType>(value.dtype));
    }
    TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(host_, static_cast<int>(i), shapes.data(),
                                                           types.data(), static_cast<int>(shapes.size()),
                                                           dvt::ScratchStatus());
    // Only tells later nodes more; a host that does not take it goes without.
    dvt::TakeStatus(dvt::ScratchStatus()).IgnoreError();
  }
}

inline bool InferenceContext::ChangeHandleShapes(HandleShapesFn fn, int idx,
                                                 const std::vector<ShapeAndType> &list) {
  std::vector<TF_ShapeHandle *> shapes;
  std::vector<TF_DataType> types;
  for (const ShapeAndType &value : list) {
    shapes.push_back(Export(value.shape));
    types.push_back(static_cast<TF_DataType>(value.dtype));
  }
  StoreHandleShapes();
  const bool changed = fn(host_, idx, shapes.data(), types.data(), static_cast<int>(shapes.size()));
  input_handles_.clear();
  output_handles_.clear();
  return changed;
}

inline bool InferenceContext::MergeInputHandleShapesAndTypes(int idx,
                                                             const std::vector<ShapeAndType> &shapes) {
  return ChangeHandleShapes(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes, idx, shapes);
}

inline bool InferenceContext::MergeOutputHandleShapesAndTypes(int idx,
                                                              const std::vector<ShapeAndType> &shapes) {
  return ChangeHandleShapes(TF_ShapeInferenceContext_MergeOutputHandleShapesAndTypes, idx, shapes);
}

inline bool InferenceContext::RelaxInputHandleShapesAndMergeTypes(int idx,
                                                                  const std::vector<ShapeAndType> &shapes) {
  return ChangeHandleShapes(TF_ShapeInferenceContext_RelaxInputHandleShapesAndMergeTypes, idx, shapes);
}

inline bool InferenceContext::RelaxOutputHandleShapesAndMergeTypes(int idx,
                                                                   const std::vector<ShapeAndType> &shapes) {
  return ChangeHandleShapes(TF_ShapeInferenceContext_RelaxOutputHandleShapesAndMergeTypes, idx, shapes);
}

}  // namespace shape_inference
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_SHAPE_HOST_H_
