// Writing attribute values: each function appends one serialised AttrValue (field numbers in attr.h).
#include "op/attr.h"
#include "tensor/tensor_proto.h"

enum {
  FIELD_LIST = 1,
  FIELD_S,
  FIELD_I,
  FIELD_F,
  FIELD_B,
  FIELD_TYPE,
  FIELD_SHAPE,
  FIELD_TENSOR,
  FIELD_PLACEHOLDER,
  FIELD_FUNC
};

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

void dvt_attr_put_string(dvt_buf *out, dvt_str value) { dvt_wire_put_bytes(out, FIELD_S, value); }
void dvt_attr_put_int(dvt_buf *out, int64_t value) { dvt_wire_put_varint(out, FIELD_I, (uint64_t)value); }
void dvt_attr_put_float(dvt_buf *out, float value) { dvt_wire_put_float(out, FIELD_F, value); }
void dvt_attr_put_bool(dvt_buf *out, bool value) { dvt_wire_put_varint(out, FIELD_B, value); }
void dvt_attr_put_type(dvt_buf *out, int dtype) {
  dvt_wire_put_varint(out, FIELD_TYPE, (uint64_t)(int64_t)dtype);
}
void dvt_attr_put_tensor_proto(dvt_buf *out, dvt_str proto) { dvt_wire_put_bytes(out, FIELD_TENSOR, proto); }
void dvt_attr_put_placeholder(dvt_buf *out, dvt_str name) {
  dvt_wire_put_bytes(out, FIELD_PLACEHOLDER, name);
}

void dvt_attr_put_shape(dvt_buf *out, const int64_t *dims, int rank) {
  size_t begin = dvt_wire_begin(out, FIELD_SHAPE);
  dvt_shape_to_proto(dims, rank, out);
  dvt_wire_end(out, begin);
}

void dvt_attr_put_func_name(dvt_buf *out, dvt_str name) {
  size_t begin = dvt_wire_begin(out, FIELD_FUNC);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_end(out, begin);
}

void dvt_attr_put_string_list(dvt_buf *out, const dvt_str *values, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  for (size_t i = 0; i < count; i++) dvt_wire_put_bytes(out, FIELD_S, values[i]);
  dvt_wire_end(out, begin);
}

void dvt_attr_put_int_list(dvt_buf *out, const int64_t *values, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  if (count > 0) {
    size_t packed = dvt_wire_begin(out, FIELD_I);
    for (size_t i = 0; i < count; i++) dvt_wire_put_raw_varint(out, (uint64_t)values[i]);
    dvt_wire_end(out, packed);
  }
  dvt_wire_end(out, begin);
}

void dvt_attr_put_float_list(dvt_buf *out, const float *values, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  if (count > 0) {
    size_t packed = dvt_wire_begin(out, FIELD_F);
    for (size_t i = 0; i < count; i++) {
      uint32_t bits = float_bits(values[i]);
      unsigned char le[4] = {bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24};
      dvt_buf_append(out, le, sizeof le);
    }
    dvt_wire_end(out, packed);
  }
  dvt_wire_end(out, begin);
}

void dvt_attr_put_bool_list(dvt_buf *out, const unsigned char *values, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  if (count > 0) {
    size_t packed = dvt_wire_begin(out, FIELD_B);
    for (size_t i = 0; i < count; i++) dvt_wire_put_raw_varint(out, values[i] != 0);
    dvt_wire_end(out, packed);
  }
  dvt_wire_end(out, begin);
}

void dvt_attr_put_type_list(dvt_buf *out, const int *dtypes, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  if (count > 0) {
    size_t packed = dvt_wire_begin(out, FIELD_TYPE);
    for (size_t i = 0; i < count; i++) dvt_wire_put_raw_varint(out, (uint64_t)(int64_t)dtypes[i]);
    dvt_wire_end(out, packed);
  }
  dvt_wire_end(out, begin);
}

void dvt_attr_put_shape_list(dvt_buf *out, const int64_t *const *dims, const int *ranks, size_t count) {
  size_t begin = dvt_wire_begin(out, FIELD_LIST);
  for (size_t i = 0; i < count; i++) {
    size_t shape = dvt_wire_begin(out, FIELD_SHAPE);
    dvt_shape_to_proto(dims[i], ranks[i], out);
    dvt_wire_end(out, shape);
  }
  dvt_wire_end(out, begin);
}
