// What dvt_list_ops tells of an op: see registry_op.h.
#include "capi/registry_op.h"

#include <dlfcn.h>
#include <inttypes.h>

#include "base/buf.h"

enum { OP_SUMMARY = 5, OP_DESCRIPTION = 6 };  // fields of the public op_def.proto

static const char *keep(dvt_arena *arena, dvt_buf *text) {
  dvt_str kept = {0};
  bool ok = !text->failed && dvt_arena_copy_str(arena, dvt_buf_str(text), &kept);
  dvt_buf_deinit(text);
  return ok ? kept.data : NULL;
}

static const char *keep_str(dvt_arena *arena, dvt_str text) {
  dvt_str kept = {0};
  return dvt_arena_copy_str(arena, text, &kept) ? kept.data : NULL;
}

static void put_allowed(dvt_str allowed, int kind, dvt_buf *out) {
  dvt_attr_list list;
  uint64_t bits;
  dvt_str text;
  dvt_status status = dvt_attr_list_open(allowed, kind, &list);
  for (int i = 0; !status && dvt_attr_list_next(&list, &bits, &text); ++i) {
    if (i) dvt_buf_append_str(out, DVT_STR(", "));
    if (kind == TF_ATTR_TYPE)
      dvt_buf_append_str(out, dvt_str_from(dvt_dtype_name((int)bits)));
    else
      dvt_buf_printf(out, "'" DVT_STR_FMT "'", DVT_STR_ARG(text));
  }
  dvt_status_free(status);
}

// "T in {float, double} = DT_FLOAT"
static void put_attr(const dvt_op_attr_info *attr, dvt_buf *out) {
  dvt_buf_printf(out, "%s: %s", attr->name, attr->type);
  if (attr->has_minimum) dvt_buf_printf(out, " >= %" PRId64, attr->minimum);
  if (attr->allowed[0]) dvt_buf_printf(out, " in {%s}", attr->allowed);
  if (attr->default_value) dvt_buf_printf(out, " = %s", attr->default_value);
}

static bool fill_attr(const dvt_attr_def *attr, dvt_arena *arena, dvt_op_attr_info *out) {
  dvt_buf type = {0}, allowed = {0}, value = {0};
  *out = (dvt_op_attr_info){.has_minimum = attr->has_minimum, .minimum = attr->minimum};
  dvt_buf_printf(&type, attr->is_list ? "list(%s)" : "%s", dvt_attr_kind_name(attr->kind));
  if (attr->allowed.len) put_allowed(attr->allowed, attr->kind, &allowed);
  if (attr->has_default) dvt_attr_describe(attr->default_value, &value);
  out->name = keep_str(arena, attr->name);
  out->type = keep(arena, &type);
  out->allowed = keep(arena, &allowed);
  const char *text = keep(arena, &value);
  if (attr->has_default) out->default_value = text;
  return out->name && out->type && out->allowed && text;
}

static void put_type(const dvt_op_def *op, const dvt_arg_def *arg, dvt_buf *out) {
  int type_attr = arg->type_list_attr >= 0 ? arg->type_list_attr : arg->type_attr;
  dvt_str type = type_attr >= 0 ? op->attrs[type_attr].name : dvt_str_from(dvt_dtype_name(arg->dtype));
  dvt_buf_printf(out, "%s", arg->is_ref ? "Ref(" : "");
  if (arg->number_attr >= 0)
    dvt_buf_printf(out, DVT_STR_FMT " * ", DVT_STR_ARG(op->attrs[arg->number_attr].name));
  dvt_buf_printf(out, DVT_STR_FMT "%s", DVT_STR_ARG(type), arg->is_ref ? ")" : "");
}

static const dvt_op_arg_info *fill_args(const dvt_op_def *op, const dvt_arg_def *args, int count,
                                        dvt_arena *arena) {
  dvt_op_arg_info *made = dvt_arena_alloc(arena, (size_t)count * sizeof *made);
  for (int i = 0; made && i < count; ++i) {
    dvt_buf type = {0};
    put_type(op, &args[i], &type);
    made[i] = (dvt_op_arg_info){keep_str(arena, args[i].name), keep(arena, &type)};
    if (!made[i].name || !made[i].type) return NULL;
  }
  return made;
}

static void put_args(const dvt_op_arg_info *args, int count, dvt_buf *out) {
  for (int i = 0; i < count; ++i) dvt_buf_printf(out, "%s%s: %s", i ? ", " : "", args[i].name, args[i].type);
}

static void put_doc(const dvt_op_def *op, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(op->extra);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES || (field.number != OP_SUMMARY && field.number != OP_DESCRIPTION))
      continue;
    if (out->len) dvt_buf_append_byte(out, '\n');
    dvt_buf_append_str(out, field.bytes);
  }
}

// The function's name where its library shows it, and the library.
static void put_shape_function(const dvt_op_def *op, dvt_buf *out) {
  Dl_info found;
  void *address;
  memcpy(&address, &op->shape_fn, sizeof address);
  if (!address || !dladdr(address, &found) || !found.dli_fname) {
    if (address) dvt_buf_printf(out, "(no library)");
    return;
  }
  const char *slash = strrchr(found.dli_fname, '/');
  if (found.dli_sname && found.dli_saddr == address) dvt_buf_printf(out, "%s of ", found.dli_sname);
  dvt_buf_printf(out, "%s", slash ? slash + 1 : found.dli_fname);
}

static void put_deprecation(const dvt_op_def *op, dvt_buf *out) {
  if (op->deprecated_since)
    dvt_buf_printf(out, "since GraphDef version %d: " DVT_STR_FMT, op->deprecated_since,
                   DVT_STR_ARG(op->deprecation_text));
}

static bool fill_texts(const dvt_op_def *op, dvt_arena *arena, dvt_op_info *out) {
  dvt_buf signature = {0}, attrs = {0}, doc = {0}, shape_function = {0}, deprecation = {0};
  dvt_buf_append_byte(&signature, '(');
  put_args(out->inputs, out->input_count, &signature);
  dvt_buf_append_str(&signature, DVT_STR(") -> ("));
  put_args(out->outputs, out->output_count, &signature);
  dvt_buf_append_byte(&signature, ')');
  for (int i = 0; i < out->attr_count; ++i) {
    if (i) dvt_buf_append_str(&attrs, DVT_STR(", "));
    put_attr(&out->attr_list[i], &attrs);
  }
  put_doc(op, &doc);
  put_shape_function(op, &shape_function);
  put_deprecation(op, &deprecation);
  out->signature = keep(arena, &signature);
  out->attrs = keep(arena, &attrs);
  out->doc = keep(arena, &doc);
  out->shape_function = keep(arena, &shape_function);
  out->deprecation = keep(arena, &deprecation);
  return out->signature && out->attrs && out->doc && out->shape_function && out->deprecation;
}

bool dvt_op_info_fill(const dvt_op_def *op, dvt_arena *arena, dvt_op_info *out) {
  dvt_op_attr_info *attrs = dvt_arena_alloc(arena, (size_t)op->attr_count * sizeof *attrs);
  *out = (dvt_op_info){.name = keep_str(arena, op->name),
                       .is_stateful = op->is_stateful,
                       .has_shape_function = op->shape_fn != NULL,
                       .inputs = fill_args(op, op->inputs, op->input_count, arena),
                       .outputs = fill_args(op, op->outputs, op->output_count, arena),
                       .input_count = op->input_count,
                       .output_count = op->output_count,
                       .attr_list = attrs,
                       .attr_count = op->attr_count};
  if (!out->name || !out->inputs || !out->outputs || !attrs) return false;
  for (int i = 0; i < op->attr_count; ++i)
    if (!fill_attr(&op->attrs[i], arena, &attrs[i])) return false;
  return fill_texts(op, arena, out);
}
