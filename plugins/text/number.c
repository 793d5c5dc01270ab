// StringToNumber: decimal text, white space around it, as a number of attribute out_type. Integers must fit;
// floats may be hexadecimal, infinite or NaN, and overflow to infinity.
#include <errno.h>
#include <inttypes.h>

#include "common/dtype.h"
#include "text/text.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static dvx_span trimmed(dvx_span s) {
  while (s.bytes > 0 && is_space(s.data[0])) s = dvx_part(s, 1, s.bytes);
  while (s.bytes > 0 && is_space(s.data[s.bytes - 1])) s.bytes--;
  return s;
}

// Digits after an optional sign; the magnitude is at most `limit`, or `negative_limit` after a minus.
static bool parse_integer(dvx_span s, bool is_signed, uint64_t limit, uint64_t negative_limit,
                          uint64_t *out) {
  bool negative = false;
  s = trimmed(s);
  if (s.bytes > 0 && (s.data[0] == '+' || (s.data[0] == '-' && is_signed))) {
    negative = s.data[0] == '-';
    s = dvx_part(s, 1, s.bytes);
  }
  uint64_t value = 0;
  for (size_t i = 0; i < s.bytes; i++) {
    unsigned digit = (unsigned)s.data[i] - '0';
    if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return false;
  }
  if (s.bytes == 0 || value > (negative ? negative_limit : limit)) return false;
  *out = negative ? 0 - value : value;
  return true;
}

// The characters of NAN(...) aside, a number that strtod reads has only these.
static bool looks_like_float(dvx_span s) {
  return s.bytes > 0 && !memchr(s.data, 0, s.bytes) && !is_space(s.data[0]);
}

// A NUL-terminated copy, in `small` when it fits; NULL when out of memory.
static char *terminated(dvx_span s, char *small, size_t small_bytes) {
  char *text = s.bytes < small_bytes ? small : malloc(s.bytes + 1);
  if (!text) return NULL;
  memcpy(text, s.data, s.bytes);
  text[s.bytes] = 0;
  return text;
}

// Reads the whole span by strtof or strtod; both overflow to infinity and underflow to zero.
static bool parse_float(dvx_span s, bool is_double, double *out) {
  char small[128], *end;
  s = trimmed(s);
  if (!looks_like_float(s)) return false;
  char *text = terminated(s, small, sizeof(small));
  if (!text) return false;
  *out = is_double ? strtod(text, &end) : (double)strtof(text, &end);
  bool fine = end == text + s.bytes;
  if (text != small) free(text);
  return fine;
}

static bool to_f32(dvx_span s, dvp_f32 *out) {
  double value;
  if (!parse_float(s, false, &value)) return false;
  *out = (float)value;
  return true;
}
static bool to_f64(dvx_span s, dvp_f64 *out) { return parse_float(s, true, out); }

#define PARSE_INTEGER(t, is_signed, limit, negative_limit)                         \
  static bool to_##t(dvx_span s, dvp_##t *out) {                                   \
    uint64_t value;                                                                \
    if (!parse_integer(s, is_signed, limit, negative_limit, &value)) return false; \
    *out = (dvp_##t)value;                                                         \
    return true;                                                                   \
  }
PARSE_INTEGER(i32, true, INT32_MAX, (uint64_t)INT32_MAX + 1)
PARSE_INTEGER(i64, true, INT64_MAX, (uint64_t)INT64_MAX + 1)
PARSE_INTEGER(u32, false, UINT32_MAX, 0)
PARSE_INTEGER(u64, false, UINT64_MAX, 0)

#define NUMBER_COMPUTE(t, op)                                                                          \
  DVP_COMPUTE(op##_##t##_compute) {                                                                    \
    (void)state;                                                                                       \
    dvp_view in;                                                                                       \
    if (!dvp_input(call, 0, &in)) return;                                                              \
    dvp_##t *out = dvp_output(call, 0, in.dims, in.rank);                                              \
    for (int64_t i = 0; out && i < in.count; i++) {                                                    \
      dvx_span s = dvx_element(&in, i);                                                                \
      if (to_##t(s, &out[i])) continue;                                                                \
      dvp_fail(call, TF_INVALID_ARGUMENT, "StringToNumberOp could not correctly convert string: %.*s", \
               (int)DVP_MIN(s.bytes, (size_t)200), s.data);                                            \
      return;                                                                                          \
    }                                                                                                  \
  }
#define NUMBER_TYPES(X, ...) \
  X(f32, __VA_ARGS__)        \
  X(f64, __VA_ARGS__) X(i32, __VA_ARGS__) X(i64, __VA_ARGS__) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__)
NUMBER_TYPES(NUMBER_COMPUTE, string_to_number)
static const dvp_kernel string_to_number_rows[] = {NUMBER_TYPES(DVP_ROW, string_to_number)};
DVP_DEFINE_SET(string_to_number, "out_type", NULL, NULL, string_to_number_rows);
