// The life of a graph: creation, references, look-up of nodes and ops, names, and taking nodes back after an
// import that failed. Nodes are made in node_build.c and changed in graph_edit.c.
#include "graph/graph.h"

#include "base/handles.h"
#include "graph/builder.h"
#include "graph/function.h"
#include "op/registry.h"

struct dvt_graph_block {
  dvt_graph_block *next;
  char data[];
};

dvt_status dvt_graph_create(TF_Graph **out_graph) {
  TF_Graph *graph = dvt_calloc(1, sizeof *graph);
  if (!graph) return dvt_error_out_of_memory(sizeof *graph);
  atomic_init(&graph->refs, 1);
  graph->producer_version = DVT_GRAPH_DEF_VERSION;
  graph->min_consumer_version = DVT_GRAPH_DEF_MIN_CONSUMER;
  graph->require_shape_fns = true;
  graph->arena.in_large_pages = true;
  dvt_status status = dvt_function_library_create(&graph->functions);
  if (status) {
    dvt_free(graph);
    return status;
  }
  dvt_handle_made(graph, DVT_HANDLE_GRAPH);
  pthread_mutex_init(&graph->lock, NULL);
  *out_graph = graph;
  return NULL;
}

TF_Graph *dvt_graph_retain(TF_Graph *graph) {
  atomic_fetch_add_explicit(&graph->refs, 1, memory_order_relaxed);
  return graph;
}

static void free_blocks(TF_Graph *graph) {
  while (graph->blocks) dvt_graph_drop_block(graph);
}

void dvt_graph_release(TF_Graph *graph) {
  if (!graph || atomic_fetch_sub_explicit(&graph->refs, 1, memory_order_acq_rel) != 1) return;
  dvt_function_library_release(graph->functions);
  dvt_function_release(graph->body_of);
  dvt_builder_free_all(graph);
  free_blocks(graph);
  dvt_map_deinit(&graph->by_name);
  dvt_scopes_deinit(&graph->scopes);
  dvt_free(graph->nodes);
  dvt_shape_arena_deinit(&graph->shapes);
  dvt_arena_deinit(&graph->scratch);
  dvt_arena_deinit(&graph->arena);
  pthread_mutex_destroy(&graph->lock);
  dvt_free(graph);
}

TF_Operation *dvt_graph_find(const TF_Graph *graph, dvt_str name) {
  return dvt_map_get(&graph->by_name, name);
}

const dvt_op_def *dvt_graph_find_op(const TF_Graph *graph, dvt_str name) {
  if (dvt_function_library_count(graph->functions)) {
    const TF_Function *function = dvt_function_library_find(graph->functions, name);
    if (function) return function->signature;
  }
  return dvt_op_lookup(name);
}

char *dvt_graph_add_block(TF_Graph *graph, size_t bytes) {
  size_t total;
  if (!dvt_size_add(bytes, sizeof(dvt_graph_block), &total)) return NULL;
  dvt_graph_block *block = dvt_large_alloc(_Alignof(dvt_graph_block), total, &total);
  if (!block) return NULL;
  block->next = graph->blocks;
  graph->blocks = block;
  return block->data;
}

void dvt_graph_drop_block(TF_Graph *graph) {
  dvt_graph_block *block = graph->blocks;
  graph->blocks = block->next;
  dvt_free(block);
}

// Readers are listed newest first and all removed nodes are newer than the kept ones, so what must go from a
// kept producer stands at the head of its list.
static void forget_newer_consumers(TF_Operation *producer, size_t node_count) {
  if (!producer || (size_t)producer->id >= node_count) return;
  while (producer->consumers && (size_t)producer->consumers->node->id >= node_count)
    producer->consumers = producer->consumers->next;
}

void dvt_graph_truncate(TF_Graph *graph, size_t node_count) {
  for (size_t i = graph->node_count; i > node_count; i--) {
    TF_Operation *node = graph->nodes[i - 1];
    for (int32_t k = 0; k < node->def.input_count; k++)
      forget_newer_consumers(node->inputs[k].node, node_count);
    for (int32_t k = 0; k < node->control_input_count; k++)
      forget_newer_consumers(node->control_inputs[k], node_count);
    dvt_map_remove(&graph->by_name, node->def.name);
    graph->output_count -= (size_t)node->def.output_count;
  }
  graph->node_count = node_count;
  if (graph->prefixed_count > node_count) {
    dvt_scopes_clear(&graph->scopes);
    graph->prefixed_count = 0;
  }
}

// Letters and digits 1, '.' 2, '_' 4, '/' and '-' 8.
static int name_class(unsigned char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return 1;
  if (c == '.') return 2;
  if (c == '_') return 4;
  return c == '/' || c == '-' ? 8 : 0;
}

bool dvt_node_name_is_valid(dvt_str name) {
  bool at_start = true;
  for (size_t i = 0; i < name.len; i++) {
    int kind = name_class((unsigned char)name.data[i]);
    if (at_start) {
      if (!(kind & 3)) return false;
      at_start = false;
    } else if (name.data[i] == '>') {
      at_start = true;
    } else if (!kind) {
      return false;
    }
  }
  return !at_start;
}

bool dvt_parse_tensor_name(dvt_str text, dvt_str *out_node, int *out_index, bool *out_control) {
  if (text.len == 0) return false;
  if (text.data[0] == '^') {
    if (text.len == 1) return false;
    *out_node = dvt_str_drop(text, 1);
    *out_index = -1;
    *out_control = true;
    return true;
  }
  size_t at = text.len;
  while (at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9') at--;
  *out_control = false;
  if (at == text.len || at < 2 || text.data[at - 1] != ':') {
    *out_node = text;
    *out_index = 0;
    return true;
  }
  int64_t index = 0;
  for (size_t i = at; i < text.len; i++) {
    index = index * 10 + (text.data[i] - '0');
    if (index > INT32_MAX) return false;
  }
  *out_node = dvt_str_make(text.data, at - 1);
  *out_index = (int)index;
  return true;
}
