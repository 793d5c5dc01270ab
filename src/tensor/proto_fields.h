// Field numbers of the public tensor.proto, and which of its value fields each dtype uses. For tensor_proto.c
// (reading) and tensor_proto_write.c.
#ifndef DVT_TENSOR_PROTO_FIELDS_H_
#define DVT_TENSOR_PROTO_FIELDS_H_

#include "base/wire.h"
#include "tensor/dtype.h"

enum {
  DVT_TENSOR_DTYPE = 1,
  DVT_TENSOR_SHAPE = 2,
  DVT_TENSOR_CONTENT = 4,
  DVT_TENSOR_FLOAT_VAL = 5,
  DVT_TENSOR_DOUBLE_VAL = 6,
  DVT_TENSOR_INT_VAL = 7,
  DVT_TENSOR_STRING_VAL = 8,
  DVT_TENSOR_SCOMPLEX_VAL = 9,
  DVT_TENSOR_INT64_VAL = 10,
  DVT_TENSOR_BOOL_VAL = 11,
  DVT_TENSOR_DCOMPLEX_VAL = 12,
  DVT_TENSOR_HALF_VAL = 13,
  DVT_TENSOR_RESOURCE_VAL = 14,
  DVT_TENSOR_VARIANT_VAL = 15,
  DVT_TENSOR_UINT32_VAL = 16,
  DVT_TENSOR_UINT64_VAL = 17,
  DVT_TENSOR_FLOAT8_VAL = 18,
};

// X(dtype, field, wire type of a scalar, bytes of a scalar in the tensor, scalars an element)
#define DVT_VALUE_FIELDS(X)                                             \
  X(TF_FLOAT, DVT_TENSOR_FLOAT_VAL, DVT_WIRE_FIXED32, 4, 1)             \
  X(TF_DOUBLE, DVT_TENSOR_DOUBLE_VAL, DVT_WIRE_FIXED64, 8, 1)           \
  X(TF_INT32, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 4, 1)                \
  X(TF_UINT8, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                \
  X(TF_INT16, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 2, 1)                \
  X(TF_INT8, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                 \
  X(TF_COMPLEX64, DVT_TENSOR_SCOMPLEX_VAL, DVT_WIRE_FIXED32, 4, 2)      \
  X(TF_INT64, DVT_TENSOR_INT64_VAL, DVT_WIRE_VARINT, 8, 1)              \
  X(TF_BOOL, DVT_TENSOR_BOOL_VAL, DVT_WIRE_VARINT, 1, 1)                \
  X(TF_QINT8, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                \
  X(TF_QUINT8, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)               \
  X(TF_QINT32, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 4, 1)               \
  X(TF_BFLOAT16, DVT_TENSOR_HALF_VAL, DVT_WIRE_VARINT, 2, 1)            \
  X(TF_QINT16, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 2, 1)               \
  X(TF_QUINT16, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 2, 1)              \
  X(TF_UINT16, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 2, 1)               \
  X(TF_COMPLEX128, DVT_TENSOR_DCOMPLEX_VAL, DVT_WIRE_FIXED64, 8, 2)     \
  X(TF_HALF, DVT_TENSOR_HALF_VAL, DVT_WIRE_VARINT, 2, 1)                \
  X(TF_UINT32, DVT_TENSOR_UINT32_VAL, DVT_WIRE_VARINT, 4, 1)            \
  X(TF_UINT64, DVT_TENSOR_UINT64_VAL, DVT_WIRE_VARINT, 8, 1)            \
  X(TF_FLOAT8_E5M2, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1)        \
  X(TF_FLOAT8_E4M3FN, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1)      \
  X(TF_FLOAT8_E4M3FNUZ, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1)    \
  X(TF_FLOAT8_E4M3B11FNUZ, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1) \
  X(TF_FLOAT8_E5M2FNUZ, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1)    \
  X(TF_INT4, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                 \
  X(TF_UINT4, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                \
  X(TF_INT2, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                 \
  X(TF_UINT2, DVT_TENSOR_INT_VAL, DVT_WIRE_VARINT, 1, 1)                \
  X(TF_FLOAT4_E2M1FN, DVT_TENSOR_FLOAT8_VAL, DVT_WIRE_BYTES, 1, 1)

typedef struct dvt_value_field {
  uint32_t number;
  dvt_wire_type wire;
  size_t scalar_bytes, lanes;
} dvt_value_field;

// NULL for string, resource, variant and unknown dtypes.
const dvt_value_field *dvt_value_field_of(int dtype);

#endif  // DVT_TENSOR_PROTO_FIELDS_H_
