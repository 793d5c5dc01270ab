// Choosing the kernel for a node: op, device type and label must be equal, every type constraint must hold,
// the highest priority wins; kernels for the device type DEFAULT are asked last. match_explain.c tells what
// became of each kernel.
#include "kernel/match.h"

#include "op/attr.h"
#include "tensor/dtype.h"

// ---- constraints ----

static uint64_t bit_of(uint64_t dtype) {
  return dtype <= DVT_DTYPE_MAX ? UINT64_C(1) << dtype : DVT_MATCH_UNKNOWN_TYPE;
}

// The dtypes in an attr's value as bits; DVT_MATCH_NO_TYPE for a value of another kind.
static uint64_t types_in(dvt_str value) {
  // AttrValue {6: dtype}, as nearly all are.
  if (DVT_LIKELY(value.len == 2 && value.data[0] == 0x30 && (uint8_t)value.data[1] < 0x80))
    return bit_of((uint8_t)value.data[1]);
  dvt_attr_info info;
  dvt_attr_list list;
  int dtype = 0;
  dvt_status status = dvt_attr_inspect(value, &info);
  uint64_t types = DVT_MATCH_NO_TYPE, bits;
  if (!status && !info.is_list && info.kind == TF_ATTR_TYPE) {
    status = dvt_attr_get_type(value, &dtype);
    if (!status) types = bit_of((uint64_t)dtype);
  } else if (!status && info.is_list && (info.kind == TF_ATTR_TYPE || info.list_size == 0)) {
    status = dvt_attr_list_open(value, TF_ATTR_TYPE, &list);
    if (!status) types = 0;
    while (!status && dvt_attr_list_next(&list, &bits, NULL)) types |= bit_of(bits);
  }
  dvt_status_free(status);
  return types;
}

// The node's value of the attr, decoded once for all kernels that constrain it. A node with more constrained
// attrs than there is room for decodes the last ones again.
static const dvt_match_attr *look_up(dvt_match *m, dvt_str attr) {
  for (int i = 0; i < m->attr_count; i++)
    if (m->attrs[i].name.data == attr.data || dvt_str_eq(m->attrs[i].name, attr)) return &m->attrs[i];
  if (m->attr_count < DVT_MATCH_ATTRS) m->attr_count++;
  dvt_match_attr *found = &m->attrs[m->attr_count - 1];
  *found = (dvt_match_attr){.name = attr, .types = DVT_MATCH_NO_TYPE};
  found->is_there = dvt_node_attr(m->node, attr, &found->value);
  if (found->is_there) found->types = types_in(found->value);
  return found;
}

// A kernel that names an attr the node does not have, or one that holds no dtypes, fits no node.
static dvt_status DVT_COLD bad_constraint(const dvt_match *m, const dvt_kernel_def *def,
                                          const dvt_match_attr *attr) {
  dvt_buf kernel = {0}, text = {0};
  dvt_kernel_def_describe(def, &kernel);
  dvt_buf_append_byte(&kernel, '\0');
  if (attr->is_there) dvt_attr_describe(attr->value, &text);
  dvt_buf_append_byte(&text, '\0');
  const char *kernel_text = kernel.failed ? "" : kernel.data, *value_text = text.failed ? "" : text.data;
  dvt_status status;
  if (!attr->is_there)
    status =
        dvt_error(TF_INVALID_ARGUMENT,
                  "OpKernel '" DVT_STR_FMT "' has constraint on attr '" DVT_STR_FMT
                  "' not in NodeDef '{{node " DVT_STR_FMT
                  "}}', kernel: %s. Correct the TypeConstraint's name or the op's attrs",
                  DVT_STR_ARG(def->op), DVT_STR_ARG(attr->name), DVT_STR_ARG(m->node->name), kernel_text);
  else
    status = dvt_error(TF_INVALID_ARGUMENT,
                       "OpKernel '" DVT_STR_FMT "' has constraint on attr '" DVT_STR_FMT
                       "' that has value '%s' that does not have type 'type' or 'list(type)' in NodeDef "
                       "'{{node " DVT_STR_FMT "}}', kernel: %s",
                       DVT_STR_ARG(def->op), DVT_STR_ARG(attr->name), value_text, DVT_STR_ARG(m->node->name),
                       kernel_text);
  dvt_buf_deinit(&kernel);
  dvt_buf_deinit(&text);
  return status;
}

dvt_kernel_fit dvt_match_constraints(dvt_match *m, const dvt_kernel_def *def,
                                     const dvt_kernel_constraint **out_constraint,
                                     const dvt_match_attr **out_attr) {
  for (int i = 0; i < def->constraint_count; i++) {
    const dvt_kernel_constraint *c = &def->constraints[i];
    const dvt_match_attr *attr = look_up(m, c->attr);
    if ((attr->types & ~c->allowed) == 0) continue;
    *out_constraint = c;
    *out_attr = attr;
    return attr->types == DVT_MATCH_NO_TYPE ? DVT_KERNEL_BAD_CONSTRAINT : DVT_KERNEL_ATTR_MISMATCH;
  }
  return DVT_KERNEL_TAKEN;
}

// ---- the best ----

static dvt_status DVT_COLD ambiguous(const dvt_match *m, const dvt_kernel_def *a, const dvt_kernel_def *b,
                                     const char *what) {
  dvt_buf text = {0};
  dvt_buf_append_byte(&text, '\'');
  dvt_kernel_def_describe(a, &text);
  dvt_buf_append_str(&text, DVT_STR("' and '"));
  dvt_kernel_def_describe(b, &text);
  dvt_buf_append_byte(&text, '\'');
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT,
                "%s '{{node " DVT_STR_FMT "}}': op '" DVT_STR_FMT "' has " DVT_STR_FMT
                ". Give one of them a higher priority or a label, or load only one of their plugins",
                what, DVT_STR_ARG(m->node->name), DVT_STR_ARG(a->op), DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}

// The best kernel for `device_type`; *out_def NULL when none matches. Most that do not are told by their row.
static dvt_status find_for_device(dvt_match *m, const dvt_kernel_rows *rows, dvt_str device_type,
                                  bool is_default, const dvt_kernel_def **out_def) {
  const dvt_kernel_def *best = NULL, *rival = NULL;
  const char *same_device = NULL;  // device types are interned: what equalled once equals by address
  uint64_t types = rows->attr ? look_up(m, *rows->attr)->types : 0;
  // An attr without dtypes is an error, but only for kernels of the right key that constrain it.
  bool is_bad = types == DVT_MATCH_NO_TYPE;
  if (DVT_UNLIKELY(is_bad)) types = 0;
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++) {
    if (types & ~rows->rows[i].allowed) continue;
    const dvt_kernel_def *def = rows->rows[i].def;
    if (!dvt_load_is_visible(def->load)) continue;
    if (def->device_type.data != same_device) {
      if (!dvt_str_eq(def->device_type, device_type)) continue;
      same_device = def->device_type.data;
    }
    if (def->label.len + m->label.len > 0 && !dvt_str_eq(def->label, m->label)) continue;
    if (is_bad || def->constraint_count > (rows->rows[i].allowed == DVT_KERNEL_UNTOLD ? 0 : 1)) {
      const dvt_kernel_constraint *constraint;
      const dvt_match_attr *attr;
      dvt_kernel_fit fit = dvt_match_constraints(m, def, &constraint, &attr);
      if (DVT_UNLIKELY(fit == DVT_KERNEL_BAD_CONSTRAINT)) return bad_constraint(m, def, attr);
      if (fit != DVT_KERNEL_TAKEN) continue;
    }
    if (!best || (!is_default && def->priority > best->priority)) {
      best = def;
      rival = NULL;
    } else if (is_default || def->priority == best->priority) {
      rival = def;
    }
  }
  if (DVT_UNLIKELY(rival != NULL))
    return ambiguous(m, best, rival,
                     is_default ? "Multiple Default OpKernel registrations match NodeDef"
                                : "Multiple OpKernel registrations match NodeDef at the same priority");
  *out_def = best;
  return NULL;
}

dvt_status dvt_match_find(dvt_match *m, const dvt_kernel_rows *rows, const dvt_kernel_def **out_def) {
  DVT_RETURN_IF_ERROR(find_for_device(m, rows, m->device_type, false, out_def));
  if (DVT_LIKELY(*out_def != NULL)) return NULL;
  return find_for_device(m, rows, DVT_STR("DEFAULT"), true, out_def);
}

dvt_status dvt_match_begin(dvt_match *m, const dvt_node_def *node, dvt_str device_type) {
  m->node = node;
  m->device_type = device_type;
  m->label = DVT_STR("");
  m->attr_count = 0;
  for (int32_t i = 0; i < node->attr_count; i++)
    if (DVT_UNLIKELY(dvt_str_eq(node->attrs[i].name, DVT_STR("_kernel"))))
      return dvt_status_annotate(dvt_attr_get_string(node->attrs[i].value, &m->label),
                                 "\n\tfor attr '_kernel'\n\t [[{{node " DVT_STR_FMT "}}]]",
                                 DVT_STR_ARG(node->name));
  return NULL;
}

// Nothing matches, so all that is wrong with a kernel of the right device and label is its constraints.
static bool is_attr_mismatch(const dvt_match *m) {
  const dvt_kernel_rows *rows = dvt_kernel_rows_of(m->node->op);
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++) {
    const dvt_kernel_def *def = rows->rows[i].def;
    if (dvt_load_is_visible(def->load) && dvt_str_eq(def->label, m->label) &&
        (dvt_str_eq(def->device_type, m->device_type) || dvt_str_is(def->device_type, "DEFAULT")))
      return true;
  }
  return false;
}

dvt_status dvt_match_not_found(const dvt_match *m) {
  dvt_buf node = {0}, kernels = {0};
  dvt_node_describe(m->node, &node);
  dvt_kernel_list_text(m->node->op->name, &kernels);
  dvt_status status = dvt_error(
      TF_NOT_FOUND,
      "No registered '" DVT_STR_FMT "' OpKernel for " DVT_STR_FMT " devices compatible with node " DVT_STR_FMT
      "%s%s" DVT_STR_FMT "%s.  Registered:\n" DVT_STR_FMT "Load a plugin that has such a kernel",
      DVT_STR_ARG(m->node->op->name), DVT_STR_ARG(m->device_type), DVT_STR_ARG(dvt_buf_str(&node)),
      is_attr_mismatch(m) ? " (OpKernel was found, but attributes didn't match)" : "",
      m->label.len ? ", label '" : "", DVT_STR_ARG(m->label), m->label.len ? "'" : "",
      DVT_STR_ARG(dvt_buf_str(&kernels)));
  dvt_buf_deinit(&node);
  dvt_buf_deinit(&kernels);
  return status;
}

dvt_status dvt_kernel_find(const dvt_node_def *node, dvt_str device_type, const dvt_kernel_def **out_def) {
  dvt_match m;
  const dvt_kernel_def *found = NULL;
  dvt_status status = NULL;
  DVT_RETURN_IF_ERROR(dvt_match_begin(&m, node, device_type));
  for (int attempt = 0; attempt < 2; attempt++) {
    status = dvt_match_find(&m, dvt_kernel_rows_of(node->op), &found);
    if (status || found || attempt) break;
    dvt_kernel_registry_autoload(node->op->name);
  }
  if (status) return status;
  if (!found) return dvt_match_not_found(&m);
  *out_def = found;
  return NULL;
}
