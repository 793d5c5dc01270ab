// See attr_subst.h. A placeholder is field 9 of an AttrValue; a func (field 10, or field 9 of the list in
// field 1) carries attrs of its own, in which placeholders may stand again.
#include "graph/attr_subst.h"

#include "graph/node_parse.h"

enum { VALUE_LIST = 1, VALUE_PLACEHOLDER = 9, VALUE_FUNC = 10, LIST_FUNC = 9, FUNC_ATTR = 2, MAX_DEPTH = 16 };

static bool has_placeholder(dvt_str value, int depth);

static bool func_has_placeholder(dvt_str func, int depth) {
  dvt_wire wire = dvt_wire_open(func);
  dvt_field field;
  dvt_str key, value;
  while (dvt_wire_next(&wire, &field))
    if (field.number == FUNC_ATTR && field.type == DVT_WIRE_BYTES &&
        dvt_parse_map_entry(field.bytes, &key, &value) && has_placeholder(value, depth))
      return true;
  return false;
}

static bool list_has_placeholder(dvt_str list, int depth) {
  dvt_wire wire = dvt_wire_open(list);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == LIST_FUNC && field.type == DVT_WIRE_BYTES && func_has_placeholder(field.bytes, depth))
      return true;
  return false;
}

static bool has_placeholder(dvt_str value, int depth) {
  dvt_wire wire = dvt_wire_open(value);
  dvt_field field;
  if (depth >= MAX_DEPTH) return false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == VALUE_PLACEHOLDER) return true;
    if (field.number == VALUE_FUNC && func_has_placeholder(field.bytes, depth + 1)) return true;
    if (field.number == VALUE_LIST && list_has_placeholder(field.bytes, depth + 1)) return true;
  }
  return false;
}

bool dvt_attr_has_placeholder(dvt_str value) { return has_placeholder(value, 0); }

static dvt_status find_value(const dvt_attr_values *values, dvt_str name, dvt_str *out_value) {
  for (int i = 0; i < values->count; i++) {
    if (!dvt_str_eq(values->attrs[i].name, name)) continue;
    *out_value = values->attrs[i].value;
    return NULL;
  }
  return dvt_error(TF_INVALID_ARGUMENT,
                   "the body of the function uses its attr '" DVT_STR_FMT
                   "', for which the call gives no value",
                   DVT_STR_ARG(name));
}

static dvt_status substitute(dvt_str value, const dvt_attr_values *values, int depth, dvt_buf *out);

static dvt_status put_func(dvt_str func, const dvt_attr_values *values, int depth, uint32_t number,
                           dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(func);
  dvt_field field;
  size_t begin = dvt_wire_begin(out, number);
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, value;
    if (field.number != FUNC_ATTR || field.type != DVT_WIRE_BYTES ||
        !dvt_parse_map_entry(field.bytes, &key, &value)) {
      dvt_wire_put_field(&field, out);
      continue;
    }
    size_t entry = dvt_wire_begin(out, FUNC_ATTR);
    dvt_wire_put_bytes(out, 1, key);
    size_t nested = dvt_wire_begin(out, 2);
    DVT_RETURN_IF_ERROR(substitute(value, values, depth, out));
    dvt_wire_end(out, nested);
    dvt_wire_end(out, entry);
  }
  dvt_wire_end(out, begin);
  return NULL;
}

static dvt_status put_list(dvt_str list, const dvt_attr_values *values, int depth, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(list);
  dvt_field field;
  size_t begin = dvt_wire_begin(out, VALUE_LIST);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == LIST_FUNC && field.type == DVT_WIRE_BYTES)
      DVT_RETURN_IF_ERROR(put_func(field.bytes, values, depth, LIST_FUNC, out));
    else
      dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, begin);
  return NULL;
}

static dvt_status substitute(dvt_str value, const dvt_attr_values *values, int depth, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(value);
  dvt_field field;
  if (depth >= MAX_DEPTH)
    return dvt_error(TF_INVALID_ARGUMENT, "functions are nested more than %d deep in an attr", MAX_DEPTH);
  while (dvt_wire_next(&wire, &field)) {
    bool is_bytes = field.type == DVT_WIRE_BYTES;
    if (is_bytes && field.number == VALUE_PLACEHOLDER) {
      dvt_str actual;
      DVT_RETURN_IF_ERROR(find_value(values, field.bytes, &actual));
      dvt_buf_append_str(out, actual);
    } else if (is_bytes && field.number == VALUE_FUNC) {
      DVT_RETURN_IF_ERROR(put_func(field.bytes, values, depth + 1, VALUE_FUNC, out));
    } else if (is_bytes && field.number == VALUE_LIST) {
      DVT_RETURN_IF_ERROR(put_list(field.bytes, values, depth + 1, out));
    } else {
      dvt_wire_put_field(&field, out);
    }
  }
  return NULL;
}

dvt_status dvt_attr_substitute(dvt_str value, const dvt_attr_values *values, dvt_buf *out) {
  return substitute(value, values, 0, out);
}
