// What sources read of the messages about nodes: TensorShapeProto, TensorProto, AttrValue, NameAttrList,
// NodeDef. Plain classes with the accessors that generated code has, parsed from and written to the wire
// format; there is no protobuf library behind them. Helpers on top are in node_def_util.h.
#ifndef DOVETAIL_CC_PROTO_H_
#define DOVETAIL_CC_PROTO_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/cc/types.h"
#include "dovetail/cc/wire.h"

DVT_CC_BEGIN

namespace tensorflow {

class AttrValue;

namespace dvt {

// A value on the heap that is copied with its owner, for messages that contain themselves.
template <typename T>
class Box {
 public:
  Box() = default;
  Box(const Box &other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
  Box(Box &&) noexcept = default;
  Box &operator=(Box other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  bool has() const { return value_ != nullptr; }
  void clear() { value_.reset(); }
  const T &get() const {
    static const T *const empty = new T();
    return value_ ? *value_ : *empty;
  }
  T *mut() {
    if (!value_) value_.reset(new T());
    return value_.get();
  }

 private:
  std::unique_ptr<T> value_;
};

// What every message offers, written by the messages' own Read and Write.
template <typename M>
class Message {
 public:
  bool ParseFromString(std::string_view bytes) {
    self() = M();
    return self().Read(bytes);
  }
  bool ParseFromArray(const void *data, int size) {
    return ParseFromString(std::string_view(static_cast<const char *>(data), static_cast<size_t>(size)));
  }
  std::string SerializeAsString() const {
    WireWriter writer;
    static_cast<const M *>(this)->Write(&writer);
    return writer.Take();
  }
  bool SerializeToString(std::string *out) const {
    *out = SerializeAsString();
    return true;
  }
  void Clear() { self() = M(); }
  void CopyFrom(const M &other) { self() = other; }
  void Swap(M *other) { std::swap(self(), *other); }
  size_t ByteSizeLong() const { return SerializeAsString().size(); }

 private:
  M &self() { return *static_cast<M *>(this); }
};

}  // namespace dvt

// A repeated field of generated code: name_size(), name(i), name(), add_name().
#define DVT_PROTO_REPEATED(type, name)                                      \
  int name##_size() const { return static_cast<int>(name##_.size()); }      \
  const type &name(int i) const { return name##_[static_cast<size_t>(i)]; } \
  const std::vector<type> &name() const { return name##_; }                 \
  std::vector<type> *mutable_##name() { return &name##_; }                  \
  type *mutable_##name(int i) { return &name##_[static_cast<size_t>(i)]; }  \
  type *add_##name() {                                                      \
    name##_.emplace_back();                                                 \
    return &name##_.back();                                                 \
  }                                                                         \
  void add_##name(type value) { name##_.push_back(std::move(value)); }      \
  void clear_##name() { name##_.clear(); }

#define DVT_PROTO_STRING(name)                                       \
  const std::string &name() const { return name##_; }                \
  void set_##name(std::string value) { name##_ = std::move(value); } \
  std::string *mutable_##name() { return &name##_; }

class TensorShapeProto : public dvt::Message<TensorShapeProto> {
 public:
  class Dim {
   public:
    int64_t size() const { return size_; }
    void set_size(int64_t size) { size_ = size; }
    DVT_PROTO_STRING(name)

   private:
    int64_t size_ = 0;
    std::string name_;
  };
  DVT_PROTO_REPEATED(Dim, dim)
  bool unknown_rank() const { return unknown_rank_; }
  void set_unknown_rank(bool unknown) { unknown_rank_ = unknown; }

  std::string DebugString() const {
    if (unknown_rank_) return "<unknown>";
    std::string text = "[";
    for (const Dim &dim : dim_) {
      if (text.size() > 1) text += ",";
      text += dim.size() < 0 ? "?" : std::to_string(dim.size());
    }
    return text + "]";
  }
  std::string ShortDebugString() const { return DebugString(); }

  bool Read(std::string_view bytes) {
    dvt::WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == 3) unknown_rank_ = reader.number() != 0;
      if (reader.field() != 2) continue;
      dvt::WireReader inner(reader.bytes());
      Dim *dim = add_dim();
      while (inner.Next()) {
        if (inner.field() == 1) dim->set_size(static_cast<int64_t>(inner.number()));
        if (inner.field() == 2) dim->set_name(inner.str());
      }
      if (!inner.ok()) return false;
    }
    return reader.ok();
  }
  void Write(dvt::WireWriter *writer) const {
    for (const Dim &dim : dim_) {
      dvt::WireWriter inner;
      if (dim.size() != 0) inner.Varint(1, static_cast<uint64_t>(dim.size()));
      if (!dim.name().empty()) inner.Bytes(2, dim.name());
      writer->Bytes(2, inner.Take());
    }
    if (unknown_rank_) writer->Varint(3, 1);
  }

 private:
  std::vector<Dim> dim_;
  bool unknown_rank_ = false;
};
using TensorShapeProto_Dim = TensorShapeProto::Dim;

// A tensor as an attribute holds it: its dtype, its shape, and its numbers either as they lie in memory
// (tensor_content) or one by one, the last of them repeated to the end.
class TensorProto : public dvt::Message<TensorProto> {
 public:
  DataType dtype() const { return dtype_; }
  void set_dtype(DataType dtype) { dtype_ = dtype; }
  const TensorShapeProto &tensor_shape() const { return tensor_shape_; }
  TensorShapeProto *mutable_tensor_shape() { return &tensor_shape_; }
  DVT_PROTO_STRING(tensor_content)
  DVT_PROTO_REPEATED(float, float_val)
  DVT_PROTO_REPEATED(double, double_val)
  DVT_PROTO_REPEATED(int32_t, int_val)
  DVT_PROTO_REPEATED(std::string, string_val)
  DVT_PROTO_REPEATED(int64_t, int64_val)
  DVT_PROTO_REPEATED(char, bool_val)
  DVT_PROTO_REPEATED(int32_t, half_val)

  bool Read(std::string_view bytes) {
    dvt::WireReader reader(bytes);
    while (reader.Next()) {
      switch (reader.field()) {
        case 1:
          dtype_ = static_cast<DataType>(reader.number());
          break;
        case 2:
          if (!tensor_shape_.Read(reader.bytes())) return false;
          break;
        case 4:
          tensor_content_ = reader.str();
          break;
        case 5:
          reader.Numbers(4, [this](dvt::WireReader &r) { add_float_val(r.float32()); });
          break;
        case 6:
          reader.Numbers(8, [this](dvt::WireReader &r) { add_double_val(r.float64()); });
          break;
        case 7:
          reader.Numbers(0, [this](dvt::WireReader &r) { add_int_val(static_cast<int32_t>(r.number())); });
          break;
        case 8:
          add_string_val(reader.str());
          break;
        case 10:
          reader.Numbers(0, [this](dvt::WireReader &r) { add_int64_val(static_cast<int64_t>(r.number())); });
          break;
        case 11:
          reader.Numbers(0, [this](dvt::WireReader &r) { add_bool_val(r.number() != 0); });
          break;
        case 13:
          reader.Numbers(0, [this](dvt::WireReader &r) { add_half_val(static_cast<int32_t>(r.number())); });
          break;
        default:
          break;
      }
    }
    return reader.ok();
  }
  void Write(dvt::WireWriter *writer) const {
    if (dtype_ != DT_INVALID) writer->Varint(1, static_cast<uint64_t>(dtype_));
    writer->Bytes(2, tensor_shape_.SerializeAsString());
    if (!tensor_content_.empty()) writer->Bytes(4, tensor_content_);
    for (float v : float_val_) writer->Float(5, v);
    for (int32_t v : int_val_) writer->Varint(7, static_cast<uint64_t>(static_cast<int64_t>(v)));
    for (const std::string &v : string_val_) writer->Bytes(8, v);
    for (int64_t v : int64_val_) writer->Varint(10, static_cast<uint64_t>(v));
    for (char v : bool_val_) writer->Varint(11, v ? 1 : 0);
    for (int32_t v : half_val_) writer->Varint(13, static_cast<uint64_t>(v));
  }

 private:
  DataType dtype_ = DT_INVALID;
  TensorShapeProto tensor_shape_;
  std::string tensor_content_;
  std::vector<float> float_val_;
  std::vector<double> double_val_;
  std::vector<int32_t> int_val_;
  std::vector<std::string> string_val_;
  std::vector<int64_t> int64_val_;
  std::vector<char> bool_val_;
  std::vector<int32_t> half_val_;
};

using AttrValueMap = std::map<std::string, AttrValue, std::less<>>;

// A function with attributes, as an attribute of kind func names it.
class NameAttrList : public dvt::Message<NameAttrList> {
 public:
  DVT_PROTO_STRING(name)
  inline const AttrValueMap &attr() const;
  inline AttrValueMap *mutable_attr();
  inline bool Read(std::string_view bytes);
  inline void Write(dvt::WireWriter *writer) const;

 private:
  std::string name_;
  dvt::Box<AttrValueMap> attr_;
};

class AttrValue_ListValue : public dvt::Message<AttrValue_ListValue> {
 public:
  DVT_PROTO_REPEATED(std::string, s)
  DVT_PROTO_REPEATED(int64_t, i)
  DVT_PROTO_REPEATED(float, f)
  int b_size() const { return static_cast<int>(b_.size()); }
  bool b(int i) const { return b_[static_cast<size_t>(i)] != 0; }
  void add_b(bool value) { b_.push_back(value); }
  int type_size() const { return static_cast<int>(type_.size()); }
  DataType type(int i) const { return type_[static_cast<size_t>(i)]; }
  const std::vector<DataType> &type() const { return type_; }
  void add_type(DataType type) { type_.push_back(type); }
  DVT_PROTO_REPEATED(TensorShapeProto, shape)
  DVT_PROTO_REPEATED(TensorProto, tensor)
  DVT_PROTO_REPEATED(NameAttrList, func)

  inline bool Read(std::string_view bytes);
  inline void Write(dvt::WireWriter *writer) const;

 private:
  std::vector<std::string> s_;
  std::vector<int64_t> i_;
  std::vector<float> f_;
  std::vector<char> b_;
  std::vector<DataType> type_;
  std::vector<TensorShapeProto> shape_;
  std::vector<TensorProto> tensor_;
  std::vector<NameAttrList> func_;
};

class AttrValue : public dvt::Message<AttrValue> {
 public:
  using ListValue = AttrValue_ListValue;
  enum ValueCase {
    VALUE_NOT_SET = 0,
    kList = 1,
    kS = 2,
    kI = 3,
    kF = 4,
    kB = 5,
    kType = 6,
    kShape = 7,
    kTensor = 8,
    kPlaceholder = 9,
    kFunc = 10,
  };
  ValueCase value_case() const { return case_; }
  bool has_list() const { return case_ == kList; }
  bool has_s() const { return case_ == kS; }
  bool has_i() const { return case_ == kI; }
  bool has_f() const { return case_ == kF; }
  bool has_b() const { return case_ == kB; }
  bool has_type() const { return case_ == kType; }
  bool has_shape() const { return case_ == kShape; }
  bool has_tensor() const { return case_ == kTensor; }
  bool has_placeholder() const { return case_ == kPlaceholder; }
  bool has_func() const { return case_ == kFunc; }

  const std::string &s() const { return text_; }
  const std::string &placeholder() const { return text_; }
  int64_t i() const { return case_ == kI ? number_ : 0; }
  bool b() const { return case_ == kB && number_ != 0; }
  DataType type() const { return case_ == kType ? static_cast<DataType>(number_) : DT_INVALID; }
  float f() const { return f_; }
  const ListValue &list() const { return list_.get(); }
  const TensorShapeProto &shape() const { return shape_.get(); }
  const TensorProto &tensor() const { return tensor_.get(); }
  const NameAttrList &func() const { return func_.get(); }

  void set_s(std::string value) { Become(kS)->text_ = std::move(value); }
  void set_i(int64_t value) { Become(kI)->number_ = value; }
  void set_b(bool value) { Become(kB)->number_ = value; }
  void set_f(float value) { Become(kF)->f_ = value; }
  void set_type(DataType value) { Become(kType)->number_ = static_cast<int64_t>(value); }
  ListValue *mutable_list() { return Become(kList)->list_.mut(); }
  TensorShapeProto *mutable_shape() { return Become(kShape)->shape_.mut(); }
  TensorProto *mutable_tensor() { return Become(kTensor)->tensor_.mut(); }
  NameAttrList *mutable_func() { return Become(kFunc)->func_.mut(); }

  inline bool Read(std::string_view bytes);
  inline void Write(dvt::WireWriter *writer) const;

 private:
  AttrValue *Become(ValueCase to) {
    if (case_ != to) {
      *this = AttrValue();
      case_ = to;
    }
    return this;
  }

  ValueCase case_ = VALUE_NOT_SET;
  int64_t number_ = 0;
  float f_ = 0;
  std::string text_;
  dvt::Box<ListValue> list_;
  dvt::Box<TensorShapeProto> shape_;
  dvt::Box<TensorProto> tensor_;
  dvt::Box<NameAttrList> func_;
};

namespace dvt {

// One entry of a map of attributes.
inline bool ReadAttrEntry(std::string_view bytes, AttrValueMap *attrs) {
  WireReader reader(bytes);
  std::string name;
  AttrValue value;
  while (reader.Next()) {
    if (reader.field() == 1) name = reader.str();
    if (reader.field() == 2 && !value.Read(reader.bytes())) return false;
  }
  (*attrs)[name] = std::move(value);
  return reader.ok();
}

inline void WriteAttrs(const AttrValueMap &attrs, int field, WireWriter *writer) {
  for (const auto &entry : attrs) {
    WireWriter inner;
    inner.Bytes(1, entry.first);
    inner.Bytes(2, entry.second.SerializeAsString());
    writer->Bytes(field, inner.Take());
  }
}

}  // namespace dvt

inline const AttrValueMap &NameAttrList::attr() const { return attr_.get(); }
inline AttrValueMap *NameAttrList::mutable_attr() { return attr_.mut(); }

inline bool NameAttrList::Read(std::string_view bytes) {
  dvt::WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) name_ = reader.str();
    if (reader.field() == 2 && !dvt::ReadAttrEntry(reader.bytes(), attr_.mut())) return false;
  }
  return reader.ok();
}

inline void NameAttrList::Write(dvt::WireWriter *writer) const {
  writer->Bytes(1, name_);
  dvt::WriteAttrs(attr(), 2, writer);
}

inline bool AttrValue_ListValue::Read(std::string_view bytes) {
  dvt::WireReader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 2:
        s_.push_back(reader.str());
        break;
      case 3:
        reader.Numbers(0, [this](dvt::WireReader &r) { i_.push_back(static_cast<int64_t>(r.number())); });
        break;
      case 4:
        reader.Numbers(4, [this](dvt::WireReader &r) { f_.push_back(r.float32()); });
        break;
      case 5:
        reader.Numbers(0, [this](dvt::WireReader &r) { b_.push_back(r.number() != 0); });
        break;
      case 6:
        reader.Numbers(0, [this](dvt::WireReader &r) { type_.push_back(static_cast<DataType>(r.number())); });
        break;
      case 7:
        if (!add_shape()->Read(reader.bytes())) return false;
        break;
      case 8:
        if (!add_tensor()->Read(reader.bytes())) return false;
        break;
      case 9:
        if (!add_func()->Read(reader.bytes())) return false;
        break;
      default:
        break;
    }
  }
  return reader.ok();
}

inline void AttrValue_ListValue::Write(dvt::WireWriter *writer) const {
  for (const std::string &v : s_) writer->Bytes(2, v);
  for (int64_t v : i_) writer->Varint(3, static_cast<uint64_t>(v));
  for (float v : f_) writer->Float(4, v);
  for (char v : b_) writer->Varint(5, v ? 1 : 0);
  for (DataType v : type_) writer->Varint(6, static_cast<uint64_t>(v));
  for (const TensorShapeProto &v : shape_) writer->Bytes(7, v.SerializeAsString());
  for (const TensorProto &v : tensor_) writer->Bytes(8, v.SerializeAsString());
  for (const NameAttrList &v : func_) writer->Bytes(9, v.SerializeAsString());
}

inline bool AttrValue::Read(std::string_view bytes) {
  dvt::WireReader reader(bytes);
  bool ok = true;
  while (ok && reader.Next()) {
    if (reader.field() < kList || reader.field() > kFunc) continue;
    Become(static_cast<ValueCase>(reader.field()));
    switch (case_) {
      case kList:
        ok = list_.mut()->Read(reader.bytes());
        break;
      case kS:
      case kPlaceholder:
        text_ = reader.str();
        break;
      case kF:
        f_ = reader.float32();
        break;
      case kShape:
        ok = shape_.mut()->Read(reader.bytes());
        break;
      case kTensor:
        ok = tensor_.mut()->Read(reader.bytes());
        break;
      case kFunc:
        ok = func_.mut()->Read(reader.bytes());
        break;
      default:
        number_ = static_cast<int64_t>(reader.number());
    }
  }
  return ok && reader.ok();
}

inline void AttrValue::Write(dvt::WireWriter *writer) const {
  switch (case_) {
    case VALUE_NOT_SET:
      break;
    case kList:
      writer->Bytes(kList, list().SerializeAsString());
      break;
    case kS:
    case kPlaceholder:
      writer->Bytes(case_, text_);
      break;
    case kF:
      writer->Float(kF, f_);
      break;
    case kShape:
      writer->Bytes(kShape, shape().SerializeAsString());
      break;
    case kTensor:
      writer->Bytes(kTensor, tensor().SerializeAsString());
      break;
    case kFunc:
      writer->Bytes(kFunc, func().SerializeAsString());
      break;
    default:
      writer->Varint(case_, static_cast<uint64_t>(number_));
  }
}

class NodeDef : public dvt::Message<NodeDef> {
 public:
  DVT_PROTO_STRING(name)
  DVT_PROTO_STRING(op)
  DVT_PROTO_REPEATED(std::string, input)
  DVT_PROTO_STRING(device)
  const AttrValueMap &attr() const { return attr_; }
  AttrValueMap *mutable_attr() { return &attr_; }

  bool Read(std::string_view bytes) {
    dvt::WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == 1) name_ = reader.str();
      if (reader.field() == 2) op_ = reader.str();
      if (reader.field() == 3) add_input(reader.str());
      if (reader.field() == 4) device_ = reader.str();
      if (reader.field() == 5 && !dvt::ReadAttrEntry(reader.bytes(), &attr_)) return false;
    }
    return reader.ok();
  }
  void Write(dvt::WireWriter *writer) const {
    writer->Bytes(1, name_);
    writer->Bytes(2, op_);
    for (const std::string &input : input_) writer->Bytes(3, input);
    if (!device_.empty()) writer->Bytes(4, device_);
    dvt::WriteAttrs(attr_, 5, writer);
  }

 private:
  std::string name_;
  std::string op_;
  std::vector<std::string> input_;
  std::string device_;
  AttrValueMap attr_;
};

// What a type constructor is given, which no C ABI calls.
class OpDef {
 public:
  DVT_PROTO_STRING(name)

 private:
  std::string name_;
};

#undef DVT_PROTO_REPEATED
#undef DVT_PROTO_STRING

}  // namespace tensorflow

DVT_CC_END

#endif  // DOVETAIL_CC_PROTO_H_
