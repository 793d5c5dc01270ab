// Between the files of the shape engine: shapes.c (the pass over a net), shapes_join.c (what values of
// several origins have in common), shapes_call.c (functions) and shapes_graph.c (graphs as nets).
#ifndef DVT_GRAPH_SHAPES_INTERNAL_H_
#define DVT_GRAPH_SHAPES_INTERNAL_H_

#include "graph/shapes.h"

// What is known of one value.
typedef struct dvt_known {
  dvt_shape shape;
  const dvt_handle_shapes *handle;
  const dvt_value *value;
} dvt_known;

// A symbol for what differs, and whose: see dvt_known_join.
typedef struct dvt_join {
  dvt_dim symbol;
  int64_t owner;
} dvt_join;

// What a run over a net shares with those over the bodies that it calls.
typedef struct dvt_shape_run {
  dvt_shape_arena *arena;
  dvt_arena *values;
  dvt_arena scratch;  // of one shape function
  const dvt_function_library *functions;
  const dvt_shapes_listener *listener;
  int graph_def_version;
  int depth;          // of calls
  size_t nodes_left;  // of bodies: calls beyond that are not followed
  dvt_map bodies;     // "name\0attrs" -> dvt_called_body
  dvt_arena keys;     // of bodies
  dvt_join *joins;    // symbols made by joining, descending
  size_t join_count, join_capacity;
  int64_t last_owner;
} dvt_shape_run;

typedef enum dvt_shape_kind {
  DVT_SHAPE_PLAIN,
  DVT_SHAPE_CONST,
  DVT_SHAPE_ARG,
  DVT_SHAPE_MERGE,
  DVT_SHAPE_ENTER,
  DVT_SHAPE_CALL,      // attr f
  DVT_SHAPE_FUNCTION,  // the op is a function
  DVT_SHAPE_IF,
  DVT_SHAPE_CASE,
  DVT_SHAPE_WHILE
} dvt_shape_kind;
dvt_shape_kind dvt_shape_kind_of(const dvt_op_def *op, const dvt_function_library *functions);

// One run over one net.
typedef struct dvt_shape_pass {
  dvt_shape_run *run;
  const dvt_net *net;
  dvt_shapes *shapes;
  dvt_str function;       // whose body it is; empty for a graph
  const dvt_known *args;  // of the call; NULL for a graph
  int32_t arg_count;
  int32_t *computed_at, *changed_at;  // by node, in steps; 0: never
  bool *failed;                       // by node: its shape function, when it ran last
  bool reporting;                     // the listener is told
  int64_t first_owner;                // of joins: that of node 0
  int32_t step;
  int32_t node;                          // at hand
  struct dvt_shape_constant *constants;  // decoded for the node at hand
  struct {
    const dvt_op_def *op;
    dvt_shape_kind kind;
    bool has_value;
  } kinds[64];
} dvt_shape_pass;

dvt_status dvt_shape_pass_run(dvt_shape_pass *pass) DVT_NODISCARD;
// After the run: tells the listener what failed, and of every body that is called, with its final shapes.
dvt_status dvt_shape_pass_report(dvt_shape_pass *pass) DVT_NODISCARD;
dvt_known dvt_shape_pass_input(dvt_shape_pass *pass, int index);
void dvt_shape_pass_deinit(dvt_shape_pass *pass);
void dvt_shape_pass_failed(dvt_shape_pass *pass, const dvt_node_def *node, dvt_status status);

// Widens *known by another origin of the same value: what differs becomes unknown, dims by a symbol of the
// owner's that stays when it is joined again, so that joining comes to an end. *out_changed tells whether it
// did.
dvt_status dvt_known_join(dvt_shape_run *run, int64_t owner, dvt_known *known, dvt_known other,
                          bool *out_changed) DVT_NODISCARD;
// The same shape, handle and value?
bool dvt_known_equal(const dvt_known *a, const dvt_known *b);
// `shape` with what is known of `hint`; itself where they contradict. Symbols of the hint are not taken.
dvt_status dvt_shape_take_hint(dvt_shape_run *run, dvt_shape shape, dvt_shape hint,
                               dvt_shape *out_shape) DVT_NODISCARD;

// The outputs of the node at hand, which calls functions. `report`: the listener hears of the bodies.
dvt_status dvt_shape_call(dvt_shape_pass *pass, const dvt_node_def *node, dvt_shape_kind kind, bool report,
                          dvt_known *outputs) DVT_NODISCARD;
void dvt_shape_run_deinit(dvt_shape_run *run);

// Sources and definitions of a graph, for a net.
typedef struct dvt_graph_net {
  dvt_net net;
  const dvt_node_def **defs;
  int32_t *first_input, *order;
  dvt_source *sources;
  const dvt_shape **hints;
} dvt_graph_net;
dvt_status dvt_graph_net_init(dvt_graph_net *out, const TF_Graph *graph) DVT_NODISCARD;
void dvt_graph_net_deinit(dvt_graph_net *net);

#endif  // DVT_GRAPH_SHAPES_INTERNAL_H_
