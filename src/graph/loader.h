// From a list of NodeDefs in any order to nodes of a graph: each is added as soon as its inputs are there,
// the first in the list first. GraphDef import (import.c) and function bodies (function_body.c) share it;
// they differ in how an input is written and what is done to a node before it is added.
#ifndef DVT_GRAPH_LOADER_H_
#define DVT_GRAPH_LOADER_H_

#include "graph/graph.h"
#include "graph/node_parse.h"

typedef struct dvt_loader dvt_loader;
typedef struct dvt_pending dvt_pending;

typedef struct dvt_loader_hooks {
  // Before the inputs of `node` are looked up; again when it has waited for some of them.
  dvt_status (*begin)(dvt_loader *loader, const dvt_parsed_node *node);
  // Looks up one input of `node` and appends it with dvt_loader_input, dvt_loader_control or
  // dvt_loader_missing.
  dvt_status (*resolve)(dvt_loader *loader, const dvt_parsed_node *node, dvt_str input);
  // May change what will be added: name, device, attrs; may append control inputs to the loader.
  dvt_status (*prepare)(dvt_loader *loader, const dvt_parsed_node *node, dvt_new_node *new_node);
  dvt_status (*added)(dvt_loader *loader, const dvt_parsed_node *node, TF_Operation *op);
} dvt_loader_hooks;

struct dvt_loader {
  // Set by the user.
  TF_Graph *graph;
  const dvt_loader_hooks *hooks;
  void *arg;
  const dvt_str *nodes;  // NodeDefs
  size_t node_count;
  dvt_map *names;  // name in the NodeDefs -> TF_Operation: the graph's own map when no name is changed, or
                   // own_names
  dvt_map own_names;
  bool check_names;
  bool bytes_are_ours;  // the NodeDefs lie in a block of the graph: names are ended with NUL in place, else
                        // copied

  // The node at hand.
  dvt_edge *inputs;
  TF_Operation **controls;
  struct dvt_missing *missing;
  size_t input_count, input_capacity, control_count, control_capacity, missing_count, missing_capacity;

  // The loader's own.
  dvt_arena arena;    // lives as long as the load
  size_t first_node;  // graph->node_count at the start
  dvt_parsed_node node;
  dvt_str last_name;  // of the node added last, which the next node most likely reads
  TF_Operation *last_node;
  struct {
    dvt_str name;
    const dvt_op_def *op;
  } op_cache[16];
  dvt_map waiting;                 // name -> list of nodes that wait for it
  dvt_pending **pending, **ready;  // ready is a heap by position in the list
  size_t pending_count, pending_capacity, ready_count, ready_capacity;
  struct dvt_back_edge *back_edges;
  size_t back_edge_count, back_edge_capacity;
  dvt_map next_iterations;
  bool next_iterations_known;
};

// Adds all nodes or, on failure, leaves those added so far in the graph for the caller to take back.
dvt_status dvt_loader_run(dvt_loader *loader) DVT_NODISCARD;
void dvt_loader_deinit(dvt_loader *loader);

// For hooks.
dvt_status dvt_loader_input(dvt_loader *loader, TF_Operation *node, int32_t index) DVT_NODISCARD;
dvt_status dvt_loader_control(dvt_loader *loader, TF_Operation *node) DVT_NODISCARD;
dvt_status dvt_loader_missing(dvt_loader *loader, dvt_str name, int32_t index) DVT_NODISCARD;  // -1: control
// Merges the value of _output_shapes into the shapes of a node that was added. INVALID_ARGUMENT when it is
// malformed or contradicts what was inferred; what came before that stays merged.
dvt_status dvt_loader_claim_shapes(TF_Operation *node, dvt_str output_shapes) DVT_NODISCARD;
// The node of this name among those loaded, or NULL.
TF_Operation *dvt_loader_find(const dvt_loader *loader, dvt_str name);

#endif  // DVT_GRAPH_LOADER_H_
