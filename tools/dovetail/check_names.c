// C++ names in the Itanium ABI's mangling, as far as authors need them: the qualified name, without arguments
// and what templates are filled with. Reading on would mean a whole demangler; the C++ runtime's own is none
// that one gives strange files to.
#include "check.h"

typedef struct reader {
  const char *at, *end;
  char *out;
  size_t len;
} reader;

static void put(reader *r, const char *text, size_t len) {
  for (size_t i = 0; i < len && r->len + 1 < 256; i++) {
    char c = text[i];
    r->out[r->len++] = c > 32 && c < 127 ? c : '?';
  }
  r->out[r->len] = '\0';
}

// "<length><identifier>", with "::" before all but the first.
static bool identifier(reader *r, dvt_str *out) {
  size_t len = 0;
  const char *p = r->at;
  if (p == r->end || *p < '1' || *p > '9') return false;
  while (p < r->end && *p >= '0' && *p <= '9' && len < 10000) len = len * 10 + (size_t)(*p++ - '0');
  if (len > (size_t)(r->end - p)) return false;
  *out = dvt_str_make(p, len);
  r->at = p + len;
  return true;
}

static bool take(reader *r, const char *text) {
  size_t len = strlen(text);
  if ((size_t)(r->end - r->at) < len || memcmp(r->at, text, len) != 0) return false;
  r->at += len;
  return true;
}

static const char *prefix_of(reader *r) {
  if (!take(r, "_Z")) return NULL;
  if (take(r, "TV")) return "vtable for ";
  if (take(r, "TI")) return "typeinfo for ";
  if (take(r, "TS")) return "typeinfo name for ";
  if (take(r, "GV")) return "guard variable for ";
  return "";
}

bool check_demangle(dvt_str name, char out[256]) {
  reader r = {name.data, name.data + name.len, out, 0};
  out[0] = '\0';
  dvt_str part, last = {0};
  const char *prefix = name.len ? prefix_of(&r) : NULL;
  if (!prefix) return false;
  put(&r, prefix, strlen(prefix));
  size_t start = r.len;
  bool nested = take(&r, "N");
  if (nested && take(&r, "K")) start = r.len;
  if (take(&r, "St")) put(&r, "std", 3);
  while (identifier(&r, &part)) {
    if (r.len > start) put(&r, "::", 2);
    put(&r, part.data, part.len);
    last = part;
    take(&r, "B5cxx11");
    if (!nested) break;
  }
  if (last.len && (take(&r, "C1") || take(&r, "C2") || take(&r, "C3"))) {
    put(&r, "::", 2);
    put(&r, last.data, last.len);
  } else if (last.len && (take(&r, "D0") || take(&r, "D1") || take(&r, "D2"))) {
    put(&r, "::~", 3);
    put(&r, last.data, last.len);
  } else if (take(&r, "I")) {
    put(&r, "<...>", 5);
  }
  return last.len > 0;
}

const char *check_cxx_library(dvt_str name) {
  static const struct {
    const char *part, *library;
  } parts[] = {{"10tensorflow", "TensorFlow"},
               {"N3tsl", "TensorFlow"},
               {"N3xla", "TensorFlow"},
               {"K3tsl", "TensorFlow"},
               {"K3xla", "TensorFlow"},
               {"14stream_executor", "TensorFlow"},
               {"4absl", "Abseil"},
               {"6google8protobuf", "Protocol Buffers"},
               {"5Eigen", "Eigen"},
               {"3re2", "RE2"}};
  if (!dvt_str_starts_with(name, DVT_STR("_Z"))) return NULL;
  for (size_t i = 0; i < DVT_COUNT_OF(parts); i++) {
    size_t len = strlen(parts[i].part);
    for (size_t k = 0; k + len <= name.len; k++)
      if (memcmp(name.data + k, parts[i].part, len) == 0) return parts[i].library;
  }
  return NULL;
}
