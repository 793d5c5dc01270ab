// Attributes as C++ values: AttrSlice, GetNodeAttr, TryGetNodeAttr, AddNodeAttr over the messages of proto.h.
// dvt::AttrTo turns one AttrValue into a value; contexts of kernels and of shape functions use it, too.
#ifndef DOVETAIL_CC_NODE_DEF_UTIL_H_
#define DOVETAIL_CC_NODE_DEF_UTIL_H_

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dovetail/cc/padding.h"
#include "dovetail/cc/proto.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/tensor_shape.h"
#include "dovetail/cc/tstring.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/cc/types.h"
#include "tensorflow/c/kernels.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

// The kind of an attribute as op definitions spell it.
inline std::string AttrKind(const AttrValue &value) {
  static const char *const kinds[] = {"any",  "list",  "string", "int",         "float", "bool",
                                      "type", "shape", "tensor", "placeholder", "func"};
  if (!value.has_list()) return kinds[value.value_case()];
  const AttrValue::ListValue &list = value.list();
  const char *of = list.s_size()        ? "string"
                   : list.i_size()      ? "int"
                   : list.f_size()      ? "float"
                   : list.b_size()      ? "bool"
                   : list.type_size()   ? "type"
                   : list.shape_size()  ? "shape"
                   : list.tensor_size() ? "tensor"
                   : list.func_size()   ? "func"
                                        : nullptr;
  return of == nullptr ? "list" : strings::StrCat("list(", of, ")");
}

inline Status CheckAttrKind(const AttrValue &value, AttrValue::ValueCase wanted, const char *kind) {
  if (value.value_case() == wanted) return Status();
  return errors::InvalidArgument("AttrValue had value with type '", AttrKind(value), "' when '", kind,
                                 "' expected");
}

inline Status ShapeFromProto(const TensorShapeProto &proto, PartialTensorShape *out) {
  if (proto.unknown_rank()) {
    *out = PartialTensorShape();
    return Status();
  }
  std::vector<int64_t> sizes;
  for (const TensorShapeProto::Dim &dim : proto.dim()) sizes.push_back(dim.size());
  return TensorShapeUtils::MakeShape(sizes, out);
}

inline Status ShapeFromProto(const TensorShapeProto &proto, TensorShape *out) {
  std::vector<int64_t> sizes;
  for (const TensorShapeProto::Dim &dim : proto.dim()) sizes.push_back(dim.size());
  if (proto.unknown_rank())
    return errors::InvalidArgument("Shape of unknown rank where a known one is expected");
  return TensorShapeUtils::MakeShape(sizes, out);
}

// Numbers that a TensorProto lists one by one: the last is repeated to the end.
template <class T, class List>
void FillFromList(const List &list, Tensor *out) {
  T *to = out->flat<T>().data();
  const int64_t count = out->NumElements();
  for (int64_t i = 0; i < count; ++i) {
    const size_t at = static_cast<size_t>(i) < list.size() ? static_cast<size_t>(i) : list.size() - 1;
    to[i] = list.empty() ? T() : static_cast<T>(list[at]);
  }
}

inline Status TensorFromProto(const TensorProto &proto, Tensor *out) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(ShapeFromProto(proto.tensor_shape(), &shape));
  Tensor tensor(proto.dtype(), shape);
  const std::string &content = proto.tensor_content();
  if (!content.empty() && DataTypeCanUseMemcpy(proto.dtype())) {
    if (content.size() != tensor.TotalBytes()) {
      return errors::InvalidArgument("Tensor attribute of ", content.size(),
                                     " bytes where shape and type take ", tensor.TotalBytes());
    }
    std::memcpy(const_cast<char *>(tensor.tensor_data().data()), content.data(), content.size());
    *out = std::move(tensor);
    return Status();
  }
  switch (proto.dtype()) {
    case DT_FLOAT:
      FillFromList<float>(proto.float_val(), &tensor);
      break;
    case DT_DOUBLE:
      FillFromList<double>(proto.double_val(), &tensor);
      break;
    case DT_INT32:
      FillFromList<int32>(proto.int_val(), &tensor);
      break;
    case DT_INT16:
      FillFromList<int16>(proto.int_val(), &tensor);
      break;
    case DT_INT8:
      FillFromList<int8>(proto.int_val(), &tensor);
      break;
    case DT_UINT8:
      FillFromList<uint8>(proto.int_val(), &tensor);
      break;
    case DT_UINT16:
      FillFromList<uint16>(proto.int_val(), &tensor);
      break;
    case DT_INT64:
      FillFromList<int64>(proto.int64_val(), &tensor);
      break;
    case DT_BOOL:
      FillFromList<bool>(proto.bool_val(), &tensor);
      break;
    case DT_STRING:
      FillFromList<tstring>(proto.string_val(), &tensor);
      break;
    default:
      return errors::Unimplemented("Tensor attribute of type ", DataTypeString(proto.dtype()),
                                   " without content");
  }
  *out = std::move(tensor);
  return Status();
}

// ---- one value ----

inline Status AttrTo(const AttrValue &attr, StringPiece, std::string *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kS, "string"));
  *value = attr.s();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, tstring *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kS, "string"));
  *value = attr.s();
  return Status();
}
inline Status Narrow(int64_t wide, StringPiece name, int32_t *value) {
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return errors::InvalidArgument("Attr ", name, " has value ", wide, " out of range for an int32");
  }
  *value = static_cast<int32_t>(wide);
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece name, int32_t *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kI, "int"));
  return Narrow(attr.i(), name, value);
}
inline Status AttrTo(const AttrValue &attr, StringPiece, int64_t *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kI, "int"));
  *value = attr.i();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, long long *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kI, "int"));
  *value = attr.i();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, float *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kF, "float"));
  *value = attr.f();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, bool *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kB, "bool"));
  *value = attr.b();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, DataType *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kType, "type"));
  *value = attr.type();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, TensorShapeProto *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kShape, "shape"));
  *value = attr.shape();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, TensorShape *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kShape, "shape"));
  return ShapeFromProto(attr.shape(), value);
}
inline Status AttrTo(const AttrValue &attr, StringPiece, PartialTensorShape *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kShape, "shape"));
  return ShapeFromProto(attr.shape(), value);
}
inline Status AttrTo(const AttrValue &attr, StringPiece, Tensor *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kTensor, "tensor"));
  return TensorFromProto(attr.tensor(), value);
}
inline Status AttrTo(const AttrValue &attr, StringPiece, const TensorProto **value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kTensor, "tensor"));
  *value = &attr.tensor();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, NameAttrList *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kFunc, "func"));
  *value = attr.func();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, const NameAttrList **value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kFunc, "func"));
  *value = &attr.func();
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, AttrValue *value) {
  *value = attr;
  return Status();
}
inline Status AttrTo(const AttrValue &attr, StringPiece, Padding *value) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kS, "string"));
  return GetPaddingFromString(attr.s(), value);
}

// ---- lists ----

// Fills any container with push_back; `list` must hold elements of the kind, or nothing.
template <class Out, class In, class Convert>
Status AttrListTo(const AttrValue &attr, const char *kind, const In &in, Out *out, Convert convert) {
  TF_RETURN_IF_ERROR(CheckAttrKind(attr, AttrValue::kList, kind));
  const std::string actual = AttrKind(attr);
  if (in.empty() && actual != "list") {
    return errors::InvalidArgument("AttrValue had value with type '", actual, "' when '", kind, "' expected");
  }
  out->clear();
  for (const auto &element : in) {
    typename Out::value_type value{};
    TF_RETURN_IF_ERROR(convert(element, &value));
    out->push_back(std::move(value));
  }
  return Status();
}

struct AssignAttr {
  template <class In, class Out>
  Status operator()(const In &in, Out *out) const {
    *out = static_cast<Out>(in);
    return Status();
  }
};

inline std::vector<bool> BoolList(const AttrValue &attr) {
  std::vector<bool> list;
  for (int i = 0; i < attr.list().b_size(); ++i) list.push_back(attr.list().b(i));
  return list;
}

template <class List, class T = typename List::value_type,
          class = decltype(std::declval<List &>().push_back(T()))>
Status AttrTo(const AttrValue &attr, StringPiece name, List *value) {
  const AttrValue::ListValue &list = attr.list();
  if constexpr (std::is_same_v<T, bool>) {
    return AttrListTo(attr, "list(bool)", BoolList(attr), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, tstring>) {
    return AttrListTo(attr, "list(string)", list.s(), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return AttrListTo(attr, "list(int)", list.i(), value,
                      [name](int64_t wide, int32_t *to) { return Narrow(wide, name, to); });
  } else if constexpr (std::is_integral_v<T>) {
    return AttrListTo(attr, "list(int)", list.i(), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, float>) {
    return AttrListTo(attr, "list(float)", list.f(), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, DataType>) {
    return AttrListTo(attr, "list(type)", list.type(), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, TensorShapeProto>) {
    return AttrListTo(attr, "list(shape)", list.shape(), value, AssignAttr());
  } else if constexpr (std::is_same_v<T, TensorShape> || std::is_same_v<T, PartialTensorShape>) {
    return AttrListTo(attr, "list(shape)", list.shape(), value,
                      [](const TensorShapeProto &proto, T *to) { return ShapeFromProto(proto, to); });
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return AttrListTo(attr, "list(tensor)", list.tensor(), value,
                      [](const TensorProto &proto, T *to) { return TensorFromProto(proto, to); });
  } else {
    static_assert(std::is_same_v<T, NameAttrList>, "no attribute has elements of this type");
    return AttrListTo(attr, "list(func)", list.func(), value, AssignAttr());
  }
}

}  // namespace dvt

// The attributes of a node, which must outlive it.
class AttrSlice {
 public:
  AttrSlice(const NodeDef &node_def) : node_(node_def.name()), attrs_(&node_def.attr()) {}
  AttrSlice() : attrs_(Empty()) {}
  explicit AttrSlice(const AttrValueMap *attrs) : attrs_(attrs == nullptr ? Empty() : attrs) {}

  int size() const { return static_cast<int>(attrs_->size()); }
  const AttrValue *Find(StringPiece name) const {
    const auto found = attrs_->find(name);
    return found == attrs_->end() ? nullptr : &found->second;
  }
  const AttrValue *FindByString(const std::string &name) const { return Find(name); }
  Status Find(StringPiece name, const AttrValue **value) const {
    *value = Find(name);
    if (*value != nullptr) return Status();
    return errors::NotFound("No attr named '", name, "' in NodeDef", node_.empty() ? "" : ": ", node_);
  }
  AttrValueMap::const_iterator begin() const { return attrs_->begin(); }
  AttrValueMap::const_iterator end() const { return attrs_->end(); }

 private:
  static const AttrValueMap *Empty() {
    static const AttrValueMap *const empty = new AttrValueMap();
    return empty;
  }

  std::string node_;
  const AttrValueMap *attrs_;
};

template <class T>
Status GetNodeAttr(const AttrSlice &attrs, StringPiece name, T *value) {
  const AttrValue *attr = nullptr;
  TF_RETURN_IF_ERROR(attrs.Find(name, &attr));
  return dvt::AttrTo(*attr, name, value);
}

template <class T>
bool TryGetNodeAttr(const AttrSlice &attrs, StringPiece name, T *value) {
  const AttrValue *attr = attrs.Find(name);
  return attr != nullptr && dvt::AttrTo(*attr, name, value).ok();
}

inline const std::string &GetNodeAttrString(const AttrSlice &attrs, StringPiece name) {
  static const std::string empty;
  const AttrValue *attr = attrs.Find(name);
  return attr != nullptr && attr->has_s() ? attr->s() : empty;
}

inline bool HasNodeAttr(const NodeDef &node_def, StringPiece name) {
  return AttrSlice(node_def).Find(name) != nullptr;
}

// ---- what a kernel's constructor reads, beside the kinds that the C interface has ----

// From the node itself, which every host shows.
inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, AttrValue *value) {
  TF_Buffer *buffer = TF_OpKernelConstruction_GetNodeDef(ctx, dvt::ScratchStatus());
  TF_RETURN_IF_ERROR(dvt::TakeStatus(dvt::ScratchStatus()));
  NodeDef node;
  const bool ok = node.ParseFromString(StringPiece(static_cast<const char *>(buffer->data), buffer->length));
  TF_DeleteBuffer(buffer);
  if (!ok) return errors::Internal("The node is malformed");
  return GetNodeAttr(node, name, value);
}

#define DVT_CC_READ_ATTR(Type)                                                               \
  inline Status ReadAttr(TF_OpKernelConstruction *ctx, const char *name, Type *value) {      \
    AttrValue attr;                                                                          \
    TF_RETURN_IF_ERROR(ReadAttr(ctx, name, &attr));                                          \
    return dvt::AttrTo(attr, name, value);                                                   \
  }
DVT_CC_READ_ATTR(Padding)
DVT_CC_READ_ATTR(NameAttrList)
DVT_CC_READ_ATTR(std::vector<NameAttrList>)
DVT_CC_READ_ATTR(TensorShapeProto)
DVT_CC_READ_ATTR(std::vector<TensorShapeProto>)
#undef DVT_CC_READ_ATTR

// ---- writing ----

inline void SetAttrValue(const AttrValue &value, AttrValue *out) { *out = value; }
inline void SetAttrValue(const std::string &value, AttrValue *out) { out->set_s(value); }
inline void SetAttrValue(StringPiece value, AttrValue *out) { out->set_s(std::string(value)); }
inline void SetAttrValue(const char *value, AttrValue *out) { out->set_s(value); }
inline void SetAttrValue(int32_t value, AttrValue *out) { out->set_i(value); }
inline void SetAttrValue(int64_t value, AttrValue *out) { out->set_i(value); }
inline void SetAttrValue(float value, AttrValue *out) { out->set_f(value); }
inline void SetAttrValue(double value, AttrValue *out) { out->set_f(static_cast<float>(value)); }
inline void SetAttrValue(bool value, AttrValue *out) { out->set_b(value); }
inline void SetAttrValue(DataType value, AttrValue *out) { out->set_type(value); }
inline void SetAttrValue(const NameAttrList &value, AttrValue *out) { *out->mutable_func() = value; }
inline void SetAttrValue(const PartialTensorShape &value, AttrValue *out) {
  TensorShapeProto *proto = out->mutable_shape();
  proto->Clear();
  proto->set_unknown_rank(value.dims() < 0);
  for (int i = 0; i < value.dims(); ++i) proto->add_dim()->set_size(value.dim_size(i));
}

template <class T>
void AddNodeAttr(StringPiece name, const T &value, NodeDef *node_def) {
  SetAttrValue(value, &(*node_def->mutable_attr())[std::string(name)]);
}

// A node as messages name it.
inline std::string FormatNodeDefForError(const NodeDef &node_def) {
  return errors::FormatNodeNameForError(node_def.name());
}
inline std::string SummarizeNodeDef(const NodeDef &node_def, int = -1) {
  return strings::StrCat(FormatNodeDefForError(node_def), " = ", node_def.op());
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_NODE_DEF_UTIL_H_
