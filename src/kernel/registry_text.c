// The kernel registry in words and as protos: lists for error messages, for the `kernels` command and for
// TF_GetAllRegisteredKernels.
#include "base/wire.h"
#include "kernel/registry_internal.h"
#include "op/attr.h"

void dvt_kernel_def_describe(const dvt_kernel_def *def, dvt_buf *out) {
  dvt_buf_printf(out, "device='" DVT_STR_FMT "'", DVT_STR_ARG(def->device_type));
  if (def->label.len) dvt_buf_printf(out, "; label='" DVT_STR_FMT "'", DVT_STR_ARG(def->label));
  if (def->priority) dvt_buf_printf(out, "; priority=%d", (int)def->priority);
  for (int i = 0; i < def->constraint_count; i++) {
    const dvt_kernel_constraint *constraint = &def->constraints[i];
    dvt_buf_printf(out, "; " DVT_STR_FMT " in [", DVT_STR_ARG(constraint->attr));
    for (int k = 0; k < constraint->dtype_count; k++)
      dvt_buf_printf(out, "%s%s", k ? ", " : "", dvt_dtype_proto_name(constraint->dtypes[k]));
    dvt_buf_append_byte(out, ']');
  }
}

void dvt_kernel_list_text(dvt_str op, dvt_buf *out) {
  bool any = false;
  const dvt_kernel_rows *rows = dvt_kernel_rows_of_name(op);
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++) {
    if (!dvt_load_is_visible(rows->rows[i].def->load)) continue;
    any = true;
    dvt_buf_append_str(out, DVT_STR("  "));
    dvt_kernel_def_describe(rows->rows[i].def, out);
    dvt_buf_append_byte(out, '\n');
  }
  if (!any) dvt_buf_append_str(out, DVT_STR("  <no registered kernels>\n"));
}

// KernelDef: 1 op, 2 device_type, 3 constraint {1 name, 2 allowed_values}, 4 host_memory_arg, 5 label, 6
// priority.
static void append_proto(void *arg, const dvt_kernel_def *def) {
  dvt_buf *out = arg;
  size_t kernel = dvt_wire_begin(out, 1);
  if (def->op.len) dvt_wire_put_bytes(out, 1, def->op);
  if (def->device_type.len) dvt_wire_put_bytes(out, 2, def->device_type);
  for (int i = 0; i < def->constraint_count; i++) {
    const dvt_kernel_constraint *c = &def->constraints[i];
    size_t constraint = dvt_wire_begin(out, 3);
    dvt_wire_put_bytes(out, 1, c->attr);
    size_t value = dvt_wire_begin(out, 2), list = dvt_wire_begin(out, 1), types = dvt_wire_begin(out, 6);
    for (int k = 0; k < c->dtype_count; k++) dvt_wire_put_raw_varint(out, c->dtypes[k]);
    dvt_wire_end(out, types);
    dvt_wire_end(out, list);
    dvt_wire_end(out, value);
    dvt_wire_end(out, constraint);
  }
  for (int i = 0; i < def->host_memory_count; i++) dvt_wire_put_bytes(out, 4, def->host_memory_args[i]);
  if (def->label.len) dvt_wire_put_bytes(out, 5, def->label);
  if (def->priority) dvt_wire_put_varint(out, 6, (uint64_t)(int64_t)def->priority);
  dvt_wire_end(out, kernel);
}

void dvt_kernel_list_proto(dvt_str op, dvt_buf *out) {
  if (op.len == 0) {
    dvt_kernel_registry_visit(append_proto, out);
    return;
  }
  const dvt_kernel_rows *rows = dvt_kernel_rows_of_name(op);
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++)
    if (dvt_load_is_visible(rows->rows[i].def->load)) append_proto(out, rows->rows[i].def);
}
