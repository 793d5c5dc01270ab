// One step of a plan: what the walkers are given, and what they share.
#ifndef DVT_EXEC_RUN_H_
#define DVT_EXEC_RUN_H_

#include "exec/plan.h"

typedef struct dvt_run {
  dvt_plan *plan;
  TF_Tensor *const *feeds;  // by plan->feeds; checked. Emptied when the plan owns its feeds
  TF_Tensor **fetched;      // new handles on success; untouched on failure
  dvt_step *caller;         // the step whose kernel calls this function; NULL: the step itself
  dvt_profile *profile;     // NULL: not wanted
  int64_t step_id;
  int64_t deadline_ns;  // monotonic; 0 = none
  bool in_caller;       // no node on another thread
  bool measure;         // nodes are timed
} dvt_run;

int64_t dvt_now_ns(void);  // monotonic clock

// Runs the step by the walker that suits it.
dvt_status dvt_plan_run(dvt_run *run) DVT_NODISCARD;
// The walkers.
dvt_status dvt_array_run(dvt_run *run) DVT_NODISCARD;
dvt_status dvt_flow_run(dvt_run *run) DVT_NODISCARD;
void dvt_array_states_deinit(dvt_plan *plan);
void dvt_flow_states_deinit(dvt_plan *plan);
// Cancels every step of the plan that runs now.
void dvt_array_cancel(dvt_plan *plan);
void dvt_flow_cancel(dvt_plan *plan);

// Prepares a step of a pooled state. The parts that never change are set when the state is made.
void dvt_step_init(dvt_step *step, TF_Session *session);
void dvt_step_begin(dvt_step *step, const dvt_run *run);
// Why the step must stop before its next node: CANCELLED, DEADLINE_EXCEEDED, or NULL.
dvt_status dvt_step_check(dvt_step *step, TF_Session *session) DVT_NODISCARD;
// A kernel that was woken because the step is stopped fails with CANCELLED; the step then fails with what
// stopped it. Consumes `status`.
dvt_status dvt_step_reason(dvt_step *step, TF_Session *session, dvt_status status) DVT_NODISCARD;
dvt_status dvt_deadline_error(void) DVT_NODISCARD DVT_COLD;
dvt_status dvt_closed_error(void) DVT_NODISCARD DVT_COLD;

// Adds to a node's failure where it happened: node, op, plugin, dtypes and shapes of the inputs.
dvt_status dvt_node_failed(dvt_status status, const dvt_session_node *node, TF_Tensor *const *inputs,
                           int32_t input_count) DVT_NODISCARD DVT_COLD;

// How long the node that runs on this thread has been in functions that it calls: enter before its kernel
// runs, leave with what enter gave, which is what belongs to the node around it.
int64_t dvt_called_enter(void);
int64_t dvt_called_leave(int64_t around_ns);
void dvt_called_add(int64_t ns);

// Which walker runs the next step, and what a finished step tells about that choice (choose.c).
bool dvt_choose_flow(dvt_plan *plan, const dvt_run *run, bool *out_measure);
void dvt_choose_learn(dvt_plan *plan, bool flow, int64_t step_ns);
// A node that takes less is not worth another thread. One that was not measured yet may be.
#define DVT_WORTH_A_THREAD_NS 20000
static inline bool dvt_node_is_expensive(const dvt_plan_node *node) {
  int cost_ns = atomic_load_explicit(&node->cost_ns, memory_order_relaxed);
  return cost_ns == 0 || cost_ns >= DVT_WORTH_A_THREAD_NS;
}
// Records a node's time in the plan: the least seen.
void dvt_node_cost(dvt_plan_node *node, int64_t ns);

#endif  // DVT_EXEC_RUN_H_
