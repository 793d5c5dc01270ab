// The dtype table: one row for each stock TF_DataType value. A dtype is carried as `int` with stock's numbers
// (TF_DataType); 100+x is the reference type of x, legal only in protos and signatures.
#ifndef DVT_TENSOR_DTYPE_H_
#define DVT_TENSOR_DTYPE_H_

#include "base/status.h"
#include "base/str.h"
#include "tensorflow/c/tf_datatype.h"

// X(number, NAME as in TF_NAME and DT_NAME, "spec name", bytes an element, group letters)
// Groups: n = numbertype, r = realnumbertype, q = quantizedtype (semantics.md rule 53).
#define DVT_DTYPES(X)                                    \
  X(1, FLOAT, "float", 4, "nr")                          \
  X(2, DOUBLE, "double", 8, "nr")                        \
  X(3, INT32, "int32", 4, "nr")                          \
  X(4, UINT8, "uint8", 1, "nr")                          \
  X(5, INT16, "int16", 2, "nr")                          \
  X(6, INT8, "int8", 1, "nr")                            \
  X(7, STRING, "string", 0, "")                          \
  X(8, COMPLEX64, "complex64", 8, "n")                   \
  X(9, INT64, "int64", 8, "nr")                          \
  X(10, BOOL, "bool", 1, "")                             \
  X(11, QINT8, "qint8", 1, "nq")                         \
  X(12, QUINT8, "quint8", 1, "nq")                       \
  X(13, QINT32, "qint32", 4, "nq")                       \
  X(14, BFLOAT16, "bfloat16", 2, "nr")                   \
  X(15, QINT16, "qint16", 2, "nq")                       \
  X(16, QUINT16, "quint16", 2, "nq")                     \
  X(17, UINT16, "uint16", 2, "nr")                       \
  X(18, COMPLEX128, "complex128", 16, "n")               \
  X(19, HALF, "half", 2, "nr")                           \
  X(20, RESOURCE, "resource", 0, "")                     \
  X(21, VARIANT, "variant", 0, "")                       \
  X(22, UINT32, "uint32", 4, "nr")                       \
  X(23, UINT64, "uint64", 8, "nr")                       \
  X(24, FLOAT8_E5M2, "float8_e5m2", 1, "")               \
  X(25, FLOAT8_E4M3FN, "float8_e4m3fn", 1, "")           \
  X(26, FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 1, "")       \
  X(27, FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", 1, "") \
  X(28, FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 1, "")       \
  X(29, INT4, "int4", 1, "")                             \
  X(30, UINT4, "uint4", 1, "")                           \
  X(31, INT2, "int2", 1, "")                             \
  X(32, UINT2, "uint2", 1, "")                           \
  X(33, FLOAT4_E2M1FN, "float4_e2m1fn", 1, "")

#define DVT_DTYPE_MAX 33
#define DVT_DTYPE_REF_OFFSET 100  // DT_X_REF = DT_X + 100

// Bytes of one element as TF_DataTypeSize counts them: 0 for string, resource, variant and unknown numbers.
size_t dvt_dtype_size(int dtype);
// Bytes an element takes in a tensor buffer: as above, but 24 for string and the runtime's cell size for resource and
// variant (DVT_RESOURCE_BYTES, DVT_VARIANT_BYTES); 0 only for unknown numbers.
size_t dvt_dtype_stride(int dtype);
bool dvt_dtype_is_valid(int dtype);            // 1..33
const char *dvt_dtype_name(int dtype);          // "float"; "float_ref" for 101; "unknown dtype 77" style static text else
bool dvt_dtype_from_name(dvt_str name, int *out_dtype);  // spec names and aliases (float32, float64, float16): rule 62
// Proto spelling DT_FLOAT.
const char *dvt_dtype_proto_name(int dtype);
// Members of "numbertype" | "numerictype" | "realnumbertype" | "realnumerictype" | "quantizedtype", in stock's order
// (rule 53); false for another name.
bool dvt_dtype_group(dvt_str name, const int **out_dtypes, size_t *out_count);

// An element of a resource or variant tensor is one owned pointer to a reference-counted object (see kernel/resource.h
// for resources); tensors copy it with retain and drop it with release.
#define DVT_RESOURCE_BYTES sizeof(void *)
#define DVT_VARIANT_BYTES sizeof(void *)

#endif  // DVT_TENSOR_DTYPE_H_
