// Expansion: the nodes that a set of feeds, fetches and targets needs, with function calls replaced by their
// bodies, in an order in which every node follows its producers. The first part of making a plan: see
// plan.h.
#ifndef DVT_EXEC_EXPAND_H_
#define DVT_EXEC_EXPAND_H_

#include "exec/session_state.h"
#include "graph/shapes.h"

typedef struct dvt_expanded_node {
  dvt_session_node *session_node;
  int32_t first_input, input_count;      // in inputs
  int32_t first_control, control_count;  // in controls
  int32_t state;                         // of the depth-first search
  bool is_constant;     // fold.c: its values are in session_node->constants, so nothing needs to run
  int32_t fused_into;   // fuse.c: the node that does this one's work; -1: none
  int32_t shared_with;  // share.c: the node that computes the same; -1: none
} dvt_expanded_node;

typedef struct dvt_expansion {
  TF_Session *session;
  dvt_instance *root;  // the graph that feeds, fetches and targets belong to
  const TF_Output *feeds;
  int feed_count;
  struct dvt_sorted_feed *sorted_feeds;  // by operation and index

  dvt_expanded_node *nodes;
  size_t node_count, node_capacity;
  size_t value_count;  // outputs of the nodes, and feeds
  dvt_source *inputs;
  size_t input_count, input_capacity;
  int32_t *controls;  // indices into nodes
  size_t control_count, control_capacity;
  int32_t *order;  // indices into nodes: producers first, but for NextIteration to Merge
  size_t order_count, order_capacity;
  int32_t *roots;  // nodes to search from
  size_t root_count, root_capacity;
  int32_t *stack;  // depth-first search: node and position of the next producer to visit
  size_t stack_count, stack_capacity;
  dvt_source *fetches;
} dvt_expansion;

// Fills *x, which must be zeroed; release with dvt_expansion_deinit also on failure. `root` is the session's
// own graph or the body of a callable, whose effects are needed whatever is fetched. The caller holds the
// build lock; the lock of the session's graph is taken inside. INVALID_ARGUMENT for operations of another
// graph, indices out of range, repeated feeds, cycles and placeholders that are needed but not fed.
dvt_status dvt_expand(TF_Session *session, dvt_instance *root, const TF_Output *feeds, int feed_count,
                      const TF_Output *fetches, int fetch_count, const TF_Operation *const *targets,
                      int target_count, dvt_expansion *x) DVT_NODISCARD;
void dvt_expansion_deinit(dvt_expansion *x);

// Takes out of the order what neither roots nor anything they need reads or follows. `helper`, when not NULL,
// tells by node another one to run right before it, -1 for none.
dvt_status dvt_expansion_sweep(dvt_expansion *x, const int32_t *helper) DVT_NODISCARD;

#endif  // DVT_EXEC_EXPAND_H_
