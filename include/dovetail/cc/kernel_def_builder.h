// KernelDefBuilder: for which nodes a kernel is, as Name("Op").Device(...).TypeConstraint<T>(...) says it.
#ifndef DOVETAIL_CC_KERNEL_DEF_BUILDER_H_
#define DOVETAIL_CC_KERNEL_DEF_BUILDER_H_

#include <string>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/span.h"
#include "dovetail/cc/types.h"

DVT_CC_BEGIN
namespace tensorflow {

class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(const char *op_name) : op_(op_name) {}

  KernelDefBuilder &Device(const char *device_type) {
    device_ = device_type;
    return *this;
  }
  KernelDefBuilder &TypeConstraint(const char *attr, gtl::ArraySlice<DataType> allowed) {
    types_.push_back({attr, std::vector<DataType>(allowed.begin(), allowed.end())});
    return *this;
  }
  KernelDefBuilder &TypeConstraint(const char *attr, std::initializer_list<DataType> allowed) {
    return TypeConstraint(attr, gtl::ArraySlice<DataType>(allowed));
  }
  KernelDefBuilder &TypeConstraint(const char *attr, DataType allowed) {
    return TypeConstraint(attr, gtl::ArraySlice<DataType>(&allowed, 1));
  }
  template <class T>
  KernelDefBuilder &TypeConstraint(const char *attr) {
    return TypeConstraint(attr, DataTypeToEnum<T>::v());
  }
  template <class T>
  KernelDefBuilder &AttrConstraint(const char *attr, gtl::ArraySlice<T> allowed) {
    string list;
    for (const T &value : allowed) AppendListValue(&list, value);
    others_.push_back({attr, list});
    return *this;
  }
  template <class T>
  KernelDefBuilder &AttrConstraint(const char *attr, T allowed) {
    return AttrConstraint(attr, gtl::ArraySlice<T>(&allowed, 1));
  }
  KernelDefBuilder &HostMemory(const char *arg) {
    host_memory_.push_back(arg);
    return *this;
  }
  KernelDefBuilder &Label(const char *label) {
    label_ = label;
    return *this;
  }
  KernelDefBuilder &Priority(int32 priority) {
    priority_ = priority;
    return *this;
  }

  struct TypeList {
    string attr;
    std::vector<DataType> allowed;
  };
  const string &op() const { return op_; }
  const string &device() const { return device_; }
  const std::vector<TypeList> &types() const { return types_; }
  const std::vector<string> &host_memory() const { return host_memory_; }
  const string &label() const { return label_; }
  int32 priority() const { return priority_; }

  // Whether the plain functions of the C interface can say it: one type for each attribute.
  bool IsPlain() const {
    for (const TypeList &list : types_) {
      if (list.allowed.size() != 1) return false;
    }
    return others_.empty();
  }

  // A serialised KernelDef without a zero byte, for it travels as a C string.
  string Serialized() const {
    string out;
    AppendText(&out, 1, op_);
    AppendText(&out, 2, device_);
    for (const TypeList &list : types_) {
      string values;
      for (DataType type : list.allowed) AppendNumber(&values, 6, static_cast<uint64>(type));
      AppendConstraint(&out, list.attr, values);
    }
    for (const AttrList &list : others_) AppendConstraint(&out, list.attr, list.values);
    for (const string &arg : host_memory_) AppendText(&out, 4, arg);
    if (!label_.empty()) AppendText(&out, 5, label_);
    if (priority_ != 0) AppendNumber(&out, 6, static_cast<uint64>(static_cast<int64>(priority_)));
    return out;
  }

 private:
  struct AttrList {
    string attr;
    string values;  // the fields of an AttrValue.ListValue
  };

  static void AppendVarint(string *out, uint64 value) {
    // Zero is written long, its last byte overflowing 64 bits, so that no byte is zero.
    if (value == 0) {
      out->append(9, '\x80');
      out->push_back('\x02');
      return;
    }
    for (; value >= 128; value >>= 7) out->push_back(static_cast<char>((value & 127) | 128));
    out->push_back(static_cast<char>(value));
  }
  static void AppendNumber(string *out, int field, uint64 value) {
    AppendVarint(out, static_cast<uint64>(field) << 3);
    AppendVarint(out, value);
  }
  static void AppendText(string *out, int field, const string &text) {
    AppendVarint(out, (static_cast<uint64>(field) << 3) | 2);
    // An empty text has the length zero; leaving it out means the same.
    if (text.empty()) {
      out->pop_back();
      return;
    }
    AppendVarint(out, text.size());
    out->append(text);
  }
  static void AppendConstraint(string *out, const string &attr, const string &list_values) {
    string value, constraint;
    AppendText(&value, 1, list_values);
    AppendText(&constraint, 1, attr);
    AppendText(&constraint, 2, value);
    AppendText(out, 3, constraint);
  }
  static void AppendListValue(string *out, const string &v) { AppendText(out, 2, v); }
  static void AppendListValue(string *out, const char *v) { AppendText(out, 2, v); }
  static void AppendListValue(string *out, bool v) { AppendNumber(out, 5, v ? 1 : 0); }
  static void AppendListValue(string *out, DataType v) { AppendNumber(out, 6, static_cast<uint64>(v)); }
  template <class T>
  static void AppendListValue(string *out, T v) {
    AppendNumber(out, 3, static_cast<uint64>(static_cast<int64>(v)));
  }

  string op_;
  string device_;
  std::vector<TypeList> types_;
  std::vector<AttrList> others_;
  std::vector<string> host_memory_;
  string label_;
  int32 priority_ = 0;
};

namespace register_kernel {
typedef KernelDefBuilder Name;
}  // namespace register_kernel

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_KERNEL_DEF_BUILDER_H_
