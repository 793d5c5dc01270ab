// Choosing the walker: a plan first runs as an array walk with its nodes timed. If the times say that
// independent nodes would keep several cores busy for long enough, the dataflow walk is tried, and kept only
// if it proves faster.
#include "device/pool.h"
#include "exec/run.h"

#define MEASURED_RUNS 3
#define TRIED_RUNS 4
#define WORTH_A_THREAD_NS 20000  // handing a node to another thread costs some microseconds
#define LEAST_GAIN_NS 50000

void dvt_node_cost(dvt_plan_node *node, int64_t ns) {
  int cost = (int)DVT_MAX(1, DVT_MIN(ns, INT32_MAX));
  int known = atomic_load_explicit(&node->cost_ns, memory_order_relaxed);
  if (known == 0 || cost < known) atomic_store_explicit(&node->cost_ns, cost, memory_order_relaxed);
}

static int64_t longest_path(const dvt_plan *plan, int64_t *finish) {
  int64_t longest = 0;
  for (int32_t i = 0; i < plan->node_count; i++) {
    const dvt_plan_node *node = &plan->nodes[i];
    int64_t start = 0;
    for (int32_t k = 0; k < node->input_count; k++) {
      dvt_source source = plan->inputs[node->first_input + k];
      if (source.node >= 0) start = DVT_MAX(start, finish[source.node]);
    }
    for (int32_t k = 0; k < node->control_count; k++)
      start = DVT_MAX(start, finish[plan->controls[node->first_control + k]]);
    finish[i] = start + atomic_load_explicit(&node->cost_ns, memory_order_relaxed);
    longest = DVT_MAX(longest, finish[i]);
  }
  return longest;
}

static bool is_worth_trying(const dvt_plan *plan) {
  int64_t total = 0;
  int32_t large = 0;
  for (int32_t i = 0; i < plan->node_count; i++) {
    int cost = atomic_load_explicit(&plan->nodes[i].cost_ns, memory_order_relaxed);
    total += cost;
    large += cost >= WORTH_A_THREAD_NS;
  }
  if (large < 2) return false;
  int64_t *finish = dvt_malloc((size_t)plan->node_count * sizeof *finish);
  if (!finish) return false;
  int64_t parallel = DVT_MAX(longest_path(plan, finish), total / dvt_pool_threads(plan->session->pool));
  dvt_free(finish);
  return total - parallel >= DVT_MAX(LEAST_GAIN_NS, total / 10);
}

bool dvt_choose_flow(dvt_plan *plan, const dvt_run *run, bool *out_measure) {
  int mode = atomic_load_explicit(&plan->mode, memory_order_relaxed);
  // Only the runs that TRY is about: a caller that wants its own thread learns nothing more.
  *out_measure = mode == DVT_PLAN_MEASURE || (mode == DVT_PLAN_TRY && !run->in_caller);
  if (mode == DVT_PLAN_FLOW) {
    *out_measure = atomic_load_explicit(&plan->mode_runs, memory_order_relaxed) < MEASURED_RUNS;
    return true;
  }
  return (mode == DVT_PLAN_TRY || mode == DVT_PLAN_PARALLEL) && !run->in_caller;
}

static void keep_least(atomic_llong *least, int64_t ns) {
  long long known = atomic_load(least);
  while ((known == 0 || ns < known) && !atomic_compare_exchange_weak(least, &known, ns)) {
  }
}

// Of several threads that learn at once, the one that completes the count decides.
void dvt_choose_learn(dvt_plan *plan, bool flow, int64_t step_ns) {
  int mode = atomic_load(&plan->mode);
  if (mode == DVT_PLAN_MEASURE && !flow) {
    keep_least(&plan->array_ns, step_ns);
    if (atomic_fetch_add(&plan->mode_runs, 1) + 1 != MEASURED_RUNS) return;
    bool worth = is_worth_trying(plan);
    atomic_store(&plan->mode_runs, 0);
    atomic_store(&plan->mode, worth ? DVT_PLAN_TRY : DVT_PLAN_ARRAY);
  } else if (mode == DVT_PLAN_TRY && flow) {
    keep_least(&plan->flow_ns, step_ns);
    if (atomic_fetch_add(&plan->mode_runs, 1) + 1 != TRIED_RUNS) return;
    bool faster = atomic_load(&plan->flow_ns) * 20 < atomic_load(&plan->array_ns) * 19;
    atomic_store(&plan->mode, faster ? DVT_PLAN_PARALLEL : DVT_PLAN_ARRAY);
  } else if (mode == DVT_PLAN_FLOW) {
    atomic_fetch_add(&plan->mode_runs, 1);
  }
}
