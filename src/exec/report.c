// Writing down what became of the nodes of an expansion: see report.h.
#include "exec/report.h"

#include "base/buf.h"
#include "exec/plan.h"

dvt_status dvt_report_begin(dvt_plan_report *report, const dvt_expansion *x) {
  report->before_count = x->order_count;
  report->before = dvt_arena_alloc(&report->arena, (x->order_count + 1) * sizeof *report->before);
  report->order = dvt_arena_alloc(&report->arena, (x->order_count + 1) * sizeof *report->order);
  if (!report->before || !report->order)
    return dvt_error_out_of_memory(x->order_count * sizeof *report->before);
  for (size_t i = 0; i < x->order_count; i++) {
    report->order[i] = x->order[i];
    report->before[i] = x->nodes[x->order[i]].session_node;
  }
  return NULL;
}

static bool name_of(dvt_plan_report *report, const dvt_session_node *sn, dvt_str *out_name) {
  dvt_buf name = {0};
  dvt_session_node_name(sn, &name);
  bool fine = !name.failed && dvt_arena_copy_str(&report->arena, dvt_buf_str(&name), out_name);
  dvt_buf_deinit(&name);
  return fine;
}

static bool add(dvt_plan_report *report, const dvt_session_node *sn, dvt_report_entry entry) {
  entry.plugin = dvt_session_node_plugin(sn);
  if (sn->kernel_def) entry.kernel_class = sn->kernel_def->class_name;
  if (!name_of(report, sn, &entry.node) ||
      !dvt_arena_copy_str(&report->arena, sn->op->def.op->name, &entry.op))
    return false;
  report->entries[report->count++] = entry;
  return true;
}

static bool add_before(dvt_plan_report *report, const dvt_expansion *x, size_t i, const bool *live) {
  const dvt_expanded_node *n = &x->nodes[report->order[i]];
  const dvt_session_node *sn = report->before[i];
  dvt_report_entry entry = {.fate = DVT_FATE_RUNS};
  if (n->is_constant) {
    entry.fate = sn->kind == DVT_NODE_CONST ? DVT_FATE_CONSTANT : DVT_FATE_FOLDED;
  } else if (n->fused_into >= 0) {
    entry.fate = DVT_FATE_FUSED;
    if (!name_of(report, x->nodes[n->fused_into].session_node, &entry.into)) return false;
  } else if (n->shared_with >= 0 && !live[report->order[i]]) {
    entry.fate = DVT_FATE_SHARED;
    if (!name_of(report, x->nodes[n->shared_with].session_node, &entry.into)) return false;
  } else if (!live[report->order[i]]) {
    entry.fate = DVT_FATE_UNNEEDED;
  }
  return add(report, sn, entry);
}

static bool add_made(dvt_plan_report *report, const dvt_expansion *x, int32_t node) {
  const dvt_session_node *sn = x->nodes[node].session_node;
  dvt_report_entry entry = {.fate = DVT_FATE_RUNS, .made_of = sn->fused_ops};
  return sn->fused_ops.len == 0 || add(report, sn, entry);
}

dvt_status dvt_report_end(dvt_plan_report *report, const dvt_expansion *x) {
  bool *live = dvt_calloc(x->node_count + 1, sizeof *live);
  report->entries =
      dvt_arena_alloc(&report->arena, (report->before_count + x->order_count + 1) * sizeof *report->entries);
  bool fine = live && report->entries;
  for (size_t i = 0; fine && i < x->order_count; i++) live[x->order[i]] = true;
  for (size_t i = 0; fine && i < report->before_count; i++) fine = add_before(report, x, i, live);
  for (size_t i = 0; fine && i < x->order_count; i++) fine = add_made(report, x, x->order[i]);
  dvt_free(live);
  return fine ? NULL : dvt_error_out_of_memory(report->before_count * sizeof *report->entries);
}

void dvt_report_deinit(dvt_plan_report *report) { dvt_arena_deinit(&report->arena); }

dvt_status dvt_session_explain(TF_Session *session, const TF_Output *feeds, int feed_count,
                               const TF_Output *fetches, int fetch_count, dvt_plan_report *report) {
  dvt_plan *plan = NULL;
  atomic_int *entered;
  DVT_RETURN_IF_ERROR(dvt_session_begin(session, &entered));
  pthread_mutex_lock(&session->build_lock);
  session->report = report;
  dvt_status status =
      dvt_plan_make(session, &session->root, false, feeds, feed_count, fetches, fetch_count, NULL, 0, &plan);
  session->report = NULL;
  pthread_mutex_unlock(&session->build_lock);
  if (!status) dvt_plan_destroy(plan);
  dvt_session_leave(entered);
  return status;
}
