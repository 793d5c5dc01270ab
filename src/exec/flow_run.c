// The dataflow walk: the caller's thread, and pool threads when there is enough to do, take ready nodes from
// a stack, run them, and hand the results on under one lock. Asynchronous kernels report from any thread. The
// caller returns when nothing is ready, running or pending; a step that is past its time or whose session was
// closed does not wait for asynchronous kernels: its state is then freed by the last of them.
#include <errno.h>

#include "device/pool.h"
#include "exec/flow_run.h"

#define READY_LOOKED_AT 8

static void state_recycle(dvt_flow_state *state);

static void state_retain(dvt_flow_state *state) {
  atomic_fetch_add_explicit(&state->refs, 1, memory_order_relaxed);
}

static void state_release(dvt_flow_state *state) {
  if (atomic_fetch_sub_explicit(&state->refs, 1, memory_order_acq_rel) == 1) state_recycle(state);
}

// An asynchronous kernel may outlast its step, so it keeps the session's memory too.
static void async_retain(dvt_flow_state *state) {
  atomic_fetch_add_explicit(&state->plan->session->refs, 1, memory_order_relaxed);
  state_retain(state);
}

static void async_release(dvt_flow_state *state) {
  TF_Session *session = state->plan->session;
  state_release(state);
  dvt_session_unref(session);
}

static dvt_execution *take_execution(dvt_flow_state *state) {
  dvt_execution *e = state->free_executions;
  if (!e) return dvt_execution_new(state);
  state->free_executions = e->next;
  return e;
}

static void give_execution(dvt_flow_state *state, dvt_execution *e) {
  e->next = state->free_executions;
  state->free_executions = e;
}

static void wake_caller(dvt_flow_state *state) {
  if (state->caller_waits) pthread_cond_signal(&state->changed);
}

// After the first failure: wakes the kernels that wait for something. With the lock, which is free meanwhile;
// the caller of the step waits for this.
static void cancel_others(dvt_flow_state *state) {
  if (!state->error || state->is_cancelled) return;
  state->is_cancelled = true;
  state->running++;
  pthread_mutex_unlock(&state->lock);
  dvt_step_cancel(&state->step);
  pthread_mutex_lock(&state->lock);
  state->running--;
  wake_caller(state);
}

// After a node: its error, or its values to its readers. With the lock.
static void complete(dvt_flow_state *state, dvt_execution *e, dvt_status status) {
  dvt_flow_fail(state, status);
  if (!state->error) dvt_frames_propagate(state, &e->task, e->outputs);
  dvt_execution_drop_outputs(e);
}

static int64_t now(const dvt_flow_state *state) {
  return state->profile ? dvt_profile_now(state->profile) : dvt_now_ns();
}

// To the profile, while the outputs are there.
static void record(const dvt_flow_state *state, dvt_execution *e, bool has_failed, bool is_unfinished) {
  const dvt_flow_node *node = &state->flow->nodes[e->task.node];
  bool runs = node->kind == DVT_NODE_KERNEL || node->kind == DVT_NODE_CONST || node->kind == DVT_NODE_NOOP ||
              node->kind >= DVT_NODE_SWITCH;
  if (DVT_LIKELY(!state->profile) || e->task.is_dead || !runs) return;
  dvt_profile_entry entry = {
      .plan = state->plan,
      .node = e->task.node,
      .thread = e->thread,
      .scheduled_ns = e->start_ns,
      .start_ns = e->start_ns,
      .end_ns = is_unfinished ? now(state) : e->end_ns,
      .called_ns = e->called_ns,
      .output_bytes = atomic_load_explicit(&e->trace.output_bytes, memory_order_relaxed),
      .temp_bytes = atomic_load_explicit(&e->trace.temp_bytes, memory_order_relaxed),
      .is_async = node->is_async,
      .has_failed = has_failed,
      .is_unfinished = is_unfinished,
  };
  dvt_profile_add(state->profile, &entry, e->outputs, is_unfinished ? 0 : node->output_count);
}

static dvt_status annotate(const dvt_execution *e, dvt_status status) {
  if (DVT_LIKELY(!status)) return NULL;
  const dvt_flow_node *node = &e->state->flow->nodes[e->task.node];
  return dvt_node_failed(status, node->session_node, e->inputs, node->input_count);
}

static void at_work_add(dvt_flow_state *state, dvt_execution *e) {
  state->async_pending++;
  e->link = &state->at_work;
  e->next = state->at_work;
  if (e->next) e->next->link = &e->next;
  state->at_work = e;
}

static void at_work_remove(dvt_flow_state *state, dvt_execution *e) {
  state->async_pending--;
  *e->link = e->next;
  if (e->next) e->next->link = e->link;
}

// Names the asynchronous kernels that have not called done: maybe one of them never does.
static dvt_status DVT_COLD name_at_work(const dvt_flow_state *state, dvt_status status) {
  enum { NAMED = 4 };
  dvt_buf text = {0};
  int32_t named = 0;
  for (const dvt_execution *e = state->at_work; e && named < NAMED; e = e->next, named++) {
    const dvt_session_node *node = state->flow->nodes[e->task.node].session_node;
    dvt_str plugin = dvt_session_node_plugin(node);
    dvt_buf_append_str(&text, DVT_STR("\n\t {{node "));
    dvt_session_node_name(node, &text);
    dvt_buf_printf(&text, "}} (op '" DVT_STR_FMT "'%s" DVT_STR_FMT ") has not called its done callback",
                   DVT_STR_ARG(node->op->def.op->name), plugin.len ? " of plugin " : "", DVT_STR_ARG(plugin));
  }
  if (state->async_pending > named)
    dvt_buf_printf(&text, "\n\t nor have %d others", (int)(state->async_pending - named));
  if (text.len && !text.failed)
    status = dvt_status_annotate(status, DVT_STR_FMT, DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}

static void async_done(void *arg) {
  dvt_execution *e = arg;
  dvt_flow_state *state = e->state;
  e->end_ns = state->profile ? now(state) : 0;
  pthread_mutex_lock(&state->lock);
  // Within the lock: the thread that started the kernel may be looking at its context in note_failure.
  dvt_status status = annotate(e, dvt_context_finish(&e->ctx, false));
  at_work_remove(state, e);
  state->async_failed -= e->has_failed;
  e->has_failed = false;
  if (!state->is_abandoned) record(state, e, status != NULL, false);
  dvt_execution_drop_inputs(e);
  if (state->is_abandoned) {
    dvt_execution_drop_outputs(e);
    dvt_status_free(status);
  } else {
    complete(state, e, status);
  }
  if (--e->holders == 0) give_execution(state, e);
  if (!state->is_abandoned) cancel_others(state);
  wake_caller(state);
  pthread_mutex_unlock(&state->lock);
  async_release(state);
}

// A kernel that failed and has not called done yet may never do so: its failure counts now.
static void note_failure(dvt_flow_state *state, dvt_execution *e) {
  dvt_status failure = dvt_context_failure(&e->ctx);
  if (!failure) return;
  // The kernel may still be at work on its inputs, so they are not described.
  dvt_flow_fail(state, dvt_node_failed(failure, state->flow->nodes[e->task.node].session_node, NULL, 0));
  e->has_failed = true;
  state->async_failed++;
}

// With the lock; lets go of it while the kernel starts. `done` may run before, during or after.
static void run_async(dvt_flow_state *state, dvt_execution *e) {
  at_work_add(state, e);
  async_retain(state);
  e->holders = 2;
  e->has_failed = false;
  e->ctx.done = &e->dones[e->next_done];
  e->ctx.done->done = async_done;
  e->ctx.done->arg = e;
  e->next_done = (uint8_t)((e->next_done + 1) % DVT_DONES);
  pthread_mutex_unlock(&state->lock);
  e->start_ns = state->profile ? now(state) : 0;
  e->called_ns = 0;
  dvt_execution_begin(e);
  int64_t around = dvt_called_enter();
  dvt_status status = dvt_execution_run(e);
  dvt_status_free(status);  // asynchronous kernels report through the context
  dvt_called_leave(around);
  pthread_mutex_lock(&state->lock);
  if (--e->holders == 0)
    give_execution(state, e);
  else
    note_failure(state, e);
}

static void run_sync(dvt_flow_state *state, dvt_execution *e) {
  dvt_plan_node *node = &state->plan->nodes[e->task.node];
  bool timed = state->measure || state->profile;
  dvt_status status = NULL;
  pthread_mutex_unlock(&state->lock);
  dvt_execution_begin(e);
  int64_t around = timed ? dvt_called_enter() : 0;
  if (timed) e->start_ns = now(state);
  if (!e->task.is_dead) status = annotate(e, dvt_execution_run(e));
  if (timed) e->end_ns = now(state);
  e->called_ns = timed ? dvt_called_leave(around) : 0;
  if (state->measure && !e->task.is_dead) dvt_node_cost(node, e->end_ns - e->start_ns);
  record(state, e, status != NULL, false);
  dvt_execution_drop_inputs(e);
  pthread_mutex_lock(&state->lock);
  complete(state, e, status);
  give_execution(state, e);
}

static void work(void *arg);

// Other nodes wait: wakes the caller if it has nothing to do, or asks for another thread when one of the
// nodes is worth it. With the lock.
static void call_for_help(dvt_flow_state *state) {
  if (state->caller_waits) {
    pthread_cond_signal(&state->changed);
    return;
  }
  if (state->in_caller || state->workers + 1 >= state->plan->session->inter_op_threads) return;
  size_t first = state->ready_count > READY_LOOKED_AT ? state->ready_count - READY_LOOKED_AT : 0;
  bool worth = false;
  for (size_t i = first; i < state->ready_count && !worth; i++)
    worth = atomic_load_explicit(&state->plan->nodes[state->ready[i].node].cost_ns, memory_order_relaxed) >=
            DVT_WORTH_A_THREAD_NS;
  if (!worth) return;
  state->workers++;
  state_retain(state);
  atomic_fetch_add(&state->plan->session->active[DVT_TASK_LANE].count, 1);  // waited for
  // Without the lock: a pool that cannot queue the task runs it here.
  pthread_mutex_unlock(&state->lock);
  dvt_pool_schedule(state->plan->session->pool, work, state);
  pthread_mutex_lock(&state->lock);
}

// Takes the topmost ready node and runs it. With the lock, which is free meanwhile.
static void run_one(dvt_flow_state *state, int32_t thread) {
  dvt_execution *e = take_execution(state);
  if (!e) {
    dvt_flow_fail(state, dvt_error_out_of_memory(sizeof *e));
    return;
  }
  e->task = state->ready[--state->ready_count];
  e->thread = thread;
  state->running++;
  if (state->ready_count > 0) call_for_help(state);
  if (state->flow->nodes[e->task.node].is_async && !e->task.is_dead)
    run_async(state, e);
  else
    run_sync(state, e);
  state->running--;
  cancel_others(state);
}

static void work(void *arg) {
  dvt_flow_state *state = arg;
  TF_Session *session = state->plan->session;
  int32_t thread = dvt_pool_worker_index(session->pool);
  pthread_mutex_lock(&state->lock);
  while (state->ready_count > 0 && !state->error) {
    run_one(state, thread);
    if (state->ready_count == 0 || state->error) wake_caller(state);
  }
  state->workers--;
  wake_caller(state);
  pthread_mutex_unlock(&state->lock);
  state_release(state);
  dvt_session_leave(&session->active[DVT_TASK_LANE].count);
}

static void wait_for_change(dvt_flow_state *state) {
  int64_t deadline = state->is_stopped ? 0 : state->step.deadline_ns;
  state->caller_waits = true;
  if (deadline) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_cond_timedwait(&state->changed, &state->lock, &until);
  } else {
    pthread_cond_wait(&state->changed, &state->lock);
  }
  state->caller_waits = false;
}

static void check_stop(dvt_flow_state *state) {
  if (state->is_stopped) return;
  dvt_status status = dvt_step_check(&state->step, state->plan->session);
  if (!status) return;
  state->is_stopped = true;
  dvt_flow_fail(state, name_at_work(state, status));
  cancel_others(state);
}

// An asynchronous kernel that failed and does not call done must not keep the caller for ever.
static bool may_leave(const dvt_flow_state *state) {
  if (state->running > 0) return false;
  if (state->async_pending == 0) return true;
  return state->is_stopped || (state->error && state->async_pending == state->async_failed);
}

// The caller's part; with the lock.
static void walk(dvt_flow_state *state) {
  int32_t thread = state->profile ? dvt_pool_worker_index(state->plan->session->pool) : 0;
  for (;;) {
    check_stop(state);
    if (state->error) state->ready_count = 0;
    if (state->ready_count > 0) {
      run_one(state, thread);
      continue;
    }
    if (may_leave(state)) return;
    wait_for_change(state);
  }
}

static void drop_values(dvt_flow_state *state) {
  dvt_frames_end(state);
  for (int32_t i = 0; i < state->plan->fetch_count; i++) dvt_value_drop(&state->fetched[i]);
  for (int32_t i = 0; i < state->plan->feed_count; i++) dvt_value_drop(&state->feeds[i].tensor);
  dvt_status_free(state->error);
  state->error = NULL;
  state->ready_count = 0;
}

// Nobody uses the state any more. After an abandoned step this runs in the thread of its last kernel.
static void state_recycle(dvt_flow_state *state) {
  if (state->is_abandoned) {
    drop_values(state);
    state->is_abandoned = false;
    dvt_status_free(dvt_step_finish(&state->step, NULL));
  }
  dvt_profile_release(state->profile);
  state->profile = NULL;
  dvt_state_pool_give(&state->plan->flow_states, &state->pooled);
}

static dvt_status dead_fetch(const dvt_plan *plan, int32_t i) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Retval[%d] does not have value: '" DVT_STR_FMT
                   ":%d' is on a branch that was not taken, so there is nothing to fetch",
                   i, DVT_STR_ARG(plan->fetch_keys[i].oper->def.name), plan->fetch_keys[i].index);
}

static dvt_status fetch_value(dvt_flow_state *state, int32_t i, TF_Tensor *out) {
  dvt_source source = state->plan->fetches[i];
  if (source.node == DVT_SOURCE_FEED) return dvt_tensor_init_copy(out, &state->feeds[source.index].tensor);
  // Who fetches from a session owns what he gets and may write into it; a constant must survive that.
  if (source.node == DVT_SOURCE_CONST && !state->step.caller)
    return dvt_tensor_clone(state->plan->constants[source.index], out);
  if (source.node == DVT_SOURCE_CONST) return dvt_tensor_init_copy(out, state->plan->constants[source.index]);
  if (dvt_tensor_is_empty(&state->fetched[i])) return dead_fetch(state->plan, i);
  dvt_tensor_move(out, &state->fetched[i]);
  return NULL;
}

static dvt_status fetch(dvt_flow_state *state, TF_Tensor **out_fetched) {
  int32_t count = state->plan->fetch_count, done = 0;
  if (count == 0) return NULL;
  dvt_status status = NULL;
  TF_Tensor **handles = dvt_calloc((size_t)count, sizeof *handles);
  if (!handles) return dvt_error_out_of_memory((size_t)count * sizeof *handles);
  for (; done < count && !status; done++) {
    handles[done] = dvt_tensor_handle_new();
    status =
        handles[done] ? fetch_value(state, done, handles[done]) : dvt_error_out_of_memory(sizeof(TF_Tensor));
  }
  if (!status) memcpy(out_fetched, handles, (size_t)count * sizeof *handles);
  for (int32_t i = 0; i < done && status; i++) dvt_tensor_handle_delete(handles[i]);
  dvt_free(handles);
  return status;
}

// Leaves the state to asynchronous kernels that are still at work.
static void abandon(dvt_flow_state *state) {
  for (dvt_execution *e = state->at_work; e && state->profile; e = e->next)
    record(state, e, e->has_failed, true);
  state->is_abandoned = true;
}

static dvt_status run_in(dvt_flow_state *state, dvt_run *run) {
  for (int32_t i = 0; i < state->plan->feed_count; i++) {
    if (state->plan->owns_feeds)
      dvt_value_move(&state->feeds[i].tensor, run->feeds[i]);
    else
      DVT_RETURN_IF_ERROR(dvt_tensor_init_copy(&state->feeds[i].tensor, run->feeds[i]));
  }
  pthread_mutex_lock(&state->lock);
  if (dvt_frames_begin(state)) walk(state);
  dvt_status status = dvt_step_reason(&state->step, state->plan->session, dvt_status_clone(state->error));
  bool abandoned = state->async_pending > 0;
  if (abandoned) abandon(state);
  pthread_mutex_unlock(&state->lock);
  if (abandoned) return status;
  DVT_RETURN_IF_ERROR(dvt_step_finish(&state->step, status));
  return fetch(state, run->fetched);
}

static void state_free(dvt_flow_state *state) {
  dvt_step_deinit(&state->step);
  if (state->free_iterations) dvt_frames_free(state);
  while (state->free_executions) {
    dvt_execution *e = state->free_executions;
    state->free_executions = e->next;
    dvt_execution_free(e);
  }
  dvt_free(state->ready);
  pthread_mutex_destroy(&state->lock);
  pthread_cond_destroy(&state->changed);
  dvt_free(state);
}

// One block: the state, then its arrays.
static dvt_flow_state *state_new(dvt_plan *plan, dvt_flow *flow) {
  size_t frames = (size_t)flow->frame_count, feeds = (size_t)plan->feed_count,
         fetches = (size_t)plan->fetch_count;
  dvt_flow_state *state = dvt_calloc(1, sizeof *state + feeds * sizeof *state->feeds +
                                            fetches * sizeof *state->fetched + 3 * frames * sizeof(void *));
  if (!state) return NULL;
  state->plan = plan;
  state->flow = flow;
  state->feeds = (dvt_kernel_output *)(state + 1);
  state->fetched = (TF_Tensor *)(state->feeds + feeds);
  state->free_frames = (void *)(state->fetched + fetches);
  state->open_frames = state->free_frames + frames;
  state->free_iterations = (void *)(state->open_frames + frames);
  pthread_mutex_init(&state->lock, NULL);
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&state->changed, &attr);
  pthread_condattr_destroy(&attr);
  dvt_step_init(&state->step, plan->session);
  return state;
}

static dvt_flow_state *state_take(dvt_plan *plan, dvt_flow *flow) {
  dvt_flow_state *state = (dvt_flow_state *)dvt_state_pool_take(&plan->flow_states);
  if (state) return state;
  state = state_new(plan, flow);
  if (state && !dvt_state_pool_adopt(&plan->flow_states, &state->pooled)) {
    state_free(state);
    return NULL;
  }
  return state;
}

dvt_status dvt_flow_run(dvt_run *run) {
  dvt_plan *plan = run->plan;
  dvt_flow *flow;
  DVT_RETURN_IF_ERROR(dvt_flow_of_plan(plan, &flow));
  dvt_flow_state *state = state_take(plan, flow);
  if (!state) return dvt_error_out_of_memory(sizeof *state);
  atomic_store(&state->refs, 1);
  dvt_step_begin(&state->step, run);
  state->async_pending = state->async_failed = 0;
  state->is_stopped = state->is_cancelled = false;
  state->measure = run->measure;
  state->in_caller = run->in_caller;
  state->profile = run->profile ? dvt_profile_retain(run->profile) : NULL;
  dvt_status status = run_in(state, run);
  pthread_mutex_lock(&state->lock);
  if (!state->is_abandoned) drop_values(state);
  pthread_mutex_unlock(&state->lock);
  state_release(state);
  return status;
}

void dvt_flow_states_deinit(dvt_plan *plan) {
  for (dvt_pooled_state *p = atomic_load(&plan->flow_states.all), *next; p; p = next) {
    next = p->next;
    state_free((dvt_flow_state *)p);
  }
  dvt_state_pool_deinit(&plan->flow_states);
}

void dvt_flow_cancel(dvt_plan *plan) {
  for (dvt_pooled_state *p = atomic_load(&plan->flow_states.all); p; p = p->next) {
    dvt_flow_state *state = (dvt_flow_state *)p;
    dvt_step_cancel(&state->step);
    pthread_mutex_lock(&state->lock);
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
  }
}
