// Texts taken apart and put together: str_util::Split, Join, Uppercase, StringReplace, CEscape and their kin,
// and numbers read from texts (strings::safe_strto64 ...).
#ifndef DOVETAIL_CC_STR_UTIL_H_
#define DOVETAIL_CC_STR_UTIL_H_

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/strings.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace str_util {

inline bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// ---- which parts Split keeps ----

struct AllowEmpty {
  bool operator()(StringPiece) const { return true; }
};
struct SkipEmpty {
  bool operator()(StringPiece part) const { return !part.empty(); }
};
struct SkipWhitespace {
  bool operator()(StringPiece part) const {
    for (char c : part) {
      if (!IsSpace(c)) return true;
    }
    return false;
  }
};

// The parts between any of the characters of `delimiters`; no parts of an empty text.
template <class Keep>
std::vector<std::string> Split(StringPiece text, StringPiece delimiters, Keep keep) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, start), text.size());
    const StringPiece part = text.substr(start, end - start);
    if (keep(part)) parts.emplace_back(part);
    start = end + 1;
  }
  return parts;
}
template <class Keep>
std::vector<std::string> Split(StringPiece text, char delimiter, Keep keep) {
  return Split(text, StringPiece(&delimiter, 1), keep);
}
inline std::vector<std::string> Split(StringPiece text, StringPiece delimiters) {
  return Split(text, delimiters, AllowEmpty());
}
inline std::vector<std::string> Split(StringPiece text, char delimiter) {
  return Split(text, StringPiece(&delimiter, 1), AllowEmpty());
}

template <class Parts>
std::string Join(const Parts &parts, StringPiece separator) {
  std::string joined;
  bool first = true;
  for (const auto &part : parts) {
    strings::StrAppend(&joined, first ? StringPiece() : separator, part);
    first = false;
  }
  return joined;
}
template <class Parts, class Formatter>
std::string Join(const Parts &parts, StringPiece separator, Formatter format) {
  std::string joined;
  bool first = true;
  for (const auto &part : parts) {
    if (!first) strings::StrAppend(&joined, separator);
    format(&joined, part);
    first = false;
  }
  return joined;
}

// ---- case and space ----

inline std::string Lowercase(StringPiece text) {
  std::string result(text);
  for (char &c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}
inline std::string Uppercase(StringPiece text) {
  std::string result(text);
  for (char &c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}
inline void TitlecaseString(std::string *text, StringPiece delimiters) {
  bool upper = true;
  for (char &c : *text) {
    if (upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    upper = delimiters.find(c) != StringPiece::npos;
  }
}
// Both return how many characters they took away.
inline size_t RemoveLeadingWhitespace(StringPiece *text) {
  size_t count = 0;
  while (count < text->size() && IsSpace((*text)[count])) ++count;
  text->remove_prefix(count);
  return count;
}
inline size_t RemoveTrailingWhitespace(StringPiece *text) {
  size_t count = 0;
  while (count < text->size() && IsSpace((*text)[text->size() - 1 - count])) ++count;
  text->remove_suffix(count);
  return count;
}
inline size_t RemoveWhitespaceContext(StringPiece *text) {
  return RemoveLeadingWhitespace(text) + RemoveTrailingWhitespace(text);
}
inline void StripTrailingWhitespace(std::string *text) {
  while (!text->empty() && IsSpace(text->back())) text->pop_back();
}

// ---- parts ----

inline bool StartsWith(StringPiece text, StringPiece prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool EndsWith(StringPiece text, StringPiece suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
inline bool StrContains(StringPiece text, StringPiece part) { return text.find(part) != StringPiece::npos; }
inline bool ConsumePrefix(StringPiece *text, StringPiece expected) {
  if (!StartsWith(*text, expected)) return false;
  text->remove_prefix(expected.size());
  return true;
}
inline bool ConsumeSuffix(StringPiece *text, StringPiece expected) {
  if (!EndsWith(*text, expected)) return false;
  text->remove_suffix(expected.size());
  return true;
}
inline StringPiece StripPrefix(StringPiece text, StringPiece expected) {
  ConsumePrefix(&text, expected);
  return text;
}
inline StringPiece StripSuffix(StringPiece text, StringPiece expected) {
  ConsumeSuffix(&text, expected);
  return text;
}
inline bool ConsumeLeadingDigits(StringPiece *text, uint64_t *value) {
  const auto end = std::from_chars(text->data(), text->data() + text->size(), *value);
  if (end.ec != std::errc() || end.ptr == text->data()) return false;
  text->remove_prefix(static_cast<size_t>(end.ptr - text->data()));
  return true;
}
inline bool ConsumeNonWhitespace(StringPiece *text, StringPiece *value) {
  size_t count = 0;
  while (count < text->size() && !IsSpace((*text)[count])) ++count;
  *value = text->substr(0, count);
  text->remove_prefix(count);
  return count > 0;
}
inline std::string StringReplace(StringPiece text, StringPiece old_part, StringPiece new_part,
                                 bool replace_all) {
  std::string result(text);
  if (old_part.empty()) return result;
  for (size_t at = 0; (at = result.find(old_part, at)) != std::string::npos; at += new_part.size()) {
    result.replace(at, old_part.size(), new_part);
    if (!replace_all) break;
  }
  return result;
}
inline size_t Strnlen(const char *text, size_t limit) {
  size_t size = 0;
  while (size < limit && text[size] != '\0') ++size;
  return size;
}

// ---- escapes of C ----

inline std::string CEscape(StringPiece text) {
  std::string escaped;
  for (char c : text) {
    const char *const plain = "\n\r\t\"'\\", *const letters = "nrt\"'\\";
    const StringPiece known(plain, 6);
    const size_t at = known.find(c);
    const unsigned char byte = static_cast<unsigned char>(c);
    if (at != StringPiece::npos) {
      escaped += '\\';
      escaped += letters[at];
    } else if (byte < 32 || byte >= 127) {
      escaped += strings::Printf("\\%03o", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace str_util

namespace strings {

// Reads all of a text, white space around it aside; false, and *value as it was, when it is no such number.
template <class T>
bool ParseNumber(StringPiece text, T *value) {
  while (!text.empty() && str_util::IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && str_util::IsSpace(text.back())) text.remove_suffix(1);
  if constexpr (std::is_integral_v<T>) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    T read{};
    const auto end = std::from_chars(text.data(), text.data() + text.size(), read);
    if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return false;
    *value = read;
    return true;
  } else {
    const std::string kept(text);
    char *end = nullptr;
    const T read = std::is_same_v<T, float> ? static_cast<T>(std::strtof(kept.c_str(), &end))
                                            : static_cast<T>(std::strtod(kept.c_str(), &end));
    if (kept.empty() || end != kept.c_str() + kept.size()) return false;
    *value = read;
    return true;
  }
}

inline bool safe_strto32(StringPiece text, int32_t *value) { return ParseNumber(text, value); }
inline bool safe_strtou32(StringPiece text, uint32_t *value) { return ParseNumber(text, value); }
inline bool safe_strto64(StringPiece text, int64_t *value) { return ParseNumber(text, value); }
inline bool safe_strtou64(StringPiece text, uint64_t *value) { return ParseNumber(text, value); }
inline bool safe_strtof(StringPiece text, float *value) { return ParseNumber(text, value); }
inline bool safe_strtod(StringPiece text, double *value) { return ParseNumber(text, value); }
template <class T>
bool SafeStringToNumeric(StringPiece text, T *value) {
  return ParseNumber(text, value);
}
inline std::string FpToString(uint64_t fingerprint) {
  return Printf("%016llx", static_cast<unsigned long long>(fingerprint));
}
inline std::string HumanReadableNumBytes(int64_t bytes) {
  const char *const units = "KMGTPE";
  if (bytes > -1024 && bytes < 1024) return Printf("%lldB", static_cast<long long>(bytes));
  double size = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; (size >= 1024 || size <= -1024) && unit < 5; ++unit) size /= 1024;
  return Printf(unit == 0 ? "%.1f%ciB" : "%.2f%ciB", size, units[unit]);
}

}  // namespace strings
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_STR_UTIL_H_
