// struct TF_Session: a graph, options, resources, and the plans made for it. dvt_session_run is what TF_SessionRun, the
// model API and the SavedModel loader call. Any number of threads may run one session at once.
#ifndef DVT_EXEC_SESSION_H_
#define DVT_EXEC_SESSION_H_

#include "graph/function.h"
#include "graph/graph.h"
#include "kernel/kernel.h"

struct TF_SessionOptions {
  char *target;
  dvt_str config;  // serialised ConfigProto, owned
};

typedef struct dvt_session_config {  // what is read of ConfigProto
  int inter_op_threads, intra_op_threads;  // 0 = default
  int64_t timeout_ms;                        // operation_timeout_in_ms, 0 = none
  bool single_threaded;                      // experimental.executor_type SINGLE_THREADED_EXECUTOR
} dvt_session_config;

typedef struct dvt_run_options {  // what is read of RunOptions
  int64_t timeout_ms;
  int inter_op_thread_pool;  // -1: caller's thread
  bool trace;                // trace_level > NO_TRACE: step_stats wanted
} dvt_run_options;

dvt_status dvt_session_create(TF_Graph *graph, const TF_SessionOptions *options, TF_Session **out_session) DVT_NODISCARD;
void dvt_session_destroy(TF_Session *session);  // waits for running steps
// Runs one step. outputs[i] receive new handles owned by the caller; untouched on failure. `run_metadata`, when not
// NULL, receives a serialised RunMetadata (step_stats with per-node start/end, op, plugin, device).
dvt_status dvt_session_run(TF_Session *session, const dvt_run_options *options, const TF_Output *inputs,
                           TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                           TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                           int target_count, dvt_buf *run_metadata) DVT_NODISCARD;
dvt_status dvt_run_options_parse(dvt_str proto, dvt_run_options *out_options) DVT_NODISCARD;

#endif  // DVT_EXEC_SESSION_H_
