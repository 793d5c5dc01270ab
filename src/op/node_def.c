// Nodes as kernels and shape functions see them: looking up attrs with defaults, checking a node against its
// op, expanding lists of arguments into flat inputs and outputs, printing.
#include "op/node_def.h"

#include <stdio.h>

#include "base/log.h"
#include "base/nearest.h"
#include "tensor/dtype.h"

// No node has more flat inputs or outputs than this; a hostile "N" must not allocate without bound.
enum { MAX_FLAT_ARGS = 1 << 18 };

bool dvt_node_attr(const dvt_node_def *node, dvt_str name, dvt_str *out_value) {
  for (int32_t i = 0; i < node->attr_count; i++) {
    if (!dvt_str_eq(node->attrs[i].name, name)) continue;
    *out_value = node->attrs[i].value;
    return true;
  }
  int index = node->op ? dvt_op_def_find_attr(node->op, name) : -1;
  if (index < 0 || !node->op->attrs[index].has_default) return false;
  *out_value = node->op->attrs[index].default_value;
  return true;
}

dvt_status dvt_node_attr_or_error(const dvt_node_def *node, dvt_str name, dvt_str *out_value) {
  if (DVT_LIKELY(dvt_node_attr(node, name, out_value))) return NULL;
  return dvt_error(TF_NOT_FOUND,
                   "No attr named '" DVT_STR_FMT "' in NodeDef:\n\t [[{{node " DVT_STR_FMT "}}]]",
                   DVT_STR_ARG(name), DVT_STR_ARG(node->name));
}

static dvt_status with_context(const dvt_node_def *node, dvt_status status) {
  if (!status) return NULL;
  dvt_buf op = {0};
  dvt_op_def_describe(node->op, &op);
  status = dvt_status_annotate(status, "; NodeDef: {{node " DVT_STR_FMT "}}; %s", DVT_STR_ARG(node->name),
                               op.data ? op.data : "");
  dvt_buf_deinit(&op);
  return status;
}

static const dvt_attr *find_given(const dvt_node_def *node, dvt_str name) {
  for (int32_t i = 0; i < node->attr_count; i++)
    if (dvt_str_eq(node->attrs[i].name, name)) return &node->attrs[i];
  return NULL;
}

// In the body of a function an attr may stand for one of the function's own ("$T"); its value is checked when
// known.
static bool is_placeholder(dvt_str value) {
  dvt_field field;
  return value.len && value.data[0] == (9 << 3 | DVT_WIRE_BYTES) &&
         dvt_wire_find(value, 9, DVT_WIRE_BYTES, &field);
}

static dvt_status missing_attrs(const dvt_node_def *node) {
  dvt_buf names = {0};
  int count = 0;
  for (int i = 0; i < node->op->attr_count; i++) {
    const dvt_attr_def *attr = &node->op->attrs[i];
    if (attr->has_default || find_given(node, attr->name)) continue;
    dvt_buf_printf(&names, "%s'" DVT_STR_FMT "'", count++ ? ", " : "", DVT_STR_ARG(attr->name));
  }
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "NodeDef missing attr%s %s", count == 1 ? "" : "s",
                                names.data ? names.data : "");
  dvt_buf_deinit(&names);
  return status;
}

// Attrs that the op lacks and that are not internal: one line for the node, however many there are.
static void warn_of_unknown(const dvt_node_def *node) {
  const dvt_op_def *op = node->op;
  dvt_str first = {0};
  int32_t others = -1;
  for (int32_t i = 0; i < node->attr_count; i++) {
    dvt_str name = node->attrs[i].name;
    if ((name.len && name.data[0] == '_') || dvt_op_def_find_attr(op, name) >= 0) continue;
    if (others++ < 0) first = name;
  }
  if (others < 0) return;
  char more[32] = "";
  if (others) snprintf(more, sizeof more, " and %d more", (int)others);
  dvt_nearest nearest = {.wanted = first};
  dvt_buf names = {0};
  for (int i = 0; i < op->attr_count; i++) dvt_nearest_offer(&nearest, op->attrs[i].name);
  dvt_nearest_print(&nearest, &names);
  dvt_log(DVT_WARNING,
          "NodeDef mentions attribute " DVT_STR_FMT "%s which is not in the op definition: Op " DVT_STR_FMT
          ", node " DVT_STR_FMT "; what the op lacks is ignored.%s",
          DVT_STR_ARG(first), more, DVT_STR_ARG(op->name), DVT_STR_ARG(node->name),
          names.data ? names.data : "");
  dvt_buf_deinit(&names);
}

static dvt_status check_attrs(const dvt_node_def *node) {
  const dvt_op_def *op = node->op;
  int known = 0;
  for (int i = 0; i < op->attr_count; i++) {
    const dvt_attr_def *attr = &op->attrs[i];
    const dvt_attr *given = find_given(node, attr->name);
    if (!given) {
      if (!attr->has_default) return missing_attrs(node);
      continue;
    }
    known++;
    if (!is_placeholder(given->value)) DVT_RETURN_IF_ERROR(dvt_attr_def_check_value(attr, given->value));
  }
  if (known < node->attr_count) warn_of_unknown(node);
  return NULL;
}

static dvt_status attr_at(const dvt_node_def *node, int index, dvt_str *out_value) {
  return dvt_node_attr_or_error(node, node->op->attrs[index].name, out_value);
}

dvt_status dvt_node_arg_count(const dvt_node_def *node, const dvt_arg_def *arg, int *out_count) {
  dvt_str value;
  int64_t count = 1;
  if (arg->number_attr >= 0) {
    DVT_RETURN_IF_ERROR(attr_at(node, arg->number_attr, &value));
    DVT_RETURN_IF_ERROR(dvt_attr_get_int(value, &count));
  } else if (arg->type_list_attr >= 0) {
    dvt_attr_info info;
    dvt_attr_list list;
    DVT_RETURN_IF_ERROR(attr_at(node, arg->type_list_attr, &value));
    DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_TYPE, &list));
    DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
    count = info.list_size;
  }
  if (count < 0 || count > MAX_FLAT_ARGS)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "argument '" DVT_STR_FMT "' of node '" DVT_STR_FMT
                     "' would have %lld elements; 0 to %d are possible",
                     DVT_STR_ARG(arg->name), DVT_STR_ARG(node->name), (long long)count, MAX_FLAT_ARGS);
  *out_count = (int)count;
  return NULL;
}

static dvt_status count_flat(const dvt_node_def *node, const dvt_arg_def *args, int arg_count,
                             int32_t *out_total) {
  int64_t total = 0;
  for (int i = 0; i < arg_count; i++) {
    int count = 1;
    if (args[i].number_attr >= 0 || args[i].type_list_attr >= 0)
      DVT_RETURN_IF_ERROR(dvt_node_arg_count(node, &args[i], &count));
    total += count;
  }
  if (total > MAX_FLAT_ARGS)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "node '" DVT_STR_FMT "' would have %lld inputs or outputs; the limit is %d",
                     DVT_STR_ARG(node->name), (long long)total, MAX_FLAT_ARGS);
  *out_total = (int32_t)total;
  return NULL;
}

static dvt_status fill_types(const dvt_node_def *node, const dvt_arg_def *args, int arg_count,
                             int16_t *types) {
  for (int i = 0; i < arg_count; i++) {
    const dvt_arg_def *arg = &args[i];
    int offset = arg->is_ref ? DVT_DTYPE_REF_OFFSET : 0, dtype = arg->dtype, count = 1;
    dvt_str value;
    if (arg->type_list_attr >= 0) {
      dvt_attr_list list;
      uint64_t bits;
      DVT_RETURN_IF_ERROR(attr_at(node, arg->type_list_attr, &value));
      DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_TYPE, &list));
      while (dvt_attr_list_next(&list, &bits, NULL)) *types++ = (int16_t)((int)bits + offset);
      continue;
    }
    if (arg->type_attr >= 0) {
      DVT_RETURN_IF_ERROR(attr_at(node, arg->type_attr, &value));
      DVT_RETURN_IF_ERROR(dvt_attr_get_type(value, &dtype));
    }
    if (arg->number_attr >= 0) DVT_RETURN_IF_ERROR(dvt_node_arg_count(node, arg, &count));
    for (int n = 0; n < count; n++) *types++ = (int16_t)(dtype + offset);
  }
  return NULL;
}

static dvt_status resolve(dvt_node_def *node, dvt_arena *arena) {
  const dvt_op_def *op = node->op;
  int32_t inputs, outputs;
  DVT_RETURN_IF_ERROR(check_attrs(node));
  DVT_RETURN_IF_ERROR(count_flat(node, op->inputs, op->input_count, &inputs));
  DVT_RETURN_IF_ERROR(count_flat(node, op->outputs, op->output_count, &outputs));
  int16_t *types = dvt_arena_alloc(arena, sizeof *types * (size_t)(inputs + outputs));
  if (!types) return dvt_error_out_of_memory(sizeof *types * (size_t)(inputs + outputs));
  DVT_RETURN_IF_ERROR(fill_types(node, op->inputs, op->input_count, types));
  DVT_RETURN_IF_ERROR(fill_types(node, op->outputs, op->output_count, types + inputs));
  node->input_count = inputs;
  node->output_count = outputs;
  node->input_types = types;
  node->output_types = types + inputs;
  return NULL;
}

dvt_status dvt_node_resolve(dvt_node_def *node, dvt_arena *arena) {
  return with_context(node, resolve(node, arena));
}

static dvt_status arg_range(const dvt_node_def *node, const dvt_arg_def *args, int arg_count, dvt_str name,
                            const char *what, int *out_start, int *out_stop) {
  int start = 0;
  for (int i = 0; i < arg_count; i++) {
    int count;
    DVT_RETURN_IF_ERROR(dvt_node_arg_count(node, &args[i], &count));
    if (dvt_str_eq(args[i].name, name)) {
      *out_start = start;
      *out_stop = start + count;
      return NULL;
    }
    start += count;
  }
  return dvt_error(TF_INVALID_ARGUMENT, "Unknown %s name: " DVT_STR_FMT, what, DVT_STR_ARG(name));
}

dvt_status dvt_node_input_range(const dvt_node_def *node, dvt_str name, int *out_start, int *out_stop) {
  return arg_range(node, node->op->inputs, node->op->input_count, name, "input", out_start, out_stop);
}

dvt_status dvt_node_output_range(const dvt_node_def *node, dvt_str name, int *out_start, int *out_stop) {
  return arg_range(node, node->op->outputs, node->op->output_count, name, "output", out_start, out_stop);
}

dvt_status dvt_op_check_deprecation(const dvt_op_def *op, int graph_def_version) {
  if (op->deprecated_since == 0 || graph_def_version < op->deprecated_since) return NULL;
  return dvt_error(TF_UNIMPLEMENTED,
                   "Op " DVT_STR_FMT
                   " is not available in GraphDef version %d. It has been removed in "
                   "version %d. " DVT_STR_FMT ".",
                   DVT_STR_ARG(op->name), graph_def_version, op->deprecated_since,
                   DVT_STR_ARG(op->deprecation_text));
}

static void put_attr(dvt_str name, dvt_str value, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, 5);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_put_bytes(out, 2, value);
  dvt_wire_end(out, begin);
}

void dvt_node_to_proto(const dvt_node_def *node, const dvt_str *input_names, dvt_str device, dvt_buf *out) {
  dvt_wire_put_bytes(out, 1, node->name);
  dvt_wire_put_bytes(out, 2, node->op->name);
  for (int32_t i = 0; input_names && i < node->input_count; i++) dvt_wire_put_bytes(out, 3, input_names[i]);
  if (device.len) dvt_wire_put_bytes(out, 4, device);
  for (int32_t i = 0; i < node->attr_count; i++) put_attr(node->attrs[i].name, node->attrs[i].value, out);
  for (int i = 0; i < node->op->attr_count; i++) {
    const dvt_attr_def *attr = &node->op->attrs[i];
    if (attr->has_default && !find_given(node, attr->name)) put_attr(attr->name, attr->default_value, out);
  }
}

void dvt_node_describe(const dvt_node_def *node, dvt_buf *out) {
  dvt_buf_printf(out, "{{node " DVT_STR_FMT "}} = " DVT_STR_FMT "[", DVT_STR_ARG(node->name),
                 DVT_STR_ARG(node->op->name));
  bool first = true;
  for (int i = 0; i < node->op->attr_count; i++) {
    const dvt_attr_def *attr = &node->op->attrs[i];
    dvt_str value;
    if (!dvt_node_attr(node, attr->name, &value)) continue;
    dvt_buf_printf(out, "%s" DVT_STR_FMT "=", first ? "" : ", ", DVT_STR_ARG(attr->name));
    dvt_attr_describe(value, out);
    first = false;
  }
  dvt_buf_append_byte(out, ']');
}
