// tstring: the element of string tensors, a TF_TString with the manners of std::string.
#ifndef DOVETAIL_CC_TSTRING_H_
#define DOVETAIL_CC_TSTRING_H_

#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "dovetail/cc/base.h"
#include "tensorflow/core/platform/ctstring.h"

DVT_CC_BEGIN
namespace tensorflow {

class tstring {
 public:
  typedef char *iterator;
  typedef const char *const_iterator;
  typedef char value_type;
  typedef std::size_t size_type;
  enum Type { SMALL = 0, LARGE = 1, OFFSET = 2, VIEW = 3 };
  static constexpr size_type npos = static_cast<size_type>(-1);

  // Text that stays somebody else's: tstring(view) does not copy it.
  class view {
   public:
    explicit view(const char *data, size_type size) : data_(data), size_(size) {}
    explicit view(const char *text) : data_(text), size_(std::strlen(text)) {}
    const char *data() const { return data_; }
    size_type size() const { return size_; }

   private:
    const char *data_;
    size_type size_;
  };

  tstring() { TF_TString_Init(&str_); }
  tstring(const string &s) : tstring(s.data(), s.size()) {}
  tstring(StringPiece s) : tstring(s.data(), s.size()) {}
  tstring(const char *data, size_type size) : tstring() { TF_TString_Copy(&str_, data, size); }
  tstring(const char *text) : tstring(text, std::strlen(text)) {}
  tstring(size_type n, char c) : tstring() { TF_TString_Resize(&str_, n, c); }
  // Any other class that turns into a view of text, absl::Cord by its own conversion to string.
  template <class T,
            class = std::enable_if_t<std::is_class_v<T> && !std::is_same_v<T, string> &&
                                     !std::is_same_v<T, StringPiece> && !std::is_base_of_v<tstring, T> &&
                                     (std::is_convertible_v<const T &, StringPiece> ||
                                      std::is_constructible_v<string, const T &>)>,
            class = void>
  explicit tstring(const T &text) : tstring(string(text)) {}
  tstring(const tstring &other) : tstring() { TF_TString_Assign(&str_, &other.str_); }
  tstring(tstring &&other) noexcept : tstring() { TF_TString_Move(&str_, &other.str_); }
  ~tstring() { TF_TString_Dealloc(&str_); }

  tstring &operator=(const tstring &other) {
    TF_TString_Assign(&str_, &other.str_);
    return *this;
  }
  tstring &operator=(tstring &&other) noexcept {
    TF_TString_Move(&str_, &other.str_);
    return *this;
  }
  tstring &operator=(const string &s) { return assign(s.data(), s.size()); }
  tstring &operator=(StringPiece s) { return assign(s.data(), s.size()); }
  tstring &operator=(const char *s) { return assign(s, std::strlen(s)); }
  tstring &operator=(char c) {
    resize_uninitialized(1);
    (*this)[0] = c;
    return *this;
  }
  tstring &operator=(const view &v) { return assign_as_view(v.data(), v.size()); }

  int compare(const char *data, size_type size) const {
    return StringPiece(*this).compare(StringPiece(data, size));
  }
  bool operator<(const tstring &o) const { return StringPiece(*this) < StringPiece(o); }
  bool operator>(const tstring &o) const { return StringPiece(*this) > StringPiece(o); }
  bool operator<=(const tstring &o) const { return StringPiece(*this) <= StringPiece(o); }
  bool operator>=(const tstring &o) const { return StringPiece(*this) >= StringPiece(o); }
  bool operator==(const char *s) const { return StringPiece(*this) == s; }
  bool operator==(const string &s) const { return StringPiece(*this) == s; }
  bool operator==(StringPiece s) const { return StringPiece(*this) == s; }
  bool operator==(const tstring &o) const { return StringPiece(*this) == StringPiece(o); }
  bool operator!=(const char *s) const { return !(*this == s); }
  bool operator!=(const string &s) const { return !(*this == s); }
  bool operator!=(StringPiece s) const { return !(*this == s); }
  bool operator!=(const tstring &o) const { return !(*this == o); }

  operator string() const { return string(data(), size()); }
  operator StringPiece() const { return StringPiece(data(), size()); }
  // The text view of another library.
  template <class View, class = decltype(std::declval<View &>().remove_prefix(0)),
            class = std::enable_if_t<!std::is_same_v<View, StringPiece> &&
                                     std::is_constructible_v<View, const char *, size_type>>>
  operator View() const {
    return View(data(), size());
  }

  size_type size() const { return TF_TString_GetSize(&str_); }
  size_type length() const { return size(); }
  size_type capacity() const { return TF_TString_GetCapacity(&str_); }
  bool empty() const { return size() == 0; }
  Type type() const { return static_cast<Type>(TF_TString_GetType(&str_)); }

  void resize(size_type n, char c = 0) { TF_TString_Resize(&str_, n, c); }
  void resize_uninitialized(size_type n) { TF_TString_ResizeUninitialized(&str_, n); }
  void clear() { TF_TString_ResizeUninitialized(&str_, 0); }
  void reserve(size_type n) { TF_TString_Reserve(&str_, n); }

  const char *c_str() const { return data(); }
  const char *data() const { return TF_TString_GetDataPointer(&str_); }
  char *data() { return mdata(); }
  char *mdata() { return TF_TString_GetMutableDataPointer(&str_); }
  const char &operator[](size_type i) const { return data()[i]; }
  char &operator[](size_type i) { return mdata()[i]; }
  const char &back() const { return data()[size() - 1]; }
  const char &front() const { return data()[0]; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size(); }

  tstring &assign(const char *s, size_type n) {
    TF_TString_Copy(&str_, s, n);
    return *this;
  }
  tstring &assign(const char *s) { return assign(s, std::strlen(s)); }
  tstring &assign_as_view(const tstring &s) { return assign_as_view(s.data(), s.size()); }
  tstring &assign_as_view(const string &s) { return assign_as_view(s.data(), s.size()); }
  tstring &assign_as_view(StringPiece s) { return assign_as_view(s.data(), s.size()); }
  tstring &assign_as_view(const char *s) { return assign_as_view(s, std::strlen(s)); }
  tstring &assign_as_view(const char *s, size_type n) {
    TF_TString_AssignView(&str_, s, n);
    return *this;
  }
  tstring &append(const tstring &s) { return append(s.data(), s.size()); }
  tstring &append(const char *s, size_type n) {
    TF_TString_AppendN(&str_, s, n);
    return *this;
  }
  tstring &append(const char *s) { return append(s, std::strlen(s)); }
  tstring &append(const string &s) { return append(s.data(), s.size()); }
  tstring &append(size_type n, char c) {
    resize(size() + n, c);
    return *this;
  }
  tstring &operator+=(const tstring &s) { return append(s); }
  tstring &erase(size_type pos, size_type n) {
    string text(*this);
    text.erase(pos, n);
    return *this = text;
  }
  tstring &insert(size_type pos, const tstring &s, size_type sub, size_type n) {
    string text(*this);
    text.insert(pos, StringPiece(s).substr(sub, n));
    return *this = text;
  }
  void push_back(char c) { append(1, c); }
  void swap(tstring &other) noexcept { std::swap(str_, other.str_); }
  friend void swap(tstring &a, tstring &b) noexcept { a.swap(b); }

 private:
  TF_TString str_;
};

inline bool operator==(const char *a, const tstring &b) { return b == a; }
inline bool operator==(const string &a, const tstring &b) { return b == a; }
inline bool operator!=(const char *a, const tstring &b) { return b != a; }
inline bool operator!=(const string &a, const tstring &b) { return b != a; }
inline tstring operator+(const tstring &a, const tstring &b) {
  tstring sum;
  sum.reserve(a.size() + b.size());
  sum.append(a);
  sum.append(b);
  return sum;
}
inline std::ostream &operator<<(std::ostream &out, const tstring &s) { return out << StringPiece(s); }

}  // namespace tensorflow
DVT_CC_END

template <>
struct __attribute__((visibility("hidden"))) std::hash<tensorflow::tstring> {
  std::size_t operator()(const tensorflow::tstring &s) const { return std::hash<std::string_view>()(s); }
};

#endif  // DOVETAIL_CC_TSTRING_H_
