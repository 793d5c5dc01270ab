// Variant: a value of any copyable type, as an element of a tensor of dtype variant.
//
// A type may bring TypeName(), DebugString(), Encode(VariantTensorData*) and Decode(VariantTensorData); plain
// bytes and Tensors need none of them.
#ifndef DOVETAIL_CC_VARIANT_H_
#define DOVETAIL_CC_VARIANT_H_

#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "dovetail/cc/type_index.h"
#include "dovetail/cc/variant_tensor_data.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

// Whether the expression that Member makes of a T is well formed.
template <template <class> class Member, class T, class = void>
struct Offers : std::false_type {};
template <template <class> class Member, class T>
struct Offers<Member, T, std::void_t<Member<T>>> : std::true_type {};

template <class T>
using TypeNameOf = decltype(std::string(std::declval<const T &>().TypeName()));
template <class T>
using DebugStringOf = decltype(std::string(std::declval<const T &>().DebugString()));
template <class T>
using EncodeOf = decltype(std::declval<const T &>().Encode(std::declval<VariantTensorData *>()));
template <class T>
using DecodeOf = decltype(static_cast<bool>(std::declval<T &>().Decode(std::declval<VariantTensorData>())));
template <class T>
using StreamOf = decltype(std::declval<std::ostream &>() << std::declval<const T &>());

}  // namespace dvt

template <class T>
std::string TypeNameVariant(const T &value) {
  if constexpr (dvt::Offers<dvt::TypeNameOf, T>::value) {
    return value.TypeName();
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return "tensorflow::Tensor";
  } else {
    return TypeIndex::Make<T>().name();
  }
}

template <class T>
std::string DebugStringVariant(const T &value) {
  if constexpr (dvt::Offers<dvt::DebugStringOf, T>::value) {
    return value.DebugString();
  } else if constexpr (dvt::Offers<dvt::StreamOf, T>::value) {
    return strings::StrCat(value);
  } else {
    return "?";
  }
}

template <class T>
void EncodeVariant(const T &value, VariantTensorData *data) {
  if constexpr (dvt::Offers<dvt::EncodeOf, T>::value) {
    value.Encode(data);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    data->tensors_.assign(1, value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    data->set_metadata(value);
  }
  data->set_type_name(TypeNameVariant(value));
}

template <class T>
bool DecodeVariant(VariantTensorData *data, T *value) {
  if constexpr (dvt::Offers<dvt::DecodeOf, T>::value) {
    return value->Decode(std::move(*data));
  } else if constexpr (std::is_same_v<T, Tensor>) {
    if (data->tensors_size() != 1) return false;
    *value = data->tensors(0);
    return true;
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    return data->get_metadata(value);
  } else {
    return false;
  }
}

class Variant {
 public:
  Variant() noexcept = default;
  Variant(const Variant &other) : value_(other.value_ ? other.value_->Clone() : nullptr) {}
  Variant(Variant &&other) noexcept = default;
  template <class T, class V = std::decay_t<T>,
            class = std::enable_if_t<!std::is_same_v<Variant, V> && std::is_move_constructible_v<V>>>
  Variant(T &&value) : value_(new Holder<V>(std::forward<T>(value))) {}
  Variant &operator=(const Variant &other) {
    if (this != &other) *this = Variant(other);
    return *this;
  }
  Variant &operator=(Variant &&other) noexcept = default;
  template <class T, class V = std::decay_t<T>,
            class = std::enable_if_t<!std::is_same_v<Variant, V> && std::is_move_constructible_v<V>>>
  Variant &operator=(T &&value) {
    value_.reset(new Holder<V>(std::forward<T>(value)));
    return *this;
  }
  template <class T, class... Args>
  T &emplace(Args &&...args) {
    auto holder = std::make_unique<Holder<T>>(std::forward<Args>(args)...);
    T &value = holder->value;
    value_ = std::move(holder);
    return value;
  }

  bool is_empty() const { return value_ == nullptr; }
  void clear() noexcept { value_.reset(); }
  void swap(Variant &other) noexcept { value_.swap(other.value_); }
  TypeIndex TypeId() const { return value_ ? value_->TypeId() : TypeIndex::Make<void>(); }
  std::string TypeName() const { return value_ ? value_->TypeName() : ""; }
  std::string SummarizeValue() const { return value_ ? value_->DebugString() : "[empty]"; }
  std::string DebugString() const {
    return strings::StrCat("Variant<type: ", TypeName(), " value: ", SummarizeValue(), ">");
  }

  // NULL when it holds another type.
  template <class T>
  T *get() {
    return value_ && value_->TypeId() == TypeIndex::Make<T>() ? &static_cast<Holder<T> *>(value_.get())->value
                                                              : nullptr;
  }
  template <class T>
  const T *get() const {
    return const_cast<Variant *>(this)->get<T>();
  }

  void Encode(VariantTensorData *data) const {
    if (value_) value_->Encode(data);
  }
  // Into the type that it holds.
  bool Decode(VariantTensorData data) { return value_ ? value_->Decode(&data) : true; }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> Clone() const = 0;
    virtual TypeIndex TypeId() const = 0;
    virtual std::string TypeName() const = 0;
    virtual std::string DebugString() const = 0;
    virtual void Encode(VariantTensorData *data) const = 0;
    virtual bool Decode(VariantTensorData *data) = 0;
  };
  template <class T>
  struct Holder final : Base {
    template <class... Args>
    explicit Holder(Args &&...args) : value(std::forward<Args>(args)...) {}
    std::unique_ptr<Base> Clone() const final { return std::make_unique<Holder>(value); }
    TypeIndex TypeId() const final { return TypeIndex::Make<T>(); }
    std::string TypeName() const final { return TypeNameVariant(value); }
    std::string DebugString() const final { return DebugStringVariant(value); }
    void Encode(VariantTensorData *data) const final { EncodeVariant(value, data); }
    bool Decode(VariantTensorData *data) final { return DecodeVariant(data, &value); }
    T value;
  };

  std::unique_ptr<Base> value_;
};

}  // namespace tensorflow
DVT_CC_END

#include "dovetail/cc/object_elements.h"

#endif  // DOVETAIL_CC_VARIANT_H_
