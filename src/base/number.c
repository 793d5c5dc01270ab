// The C library's conversions, run in the "C" locale, since an application may have set one with a decimal
// comma.
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t enter_c_locale(void) {
  pthread_once(&c_locale_once, make_c_locale);
  return c_locale ? uselocale(c_locale) : (locale_t)0;
}
static void leave_c_locale(locale_t before) {
  if (before) uselocale(before);
}

static double to_double(const char *z, char **end) {
  locale_t before = enter_c_locale();
  double value = strtod(z, end);
  leave_c_locale(before);
  return value;
}

bool dvt_number_parse_double(dvt_str s, double *out_value) {
  char copy[512];
  if (s.len == 0 || s.len >= sizeof copy) return false;
  // strtod would also take leading space, hexadecimal digits and nan(...).
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i];
    if (c == 'x' || c == 'X' || c == '(' || c <= ' ') return false;
  }
  memcpy(copy, s.data, s.len);
  copy[s.len] = '\0';
  char *end;
  double value = to_double(copy, &end);
  if (end != copy + s.len) return false;
  *out_value = value;
  return true;
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool dvt_number_parse_uint64(dvt_str s, uint64_t *out_value) {
  uint64_t base = 10, value = 0;
  if (s.len > 2 && s.data[0] == '0' && (s.data[1] == 'x' || s.data[1] == 'X')) {
    base = 16;
    s = dvt_str_drop(s, 2);
  } else if (s.len > 1 && s.data[0] == '0') {
    base = 8;
    s = dvt_str_drop(s, 1);
  }
  if (s.len == 0) return false;
  for (size_t i = 0; i < s.len; i++) {
    uint64_t digit = (uint64_t)digit_of(s.data[i]);
    if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return false;
  }
  *out_value = value;
  return true;
}

static size_t format(double value, bool is_float, char out[DVT_NUMBER_CHARS]) {
  if (isnan(value)) return (size_t)snprintf(out, DVT_NUMBER_CHARS, "nan");
  if (isinf(value)) return (size_t)snprintf(out, DVT_NUMBER_CHARS, value > 0 ? "inf" : "-inf");
  int first = is_float ? 6 : 15, last = is_float ? 9 : 17, len = 0;
  locale_t before = enter_c_locale();
  for (int digits = first; digits <= last; digits++) {
    len = snprintf(out, DVT_NUMBER_CHARS, "%.*g", digits, value);
    double back = strtod(out, NULL);
    if (is_float ? (float)back == (float)value : back == value) break;
  }
  leave_c_locale(before);
  return (size_t)len;
}

size_t dvt_number_format_float(float value, char out[DVT_NUMBER_CHARS]) {
  return format((double)value, true, out);
}
size_t dvt_number_format_double(double value, char out[DVT_NUMBER_CHARS]) {
  return format(value, false, out);
}
