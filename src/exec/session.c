// The session itself: creation, the cache of plans, running a step, closing.
#include "exec/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/handles.h"
#include "device/pool.h"
#include "exec/callable.h"
#include "exec/partial_run.h"
#include "exec/run.h"
#include "exec/session_list.h"
#include "tensor/tensor_proto.h"

// The pool of the session: the process's own unless the options ask for another number of threads.
static dvt_status choose_pool(TF_Session *session) {
  const dvt_session_config *config = &session->config;
  int threads = DVT_MAX(config->intra_op_threads, config->inter_op_threads);
  if (config->intra_op_threads == 1 && config->inter_op_threads <= 1) threads = 1;
  session->inter_op_threads = 1;
  if (threads == 1) return NULL;
  session->pool = dvt_pool_default();
  if (!session->pool) return dvt_error_out_of_memory(sizeof(void *));
  if (threads > 1 && threads != dvt_pool_threads(session->pool)) {
    DVT_RETURN_IF_ERROR(dvt_pool_create(threads, &session->own_pool));
    session->pool = session->own_pool;
  }
  int available = dvt_pool_threads(session->pool), wanted = config->inter_op_threads;
  if (!config->single_threaded)
    session->inter_op_threads = wanted > 0 ? DVT_MIN(wanted, available) : available;
  return NULL;
}

static dvt_status configure(TF_Session *session, const TF_SessionOptions *options) {
  session->device = dvt_device_cpu();
  DVT_RETURN_IF_ERROR(dvt_session_config_parse(options ? options->config : (dvt_str){0}, &session->config));
  DVT_RETURN_IF_ERROR(dvt_session_config_limit(dvt_str_from(getenv("DOVETAIL_OPTIMIZE")), &session->config));
  if (options && options->config.len) {
    session->config_proto.data = dvt_strndup(options->config);
    if (!session->config_proto.data) return dvt_error_out_of_memory(options->config.len);
    session->config_proto.len = options->config.len;
  }
  DVT_RETURN_IF_ERROR(choose_pool(session));
  return dvt_resource_manager_create(&session->resources);
}

static dvt_status check_target(const TF_SessionOptions *options) {
  dvt_str target = dvt_str_from(options ? options->target : NULL);
  if (target.len == 0 || dvt_str_is(target, "local")) return NULL;
  return dvt_error(TF_NOT_FOUND,
                   "No session factory registered for target '" DVT_STR_FMT
                   "': graphs run in this process only; leave the target empty",
                   DVT_STR_ARG(target));
}

// Sessions in the process: when the last goes, no kernel is left that might still delete a handle.
static atomic_int session_count;

static void session_free(TF_Session *session) {
  dvt_session_list_remove(session);
  dvt_partial_runs_deinit(session);
  for (size_t i = 0; i < DVT_PLAN_BUCKETS; i++) {
    dvt_plan *plan = atomic_load(&session->buckets[i]);
    while (plan) {
      dvt_plan *next = plan->next;
      dvt_plan_destroy(plan);
      plan = next;
    }
  }
  dvt_callables_deinit(session);
  dvt_instances_deinit(session);
  dvt_resource_manager_destroy(session->resources);
  // A kernel given up may report in one of the pool's own threads, which cannot wait for itself.
  if (session->own_pool && dvt_pool_worker_index(session->own_pool) == 0) dvt_pool_destroy(session->own_pool);
  dvt_arena_deinit(&session->arena);
  dvt_graph_release(session->graph);
  dvt_free((char *)session->config_proto.data);
  pthread_mutex_destroy(&session->build_lock);
  dvt_session_list_ended(session);
  dvt_free(session);
  if (atomic_fetch_sub(&session_count, 1) == 1) dvt_leaks_report();
}

void dvt_session_unref(TF_Session *session) {
  if (atomic_fetch_sub_explicit(&session->refs, 1, memory_order_acq_rel) == 1) session_free(session);
}

static void name_session(TF_Session *session) {
  static atomic_llong last;
  snprintf(session->handle, sizeof session->handle, "session_%lld",
           (long long)atomic_fetch_add(&last, 1) + 1);
}

dvt_status dvt_session_create(TF_Graph *graph, const TF_SessionOptions *options, TF_Session **out_session) {
  if (!graph) return dvt_error(TF_INVALID_ARGUMENT, "a session needs a graph, got NULL");
  DVT_RETURN_IF_ERROR(check_target(options));
  TF_Session *session = dvt_aligned_alloc(_Alignof(TF_Session), sizeof *session);
  if (!session) return dvt_error_out_of_memory(sizeof *session);
  memset(session, 0, sizeof *session);
  atomic_init(&session->refs, 1);
  atomic_fetch_add(&session_count, 1);
  pthread_mutex_init(&session->build_lock, NULL);
  session->graph = dvt_graph_retain(graph);
  session->root = (dvt_instance){.graph = graph, .control_flow = -1};
  name_session(session);
  dvt_status status = configure(session, options);
  if (status) {
    session_free(session);
    return status;
  }
  dvt_session_list_add(session);
  dvt_handle_made(session, DVT_HANDLE_SESSION);
  *out_session = session;
  return NULL;
}

TF_Graph *dvt_session_graph(const TF_Session *session) { return session->graph; }
dvt_resource_manager *dvt_session_resources(const TF_Session *session) { return session->resources; }
dvt_str dvt_session_config_proto(const TF_Session *session) { return session->config_proto; }

dvt_status dvt_session_function_library(const TF_Session *session, dvt_buf *out) {
  TF_Graph *graph = session->graph;
  pthread_mutex_lock(&graph->lock);
  dvt_function_library_to_proto(graph->functions, out);
  pthread_mutex_unlock(&graph->lock);
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}

dvt_status dvt_session_variable(const TF_Session *session, dvt_str container, dvt_str name, TF_Tensor *out) {
  dvt_object *object;
  DVT_RETURN_IF_ERROR(
      dvt_resource_lookup(session->resources, container, name, &dvt_variable_type, NULL, NULL, &object));
  dvt_status status = dvt_variable_read((dvt_variable *)object, out);
  dvt_object_release(object);
  return status;
}

// Plans are added at the head of a bucket, and dropped only with the list's lock.
void dvt_session_close(TF_Session *session) {
  atomic_fetch_or(&session->gate, DVT_GATE_CLOSED);
  dvt_session_begin_closing(session);
  for (size_t i = 0; i < DVT_PLAN_BUCKETS; i++)
    for (dvt_plan *plan = atomic_load(&session->buckets[i]); plan; plan = plan->next) {
      dvt_array_cancel(plan);
      dvt_flow_cancel(plan);
    }
  dvt_callables_cancel(session);
  dvt_partial_runs_cancel(session);
  dvt_session_end_closing(session);
}

bool dvt_session_is_active(TF_Session *session) {
  for (size_t i = 0; i <= DVT_TASK_LANE; i++)
    if (atomic_load(&session->active[i].count) > 0) return true;
  return false;
}

void dvt_session_destroy(TF_Session *session) {
  if (!session) return;
  dvt_session_close(session);
  // A step that began before the session was closed ends soon; nothing is left behind by its last
  // instruction, so this looks rather than being told.
  while (atomic_load(&session->parked) > 0 || dvt_session_is_active(session))
    nanosleep(&(struct timespec){0, 50000}, NULL);
  atomic_store(&session->is_released, true);
  dvt_session_unref(session);
}

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 32);
}

static uint64_t hash_key(const TF_Output *feeds, int feed_count, const TF_Output *fetches, int fetch_count,
                         const TF_Operation *const *targets, int target_count) {
  uint64_t h = mix((uint64_t)feed_count, (uint64_t)fetch_count);
  for (int i = 0; i < feed_count; i++)
    h = mix(h, (uintptr_t)feeds[i].oper + (uint64_t)(unsigned)feeds[i].index);
  for (int i = 0; i < fetch_count; i++)
    h = mix(h, (uintptr_t)fetches[i].oper + (uint64_t)(unsigned)fetches[i].index);
  for (int i = 0; i < target_count; i++) h = mix(h, (uintptr_t)targets[i]);
  return h;
}

static bool outputs_equal(const TF_Output *a, const TF_Output *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].oper != b[i].oper || a[i].index != b[i].index) return false;
  return true;
}

static dvt_plan *find_plan(TF_Session *session, uint64_t hash, const TF_Output *feeds, int feed_count,
                           const TF_Output *fetches, int fetch_count, const TF_Operation *const *targets,
                           int target_count) {
  dvt_plan *plan = atomic_load_explicit(&session->buckets[hash % DVT_PLAN_BUCKETS], memory_order_acquire);
  for (; plan; plan = plan->next) {
    if (plan->hash != hash || plan->feed_count != feed_count || plan->fetch_count != fetch_count ||
        plan->target_count != target_count)
      continue;
    bool same = outputs_equal(plan->feed_keys, feeds, feed_count) &&
                outputs_equal(plan->fetch_keys, fetches, fetch_count);
    for (int i = 0; same && i < target_count; i++) same = plan->target_keys[i] == targets[i];
    if (same) return plan;
  }
  return NULL;
}

dvt_status dvt_plan_get(TF_Session *session, const TF_Output *feeds, int feed_count, const TF_Output *fetches,
                        int fetch_count, const TF_Operation *const *targets, int target_count,
                        dvt_plan **out_plan) {
  dvt_session_look_at_changes(session);
  uint64_t hash = hash_key(feeds, feed_count, fetches, fetch_count, targets, target_count);
  *out_plan = find_plan(session, hash, feeds, feed_count, fetches, fetch_count, targets, target_count);
  if (DVT_LIKELY(*out_plan != NULL)) return NULL;
  dvt_status status = NULL;
  pthread_mutex_lock(&session->build_lock);
  *out_plan = find_plan(session, hash, feeds, feed_count, fetches, fetch_count, targets, target_count);
  if (!*out_plan) {
    status = dvt_plan_make(session, &session->root, false, feeds, feed_count, fetches, fetch_count, targets,
                           target_count, out_plan);
    if (!status) {
      dvt_plan *plan = *out_plan;
      _Atomic(dvt_plan *) *bucket = &session->buckets[hash % DVT_PLAN_BUCKETS];
      plan->hash = hash;
      plan->next = atomic_load(bucket);
      atomic_store_explicit(bucket, plan, memory_order_release);
    }
  }
  pthread_mutex_unlock(&session->build_lock);
  return status;
}

static dvt_status check_arguments(const TF_Output *inputs, TF_Tensor *const *input_values, int input_count,
                                  const TF_Output *outputs, TF_Tensor **output_values, int output_count,
                                  const TF_Operation *const *targets, int target_count) {
  if (DVT_UNLIKELY(input_count < 0 || output_count < 0 || target_count < 0))
    return dvt_error(TF_INVALID_ARGUMENT, "negative number of feeds (%d), fetches (%d) or targets (%d)",
                     input_count, output_count, target_count);
  if (DVT_UNLIKELY((input_count > 0 && (!inputs || !input_values)) ||
                   (output_count > 0 && (!outputs || !output_values)) || (target_count > 0 && !targets)))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "an array of feeds, fetches or targets is NULL although its count is not 0");
  if (DVT_UNLIKELY(output_count == 0 && target_count == 0))
    return dvt_error(TF_INVALID_ARGUMENT, "nothing to run: neither a fetch nor a target is given");
  return NULL;
}

static dvt_status DVT_COLD wrong_feed(const dvt_plan *plan, int i, const TF_Tensor *value) {
  const TF_Output *key = &plan->feed_keys[i];
  const dvt_plan_feed *feed = &plan->feeds[i];
  dvt_buf got = {0}, wanted = {0};
  dvt_tensor_describe(value, 0, &got);
  dvt_shape_describe(feed->dims, feed->rank, &wanted);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "the value fed for '" DVT_STR_FMT ":%d' is " DVT_STR_FMT
                                ", but that tensor is a %s of shape " DVT_STR_FMT,
                                DVT_STR_ARG(key->oper->def.name), key->index, DVT_STR_ARG(dvt_buf_str(&got)),
                                dvt_dtype_name(feed->dtype), DVT_STR_ARG(dvt_buf_str(&wanted)));
  dvt_buf_deinit(&got);
  dvt_buf_deinit(&wanted);
  return status;
}

static bool shape_fits(const dvt_plan_feed *feed, const TF_Tensor *value) {
  const int64_t *dims = dvt_tensor_dims(value);
  if (value->rank != feed->rank) return false;
  for (int32_t k = 0; k < feed->rank; k++)
    if (feed->dims[k] >= 0 && feed->dims[k] != dims[k]) return false;
  return true;
}

dvt_status dvt_plan_check_feed(const dvt_plan *plan, int i, const TF_Tensor *value) {
  const dvt_plan_feed *feed = &plan->feeds[i];
  if (DVT_UNLIKELY(!value || dvt_tensor_is_empty(value)))
    return dvt_error(TF_INVALID_ARGUMENT, "the value fed for '" DVT_STR_FMT ":%d' is NULL",
                     DVT_STR_ARG(plan->feed_keys[i].oper->def.name), plan->feed_keys[i].index);
  if (DVT_UNLIKELY(value->dtype != feed->dtype || (feed->rank >= 0 && !shape_fits(feed, value))))
    return wrong_feed(plan, i, value);
  return dvt_tensor_check_size(value);
}

dvt_status dvt_plan_run(dvt_run *run) {
  dvt_plan *plan = run->plan;
  bool flow = dvt_choose_flow(plan, run, &run->measure);
  run->measure &= !run->profile;  // a traced step takes longer
  int64_t start = run->measure ? dvt_now_ns() : 0;
  dvt_status status = flow ? dvt_flow_run(run) : dvt_array_run(run);
  if (run->measure && !status) dvt_choose_learn(plan, flow, dvt_now_ns() - start);
  return status;
}

// RunMetadata tells of a step that failed, too: of what ran until then.
static dvt_status write_metadata(const dvt_run *run, const dvt_run_options *options, dvt_status status,
                                 dvt_buf *run_metadata) {
  if (options->trace) dvt_profile_to_run_metadata(run->profile, run_metadata);
  if (!run_metadata->failed || status) return status;
  for (int32_t i = 0; i < run->plan->fetch_count; i++) {
    dvt_tensor_handle_delete(run->fetched[i]);
    run->fetched[i] = NULL;
  }
  return dvt_error_out_of_memory(run_metadata->len);
}

// With a profile; `run` is ready but for it.
static dvt_status run_profiled(dvt_run *run, const dvt_run_options *options, dvt_buf *run_metadata) {
  run->profile = options->profile ? dvt_profile_retain(options->profile) : dvt_profile_new();
  if (!run->profile) return dvt_error_out_of_memory(sizeof *run->profile);
  dvt_profile_begin(run->profile, run->plan, run->feeds);
  dvt_status status = dvt_plan_run(run);
  dvt_profile_end(run->profile, status != NULL);
  if (run_metadata) status = write_metadata(run, options, status, run_metadata);
  dvt_profile_release(run->profile);
  return status;
}

static dvt_status run_step(TF_Session *session, const dvt_run_options *options, dvt_run *run,
                           dvt_buf *run_metadata) {
  for (int32_t i = 0; i < run->plan->feed_count; i++)
    DVT_RETURN_IF_ERROR(dvt_plan_check_feed(run->plan, i, run->feeds[i]));
  run->step_id = atomic_fetch_add_explicit(&session->step_count, 1, memory_order_relaxed) + 1;
  int64_t timeout_ms = options && options->timeout_ms > 0 ? options->timeout_ms : session->config.timeout_ms;
  if (DVT_UNLIKELY(timeout_ms > 0))
    run->deadline_ns = dvt_now_ns() + DVT_MIN(timeout_ms, INT64_MAX / 4000000) * 1000000;
  run->in_caller = session->inter_op_threads == 1 || (options && options->inter_op_thread_pool == -1);
  if (DVT_UNLIKELY(options && (options->profile || (options->trace && run_metadata))))
    return run_profiled(run, options, run_metadata);
  return dvt_plan_run(run);
}

static dvt_status run_checked(TF_Session *session, const dvt_run_options *options, const TF_Output *inputs,
                              TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                              TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                              int target_count, dvt_buf *run_metadata) {
  dvt_run run = {.feeds = input_values, .fetched = output_values};
  DVT_RETURN_IF_ERROR(
      dvt_plan_get(session, inputs, input_count, outputs, output_count, targets, target_count, &run.plan));
  return run_step(session, options, &run, run_metadata);
}

dvt_status dvt_session_run(TF_Session *session, const dvt_run_options *options, const TF_Output *inputs,
                           TF_Tensor *const *input_values, int input_count, const TF_Output *outputs,
                           TF_Tensor **output_values, int output_count, const TF_Operation *const *targets,
                           int target_count, dvt_buf *run_metadata) {
  if (DVT_UNLIKELY(!session)) return dvt_error(TF_INVALID_ARGUMENT, "the session to run is NULL");
  DVT_RETURN_IF_ERROR(check_arguments(inputs, input_values, input_count, outputs, output_values, output_count,
                                      targets, target_count));
  atomic_int *entered;
  DVT_RETURN_IF_ERROR(dvt_session_begin(session, &entered));
  dvt_status status = run_checked(session, options, inputs, input_values, input_count, outputs, output_values,
                                  output_count, targets, target_count, run_metadata);
  dvt_session_leave(entered);
  return status;
}
