// Cancellation inside sessions, under both walkers: kernels that wait are woken by a failing node, a time
// limit, the end of the session and that of the step that called their function. The mechanism by itself is
// tested in kernel/cancel_test.c.
#include "capi/context_session_test_util.h"
#include "dovetail/function.h"

typedef struct waiter {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_woken;
} waiter;

static void wake(void *arg) {
  waiter *w = arg;
  pthread_mutex_lock(&w->lock);
  w->is_woken = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static atomic_int waiting, wake_ups;

// Waits for the end of the step, as a kernel that takes from an empty queue does.
static void wait_for_ever(TF_OpKernelContext *ctx, TF_Status *status) {
  waiter w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  int64_t token = TF_OpKernelContext_RegisterCancellation(ctx, wake, &w, status);
  atomic_fetch_add(&waiting, 1);
  if (token) {
    pthread_mutex_lock(&w.lock);
    while (!w.is_woken) pthread_cond_wait(&w.changed, &w.lock);
    pthread_mutex_unlock(&w.lock);
    assert_true(TF_OpKernelContext_IsCancelled(ctx));
    assert_false(TF_OpKernelContext_DeregisterCancellation(ctx, token));
    TF_SetStatus(status, TF_CANCELLED, "woken");
  }
  atomic_fetch_add(&wake_ups, 1);
}

static void *close_when_waiting(void *arg) {
  TF_Status *status = TF_NewStatus();
  while (atomic_load(&waiting) == 0) sched_yield();
  TF_CloseSession(arg, status);
  TF_DeleteStatus(status);
  return NULL;
}

static void check_closing(bool flow) {
  setting s = make("TestBody", flow, NULL, 0);
  pthread_t closer;
  body = wait_for_ever;
  atomic_store(&waiting, 0);
  pthread_create(&closer, NULL, close_when_waiting, s.session);
  TF_DeleteTensor(run1(s.session, s.x, make_scalar(3), s.y));
  assert_error(TF_CANCELLED, "the session was closed");
  pthread_join(closer, NULL);
  unmake(&s);
}

// A partial run is woken, too: the call that is inside fails.
static void test_closing_the_session_wakes_partial_runs(void **state) {
  (void)state;
  setting s = make("TestBody", false, NULL, 0);
  pthread_t closer;
  const char *handle = NULL;
  body = wait_for_ever;
  atomic_store(&waiting, 0);
  TF_SessionPRunSetup(s.session, &s.x, 1, &s.y, 1, NULL, 0, &handle, S);
  assert_ok();
  pthread_create(&closer, NULL, close_when_waiting, s.session);
  TF_Tensor *value = make_scalar(3), *result = NULL;
  TF_SessionPRun(s.session, handle, &s.x, &value, 1, &s.y, &result, 1, NULL, 0, S);
  assert_error(TF_CANCELLED, "woken");
  assert_null(result);
  pthread_join(closer, NULL);
  TF_DeleteTensor(value);
  TF_DeletePRunHandle(handle);
  unmake(&s);
}

// What a callback does may need locks of the host: here it makes and ends a session.
static atomic_int sessions_made;
static void make_a_session(void *arg) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(arg, options, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  atomic_fetch_add(&sessions_made, 1);
}

static TF_Graph *graph_for_callback;
static void wait_and_make_a_session(TF_OpKernelContext *ctx, TF_Status *status) {
  int64_t token = TF_OpKernelContext_RegisterCancellation(ctx, make_a_session, graph_for_callback, status);
  wait_for_ever(ctx, status);
  TF_OpKernelContext_DeregisterCancellation(ctx, token);
}

static void test_callbacks_hold_no_lock_of_the_host(void **state) {
  (void)state;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    pthread_t closer;
    graph_for_callback = s.graph;
    body = wait_and_make_a_session;
    atomic_store(&waiting, 0);
    atomic_store(&sessions_made, 0);
    pthread_create(&closer, NULL, close_when_waiting, s.session);
    TF_DeleteTensor(run1(s.session, s.x, make_scalar(3), s.y));
    assert_error(TF_CANCELLED, "the session was closed");
    pthread_join(closer, NULL);
    assert_int_equal(sessions_made, 1);
    unmake(&s);
  }
}

static void test_closing_the_session_wakes_kernels(void **state) {
  (void)state;
  check_closing(false);
  check_closing(true);
}

static void check_limit(bool flow) {
  setting s = make("TestBody", flow, NULL, 0);
  body = wait_for_ever;
  for (int i = 0; i < 3; i++) {
    run_with_limit(&s, 5);
    assert_error(TF_DEADLINE_EXCEEDED, "longer than its time limit");
  }
  body = pass;
  run_once(&s);  // the next step is not cancelled
  unmake(&s);
}

static void test_time_limit_wakes_kernels(void **state) {
  (void)state;
  check_limit(false);
  check_limit(true);
}

static void finish_from_callback(void *arg) {
  async_wait w = *(async_wait *)arg;
  TF_Status *status = TF_NewStatus();
  free(arg);
  TF_SetStatus(status, TF_CANCELLED, "woken");
  report(w.ctx, status);
  atomic_fetch_add(&wake_ups, 1);
  TF_RunAsyncOpKernelDoneCallback(w.done);
}

static void wait_async(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_Status *status = TF_NewStatus();
  async_wait *w = malloc(sizeof *w);
  *w = (async_wait){ctx, done};
  bool registered = TF_OpKernelContext_RegisterCancellation(ctx, finish_from_callback, w, status) != 0;
  atomic_fetch_add(&waiting, 1);
  if (registered) {
    TF_DeleteStatus(status);
    return;
  }
  free(w);
  report(ctx, status);
  atomic_fetch_add(&wake_ups, 1);
  TF_RunAsyncOpKernelDoneCallback(done);
}

// The kernels that wait finish in the callback, in the thread that runs the node that failed.
static void test_failing_node_wakes_asynchronous_kernels(void **state) {
  (void)state;
  async_body = wait_async;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output a = OUT(node(g, "TestBodyAsync", "a", x, NONE, NULL)),
            b = OUT(node(g, "TestBodyAsync", "b", x, NONE, NULL));
  TF_Output bad = OUT(node(g, "TestFail", "bad", x, NONE, NULL));
  TF_Output sum = OUT(node(g, "TestAdd", "sum", a, b, NULL)),
            all = OUT(node(g, "TestAdd", "all", sum, bad, NULL));
  TF_Session *session = new_session(g, NULL, 0);
  for (int i = 0; i < 20; i++) {
    atomic_store(&waiting, 0);
    atomic_store(&wake_ups, 0);
    TF_DeleteTensor(run1(session, x, make_scalar(1), all));
    assert_error(TF_FAILED_PRECONDITION, "the test asked for it");
    assert_int_equal(wake_ups, waiting);
  }
  end_session(session);
  TF_DeleteGraph(g);
}

static void test_time_limit_wakes_asynchronous_kernels(void **state) {
  (void)state;
  async_body = wait_async;
  setting s = make("TestBodyAsync", false, NULL, 0);
  for (int i = 0; i < 3; i++) {
    run_with_limit(&s, 5);
    assert_error(TF_DEADLINE_EXCEEDED, "longer than its time limit");
  }
  unmake(&s);
}

static void forget_to_deregister(TF_OpKernelContext *ctx, TF_Status *status) {
  assert_true(TF_OpKernelContext_RegisterCancellation(ctx, (void (*)(void *))free, malloc(10), status) > 0);
  assert_false(TF_OpKernelContext_IsCancelled(ctx));
  int64_t token = TF_OpKernelContext_RegisterCancellation(ctx, wake, NULL, status);
  assert_true(TF_OpKernelContext_TryDeregisterCancellation(ctx, token));
  assert_false(TF_OpKernelContext_TryDeregisterCancellation(ctx, token));
  assert_false(TF_OpKernelContext_DeregisterCancellation(ctx, 0));
  assert_int_equal(TF_OpKernelContext_RegisterCancellation(ctx, NULL, NULL, status), 0);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "callback is NULL, for op 'TestBody'\n\t [[{{node body}}]]"));
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_rule_182_what_is_registered_ends_with_the_step(void **state) {
  (void)state;
  body = forget_to_deregister;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    for (int i = 0; i < 3; i++) run_once(&s);
    unmake(&s);
  }
}

// ---- functions that kernels call ----

static void *find_function(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  const dvt_callable *callable = dvt_callable_find(ctx, "f", 0, status);
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return (void *)callable;
}

static void run_function(void *state, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = input(ctx, 0, status), *y = NULL;
  dvt_callable_run(ctx, state, DVT_CALLABLE_KEEP_ARGS, &x, 1, &y, 1, status);
  if (y) TF_SetOutput(ctx, 0, y, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  report(ctx, status);
}

// A kernel of a function that waits is woken with the step whose kernel called the function.
static void test_called_function_is_cancelled_with_its_step(void **state) {
  (void)state;
  body = wait_for_ever;
  register_op("TestRunFunction", "x: float -> y: float | f: func", true);
  add_kernel("TestRunFunction", find_function, run_function, NULL);
  TF_Graph *function = TF_NewGraph(), *g = TF_NewGraph();
  TF_Output a = placeholder(function, "a", TF_FLOAT), b = OUT(node(function, "TestBody", "b", a, NONE, NULL));
  add_function(g, "Waits", function, 1, &a, 1, &b, 0, NULL, NULL);
  setting s = {.graph = g, .x = placeholder(g, "x", TF_FLOAT)};
  TF_OperationDescription *d = TF_NewOperation(g, "TestRunFunction", "call");
  TF_AddInput(d, s.x);
  TF_SetAttrFuncName(d, "f", "Waits", 5);
  s.y = OUT(finish(d));
  s.session = new_session(g, NULL, 0);
  for (int i = 0; i < 3; i++) {
    run_with_limit(&s, 5);
    assert_error(TF_DEADLINE_EXCEEDED, "longer than its time limit");
  }
  body = pass;
  run_once(&s);
  pthread_t closer;
  body = wait_for_ever;
  atomic_store(&waiting, 0);
  pthread_create(&closer, NULL, close_when_waiting, s.session);
  TF_DeleteTensor(run1(s.session, s.x, make_scalar(3), s.y));
  assert_error(TF_CANCELLED, "the session was closed");
  pthread_join(closer, NULL);
  unmake(&s);
  TF_DeleteGraph(function);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closing_the_session_wakes_kernels),
      cmocka_unit_test(test_closing_the_session_wakes_partial_runs),
      cmocka_unit_test(test_callbacks_hold_no_lock_of_the_host),
      cmocka_unit_test(test_time_limit_wakes_kernels),
      cmocka_unit_test(test_failing_node_wakes_asynchronous_kernels),
      cmocka_unit_test(test_time_limit_wakes_asynchronous_kernels),
      cmocka_unit_test(test_rule_182_what_is_registered_ends_with_the_step),
      cmocka_unit_test(test_called_function_is_cancelled_with_its_step),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
