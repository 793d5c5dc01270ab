// Paths of files: io::JoinPath, Dirname, Basename and their kin. A path may begin with a scheme
// ("gs://bucket/...").
#ifndef DOVETAIL_CC_PATH_H_
#define DOVETAIL_CC_PATH_H_

#include <algorithm>
#include <initializer_list>
#include <string>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace io {

inline bool IsAbsolutePath(StringPiece path) { return !path.empty() && path[0] == '/'; }

// Joined with single slashes; empty parts are left out, and a slash that begins a later part is dropped.
template <class... Parts>
std::string JoinPath(const Parts &...parts) {
  std::string joined;
  for (StringPiece part : {StringPiece(parts)...}) {
    if (part.empty()) continue;
    if (joined.empty()) {
      joined = std::string(part);
      continue;
    }
    if (IsAbsolutePath(part)) part.remove_prefix(1);
    if (joined.back() != '/') joined += '/';
    joined += part;
  }
  return joined;
}

// "scheme://host/path" in its parts; all of it is path when there is no scheme.
inline void ParseURI(StringPiece uri, StringPiece *scheme, StringPiece *host, StringPiece *path) {
  const size_t colon = uri.find("://");
  bool named = colon != StringPiece::npos && colon > 0;
  for (size_t i = 0; named && i < colon; ++i) {
    const char c = uri[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    named = letter || (i > 0 && ((c >= '0' && c <= '9') || c == '.'));
  }
  if (!named) {
    *scheme = *host = StringPiece(uri.data(), 0);
    *path = uri;
    return;
  }
  *scheme = uri.substr(0, colon);
  const StringPiece rest = uri.substr(colon + 3);
  const size_t slash = rest.find('/');
  *host = rest.substr(0, slash);
  *path = slash == StringPiece::npos ? StringPiece(rest.data() + rest.size(), 0) : rest.substr(slash);
}

inline std::string CreateURI(StringPiece scheme, StringPiece host, StringPiece path) {
  if (scheme.empty()) return std::string(path);
  return std::string(scheme) + "://" + std::string(host) + std::string(path);
}

namespace internal {

// The place where the last part of a path begins, and where the part before it ends.
inline void SplitPath(StringPiece uri, StringPiece *before, StringPiece *last) {
  StringPiece scheme, host, path;
  ParseURI(uri, &scheme, &host, &path);
  const size_t slash = path.rfind('/');
  const size_t start = static_cast<size_t>(path.data() - uri.data());
  if (slash == StringPiece::npos) {
    *before = uri.substr(0, host.empty() ? 0 : start);
    *last = path;
    return;
  }
  // The slash of the root stays.
  *before = uri.substr(0, start + (slash == 0 ? 1 : slash));
  *last = path.substr(slash + 1);
}

}  // namespace internal

inline StringPiece Dirname(StringPiece path) {
  StringPiece before, last;
  internal::SplitPath(path, &before, &last);
  return before;
}

inline StringPiece Basename(StringPiece path) {
  StringPiece before, last;
  internal::SplitPath(path, &before, &last);
  return last;
}

inline StringPiece BasenamePrefix(StringPiece path) {
  const StringPiece name = Basename(path);
  return name.substr(0, name.rfind('.'));
}

// What follows the last dot of the last part; empty without one.
inline StringPiece Extension(StringPiece path) {
  const StringPiece name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == StringPiece::npos ? StringPiece(name.data() + name.size(), 0) : name.substr(dot + 1);
}

// Without doubled slashes, "." and what ".." takes back.
inline std::string CleanPath(StringPiece path) {
  std::string clean;
  const bool absolute = IsAbsolutePath(path);
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const StringPiece part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    const size_t slash = clean.rfind('/');
    const StringPiece last = StringPiece(clean).substr(slash == std::string::npos ? 0 : slash + 1);
    if (part == ".." && !clean.empty() && last != "..") {
      clean.resize(slash == std::string::npos ? 0 : slash);
    } else if (part != ".." || !absolute) {
      if (!clean.empty()) clean += '/';
      clean += part;
    }
  }
  if (absolute) return "/" + clean;
  return clean.empty() ? "." : clean;
}

}  // namespace io
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_PATH_H_
