// Look-ups in the dtype table.
#include "tensor/dtype.h"

#include "tensorflow/c/tf_tstring.h"

typedef struct dtype_row {
  const char *name, *ref_name, *proto_name, *ref_proto_name;
  uint8_t size, name_len;
} dtype_row;

static const dtype_row rows[DVT_DTYPE_MAX + 1] = {
#define ROW(number, NAME, name, size, groups) \
  [number] = {name, name "_ref", "DT_" #NAME, "DT_" #NAME "_REF", size, sizeof(name) - 1},
    DVT_DTYPES(ROW)
#undef ROW
};

bool dvt_dtype_is_valid(int dtype) { return dtype >= 1 && dtype <= DVT_DTYPE_MAX; }

static bool is_ref(int dtype) { return dvt_dtype_is_valid(dtype - DVT_DTYPE_REF_OFFSET); }

size_t dvt_dtype_size(int dtype) { return dvt_dtype_is_valid(dtype) ? rows[dtype].size : 0; }

size_t dvt_dtype_stride(int dtype) {
  switch (dtype) {
    case TF_STRING:
      return sizeof(TF_TString);
    case TF_RESOURCE:
      return DVT_RESOURCE_BYTES;
    case TF_VARIANT:
      return DVT_VARIANT_BYTES;
    default:
      return dvt_dtype_size(dtype);
  }
}

const char *dvt_dtype_name(int dtype) {
  if (dvt_dtype_is_valid(dtype)) return rows[dtype].name;
  return is_ref(dtype) ? rows[dtype - DVT_DTYPE_REF_OFFSET].ref_name : "unknown dtype";
}

const char *dvt_dtype_proto_name(int dtype) {
  if (dvt_dtype_is_valid(dtype)) return rows[dtype].proto_name;
  return is_ref(dtype) ? rows[dtype - DVT_DTYPE_REF_OFFSET].ref_proto_name : "DT_INVALID";
}

// Asked for every attr and argument of every op that is registered, mostly about words that are no dtype.
bool dvt_dtype_from_name(dvt_str name, int *out_dtype) {
  static const struct {
    dvt_str name;
    int dtype;
  } aliases[] = {{{"float32", 7}, TF_FLOAT}, {{"float64", 7}, TF_DOUBLE}, {{"float16", 7}, TF_HALF}};
  if (name.len < sizeof("int2") - 1 || name.data[0] < 'a' || name.data[0] > 'z') return false;
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++) {
    if (rows[dtype].name_len != name.len || memcmp(name.data, rows[dtype].name, name.len) != 0) continue;
    *out_dtype = dtype;
    return true;
  }
  for (size_t i = 0; i < DVT_COUNT_OF(aliases); i++) {
    if (!dvt_str_eq(name, aliases[i].name)) continue;
    *out_dtype = aliases[i].dtype;
    return true;
  }
  return false;
}

// The order is the one in which stock lists the allowed values of such an attr.
static const int number_types[] = {TF_FLOAT,      TF_DOUBLE,    TF_INT32,  TF_UINT8,   TF_INT16,
                                   TF_INT8,       TF_COMPLEX64, TF_INT64,  TF_QINT8,   TF_QUINT8,
                                   TF_QINT32,     TF_BFLOAT16,  TF_QINT16, TF_QUINT16, TF_UINT16,
                                   TF_COMPLEX128, TF_HALF,      TF_UINT32, TF_UINT64};
static const int real_number_types[] = {TF_FLOAT, TF_DOUBLE,   TF_INT32,  TF_UINT8, TF_INT16,  TF_INT8,
                                        TF_INT64, TF_BFLOAT16, TF_UINT16, TF_HALF,  TF_UINT32, TF_UINT64};
static const int quantized_types[] = {TF_QINT8, TF_QUINT8, TF_QINT32, TF_QINT16, TF_QUINT16};

bool dvt_dtype_group(dvt_str name, const int **out_dtypes, size_t *out_count) {
  static const struct {
    const char *name;
    const int *dtypes;
    size_t count;
  } groups[] = {{"numbertype", number_types, DVT_COUNT_OF(number_types)},
                {"numerictype", number_types, DVT_COUNT_OF(number_types)},
                {"realnumbertype", real_number_types, DVT_COUNT_OF(real_number_types)},
                {"realnumerictype", real_number_types, DVT_COUNT_OF(real_number_types)},
                {"quantizedtype", quantized_types, DVT_COUNT_OF(quantized_types)}};
  if (name.len < sizeof("numbertype") - 1) return false;
  for (size_t i = 0; i < DVT_COUNT_OF(groups); i++) {
    if (!dvt_str_is(name, groups[i].name)) continue;
    *out_dtypes = groups[i].dtypes;
    *out_count = groups[i].count;
    return true;
  }
  return false;
}
