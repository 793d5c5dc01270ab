// TypeIndex: a C++ type as a value, for objects that are looked up by type. It holds within one plugin.
#ifndef DOVETAIL_CC_TYPE_INDEX_H_
#define DOVETAIL_CC_TYPE_INDEX_H_

#include <cstdint>
#include <functional>
#include <string>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {

class TypeIndex {
 public:
  TypeIndex(const TypeIndex &) = default;
  TypeIndex &operator=(const TypeIndex &) = default;

  template <class T>
  static TypeIndex Make() {
    static const std::string name = NameIn(__PRETTY_FUNCTION__);
    return TypeIndex(std::hash<std::string>()(name), name.c_str());
  }
  bool operator==(const TypeIndex &other) const { return hash_ == other.hash_; }
  bool operator!=(const TypeIndex &other) const { return hash_ != other.hash_; }
  uint64_t hash_code() const { return hash_; }
  const char *name() const { return name_; }

 private:
  TypeIndex(uint64_t hash, const char *name) : hash_(hash), name_(name) {}

  // The compiler writes the function with its argument: "... Make() [with T = Type]", "... [T = Type]".
  static std::string NameIn(const std::string &function) {
    const size_t start = function.find("T = ");
    if (start == std::string::npos) return function;
    return function.substr(start + 4, function.rfind(']') - start - 4);
  }

  uint64_t hash_;
  const char *name_;
};

template <class T>
TypeIndex MakeTypeIndex() {
  return TypeIndex::Make<T>();
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TYPE_INDEX_H_
