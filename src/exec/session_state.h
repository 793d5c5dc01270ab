// What a session holds, seen by the files of this layer: the instances of graphs that its plans draw nodes
// from (the session's graph, and one body graph for each inlined call), a dvt_session_node for each of their
// nodes that some plan needed, and the plans. Everything here but `buckets` and the atomics is guarded by
// build_lock.
#ifndef DVT_EXEC_SESSION_STATE_H_
#define DVT_EXEC_SESSION_STATE_H_

#include "exec/session.h"
#include "exec/state_pool.h"

typedef struct dvt_plan dvt_plan;
typedef struct dvt_instance dvt_instance;
typedef struct dvt_callable dvt_callable;
typedef struct dvt_made_node dvt_made_node;  // fuse.h
typedef struct dvt_partial_run_state dvt_partial_run_state;

// How the executor treats a node. All but KERNEL are done by the executor itself.
typedef enum dvt_node_kind {
  DVT_NODE_KERNEL,
  DVT_NODE_NOOP,
  DVT_NODE_CONST,        // the tensor of its attr `value`
  DVT_NODE_PLACEHOLDER,  // must be fed
  DVT_NODE_ARG,          // of a function body: stands for the call's input
  DVT_NODE_RETVAL,       // of a function body: stands for the call's output
  DVT_NODE_CALL,         // inlined; as a node of a plan it follows all effects of the body
  DVT_NODE_CALL_ENTER,  // what the body's nodes without producers follow, so that they run after the call may
                        // start
  DVT_NODE_SWITCH,
  DVT_NODE_MERGE,
  DVT_NODE_ENTER,
  DVT_NODE_EXIT,
  DVT_NODE_NEXT_ITERATION,
  DVT_NODE_LOOP_COND,
  DVT_NODE_CONTROL_TRIGGER,  // runs even when its control inputs are dead
} dvt_node_kind;

typedef enum dvt_fold_state { DVT_FOLD_UNKNOWN, DVT_FOLD_CONSTANT, DVT_FOLD_NEVER } dvt_fold_state;

// One for each node and session: its kernel (one create per node and session, rule 114), its values if
// constant.
typedef struct dvt_session_node {
  TF_Operation *op;
  dvt_instance *owner;
  dvt_instance *callee;        // CALL: made when first needed
  const dvt_str *input_names;  // producers' names
  // The operation's edges as they were when the node was made: later edits of the graph are not followed.
  const dvt_edge *inputs;
  TF_Operation *const *control_inputs;
  int32_t input_count, control_input_count;
  const dvt_kernel_def *kernel_def;
  dvt_kernel kernel;
  bool has_kernel;
  uint8_t kind;                    // dvt_node_kind
  uint8_t fold;                    // dvt_fold_state
  TF_Tensor *constants;            // DVT_FOLD_CONSTANT: all outputs; see read_constant
  const struct dvt_session_node *repeats;  // an Identity's CONST whose values come when they are asked for
  int32_t arg_index;               // ARG: which input of the call
  dvt_made_node *made;             // nodes that do this one's work together with that of its readers
  dvt_str fused_ops, fused_names;  // of a node that stands for several: "Conv2D + Relu", "'conv', 'relu'"
  // The plan under construction: valid when the epochs equal the session's.
  uint32_t plan_epoch, feed_epoch;
  int32_t plan_index;
} dvt_session_node;

// A graph with the session nodes of its operations.
struct dvt_instance {
  TF_Graph *graph;
  dvt_session_node **nodes;  // by operation id; NULL where no plan needed the node yet
  size_t capacity;
  dvt_function_body body;  // not for the session's own graph
  dvt_str function;        // name of the function
  dvt_session_node *call;  // NULL for the session's own graph and for callables
  dvt_session_node enter;  // the CALL_ENTER node
  bool has_enter;          // nodes without producers in the body follow `enter`
  bool has_effects;        // stateful nodes or control returns, which run whatever is fetched
  int8_t control_flow;     // has Switch, Merge, Enter...: -1 not looked yet
  int32_t depth;
  uint32_t plan_epoch;
  dvt_instance *next;  // all instances of the session
};

#define DVT_PLAN_BUCKETS 64
#define DVT_TASK_LANE DVT_STATE_LANES  // of TF_Session.active
#define DVT_GATE_CLOSED 1              // of TF_Session.gate
#define DVT_GATE_HELD 2

struct TF_Session {
  // Calls inside dvt_session_run and the like, counted by thread, so that threads do not fight for it. The
  // last counts pool tasks, which calls leave behind: whoever looks for users looks there last.
  struct {
    _Alignas(64) atomic_int count;
  } active[DVT_STATE_LANES + 1];
  _Alignas(64) atomic_llong step_count;  // written by every step, so away from what every node reads
  _Alignas(64) atomic_int gate;          // DVT_GATE_*; 0: whoever comes may run
  atomic_bool wants_start;               // a kernel has asked when its step began
  atomic_int refs;            // the owner, and asynchronous kernels at work, which may outlast their steps
  atomic_int parked;          // calls that wait at the gate
  int closers;                // threads that cancel its steps; under the list's lock
  atomic_bool is_released;    // the owner's reference is gone
  TF_Session *older, *newer;  // all sessions of the process: session_list.h
  int64_t number;             // for messages: sessions count from 1
  TF_Graph *graph;
  atomic_llong changes_seen;  // the graph's change_count at the last look
  dvt_session_config config;
  char handle[24];  // unique in this process
  dvt_str config_proto;
  dvt_pool *pool;      // NULL: everything in the caller's thread
  dvt_pool *own_pool;  // when the options ask for a number of threads of their own
  int inter_op_threads;
  const dvt_device *device;
  dvt_resource_manager *resources;
  _Atomic(dvt_plan *) buckets[DVT_PLAN_BUCKETS];

  pthread_mutex_t build_lock;
  dvt_arena arena;  // session nodes and what kernels ask for when created
  dvt_instance root;
  dvt_instance *instances;  // bodies of inlined calls
  _Atomic(dvt_callable *) callables;
  int32_t instance_count;
  uint32_t epoch;                  // number of the plan under construction
  struct dvt_plan_report *report;  // of the plan under construction; NULL: not wanted
  int32_t graph_def_version;       // of the graph when the last plan was made; not for running steps
  bool warned_device;
  dvt_partial_run_state *partial_runs;
  int64_t partial_run_count;
  size_t inlined_nodes;  // of all instances
};

// Marks a use of the session that dvt_session_destroy waits for; the result is for dvt_session_leave, which
// may be called by another thread.
static inline atomic_int *dvt_session_enter(TF_Session *session) {
  atomic_int *count = &session->active[dvt_thread_lane()].count;
  atomic_fetch_add(count, 1);
  return count;
}
static inline void dvt_session_leave(atomic_int *entered) { atomic_fetch_sub(entered, 1); }
// Sequentially consistent, as entering and closing are: either a step that enters sees that the session is
// closed, or who closes it sees that the step has entered.
static inline bool dvt_session_is_closed(TF_Session *session) {
  return atomic_load(&session->gate) & DVT_GATE_CLOSED;
}
// Enters for a call from outside, which has done nothing yet: waits while the session is held (an unload
// looks at it). CANCELLED when it is closed; then there is nothing to leave.
dvt_status dvt_session_begin_at_gate(TF_Session *session, atomic_int **entered) DVT_COLD DVT_NODISCARD;
static inline DVT_NODISCARD dvt_status dvt_session_begin(TF_Session *session, atomic_int **out_entered) {
  *out_entered = dvt_session_enter(session);
  return DVT_LIKELY(atomic_load(&session->gate) == 0) ? NULL
                                                      : dvt_session_begin_at_gate(session, out_entered);
}
void dvt_session_unref(TF_Session *session);

// Logs a warning when a node that the session has planned was changed since the last look. session_changes.c
void dvt_session_warn_of_changes(TF_Session *session) DVT_COLD;
static inline void dvt_session_look_at_changes(TF_Session *session) {
  if (DVT_UNLIKELY(atomic_load_explicit(&session->graph->change_count, memory_order_relaxed) !=
                   atomic_load_explicit(&session->changes_seen, memory_order_relaxed)))
    dvt_session_warn_of_changes(session);
}

// Names and ends of a node, for messages and profiles: "call/inner"; the plugin's name, empty for the program
// itself.
void dvt_session_node_name(const dvt_session_node *node, dvt_buf *out);
dvt_str dvt_session_node_plugin(const dvt_session_node *node);

// The session node of `op`, which belongs to `instance`; made on first use. NULL when out of memory. The
// caller holds the graph's lock (the session's own graph).
dvt_session_node *dvt_instance_node(TF_Session *session, dvt_instance *instance,
                                    TF_Operation *op) DVT_NODISCARD;
// The body of the function that `call` calls; made on first use. The caller holds the lock of the session's
// graph.
dvt_status dvt_instance_of_call(TF_Session *session, dvt_session_node *call) DVT_NODISCARD;
// The body of a callable: the function of NameAttrList `func`. The caller holds the lock of the session's
// graph.
dvt_status dvt_instance_of_function(TF_Session *session, dvt_str func, dvt_instance *instance) DVT_NODISCARD;
void dvt_instance_deinit(dvt_instance *instance);
bool dvt_instance_has_control_flow(dvt_instance *instance);
void dvt_instances_deinit(TF_Session *session);

// Finds and creates the node's kernel unless it has one.
dvt_status dvt_session_node_find_kernel(TF_Session *session, dvt_session_node *node) DVT_NODISCARD;
dvt_status dvt_session_node_make_kernel(TF_Session *session, dvt_session_node *node) DVT_NODISCARD;
// Reads the tensor of a CONST node into `constants`. The values of a large one stay away (the tensor has no buffer)
// until they are asked for: plans often need them in another form only.
dvt_status dvt_session_node_read_constant(TF_Session *session, dvt_session_node *node) DVT_NODISCARD;
// What an Identity of such a constant, or of another Identity of it, has.
dvt_status dvt_session_node_repeat_constant(TF_Session *session, dvt_session_node *node,
                                            const dvt_session_node *of) DVT_NODISCARD;
// Sees to it that `constants` of a node that has them have their values. Errors: out of memory only.
dvt_status dvt_session_node_complete_constant(const dvt_session_node *node) DVT_NODISCARD;
// A tensor of its own with the value of constant `index` of the node, which has some. *out is empty.
dvt_status dvt_session_node_copy_constant(const dvt_session_node *node, int32_t index, TF_Tensor *out) DVT_NODISCARD;
// Computes the outputs of a stateless node from `inputs` and keeps them in `constants`, unless they are too
// large or the kernel fails; then fold becomes DVT_FOLD_NEVER and the node runs in every step. Errors: out of
// memory only.
dvt_status dvt_session_node_fold(TF_Session *session, dvt_session_node *node,
                                 TF_Tensor *const *inputs) DVT_NODISCARD;

// dvt_grow for typed arrays; `items` is the address of the array pointer.
static inline bool dvt_array_reserve(void *items, size_t *capacity, size_t want, size_t bytes_each) {
  void *p;
  if (DVT_LIKELY(want <= *capacity)) return true;
  memcpy(&p, items, sizeof p);
  if (!dvt_grow(&p, capacity, want, bytes_each)) return false;
  memcpy(items, &p, sizeof p);
  return true;
}

// Drops a value between nodes; the common case without a call into the tensor layer.
static inline void dvt_value_drop(TF_Tensor *t) {
  if (DVT_UNLIKELY(t->rank > DVT_INLINE_RANK)) {
    dvt_tensor_reset(t);
    return;
  }
  dvt_buffer_release(t->buffer);
  t->buffer = NULL;
  t->data = NULL;
  t->rank = 0;
}

// *to, which is empty, takes the value of *from.
static inline void dvt_value_move(TF_Tensor *to, TF_Tensor *from) {
  if (DVT_LIKELY(from->rank <= DVT_INLINE_RANK))
    dvt_tensor_view(to, from);
  else
    *to = *from;
  from->buffer = NULL;
  from->data = NULL;
  from->rank = 0;
}

#endif  // DVT_EXEC_SESSION_STATE_H_
