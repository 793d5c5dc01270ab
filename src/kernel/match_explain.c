// Why each kernel of a node's op was taken or not: the search of match.c, told kernel by kernel.
#include "kernel/match.h"

static bool is_default(const dvt_kernel_def *def) { return dvt_str_is(def->device_type, "DEFAULT"); }

// A kernel that fits, beside the one that the search came to: `taken`, NULL when it ended with an error.
static dvt_kernel_fit rank(const dvt_kernel_def *def, const dvt_kernel_def *taken,
                           const dvt_kernel_def *best) {
  if (def == taken) return DVT_KERNEL_TAKEN;
  if (best && is_default(def) && !is_default(best)) return DVT_KERNEL_DEFAULT_UNUSED;
  if (best && !is_default(def) && def->priority < best->priority) return DVT_KERNEL_LOWER_PRIORITY;
  return DVT_KERNEL_TIED;
}

static dvt_kernel_candidate_fit fit_of(dvt_match *m, const dvt_kernel_def *def) {
  dvt_kernel_candidate_fit fit = {.def = def, .fit = DVT_KERNEL_OTHER_DEVICE};
  const dvt_match_attr *attr = NULL;
  if (!dvt_str_eq(def->device_type, m->device_type) && !is_default(def)) return fit;
  fit.fit = DVT_KERNEL_OTHER_LABEL;
  if (!dvt_str_eq(def->label, m->label)) return fit;
  fit.fit = dvt_match_constraints(m, def, &fit.constraint, &attr);
  if (attr) fit.value = attr->value;
  return fit;
}

// Of those that fit, one that no other beats, whether or not another equals it.
static const dvt_kernel_def *best_of(dvt_match *m, const dvt_kernel_rows *rows) {
  const dvt_kernel_def *best = NULL;
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++) {
    const dvt_kernel_def *def = rows->rows[i].def;
    if (!dvt_load_is_visible(def->load) || fit_of(m, def).fit != DVT_KERNEL_TAKEN) continue;
    bool beats = !best || (is_default(best) && !is_default(def)) ||
                 (is_default(best) == is_default(def) && def->priority > best->priority);
    if (beats) best = def;
  }
  return best;
}

dvt_status dvt_kernel_explain(const dvt_node_def *node, dvt_str device_type,
                              void (*visit)(void *arg, const dvt_kernel_candidate_fit *candidate), void *arg,
                              const dvt_kernel_def **out_def) {
  dvt_match m;
  const dvt_kernel_def *taken = NULL;
  dvt_status status = dvt_kernel_find(node, device_type, &taken);  // loads what it needs
  dvt_status label = dvt_match_begin(&m, node, device_type);
  if (label) {
    dvt_status_free(label);
    return status;
  }
  const dvt_kernel_rows *rows = dvt_kernel_rows_of(node->op);
  const dvt_kernel_def *best = best_of(&m, rows);
  for (int32_t i = 0, count = dvt_kernel_rows_count(rows); i < count; i++) {
    const dvt_kernel_def *def = rows->rows[i].def;
    if (!dvt_load_is_visible(def->load)) continue;
    dvt_kernel_candidate_fit fit = fit_of(&m, def);
    if (fit.fit == DVT_KERNEL_TAKEN) fit.fit = rank(def, taken, best);
    visit(arg, &fit);
  }
  if (!status) *out_def = taken;
  return status;
}
