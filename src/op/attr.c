// Reading attribute values: finding the one field that a serialised AttrValue holds, scalar getters, list
// walking. Writing is attr_write.c, comparing and printing attr_text.c.
#include "op/attr.h"

#include "tensor/dtype.h"

// TF_AttrType by AttrValue field number (2..10).
static const int8_t kind_by_field[] = {
    -1,           -1,           TF_ATTR_STRING, TF_ATTR_INT,    TF_ATTR_FLOAT,
    TF_ATTR_BOOL, TF_ATTR_TYPE, TF_ATTR_SHAPE,  TF_ATTR_TENSOR, TF_ATTR_PLACEHOLDER,
    TF_ATTR_FUNC};
static const uint8_t wire_by_kind[] = {DVT_WIRE_BYTES,  DVT_WIRE_VARINT, DVT_WIRE_FIXED32,
                                       DVT_WIRE_VARINT, DVT_WIRE_VARINT, DVT_WIRE_BYTES,
                                       DVT_WIRE_BYTES,  DVT_WIRE_BYTES,  DVT_WIRE_BYTES};

enum { FIELD_LIST = 1, FIELD_COUNT = 11, LIST_FIELD_FUNC = 9, LIST_FIELD_LAST = 9 };

const char *dvt_attr_kind_name(int kind) {
  static const char *const names[] = {"string", "int",    "float",       "bool", "type",
                                      "shape",  "tensor", "placeholder", "func"};
  return kind >= 0 && kind < (int)DVT_COUNT_OF(names) ? names[kind] : "any";
}

static dvt_status malformed(void) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "malformed AttrValue: the bytes are not a well-formed protocol buffer message");
}

static int kind_of_field(const dvt_field *field) {
  if (field->number < 2 || field->number >= FIELD_COUNT) return -1;
  int kind = kind_by_field[field->number];
  return field->type == wire_by_kind[kind] ? kind : -1;
}

// Kind of a ListValue field: packable scalars may come packed (BYTES).
static int kind_of_list_field(const dvt_field *field) {
  if (field->number < 2 || field->number > LIST_FIELD_LAST) return -1;
  int kind = field->number == LIST_FIELD_FUNC ? TF_ATTR_FUNC : kind_by_field[field->number];
  return field->type == wire_by_kind[kind] || field->type == DVT_WIRE_BYTES ? kind : -1;
}

// The set member of the oneof (the last one wins, as in any parser); out_field->number 0 when none is set.
static dvt_status find_member(dvt_str value, dvt_field *out_field) {
  dvt_wire wire = dvt_wire_open(value);
  dvt_field field, member = {0};
  while (dvt_wire_next(&wire, &field)) {
    if ((field.number == FIELD_LIST && field.type == DVT_WIRE_BYTES) || kind_of_field(&field) >= 0)
      member = field;
  }
  if (wire.bad) return malformed();
  *out_field = member;
  return NULL;
}

static int64_t shape_rank_or_unknown(dvt_str shape, bool *out_bad) {
  dvt_wire wire = dvt_wire_open(shape);
  dvt_field field;
  int64_t rank = 0;
  bool unknown = false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == 2 && field.type == DVT_WIRE_BYTES) rank++;
    if (field.number == 3 && field.type == DVT_WIRE_VARINT) unknown = field.value != 0;
  }
  *out_bad = wire.bad;
  return unknown ? -1 : rank;
}

static dvt_status count_packed(const dvt_field *field, int kind, int64_t *count) {
  dvt_wire_packed packed = {0};
  uint64_t bits;
  bool bad = false;
  while (dvt_wire_packed_next(&packed, field, (dvt_wire_type)wire_by_kind[kind], &bits, &bad)) ++*count;
  return bad ? malformed() : NULL;
}

static dvt_status inspect_list(dvt_str list, dvt_attr_info *info) {
  dvt_wire wire = dvt_wire_open(list);
  dvt_field field;
  int64_t count = 0, total = 0;
  int found = -1;
  while (dvt_wire_next(&wire, &field)) {
    int kind = kind_of_list_field(&field);
    if (kind < 0) continue;
    bool scalar = wire_by_kind[kind] != DVT_WIRE_BYTES;
    if (scalar && field.type == DVT_WIRE_BYTES && field.bytes.len == 0) continue;  // packed, no elements
    if (found >= 0 && kind != found)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "AttrValue had a list with elements of type '%s' and of type '%s'",
                       dvt_attr_kind_name(found), dvt_attr_kind_name(kind));
    found = kind;
    if (scalar) {
      DVT_RETURN_IF_ERROR(count_packed(&field, kind, &count));
      continue;
    }
    count++;
    if (kind == TF_ATTR_STRING) total += (int64_t)field.bytes.len;
    if (kind == TF_ATTR_SHAPE) {
      bool bad;
      int64_t rank = shape_rank_or_unknown(field.bytes, &bad);
      if (bad) return malformed();
      total += DVT_MAX(rank, 0);
    }
  }
  if (wire.bad) return malformed();
  info->kind = found;
  info->is_list = true;
  info->list_size = count;
  info->total_size = found == TF_ATTR_STRING || found == TF_ATTR_SHAPE ? total : -1;
  return NULL;
}

dvt_status dvt_attr_inspect(dvt_str value, dvt_attr_info *out_info) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(find_member(value, &field));
  dvt_attr_info info = {.kind = -1, .list_size = -1, .total_size = -1};
  if (field.number == FIELD_LIST) {
    DVT_RETURN_IF_ERROR(inspect_list(field.bytes, &info));
  } else if (field.number) {
    info.kind = kind_of_field(&field);
    if (info.kind == TF_ATTR_STRING) info.total_size = (int64_t)field.bytes.len;
    if (info.kind == TF_ATTR_SHAPE) {
      bool bad;
      info.total_size = shape_rank_or_unknown(field.bytes, &bad);
      if (bad) return malformed();
    }
  }
  *out_info = info;
  return NULL;
}

static dvt_status wrong_type(dvt_str value, int kind, bool list) {
  dvt_attr_info info;
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  const char *want = dvt_attr_kind_name(kind), *want_open = list ? "list(" : "",
             *want_close = list ? ")" : "";
  if (info.kind < 0 && !info.is_list)
    return dvt_error(TF_INVALID_ARGUMENT, "AttrValue missing value with expected type '%s%s%s'", want_open,
                     want, want_close);
  return dvt_error(TF_INVALID_ARGUMENT, "AttrValue had value with type '%s%s%s' when '%s%s%s' expected",
                   info.is_list ? "list(" : "", dvt_attr_kind_name(info.kind), info.is_list ? ")" : "",
                   want_open, want, want_close);
}

static dvt_status scalar_field(dvt_str value, int kind, dvt_field *out_field) {
  dvt_field field;
  // The usual int, bool and type: a tag (the field number is the kind + 2) and one byte. Every node decodes some.
  if (DVT_LIKELY(value.len == 2 && value.data[0] == (kind + 2) << 3 && wire_by_kind[kind] == DVT_WIRE_VARINT &&
                 !(value.data[1] & 0x80))) {
    *out_field = (dvt_field){(uint32_t)kind + 2, DVT_WIRE_VARINT, (uint8_t)value.data[1], {NULL, 0}};
    return NULL;
  }
  DVT_RETURN_IF_ERROR(find_member(value, &field));
  if (field.number <= FIELD_LIST || kind_of_field(&field) != kind) return wrong_type(value, kind, false);
  *out_field = field;
  return NULL;
}

dvt_status dvt_attr_get_string(dvt_str value, dvt_str *out) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_STRING, &field));
  *out = field.bytes;
  return NULL;
}

dvt_status dvt_attr_get_int(dvt_str value, int64_t *out) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_INT, &field));
  *out = (int64_t)field.value;
  return NULL;
}

dvt_status dvt_attr_get_float(dvt_str value, float *out) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_FLOAT, &field));
  *out = dvt_bits_to_float(field.value);
  return NULL;
}

dvt_status dvt_attr_get_bool(dvt_str value, bool *out) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_BOOL, &field));
  *out = field.value != 0;
  return NULL;
}

dvt_status dvt_attr_get_type(dvt_str value, int *out) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_TYPE, &field));
  *out = (int)(int32_t)field.value;
  return NULL;
}

dvt_status dvt_attr_get_shape(dvt_str value, dvt_str *out_shape_proto) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_SHAPE, &field));
  *out_shape_proto = field.bytes;
  return NULL;
}

dvt_status dvt_attr_get_tensor(dvt_str value, dvt_str *out_tensor_proto) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_TENSOR, &field));
  *out_tensor_proto = field.bytes;
  return NULL;
}

dvt_status dvt_attr_get_func(dvt_str value, dvt_str *out_name, dvt_str *out_name_attr_list) {
  dvt_field field, name;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_FUNC, &field));
  if (!dvt_wire_valid(field.bytes)) return malformed();
  bool named = dvt_wire_find(field.bytes, 1, DVT_WIRE_BYTES, &name);
  if (out_name) *out_name = named ? name.bytes : DVT_STR("");
  if (out_name_attr_list) *out_name_attr_list = field.bytes;
  return NULL;
}

dvt_status dvt_attr_get_placeholder(dvt_str value, dvt_str *out_name) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(scalar_field(value, TF_ATTR_PLACEHOLDER, &field));
  *out_name = field.bytes;
  return NULL;
}

dvt_status dvt_attr_list_open(dvt_str value, int kind, dvt_attr_list *out_list) {
  dvt_field field;
  DVT_RETURN_IF_ERROR(find_member(value, &field));
  if (field.number != FIELD_LIST) return wrong_type(value, kind, true);
  dvt_attr_info info;
  DVT_RETURN_IF_ERROR(inspect_list(field.bytes, &info));
  if (info.kind >= 0 && info.kind != kind) return wrong_type(value, kind, true);
  *out_list = (dvt_attr_list){.wire = dvt_wire_open(field.bytes), .kind = kind};
  return NULL;
}

bool dvt_attr_list_next(dvt_attr_list *list, uint64_t *out_bits, dvt_str *out_bytes) {
  bool scalar = wire_by_kind[list->kind] != DVT_WIRE_BYTES;
  for (;;) {
    if (list->in_packed) {
      uint64_t bits;
      bool bad = false;
      if (dvt_wire_packed_next(&list->packed, &list->field, (dvt_wire_type)wire_by_kind[list->kind], &bits,
                               &bad)) {
        if (out_bits) *out_bits = bits;
        return true;
      }
      list->in_packed = false;
    }
    if (!dvt_wire_next(&list->wire, &list->field)) return false;
    if (kind_of_list_field(&list->field) != list->kind) continue;
    if (scalar) {
      list->packed = (dvt_wire_packed){0};
      list->in_packed = true;
      continue;
    }
    if (out_bytes) *out_bytes = list->field.bytes;
    return true;
  }
}
