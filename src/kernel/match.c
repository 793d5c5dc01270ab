// Choosing the kernel for a node: op, device type and label must be equal, every type constraint must hold,
// the highest priority wins; kernels for the device type DEFAULT are asked last.
#include "base/buf.h"
#include "kernel/registry_internal.h"
#include "op/attr.h"

typedef struct search {
  const dvt_node_def *node;
  dvt_str device_type, label;
  bool attr_mismatch;  // a kernel had the right key but its constraints did not hold
} search;

// The error for a kernel that does not fit the node at all, with both named. `format` takes the kernel's text
// first.
static dvt_status bad_constraint(const search *s, const dvt_kernel_def *def, dvt_str attr, dvt_str value,
                                 bool missing) {
  dvt_buf kernel = {0}, text = {0};
  dvt_kernel_def_describe(def, &kernel);
  dvt_buf_append_byte(&kernel, '\0');
  if (!missing) dvt_attr_describe(value, &text);
  dvt_buf_append_byte(&text, '\0');
  const char *kernel_text = kernel.failed ? "" : kernel.data, *value_text = text.failed ? "" : text.data;
  dvt_status status;
  if (missing)
    status = dvt_error(TF_INVALID_ARGUMENT,
                       "OpKernel '" DVT_STR_FMT "' has constraint on attr '" DVT_STR_FMT
                       "' not in NodeDef '{{node " DVT_STR_FMT
                       "}}', kernel: %s. Correct the TypeConstraint's name "
                       "or the op's attrs",
                       DVT_STR_ARG(def->op), DVT_STR_ARG(attr), DVT_STR_ARG(s->node->name), kernel_text);
  else
    status = dvt_error(
        TF_INVALID_ARGUMENT,
        "OpKernel '" DVT_STR_FMT "' has constraint on attr '" DVT_STR_FMT
        "' that has value '%s' "
        "that does not have type 'type' or 'list(type)' in NodeDef '{{node " DVT_STR_FMT "}}', kernel: %s",
        DVT_STR_ARG(def->op), DVT_STR_ARG(attr), value_text, DVT_STR_ARG(s->node->name), kernel_text);
  dvt_buf_deinit(&kernel);
  dvt_buf_deinit(&text);
  return status;
}

static bool allows(const dvt_kernel_constraint *constraint, uint64_t dtype) {
  for (int i = 0; i < constraint->dtype_count; i++)
    if (constraint->dtypes[i] == dtype) return true;
  return false;
}

static dvt_status constraint_holds(const search *s, const dvt_kernel_def *def, const dvt_kernel_constraint *c,
                                   bool *out_holds) {
  dvt_str value;
  if (!dvt_node_attr(s->node, c->attr, &value)) return bad_constraint(s, def, c->attr, (dvt_str){0}, true);
  dvt_attr_info info;
  dvt_status status = dvt_attr_inspect(value, &info);
  bool is_type = !status && (info.kind == TF_ATTR_TYPE || (info.is_list && info.list_size == 0));
  dvt_status_free(status);
  if (!is_type) return bad_constraint(s, def, c->attr, value, false);
  if (!info.is_list) {
    int dtype = 0;
    DVT_RETURN_IF_ERROR(dvt_attr_get_type(value, &dtype));
    *out_holds = allows(c, (uint64_t)dtype);
    return NULL;
  }
  dvt_attr_list list;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_TYPE, &list));
  *out_holds = true;
  for (uint64_t dtype; dvt_attr_list_next(&list, &dtype, NULL);)
    if (!allows(c, dtype)) *out_holds = false;
  return NULL;
}

static dvt_status matches(const search *s, const dvt_kernel_def *def, bool *out_match) {
  for (int i = 0; i < def->constraint_count; i++) {
    bool holds = false;
    DVT_RETURN_IF_ERROR(constraint_holds(s, def, &def->constraints[i], &holds));
    if (!holds) {
      *out_match = false;
      return NULL;
    }
  }
  *out_match = true;
  return NULL;
}

static dvt_status ambiguous(const search *s, const dvt_kernel_def *a, const dvt_kernel_def *b,
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
                what, DVT_STR_ARG(s->node->name), DVT_STR_ARG(a->op), DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}

// The best kernel for `device_type` among those from `first` on; *out_def NULL when none matches.
static dvt_status find_for_device(search *s, const dvt_kernel_def *first, dvt_str device_type,
                                  bool is_default, const dvt_kernel_def **out_def) {
  const dvt_kernel_def *best = NULL, *rival = NULL;
  for (const dvt_kernel_def *def = first; def; def = def->next) {
    if (!dvt_load_is_visible(def->load)) continue;
    if (!dvt_str_eq(def->device_type, device_type) || !dvt_str_eq(def->label, s->label)) continue;
    bool match = false;
    DVT_RETURN_IF_ERROR(matches(s, def, &match));
    if (!match) {
      s->attr_mismatch = true;
    } else if (!best || (!is_default && def->priority > best->priority)) {
      best = def;
      rival = NULL;
    } else if (is_default || def->priority == best->priority) {
      rival = def;
    }
  }
  if (rival)
    return ambiguous(s, best, rival,
                     is_default ? "Multiple Default OpKernel registrations match NodeDef"
                                : "Multiple OpKernel registrations match NodeDef at the same priority");
  *out_def = best;
  return NULL;
}

static dvt_status not_found(const search *s) {
  dvt_buf node = {0}, kernels = {0};
  dvt_node_describe(s->node, &node);
  dvt_kernel_list_text(s->node->op->name, &kernels);
  dvt_status status = dvt_error(
      TF_NOT_FOUND,
      "No registered '" DVT_STR_FMT "' OpKernel for " DVT_STR_FMT " devices compatible with node " DVT_STR_FMT
      "%s%s" DVT_STR_FMT "%s.  Registered:\n" DVT_STR_FMT "Load a plugin that has such a kernel",
      DVT_STR_ARG(s->node->op->name), DVT_STR_ARG(s->device_type), DVT_STR_ARG(dvt_buf_str(&node)),
      s->attr_mismatch ? " (OpKernel was found, but attributes didn't match)" : "",
      s->label.len ? ", label '" : "", DVT_STR_ARG(s->label), s->label.len ? "'" : "",
      DVT_STR_ARG(dvt_buf_str(&kernels)));
  dvt_buf_deinit(&node);
  dvt_buf_deinit(&kernels);
  return status;
}

static dvt_status find_locked(search *s, const dvt_kernel_def *first, const dvt_kernel_def **out_def) {
  DVT_RETURN_IF_ERROR(find_for_device(s, first, s->device_type, false, out_def));
  if (*out_def) return NULL;
  return find_for_device(s, first, DVT_STR("DEFAULT"), true, out_def);
}

dvt_status dvt_kernel_find(const dvt_node_def *node, dvt_str device_type, const dvt_kernel_def **out_def) {
  search s = {.node = node, .device_type = device_type, .label = DVT_STR("")};
  dvt_str label;
  if (dvt_node_attr(node, DVT_STR("_kernel"), &label)) {
    dvt_status status = dvt_attr_get_string(label, &s.label);
    if (status)
      return dvt_status_annotate(status, "\n\tfor attr '_kernel'\n\t [[{{node " DVT_STR_FMT "}}]]",
                                 DVT_STR_ARG(node->name));
  }
  const dvt_kernel_def *found = NULL;
  dvt_status status = NULL;
  for (int attempt = 0; attempt < 2; attempt++) {
    const dvt_kernel_def *first = dvt_kernel_registry_lock_op(node->op->name);
    s.attr_mismatch = false;
    status = find_locked(&s, first, &found);
    dvt_kernel_registry_unlock();
    if (status || found || attempt) break;
    dvt_kernel_registry_autoload(node->op->name);
  }
  if (status) return status;
  if (!found) return not_found(&s);
  *out_def = found;
  return NULL;
}
