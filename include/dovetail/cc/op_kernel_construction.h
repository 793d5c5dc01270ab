// OpKernelConstruction: what a kernel's constructor asks, attributes above all.
//
// GetAttr(name, &value) reads an attribute into every type that a function ReadAttr(ctx, name, &value) exists
// for, here or in the namespace of the value's type.
#ifndef DOVETAIL_CC_OP_KERNEL_CONSTRUCTION_H_
#define DOVETAIL_CC_OP_KERNEL_CONSTRUCTION_H_

#include <string>
#include <type_traits>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/op_requires.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/kernel_construction.h"
#include "tensorflow/c/kernels_experimental.h"

DVT_CC_BEGIN
namespace tensorflow {

class DeviceBase;
class Env;
class NodeDef;
class ResourceMgr;

namespace dvt {

inline string Text(TF_StringView view) { return string(view.data, view.len); }

// What a node says of itself, without its attributes.
struct NodeNames {
  string name;
  string op;
  string device;
  std::vector<string> inputs;
};

// Reads the names from a serialised NodeDef; stops where it is malformed.
inline NodeNames ReadNodeNames(StringPiece node) {
  NodeNames names;
  auto varint = [&node](uint64 *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && !node.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(node.front());
      node.remove_prefix(1);
      *value |= static_cast<uint64>(byte & 127) << shift;
      if (byte < 128) return true;
    }
    return false;
  };
  uint64 tag, size;
  while (varint(&tag) && (tag & 7) == 2 && varint(&size) && size <= node.size()) {
    string text(node.substr(0, size));
    node.remove_prefix(size);
    switch (tag >> 3) {
      case 1:
        names.name = text;
        break;
      case 2:
        names.op = text;
        break;
      case 3:
        names.inputs.push_back(text);
        break;
      case 4:
        names.device = text;
        break;
      default:
        break;
    }
  }
  return names;
}

// Sizes of an attribute; -1 where it has none.
inline Status AttrSize(TF_OpKernelConstruction *ctx, const char *name, int32_t *list, int32_t *total) {
  TF_Status *s = ScratchStatus();
  TF_OpKernelConstruction_GetAttrSize(ctx, name, list, total, s);
  return TakeStatus(s);
}

// Reads a list attribute of a plain kind: `read` is the C function, E what it stores.
template <class E, class Read, class Vector>
Status ReadPlainList(TF_OpKernelConstruction *ctx, const char *name, Read read, Vector *out) {
  int32_t count = 0, total = 0;
  TF_RETURN_IF_ERROR(AttrSize(ctx, name, &count, &total));
  // For an attribute that is no list the host gives its error when it is read.
  std::unique_ptr<E[]> values(new E[static_cast<size_t>(count < 1 ? 1 : count)]());
  TF_Status *s = ScratchStatus();
  read(ctx, name, values.get(), count < 0 ? 0 : count, s);
  TF_RETURN_IF_ERROR(TakeStatus(s));
  if (count < 0) return errors::InvalidArgument("Attribute ", name, " is no list");
  out->clear();
  for (int32_t i = 0; i < count; ++i) out->push_back(static_cast<typename Vector::value_type>(values[i]));
  return Status();
}

}  // namespace dvt

#define DVT_CC_PLAIN_ATTR(Function, Stored, Type)                                                         \
  inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, Type *value) {                   \
    Stored stored{};                                                                                      \
    TF_Status *s = dvt::ScratchStatus();                                                                  \
    TF_OpKernelConstruction_GetAttr##Function(ctx, name, &stored, s);                                     \
    Status status = dvt::TakeStatus(s);                                                                   \
    if (status.ok()) *value = static_cast<Type>(stored);                                                  \
    return status;                                                                                        \
  }                                                                                                       \
  template <class A>                                                                                      \
  Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<Type, A> *value) {          \
    return dvt::ReadPlainList<Stored>(ctx, name, TF_OpKernelConstruction_GetAttr##Function##List, value); \
  }
DVT_CC_PLAIN_ATTR(Int32, int32_t, int32)
DVT_CC_PLAIN_ATTR(Int64, int64_t, int64)
DVT_CC_PLAIN_ATTR(Int64, int64_t, OtherInt64)
DVT_CC_PLAIN_ATTR(Float, float, float)
DVT_CC_PLAIN_ATTR(Bool, TF_Bool, bool)
DVT_CC_PLAIN_ATTR(Type, TF_DataType, DataType)
#undef DVT_CC_PLAIN_ATTR

template <size_t N>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, gtl::InlinedVector<bool, N> *value) {
  return dvt::ReadPlainList<TF_Bool>(ctx, name, TF_OpKernelConstruction_GetAttrBoolList, value);
}

inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, string *value) {
  int32_t list = 0, total = 0;
  TF_RETURN_IF_ERROR(dvt::AttrSize(ctx, name, &list, &total));
  string text(static_cast<size_t>(total < 0 ? 0 : total), '\0');
  TF_Status *s = dvt::ScratchStatus();
  TF_OpKernelConstruction_GetAttrString(ctx, name, text.data(), text.size(), s);
  TF_RETURN_IF_ERROR(dvt::TakeStatus(s));
  *value = std::move(text);
  return Status();
}

inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, tstring *value) {
  string text;
  TF_RETURN_IF_ERROR(ReadAttr(ctx, name, &text));
  *value = text;
  return Status();
}

namespace dvt {
template <class Vector>
Status ReadStringList(TF_OpKernelConstruction *ctx, const char *name, Vector *value) {
  int32_t count = 0, total = 0;
  TF_RETURN_IF_ERROR(AttrSize(ctx, name, &count, &total));
  if (count < 0) return errors::InvalidArgument("Attribute ", name, " is no list");
  size_t n = static_cast<size_t>(count), bytes = static_cast<size_t>(total < 0 ? 0 : total);
  std::vector<char *> texts(n + 1);
  std::vector<size_t> lengths(n + 1);
  std::vector<char> storage(bytes + 1);
  TF_Status *s = ScratchStatus();
  TF_OpKernelConstruction_GetAttrStringList(ctx, name, texts.data(), lengths.data(), count, storage.data(),
                                            bytes, s);
  TF_RETURN_IF_ERROR(TakeStatus(s));
  value->clear();
  for (size_t i = 0; i < n; ++i) value->push_back(typename Vector::value_type(texts[i], lengths[i]));
  return Status();
}
}  // namespace dvt

template <class A>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<string, A> *value) {
  return dvt::ReadStringList(ctx, name, value);
}
template <class A>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<tstring, A> *value) {
  return dvt::ReadStringList(ctx, name, value);
}

inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, PartialTensorShape *value) {
  int64_t sizes[TensorShape::MaxDimensions()];
  int rank = 0;
  TF_Status *s = dvt::ScratchStatus();
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, name, sizes, TensorShape::MaxDimensions(), &rank, s);
  TF_RETURN_IF_ERROR(dvt::TakeStatus(s));
  if (rank < 0) {
    *value = PartialTensorShape();
    return Status();
  }
  return PartialTensorShape::BuildPartialTensorShape({sizes, static_cast<size_t>(rank)}, value);
}

inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, TensorShape *value) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(ReadAttr(ctx, name, &shape));
  if (shape.AsTensorShape(value)) return Status();
  return errors::InvalidArgument("Attribute ", name, " is not a fully known shape: ", shape.DebugString());
}

template <class A>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<PartialTensorShape, A> *value) {
  int32_t count = 0, total = 0;
  TF_RETURN_IF_ERROR(dvt::AttrSize(ctx, name, &count, &total));
  if (count < 0) return errors::InvalidArgument("Attribute ", name, " is no list");
  size_t n = static_cast<size_t>(count);
  std::vector<int64_t *> dims(n + 1);
  std::vector<int> ranks(n + 1);
  std::vector<int64_t> storage(static_cast<size_t>(total < 0 ? 0 : total) + 1);
  TF_Status *s = dvt::ScratchStatus();
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, name, dims.data(), ranks.data(), count, storage.data(),
                                                  static_cast<int>(storage.size()), s);
  TF_RETURN_IF_ERROR(dvt::TakeStatus(s));
  value->clear();
  for (size_t i = 0; i < n; ++i) {
    PartialTensorShape shape;
    if (ranks[i] >= 0) {
      TF_RETURN_IF_ERROR(
          PartialTensorShape::BuildPartialTensorShape({dims[i], static_cast<size_t>(ranks[i])}, &shape));
    }
    value->push_back(shape);
  }
  return Status();
}

template <class A>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<TensorShape, A> *value) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(ReadAttr(ctx, name, &shapes));
  value->clear();
  for (const PartialTensorShape &partial : shapes) {
    TensorShape shape;
    if (!partial.AsTensorShape(&shape)) {
      return errors::InvalidArgument("Attribute ", name,
                                     " has a shape that is not fully known: ", partial.DebugString());
    }
    value->push_back(shape);
  }
  return Status();
}

inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, Tensor *value) {
  TF_Tensor *tensor = nullptr;
  TF_Status *s = dvt::ScratchStatus();
  TF_OpKernelConstruction_GetAttrTensor(ctx, name, &tensor, s);
  TF_RETURN_IF_ERROR(dvt::TakeStatus(s));
  *value = dvt::TensorAccess::Adopt(tensor);
  return Status();
}

template <class A>
Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, std::vector<Tensor, A> *value) {
  int32_t count = 0, total = 0;
  TF_RETURN_IF_ERROR(dvt::AttrSize(ctx, name, &count, &total));
  if (count < 0) return errors::InvalidArgument("Attribute ", name, " is no list");
  std::vector<TF_Tensor *> tensors(static_cast<size_t>(count) + 1);
  TF_Status *s = dvt::ScratchStatus();
  TF_OpKernelConstruction_GetAttrTensorList(ctx, name, tensors.data(), count, s);
  TF_RETURN_IF_ERROR(dvt::TakeStatus(s));
  value->clear();
  for (int32_t i = 0; i < count; ++i)
    value->push_back(dvt::TensorAccess::Adopt(tensors[static_cast<size_t>(i)]));
  return Status();
}

class OpKernelConstruction {
 public:
  explicit OpKernelConstruction(TF_OpKernelConstruction *ctx) : ctx_(ctx) {}
  ~OpKernelConstruction() { TF_DeleteBuffer(def_); }
  OpKernelConstruction(const OpKernelConstruction &) = delete;
  void operator=(const OpKernelConstruction &) = delete;

  template <class T>
  Status GetAttr(StringPiece name, T *value) const {
    return ReadAttr(ctx_, string(name).c_str(), value);
  }
  bool HasAttr(StringPiece name) const {
    TF_Status *s = dvt::ScratchStatus();
    bool has = TF_OpKernelConstruction_HasAttr(ctx_, string(name).c_str(), s);
    return dvt::TakeStatus(s).ok() && has;
  }

  // The error that counts is the first.
  void SetStatus(const Status &status) {
    if (status.ok() || !status_.ok()) return;
    status_ = status;
    TF_Status *s = dvt::ScratchStatus();
    dvt::StoreStatus(status, s);
    TF_OpKernelConstruction_Failure(ctx_, s);
    TF_SetStatus(s, TF_OK, "");
  }
  const Status &status() const { return status_; }
  void CtxFailure(const Status &s) { SetStatus(s); }
  void CtxFailure(const char *, int, const Status &s) { SetStatus(s); }
  void CtxFailureWithWarning(const Status &s) { SetStatus(s); }
  void CtxFailureWithWarning(const char *file, int line, const Status &s) {
    VLOG(1) << file << ":" << line << " " << s;
    SetStatus(s);
  }

  // The node, serialised.
  StringPiece serialized_def() const {
    if (def_ == nullptr) {
      TF_Status *s = dvt::ScratchStatus();
      def_ = TF_OpKernelConstruction_GetNodeDef(ctx_, s);
      Status status = dvt::TakeStatus(s);
      if (def_ == nullptr) dvt::Fail(status);
    }
    return StringPiece(static_cast<const char *>(def_->data), def_->length);
  }
  const NodeDef &def() const;

  int num_inputs() const { return TF_OpKernelConstruction_NumInputs(ctx_); }
  int num_outputs() const { return TF_OpKernelConstruction_NumOutputs(ctx_); }
  DataType input_type(int i) const { return TypeOf(false, i); }
  DataType output_type(int i) const { return TypeOf(true, i); }
  DataTypeVector input_types() const {
    return All<DataTypeVector>(num_inputs(), &OpKernelConstruction::input_type);
  }
  DataTypeVector output_types() const {
    return All<DataTypeVector>(num_outputs(), &OpKernelConstruction::output_type);
  }
  MemoryType input_memory_type(int i) const {
    return Checked<bool>(TF_OpKernelConstruction_IsHostMemoryInput, i) ? HOST_MEMORY : DEVICE_MEMORY;
  }
  MemoryType output_memory_type(int i) const {
    return Checked<bool>(TF_OpKernelConstruction_IsHostMemoryOutput, i) ? HOST_MEMORY : DEVICE_MEMORY;
  }
  MemoryTypeVector input_memory_types() const {
    return All<MemoryTypeVector>(num_inputs(), &OpKernelConstruction::input_memory_type);
  }
  MemoryTypeVector output_memory_types() const {
    return All<MemoryTypeVector>(num_outputs(), &OpKernelConstruction::output_memory_type);
  }
  Status MatchSignature(DataTypeSlice inputs, DataTypeSlice outputs) {
    TF_Status *s = dvt::ScratchStatus();
    TF_OpKernelConstruction_MatchSignature(ctx_, CTypes(inputs), static_cast<int>(inputs.size()),
                                           CTypes(outputs), static_cast<int>(outputs.size()), s);
    return dvt::TakeStatus(s);
  }

  DeviceType device_type() const {
    return DeviceType(dvt::Text(TF_OpKernelConstruction_GetDeviceType(ctx_)));
  }
  // What the device is before a step runs: its name, and the host's threads for later.
  DeviceBase *device() const;
  ResourceMgr *resource_manager() const;
  int graph_def_version() const { return TF_OpKernelConstruction_GetGraphDefVersion(ctx_); }
  Env *env() const { return nullptr; }

  // Memory that the kernel may keep.
  Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out) {
    return Tensor::BuildTensor(type, shape, out);
  }
  Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out, AllocatorAttributes) {
    return allocate_temp(type, shape, out);
  }

  TF_OpKernelConstruction *c_context() const { return ctx_; }

 private:
  DataType TypeOf(bool output, int i) const;
  static const TF_DataType *CTypes(DataTypeSlice types) {
    static_assert(sizeof(DataType) == sizeof(TF_DataType), "the enumerations have one layout");
    return reinterpret_cast<const TF_DataType *>(types.data());
  }
  template <class T, class F>
  T Checked(F function, int i) const {
    TF_Status *s = dvt::ScratchStatus();
    auto value = function(ctx_, i, s);
    Status status = dvt::TakeStatus(s);
    if (!status.ok()) dvt::Fail(status);
    return static_cast<T>(value);
  }
  template <class Vector, class Get>
  Vector All(int count, Get get) const {
    Vector all;
    for (int i = 0; i < count; ++i) all.push_back((this->*get)(i));
    return all;
  }

  TF_OpKernelConstruction *ctx_;
  Status status_;
  mutable TF_Buffer *def_ = nullptr;
  mutable std::shared_ptr<void> parsed_def_;
  mutable std::shared_ptr<void> device_;
  mutable std::shared_ptr<void> resource_manager_;
  friend struct OpKernelGlue;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_OP_KERNEL_CONSTRUCTION_H_
