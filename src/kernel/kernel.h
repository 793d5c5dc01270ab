// Kernel instances and what their functions see: dvt_kernel (one per node of a plan),
// TF_OpKernelConstruction and TF_OpKernelContext. The executor (src/exec) owns and fills contexts; src/capi
// reads them. What all nodes of a running step share is in step.h.
#ifndef DVT_KERNEL_KERNEL_H_
#define DVT_KERNEL_KERNEL_H_

#include "device/device.h"
#include "kernel/registry.h"
#include "kernel/step.h"

// One instance of a registered kernel for one node.
#define DVT_KERNEL_NEAR_TYPES 4
typedef struct dvt_kernel {
  const dvt_kernel_def *def;
  void *state;               // what create returned
  const dvt_node_def *node;  // outlives the kernel
  // The first entries of the node's dtype arrays: in a long chain of small nodes each cache line counts.
  int16_t near_input_types[DVT_KERNEL_NEAR_TYPES], near_output_types[DVT_KERNEL_NEAR_TYPES];
  const uint8_t *host_memory_inputs, *host_memory_outputs;  // 1 where declared HostMemory; NULL = none
  const dvt_device *device;
  const dvt_str
      *input_names;  // producer node names, input_count entries (TF_GetOpKernelRequestedInput); may be NULL
  int graph_def_version;
  bool calls_functions;  // took a dvt_callable when it was made
} dvt_kernel;

// Declared dtype of a flat input or output, +100 for references. `i` must be in range.
static inline int dvt_kernel_input_type(const dvt_kernel *kernel, int i) {
  return i < DVT_KERNEL_NEAR_TYPES ? kernel->near_input_types[i] : kernel->node->input_types[i];
}
static inline int dvt_kernel_output_type(const dvt_kernel *kernel, int i) {
  return i < DVT_KERNEL_NEAR_TYPES ? kernel->near_output_types[i] : kernel->node->output_types[i];
}

// A reference edge (dtype + 100) carries a scalar resource tensor that holds the dvt_variable. An input that
// is declared without the reference gets the variable's value from dvt_context_input.

// Finds the kernel's HostMemory args, runs create (with a construction context) and reports its failure; on
// failure the plugin's delete has run with whatever create returned (rule 116). Arrays of the kernel are
// allocated from `arena`. `session` is where the kernel's functions are found; may be NULL.
dvt_status dvt_kernel_create(const dvt_kernel_def *def, const dvt_node_def *node, const dvt_device *device,
                             int graph_def_version, const dvt_str *input_names, struct TF_Session *session,
                             dvt_arena *arena, dvt_kernel *out_kernel) DVT_NODISCARD;
void dvt_kernel_destroy(dvt_kernel *kernel);  // runs the plugin's delete once

struct dvt_debug_origin;
struct TF_OpKernelConstruction {
  dvt_kernel *kernel;
  struct TF_Session *session;           // may be NULL
  dvt_status status;                    // first failure (rule 117)
  const struct dvt_debug_origin *over;  // in debug mode, whose creation it was, once that is over
};

typedef struct dvt_kernel_output {
  TF_Tensor tensor;  // by value; empty until set
  bool is_set;
  // An output of the node that reads this value last has taken over its reference; the executor forgets the
  // value after that node without dropping it.
  bool is_passed_on;
  dvt_slot *slot;  // where AllocateOutput takes storage; NULL = heap (fetched or unknown lifetime)
} dvt_kernel_output;

// The done object of an async kernel: of one call, so that a second report of it is told from the report of
// another call. The executor has it on the heap.
struct TF_AsyncOpKernelDoneCallback {
  TF_OpKernelContext *context;
  const struct dvt_kernel *kernel;
  atomic_int runs;  // more than one is an error, logged, ignored
  void (*done)(void *arg);
  void *arg;
};

// What the executor alone knows of the node that runs in a context.
typedef struct dvt_executor_view {
  const bool *(*unread_outputs)(const TF_OpKernelContext *ctx);  // as of a context; NULL: all are read
  bool (*is_expensive)(const TF_OpKernelContext *ctx);           // worth a thread, as far as is known
} dvt_executor_view;
// What a traced kernel has asked for so far, and whose node it is; the executor makes an entry of the profile
// of it.
typedef struct dvt_node_trace {
  struct dvt_profile *profile;
  const struct dvt_plan *plan;
  int32_t node;
  atomic_llong output_bytes, temp_bytes;  // any thread of the kernel counts
} dvt_node_trace;

struct TF_OpKernelContext {
  const dvt_kernel *kernel;
  dvt_step *step;
  // The node's flat inputs, borrowed from the executor for the length of the compute call (until done for
  // async kernels). `inputs[i]` NULL or an empty tensor = dead or missing input (rule 139).
  TF_Tensor *const *inputs;
  // last_use[i]: the executor will not read inputs[i] after this node, so its buffer may be forwarded. May be
  // NULL.
  const bool *last_use;
  // Lends inputs and outputs to the kernel's handles. Only of executors that settle the loans after the call,
  // and whose values behind inputs with `last_use` are dvt_kernel_outputs. NULL: handles count references.
  struct dvt_lender *lender;
  // stable_inputs[i]: inputs[i] is a constant or a variable's value (dvt_input_is_stable). May be NULL.
  const bool *stable_inputs;
  // unread_outputs[i]: nobody reads output i, so the kernel may leave it unset. May be NULL; ask
  // dvt_context_output_is_read.
  const bool *unread_outputs;
  dvt_kernel_output *outputs;
  int32_t input_count, output_count;
  uint64_t frame_id;
  int64_t iteration_id;
  dvt_status status;                          // first failure; written under dvt_context_fail (any thread)
  struct TF_AsyncOpKernelDoneCallback *done;  // async kernels only
  // Storage that the executor keeps for TF_AllocateTemp between steps; may be NULL. `temp_slots_used` starts
  // at 0.
  dvt_slot *temp_slots;
  int32_t temp_slot_count;
  atomic_int temp_slots_used;
  const dvt_executor_view *view;     // NULL: nothing more is known
  struct dvt_checked_call *checked;  // in debug mode, what the kernel sees is a context of this call alone
  dvt_node_trace *trace;             // NULL: the step is not traced
};

// Records the first failure (consumes `status`; later ones are freed). Thread-safe.
void dvt_context_fail(TF_OpKernelContext *ctx, dvt_status status);
// A copy of the failure recorded so far, NULL when there is none. Thread-safe: the kernel may still be at
// work.
dvt_status dvt_context_failure(TF_OpKernelContext *ctx) DVT_NODISCARD;
// Runs the kernel. Synchronous kernels return when compute returned. For an async kernel ctx->done must be
// set; this returns when compute_async returned, and `done` may run before or after that, on any thread.
// The context, its inputs and outputs must stay valid until then.
void dvt_kernel_compute(TF_OpKernelContext *ctx);
// The same in a frame that C++ exceptions do not leave, and with the checks of debug mode.
void dvt_kernel_compute_safely(TF_OpKernelContext *ctx);
// Fails the context because its kernel threw; consumes what was thrown (base/catch.h).
struct dvt_exception;
void dvt_kernel_threw(TF_OpKernelContext *ctx, struct dvt_exception *thrown) DVT_COLD;
// After a synchronous compute (or in done): every output set and of the declared dtype? INTERNAL errors of
// rules 154, 157 otherwise. `allow_unset` for control-flow kernels that leave outputs dead. On failure
// outputs are reset.
dvt_status dvt_context_finish(TF_OpKernelContext *ctx, bool allow_unset) DVT_NODISCARD;

#endif  // DVT_KERNEL_KERNEL_H_
