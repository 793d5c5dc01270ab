// Comparing attribute values by meaning and printing them for messages.
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

enum { MAX_DEPTH = 16 };  // functions may nest in attrs of functions
enum { MAX_TEXT_BYTES = 80, MAX_LIST_ITEMS = 50 };

static bool values_equal(dvt_str a, dvt_str b, int depth);

static bool shapes_equal(dvt_str a, dvt_str b) {
  int64_t dims_a[DVT_MAX_RANK], dims_b[DVT_MAX_RANK];
  int rank_a, rank_b;
  dvt_status error = dvt_shape_from_proto(a, dims_a, DVT_MAX_RANK, &rank_a);
  if (!error) error = dvt_shape_from_proto(b, dims_b, DVT_MAX_RANK, &rank_b);
  if (error) {
    dvt_status_free(error);
    return dvt_str_eq(a, b);
  }
  return rank_a == rank_b && (rank_a <= 0 || memcmp(dims_a, dims_b, sizeof dims_a[0] * (size_t)rank_a) == 0);
}

static bool tensor_data_equal(const TF_Tensor *a, const TF_Tensor *b) {
  if (a->dtype != b->dtype || a->rank != b->rank) return false;
  if (a->rank > 0 && memcmp(dvt_tensor_dims(a), dvt_tensor_dims(b), sizeof(int64_t) * (size_t)a->rank) != 0)
    return false;
  int64_t count = dvt_tensor_count(a);
  if (a->dtype != TF_STRING) return memcmp(a->data, b->data, dvt_dtype_stride(a->dtype) * (size_t)count) == 0;
  const TF_TString *x = a->data, *y = b->data;
  for (int64_t i = 0; i < count; i++) {
    if (!dvt_str_eq(dvt_tstring_view(&x[i]), dvt_tstring_view(&y[i]))) return false;
  }
  return true;
}

static bool tensors_equal(dvt_str a, dvt_str b) {
  if (dvt_str_eq(a, b)) return true;
  TF_Tensor x = {0}, y = {0};
  dvt_status error = dvt_tensor_from_proto(a, &x);
  if (!error) error = dvt_tensor_from_proto(b, &y);
  bool equal = !error && tensor_data_equal(&x, &y);
  dvt_status_free(error);
  dvt_tensor_reset(&x);
  dvt_tensor_reset(&y);
  return equal;
}

// Next {key, value} entry of NameAttrList.attr (field 2); false at the end.
static bool next_func_attr(dvt_wire *wire, dvt_str *out_key, dvt_str *out_value) {
  dvt_field field, part;
  while (dvt_wire_next(wire, &field)) {
    if (field.number != 2 || field.type != DVT_WIRE_BYTES) continue;
    *out_key = dvt_wire_find(field.bytes, 1, DVT_WIRE_BYTES, &part) ? part.bytes : DVT_STR("");
    *out_value = dvt_wire_find(field.bytes, 2, DVT_WIRE_BYTES, &part) ? part.bytes : DVT_STR("");
    return true;
  }
  return false;
}

typedef struct func_attrs {
  dvt_map by_key;  // -> one of values; a repeated key has its last value, as in any map
  dvt_str *values;
  size_t count, capacity;
} func_attrs;

static void func_attrs_deinit(func_attrs *attrs) {
  dvt_map_deinit(&attrs->by_key);
  dvt_free(attrs->values);
}

static bool func_attrs_read(dvt_str func, func_attrs *attrs) {
  dvt_str key, value;
  for (dvt_wire wire = dvt_wire_open(func); next_func_attr(&wire, &key, &value); attrs->count++) {
    void *values = attrs->values;
    if (!dvt_grow(&values, &attrs->capacity, attrs->count + 1, sizeof *attrs->values)) return false;
    attrs->values = values;
    attrs->values[attrs->count] = value;
  }
  size_t i = 0;  // the values do not move any more
  for (dvt_wire wire = dvt_wire_open(func); next_func_attr(&wire, &key, &value); i++)
    if (!dvt_map_put(&attrs->by_key, key, &attrs->values[i])) return false;
  return true;
}

// Each attr of one is compared once, with that of the same key in the other: nested functions stay linear.
static bool same_func_attrs(const func_attrs *a, const func_attrs *b, int depth) {
  if (a->by_key.count != b->by_key.count) return false;
  size_t cursor = 0;
  dvt_str key;
  void *value;
  while (dvt_map_next(&a->by_key, &cursor, &key, &value)) {
    const dvt_str *other = dvt_map_get(&b->by_key, key);
    if (!other || !values_equal(*(const dvt_str *)value, *other, depth + 1)) return false;
  }
  return true;
}

static bool funcs_equal(dvt_str a, dvt_str b, int depth) {
  if (dvt_str_eq(a, b)) return true;
  if (depth >= MAX_DEPTH) return false;
  dvt_field x, y;
  dvt_str name_a = dvt_wire_find(a, 1, DVT_WIRE_BYTES, &x) ? x.bytes : DVT_STR("");
  dvt_str name_b = dvt_wire_find(b, 1, DVT_WIRE_BYTES, &y) ? y.bytes : DVT_STR("");
  if (!dvt_str_eq(name_a, name_b)) return false;
  func_attrs attrs_a = {0}, attrs_b = {0};
  bool equal = func_attrs_read(a, &attrs_a) && func_attrs_read(b, &attrs_b) &&
               same_func_attrs(&attrs_a, &attrs_b, depth);
  func_attrs_deinit(&attrs_a);
  func_attrs_deinit(&attrs_b);
  return equal;
}

static bool elements_equal(int kind, uint64_t bits_a, dvt_str a, uint64_t bits_b, dvt_str b, int depth) {
  switch (kind) {
    case TF_ATTR_INT:
      return bits_a == bits_b;
    case TF_ATTR_FLOAT:
    case TF_ATTR_TYPE:
      return (uint32_t)bits_a == (uint32_t)bits_b;
    case TF_ATTR_BOOL:
      return (bits_a != 0) == (bits_b != 0);
    case TF_ATTR_SHAPE:
      return shapes_equal(a, b);
    case TF_ATTR_TENSOR:
      return tensors_equal(a, b);
    case TF_ATTR_FUNC:
      return funcs_equal(a, b, depth);
    default:
      return dvt_str_eq(a, b);
  }
}

static bool lists_equal(dvt_str a, dvt_str b, int kind, int depth) {
  dvt_attr_list x, y;
  dvt_status error = dvt_attr_list_open(a, kind, &x);
  if (!error) error = dvt_attr_list_open(b, kind, &y);
  if (error) {
    dvt_status_free(error);
    return false;
  }
  uint64_t bits_a = 0, bits_b = 0;
  dvt_str bytes_a = {0}, bytes_b = {0};
  while (dvt_attr_list_next(&x, &bits_a, &bytes_a)) {
    if (!dvt_attr_list_next(&y, &bits_b, &bytes_b)) return false;
    if (!elements_equal(kind, bits_a, bytes_a, bits_b, bytes_b, depth)) return false;
  }
  return !dvt_attr_list_next(&y, &bits_b, &bytes_b);
}

// The field that holds a scalar of `kind`.
static dvt_field scalar_of(dvt_str value, int kind) {
  static const uint8_t number[] = {2, 3, 4, 5, 6, 7, 8, 9, 10};
  static const uint8_t type[] = {DVT_WIRE_BYTES,  DVT_WIRE_VARINT, DVT_WIRE_FIXED32,
                                 DVT_WIRE_VARINT, DVT_WIRE_VARINT, DVT_WIRE_BYTES,
                                 DVT_WIRE_BYTES,  DVT_WIRE_BYTES,  DVT_WIRE_BYTES};
  dvt_field field;
  if (!dvt_wire_find(value, number[kind], (dvt_wire_type)type[kind], &field)) field = (dvt_field){0};
  return field;
}

static bool values_equal(dvt_str a, dvt_str b, int depth) {
  if (dvt_str_eq(a, b)) return true;
  dvt_attr_info x, y;
  dvt_status error = dvt_attr_inspect(a, &x);
  if (!error) error = dvt_attr_inspect(b, &y);
  if (error) {
    dvt_status_free(error);
    return false;
  }
  if (x.kind != y.kind || x.is_list != y.is_list || x.list_size != y.list_size) return false;
  if (x.kind < 0) return true;
  if (x.is_list) return lists_equal(a, b, x.kind, depth);
  dvt_field p = scalar_of(a, x.kind), q = scalar_of(b, x.kind);
  return elements_equal(x.kind, p.value, p.bytes, q.value, q.bytes, depth);
}

bool dvt_attr_equal(dvt_str a, dvt_str b) { return values_equal(a, b, 0); }

static void describe(dvt_str value, dvt_buf *out, int depth);

static void print_quoted(dvt_str s, dvt_buf *out) {
  bool cut = s.len > MAX_TEXT_BYTES;
  if (cut) s.len = MAX_TEXT_BYTES;
  dvt_buf_append_byte(out, '"');
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == '\n')
      dvt_buf_append(out, "\\n", 2);
    else if (c == '\r')
      dvt_buf_append(out, "\\r", 2);
    else if (c == '\t')
      dvt_buf_append(out, "\\t", 2);
    else if (c == '"' || c == '\\' || c == '\'')
      dvt_buf_printf(out, "\\%c", c);
    else if (c < 32 || c > 126)
      dvt_buf_printf(out, "\\%03o", c);
    else
      dvt_buf_append_byte(out, (char)c);
  }
  dvt_buf_append_str(out, cut ? DVT_STR("...\"") : DVT_STR("\""));
}

// The shortest decimal that reads back as the same float.
static void print_float(float value, dvt_buf *out) {
  char text[32];
  for (int digits = 6; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value) break;
  }
  dvt_buf_append_str(out, dvt_str_from(text));
}

static void print_shape(dvt_str shape, dvt_buf *out) {
  int64_t dims[DVT_MAX_RANK];
  int rank;
  dvt_status error = dvt_shape_from_proto(shape, dims, DVT_MAX_RANK, &rank);
  if (error) {
    dvt_status_free(error);
    dvt_buf_append_str(out, DVT_STR("<invalid shape>"));
    return;
  }
  dvt_shape_describe(dims, rank, out);
}

static void print_tensor(dvt_str tensor, dvt_buf *out) {
  int64_t dims[DVT_MAX_RANK];
  int dtype, rank;
  dvt_status error = dvt_tensor_proto_header(tensor, &dtype, dims, DVT_MAX_RANK, &rank);
  if (error) {
    dvt_status_free(error);
    dvt_buf_append_str(out, DVT_STR("<invalid tensor>"));
    return;
  }
  dvt_buf_printf(out, "Tensor<type: %s shape: ", dvt_dtype_name(dtype));
  dvt_shape_describe(dims, rank, out);
  dvt_buf_append_byte(out, '>');
}

static void print_func(dvt_str func, dvt_buf *out, int depth) {
  dvt_field name;
  if (dvt_wire_find(func, 1, DVT_WIRE_BYTES, &name)) dvt_buf_append_str(out, name.bytes);
  dvt_wire wire = dvt_wire_open(func);
  dvt_str key, value;
  dvt_buf_append_byte(out, '[');
  for (bool first = true; next_func_attr(&wire, &key, &value); first = false) {
    dvt_buf_printf(out, "%s" DVT_STR_FMT "=", first ? "" : ", ", DVT_STR_ARG(key));
    describe(value, out, depth + 1);
  }
  dvt_buf_append_byte(out, ']');
}

static void print_element(int kind, uint64_t bits, dvt_str bytes, dvt_buf *out, int depth) {
  switch (kind) {
    case TF_ATTR_STRING:
      print_quoted(bytes, out);
      break;
    case TF_ATTR_INT:
      dvt_buf_printf(out, "%lld", (long long)(int64_t)bits);
      break;
    case TF_ATTR_FLOAT:
      print_float(dvt_bits_to_float(bits), out);
      break;
    case TF_ATTR_BOOL:
      dvt_buf_append_str(out, bits ? DVT_STR("true") : DVT_STR("false"));
      break;
    case TF_ATTR_TYPE:
      dvt_buf_append_str(out, dvt_str_from(dvt_dtype_proto_name((int)(int32_t)bits)));
      break;
    case TF_ATTR_SHAPE:
      print_shape(bytes, out);
      break;
    case TF_ATTR_TENSOR:
      print_tensor(bytes, out);
      break;
    case TF_ATTR_PLACEHOLDER:
      dvt_buf_printf(out, "$" DVT_STR_FMT, DVT_STR_ARG(bytes));
      break;
    default:
      print_func(bytes, out, depth);
  }
}

static void describe_list(dvt_str value, const dvt_attr_info *info, dvt_buf *out, int depth) {
  dvt_buf_append_byte(out, '[');
  dvt_attr_list list;
  dvt_status error = info->kind >= 0 ? dvt_attr_list_open(value, info->kind, &list) : NULL;
  if (info->kind >= 0 && !error) {
    uint64_t bits = 0;
    dvt_str bytes = {0};
    for (int i = 0; dvt_attr_list_next(&list, &bits, &bytes); i++) {
      if (i) dvt_buf_append(out, ", ", 2);
      if (i == MAX_LIST_ITEMS) {
        dvt_buf_printf(out, "... (%lld in all)", (long long)info->list_size);
        break;
      }
      print_element(info->kind, bits, bytes, out, depth);
    }
  }
  dvt_status_free(error);
  dvt_buf_append_byte(out, ']');
}

static void describe(dvt_str value, dvt_buf *out, int depth) {
  dvt_attr_info info;
  dvt_status error = depth < MAX_DEPTH ? dvt_attr_inspect(value, &info) : NULL;
  if (error || depth >= MAX_DEPTH) {
    dvt_status_free(error);
    dvt_buf_append_str(out, depth >= MAX_DEPTH ? DVT_STR("...") : DVT_STR("<invalid AttrValue>"));
  } else if (info.is_list) {
    describe_list(value, &info, out, depth);
  } else if (info.kind < 0) {
    dvt_buf_append_str(out, DVT_STR("<unset>"));
  } else {
    dvt_field field = scalar_of(value, info.kind);
    print_element(info.kind, field.value, field.bytes, out, depth);
  }
}

void dvt_attr_describe(dvt_str value, dvt_buf *out) { describe(value, out, 0); }
