// struct TF_Graph: nodes, edges, control edges, shapes, functions. Building, looking up, importing and
// exporting. A graph is safe for concurrent use: every public entry point takes its lock (stock's rule);
// internal functions say when the caller must hold it. Nodes are never removed, so TF_Operation pointers live
// as long as the graph.
#ifndef DVT_GRAPH_GRAPH_H_
#define DVT_GRAPH_GRAPH_H_

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "graph/scopes.h"
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
  dvt_node_def def;  // name (NUL-terminated), op, attrs, device (NUL-terminated), dtypes
  TF_Graph *graph;
  int32_t id;  // index in graph->nodes: creation order
  int32_t control_input_count;
  dvt_edge *inputs;  // def.input_count; never NULL nodes outside of dvt_graph_add_node and an import
  TF_Operation **control_inputs;
  dvt_consumer *consumers;            // data and control readers, newest first
  dvt_shape *output_shapes;           // def.output_count; NULL entries = unknown rank
  const dvt_handle_shapes **handles;  // of the values behind outputs; NULL: no output is a handle
  dvt_str extra;  // NodeDef fields kept but not interpreted (debug info, full type), serialised
  uint32_t seen;  // graph->seen of the last walk that met this node
};

typedef struct dvt_function_library dvt_function_library;
typedef struct dvt_graph_block dvt_graph_block;  // memory of one import; graph.c
typedef struct dvt_handle_data dvt_handle_data;  // TF_SetHandleShapeAndType; graph_edit.c

typedef struct dvt_graph_change {  // of a node that was in the graph already
  const TF_Operation *node;
  const char *what;  // "setting attribute"; static text
  long long number;  // change_count after it
  struct dvt_graph_change *older;
} dvt_graph_change;

struct TF_Graph {
  pthread_mutex_t lock;
  dvt_arena arena;    // nodes, names, attr bytes
  dvt_arena scratch;  // what one shape inference makes; empty between calls
  dvt_shape_arena shapes;
  TF_Operation **nodes;
  size_t node_count, node_capacity;
  size_t output_count;  // of all nodes
  dvt_map by_name;      // name -> TF_Operation
  dvt_scopes scopes;    // of the first `prefixed_count` nodes
  size_t prefixed_count;
  dvt_function_library *functions;  // never NULL
  TF_Function *body_of;             // the function whose body this is, kept for its bytes; else NULL
  TF_Graph
      *loop_parent;  // of the condition and body graphs of TF_NewWhile: where the loop goes; not retained
  dvt_graph_block *blocks;
  dvt_handle_data *handle_data;
  int32_t producer_version, min_consumer_version;
  int32_t *bad_consumers;  // sorted, in the arena
  int32_t bad_consumer_count;
  bool require_shape_fns;  // an op without a shape function is an error (rule 72)
  uint32_t seen;
  // Counts changes of nodes that were in the graph already (edges moved, attrs set), which sessions that ran
  // them do not follow. Added nodes do not count.
  atomic_llong change_count;
  dvt_graph_change *changes;  // newest first, in the arena
  // Sessions and importers may outlive TF_DeleteGraph: it frees when the last reference is gone.
  atomic_int refs;
  TF_OperationDescription *free_descriptions;  // reuse: building a node calls no malloc
};

dvt_status dvt_graph_create(TF_Graph **out_graph) DVT_NODISCARD;
TF_Graph *dvt_graph_retain(TF_Graph *graph);
void dvt_graph_release(TF_Graph *graph);
// Caller holds the lock for all below.
TF_Operation *dvt_graph_find(const TF_Graph *graph, dvt_str name);
// The op a node of this graph may have: a function of its library or a registered op. NULL when there is
// none.
const dvt_op_def *dvt_graph_find_op(const TF_Graph *graph, dvt_str name);

// A node ready to be added: everything points to memory that lives as long as the graph (arena or imported
// bytes), except the arrays, which are copied.
typedef struct dvt_new_node {
  dvt_str name, device;  // NUL-terminated; device may be {NULL, 0}
  const dvt_op_def *op;
  const dvt_attr *attrs;
  int32_t attr_count;
  const dvt_edge *inputs;  // flat, in order
  int32_t input_count;
  TF_Operation *const *control_inputs;  // duplicates are dropped
  int32_t control_input_count;
  dvt_str extra;
  bool check_name;        // refuse a name that dvt_node_name_is_valid does not like
  bool allow_back_edges;  // inputs may be {NULL, 0}: dvt_graph_set_input must follow
} dvt_new_node;
// Checks attrs, number and dtypes of inputs, deprecation; infers output shapes; adds the node. On failure the
// graph is unchanged.
dvt_status dvt_graph_add_node(TF_Graph *graph, const dvt_new_node *node,
                              TF_Operation **out_node) DVT_NODISCARD;
// Connects input `input` of `node`, which is open ({NULL, 0}) or connected elsewhere, to `source`; dtypes are
// checked.
dvt_status dvt_graph_set_input(TF_Operation *node, int input, dvt_edge source) DVT_NODISCARD;
// May an output of dtype `actual` feed an input of dtype `expected` (a ref output feeds a plain input)?
static inline bool dvt_dtypes_connect(int expected, int actual) {
  return expected == actual || expected + DVT_DTYPE_REF_OFFSET == actual;
}
// [A-Za-z0-9.][A-Za-z0-9_./-]* in pieces joined by '>': what a GraphDef's nodes must be called.
bool dvt_node_name_is_valid(dvt_str name);

// Removes all nodes from index `node_count` on. Only for nodes that nobody has seen yet: a failed import.
void dvt_graph_truncate(TF_Graph *graph, size_t node_count);
// `bytes` of memory that live as long as the graph, or until drop_block (which takes the newest). NULL: out
// of memory.
char *dvt_graph_add_block(TF_Graph *graph, size_t bytes) DVT_NODISCARD;
void dvt_graph_drop_block(TF_Graph *graph);

// Changes of nodes in place; each counts in change_count. graph_edit.c
// As TF_UpdateEdge: moves the edge that ends in `input` of `node`; shapes must be mergeable.
dvt_status dvt_graph_update_edge(TF_Graph *graph, dvt_edge source, TF_Operation *node,
                                 int input) DVT_NODISCARD;
dvt_status dvt_graph_add_control_input(TF_Operation *node, TF_Operation *before) DVT_NODISCARD;
void dvt_graph_remove_control_inputs(TF_Operation *node);
dvt_status dvt_graph_set_attr(TF_Operation *node, dvt_str name,
                              dvt_str value) DVT_NODISCARD;   // copies; no check
void dvt_graph_clear_attr(TF_Operation *node, dvt_str name);  // absent is fine
dvt_status dvt_graph_set_device(TF_Operation *node, dvt_str device) DVT_NODISCARD;
dvt_status dvt_graph_set_extra(TF_Operation *node, uint32_t field_number, dvt_str message) DVT_NODISCARD;
// Adds a data input behind the last one (TF_AddWhileInputHack).
dvt_status dvt_graph_append_input(TF_Operation *node, dvt_edge source) DVT_NODISCARD;
dvt_status dvt_graph_set_handle_data(TF_Graph *graph, dvt_edge output, dvt_str proto) DVT_NODISCARD;
bool dvt_graph_handle_data(const TF_Graph *graph, dvt_edge output, dvt_str *out_proto);

// The lock held: what a shape function may ask about the values of its inputs. const_value.c
typedef struct dvt_known_inputs {
  const dvt_edge *inputs;  // entries may be {NULL, 0}
  int32_t count;
  TF_Graph *graph;
  struct dvt_known_value *values;  // made so far, in graph->scratch
} dvt_known_inputs;
const TF_Tensor *dvt_known_input_tensor(void *known_inputs, int index);
bool dvt_known_input_as_shape(void *known_inputs, int index, dvt_shape *out_shape);
const dvt_handle_shapes *dvt_known_input_handle(void *known_inputs, int index);
// What is known of the values behind an output: as set by TF_SetHandleShapeAndType, else as inferred.
const dvt_handle_shapes *dvt_graph_known_handle(TF_Graph *graph, dvt_edge source);
// The value of a Const node of at most `most` elements, into an empty tensor; false for other nodes.
bool dvt_const_tensor(const dvt_node_def *def, int64_t most, TF_Tensor *out);
dvt_str dvt_known_input_name(void *known_inputs, int index);  // "producer" or "producer:1"
void dvt_known_inputs_deinit(dvt_known_inputs *known);

// Serialised GraphDef (nodes in creation order, function library, versions).
dvt_status dvt_graph_to_proto(TF_Graph *graph, dvt_buf *out) DVT_NODISCARD;
void dvt_operation_to_proto(const TF_Operation *node, dvt_buf *out);  // NodeDef with inputs
void dvt_graph_versions_to_proto(const TF_Graph *graph, dvt_buf *out);

// "node:0" / "node" / "^node" -> parts; false when malformed. out_index is -1 for a control input.
bool dvt_parse_tensor_name(dvt_str text, dvt_str *out_node, int *out_index, bool *out_control);

#endif  // DVT_GRAPH_GRAPH_H_
