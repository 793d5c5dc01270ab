// Changes made to nodes of a graph (TF_UpdateEdge, TF_SetAttr, ...) after a session has planned them. A
// session keeps what it read of a node when it first needed it, so such a change has no effect on it, in
// plans made later either; the next step warns of it, once, as stock does. graph/graph_edit.c notes the
// changes.
#include "base/log.h"
#include "exec/session_state.h"

static bool is_planned(const TF_Session *session, const TF_Operation *op) {
  return (size_t)op->id < session->root.capacity && session->root.nodes[op->id] != NULL;
}

// The newest change since the last look that comes too late; NULL when none does. Both locks are held.
static const dvt_graph_change *late_change(const TF_Session *session, long long seen) {
  for (const dvt_graph_change *change = session->graph->changes; change && change->number > seen;
       change = change->older)
    if (is_planned(session, change->node)) return change;
  return NULL;
}

void dvt_session_warn_of_changes(TF_Session *session) {
  TF_Graph *graph = session->graph;
  dvt_buf text = {0};
  pthread_mutex_lock(&session->build_lock);
  pthread_mutex_lock(&graph->lock);
  const dvt_graph_change *change = late_change(session, atomic_load(&session->changes_seen));
  if (change)
    dvt_buf_printf(
        &text,
        "Operation '" DVT_STR_FMT "' (" DVT_STR_FMT
        ") was changed by %s after it was run by a session. "
        "The change has no effect on that session: do not change nodes after running them, or make a "
        "new session",
        DVT_STR_ARG(change->node->def.name), DVT_STR_ARG(change->node->def.op->name), change->what);
  atomic_store(&session->changes_seen, atomic_load(&graph->change_count));
  pthread_mutex_unlock(&graph->lock);
  pthread_mutex_unlock(&session->build_lock);
  if (text.data) dvt_log(DVT_WARNING, "%s", text.data);
  dvt_buf_deinit(&text);
}
