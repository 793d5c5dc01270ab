// Tensors made up for a dtype and a shape, always the same for a seed, and their comparison.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "dtype.h"
#include "suite.h"
#include "tensor/half.h"

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// ---- numbers ----

static double real_of(suite_mode mode, int64_t i, uint32_t *state) {
  static const double extremes[] = {NAN,     INFINITY, -INFINITY, -0.0, 5e-324, 1e-40,
                                    -3.4e38, 1.7e308,  1e10,      -1.5, 65504,  0};
  if (mode == SUITE_ONES) return 1;
  if (mode == SUITE_EXTREME) return extremes[(size_t)i % DVT_COUNT_OF(extremes)];
  return (double)next_random(state) * 0x1p-22 - 2;
}

static int64_t whole_of(suite_mode mode, int64_t i, uint32_t *state, size_t bytes, bool is_signed) {
  if (mode == SUITE_ONES) return 1;
  if (mode == SUITE_ORDINARY) return next_random(state) % 3;
  int bits = (int)bytes * 8 - (is_signed ? 1 : 0);
  int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
  const int64_t extremes[] = {-1, most, is_signed ? -most - 1 : 0, -2, 0, most / 2, 3, -7};
  return extremes[(size_t)i % DVT_COUNT_OF(extremes)];
}

static double in_range(double value, const json_value *spec, uint32_t *state) {
  const json_value *least = json_member(spec, "min"), *most = json_member(spec, "max");
  if (!least && !most) return value;
  double low = least ? least->number : most->number - 4, high = most ? most->number : least->number + 4;
  return low + (high - low) * ((double)next_random(state) * 0x1p-24);
}

static void put_whole(char *at, size_t bytes, int64_t value) { memcpy(at, &value, bytes); }  // little-endian

static void put_real(TF_DataType dtype, char *at, double value) {
  float narrow = (float)value;
  uint16_t half;
  switch ((int)dtype) {
    case TF_DOUBLE:
    case TF_COMPLEX128:
      memcpy(at, &value, sizeof value);
      break;
    case TF_HALF:
      half = dvt_float_to_half(narrow);
      memcpy(at, &half, sizeof half);
      break;
    case TF_BFLOAT16:
      half = dvt_float_to_bfloat16(narrow);
      memcpy(at, &half, sizeof half);
      break;
    default:
      memcpy(at, &narrow, sizeof narrow);
  }
}

// What the file gives for element i: its list, one value for all, or NULL.
static const json_value *listed(const json_value *spec, int64_t i) {
  const json_value *values = json_member(spec, "values");
  if (!values || values->kind != JSON_ARRAY) return values;
  const json_value *item = values->first;
  if (!item) return NULL;
  for (int64_t k = i % values->count; k > 0; k--) item = item->next;
  return item;
}

static void fill_numbers(TF_Tensor *t, suite_mode mode, uint32_t state, const json_value *spec) {
  TF_DataType dtype = TF_TensorType(t);
  dtype_kind kind = dtype_kind_of(dtype);
  size_t bytes = TF_DataTypeSize(dtype);
  char *at = TF_TensorData(t);
  int64_t count = TF_TensorElementCount(t);
  for (int64_t i = 0; i < count; i++, at += bytes) {
    const json_value *given = listed(spec, i);
    if (kind == KIND_FLOAT || kind == KIND_COMPLEX) {
      size_t part = kind == KIND_COMPLEX ? bytes / 2 : bytes;
      double value = given ? given->number : in_range(real_of(mode, i, &state), spec, &state);
      put_real(dtype, at, value);
      if (part < bytes)
        put_real(dtype, at + part, given || mode == SUITE_ONES ? 0 : real_of(mode, i + 1, &state));
    } else if (kind == KIND_BOOL) {
      *at = given ? given->truth || given->number != 0 : mode == SUITE_ONES || next_random(&state) % 2;
    } else {
      int64_t value = whole_of(mode, i, &state, bytes, kind != KIND_UINT);
      if (json_member(spec, "min") || json_member(spec, "max")) {
        double least = json_member(spec, "min") ? json_member(spec, "min")->number : -INFINITY;
        value = (int64_t)fmax(least, floor(in_range((double)value, spec, &state) + 0.5));
      }
      put_whole(at, bytes, given ? given->integer : value);
    }
  }
}

static void fill_strings(TF_Tensor *t, suite_mode mode, uint32_t state, const json_value *spec) {
  static const char *const ordinary[] = {"a",         "12",  "",
                                         "two words", "3.5", "a longer text that needs memory of its own"};
  static const char *const extreme[] = {"", "\xff\xfe", "-1", "99999999999999999999", "%s%n", "[]()*\\"};
  TF_TString *strings = TF_TensorData(t);
  int64_t count = TF_TensorElementCount(t);
  for (int64_t i = 0; i < count; i++) {
    const json_value *given = listed(spec, i);
    size_t pick = next_random(&state) % DVT_COUNT_OF(ordinary);
    const char *text = given && given->text    ? given->text
                       : mode == SUITE_ONES    ? "a"
                       : mode == SUITE_EXTREME ? extreme[pick]
                                               : ordinary[pick];
    TF_TString_Copy(&strings[i], text, strlen(text));
  }
}

bool suite_value_can_be_made(TF_DataType dtype) {
  return dtype == TF_STRING || (TF_DataTypeSize(dtype) > 0 && dtype_kind_of(dtype) != KIND_NONE);
}

TF_Tensor *suite_value(TF_DataType dtype, const suite_shape *shape, suite_mode mode, uint32_t seed,
                       const json_value *spec) {
  int64_t count = 1;
  if (!suite_value_can_be_made(dtype)) return NULL;
  for (int d = 0; d < shape->rank; d++)
    if (__builtin_mul_overflow(count, shape->dims[d], &count) || count > INT32_MAX) return NULL;
  size_t size = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
  TF_Tensor *t = TF_AllocateTensor(dtype, shape->dims, shape->rank, (size_t)count * size);
  if (!t) return NULL;
  if (dtype == TF_STRING)
    fill_strings(t, mode, seed, spec);
  else if (dtype_kind_of(dtype) == KIND_RAW)
    memset(TF_TensorData(t), 0x38, TF_TensorByteSize(t));  // 1 or near it, in either format
  else
    fill_numbers(t, mode, seed, spec);
  return t;
}

static void free_elsewhere(void *data, size_t len, void *block) {
  (void)data, (void)len;
  free(block);
}

TF_Tensor *suite_value_elsewhere(const TF_Tensor *tensor) {
  TF_DataType dtype = TF_TensorType(tensor);
  size_t len = TF_TensorByteSize(tensor), offset = DVT_MAX(TF_DataTypeSize(dtype), (size_t)1);
  int64_t dims[SUITE_MAX_RANK];
  char *block = dtype == TF_STRING ? NULL : malloc(len + offset + 1);
  if (!block) return NULL;
  if (len) memcpy(block + offset, TF_TensorData(tensor), len);
  for (int d = 0; d < TF_NumDims(tensor); d++) dims[d] = TF_Dim(tensor, d);
  return TF_NewTensor(dtype, dims, TF_NumDims(tensor), block + offset, len, free_elsewhere, block);
}

// ---- comparison ----

static bool equal_real(TF_DataType dtype, const char *a, const char *b) {
  uint16_t x, y;
  double da, db;
  float fa, fb;
  switch ((int)dtype) {
    case TF_DOUBLE:
    case TF_COMPLEX128:
      memcpy(&da, a, sizeof da);
      memcpy(&db, b, sizeof db);
      return isnan(da) && isnan(db);
    case TF_HALF:
    case TF_BFLOAT16:
      memcpy(&x, a, sizeof x);
      memcpy(&y, b, sizeof y);
      if (dtype == TF_HALF) return isnan(dvt_half_to_float(x)) && isnan(dvt_half_to_float(y));
      return isnan(dvt_bfloat16_to_float(x)) && isnan(dvt_bfloat16_to_float(y));
    default:
      memcpy(&fa, a, sizeof fa);
      memcpy(&fb, b, sizeof fb);
      return isnan(fa) && isnan(fb);
  }
}

static bool equal_numbers(TF_DataType dtype, const char *a, const char *b, size_t bytes) {
  dtype_kind kind = dtype_kind_of(dtype);
  if (memcmp(a, b, bytes) == 0) return true;
  if (kind != KIND_FLOAT && kind != KIND_COMPLEX) return false;
  size_t part = TF_DataTypeSize(dtype) / (kind == KIND_COMPLEX ? 2 : 1);
  for (size_t at = 0; at + part <= bytes; at += part)
    if (memcmp(a + at, b + at, part) != 0 && !equal_real(dtype, a + at, b + at)) return false;
  return true;
}

static bool equal_strings(const TF_Tensor *a, const TF_Tensor *b) {
  const TF_TString *x = TF_TensorData(a), *y = TF_TensorData(b);
  for (int64_t i = 0; i < TF_TensorElementCount(a); i++) {
    size_t len = TF_TString_GetSize(&x[i]);
    if (len != TF_TString_GetSize(&y[i]) ||
        memcmp(TF_TString_GetDataPointer(&x[i]), TF_TString_GetDataPointer(&y[i]), len) != 0)
      return false;
  }
  return true;
}

bool suite_value_equal(const TF_Tensor *a, const TF_Tensor *b) {
  TF_DataType dtype = TF_TensorType(a);
  if (dtype != TF_TensorType(b) || TF_NumDims(a) != TF_NumDims(b)) return false;
  for (int d = 0; d < TF_NumDims(a); d++)
    if (TF_Dim(a, d) != TF_Dim(b, d)) return false;
  if (dtype == TF_RESOURCE || dtype == TF_VARIANT) return true;
  if (dtype == TF_STRING) return equal_strings(a, b);
  size_t bytes = TF_TensorByteSize(a);
  return bytes == TF_TensorByteSize(b) &&
         (bytes == 0 || equal_numbers(dtype, TF_TensorData(a), TF_TensorData(b), bytes));
}

// ---- shapes ----

bool suite_spec_shape(const json_value *spec, suite_shape *out) {
  const json_value *shape = json_member(spec, "shape"), *values = json_member(spec, "values");
  if (shape && shape->kind == JSON_ARRAY && shape->count <= SUITE_MAX_RANK) {
    out->rank = 0;
    for (const json_value *d = shape->first; d; d = d->next)
      out->dims[out->rank++] = d->integer < 0 ? 0 : d->integer;
    return true;
  }
  if (!values) return false;
  out->rank = values->kind == JSON_ARRAY;
  out->dims[0] = values->count;
  return true;
}

void suite_shape_print(const suite_shape *shape, FILE *out) {
  fputc('[', out);
  for (int d = 0; d < shape->rank; d++) fprintf(out, "%s%" PRId64, d ? "," : "", shape->dims[d]);
  fputc(']', out);
}
