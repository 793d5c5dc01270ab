// Tensor to TensorProto: a single value in the field of its dtype, which reads well as text; more of them as
// tensor_content; strings always one by one.
#include "tensor/proto_fields.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

// int_val is a signed 32-bit field: narrow signed values are sign-extended to the 64 bits of a varint.
static uint64_t int_bits(int dtype, const void *data) {
  switch (dtype) {
    case TF_INT8:
    case TF_QINT8:
    case TF_INT4:
    case TF_INT2:
      return (uint64_t)(int64_t) * (const int8_t *)data;
    case TF_INT16:
    case TF_QINT16:
      return (uint64_t)(int64_t) * (const int16_t *)data;
    case TF_INT32:
    case TF_QINT32:
      return (uint64_t)(int64_t) * (const int32_t *)data;
    default:
      break;
  }
  uint64_t bits = 0;
  memcpy(&bits, data, dvt_dtype_size(dtype));
  return bits;
}

static void put_single(const TF_Tensor *t, dvt_buf *out) {
  const dvt_value_field *how = dvt_value_field_of(t->dtype);
  size_t element_bytes = how->scalar_bytes * how->lanes;
  if (how->wire != DVT_WIRE_VARINT) {
    dvt_wire_put_bytes(out, how->number, dvt_str_make(t->data, element_bytes));
    return;
  }
  size_t packed = dvt_wire_begin(out, how->number);
  dvt_wire_put_raw_varint(out, int_bits(t->dtype, t->data));
  dvt_wire_end(out, packed);
}

static void put_strings(const TF_Tensor *t, int64_t count, dvt_buf *out) {
  const TF_TString *strings = t->data;
  for (int64_t i = 0; i < count; i++)
    dvt_wire_put_bytes(out, DVT_TENSOR_STRING_VAL, dvt_tstring_view(&strings[i]));
}

dvt_status dvt_tensor_to_proto(const TF_Tensor *t, dvt_buf *out) {
  if (t->dtype == TF_RESOURCE || t->dtype == TF_VARIANT)
    return dvt_error(TF_UNIMPLEMENTED, "a tensor of dtype %s cannot be written as a TensorProto",
                     dvt_dtype_name(t->dtype));
  DVT_RETURN_IF_ERROR(dvt_tensor_check_size(t));
  int64_t count = dvt_tensor_count(t);
  dvt_wire_put_varint(out, DVT_TENSOR_DTYPE, (uint64_t)t->dtype);
  size_t shape = dvt_wire_begin(out, DVT_TENSOR_SHAPE);
  dvt_shape_to_proto(dvt_tensor_dims(t), t->rank, out);
  dvt_wire_end(out, shape);
  if (t->dtype == TF_STRING)
    put_strings(t, count, out);
  else if (count == 1)
    put_single(t, out);
  else if (count > 1)
    dvt_wire_put_bytes(out, DVT_TENSOR_CONTENT,
                       dvt_str_make(t->data, (size_t)count * dvt_dtype_size(t->dtype)));
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}
