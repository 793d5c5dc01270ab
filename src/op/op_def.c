// Parsed op definitions: looking up names, copying compactly, describing for messages.
#include "op/op_def.h"

#include "op/op_def_check.h"
#include "tensor/dtype.h"

int dvt_op_def_find_attr(const dvt_op_def *op, dvt_str name) {
  for (int i = 0; i < op->attr_count; i++)
    if (dvt_str_eq(op->attrs[i].name, name)) return i;
  return -1;
}

static int find_arg(const dvt_arg_def *args, int count, dvt_str name) {
  for (int i = 0; i < count; i++)
    if (dvt_str_eq(args[i].name, name)) return i;
  return -1;
}

int dvt_op_def_find_input(const dvt_op_def *op, dvt_str name) {
  return find_arg(op->inputs, op->input_count, name);
}
int dvt_op_def_find_output(const dvt_op_def *op, dvt_str name) {
  return find_arg(op->outputs, op->output_count, name);
}

static size_t string_bytes(const dvt_op_def *op) {
  size_t bytes = op->name.len + 1;
  for (int i = 0; i < op->attr_count; i++) {
    const dvt_attr_def *attr = &op->attrs[i];
    bytes += attr->name.len + attr->default_value.len + attr->allowed.len + 3;
  }
  for (int i = 0; i < op->input_count; i++) bytes += op->inputs[i].name.len + 1;
  for (int i = 0; i < op->output_count; i++) bytes += op->outputs[i].name.len + 1;
  return bytes + op->deprecation_text.len + op->extra.len + 2;
}

// Moves the string to *next, NUL-terminated; an empty one becomes the empty literal.
static inline void pack_str(char **next, dvt_str *s) {
  if (s->len == 0) {
    *s = DVT_STR("");
    return;
  }
  char *copy = *next;
  memcpy(copy, s->data, s->len);
  copy[s->len] = '\0';
  s->data = copy;
  *next = copy + s->len + 1;
}

static void pack_strings(dvt_op_def *op, char *next) {
  pack_str(&next, &op->name);
  for (int i = 0; i < op->attr_count; i++) {
    pack_str(&next, &op->attrs[i].name);
    pack_str(&next, &op->attrs[i].default_value);
    pack_str(&next, &op->attrs[i].allowed);
  }
  for (int i = 0; i < op->input_count; i++) pack_str(&next, &op->inputs[i].name);
  for (int i = 0; i < op->output_count; i++) pack_str(&next, &op->outputs[i].name);
  pack_str(&next, &op->deprecation_text);
  pack_str(&next, &op->extra);
}

// The copy is one block: the struct, the arrays, then all strings.
const dvt_op_def *dvt_op_def_clone(const dvt_op_def *op, dvt_arena *arena) {
  size_t attr_bytes = sizeof *op->attrs * (size_t)op->attr_count;
  size_t input_bytes = sizeof *op->inputs * (size_t)op->input_count;
  size_t output_bytes = sizeof *op->outputs * (size_t)op->output_count;
  size_t head_bytes = sizeof *op + sizeof *op->kernels;
  size_t fixed_bytes = head_bytes + attr_bytes + input_bytes + output_bytes;
  char *block = dvt_arena_alloc(arena, fixed_bytes + string_bytes(op));
  if (!block) return NULL;
  dvt_op_def *copy = (dvt_op_def *)(void *)(block + sizeof *op->kernels);
  *copy = *op;
  copy->kernels = (void *)block;  // before the op, whose name is read with it
  atomic_init(copy->kernels, NULL);
  copy->attrs = (dvt_attr_def *)(void *)(block + head_bytes);
  copy->inputs = (dvt_arg_def *)(void *)(block + head_bytes + attr_bytes);
  copy->outputs = (dvt_arg_def *)(void *)(block + head_bytes + attr_bytes + input_bytes);
  if (attr_bytes) memcpy(copy->attrs, op->attrs, attr_bytes);
  if (input_bytes) memcpy(copy->inputs, op->inputs, input_bytes);
  if (output_bytes) memcpy(copy->outputs, op->outputs, output_bytes);
  pack_strings(copy, block + fixed_bytes);
  return copy;
}

static void describe_args(const dvt_op_def *op, const dvt_arg_def *args, int count, dvt_buf *out) {
  for (int i = 0; i < count; i++) {
    const dvt_arg_def *arg = &args[i];
    dvt_buf_printf(out, "%s" DVT_STR_FMT ":%s", i ? ", " : "", DVT_STR_ARG(arg->name),
                   arg->is_ref ? "Ref(" : "");
    if (arg->number_attr >= 0)
      dvt_buf_printf(out, DVT_STR_FMT "*", DVT_STR_ARG(op->attrs[arg->number_attr].name));
    if (arg->dtype)
      dvt_buf_append_str(out, dvt_str_from(dvt_dtype_name(arg->dtype)));
    else if (arg->type_attr >= 0)
      dvt_buf_append_str(out, op->attrs[arg->type_attr].name);
    else if (arg->type_list_attr >= 0)
      dvt_buf_append_str(out, op->attrs[arg->type_list_attr].name);
    if (arg->is_ref) dvt_buf_append_byte(out, ')');
  }
}

void dvt_op_def_describe(const dvt_op_def *op, dvt_buf *out) {
  dvt_buf_printf(out, "Op<name=" DVT_STR_FMT "; signature=", DVT_STR_ARG(op->name));
  describe_args(op, op->inputs, op->input_count, out);
  dvt_buf_append(out, " -> ", 4);
  describe_args(op, op->outputs, op->output_count, out);
  for (int i = 0; i < op->attr_count; i++) {
    const dvt_attr_def *attr = &op->attrs[i];
    dvt_buf_printf(out, "; attr=" DVT_STR_FMT ":%s", DVT_STR_ARG(attr->name), dvt_attr_def_type_name(attr));
    if (attr->has_default) {
      dvt_buf_append_str(out, DVT_STR(",default="));
      dvt_attr_describe(attr->default_value, out);
    }
    if (attr->has_minimum) dvt_buf_printf(out, ",min=%lld", (long long)attr->minimum);
    if (attr->allowed.len) {
      dvt_buf_append_str(out, DVT_STR(",allowed="));
      dvt_attr_describe(attr->allowed, out);
    }
  }
  if (op->is_commutative) dvt_buf_append_str(out, DVT_STR("; is_commutative=true"));
  if (op->is_aggregate) dvt_buf_append_str(out, DVT_STR("; is_aggregate=true"));
  if (op->is_stateful) dvt_buf_append_str(out, DVT_STR("; is_stateful=true"));
  if (op->allows_uninitialized_input) dvt_buf_append_str(out, DVT_STR("; allows_uninitialized_input=true"));
  dvt_buf_append_byte(out, '>');
}
