// Shapes of whole graphs. Nodes get theirs from their own shape function when they are added; here a graph is
// inferred as a whole, with what only that can tell: fed shapes, bodies of functions, loops to a fixed point.
// Graphs (shapes_graph.c) and expansions of sessions (exec/infer.c) come as a dvt_net, which one engine
// reads.
//
// What a merge of two shapes learns holds for its output only, not for the inputs: the node may never run.
#ifndef DVT_GRAPH_SHAPES_H_
#define DVT_GRAPH_SHAPES_H_

#include "graph/function.h"
#include "op/known_value.h"

// Where a value comes from. node >= 0: output `index` of that node.
typedef struct dvt_source {
  int32_t node, index;
} dvt_source;
#define DVT_SOURCE_FEED (-1)     // index: which feed
#define DVT_SOURCE_CONST (-2)    // index: which constant of a plan (made by folding)
#define DVT_SOURCE_UNKNOWN (-3)  // nothing is known

typedef struct dvt_shapes dvt_shapes;

// Who wants to know more than shapes.
typedef struct dvt_shapes_listener {
  // A shape function failed; the outputs of the node count as unknown. `status` stays the caller's. May come
  // more than once for a node.
  void (*failed)(void *arg, dvt_str function, const dvt_node_def *node, dvt_status status);
  // A function's body with its final shapes, which are gone after the call; once for each call that is
  // reached.
  void (*body)(void *arg, dvt_str function, const TF_Graph *body, const dvt_shapes *shapes);
  void *arg;
} dvt_shapes_listener;

// A graph as inference sees it. The arrays are the caller's; all but `defs`, `first_input` and `sources` may
// be NULL.
typedef struct dvt_net {
  size_t node_count;
  const dvt_node_def *const *defs;  // NULL entries: outputs stay unknown
  const int32_t *first_input;       // in sources
  const dvt_source *sources;
  const int32_t *order;  // producers first, but for NextIteration to Merge; NULL: the order of the nodes
  size_t order_count;
  const dvt_shape *const
      *hints;  // by node: shapes claimed for its outputs; what contradicts inference is dropped
  // The value of an output that is constant, maybe without its elements, or NULL. Const nodes are decoded where it
  // is missing or without elements.
  const TF_Tensor *(*constant)(void *arg, int32_t node, int output);
  void *arg;
  const dvt_function_library *functions;  // NULL: calls are not followed
  int graph_def_version;
  const dvt_shapes_listener *listener;
} dvt_net;

struct dvt_shapes {
  dvt_shape_arena *arena;  // of all shapes
  dvt_shape_arena own;
  dvt_arena values_arena;
  size_t node_count;      // later nodes are not known
  int32_t *first_output;  // by node, in the arrays below; node_count + 1
  dvt_shape *outputs;     // NULL: unknown rank
  const dvt_handle_shapes **handles;
  const dvt_value **values;  // NULL: nothing known, or a constant
  dvt_shape *feeds;          // by feed
};

// Begins *out, which must be zeroed, with `feed_count` unknown feeds, which the caller may set; release with
// dvt_shapes_deinit also on failure.
dvt_status dvt_shapes_begin(const dvt_net *net, int feed_count, dvt_shapes *out) DVT_NODISCARD;
// Infers everything. What cannot be inferred is unknown. Errors: out of memory only.
dvt_status dvt_shapes_run(const dvt_net *net, dvt_shapes *shapes) DVT_NODISCARD;
void dvt_shapes_deinit(dvt_shapes *shapes);
dvt_shape dvt_shapes_of(const dvt_shapes *shapes, dvt_source source);

// A shape that an output of a graph is fed with.
typedef struct dvt_fed_shape {
  TF_Output output;
  int rank;
  const int64_t *dims;  // -1: any size
} dvt_fed_shape;
// The shapes of `graph`, whose lock the caller holds, by the ids of its operations; *out must be zeroed;
// release with dvt_shapes_deinit also on failure. INVALID_ARGUMENT for a fed shape that the output cannot
// have.
dvt_status dvt_graph_infer_shapes(TF_Graph *graph, const dvt_fed_shape *feeds, int feed_count,
                                  const dvt_shapes_listener *listener, dvt_shapes *out) DVT_NODISCARD;

// Replaces the shapes of the graph's nodes by those that dvt_graph_infer_shapes finds without feeds. The
// caller holds the lock.
dvt_status dvt_graph_refine(TF_Graph *graph) DVT_NODISCARD;

#endif  // DVT_GRAPH_SHAPES_H_
