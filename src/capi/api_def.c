// TF_ApiDefMap: how the ops of an OpList are shown in an API: generated from the OpDefs, then overridden by
// ApiDefs in text form (api_def.proto). Binding generators use it. Facts measured on stock 2.21: an override
// may not come after the first get; an op that the list lacks is ignored; prefixes and suffixes are joined to
// the description by newlines.
#include <pthread.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/schema.h"
#include "base/wire.h"
#include "tensorflow/c/c_api.h"

// api_def.proto. The three kinds of item (in_arg, out_arg, attr) have the same fields 1 name and 2 rename_to.
enum {
  API_NAME = 1,
  API_VISIBILITY = 2,
  API_ENDPOINT = 3,
  API_IN_ARG = 4,
  API_OUT_ARG = 5,
  API_ATTR = 6,
  API_SUMMARY = 7,
  API_DESCRIPTION = 8,
  API_PREFIX = 9,
  API_SUFFIX = 10,
  API_ARG_ORDER = 11
};
enum { ITEM_NAME = 1, ITEM_RENAME_TO = 2, ARG_DESCRIPTION = 3, ATTR_DEFAULT = 3, ATTR_DESCRIPTION = 4 };
enum { OP_NAME = 1, OP_INPUT = 2, OP_OUTPUT = 3, OP_ATTR = 4, OP_SUMMARY = 5, OP_DESCRIPTION = 6 };

static const dvt_schema_enum visibility_values[] = {
    {"DEFAULT_VISIBILITY", 0}, {"VISIBLE", 1}, {"SKIP", 2}, {"HIDDEN", 3}, {NULL, 0}};
static const dvt_schema_field endpoint_fields[] = {
    {"name", 1, DVT_KIND_STRING, false, false, NULL, NULL},
    {"deprecated", 3, DVT_KIND_BOOL, false, false, NULL, NULL},
    {"deprecation_version", 4, DVT_KIND_INT32, false, false, NULL, NULL}};
static const dvt_schema_field arg_fields[] = {{"name", 1, DVT_KIND_STRING, false, false, NULL, NULL},
                                              {"rename_to", 2, DVT_KIND_STRING, false, false, NULL, NULL},
                                              {"description", 3, DVT_KIND_STRING, false, false, NULL, NULL}};
static const dvt_schema_field attr_fields[] = {
    {"name", 1, DVT_KIND_STRING, false, false, NULL, NULL},
    {"rename_to", 2, DVT_KIND_STRING, false, false, NULL, NULL},
    {"default_value", 3, DVT_KIND_MESSAGE, false, false, &dvt_schema_attr_value, NULL},
    {"description", 4, DVT_KIND_STRING, false, false, NULL, NULL}};
static const dvt_schema endpoint_schema = {"ApiDef.Endpoint", endpoint_fields, DVT_COUNT_OF(endpoint_fields)};
static const dvt_schema arg_schema = {"ApiDef.Arg", arg_fields, DVT_COUNT_OF(arg_fields)};
static const dvt_schema attr_schema = {"ApiDef.Attr", attr_fields, DVT_COUNT_OF(attr_fields)};
static const dvt_schema_field api_def_fields[] = {
    {"graph_op_name", API_NAME, DVT_KIND_STRING, false, false, NULL, NULL},
    {"visibility", API_VISIBILITY, DVT_KIND_ENUM, false, false, NULL, visibility_values},
    {"endpoint", API_ENDPOINT, DVT_KIND_MESSAGE, true, false, &endpoint_schema, NULL},
    {"in_arg", API_IN_ARG, DVT_KIND_MESSAGE, true, false, &arg_schema, NULL},
    {"out_arg", API_OUT_ARG, DVT_KIND_MESSAGE, true, false, &arg_schema, NULL},
    {"attr", API_ATTR, DVT_KIND_MESSAGE, true, false, &attr_schema, NULL},
    {"summary", API_SUMMARY, DVT_KIND_STRING, false, false, NULL, NULL},
    {"description", API_DESCRIPTION, DVT_KIND_STRING, false, false, NULL, NULL},
    {"description_prefix", API_PREFIX, DVT_KIND_STRING, false, false, NULL, NULL},
    {"description_suffix", API_SUFFIX, DVT_KIND_STRING, false, false, NULL, NULL},
    {"arg_order", API_ARG_ORDER, DVT_KIND_STRING, true, false, NULL, NULL},
    {"deprecation_message", 12, DVT_KIND_STRING, false, false, NULL, NULL},
    {"deprecation_version", 13, DVT_KIND_INT32, false, false, NULL, NULL}};
static const dvt_schema api_def_schema = {"ApiDef", api_def_fields, DVT_COUNT_OF(api_def_fields)};
static const dvt_schema_field api_defs_fields[] = {
    {"op", 1, DVT_KIND_MESSAGE, true, false, &api_def_schema, NULL}};
static const dvt_schema api_defs_schema = {"ApiDefs", api_defs_fields, DVT_COUNT_OF(api_defs_fields)};

typedef struct api_item {
  dvt_str name, rename_to, description, default_value;
  bool has_default;
  struct api_item *next;
} api_item;

typedef struct api_list {
  api_item *first, **end;
} api_list;

typedef struct api_op {
  dvt_str name, summary, description;
  uint64_t visibility;
  api_list endpoints;  // items hold a serialised Endpoint in `description`
  api_list items[3];   // in_arg, out_arg, attr
  api_list arg_order;  // names only
} api_op;

struct TF_ApiDefMap {
  pthread_mutex_t lock;
  dvt_arena arena;
  dvt_map ops;  // name -> api_op
  bool was_read;
};

static api_item *add_item(dvt_arena *arena, api_list *list) {
  api_item *item = dvt_arena_calloc(arena, 1, sizeof *item);
  if (!item) return NULL;
  if (!list->first) list->end = &list->first;
  *list->end = item;
  list->end = &item->next;
  return item;
}

static api_item *find_item(const api_list *list, dvt_str name) {
  api_item *item = list->first;
  while (item && !dvt_str_eq(item->name, name)) item = item->next;
  return item;
}

static dvt_str field_or_empty(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : DVT_STR("");
}

// ---- from OpDefs ----

static bool add_from_op_def(dvt_arena *arena, api_op *op, const dvt_field *field) {
  bool is_attr = field->number == OP_ATTR;
  api_item *item = add_item(arena, &op->items[field->number - OP_INPUT]);
  if (!item) return false;
  item->name = item->rename_to = field_or_empty(field->bytes, 1);
  item->description = field_or_empty(field->bytes, is_attr ? 4 : 2);
  dvt_field value;
  if (is_attr && dvt_wire_find(field->bytes, 3, DVT_WIRE_BYTES, &value)) {
    item->has_default = true;
    item->default_value = value.bytes;
  }
  if (field->number != OP_INPUT) return true;
  api_item *order = add_item(arena, &op->arg_order);
  if (order) order->name = item->name;
  return order != NULL;
}

static bool add_op(TF_ApiDefMap *map, dvt_str op_def) {
  api_op *op = dvt_arena_calloc(&map->arena, 1, sizeof *op);
  if (!op) return false;
  op->name = field_or_empty(op_def, OP_NAME);
  op->summary = field_or_empty(op_def, OP_SUMMARY);
  op->description = field_or_empty(op_def, OP_DESCRIPTION);
  op->visibility = 1;
  api_item *endpoint = add_item(&map->arena, &op->endpoints);
  dvt_buf bytes = {0};
  dvt_wire_put_bytes(&bytes, API_NAME, op->name);
  bool ok = endpoint && !bytes.failed &&
            dvt_arena_copy_str(&map->arena, dvt_buf_str(&bytes), &endpoint->description);
  dvt_buf_deinit(&bytes);
  dvt_wire wire = dvt_wire_open(op_def);
  dvt_field field;
  while (ok && dvt_wire_next(&wire, &field))
    if (field.type == DVT_WIRE_BYTES && field.number >= OP_INPUT && field.number <= OP_ATTR)
      ok = add_from_op_def(&map->arena, op, &field);
  return ok && dvt_map_put(&map->ops, op->name, op);
}

static dvt_status fill_map(TF_ApiDefMap *map, dvt_str op_list) {
  dvt_str copy;
  if (!dvt_arena_copy_str(&map->arena, op_list, &copy)) return dvt_error_out_of_memory(op_list.len);
  dvt_wire wire = dvt_wire_open(copy);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != 1 || field.type != DVT_WIRE_BYTES) continue;
    if (!dvt_wire_valid(field.bytes))
      return dvt_error(TF_INVALID_ARGUMENT, "TF_NewApiDefMap: an OpDef in the OpList is malformed");
    if (!add_op(map, field.bytes)) return dvt_error_out_of_memory(field.bytes.len);
  }
  if (wire.bad)
    return dvt_error(TF_INVALID_ARGUMENT, "TF_NewApiDefMap: the %zu bytes are no serialized OpList",
                     op_list.len);
  return NULL;
}

TF_ApiDefMap *TF_NewApiDefMap(TF_Buffer *op_list_buffer, TF_Status *status) {
  TF_ApiDefMap *map = dvt_calloc(1, sizeof *map);
  dvt_status error = map ? NULL : dvt_error_out_of_memory(sizeof *map);
  if (map) {
    pthread_mutex_init(&map->lock, NULL);
    error = fill_map(map, dvt_str_make(op_list_buffer->data, op_list_buffer->length));
  }
  if (error) {
    TF_DeleteApiDefMap(map);
    map = NULL;
  }
  dvt_status_to_tf(error, status);
  return map;
}

void TF_DeleteApiDefMap(TF_ApiDefMap *apimap) {
  if (!apimap) return;
  pthread_mutex_destroy(&apimap->lock);
  dvt_map_deinit(&apimap->ops);
  dvt_arena_deinit(&apimap->arena);
  dvt_free(apimap);
}

// ---- overrides ----

static void join_names(const api_list *list, dvt_buf *out) {
  for (const api_item *item = list->first; item; item = item->next)
    dvt_buf_printf(out, "%s" DVT_STR_FMT, item == list->first ? "" : ", ", DVT_STR_ARG(item->name));
}

static size_t list_length(const api_list *list) {
  size_t n = 0;
  for (const api_item *item = list->first; item; item = item->next) n++;
  return n;
}

// What the override says must fit the op before anything of it is taken over.
static dvt_status check_override(const api_op *op, dvt_str api_def, const api_list *order) {
  dvt_wire wire = dvt_wire_open(api_def);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number < API_IN_ARG || field.number > API_ATTR) continue;
    dvt_str name = field_or_empty(field.bytes, ITEM_NAME);
    if (!find_item(&op->items[field.number - API_IN_ARG], name))
      return dvt_error(TF_FAILED_PRECONDITION, "%s " DVT_STR_FMT " not defined in base api for " DVT_STR_FMT,
                       field.number == API_ATTR ? "Attribute" : "Argument", DVT_STR_ARG(name),
                       DVT_STR_ARG(op->name));
  }
  if (!order->first) return NULL;
  size_t got = list_length(order), want = list_length(&op->arg_order);
  if (got != want)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "Invalid number of arguments %zu for " DVT_STR_FMT ". Expected: %zu", got,
                     DVT_STR_ARG(op->name), want);
  for (const api_item *item = order->first; item; item = item->next) {
    if (find_item(&op->arg_order, item->name)) continue;
    dvt_buf theirs = {0}, ours = {0};
    join_names(order, &theirs);
    join_names(&op->arg_order, &ours);
    dvt_status error =
        dvt_error(TF_FAILED_PRECONDITION,
                  "Invalid arg_order: %s for " DVT_STR_FMT
                  ". All elements in arg_order override must match base arg_order: %s",
                  theirs.data ? theirs.data : "", DVT_STR_ARG(op->name), ours.data ? ours.data : "");
    dvt_buf_deinit(&theirs);
    dvt_buf_deinit(&ours);
    return error;
  }
  return NULL;
}

static void override_item(api_item *item, const dvt_field *field) {
  bool is_attr = field->number == API_ATTR;
  dvt_str rename = field_or_empty(field->bytes, ITEM_RENAME_TO);
  dvt_str description = field_or_empty(field->bytes, is_attr ? ATTR_DESCRIPTION : ARG_DESCRIPTION);
  dvt_field value;
  if (rename.len) item->rename_to = rename;
  if (description.len) item->description = description;
  if (is_attr && dvt_wire_find(field->bytes, ATTR_DEFAULT, DVT_WIRE_BYTES, &value)) {
    item->has_default = true;
    item->default_value = value.bytes;
  }
}

static bool join_description(dvt_arena *arena, api_op *op, dvt_str prefix, dvt_str suffix) {
  if (prefix.len + suffix.len == 0) return true;
  dvt_str parts[] = {prefix, op->description, suffix};
  dvt_buf text = {0};
  for (size_t i = 0; i < DVT_COUNT_OF(parts); i++) {
    if (parts[i].len == 0) continue;
    if (text.len) dvt_buf_append_byte(&text, '\n');
    dvt_buf_append_str(&text, parts[i]);
  }
  bool ok = !text.failed && dvt_arena_copy_str(arena, dvt_buf_str(&text), &op->description);
  dvt_buf_deinit(&text);
  return ok;
}

// `api_def` lies in the map's arena.
static dvt_status apply_override(TF_ApiDefMap *map, dvt_str api_def) {
  api_op *op = dvt_map_get(&map->ops, field_or_empty(api_def, API_NAME));
  if (!op) return NULL;
  api_list endpoints = {0}, order = {0};
  dvt_wire wire = dvt_wire_open(api_def);
  dvt_field field;
  bool ok = true;
  while (ok && dvt_wire_next(&wire, &field)) {
    if (field.number != API_ENDPOINT && field.number != API_ARG_ORDER) continue;
    api_item *item = add_item(&map->arena, field.number == API_ENDPOINT ? &endpoints : &order);
    if (item) item->name = item->description = field.bytes;
    ok = item != NULL;
  }
  if (!ok) return dvt_error_out_of_memory(sizeof(api_item));
  DVT_RETURN_IF_ERROR(check_override(op, api_def, &order));
  if (endpoints.first) op->endpoints = endpoints;
  if (order.first) op->arg_order = order;
  wire = dvt_wire_open(api_def);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == API_VISIBILITY && field.value != 0) op->visibility = field.value;
    if (field.number == API_SUMMARY && field.bytes.len) op->summary = field.bytes;
    if (field.number == API_DESCRIPTION && field.bytes.len) op->description = field.bytes;
    if (field.number >= API_IN_ARG && field.number <= API_ATTR)
      override_item(find_item(&op->items[field.number - API_IN_ARG], field_or_empty(field.bytes, ITEM_NAME)),
                    &field);
  }
  if (!join_description(&map->arena, op, field_or_empty(api_def, API_PREFIX),
                        field_or_empty(api_def, API_SUFFIX)))
    return dvt_error_out_of_memory(op->description.len);
  return NULL;
}

static dvt_status put_text(TF_ApiDefMap *map, dvt_str text) {
  if (map->was_read)
    return dvt_error(
        TF_FAILED_PRECONDITION,
        "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called. Put all ApiDefs first.");
  dvt_buf wire_bytes = {0};
  dvt_str api_defs;
  dvt_status error = dvt_text_parse(&api_defs_schema, text, "ApiDefs", &wire_bytes);
  if (!error && (wire_bytes.failed || !dvt_arena_copy_str(&map->arena, dvt_buf_str(&wire_bytes), &api_defs)))
    error = dvt_error_out_of_memory(wire_bytes.len);
  dvt_buf_deinit(&wire_bytes);
  if (error) return error;
  dvt_wire wire = dvt_wire_open(api_defs);
  dvt_field field;
  while (!error && dvt_wire_next(&wire, &field)) error = apply_override(map, field.bytes);
  return error;
}

void TF_ApiDefMapPut(TF_ApiDefMap *api_def_map, const char *text, size_t text_len, TF_Status *status) {
  pthread_mutex_lock(&api_def_map->lock);
  dvt_status error = put_text(api_def_map, dvt_str_make(text, text_len));
  pthread_mutex_unlock(&api_def_map->lock);
  dvt_status_to_tf(error, status);
}

// ---- reading ----

static void put_nonempty(dvt_buf *out, uint32_t number, dvt_str text) {
  if (text.len) dvt_wire_put_bytes(out, number, text);
}

static void put_op(const api_op *op, dvt_buf *out) {
  put_nonempty(out, API_NAME, op->name);
  dvt_wire_put_varint(out, API_VISIBILITY, op->visibility);
  for (const api_item *item = op->endpoints.first; item; item = item->next)
    dvt_wire_put_bytes(out, API_ENDPOINT, item->description);
  for (uint32_t kind = API_IN_ARG; kind <= API_ATTR; kind++)
    for (const api_item *item = op->items[kind - API_IN_ARG].first; item; item = item->next) {
      size_t begin = dvt_wire_begin(out, kind);
      put_nonempty(out, ITEM_NAME, item->name);
      put_nonempty(out, ITEM_RENAME_TO, item->rename_to);
      if (item->has_default) dvt_wire_put_bytes(out, ATTR_DEFAULT, item->default_value);
      put_nonempty(out, kind == API_ATTR ? ATTR_DESCRIPTION : ARG_DESCRIPTION, item->description);
      dvt_wire_end(out, begin);
    }
  put_nonempty(out, API_SUMMARY, op->summary);
  put_nonempty(out, API_DESCRIPTION, op->description);
  for (const api_item *item = op->arg_order.first; item; item = item->next)
    dvt_wire_put_bytes(out, API_ARG_ORDER, item->name);
}

TF_Buffer *TF_ApiDefMapGet(TF_ApiDefMap *api_def_map, const char *name, size_t name_len, TF_Status *status) {
  pthread_mutex_lock(&api_def_map->lock);
  api_def_map->was_read = true;
  const api_op *op = dvt_map_get(&api_def_map->ops, dvt_str_make(name, name_len));
  dvt_buf bytes = {0};
  if (op) put_op(op, &bytes);
  pthread_mutex_unlock(&api_def_map->lock);
  TF_Buffer *result = op && !bytes.failed ? TF_NewBufferFromString(bytes.data, bytes.len) : NULL;
  dvt_status_to_tf(op && !result ? dvt_error_out_of_memory(bytes.len) : NULL, status);
  dvt_buf_deinit(&bytes);
  return result;
}
