// Changing the dtype of an array's values. Integers become another integer or a floating-point type only if
// every value survives exactly; floating-point values become another floating-point type, rounded to nearest.
// Everything else (rounding to integers, numbers to booleans, dropping imaginary parts) is refused: whoever
// wants it says so in NumPy.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "tensor/half.h"

typedef union element {
  int64_t i;
  uint64_t u;
  double f;
} element;

static element load(TF_DataType dtype, const char *p) {
  element e = {0};
#define AS(type, member)     \
  do {                       \
    type v;                  \
    memcpy(&v, p, sizeof v); \
    e.member = v;            \
  } while (0)
  switch ((int)dtype) {
    case TF_INT8:
      AS(int8_t, i);
      break;
    case TF_INT16:
      AS(int16_t, i);
      break;
    case TF_INT32:
      AS(int32_t, i);
      break;
    case TF_INT64:
      AS(int64_t, i);
      break;
    case TF_UINT8:
      AS(uint8_t, u);
      break;
    case TF_UINT16:
      AS(uint16_t, u);
      break;
    case TF_UINT32:
      AS(uint32_t, u);
      break;
    case TF_UINT64:
      AS(uint64_t, u);
      break;
    case TF_FLOAT:
      AS(float, f);
      break;
    case TF_DOUBLE:
      AS(double, f);
      break;
    case TF_HALF: {
      uint16_t v;
      memcpy(&v, p, sizeof v);
      e.f = dvt_half_to_float(v);
      break;
    }
    case TF_BFLOAT16: {
      uint16_t v;
      memcpy(&v, p, sizeof v);
      e.f = dvt_bfloat16_to_float(v);
      break;
    }
    default:
      break;
  }
#undef AS
  return e;
}

// Stores an integer; false when it does not fit exactly. `negative` values are in e.i, others in e.u.
static bool store_integer(TF_DataType dtype, element e, bool negative, char *p) {
  double f = negative ? (double)e.i : (double)e.u;
#define TO(type, low, high)                                                     \
  do {                                                                          \
    if (negative ? e.i < (int64_t)(low) : e.u > (uint64_t)(high)) return false; \
    type v = negative ? (type)e.i : (type)e.u;                                  \
    memcpy(p, &v, sizeof v);                                                    \
    return true;                                                                \
  } while (0)
  switch ((int)dtype) {
    case TF_INT8:
      TO(int8_t, INT8_MIN, INT8_MAX);
    case TF_INT16:
      TO(int16_t, INT16_MIN, INT16_MAX);
    case TF_INT32:
      TO(int32_t, INT32_MIN, INT32_MAX);
    case TF_INT64:
      TO(int64_t, INT64_MIN, INT64_MAX);
    case TF_UINT8:
      TO(uint8_t, 0, UINT8_MAX);
    case TF_UINT16:
      TO(uint16_t, 0, UINT16_MAX);
    case TF_UINT32:
      TO(uint32_t, 0, UINT32_MAX);
    case TF_UINT64:
      TO(uint64_t, 0, UINT64_MAX);
    default:
      break;
  }
#undef TO
  // Integers that a floating-point type holds exactly have no more significant bits than its fraction.
  uint64_t magnitude = negative ? ~(uint64_t)e.i + 1 : e.u;
  int bits = dtype == TF_DOUBLE ? 53 : dtype == TF_FLOAT ? 24 : dtype == TF_HALF ? 11 : 8;
  while (magnitude && !(magnitude & 1)) magnitude >>= 1;
  if (magnitude >> bits || (dtype == TF_HALF && fabs(f) > 65504)) return false;
  float single = (float)f;
  uint16_t half = dtype == TF_HALF ? dvt_float_to_half(single) : dvt_float_to_bfloat16(single);
  if (dtype == TF_DOUBLE)
    memcpy(p, &f, sizeof f);
  else if (dtype == TF_FLOAT)
    memcpy(p, &single, sizeof single);
  else
    memcpy(p, &half, sizeof half);
  return true;
}

static void store_float(TF_DataType dtype, double f, char *p) {
  float single = (float)f;
  uint16_t half = dtype == TF_HALF ? dvt_float_to_half(single) : dvt_float_to_bfloat16(single);
  if (dtype == TF_DOUBLE)
    memcpy(p, &f, sizeof f);
  else if (dtype == TF_FLOAT)
    memcpy(p, &single, sizeof single);
  else
    memcpy(p, &half, sizeof half);
}

static bool refuse(TF_DataType from, TF_DataType to, TF_Status *status) {
  return cli_fail(status, TF_INVALID_ARGUMENT,
                  "it holds %s, the model wants %s, and one does not become the other exactly; "
                  "convert it in NumPy with array.astype(...)",
                  dtype_name(from), dtype_name(to));
}

static bool convert_numbers(const TF_Tensor *in, TF_Tensor *out, TF_Status *status) {
  TF_DataType from = TF_TensorType(in), to = TF_TensorType(out);
  const char *p = TF_TensorData(in);
  char *q = TF_TensorData(out);
  size_t step_in = TF_DataTypeSize(from), step_out = TF_DataTypeSize(to);
  int64_t count = TF_TensorElementCount(in);
  dtype_kind kind = dtype_kind_of(from);
  for (int64_t i = 0; i < count; ++i, p += step_in, q += step_out) {
    element e = load(from, p);
    if (kind == KIND_FLOAT) {
      store_float(to, e.f, q);
      continue;
    }
    bool negative = kind == KIND_INT && e.i < 0;
    if (store_integer(to, e, negative, q)) continue;
    char text[32];
    snprintf(text, sizeof text, negative ? "%" PRId64 : "%" PRIu64, e.i);
    return cli_fail(status, TF_INVALID_ARGUMENT,
                    "its value %s (element %" PRId64
                    ", %s) does not fit into %s, which the "
                    "model wants",
                    text, i, dtype_name(from), dtype_name(to));
  }
  return true;
}

static bool convert_complex(const TF_Tensor *in, TF_Tensor *out) {
  int64_t parts = TF_TensorElementCount(in) * 2;
  const float *narrow = TF_TensorData(in);
  const double *wide = TF_TensorData(in);
  for (int64_t i = 0; i < parts; ++i) {
    if (TF_TensorType(out) == TF_COMPLEX128)
      ((double *)TF_TensorData(out))[i] = narrow[i];
    else
      ((float *)TF_TensorData(out))[i] = (float)wide[i];
  }
  return true;
}

// Quantised integers are stored as plain ones.
static bool same_storage(TF_DataType from, TF_DataType to) {
  return dtype_npy_code(from)[0] && strcmp(dtype_npy_code(from), dtype_npy_code(to)) == 0 &&
         dtype_kind_of(from) == dtype_kind_of(to) && TF_DataTypeSize(from) > 0;
}

static bool fill(const TF_Tensor *in, TF_Tensor *out, TF_Status *status) {
  TF_DataType from = TF_TensorType(in), to = TF_TensorType(out);
  dtype_kind a = dtype_kind_of(from), b = dtype_kind_of(to);
  bool integer = a == KIND_INT || a == KIND_UINT, to_integer = b == KIND_INT || b == KIND_UINT;
  if (same_storage(from, to)) {
    if (TF_TensorByteSize(in)) memcpy(TF_TensorData(out), TF_TensorData(in), TF_TensorByteSize(in));
    return true;
  }
  bool quantised = (to >= TF_QINT8 && to <= TF_QINT32) || to == TF_QINT16 || to == TF_QUINT16;
  if (!quantised && ((integer && (to_integer || b == KIND_FLOAT)) || (a == KIND_FLOAT && b == KIND_FLOAT)))
    return convert_numbers(in, out, status);
  if (a == KIND_COMPLEX && b == KIND_COMPLEX) return convert_complex(in, out);
  return refuse(from, to, status);
}

TF_Tensor *convert_tensor(TF_Tensor *tensor, TF_DataType dtype, TF_Status *status) {
  if (!tensor || dtype == 0 || TF_TensorType(tensor) == dtype) return tensor;
  int64_t dims[254], rank = TF_NumDims(tensor), count = TF_TensorElementCount(tensor);
  for (int d = 0; d < rank; ++d) dims[d] = TF_Dim(tensor, d);
  TF_Tensor *out = NULL;
  bool ok = true;
  if (TF_DataTypeSize(dtype) == 0 || TF_TensorType(tensor) == TF_STRING) {
    ok = refuse(TF_TensorType(tensor), dtype, status);
  } else {
    out = TF_AllocateTensor(dtype, dims, (int)rank, (size_t)count * TF_DataTypeSize(dtype));
    ok = out ? fill(tensor, out, status)
             : cli_fail(status, TF_RESOURCE_EXHAUSTED, "there is no memory for %" PRId64 " elements", count);
  }
  TF_DeleteTensor(tensor);
  if (ok) return out;
  TF_DeleteTensor(out);
  return NULL;
}
