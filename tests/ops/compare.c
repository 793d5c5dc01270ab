// Comparing tensors: see compare.h.
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double sign = h >> 15 ? -1 : 1;
  if (exponent == 31) return mantissa ? (double)NAN : sign * (double)INFINITY;
  return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

static double bfloat_value(uint16_t h) {
  uint32_t bits = (uint32_t)h << 16;
  float x;
  memcpy(&x, &bits, sizeof(x));
  return (double)x;
}

// Element i of a floating tensor; complex numbers count as two elements. False for other dtypes.
static bool real_at(const TF_Tensor *t, int64_t i, double *out) {
  const void *data = TF_TensorData(t);
  switch (TF_TensorType(t)) {
    case TF_HALF:
      *out = half_value(((const uint16_t *)data)[i]);
      return true;
    case TF_BFLOAT16:
      *out = bfloat_value(((const uint16_t *)data)[i]);
      return true;
    case TF_FLOAT:
    case TF_COMPLEX64:
      *out = (double)((const float *)data)[i];
      return true;
    case TF_DOUBLE:
    case TF_COMPLEX128:
      *out = ((const double *)data)[i];
      return true;
    default:
      return false;
  }
}

static bool close_enough(double got, double expected, double relative, double absolute) {
  if (isnan(expected)) return isnan(got);
  if (isinf(expected) || isinf(got)) return got == expected;
  return fabs(got - expected) <= absolute + relative * fabs(expected);
}

static bool same_string(const TF_TString *a, const TF_TString *b) {
  size_t bytes = TF_StringGetSize(a);
  return bytes == TF_StringGetSize(b) &&
         memcmp(TF_StringGetDataPointer(a), TF_StringGetDataPointer(b), bytes) == 0;
}

static size_t print_shape(const TF_Tensor *t, char *out, size_t bytes) {
  size_t used = (size_t)snprintf(out, bytes, "dtype %d [", TF_TensorType(t));
  for (int i = 0; i < TF_NumDims(t) && used + 24 < bytes; i++)
    used += (size_t)snprintf(out + used, bytes - used, i ? ",%" PRId64 : "%" PRId64, TF_Dim(t, i));
  return used + (size_t)snprintf(out + used, bytes - used, "]");
}

bool tensors_match(const TF_Tensor *got, const TF_Tensor *expected, double relative, double absolute,
                   char *out, size_t out_bytes) {
  bool same = TF_TensorType(got) == TF_TensorType(expected) && TF_NumDims(got) == TF_NumDims(expected);
  for (int i = 0; same && i < TF_NumDims(got); i++) same = TF_Dim(got, i) == TF_Dim(expected, i);
  if (!same) {
    size_t used = print_shape(got, out, out_bytes);
    used += (size_t)snprintf(out + used, out_bytes - used, " instead of ");
    print_shape(expected, out + used, out_bytes - used);
    return false;
  }
  TF_DataType dtype = TF_TensorType(got);
  int64_t count = TF_TensorElementCount(got);
  if (dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128) count *= 2;
  for (int64_t i = 0; i < count; i++) {
    double a, b;
    if (real_at(got, i, &a) && real_at(expected, i, &b)) {
      if (close_enough(a, b, relative, absolute)) continue;
      snprintf(out, out_bytes, "element %" PRId64 " is %.9g instead of %.9g (tolerance %g + %g)", i, a, b,
               absolute, relative);
      return false;
    }
    size_t bytes = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
    const char *pa = (const char *)TF_TensorData(got) + (size_t)i * bytes,
               *pb = (const char *)TF_TensorData(expected) + (size_t)i * bytes;
    if (dtype == TF_STRING ? same_string((const TF_TString *)pa, (const TF_TString *)pb)
                           : memcmp(pa, pb, bytes) == 0)
      continue;
    int64_t va = 0, vb = 0;
    memcpy(&va, pa, bytes < 8 ? bytes : 8);
    memcpy(&vb, pb, bytes < 8 ? bytes : 8);
    snprintf(out, out_bytes, "element %" PRId64 " is 0x%" PRIx64 " instead of 0x%" PRIx64, i, (uint64_t)va,
             (uint64_t)vb);
    return false;
  }
  return true;
}
