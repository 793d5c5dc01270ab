// The dtypes that files can hold: names as NumPy and TensorFlow's Python have them, and the type code of .npy
// files.
#ifndef DVT_TOOLS_DTYPE_H_
#define DVT_TOOLS_DTYPE_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_datatype.h"

// What the bits of an element mean.
typedef enum dtype_kind {
  KIND_NONE,  // not a number that files hold
  KIND_BOOL,
  KIND_INT,
  KIND_UINT,
  KIND_FLOAT,  // IEEE, or bfloat16
  KIND_COMPLEX,
  KIND_RAW,  // 8-bit floats: carried, not converted
} dtype_kind;

// X(TF_DataType, name, kind, bytes, npy code). NumPy has no bfloat16 or 8-bit floats; like ml_dtypes they are
// written as raw bytes ("V2", "V1"). Quantised integers are written as what they are stored as.
#define DTYPES(X)                                         \
  X(TF_FLOAT, "float32", KIND_FLOAT, 4, "f4")             \
  X(TF_DOUBLE, "float64", KIND_FLOAT, 8, "f8")            \
  X(TF_HALF, "float16", KIND_FLOAT, 2, "f2")              \
  X(TF_BFLOAT16, "bfloat16", KIND_FLOAT, 2, "V2")         \
  X(TF_INT8, "int8", KIND_INT, 1, "i1")                   \
  X(TF_INT16, "int16", KIND_INT, 2, "i2")                 \
  X(TF_INT32, "int32", KIND_INT, 4, "i4")                 \
  X(TF_INT64, "int64", KIND_INT, 8, "i8")                 \
  X(TF_UINT8, "uint8", KIND_UINT, 1, "u1")                \
  X(TF_UINT16, "uint16", KIND_UINT, 2, "u2")              \
  X(TF_UINT32, "uint32", KIND_UINT, 4, "u4")              \
  X(TF_UINT64, "uint64", KIND_UINT, 8, "u8")              \
  X(TF_BOOL, "bool", KIND_BOOL, 1, "b1")                  \
  X(TF_COMPLEX64, "complex64", KIND_COMPLEX, 8, "c8")     \
  X(TF_COMPLEX128, "complex128", KIND_COMPLEX, 16, "c16") \
  X(TF_QINT8, "qint8", KIND_INT, 1, "i1")                 \
  X(TF_QUINT8, "quint8", KIND_UINT, 1, "u1")              \
  X(TF_QINT16, "qint16", KIND_INT, 2, "i2")               \
  X(TF_QUINT16, "quint16", KIND_UINT, 2, "u2")            \
  X(TF_QINT32, "qint32", KIND_INT, 4, "i4")               \
  X(TF_FLOAT8_E5M2, "float8_e5m2", KIND_RAW, 1, "V1")     \
  X(TF_FLOAT8_E4M3FN, "float8_e4m3fn", KIND_RAW, 1, "V1") \
  X(TF_STRING, "string", KIND_NONE, 0, "S")               \
  X(TF_RESOURCE, "resource", KIND_NONE, 0, "")            \
  X(TF_VARIANT, "variant", KIND_NONE, 0, "")

const char *dtype_name(TF_DataType dtype);  // "?" for 0, "dtype 77" style text for what is not in the table
dtype_kind dtype_kind_of(TF_DataType dtype);
const char *dtype_npy_code(TF_DataType dtype);  // "" when files cannot hold it
// "float32[1,?,3]"; "[...]" for unknown rank. Returns `buffer`.
#define DTYPE_TEXT_BYTES 512
const char *dtype_text(TF_DataType dtype, const int64_t *dims, int rank, char *buffer);

#endif  // DVT_TOOLS_DTYPE_H_
