// VariantTensorData: what a value in a Variant is taken apart into to be kept or sent: a name, bytes and
// tensors.
#ifndef DOVETAIL_CC_VARIANT_TENSOR_DATA_H_
#define DOVETAIL_CC_VARIANT_TENSOR_DATA_H_

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dovetail/cc/tensor.h"

DVT_CC_BEGIN
namespace tensorflow {

class VariantTensorData {
 public:
  const std::string &type_name() const { return type_name_; }
  void set_type_name(const std::string &type_name) { type_name_ = type_name; }

  // A string, or a value that is its bytes.
  template <class T>
  void set_metadata(const T &value) {
    if constexpr (std::is_same_v<T, std::string>) {
      metadata_ = value;
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "metadata is a string or plain bytes");
      metadata_.assign(reinterpret_cast<const char *>(&value), sizeof value);
    }
  }
  template <class T>
  bool get_metadata(T *value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      *value = metadata_;
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "metadata is a string or plain bytes");
      if (metadata_.size() != sizeof *value) return false;
      std::memcpy(value, metadata_.data(), sizeof *value);
    }
    return true;
  }
  std::string &metadata_string() { return metadata_; }
  const std::string &metadata_string() const { return metadata_; }

  int tensors_size() const { return static_cast<int>(tensors_.size()); }
  const Tensor &tensors(int i) const { return tensors_[static_cast<size_t>(i)]; }
  const std::vector<Tensor> &tensors() const { return tensors_; }
  Tensor *add_tensors() {
    tensors_.emplace_back();
    return &tensors_.back();
  }
  template <class... Args>
  Tensor *add_tensor(Args &&...args) {
    tensors_.emplace_back(std::forward<Args>(args)...);
    return &tensors_.back();
  }

  std::string DebugString() const {
    std::string text = strings::StrCat("type_name: ", type_name_, " metadata bytes: ", metadata_.size());
    for (const Tensor &tensor : tensors_) text += " tensor: " + tensor.DebugString();
    return text;
  }

  std::string type_name_;
  std::string metadata_;
  std::vector<Tensor> tensors_;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_VARIANT_TENSOR_DATA_H_
