// dvt_plan: what a session runs for one set of feeds, fetches and targets. Nodes in topological order,
// constants folded, with the tables of one or both walkers: the array walk (walk_array.c: one thread, a loop
// over steps) and the dataflow walk (flow.h: ready queue, pool, asynchronous kernels, branches and loops).
// Immutable once made but for the run states it keeps for reuse, the measured times and the choice between
// the walkers.
#ifndef DVT_EXEC_PLAN_H_
#define DVT_EXEC_PLAN_H_

#include "exec/expand.h"
#include "exec/state_pool.h"

typedef struct dvt_flow dvt_flow;

typedef struct dvt_plan_node {
  dvt_session_node *session_node;
  int32_t first_input, input_count;      // in plan->inputs
  int32_t first_control, control_count;  // in plan->controls
  int32_t constant;                      // CONST: its value in plan->constants; else -1
  const bool *unread_outputs;            // KERNEL: by output, whether neither a node nor a fetch reads it
  atomic_int cost_ns;                    // measured; 0 = not yet
} dvt_plan_node;

// A kernel call of the array walk. Values are numbered: feeds that the plan owns, then outputs of steps in
// order.
typedef struct dvt_array_step {
  const dvt_kernel *kernel;
  const uint8_t *output_types;
  const bool *stable_inputs;             // input_count of them
  int32_t first_input, input_count;      // in the state's input pointers
  int32_t first_output, output_count;    // in the state's outputs
  int32_t first_release, release_count;  // in array.releases: values that nobody needs after this step
  int32_t node;                          // in plan->nodes
} dvt_array_step;

typedef struct dvt_array_plan {
  dvt_array_step *steps;
  int32_t step_count, input_count, output_count, slot_count;
  int32_t feed_count;  // of the outputs: values that come from outside
  dvt_source *inputs;  // node: index of an output
  bool *last_use;      // parallel to inputs
  int32_t *releases;
  int32_t *slots;  // slot of each output, -1: heap
} dvt_array_plan;

typedef struct dvt_plan_value {
  const dvt_session_node *node;
  int32_t output;
} dvt_plan_value;

typedef struct dvt_plan_feed {
  int32_t dtype;
  int32_t rank;         // -1: any shape fits
  const int64_t *dims;  // -1: any size fits
} dvt_plan_feed;

// How the plan runs next. MEASURE counts array walks whose nodes are timed; TRY counts dataflow walks that
// must prove faster.
typedef enum dvt_plan_mode {
  DVT_PLAN_ARRAY,
  DVT_PLAN_MEASURE,
  DVT_PLAN_TRY,
  DVT_PLAN_PARALLEL,
  DVT_PLAN_FLOW
} dvt_plan_mode;

struct dvt_plan {
  dvt_plan *next;  // same bucket
  TF_Session *session;
  uint64_t hash;
  int32_t feed_count, fetch_count, target_count;
  TF_Output *feed_keys, *fetch_keys;
  const TF_Operation **target_keys;

  dvt_plan_feed *feeds;
  dvt_plan_node *nodes;
  int32_t node_count;
  dvt_source *inputs;   // node: index in nodes
  bool *stable_inputs;  // parallel to inputs: a constant or a variable's value
  int32_t *controls;
  dvt_source *fetches;  // as inputs
  TF_Tensor **constants;
  dvt_plan_value *constant_values;  // parallel to constants: whose outputs they are
  int32_t constant_count;

  bool owns_feeds;  // a step may forward what it is fed: the values are moved in, not borrowed
  bool has_array;   // no control flow, no asynchronous kernel
  dvt_array_plan array;
  dvt_source *array_fetches;  // as array.inputs
  dvt_state_pool array_states;

  _Atomic(dvt_flow *) flow;  // made when first needed
  dvt_state_pool flow_states;

  atomic_int mode, mode_runs;
  atomic_llong array_ns, flow_ns;  // least time of a run seen while choosing
  dvt_arena arena;
};

// The plan for the key, from the session's cache or made now.
dvt_status dvt_plan_get(TF_Session *session, const TF_Output *feeds, int feed_count, const TF_Output *fetches,
                        int fetch_count, const TF_Operation *const *targets, int target_count,
                        dvt_plan **out_plan) DVT_NODISCARD;
// A new plan, not in the cache. `root` is the session's own graph or the body of a callable. The caller holds
// the build lock.
dvt_status dvt_plan_make(TF_Session *session, dvt_instance *root, bool owns_feeds, const TF_Output *feeds,
                         int feed_count, const TF_Output *fetches, int fetch_count,
                         const TF_Operation *const *targets, int target_count,
                         dvt_plan **out_plan) DVT_NODISCARD;
void dvt_plan_destroy(dvt_plan *plan);
// Is the tensor what feed `i` asks for?
dvt_status dvt_plan_check_feed(const dvt_plan *plan, int i, const TF_Tensor *value) DVT_NODISCARD;

// The parts of making a plan after expansion: folding constants (fold.c), fusing (fuse.h), laying out
// (plan_build.c), and the tables of the array walk (plan_array.c).
dvt_status dvt_fold(dvt_expansion *x) DVT_NODISCARD;
dvt_status dvt_plan_build(TF_Session *session, const dvt_expansion *x, int fetch_count,
                          dvt_plan *plan) DVT_NODISCARD;
dvt_status dvt_plan_build_array(dvt_plan *plan) DVT_NODISCARD;
// The tables of the dataflow walk (flow_build.c), into plan->flow. The caller holds the build lock. A plan
// that has no array gets them at once, so that an error in its branches and loops leaves no plan behind.
dvt_status dvt_flow_make(dvt_plan *plan) DVT_NODISCARD;

static inline dvt_node_kind dvt_plan_node_kind(const dvt_plan_node *node) {
  return (dvt_node_kind)node->session_node->kind;
}
static inline const dvt_node_def *dvt_plan_node_def(const dvt_plan_node *node) {
  return &node->session_node->op->def;
}
// Does the dtype's storage come from slots?
static inline bool dvt_dtype_in_slot(int dtype) { return dvt_dtype_size(dtype) > 0; }

#endif  // DVT_EXEC_PLAN_H_
