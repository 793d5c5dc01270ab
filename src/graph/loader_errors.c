// The sentences for a list of NodeDefs that cannot be loaded: unknown ops, names used twice, inputs that do
// not exist, cycles.
#include "graph/loader_errors.h"

#include "base/nearest.h"
#include "op/registry.h"

enum { MAX_LISTED = 20, MAX_CYCLE_SHOWN = 8 };

typedef struct unknown_op {
  dvt_str name, first_node;
  size_t count;
  struct unknown_op *next;  // by first use
} unknown_op;

static unknown_op *count_unknown_op(dvt_loader *loader, dvt_map *seen, dvt_str op, dvt_str node) {
  unknown_op *entry = dvt_map_get(seen, op);
  if (!entry) {
    entry = dvt_arena_calloc(&loader->arena, 1, sizeof *entry);
    if (!entry || !dvt_map_put(seen, op, entry)) return NULL;
    entry->name = op;
    entry->first_node = node;
  }
  entry->count++;
  return entry;
}

static void offer(void *arg, const dvt_op_def *op) { dvt_nearest_offer(arg, op->name); }

// "Did you mean ...?" for a single unknown op; a list of them means a plugin that is not loaded.
static void suggest(const unknown_op *only, dvt_buf *out) {
  dvt_nearest nearest = {.wanted = only->name};
  dvt_op_registry_visit(offer, &nearest);
  dvt_nearest_print(&nearest, out);
}

static dvt_status describe_unknown_ops(const unknown_op *first, size_t kinds) {
  dvt_buf text = {0}, hint = {0};
  size_t listed = 0;
  if (kinds == 1) suggest(first, &hint);
  for (const unknown_op *entry = first; entry && listed < MAX_LISTED; entry = entry->next, listed++)
    dvt_buf_printf(&text, "%s'" DVT_STR_FMT "' (%zu node%s, first {{node " DVT_STR_FMT "}})",
                   listed ? ", " : "", DVT_STR_ARG(entry->name), entry->count, entry->count == 1 ? "" : "s",
                   DVT_STR_ARG(entry->first_node));
  if (kinds > listed) dvt_buf_printf(&text, " and %zu more", kinds - listed);
  dvt_status status = dvt_error(
      TF_NOT_FOUND,
      "Op type not registered %s in binary running in this process.%s Load the plugin "
      "that registers %s (TF_LoadLibrary, dvt_load_plugin, --plugin FILE) before importing the graph",
      text.data ? text.data : "", hint.data ? hint.data : "", kinds == 1 ? "it" : "them");
  dvt_buf_deinit(&hint);
  dvt_buf_deinit(&text);
  return status;
}

dvt_status dvt_loader_unknown_ops(dvt_loader *loader) {
  dvt_map seen = {0};
  unknown_op *first = NULL, **end = &first;
  bool enough_memory = true;
  for (size_t i = 0; enough_memory && i < loader->node_count; i++) {
    dvt_str op, name;
    if (!dvt_parse_node_op(loader->nodes[i], &op, &name)) continue;
    if (op.len == 0) {
      dvt_map_deinit(&seen);
      return dvt_error(TF_INVALID_ARGUMENT, "Node '" DVT_STR_FMT "' does not specify an operation",
                       DVT_STR_ARG(name));
    }
    if (!dvt_map_get(&seen, op) && dvt_graph_find_op(loader->graph, op)) continue;
    size_t kinds = seen.count;
    unknown_op *entry = count_unknown_op(loader, &seen, op, name);
    enough_memory = entry != NULL;
    if (entry && seen.count > kinds) {
      *end = entry;
      end = &entry->next;
    }
  }
  dvt_status status =
      enough_memory ? describe_unknown_ops(first, seen.count) : dvt_error_out_of_memory(sizeof *first);
  dvt_map_deinit(&seen);
  return status;
}

dvt_status dvt_loader_explain(dvt_loader *loader, const dvt_parsed_node *node, dvt_status status) {
  if (!dvt_loader_find(loader, node->name)) return status;
  dvt_status_free(status);
  return dvt_error(TF_INVALID_ARGUMENT, "Node '" DVT_STR_FMT "' is not unique: two NodeDefs have this name",
                   DVT_STR_ARG(node->name));
}

// The pending nodes by name; the map's values are dvt_pending.
static dvt_status index_pending(const dvt_loader *loader, dvt_map *out_by_name, size_t *out_count) {
  *out_count = 0;
  for (size_t i = 0; i < loader->pending_count; i++) {
    dvt_pending *pending = loader->pending[i];
    if (pending->done) continue;
    (*out_count)++;
    if (!dvt_map_put(out_by_name, pending->node.name, pending))
      return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  }
  return NULL;
}

static dvt_str first_missing(const dvt_loader *loader, const dvt_pending *pending) {
  for (size_t i = 0; i < pending->name_count; i++)
    if (!dvt_loader_find(loader, pending->missing[i])) return pending->missing[i];
  return pending->missing[0];
}

// Every waiting node waits for a waiting node, so that following them must come back to one met before.
static dvt_status describe_cycle(const dvt_loader *loader, const dvt_map *by_name, dvt_pending *start,
                                 size_t count) {
  dvt_pending *slow = start, *fast = start;
  do {
    slow = dvt_map_get(by_name, first_missing(loader, slow));
    fast = dvt_map_get(by_name, first_missing(loader, fast));
    fast = dvt_map_get(by_name, first_missing(loader, fast));
  } while (slow != fast);
  dvt_buf text = {0};
  int shown = 0;
  dvt_pending *at = slow;
  do {
    if (shown < MAX_CYCLE_SHOWN)
      dvt_buf_printf(&text, "'" DVT_STR_FMT "' reads ", DVT_STR_ARG(at->node.name));
    if (shown++ == MAX_CYCLE_SHOWN) dvt_buf_printf(&text, "... reads ");
    at = dvt_map_get(by_name, first_missing(loader, at));
  } while (at != slow);
  dvt_buf_printf(&text, "'" DVT_STR_FMT "'", DVT_STR_ARG(slow->node.name));
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT,
                "%zu nodes in a cycle: %s. Only a Merge that reads a NextIteration may close a loop", count,
                text.data ? text.data : "");
  dvt_buf_deinit(&text);
  return status;
}

dvt_status dvt_loader_check_all_done(dvt_loader *loader) {
  dvt_map by_name = {0};
  size_t count;
  dvt_pending *first = NULL;
  dvt_status status = index_pending(loader, &by_name, &count);
  for (size_t i = 0; !status && i < loader->pending_count; i++) {
    dvt_pending *pending = loader->pending[i];
    if (pending->done) continue;
    if (!first) first = pending;
    for (size_t k = 0; !status && k < pending->name_count; k++) {
      dvt_str name = pending->missing[k];
      if (!dvt_loader_find(loader, name) && !dvt_map_get(&by_name, name))
        status =
            dvt_error(TF_INVALID_ARGUMENT, "Node '" DVT_STR_FMT "': Unknown input node '" DVT_STR_FMT "'",
                      DVT_STR_ARG(pending->node.name), DVT_STR_ARG(name));
    }
  }
  if (!status && first) status = describe_cycle(loader, &by_name, first, count);
  dvt_map_deinit(&by_name);
  return status;
}
