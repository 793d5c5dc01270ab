// Reading .npy: the header is a Python literal of a dict with three keys, which is parsed strictly; sizes are
// checked before anything is allocated.
#include "npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANK 254

typedef struct header {
  char kind, order;  // 'f' '<' ...
  size_t item_bytes;
  bool fortran;
  int rank;
  int64_t dims[MAX_RANK];
  bool has_descr, has_order, has_shape;
} header;

typedef struct scanner {
  const char *next, *end;
} scanner;

static void skip_space(scanner *s) {
  while (s->next < s->end && (*s->next == ' ' || *s->next == '\n' || *s->next == '\t')) ++s->next;
}

static bool accept(scanner *s, char c) {
  skip_space(s);
  if (s->next == s->end || *s->next != c) return false;
  ++s->next;
  return true;
}

static bool accept_word(scanner *s, const char *word) {
  size_t len = strlen(word);
  skip_space(s);
  if ((size_t)(s->end - s->next) < len || memcmp(s->next, word, len) != 0) return false;
  s->next += len;
  return true;
}

// A quoted string of fewer than `capacity` bytes.
static bool take_string(scanner *s, char *out, size_t capacity) {
  char quote = accept(s, '\'') ? '\'' : accept(s, '"') ? '"' : 0;
  size_t len = 0;
  if (!quote) return false;
  while (s->next < s->end && *s->next != quote) {
    if (len + 1 >= capacity) return false;
    out[len++] = *s->next++;
  }
  out[len] = '\0';
  return accept(s, quote);
}

static bool take_number(scanner *s, int64_t *out) {
  int64_t value = 0;
  int digits = 0;
  skip_space(s);
  for (; s->next < s->end && *s->next >= '0' && *s->next <= '9'; ++s->next, ++digits)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *s->next - '0', &value))
      return false;
  if (s->next < s->end && *s->next == 'L') ++s->next;  // Python 2 wrote these
  *out = value;
  return digits > 0;
}

static bool take_shape(scanner *s, header *h) {
  if (!accept(s, '(')) return false;
  while (!accept(s, ')')) {
    if (h->rank == MAX_RANK || !take_number(s, &h->dims[h->rank++])) return false;
    if (!accept(s, ',')) return accept(s, ')');
  }
  return true;
}

static bool take_descr(scanner *s, header *h, TF_Status *status) {
  char text[32];
  if (!take_string(s, text, sizeof text)) {
    skip_space(s);
    bool structured = s->next < s->end && *s->next == '[';
    return cli_fail(status, TF_INVALID_ARGUMENT,
                    structured
                        ? "it holds records (a structured dtype); save each field as an array of its own"
                        : "the dtype in its header is malformed");
  }
  const char *p = text;
  h->order = strchr("<>|=", *p) && *p ? *p++ : '=';
  h->kind = *p ? *p++ : 0;
  char *end;
  h->item_bytes = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : (end = (char *)p, 1);
  if (*end || h->item_bytes > (size_t)1 << 30)
    return cli_fail(status, TF_INVALID_ARGUMENT, "its dtype '%s' is not one that can be read", text);
  if (h->kind == 'O')
    return cli_fail(
        status, TF_INVALID_ARGUMENT,
        "it holds Python objects (a pickle), which are not read; save strings with dtype 'S' or 'U'");
  if (h->kind == 'U') h->item_bytes *= 4;
  h->has_descr = true;
  return true;
}

static bool take_dict(scanner s, header *h, TF_Status *status) {
  const char *malformed = "its header is malformed";
  if (!accept(&s, '{')) return cli_fail(status, TF_INVALID_ARGUMENT, "%s", malformed);
  while (!accept(&s, '}')) {
    char key[32];
    if (!take_string(&s, key, sizeof key) || !accept(&s, ':'))
      return cli_fail(status, TF_INVALID_ARGUMENT, "%s", malformed);
    bool ok = false;
    if (strcmp(key, "descr") == 0) {
      if (!take_descr(&s, h, status)) return false;
      ok = true;
    } else if (strcmp(key, "fortran_order") == 0) {
      h->fortran = accept_word(&s, "True");
      ok = h->has_order = h->fortran || accept_word(&s, "False");
    } else if (strcmp(key, "shape") == 0) {
      ok = h->has_shape = !h->has_shape && take_shape(&s, h);
    }
    if (!ok || (!accept(&s, ',') && (s.next == s.end || *s.next != '}')))
      return cli_fail(status, TF_INVALID_ARGUMENT, "%s", malformed);
  }
  if (h->has_descr && h->has_order && h->has_shape) return true;
  return cli_fail(status, TF_INVALID_ARGUMENT, "its header lacks the dtype, the order or the shape");
}

// Parses the header; *out_data is where the elements begin.
static bool read_header(const char *bytes, size_t len, header *h, size_t *out_data, TF_Status *status) {
  const unsigned char *p = (const unsigned char *)bytes;
  if (len < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it is not a .npy file (save it with numpy.save)");
  int major = p[6];
  size_t at = major == 1 ? 10 : 12, header_len;
  if (major < 1 || major > 3)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it has .npy version %d; 1 to 3 are known", major);
  if (len < at) return cli_fail(status, TF_INVALID_ARGUMENT, "it is cut off in its header");
  header_len = p[8] | (size_t)p[9] << 8;
  if (major > 1) header_len |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
  if (header_len > len - at) return cli_fail(status, TF_INVALID_ARGUMENT, "it is cut off in its header");
  *out_data = at + header_len;
  return take_dict((scanner){bytes + at, bytes + at + header_len}, h, status);
}

static TF_DataType dtype_of(const header *h, TF_DataType raw_dtype) {
  if (h->kind == 'S' || h->kind == 'U') return TF_STRING;
  if (h->kind == 'V') {
    bool fits = TF_DataTypeSize(raw_dtype) == h->item_bytes && h->item_bytes <= 2;
    return fits ? raw_dtype : (TF_DataType)0;
  }
  static const struct {
    char kind;
    size_t bytes;
    TF_DataType dtype;
  } types[] = {{'f', 4, TF_FLOAT},     {'f', 8, TF_DOUBLE},     {'f', 2, TF_HALF},   {'i', 1, TF_INT8},
               {'i', 2, TF_INT16},     {'i', 4, TF_INT32},      {'i', 8, TF_INT64},  {'u', 1, TF_UINT8},
               {'u', 2, TF_UINT16},    {'u', 4, TF_UINT32},     {'u', 8, TF_UINT64}, {'b', 1, TF_BOOL},
               {'c', 8, TF_COMPLEX64}, {'c', 16, TF_COMPLEX128}};
  for (size_t i = 0; i < DVT_COUNT_OF(types); ++i)
    if (types[i].kind == h->kind && types[i].bytes == h->item_bytes) return types[i].dtype;
  return (TF_DataType)0;
}

// ---- elements ----

static size_t put_utf8(uint32_t c, char *out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  out[0] = (char)(0xf0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 63));
  out[2] = (char)(0x80 | (c >> 6 & 63));
  out[3] = (char)(0x80 | (c & 63));
  return 4;
}

// One fixed-width string; NumPy pads with zeros, which are dropped. `room` holds item_bytes.
static bool copy_string(const header *h, const char *from, char *room, TF_TString *to, TF_Status *status) {
  size_t len = h->item_bytes;
  if (h->kind == 'S') {
    while (len > 0 && from[len - 1] == '\0') --len;
    TF_TString_Copy(to, from, len);
    return true;
  }
  size_t used = 0, kept = 0;
  for (size_t i = 0; i + 4 <= len; i += 4) {
    const unsigned char *p = (const unsigned char *)from + i;
    uint32_t c = h->order == '>' ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                                 : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    if (c > 0x10ffff)
      return cli_fail(status, TF_INVALID_ARGUMENT, "its text holds 0x%x, which is no Unicode character", c);
    used += put_utf8(c, room + used);
    if (c) kept = used;
  }
  TF_TString_Copy(to, room, kept);
  return true;
}

static void copy_element(const header *h, const char *from, char *to) {
  size_t word = h->kind == 'c' ? h->item_bytes / 2 : h->item_bytes;
  if (h->order != '>' || word == 1 || h->kind == 'V') {
    memcpy(to, from, h->item_bytes);
    return;
  }
  for (size_t i = 0; i < h->item_bytes; i += word)
    for (size_t b = 0; b < word; ++b) to[i + b] = from[i + word - 1 - b];
}

// Where element `index` of C order lies in the file, counted in elements.
static int64_t source_of(const header *h, int64_t index) {
  int64_t at = 0, stride = 1;
  if (!h->fortran) return index;
  int64_t below = 1;
  for (int d = 1; d < h->rank; ++d) below *= h->dims[d];
  for (int d = 0; d < h->rank; ++d) {
    at += index / below % h->dims[d] * stride;
    stride *= h->dims[d];
    if (d + 1 < h->rank) below /= h->dims[d + 1];
  }
  return at;
}

static bool copy_elements(const header *h, const char *data, int64_t count, TF_Tensor *tensor,
                          TF_Status *status) {
  char *to = TF_TensorData(tensor);
  bool strings = TF_TensorType(tensor) == TF_STRING;
  char *room = strings ? malloc(h->item_bytes + 1) : NULL;
  bool ok = !strings || room || cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  if (!strings && !h->fortran && (h->order != '>' || h->item_bytes == 1) && count > 0) {
    memcpy(to, data, (size_t)count * h->item_bytes);
    return true;
  }
  for (int64_t i = 0; ok && i < count; ++i) {
    const char *from = data + (size_t)source_of(h, i) * h->item_bytes;
    if (strings)
      ok = copy_string(h, from, room, (TF_TString *)(void *)to + i, status);
    else
      copy_element(h, from, to + (size_t)i * h->item_bytes);
  }
  free(room);
  return ok;
}

static bool check_bools(const char *data, size_t count, TF_Status *status) {
  for (size_t i = 0; i < count; ++i)
    if ((unsigned char)data[i] > 1)
      return cli_fail(status, TF_INVALID_ARGUMENT, "element %zu of its booleans is %d", i,
                      (unsigned char)data[i]);
  return true;
}

TF_Tensor *npy_parse(const char *bytes, size_t len, TF_DataType raw_dtype, TF_Status *status) {
  header h = {0};
  size_t data = 0, want, count = 1;
  if (!read_header(bytes, len, &h, &data, status)) return NULL;
  TF_DataType dtype = dtype_of(&h, raw_dtype);
  if (!dtype) {
    cli_fail(status, TF_INVALID_ARGUMENT, "its dtype, kind '%c' of %zu bytes, is not one that can be read",
             h.kind, h.item_bytes);
    return NULL;
  }
  bool fits = true;
  for (int d = 0; d < h.rank; ++d) fits = fits && dvt_size_mul(count, (size_t)h.dims[d], &count);
  size_t cell = dtype == TF_STRING ? sizeof(TF_TString) : h.item_bytes, cells;
  fits = fits && dvt_size_mul(count, h.item_bytes, &want) && dvt_size_mul(count, cell, &cells) &&
         cells < SIZE_MAX / 2;
  // Strings of no width are the one case where elements take no room in the file.
  if (!fits || want > len - data || (h.item_bytes == 0 && count > len)) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "it is cut off: %zu bytes of elements are there, its header promises %s", len - data,
             fits ? "more" : "more than there can be");
    return NULL;
  }
  if (dtype == TF_BOOL && !check_bools(bytes + data, count, status)) return NULL;
  TF_Tensor *tensor = TF_AllocateTensor(dtype, h.dims, h.rank, cells);
  if (!tensor) {
    cli_fail(status, TF_RESOURCE_EXHAUSTED, "there is no memory for its %zu bytes", want);
    return NULL;
  }
  if (!copy_elements(&h, bytes + data, (int64_t)count, tensor, status)) {
    TF_DeleteTensor(tensor);
    return NULL;
  }
  TF_SetStatus(status, TF_OK, "");
  return tensor;
}
