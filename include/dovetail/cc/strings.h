// Texts put together: strings::StrCat, StrAppend, Printf, Appendf, and what the error and log functions use.
//
// Numbers come out as TensorFlow writes them: the shortest decimal that reads back as the same value; a type
// without a rule of its own is written by its operator<<.
#ifndef DOVETAIL_CC_STRINGS_H_
#define DOVETAIL_CC_STRINGS_H_

#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <sstream>
#include <type_traits>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace strings {

// A number in hexadecimal, padded on the left with zeros up to `Pad`.
enum PadSpec { kNoPad = 1, kZeroPad2 = 2, kZeroPad4 = 4, kZeroPad8 = 8, kZeroPad16 = 16 };
struct Hex {
  uint64 value;
  int width;
  template <class T>
  explicit Hex(T v, PadSpec pad = kNoPad)
      : value(static_cast<uint64>(static_cast<std::make_unsigned_t<T>>(v))), width(pad) {}
};

inline void AppendText(string *out, StringPiece s) { out->append(s); }
inline void AppendText(string *out, const char *s) { out->append(s == nullptr ? "" : s); }
inline void AppendText(string *out, const string &s) { out->append(s); }
inline void AppendText(string *out, const Hex &h) {
  char text[24];
  snprintf(text, sizeof text, "%0*llx", h.width, static_cast<unsigned long long>(h.value));
  out->append(text);
}

template <class T>
void AppendText(string *out, const T &v) {
  if constexpr (std::is_same_v<T, bool>) {
    out->push_back(v ? '1' : '0');
  } else if constexpr (std::is_arithmetic_v<T>) {
    char text[64];
    if constexpr (std::is_integral_v<T>) {
      auto end = std::to_chars(text, text + sizeof text, +v);
      out->append(text, end.ptr);
    } else {
      auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::general);
      out->append(text, end.ptr);
    }
  } else if constexpr (std::is_enum_v<T>) {
    AppendText(out, static_cast<std::underlying_type_t<T>>(v));
  } else if constexpr (std::is_convertible_v<const T &, StringPiece>) {
    out->append(static_cast<StringPiece>(v));
  } else {
    std::ostringstream stream;
    stream << v;
    out->append(stream.str());
  }
}

template <class... Args>
string StrCat(const Args &...args) {
  string out;
  (AppendText(&out, args), ...);
  return out;
}

template <class... Args>
void StrAppend(string *out, const Args &...args) {
  (AppendText(out, args), ...);
}

TF_PRINTF_ATTRIBUTE(2, 0)
inline void Appendv(string *out, const char *format, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int size = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size <= 0) return;
  std::size_t start = out->size();
  out->resize(start + static_cast<std::size_t>(size) + 1);
  vsnprintf(&(*out)[start], static_cast<std::size_t>(size) + 1, format, ap);
  out->resize(start + static_cast<std::size_t>(size));
}

TF_PRINTF_ATTRIBUTE(1, 2)
inline string Printf(const char *format, ...) {
  string out;
  va_list ap;
  va_start(ap, format);
  Appendv(&out, format, ap);
  va_end(ap);
  return out;
}

TF_PRINTF_ATTRIBUTE(2, 3)
inline void Appendf(string *out, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  Appendv(out, format, ap);
  va_end(ap);
}

}  // namespace strings
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_STRINGS_H_
