// dovetail/kernel_context.h inside sessions, under both walkers: kernels that wait and are cancelled by a
// failing node, a time limit or the session's end; time, container and threads of a step; what the plan tells
// a kernel; values passed by rendezvous.
#include "dovetail/kernel_context.h"

#include "dovetail/object.h"
#include "exec/exec_test_util.h"

// ---- a kernel that runs the test's function ----

static void (*body)(TF_OpKernelContext *ctx, TF_Status *status);
static void (*async_body)(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done);

static void body_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  body(ctx, status);
  report(ctx, status);
}

static void body_compute_async(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  async_body(ctx, done);
}

static void pass(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_Tensor *x = input(ctx, 0, status);
  if (x) TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
}

static int set_up(void **state) {
  set_up_ops(state);
  register_op("TestBody", "x: float -> y: float", true);
  register_op("TestBodyTwo", "x: float -> y: float, z: float", true);
  register_op("TestBodyAsync", "x: float -> y: float", true);
  add_kernel("TestBody", NULL, body_compute, NULL);
  add_kernel("TestBodyTwo", NULL, body_compute, NULL);
  add_async_kernel("TestBodyAsync", NULL, body_compute_async, NULL);
  return 0;
}

// x -> TestBody -> y; behind an asynchronous node when `flow`, so that the dataflow walk runs it.
typedef struct setting {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
} setting;

static setting make(const char *op, bool flow, const void *config, size_t config_bytes) {
  setting s = {.graph = TF_NewGraph()};
  s.x = placeholder(s.graph, "x", TF_FLOAT);
  TF_Output in = flow ? OUT(node(s.graph, "TestAsyncNow", "before", s.x, NONE, NULL)) : s.x;
  s.y = OUT(node(s.graph, op, "body", in, NONE, NULL));
  s.session = new_session(s.graph, config, config_bytes);
  return s;
}

static void unmake(setting *s) {
  TF_CloseSession(s->session, S);
  TF_DeleteSession(s->session, S);
  TF_DeleteGraph(s->graph);
}

static void run_once(setting *s) { run_float(s->session, s->x, make_scalar(3), s->y); }

// ---- cancellation ----

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

static void test_closing_the_session_wakes_kernels(void **state) {
  (void)state;
  check_closing(false);
  check_closing(true);
}

static void run_with_limit(setting *s, int ms) {
  const char options[] = {0x10, (char)ms};  // RunOptions.timeout_in_ms
  TF_Buffer *buffer = TF_NewBufferFromString(options, sizeof options);
  TF_Tensor *value = make_scalar(3), *result = NULL;
  TF_SessionRun(s->session, buffer, &s->x, &value, 1, &s->y, &result, 1, NULL, 0, NULL, S);
  TF_DeleteTensor(value);
  TF_DeleteTensor(result);
  TF_DeleteBuffer(buffer);
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

typedef struct async_wait {
  TF_OpKernelContext *ctx;
  TF_AsyncOpKernelDoneCallback *done;
} async_wait;

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

// ---- the step and its session ----

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static int64_t before_us, limit_us;

static void look_at_the_clock(TF_OpKernelContext *ctx, TF_Status *status) {
  int64_t deadline = -1, start = TF_OpKernelContext_StartTime(ctx);
  assert_true(start >= before_us - 1000 && start <= now_us() + 1000);
  bool limited = TF_OpKernelContext_Deadline(ctx, &deadline);
  assert_int_equal(limited, limit_us > 0);
  if (limited)
    assert_true(deadline > start && deadline <= now_us() + limit_us + 1000);
  else
    assert_int_equal(deadline, -1);
  pass(ctx, status);
}

static void test_time(void **state) {
  (void)state;
  body = look_at_the_clock;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    for (int i = 0; i < 3; i++) {
      before_us = now_us();
      limit_us = 0;
      run_once(&s);
      limit_us = 120000;
      run_with_limit(&s, 120);
      if (TF_GetCode(S) != TF_DEADLINE_EXCEEDED) assert_ok();
    }
    unmake(&s);
  }
}

static char handles[2][64];
static int handle_index;

static void session_facts(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_StringView handle = TF_OpKernelContext_SessionHandle(ctx), name = {"unset", 5};
  int64_t version = -1;
  snprintf(handles[handle_index], sizeof handles[0], "%.*s", (int)handle.len, handle.data);
  if (handle_index == 0) {
    assert_false(TF_OpKernelContext_SessionMetadata(ctx, &name, &version));
    assert_int_equal(name.len, 5);
    assert_int_equal(version, -1);
  } else {
    assert_true(TF_OpKernelContext_SessionMetadata(ctx, &name, &version));
    assert_true(name.len == 5 && memcmp(name.data, "model", 5) == 0);
    assert_int_equal(version, 7);
    assert_true(TF_OpKernelContext_SessionMetadata(ctx, NULL, NULL));
  }
  pass(ctx, status);
}

static void test_session_handle_and_metadata(void **state) {
  (void)state;
  body = session_facts;
  // ConfigProto.experimental { session_metadata { name: "model" version: 7 } }
  static const char config[] = "\202\001\013\132\011\012\005model\020\007";
  setting plain = make("TestBody", false, NULL, 0),
          named = make("TestBody", false, config, sizeof config - 1);
  handle_index = 0;
  run_once(&plain);
  handle_index = 1;
  run_once(&named);
  assert_true(handles[0][0] && handles[1][0]);
  assert_string_not_equal(handles[0], handles[1]);
  unmake(&plain);
  unmake(&named);
}

static atomic_int alive;
static void die(void *value) {
  (void)value;
  atomic_fetch_sub(&alive, 1);
}
static const dvt_value_type counted = {
    .struct_size = sizeof(dvt_value_type), .name = "counted", .destroy = die};
static void *come_alive(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx, (void)arg, (void)status;
  atomic_fetch_add(&alive, 1);
  return &alive;
}

static void use_container(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_StringView name = TF_OpKernelContext_StepContainer(ctx), again = TF_OpKernelContext_StepContainer(ctx);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "__per_step_%lld", (long long)TF_GetStepId(ctx));
  assert_true(name.len == strlen(wanted) && memcmp(name.data, wanted, name.len) == 0);
  assert_ptr_equal(name.data, again.data);
  assert_int_equal(alive, 0);
  for (int i = 0; i < 2; i++) {
    TF_DeleteTensor(
        dvt_resource_handle(ctx, name.data, name.len, "r", 1, &counted, come_alive, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
  }
  assert_int_equal(alive, 1);
  pass(ctx, status);
}

static void test_step_container_ends_with_the_step(void **state) {
  (void)state;
  body = use_container;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    for (int i = 0; i < 3; i++) {
      run_once(&s);
      assert_int_equal(alive, 0);
    }
    unmake(&s);
  }
}

// ---- threads ----

static void finish_async(void *arg) {
  async_wait w = *(async_wait *)arg;
  free(arg);
  identity_compute(NULL, w.ctx);
  TF_RunAsyncOpKernelDoneCallback(w.done);
}

static void run_closure(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_Status *status = TF_NewStatus();
  async_wait *w = malloc(sizeof *w);
  *w = (async_wait){ctx, done};
  TF_OpKernelContext_Run(ctx, finish_async, w, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_DeleteStatus(status);
}

static void test_asynchronous_kernel_runs_a_closure(void **state) {
  (void)state;
  async_body = run_closure;
  setting s = make("TestBodyAsync", false, NULL, 0);
  for (int i = 0; i < 50; i++) run_once(&s);
  unmake(&s);
}

static atomic_int deferred_done;

static void finish_deferred(void *arg) {
  atomic_fetch_add(&deferred_done, 1);
  TF_DecNumDeferredOps(arg);
}

static void defer_closures(TF_OpKernelContext *ctx, TF_Status *status) {
  for (int i = 0; i < 4; i++) {
    TF_IncNumDeferredOps(ctx);
    TF_OpKernelContext_Run(ctx, finish_deferred, ctx, status);
  }
  pass(ctx, status);
}

static void test_rule_184_step_waits_for_deferred_closures(void **state) {
  (void)state;
  body = defer_closures;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    for (int i = 1; i <= 50; i++) {
      atomic_store(&deferred_done, 0);
      run_once(&s);
      assert_int_equal(deferred_done, 4);
    }
    unmake(&s);
  }
}

static pthread_t kernel_thread, closure_thread;
static void note_thread(void *arg) {
  (void)arg;
  closure_thread = pthread_self();
}

static void run_inline(TF_OpKernelContext *ctx, TF_Status *status) {
  kernel_thread = pthread_self();
  assert_true(TF_OpKernelContext_RunAllKernelsInline(ctx));
  TF_OpKernelContext_Run(ctx, note_thread, NULL, status);
  TF_OpKernelContext_Run(ctx, NULL, NULL, status);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "fn is NULL, for op 'TestBody'"));
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_closures_run_in_place_in_a_session_of_one_thread(void **state) {
  (void)state;
  static const char one_thread[] = {0x10, 1, 0x28, 1};  // intra_op, inter_op
  body = run_inline;
  setting s = make("TestBody", false, one_thread, sizeof one_thread);
  run_once(&s);
  assert_true(pthread_equal(kernel_thread, closure_thread));
  unmake(&s);
}

// ---- what the plan tells ----

static bool second_is_read;

static void set_what_is_required(TF_OpKernelContext *ctx, TF_Status *status) {
  assert_true(TF_OpKernelContext_OutputRequired(ctx, 0, status));
  assert_int_equal(TF_OpKernelContext_OutputRequired(ctx, 1, status), second_is_read);
  TF_OpKernelContext_IsExpensive(ctx);
  pass(ctx, status);
  TF_Tensor *x = input(ctx, 0, status);
  if (second_is_read) TF_SetOutput(ctx, 1, x, status);
  TF_DeleteTensor(x);
}

static void test_outputs_that_nobody_reads_are_not_required(void **state) {
  (void)state;
  body = set_what_is_required;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBodyTwo", flow, NULL, 0);
    TF_Output z = OUT1(s.y.oper), more = OUT(node(s.graph, "TestIdentity", "more", z, NONE, NULL));
    for (int i = 0; i < 8; i++) {
      second_is_read = i % 2;
      if (second_is_read)
        run_float(s.session, s.x, make_scalar(3),
                  OUT(node(s.graph, "TestAdd", (char[]){'a', (char)('0' + i), 0}, s.y, more, NULL)));
      else
        run_once(&s);
    }
    unmake(&s);
  }
}

static bool was_expensive;
static void ask_expensive(TF_OpKernelContext *ctx, TF_Status *status) {
  was_expensive = TF_OpKernelContext_IsExpensive(ctx);
  pass(ctx, status);
}

// Small nodes become known as such once a walk has measured them.
static void test_small_nodes_are_not_expensive(void **state) {
  (void)state;
  body = ask_expensive;
  setting s = make("TestBody", false, NULL, 0);
  run_once(&s);
  bool first = was_expensive;
  TF_Output many = s.y;
  for (int i = 0; i < 30; i++)
    many = OUT(node(s.graph, "TestBody", (char[]){'n', (char)('A' + i), 0}, many, NONE, NULL));
  for (int i = 0; i < 200 && (i == 0 || was_expensive); i++)
    run_float(s.session, s.x, make_scalar(3), i % 2 ? many : s.y);
  assert_true(first || !was_expensive);  // not measured, or found to be small
  unmake(&s);
}

// ---- rendezvous ----

static const char *key_text = "edge_1";
static atomic_int received;

static TF_RendezvousParsedKey make_key(void) {
  return (TF_RendezvousParsedKey){(char *)key_text, (uint32_t)strlen(key_text)};
}

static void finish_receive(void *context, TF_RendezvousDoneCallback_Params *params) {
  async_wait *w = context;
  TF_Status *status = TF_NewStatus();
  if (TF_GetCode(params->status) != TF_OK)
    TF_OpKernelContext_Failure(w->ctx, (TF_Status *)params->status);
  else
    TF_SetOutput(w->ctx, 0, params->tensor, status);
  TF_DeleteStatus(status);
  TF_AsyncOpKernelDoneCallback *done = w->done;
  free(w);
  atomic_fetch_add(&received, 1);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void receive_async(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key();
  async_wait *w = malloc(sizeof *w);
  *w = (async_wait){ctx, done};
  TF_RendezvousAsyncRecv_Params params = {.context = w, .key = &key, .on_done = {w, finish_receive}};
  thunk.async_recv_func(thunk.rendezvous, &params);
}

static void send(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key();
  TF_Tensor *value = make_scalar(42);
  TF_RendezvousSend_Params params = {.key = &key, .tensor = value, .status = status};
  thunk.send_func(thunk.rendezvous, &params);
  TF_DeleteTensor(value);
  pass(ctx, status);
}

static void test_send_meets_receive(void **state) {
  (void)state;
  body = send;
  async_body = receive_async;
  for (int sender_first = 0; sender_first < 2; sender_first++) {
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT);
    TF_Operation *sender = node(g, "TestBody", "send", x, NONE, NULL);
    TF_Output r = OUT(node(g, "TestBodyAsync", "receive", x, NONE, sender_first ? sender : NULL));
    TF_Output sum = OUT(node(g, "TestAdd", "sum", r, OUT(sender), NULL));
    TF_Session *session = new_session(g, NULL, 0);
    for (int i = 0; i < 30; i++) assert_true(run_float(session, x, make_scalar(3), sum) == 45);
    end_session(session);
    TF_DeleteGraph(g);
  }
}

static void test_receive_without_send_ends_with_the_time_limit(void **state) {
  (void)state;
  async_body = receive_async;
  setting s = make("TestBodyAsync", false, NULL, 0);
  atomic_store(&received, 0);
  run_with_limit(&s, 5);
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  assert_int_equal(received, 1);
  unmake(&s);
}

static void abort_step(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_SetStatus(status, TF_UNAVAILABLE, "the peer is gone");
  thunk.start_abort_func(thunk.rendezvous, status);
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_abort_reaches_the_receiver(void **state) {
  (void)state;
  body = abort_step;
  async_body = receive_async;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output r = OUT(node(g, "TestBodyAsync", "receive", x, NONE, NULL)),
            a = OUT(node(g, "TestBody", "abort", x, NONE, NULL)),
            sum = OUT(node(g, "TestAdd", "sum", r, a, NULL));
  TF_Session *session = new_session(g, NULL, 0);
  TF_DeleteTensor(run1(session, x, make_scalar(1), sum));
  assert_error(TF_UNAVAILABLE, "the peer is gone");
  end_session(session);
  TF_DeleteGraph(g);
}

static TF_Code answered;
static void note_answer(void *context, TF_RendezvousDoneCallback_Params *params) {
  assert_null(context);
  answered = TF_GetCode(params->status);
}

static void misuse_rendezvous(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key(), empty = {NULL, 0};
  TF_RendezvousSend_Params send_params = {.status = status};
  thunk.send_func(thunk.rendezvous, &send_params);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "no key"));
  send_params.key = &key;
  thunk.send_func(thunk.rendezvous, &send_params);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "no tensor was given to send under 'edge_1'"));
  TF_RendezvousAsyncRecv_Params receive_params = {.key = &empty, .on_done = {NULL, note_answer}};
  answered = TF_OK;
  thunk.async_recv_func(thunk.rendezvous, &receive_params);
  assert_int_equal(answered, TF_INVALID_ARGUMENT);
  receive_params.on_done.callback = NULL;
  thunk.async_recv_func(thunk.rendezvous, &receive_params);
  thunk.start_abort_func(thunk.rendezvous, NULL);
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_misuse_of_the_rendezvous_is_answered(void **state) {
  (void)state;
  body = misuse_rendezvous;
  setting s = make("TestBody", false, NULL, 0);
  run_once(&s);
  run_once(&s);  // the abort ended with its step
  unmake(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closing_the_session_wakes_kernels),
      cmocka_unit_test(test_time_limit_wakes_kernels),
      cmocka_unit_test(test_failing_node_wakes_asynchronous_kernels),
      cmocka_unit_test(test_time_limit_wakes_asynchronous_kernels),
      cmocka_unit_test(test_rule_182_what_is_registered_ends_with_the_step),
      cmocka_unit_test(test_time),
      cmocka_unit_test(test_session_handle_and_metadata),
      cmocka_unit_test(test_step_container_ends_with_the_step),
      cmocka_unit_test(test_asynchronous_kernel_runs_a_closure),
      cmocka_unit_test(test_rule_184_step_waits_for_deferred_closures),
      cmocka_unit_test(test_closures_run_in_place_in_a_session_of_one_thread),
      cmocka_unit_test(test_outputs_that_nobody_reads_are_not_required),
      cmocka_unit_test(test_small_nodes_are_not_expensive),
      cmocka_unit_test(test_send_meets_receive),
      cmocka_unit_test(test_receive_without_send_ends_with_the_time_limit),
      cmocka_unit_test(test_abort_reaches_the_receiver),
      cmocka_unit_test(test_misuse_of_the_rendezvous_is_answered),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
