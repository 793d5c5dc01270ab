// Functions that kernels call: finding them, making their bodies and plans when first called, running them
// inside the caller's step.
#include "exec/callable.h"

#include "exec/run.h"
#include "tensor/loan.h"

#define MAX_NESTED_CALLS 256  // each takes some of the thread's stack

dvt_status dvt_session_callable(TF_Session *session, dvt_str func, dvt_callable **out_callable) {
  for (dvt_callable *c = atomic_load(&session->callables); c; c = c->next)
    if (dvt_str_eq(c->func, func)) {
      *out_callable = c;
      return NULL;
    }
  dvt_callable *callable = dvt_arena_calloc(&session->arena, 1, sizeof *callable);
  if (!callable || !dvt_arena_copy_str(&session->arena, func, &callable->func))
    return dvt_error_out_of_memory(sizeof *callable + func.len);
  callable->session = session;
  callable->next = atomic_load(&session->callables);
  atomic_store(&session->callables, callable);
  *out_callable = callable;
  return NULL;
}

static dvt_status make_body(dvt_callable *callable) {
  if (callable->has_body) return NULL;
  TF_Graph *graph = callable->session->graph;
  pthread_mutex_lock(&graph->lock);
  dvt_status status = dvt_instance_of_function(callable->session, callable->func, &callable->body);
  pthread_mutex_unlock(&graph->lock);
  callable->has_body = !status;
  return status;
}

// From the body's arguments to its results.
static dvt_status make_plan(dvt_callable *callable, bool owns_feeds, dvt_plan **out_plan) {
  DVT_RETURN_IF_ERROR(make_body(callable));
  const dvt_function_body *body = &callable->body.body;
  size_t ends = (size_t)body->arg_count + (size_t)body->ret_count + 1;
  TF_Output *feeds = dvt_calloc(ends, sizeof *feeds), *fetches = feeds + body->arg_count;
  if (!feeds) return dvt_error_out_of_memory(ends * sizeof *feeds);
  for (int32_t i = 0; i < body->arg_count; i++) feeds[i] = (TF_Output){body->args[i], 0};
  for (int32_t i = 0; i < body->ret_count; i++)
    fetches[i] = (TF_Output){body->rets[i]->inputs[0].node, body->rets[i]->inputs[0].index};
  dvt_status status = dvt_plan_make(callable->session, &callable->body, owns_feeds, feeds, body->arg_count,
                                    fetches, body->ret_count, NULL, 0, out_plan);
  dvt_free(feeds);
  return status;
}

static dvt_status get_plan(dvt_callable *callable, bool owns_feeds, dvt_plan **out_plan) {
  _Atomic(dvt_plan *) *kept = &callable->plans[owns_feeds];
  *out_plan = atomic_load_explicit(kept, memory_order_acquire);
  if (DVT_LIKELY(*out_plan != NULL)) return NULL;
  dvt_status status = NULL;
  pthread_mutex_lock(&callable->session->build_lock);
  *out_plan = atomic_load(kept);
  if (!*out_plan) {
    status = make_plan(callable, owns_feeds, out_plan);
    if (!status) atomic_store_explicit(kept, *out_plan, memory_order_release);
  }
  pthread_mutex_unlock(&callable->session->build_lock);
  return status;
}

static dvt_status wrong_counts(const dvt_callable *callable, int arg_count, int result_count) {
  const dvt_function_body *body = &callable->body.body;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "function '" DVT_STR_FMT
                   "' takes %d arguments and returns %d values; it was called with %d and "
                   "asked for %d",
                   DVT_STR_ARG(callable->body.function), body->arg_count, body->ret_count, arg_count,
                   result_count);
}

static dvt_status check_step(dvt_callable *callable, dvt_step *caller) {
  DVT_RETURN_IF_ERROR(dvt_step_check(caller, callable->session));
  if (DVT_UNLIKELY(dvt_step_is_cancelled(caller)))
    return dvt_error(TF_CANCELLED, "the step was stopped, because another of its nodes failed");
  if (DVT_UNLIKELY(caller->depth >= MAX_NESTED_CALLS))
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "functions call each other more than %d deep, at '" DVT_STR_FMT "'", MAX_NESTED_CALLS,
                     DVT_STR_ARG(callable->body.function));
  return NULL;
}

static dvt_status call(dvt_callable *callable, bool owns_args, dvt_run *run, int arg_count,
                       int result_count) {
  DVT_RETURN_IF_ERROR(check_step(callable, run->caller));
  DVT_RETURN_IF_ERROR(get_plan(callable, owns_args, &run->plan));
  if (DVT_UNLIKELY(arg_count != run->plan->feed_count || result_count != run->plan->fetch_count))
    return wrong_counts(callable, arg_count, result_count);
  for (int i = 0; i < arg_count; i++) {
    DVT_RETURN_IF_ERROR(dvt_plan_check_feed(run->plan, i, run->feeds[i]));
    if (owns_args) DVT_RETURN_IF_ERROR(dvt_tensor_handle_own(run->feeds[i]));
  }
  return dvt_plan_run(run);
}

dvt_status dvt_callable_call(dvt_callable *callable, dvt_callable_args mode, dvt_step *caller,
                             TF_Tensor **args, int arg_count, TF_Tensor **results, int result_count) {
  bool owns_args = mode == DVT_CALLABLE_GIVE_ARGS;
  dvt_run run = {.feeds = args,
                 .fetched = results,
                 .caller = caller,
                 .profile = caller->profile,
                 .step_id = caller->id,
                 .deadline_ns = caller->deadline_ns,
                 .in_caller = caller->in_caller};
  dvt_status status = call(callable, owns_args, &run, arg_count, result_count);
  for (int i = 0; i < arg_count && owns_args; i++) {
    dvt_tensor_handle_delete(args[i]);
    args[i] = NULL;
  }
  return status;
}

void dvt_callables_cancel(TF_Session *session) {
  for (dvt_callable *c = atomic_load(&session->callables); c; c = c->next)
    for (size_t i = 0; i < DVT_COUNT_OF(c->plans); i++) {
      dvt_plan *plan = atomic_load(&c->plans[i]);
      if (!plan) continue;
      dvt_array_cancel(plan);
      dvt_flow_cancel(plan);
    }
}

void dvt_callables_deinit(TF_Session *session) {
  for (dvt_callable *c = atomic_load(&session->callables); c; c = c->next) {
    for (size_t i = 0; i < DVT_COUNT_OF(c->plans); i++) {
      dvt_plan *plan = atomic_load(&c->plans[i]);
      if (plan) dvt_plan_destroy(plan);
    }
    if (c->has_body) dvt_instance_deinit(&c->body);
  }
}
