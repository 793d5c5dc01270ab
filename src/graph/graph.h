// struct TF_Graph: nodes, edges, control edges, shapes, functions. Building, looking up, importing and exporting. A graph
// is safe for concurrent use: every public entry point takes its lock (stock's rule); internal functions say when the
// caller must hold it. Nodes are never removed, so TF_Operation pointers live as long as the graph.
#ifndef DVT_GRAPH_GRAPH_H_
#define DVT_GRAPH_GRAPH_H_

#include <pthread.h>

#include "base/map.h"
#include "op/shape_inference.h"
#include "tensorflow/c/c_api.h"

typedef struct dvt_edge {
  TF_Operation *node;  // producer
  int32_t index;       // its flat output
} dvt_edge;

typedef struct dvt_consumer {
  TF_Operation *node;  // who reads
  int32_t input;       // its flat input; -1: control edge
  int32_t output;      // of the producer; -1: control edge
  struct dvt_consumer *next;
} dvt_consumer;

struct TF_Operation {
  dvt_node_def def;       // name, op, attrs, device, dtypes
  TF_Graph *graph;
  int32_t id;             // index in graph->nodes: creation order
  dvt_edge *inputs;       // def.input_count
  TF_Operation **control_inputs;
  int32_t control_input_count;
  dvt_consumer *consumers;  // data and control readers, newest first
  dvt_shape *output_shapes;  // def.output_count; NULL entries = unknown rank
};

typedef struct dvt_function_library dvt_function_library;

struct TF_Graph {
  pthread_mutex_t lock;
  dvt_arena arena;             // nodes, names, attr bytes
  dvt_shape_arena shapes;
  TF_Operation **nodes;
  size_t node_count, node_capacity;
  dvt_map by_name;             // name -> TF_Operation
  dvt_function_library *functions;  // never NULL
  int32_t producer_version, min_consumer_version;
  int64_t unique_suffix;
  // Sessions and importers may outlive TF_DeleteGraph: it frees when the last reference is gone.
  atomic_int refs;
  TF_OperationDescription *free_descriptions;  // reuse: building a node calls no malloc
};

dvt_status dvt_graph_create(TF_Graph **out_graph) DVT_NODISCARD;
TF_Graph *dvt_graph_retain(TF_Graph *graph);
void dvt_graph_release(TF_Graph *graph);
// Caller holds the lock for all below.
TF_Operation *dvt_graph_find(const TF_Graph *graph, dvt_str name);

// A node ready to be added: everything points to memory that lives as long as the graph (arena or imported bytes).
typedef struct dvt_new_node {
  dvt_str name, device;
  const dvt_op_def *op;
  dvt_attr *attrs;
  int32_t attr_count;
  const dvt_edge *inputs;  // flat, in order; copied
  int32_t input_count;
  TF_Operation *const *control_inputs;  // copied, deduplicated
  int32_t control_input_count;
} dvt_new_node;
// Validates name, attrs, number and dtypes of inputs, deprecation; infers output shapes; adds the node. On failure the
// graph is unchanged.
dvt_status dvt_graph_add_node(TF_Graph *graph, const dvt_new_node *node, TF_Operation **out_node) DVT_NODISCARD;

// Serialised GraphDef (nodes in creation order, function library, versions).
dvt_status dvt_graph_to_proto(TF_Graph *graph, dvt_buf *out) DVT_NODISCARD;

// "node:0" / "node" / "^node" -> parts; false when malformed.
bool dvt_parse_tensor_name(dvt_str text, dvt_str *out_node, int *out_index, bool *out_control);

#endif  // DVT_GRAPH_GRAPH_H_
