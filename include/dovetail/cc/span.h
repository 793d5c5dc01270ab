// Views of arrays and short vectors: gtl::ArraySlice, gtl::MutableArraySlice, gtl::InlinedVector.
//
// They convert from and to every container with data() and size(), those of Abseil included, and need none of
// it.
#ifndef DOVETAIL_CC_SPAN_H_
#define DOVETAIL_CC_SPAN_H_

#include <algorithm>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace gtl {

// `size` elements that somebody else owns. Span<const T> also views a braced list, for the length of one
// call.
template <class T>
class Span {
 public:
  using value_type = std::remove_cv_t<T>;
  using element_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using const_pointer = const T *;
  using reference = T &;
  using const_reference = const T &;
  using iterator = T *;
  using const_iterator = const T *;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr size_type npos = static_cast<size_type>(-1);

  constexpr Span() = default;
  constexpr Span(T *data, size_type size) : data_(data), size_(size) {}
  template <size_type N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  template <class C,
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *> &&
                                     std::is_convertible_v<decltype(std::declval<C &>().size()), size_type> &&
                                     !std::is_same_v<std::remove_cv_t<C>, Span>>>
  constexpr Span(C &c) : data_(c.data()), size_(c.size()) {}
  template <class C, class U = T,
            class = std::enable_if_t<std::is_const_v<U> &&
                                     std::is_convertible_v<decltype(std::declval<const C &>().data()), T *> &&
                                     !std::is_same_v<C, Span>>>
  constexpr Span(const C &c) : data_(c.data()), size_(c.size()) {}
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<value_type> list) : data_(list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop
  // MutableArraySlice from a pointer to a container, as gtl takes it.
  template <class C,
            class = std::enable_if_t<!std::is_const_v<T> &&
                                     std::is_convertible_v<decltype(std::declval<C *>()->data()), T *>>>
  constexpr Span(C *c) : data_(c->data()), size_(c->size()) {}

  constexpr T *data() const { return data_; }
  constexpr size_type size() const { return size_; }
  constexpr size_type length() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T &operator[](size_type i) const { return data_[i]; }
  constexpr T &at(size_type i) const { return data_[i]; }
  constexpr T &front() const { return data_[0]; }
  constexpr T &back() const { return data_[size_ - 1]; }
  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr const_iterator cbegin() const { return data_; }
  constexpr const_iterator cend() const { return data_ + size_; }
  constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
  constexpr void remove_prefix(size_type n) { data_ += n, size_ -= n; }
  constexpr void remove_suffix(size_type n) { size_ -= n; }
  constexpr Span subspan(size_type pos, size_type n = npos) const {
    pos = std::min(pos, size_);
    return Span(data_ + pos, std::min(n, size_ - pos));
  }
  constexpr Span first(size_type n) const { return subspan(0, n); }
  constexpr Span last(size_type n) const { return subspan(size_ - std::min(n, size_)); }

 private:
  T *data_ = nullptr;
  size_type size_ = 0;
};

template <class T, class U>
bool operator==(Span<T> a, Span<U> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
template <class T, class U>
bool operator!=(Span<T> a, Span<U> b) {
  return !(a == b);
}

template <class T>
using ArraySlice = Span<const T>;
template <class T>
using MutableArraySlice = Span<T>;

// A vector under the name that sources use for short ones; it turns into other vectors where one is asked
// for. For bool it holds true bools, unlike std::vector.
template <class T, std::size_t N>
class InlinedVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  InlinedVector() = default;
  InlinedVector(const std::vector<T> &v) : std::vector<T>(v) {}
  template <class C, class = decltype(C(std::declval<const T *>(), std::declval<const T *>())),
            class = typename C::allocator_type,
            class = std::enable_if_t<!std::is_base_of_v<std::vector<T>, C> &&
                                     std::is_same_v<typename C::value_type, T>>>
  operator C() const {
    return C(this->data(), this->data() + this->size());
  }
};

template <std::size_t N>
class InlinedVector<bool, N> {
 public:
  using value_type = bool;
  using iterator = bool *;
  using const_iterator = const bool *;
  InlinedVector() = default;
  explicit InlinedVector(std::size_t n, bool value = false) : bytes_(n, Cell{value}) {}
  InlinedVector(std::initializer_list<bool> list) {
    for (bool b : list) push_back(b);
  }
  bool *data() { return reinterpret_cast<bool *>(bytes_.data()); }
  const bool *data() const { return reinterpret_cast<const bool *>(bytes_.data()); }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  bool &operator[](std::size_t i) { return bytes_[i].value; }
  const bool &operator[](std::size_t i) const { return bytes_[i].value; }
  bool &back() { return bytes_.back().value; }
  iterator begin() { return data(); }
  iterator end() { return data() + size(); }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size(); }
  void push_back(bool b) { bytes_.push_back(Cell{b}); }
  void emplace_back(bool b) { push_back(b); }
  void resize(std::size_t n, bool value = false) { bytes_.resize(n, Cell{value}); }
  void assign(std::size_t n, bool value) { bytes_.assign(n, Cell{value}); }
  void reserve(std::size_t n) { bytes_.reserve(n); }
  void clear() { bytes_.clear(); }

 private:
  struct Cell {
    bool value;
  };
  std::vector<Cell> bytes_;
};

}  // namespace gtl
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_SPAN_H_
