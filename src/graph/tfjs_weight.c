// Values of one weight: how many bytes it takes, and its values as a TensorProto. A converter stores 64-bit
// integers as int32 and other floats as float32 while the node keeps its dtype, so values change dtype here
// where none is lost.
#include <math.h>

#include "graph/tfjs_internal.h"
#include "tensor/half.h"
#include "tensor/proto_fields.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"

enum { LENGTH_BYTES = 4 };  // of a string

// Little-endian, wherever it lies.
static uint32_t read_u32(const char *at) {
  const unsigned char *p = (const unsigned char *)at;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t read_u16(const char *at) {
  const unsigned char *p = (const unsigned char *)at;
  return (uint16_t)(p[0] | p[1] << 8);
}

static size_t stored_size(const tfjs_weight *w) {
  switch (w->code) {
    case TFJS_UINT8:
      return 1;
    case TFJS_UINT16:
    case TFJS_FLOAT16:
      return 2;
    case TFJS_PLAIN:
      break;
  }
  return dvt_dtype_size(w->dtype);
}

static dvt_status too_short(const tfjs_reader *r, const tfjs_weight *w, size_t have) {
  return tfjs_error(
      r, "weight '%s', %lld values of %s, does not fit into the %zu bytes that are left of its files",
      w->name.data, (long long)w->count, dvt_dtype_name(w->dtype), have);
}

static dvt_status strings_size(const tfjs_reader *r, const tfjs_weight *w, dvt_str rest, size_t *out_bytes) {
  size_t at = 0;
  for (int64_t i = 0; i < w->count; ++i) {
    if (rest.len - at < LENGTH_BYTES) return too_short(r, w, rest.len);
    size_t len = read_u32(rest.data + at);
    at += LENGTH_BYTES;
    if (rest.len - at < len) return too_short(r, w, rest.len);
    at += len;
  }
  *out_bytes = at;
  return NULL;
}

dvt_status tfjs_weight_size(const tfjs_reader *r, const tfjs_weight *w, dvt_str rest, size_t *out_bytes) {
  if (w->dtype == TF_STRING) return strings_size(r, w, rest, out_bytes);
  size_t bytes;
  if (!dvt_size_mul((size_t)w->count, stored_size(w), &bytes) || bytes > rest.len)
    return too_short(r, w, rest.len);
  *out_bytes = bytes;
  return NULL;
}

// ---- values ----

// Every stored number is exact in a double.
static double value_at(const tfjs_weight *w, int64_t i) {
  const char *data = w->bytes.data;
  switch (w->code) {
    case TFJS_UINT8:
      return (unsigned char)data[i] * w->scale + w->min;
    case TFJS_UINT16:
      return read_u16(data + 2 * i) * w->scale + w->min;
    case TFJS_FLOAT16:
      return dvt_half_to_float(read_u16(data + 2 * i));
    case TFJS_PLAIN:
      break;
  }
  switch (w->dtype) {
    case TF_FLOAT:
      return dvt_bits_to_float(read_u32(data + 4 * i));
    case TF_INT32:
      return (int32_t)read_u32(data + 4 * i);
    case TF_UINT16:
      return read_u16(data + 2 * i);
    case TF_HALF:
      return dvt_half_to_float(read_u16(data + 2 * i));
    default:  // bool, uint8
      return (unsigned char)data[i];
  }
}

static bool is_real(int dtype) {
  return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
}

// The range of an integer dtype; false for others.
static bool int_range(int dtype, double *out_min, double *out_max) {
  static const struct {
    int dtype;
    double min, max;
  } ranges[] = {
      {TF_INT8, -0x1p7, 0x1p7 - 1}, {TF_INT16, -0x1p15, 0x1p15 - 1}, {TF_INT32, -0x1p31, 0x1p31 - 1},
      {TF_INT64, -0x1p53, 0x1p53},  {TF_UINT8, 0, 0x1p8 - 1},        {TF_UINT16, 0, 0x1p16 - 1},
      {TF_UINT32, 0, 0x1p32 - 1},   {TF_UINT64, 0, 0x1p53},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(ranges); ++i) {
    if (ranges[i].dtype != dtype) continue;
    *out_min = ranges[i].min;
    *out_max = ranges[i].max;
    return true;
  }
  return false;
}

static bool can_become(int from, int to) {
  double min, max;
  if (from == to) return true;
  return (is_real(from) && is_real(to)) || (int_range(from, &min, &max) && int_range(to, &min, &max));
}

static void put_real(char *to, int dtype, double value) {
  // What is stored as float16 or quantised is a float first, as in TensorFlow.js.
  float single = (float)value;
  double wide = single;
  uint16_t narrow = dtype == TF_HALF ? dvt_float_to_half(single) : dvt_float_to_bfloat16(single);
  if (dtype == TF_FLOAT)
    memcpy(to, &single, sizeof single);
  else if (dtype == TF_DOUBLE)
    memcpy(to, &wide, sizeof wide);
  else
    memcpy(to, &narrow, sizeof narrow);
}

static dvt_status put_values(const tfjs_reader *r, const tfjs_weight *w, int dtype, char *to) {
  size_t size = dvt_dtype_size(dtype);
  double min = 0, max = 0, value_min, value_max;
  bool integer = int_range(dtype, &min, &max);
  if (integer && int_range(w->dtype, &value_min, &value_max)) {
    min = DVT_MAX(min, value_min);
    max = DVT_MIN(max, value_max);
  }
  for (int64_t i = 0; i < w->count; ++i, to += size) {
    double value = value_at(w, i);
    if (dtype == TF_BOOL) {
      *to = value != 0;
    } else if (!integer) {
      put_real(to, dtype, value);
    } else {
      if (w->code != TFJS_PLAIN) value = floor(value + 0.5);
      if (!(value >= min && value <= max))
        return tfjs_error(r, "weight '%s': its value %g at position %lld does not fit into %s", w->name.data,
                          value, (long long)i, dvt_dtype_name(dtype));
      int64_t whole = (int64_t)value;
      memcpy(to, &whole, size);
    }
  }
  return NULL;
}

static void put_strings(const tfjs_weight *w, dvt_buf *out) {
  const char *at = w->bytes.data;
  for (int64_t i = 0; i < w->count; ++i) {
    size_t len = read_u32(at);
    dvt_wire_put_bytes(out, DVT_TENSOR_STRING_VAL, dvt_str_make(at + LENGTH_BYTES, len));
    at += LENGTH_BYTES + len;
  }
}

dvt_status tfjs_weight_to_proto(const tfjs_reader *r, const tfjs_weight *w, int dtype, dvt_buf *out) {
  if (!can_become(w->dtype, dtype))
    return tfjs_error(
        r, "weight '%s' is %s, but its node wants %s. The manifest and the graph do not belong together.",
        w->name.data, dvt_dtype_name(w->dtype), dvt_dtype_name(dtype));
  dvt_wire_put_varint(out, DVT_TENSOR_DTYPE, (uint64_t)dtype);
  size_t shape = dvt_wire_begin(out, DVT_TENSOR_SHAPE);
  dvt_shape_to_proto(w->dims, w->rank, out);
  dvt_wire_end(out, shape);
  if (dtype == TF_STRING) {
    put_strings(w, out);
    return NULL;
  }
  if (w->code == TFJS_PLAIN && w->dtype == dtype && dtype != TF_BOOL) {
    if (w->bytes.len) dvt_wire_put_bytes(out, DVT_TENSOR_CONTENT, w->bytes);
    return NULL;
  }
  size_t bytes;
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(dtype, w->dims, w->rank, &bytes));
  if (bytes == 0) return NULL;
  size_t content = dvt_wire_begin(out, DVT_TENSOR_CONTENT);
  char *to = dvt_buf_extend(out, bytes);
  if (!to) return dvt_error_out_of_memory(bytes);
  DVT_RETURN_IF_ERROR(put_values(r, w, dtype, to));
  dvt_wire_end(out, content);
  return NULL;
}
