// A partial run keeps the values of one step between calls. Each call runs, in the plan's order, every node
// whose producers have run by then, once; values stay until the run is over. It ends when all fetches were
// taken, when a node fails, or with the session.
#include "exec/partial_run.h"

#include <sched.h>
#include <stdio.h>

#include "exec/run.h"

struct dvt_partial_run_state {
  char handle[40];
  dvt_plan *plan;
  dvt_step step;
  TF_Tensor *feeds;
  dvt_kernel_output *outputs;  // as the array walk numbers them
  int32_t *step_of_node;       // -1: no kernel
  bool *done;                  // by node
  bool *fetched;
  int32_t fetched_count;
  bool busy;       // a call is inside
  int cancellers;  // threads that cancel the step: it waits for them
  dvt_partial_run_state *next;
};

static void state_free(dvt_partial_run_state *s) {
  if (!s) return;
  dvt_status_free(dvt_step_finish(&s->step, NULL));
  dvt_step_deinit(&s->step);
  for (int32_t i = 0; s->feeds && i < s->plan->feed_count; i++) dvt_tensor_reset(&s->feeds[i]);
  for (int32_t i = 0; s->outputs && i < s->plan->array.output_count; i++)
    dvt_tensor_reset(&s->outputs[i].tensor);
  dvt_free(s->feeds);
  dvt_free(s->outputs);
  dvt_free(s->step_of_node);
  dvt_free(s->done);
  dvt_free(s->fetched);
  dvt_free(s);
}

void dvt_partial_runs_deinit(TF_Session *session) {
  while (session->partial_runs) {
    dvt_partial_run_state *s = session->partial_runs;
    session->partial_runs = s->next;
    state_free(s);
  }
}

static bool allocate(dvt_partial_run_state *s) {
  const dvt_plan *plan = s->plan;
  s->feeds = dvt_calloc((size_t)plan->feed_count + 1, sizeof *s->feeds);
  s->outputs = dvt_calloc((size_t)plan->array.output_count + 1, sizeof *s->outputs);
  s->step_of_node = dvt_malloc(((size_t)plan->node_count + 1) * sizeof *s->step_of_node);
  s->done = dvt_calloc((size_t)plan->node_count + 1, sizeof *s->done);
  s->fetched = dvt_calloc((size_t)plan->fetch_count + 1, sizeof *s->fetched);
  return s->feeds && s->outputs && s->step_of_node && s->done && s->fetched;
}

static int find_key(const TF_Output *keys, int count, TF_Output wanted) {
  for (int i = 0; i < count; i++)
    if (keys[i].oper == wanted.oper && keys[i].index == wanted.index) return i;
  return -1;
}

// A fetch that was named twice is one: the others count as taken.
static void merge_fetches(dvt_partial_run_state *s) {
  for (int i = 0; i < s->plan->fetch_count; i++)
    if (find_key(s->plan->fetch_keys, i, s->plan->fetch_keys[i]) >= 0) {
      s->fetched[i] = true;
      s->fetched_count++;
    }
}

static dvt_status state_new(TF_Session *session, dvt_plan *plan, dvt_partial_run_state **out_state) {
  if (!plan->has_array)
    return dvt_error(TF_UNIMPLEMENTED,
                     "TF_SessionPRunSetup: graphs with v1 control flow or asynchronous kernels cannot be run "
                     "in parts; run "
                     "them with TF_SessionRun");
  dvt_partial_run_state *s = dvt_calloc(1, sizeof *s);
  if (!s) return dvt_error_out_of_memory(sizeof *s);
  s->plan = plan;
  dvt_step_init(&s->step, session);
  s->step.id = atomic_fetch_add(&session->step_count, 1) + 1;
  if (!allocate(s)) {
    state_free(s);
    return dvt_error_out_of_memory((size_t)plan->array.output_count * sizeof *s->outputs);
  }
  merge_fetches(s);
  for (int32_t i = 0; i < plan->node_count; i++) s->step_of_node[i] = -1;
  for (int32_t i = 0; i < plan->array.step_count; i++) s->step_of_node[plan->array.steps[i].node] = i;
  *out_state = s;
  return NULL;
}

static dvt_status setup(TF_Session *session, const TF_Output *inputs, int input_count,
                        const TF_Output *outputs, int output_count, const TF_Operation *const *targets,
                        int target_count, char **out_handle) {
  dvt_plan *plan;
  dvt_partial_run_state *s = NULL;
  DVT_RETURN_IF_ERROR(
      dvt_plan_get(session, inputs, input_count, outputs, output_count, targets, target_count, &plan));
  DVT_RETURN_IF_ERROR(state_new(session, plan, &s));
  pthread_mutex_lock(&session->build_lock);
  snprintf(s->handle, sizeof s->handle, "partial_run_%lld", (long long)++session->partial_run_count);
  char *handle = dvt_strndup(dvt_str_from(s->handle));
  if (handle) {
    s->next = session->partial_runs;
    session->partial_runs = s;
  }
  pthread_mutex_unlock(&session->build_lock);
  if (!handle) {
    state_free(s);
    return dvt_error_out_of_memory(sizeof s->handle);
  }
  *out_handle = handle;
  return NULL;
}

dvt_status dvt_partial_run_setup(TF_Session *session, const TF_Output *inputs, int input_count,
                                 const TF_Output *outputs, int output_count,
                                 const TF_Operation *const *targets, int target_count, char **out_handle) {
  if (!session) return dvt_error(TF_INVALID_ARGUMENT, "the session to run is NULL");
  if (input_count < 0 || output_count < 0 || target_count < 0 || (input_count && !inputs) ||
      (output_count && !outputs) || (target_count && !targets))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "an array of feeds, fetches or targets is NULL or its count negative");
  if (output_count == 0 && target_count == 0)
    return dvt_error(TF_INVALID_ARGUMENT, "nothing to run: neither a fetch nor a target is given");
  atomic_int *entered;
  DVT_RETURN_IF_ERROR(dvt_session_begin(session, &entered));
  dvt_status status =
      setup(session, inputs, input_count, outputs, output_count, targets, target_count, out_handle);
  dvt_session_leave(entered);
  return status;
}

static dvt_status not_in_setup(const char *what, TF_Output t) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s '" DVT_STR_FMT ":%d' was not named when the partial run was set up", what,
                   DVT_STR_ARG(t.oper ? t.oper->def.name : DVT_STR("(null)")), t.index);
}

static dvt_status take_feed(dvt_partial_run_state *s, TF_Output input, const TF_Tensor *value) {
  int feed = find_key(s->plan->feed_keys, s->plan->feed_count, input);
  if (feed < 0) return not_in_setup("feed", input);
  if (!dvt_tensor_is_empty(&s->feeds[feed]))
    return dvt_error(TF_INVALID_ARGUMENT, "The feed '" DVT_STR_FMT ":%d' has already been fed.",
                     DVT_STR_ARG(input.oper->def.name), input.index);
  DVT_RETURN_IF_ERROR(dvt_plan_check_feed(s->plan, feed, value));
  return dvt_tensor_init_copy(&s->feeds[feed], value);
}

// All or none: a call with a bad feed can be made again.
static dvt_status take_feeds(dvt_partial_run_state *s, const TF_Output *inputs, TF_Tensor *const *values,
                             int count) {
  dvt_status status = NULL;
  int taken = 0;
  for (; taken < count && !status; taken++) status = take_feed(s, inputs[taken], values[taken]);
  for (int i = 0; status && i < taken - 1; i++)
    dvt_tensor_reset(&s->feeds[find_key(s->plan->feed_keys, s->plan->feed_count, inputs[i])]);
  return status;
}

static TF_Tensor *value_of(dvt_partial_run_state *s, dvt_source source) {
  if (source.node == DVT_SOURCE_FEED) return &s->feeds[source.index];
  if (source.node == DVT_SOURCE_CONST) return s->plan->constants[source.index];
  return &s->outputs[source.index].tensor;
}

static bool may_run(const dvt_partial_run_state *s, const dvt_plan_node *node) {
  for (int32_t i = 0; i < node->input_count; i++) {
    dvt_source source = s->plan->inputs[node->first_input + i];
    if (source.node >= 0 ? !s->done[source.node]
                         : source.node == DVT_SOURCE_FEED && dvt_tensor_is_empty(&s->feeds[source.index]))
      return false;
  }
  for (int32_t i = 0; i < node->control_count; i++)
    if (!s->done[s->plan->controls[node->first_control + i]]) return false;
  return true;
}

static dvt_status run_kernel(dvt_partial_run_state *s, const dvt_array_step *step) {
  TF_Tensor **inputs = dvt_calloc((size_t)step->input_count + 1, sizeof *inputs);
  if (!inputs) return dvt_error_out_of_memory((size_t)step->input_count * sizeof *inputs);
  for (int32_t i = 0; i < step->input_count; i++)
    inputs[i] = value_of(s, s->plan->array.inputs[step->first_input + i]);
  TF_OpKernelContext ctx = {.kernel = step->kernel,
                            .step = &s->step,
                            .inputs = inputs,
                            .unread_outputs = s->plan->nodes[step->node].unread_outputs,
                            .outputs = s->outputs + step->first_output,
                            .input_count = step->input_count,
                            .output_count = step->output_count};
  dvt_kernel_compute_safely(&ctx);
  dvt_status status = dvt_context_finish(&ctx, false);
  if (status)
    status = dvt_node_failed(status, s->plan->nodes[step->node].session_node, inputs, step->input_count);
  dvt_free(inputs);
  return status;
}

static dvt_status run_ready(dvt_partial_run_state *s) {
  for (int32_t i = 0; i < s->plan->node_count; i++) {
    if (s->done[i] || !may_run(s, &s->plan->nodes[i])) continue;
    DVT_RETURN_IF_ERROR(dvt_step_check(&s->step, s->plan->session));
    if (s->step_of_node[i] >= 0)
      DVT_RETURN_IF_ERROR(run_kernel(s, &s->plan->array.steps[s->step_of_node[i]]));
    s->done[i] = true;
  }
  return NULL;
}

static dvt_status check_fetch(const dvt_partial_run_state *s, TF_Output output, int *out_index) {
  int fetch = find_key(s->plan->fetch_keys, s->plan->fetch_count, output);
  if (fetch < 0) return not_in_setup("fetch", output);
  if (s->fetched[fetch])
    return dvt_error(TF_INVALID_ARGUMENT, "The output '" DVT_STR_FMT ":%d' has already been fetched.",
                     DVT_STR_ARG(output.oper->def.name), output.index);
  *out_index = fetch;
  return NULL;
}

static dvt_status fetch_one(dvt_partial_run_state *s, TF_Output output, TF_Tensor **out_handle) {
  int fetch = 0;
  DVT_RETURN_IF_ERROR(check_fetch(s, output, &fetch));
  dvt_source source = s->plan->array_fetches[fetch];
  const TF_Tensor *value = value_of(s, source);
  if (dvt_tensor_is_empty(value))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Must feed more values before '" DVT_STR_FMT
                     ":%d' can be fetched: it depends on feeds of the partial "
                     "run that were not given yet",
                     DVT_STR_ARG(output.oper->def.name), output.index);
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_status status =
      source.node == DVT_SOURCE_CONST ? dvt_tensor_clone(value, handle) : dvt_tensor_init_copy(handle, value);
  if (status)
    dvt_tensor_handle_delete(handle);
  else
    *out_handle = handle;
  return status;
}

static dvt_status fetch_all(dvt_partial_run_state *s, const TF_Output *outputs, TF_Tensor **values,
                            int count) {
  TF_Tensor **handles = dvt_calloc((size_t)count + 1, sizeof *handles);
  if (!handles) return dvt_error_out_of_memory((size_t)count * sizeof *handles);
  dvt_status status = NULL;
  for (int i = 0; i < count && !status; i++) status = fetch_one(s, outputs[i], &handles[i]);
  for (int i = 0; i < count; i++) {
    if (status) {
      dvt_tensor_handle_delete(handles[i]);
      continue;
    }
    values[i] = handles[i];
    int fetch = find_key(s->plan->fetch_keys, s->plan->fetch_count, outputs[i]);
    s->fetched_count += !s->fetched[fetch];
    s->fetched[fetch] = true;
  }
  dvt_free(handles);
  return status;
}

// Marks the run busy, or says why it cannot be used.
static dvt_status enter(TF_Session *session, const char *handle, dvt_partial_run_state **out_state) {
  dvt_status status = NULL;
  pthread_mutex_lock(&session->build_lock);
  dvt_partial_run_state *s = session->partial_runs;
  while (s && strcmp(s->handle, handle) != 0) s = s->next;
  if (!s)
    status = dvt_error(
        TF_INVALID_ARGUMENT,
        "Must run 'setup' before performing partial runs! There is no partial run '%s' in this session, or "
        "it is over",
        handle);
  else if (s->busy)
    status = dvt_error(TF_FAILED_PRECONDITION, "another thread is inside partial run '%s'", handle);
  else
    s->busy = true;
  pthread_mutex_unlock(&session->build_lock);
  *out_state = s;
  return status;
}

static void leave(TF_Session *session, dvt_partial_run_state *s, bool over) {
  pthread_mutex_lock(&session->build_lock);
  s->busy = false;
  while (over && s->cancellers > 0) {
    pthread_mutex_unlock(&session->build_lock);
    sched_yield();
    pthread_mutex_lock(&session->build_lock);
  }
  dvt_partial_run_state **link = &session->partial_runs;
  while (*link != s) link = &(*link)->next;
  if (over) *link = s->next;
  pthread_mutex_unlock(&session->build_lock);
  if (over) state_free(s);
}

static dvt_status run(TF_Session *session, const char *handle, const TF_Output *inputs,
                      TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                      TF_Tensor **output_values, int output_count) {
  dvt_partial_run_state *s;
  DVT_RETURN_IF_ERROR(enter(session, handle, &s));
  dvt_status status = take_feeds(s, inputs, input_values, input_count);
  bool failed = false;
  if (!status) {
    status = run_ready(s);
    failed = status != NULL;
  }
  if (!status) status = fetch_all(s, outputs, output_values, output_count);
  int32_t done = 0;
  while (done < s->plan->node_count && s->done[done]) done++;
  leave(session, s, failed || (s->fetched_count == s->plan->fetch_count && done == s->plan->node_count));
  return status;
}

dvt_status dvt_partial_run(TF_Session *session, const char *handle, const TF_Output *inputs,
                           TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                           TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                           int target_count) {
  if (!session || !handle)
    return dvt_error(TF_INVALID_ARGUMENT, "the session or the partial run's handle is NULL");
  if (input_count < 0 || output_count < 0 || target_count < 0 ||
      (input_count && (!inputs || !input_values)) || (output_count && (!outputs || !output_values)) ||
      (target_count && !targets))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "an array of feeds, fetches or targets is NULL or its count negative");
  atomic_int *entered;
  DVT_RETURN_IF_ERROR(dvt_session_begin(session, &entered));
  dvt_status status =
      run(session, handle, inputs, input_values, input_count, outputs, output_values, output_count);
  dvt_session_leave(entered);
  return status;
}

// With the build lock, which is free while callbacks run. A call that is not inside has nobody to wake.
static dvt_partial_run_state *next_busy(dvt_partial_run_state *s) {
  while (s && (!s->busy || s->cancellers > 0 || dvt_step_is_cancelled(&s->step))) s = s->next;
  return s;
}

void dvt_partial_runs_cancel(TF_Session *session) {
  pthread_mutex_lock(&session->build_lock);
  for (dvt_partial_run_state *s; (s = next_busy(session->partial_runs)) != NULL;) {
    s->cancellers++;
    pthread_mutex_unlock(&session->build_lock);
    dvt_step_cancel(&s->step);
    pthread_mutex_lock(&session->build_lock);
    s->cancellers--;
  }
  pthread_mutex_unlock(&session->build_lock);
}

const char *dvt_partial_runs_first(TF_Session *session) {
  return session->partial_runs ? session->partial_runs->handle : NULL;
}
