// See loader.h. A node whose inputs are not all there yet waits on their names; when the last arrives it
// moves to a heap from which the earliest in the list is taken, which gives the order stock creates nodes in.
// The only cycles are those of v1 while loops: a Merge is added before the NextIteration it reads, and
// connected at the end.
#include "graph/loader.h"

#include "graph/loader_errors.h"

struct dvt_missing {
  dvt_str name;
  int32_t input;  // position among the data inputs; -1: control
  int32_t index;  // output of the producer
};

struct dvt_back_edge {
  TF_Operation *node;
  int32_t input, index;
  dvt_str name;
};

typedef struct waiter {
  dvt_pending *pending;
  struct waiter *next;
} waiter;

TF_Operation *dvt_loader_find(const dvt_loader *loader, dvt_str name) {
  if (loader->last_node && dvt_str_eq(loader->last_name, name)) return loader->last_node;
  TF_Operation *node = dvt_map_get(loader->names, name);
  return node && (size_t)node->id >= loader->first_node ? node : NULL;
}

dvt_status dvt_loader_input(dvt_loader *loader, TF_Operation *node, int32_t index) {
  if (DVT_UNLIKELY(!dvt_grow((void **)&loader->inputs, &loader->input_capacity, loader->input_count + 1,
                             sizeof *loader->inputs)))
    return dvt_error_out_of_memory(sizeof *loader->inputs * loader->input_count);
  loader->inputs[loader->input_count++] = (dvt_edge){node, index};
  return NULL;
}

dvt_status dvt_loader_control(dvt_loader *loader, TF_Operation *node) {
  if (!dvt_grow((void **)&loader->controls, &loader->control_capacity, loader->control_count + 1,
                sizeof *loader->controls))
    return dvt_error_out_of_memory(sizeof *loader->controls * loader->control_count);
  loader->controls[loader->control_count++] = node;
  return NULL;
}

dvt_status dvt_loader_missing(dvt_loader *loader, dvt_str name, int32_t index) {
  if (!dvt_grow((void **)&loader->missing, &loader->missing_capacity, loader->missing_count + 1,
                sizeof *loader->missing))
    return dvt_error_out_of_memory(sizeof *loader->missing * loader->missing_count);
  int32_t input = index < 0 ? -1 : (int32_t)loader->input_count;
  loader->missing[loader->missing_count++] = (struct dvt_missing){name, input, index};
  return index < 0 ? NULL : dvt_loader_input(loader, NULL, 0);
}

static bool is_merge(dvt_str op) {
  return dvt_str_eq(op, DVT_STR("Merge")) || dvt_str_eq(op, DVT_STR("RefMerge")) ||
         dvt_str_eq(op, DVT_STR("_XlaMerge"));
}

static bool is_next_iteration(dvt_str op) {
  return dvt_str_eq(op, DVT_STR("NextIteration")) || dvt_str_eq(op, DVT_STR("RefNextIteration"));
}

static dvt_status find_next_iterations(dvt_loader *loader) {
  loader->next_iterations_known = true;
  for (size_t i = 0; i < loader->node_count; i++) {
    dvt_str op, name;
    if (!dvt_parse_node_op(loader->nodes[i], &op, &name) || !is_next_iteration(op)) continue;
    if (!dvt_map_put(&loader->next_iterations, name, loader))
      return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  }
  return NULL;
}

// Drops from `missing` the inputs of a Merge that close a loop and remembers them as back edges of the node
// to come.
static dvt_status set_back_edges_aside(dvt_loader *loader, size_t *out_count) {
  size_t kept = 0, aside = 0;
  if (!loader->next_iterations_known) DVT_RETURN_IF_ERROR(find_next_iterations(loader));
  for (size_t i = 0; i < loader->missing_count; i++) {
    struct dvt_missing m = loader->missing[i];
    if (m.input < 0 || !dvt_map_get(&loader->next_iterations, m.name)) {
      loader->missing[kept++] = m;
      continue;
    }
    if (!dvt_grow((void **)&loader->back_edges, &loader->back_edge_capacity,
                  loader->back_edge_count + aside + 1, sizeof *loader->back_edges))
      return dvt_error_out_of_memory(sizeof *loader->back_edges);
    loader->back_edges[loader->back_edge_count + aside++] =
        (struct dvt_back_edge){NULL, m.input, m.index, m.name};
  }
  loader->missing_count = kept;
  *out_count = aside;
  return NULL;
}

static const dvt_op_def *find_op(dvt_loader *loader, dvt_str name) {
  if (name.len == 0) return NULL;
  size_t at = (name.len + (unsigned char)name.data[0] + 3 * (unsigned char)name.data[name.len - 1]) %
              DVT_COUNT_OF(loader->op_cache);
  if (loader->op_cache[at].op && dvt_str_eq(loader->op_cache[at].name, name)) return loader->op_cache[at].op;
  const dvt_op_def *op = dvt_graph_find_op(loader->graph, name);
  loader->op_cache[at].name = name;
  loader->op_cache[at].op = op;
  return op;
}

// The byte behind a field's payload is the tag of what follows, which has been read already.
static void end_in_place(dvt_str s) { ((char *)(uintptr_t)s.data)[s.len] = '\0'; }

static dvt_status keep_text(dvt_loader *loader, dvt_str *text) {
  if (text->len == 0) {
    *text = DVT_STR("");
    return NULL;
  }
  if (loader->bytes_are_ours) {
    end_in_place(*text);
    return NULL;
  }
  return dvt_arena_copy_str(&loader->graph->arena, *text, text) ? NULL : dvt_error_out_of_memory(text->len);
}

static dvt_status ready_push(dvt_loader *loader, dvt_pending *pending) {
  if (!dvt_grow((void **)&loader->ready, &loader->ready_capacity, loader->ready_count + 1,
                sizeof *loader->ready))
    return dvt_error_out_of_memory(sizeof *loader->ready * loader->ready_count);
  size_t at = loader->ready_count++;
  while (at > 0 && loader->ready[(at - 1) / 2]->position > pending->position) {
    loader->ready[at] = loader->ready[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  loader->ready[at] = pending;
  return NULL;
}

static dvt_pending *ready_pop(dvt_loader *loader) {
  dvt_pending *first = loader->ready[0], *last = loader->ready[--loader->ready_count];
  size_t at = 0, n = loader->ready_count;
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && loader->ready[child + 1]->position < loader->ready[child]->position) child++;
    if (loader->ready[child]->position >= last->position) break;
    loader->ready[at] = loader->ready[child];
  }
  loader->ready[at] = last;
  return first;
}

static dvt_status release_waiters(dvt_loader *loader, dvt_str name) {
  if (loader->waiting.count == 0) return NULL;
  for (waiter *w = dvt_map_remove(&loader->waiting, name); w; w = w->next)
    if (--w->pending->missing_count == 0) DVT_RETURN_IF_ERROR(ready_push(loader, w->pending));
  return NULL;
}

static dvt_status wait_for_inputs(dvt_loader *loader, const dvt_parsed_node *node, size_t position) {
  dvt_pending *pending = dvt_arena_calloc(&loader->arena, 1, sizeof *pending);
  size_t count = loader->missing_count;
  dvt_str *names = dvt_arena_alloc(&loader->arena, count * sizeof *names);
  if (!pending || !names ||
      !dvt_grow((void **)&loader->pending, &loader->pending_capacity, loader->pending_count + 1,
                sizeof *loader->pending))
    return dvt_error_out_of_memory(sizeof *pending);
  DVT_RETURN_IF_ERROR(dvt_parsed_node_copy(node, &loader->arena, &pending->node));
  pending->position = position;
  pending->missing = names;
  pending->name_count = pending->missing_count = count;
  loader->pending[loader->pending_count++] = pending;
  for (size_t i = 0; i < count; i++) {
    waiter *w = dvt_arena_alloc(&loader->arena, sizeof *w);
    names[i] = loader->missing[i].name;
    void **head = w ? dvt_map_slot_for(&loader->waiting, names[i]) : NULL;
    if (!head) return dvt_error_out_of_memory(sizeof *w);
    *w = (waiter){pending, *head};
    *head = w;
  }
  return NULL;
}

static dvt_status add(dvt_loader *loader, const dvt_parsed_node *node, size_t back_edges) {
  dvt_new_node new_node = {.name = node->name,
                           .device = node->device,
                           .op = find_op(loader, node->op),
                           .attrs = node->attrs,
                           .attr_count = (int32_t)node->attr_count,
                           .extra = node->extra,
                           .check_name = loader->check_names,
                           .allow_back_edges = back_edges > 0};
  TF_Operation *op = NULL;
  if (DVT_UNLIKELY(!new_node.op)) return dvt_loader_unknown_ops(loader);
  DVT_RETURN_IF_ERROR(keep_text(loader, &new_node.name));
  DVT_RETURN_IF_ERROR(keep_text(loader, &new_node.device));
  if (node->extra.len && !dvt_arena_copy_str(&loader->graph->arena, node->extra, &new_node.extra))
    return dvt_error_out_of_memory(node->extra.len);
  DVT_RETURN_IF_ERROR(loader->hooks->prepare(loader, node, &new_node));
  new_node.inputs = loader->inputs;
  new_node.input_count = (int32_t)loader->input_count;
  new_node.control_inputs = loader->controls;
  new_node.control_input_count = (int32_t)loader->control_count;
  dvt_status status = dvt_graph_add_node(loader->graph, &new_node, &op);
  if (DVT_UNLIKELY(status != NULL)) return dvt_loader_explain(loader, node, status);
  if (loader->names == &loader->own_names && !dvt_map_put(loader->names, node->name, op))
    return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  loader->last_name = node->name;
  loader->last_node = op;
  for (size_t i = 0; i < back_edges; i++) loader->back_edges[loader->back_edge_count++].node = op;
  DVT_RETURN_IF_ERROR(loader->hooks->added(loader, node, op));
  return release_waiters(loader, node->name);
}

static dvt_status take(dvt_loader *loader, const dvt_parsed_node *node, size_t position) {
  size_t back_edges = 0;
  loader->input_count = loader->control_count = loader->missing_count = 0;
  DVT_RETURN_IF_ERROR(loader->hooks->begin(loader, node));
  for (size_t i = 0; i < node->input_count; i++)
    DVT_RETURN_IF_ERROR(loader->hooks->resolve(loader, node, node->inputs[i]));
  if (DVT_UNLIKELY(loader->missing_count > 0) && is_merge(node->op))
    DVT_RETURN_IF_ERROR(set_back_edges_aside(loader, &back_edges));
  if (DVT_UNLIKELY(loader->missing_count > 0)) return wait_for_inputs(loader, node, position);
  if (DVT_UNLIKELY(back_edges > 0 && back_edges == loader->input_count))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT "' reads nothing but back edges; a loop starts with an Enter",
                     DVT_STR_ARG(node->name));
  return add(loader, node, back_edges);
}

static dvt_status take_ready(dvt_loader *loader) {
  while (loader->ready_count) {
    dvt_pending *pending = ready_pop(loader);
    pending->done = true;
    DVT_RETURN_IF_ERROR(take(loader, &pending->node, pending->position));
  }
  return NULL;
}

static dvt_status connect_back_edges(dvt_loader *loader) {
  for (size_t i = 0; i < loader->back_edge_count; i++) {
    const struct dvt_back_edge *edge = &loader->back_edges[i];
    TF_Operation *source = dvt_loader_find(loader, edge->name);
    if (!source)
      return dvt_error(TF_INVALID_ARGUMENT, "Node '" DVT_STR_FMT "': Unknown input node '" DVT_STR_FMT "'",
                       DVT_STR_ARG(edge->node->def.name), DVT_STR_ARG(edge->name));
    DVT_RETURN_IF_ERROR(dvt_graph_set_input(edge->node, edge->input, (dvt_edge){source, edge->index}));
  }
  return NULL;
}

// A small node's share of the arena: the operation, an attr, an input and its reader. More is allocated as
// needed.
enum { NODE_BYTES = sizeof(TF_Operation) + sizeof(dvt_attr) + sizeof(dvt_edge) + sizeof(dvt_consumer) + 16 };

dvt_status dvt_loader_run(dvt_loader *loader) {
  TF_Graph *graph = loader->graph;
  size_t total = graph->node_count + loader->node_count, node_bytes = loader->node_count * NODE_BYTES;
  loader->first_node = graph->node_count;
  if (loader->node_count > INT32_MAX || !dvt_map_reserve(&graph->by_name, total) ||
      !dvt_grow((void **)&graph->nodes, &graph->node_capacity, total, sizeof *graph->nodes) ||
      (node_bytes >= DVT_LARGE_BYTES && !dvt_arena_reserve(&graph->arena, node_bytes)) ||
      (loader->names == &loader->own_names && !dvt_map_reserve(loader->names, loader->node_count)))
    return dvt_error_out_of_memory(loader->node_count * sizeof(dvt_map_slot));
  for (size_t i = 0; i < loader->node_count; i++) {
    DVT_RETURN_IF_ERROR(dvt_parse_node(loader->nodes[i], &loader->node));
    DVT_RETURN_IF_ERROR(take(loader, &loader->node, i));
    if (DVT_UNLIKELY(loader->ready_count > 0)) DVT_RETURN_IF_ERROR(take_ready(loader));
  }
  if (loader->pending_count) DVT_RETURN_IF_ERROR(dvt_loader_check_all_done(loader));
  return connect_back_edges(loader);
}

void dvt_loader_deinit(dvt_loader *loader) {
  dvt_parsed_node_deinit(&loader->node);
  dvt_free(loader->inputs);
  dvt_free(loader->controls);
  dvt_free(loader->missing);
  dvt_free(loader->pending);
  dvt_free(loader->ready);
  dvt_free(loader->back_edges);
  dvt_map_deinit(&loader->own_names);
  dvt_map_deinit(&loader->waiting);
  dvt_map_deinit(&loader->next_iterations);
  dvt_arena_deinit(&loader->arena);
}
