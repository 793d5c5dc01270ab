// The dataflow walk's tables (dvt_flow, made from a plan by flow_build.c) and its running state (flow_run.c,
// flow_frames.c). A node runs when its inputs have arrived; values are copied to the inputs of their readers.
// Nodes belong to frames: the root frame, and one for each loop of v1 control flow. A running loop has an
// instance of its frame, with storage for each iteration that is under way.
#ifndef DVT_EXEC_FLOW_H_
#define DVT_EXEC_FLOW_H_

#include "exec/run.h"
#include "tensor/loan.h"

typedef struct dvt_flow_edge {
  int32_t reader;  // node, or DVT_FLOW_FETCH
  int32_t input;   // of the reader, -1: control edge; of DVT_FLOW_FETCH: which fetch
  int32_t output;  // of the producer, -1: control edge
  bool is_last;    // handled last of the edges of this output: the value is moved, not copied
} dvt_flow_edge;
#define DVT_FLOW_FETCH (-1)

// One for each node of the plan, same index.
typedef struct dvt_flow_node {
  dvt_session_node *session_node;
  uint8_t kind;
  bool is_async, is_constant_enter, wants_index;  // MERGE: somebody reads value_index
  int32_t frame, child_frame;                     // ENTER: runs in `frame`, its readers in `child_frame`
  int32_t local;                                  // among the frame's nodes
  int32_t first_entry;                            // of the inputs among the frame's entries
  int32_t first_input, input_count;               // in plan->inputs
  int32_t control_count, output_count;
  int32_t initial_pending;
  int32_t first_slot;  // in flow->output_slots
  int32_t first_edge, edge_count;
} dvt_flow_node;

typedef struct dvt_flow_frame {
  int32_t parent;             // -1: the root frame
  int32_t depth;              // of the root frame 0
  const dvt_instance *owner;  // frame names are unique within one body
  dvt_str name;
  int32_t node_count, entry_count, slot_count;
  int32_t enter_count;  // Enter nodes that lead into it
  int32_t parallel_iterations;
  int32_t *initial_pending;  // by local node
} dvt_flow_frame;

struct dvt_flow {
  dvt_plan *plan;
  dvt_flow_node *nodes;
  int32_t node_count;
  dvt_flow_edge *edges;
  int32_t edge_count;
  int32_t *output_slots;   // slot within the iteration's storage, -1: heap
  int32_t output_count;    // length of output_slots
  dvt_flow_frame *frames;  // 0 is the root
  int32_t frame_count;
  size_t frame_capacity;
  dvt_map frames_by_name;  // while the tables are made: parent, owner and name -> index
  int32_t *initially_ready;
  int32_t initially_ready_count;
  int32_t most_inputs, most_outputs;
  bool *feed_moves;  // by feed: the plan owns it and one node reads it once, so its memory may be forwarded
};

// The plan's dataflow tables, made on first use unless they were with the plan; memory belongs to the plan.
dvt_status dvt_flow_of_plan(dvt_plan *plan, dvt_flow **out_flow) DVT_NODISCARD;
dvt_status dvt_flow_find_frames(dvt_flow *flow) DVT_NODISCARD;   // its parts, in flow_loops.c
dvt_status dvt_flow_assign_slots(dvt_flow *flow) DVT_NODISCARD;  // and flow_slots.c

typedef struct dvt_frame dvt_frame;

// Storage of one iteration of a running frame.
typedef struct dvt_iteration {
  dvt_frame *frame;
  int64_t number;
  int32_t outstanding;         // nodes that are ready or running
  int32_t *pending, *dead;     // by local node
  dvt_kernel_output *entries;  // inputs of the frame's nodes; a kernel may pass one on to its output
  dvt_slot *slots;
  dvt_frame *children;  // frames entered from this iteration
  struct dvt_iteration *next;
} dvt_iteration;

typedef struct dvt_held_value {  // a value kept for iterations to come
  int32_t node;
  bool is_dead;
  TF_Tensor value;
} dvt_held_value;

// A running instance of a frame. Iterations are listed oldest first.
struct dvt_frame {
  const dvt_flow_frame *info;
  int32_t index;
  dvt_frame *parent;
  dvt_iteration *parent_iteration;
  dvt_iteration *iterations;
  int64_t iteration_count;  // number of the newest iteration
  int32_t open_iterations;
  int32_t pending_enters;
  dvt_held_value *invariants, *next_roots;  // of constant Enters; of NextIterations that wait for room
  size_t invariant_count, invariant_capacity, next_root_count, next_root_capacity;
  int32_t *dead_exits;
  size_t dead_exit_count, dead_exit_capacity;
  dvt_frame *sibling, *previous;  // in the parent iteration's children
  dvt_frame *next_open;           // of this index; there are as many as iterations of the parent
};

typedef struct dvt_ready {
  dvt_iteration *iteration;
  int32_t node;
  bool is_dead;
} dvt_ready;

typedef struct dvt_flow_state dvt_flow_state;

#define DVT_DONES 8

// What one thread, or one asynchronous kernel, needs to run a node.
typedef struct dvt_execution {
  TF_OpKernelContext ctx;
  dvt_lender lender;  // of the thread that runs it, for a synchronous kernel's call
  dvt_kernel_output *outputs;
  TF_Tensor **inputs;
  bool *last_use;
  dvt_flow_state *state;
  dvt_ready task;
  int64_t start_ns, end_ns, called_ns;
  int32_t thread;
  dvt_node_trace trace;  // of a traced step
  // Asynchronous kernels, under the state's lock:
  int holders;  // the caller of compute, and done
  // Done objects are used in turn: a kernel that reports twice does not report for the next in its place.
  struct TF_AsyncOpKernelDoneCallback dones[DVT_DONES];
  uint8_t next_done;
  bool has_failed;  // counted in async_failed
  struct dvt_execution *next,
      **link;  // in free_executions; while an asynchronous kernel is at work, in at_work
} dvt_execution;

// One running step. `lock` guards everything from `ready` on.
struct dvt_flow_state {
  dvt_pooled_state pooled;
  dvt_flow *flow;
  dvt_plan *plan;
  dvt_step step;
  const dvt_run *run;  // valid while the caller is inside
  dvt_kernel_output *feeds;
  atomic_int refs;  // the caller, tasks in the pool, asynchronous kernels at work

  pthread_mutex_t lock;
  pthread_cond_t changed;  // something became ready, or ended; the caller waits
  dvt_ready *ready;        // a stack
  size_t ready_count, ready_capacity;
  int32_t running;        // nodes inside execute, other than asynchronous ones after compute_async returned
  int32_t async_pending;  // asynchronous kernels at work
  int32_t async_failed;   // of these, kernels that reported a failure and did not call done
  int32_t workers;        // pool tasks queued or running
  bool caller_waits;
  bool is_cancelled;  // the step's, after `error`: what waits has been or is being told
  bool is_stopped;    // closed or past its time: asynchronous kernels are not waited for
  bool is_abandoned;  // the caller has gone, asynchronous kernels are still at work
  dvt_status error;   // the first failure
  dvt_frame *root;
  dvt_frame **free_frames, **open_frames;  // by frame
  dvt_iteration **free_iterations;         // by frame
  dvt_execution *free_executions, *at_work;
  TF_Tensor *fetched;
  bool measure, in_caller;
  dvt_profile *profile;  // a reference: kernels given up may still name spans
};

// Frames at run time (flow_frames.c). The caller holds the state's lock. Errors are put into state->error.
bool dvt_frames_begin(
    dvt_flow_state *state);  // the root frame with its only iteration; false when out of memory
void dvt_frames_end(dvt_flow_state *state);  // drops whatever is left of a step that failed or was stopped
void dvt_frames_free(dvt_flow_state *state);
// A node has run (or was passed over dead): hands its outputs on, and ends iterations and frames that are
// done.
void dvt_frames_propagate(dvt_flow_state *state, const dvt_ready *task, dvt_kernel_output *outputs);
void dvt_flow_fail(dvt_flow_state *state, dvt_status status);  // keeps the first

#endif  // DVT_EXEC_FLOW_H_
