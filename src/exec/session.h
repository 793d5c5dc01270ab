// struct TF_Session: a graph, options, resources, and the plans made for it. dvt_session_run is what
// TF_SessionRun, the model API and the SavedModel loader call. Any number of threads may run one session at
// once.
#ifndef DVT_EXEC_SESSION_H_
#define DVT_EXEC_SESSION_H_

#include "exec/profile.h"
#include "graph/function.h"
#include "graph/graph.h"
#include "graph/saved_model.h"
#include "kernel/kernel.h"

struct TF_SessionOptions {
  char *target;
  dvt_str config;  // serialised ConfigProto, owned
};

typedef struct dvt_session_config {        // what is read of ConfigProto
  int inter_op_threads, intra_op_threads;  // 0 = default
  int64_t timeout_ms;                      // operation_timeout_in_ms, 0 = none
  bool single_threaded;                    // experimental.executor_type SINGLE_THREADED_EXECUTOR
  // What plans may change of a graph; all on unless ConfigProto or DOVETAIL_OPTIMIZE switches them off.
  bool fold_constants;    // evaluate what depends on constants only
  bool share;             // run nodes that compute the same once, and read through nodes that change nothing
  bool fuse;              // make one node of several
  bool fuse_batch_norm;   // with `fuse`: batch normalisations and other factors per channel, too
  bool fuse_elementwise;  // with `fuse`: element-wise nodes, and activations and layer normalisation made of
                          // them
} dvt_session_config;
// INVALID_ARGUMENT when the bytes are no ConfigProto.
dvt_status dvt_session_config_parse(dvt_str proto, dvt_session_config *out_config) DVT_NODISCARD;
// Switches off what `text`, the value of DOVETAIL_OPTIMIZE, does not name: "all", "none", or some of "fold",
// "share", "fuse", "batch_norm", "elementwise" with commas between. INVALID_ARGUMENT for another word.
dvt_status dvt_session_config_limit(dvt_str text, dvt_session_config *config) DVT_NODISCARD;

typedef struct dvt_run_options {  // what is read of RunOptions
  int64_t timeout_ms;             // 0 = the session's
  int inter_op_thread_pool;       // -1: caller's thread
  bool trace;                     // trace_level > NO_TRACE: step_stats wanted
  dvt_profile *profile;  // not from RunOptions: a fresh one that receives what the nodes did, or NULL
} dvt_run_options;
dvt_status dvt_run_options_parse(dvt_str proto, dvt_run_options *out_options) DVT_NODISCARD;

// `options` may be NULL. The session keeps its own reference to the graph.
dvt_status dvt_session_create(TF_Graph *graph, const TF_SessionOptions *options,
                              TF_Session **out_session) DVT_NODISCARD;
// Cancels running steps and refuses new ones (CANCELLED "Session has been closed."). Any thread may call.
void dvt_session_close(TF_Session *session);
// Closes, waits for running steps, and frees. A step given up while an asynchronous kernel was still at work
// keeps what that kernel uses alive until it reports done. NULL is fine.
void dvt_session_destroy(TF_Session *session);
TF_Graph *dvt_session_graph(const TF_Session *session);
// The resources that the session's kernels share.
dvt_resource_manager *dvt_session_resources(const TF_Session *session);
// The ConfigProto that the session was made with, serialised; may be empty.
dvt_str dvt_session_config_proto(const TF_Session *session);
// Appends the functions of the graph as a serialised FunctionDefLibrary. Takes the graph's lock.
dvt_status dvt_session_function_library(const TF_Session *session, dvt_buf *out) DVT_NODISCARD;
// The present value of a variable; `container` may be empty. NOT_FOUND when there is none of this name,
// FAILED_PRECONDITION when it was never assigned.
dvt_status dvt_session_variable(const TF_Session *session, dvt_str container, dvt_str name,
                                TF_Tensor *out) DVT_NODISCARD;

// Runs one step. outputs[i] receive new handles owned by the caller; untouched or NULL on failure.
// `run_metadata`, when not NULL, receives a serialised RunMetadata if `options` ask for a trace, also when
// the step fails. `options` may be NULL.
dvt_status dvt_session_run(TF_Session *session, const dvt_run_options *options, const TF_Output *inputs,
                           TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                           TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                           int target_count, dvt_buf *run_metadata) DVT_NODISCARD;

// A step run in parts (TF_SessionPRun*). The handle is text that names the partial run within its session.
dvt_status dvt_partial_run_setup(TF_Session *session, const TF_Output *inputs, int input_count,
                                 const TF_Output *outputs, int output_count,
                                 const TF_Operation *const *targets, int target_count,
                                 char **out_handle) DVT_NODISCARD;
dvt_status dvt_partial_run(TF_Session *session, const char *handle, const TF_Output *inputs,
                           TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                           TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                           int target_count) DVT_NODISCARD;

// Evaluates `output` when it depends on nothing but constants and stateless ops. *out_value stays NULL,
// without an error, when it does not.
dvt_status dvt_graph_evaluate_constant(TF_Graph *graph, TF_Output output,
                                       TF_Tensor **out_value) DVT_NODISCARD;

// Imports the model's graph into the empty `graph`, makes a session, restores the variables from variables/
// and runs the init op with the asset files' names fed. What it made is gone on failure, except nodes in
// `graph`.
dvt_status dvt_session_load_saved_model(const dvt_saved_model *model, const TF_SessionOptions *options,
                                        const dvt_run_options *run_options, TF_Graph *graph,
                                        TF_Session **out_session) DVT_NODISCARD;

// Does the executor run nodes of this op itself, without a kernel (constants, calls, control flow)?
bool dvt_exec_runs_op(dvt_str op);

#endif  // DVT_EXEC_SESSION_H_
