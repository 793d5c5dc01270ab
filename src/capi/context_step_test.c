// dovetail/kernel_context.h inside sessions, under both walkers: time, container and threads of a step, and
// what the plan tells a kernel. Cancellation and the rendezvous have tests of their own.
#include "capi/context_session_test_util.h"
#include "dovetail/object.h"
#include "tensorflow/c/kernels_experimental.h"

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

static void fail_and_look(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_OpKernelContext_GetStatus(ctx, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_SetStatus(status, TF_DATA_LOSS, "the first");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelContext_GetStatus(ctx, status);
  assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
}

static void test_failure_so_far(void **state) {
  (void)state;
  body = fail_and_look;
  setting s = make("TestBody", false, NULL, 0);
  assert_null(run1(s.session, s.x, make_scalar(1), s.y));
  assert_error(TF_DATA_LOSS, "the first");
  unmake(&s);
}

// ---- rules of stock ----

static atomic_int async_has_ended;

static void end_late(void *arg) {
  for (int i = 0; i < 100; i++) sched_yield();
  atomic_store(&async_has_ended, true);
  finish_async(arg);
}

static void run_late(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_Status *status = TF_NewStatus();
  async_wait *w = malloc(sizeof *w);
  *w = (async_wait){ctx, done};
  TF_OpKernelContext_Run(ctx, end_late, w, status);
  TF_DeleteStatus(status);
}

static void test_rule_181_callers_block_until_done(void **state) {
  (void)state;
  async_body = run_late;
  setting s = make("TestBodyAsync", false, NULL, 0);
  for (int i = 0; i < 20; i++) {
    atomic_store(&async_has_ended, false);
    run_once(&s);
    assert_true(atomic_load(&async_has_ended));
  }
  unmake(&s);
}

// Where stock's helpers end the process in an asynchronous kernel, the step gets the error.
static void assign_to_no_variable(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_Status *status = TF_NewStatus();
  TF_AssignVariable(ctx, 0, 0, true, NULL, status);
  TF_DeleteStatus(status);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void test_rule_183_helpers_work_in_asynchronous_kernels(void **state) {
  (void)state;
  async_body = assign_to_no_variable;
  setting s = make("TestBodyAsync", false, NULL, 0);
  assert_null(run1(s.session, s.x, make_scalar(1), s.y));
  assert_error(TF_INVALID_ARGUMENT, "{{node body}}");
  unmake(&s);
}

static atomic_int bodies;
static void count_and_pass(TF_OpKernelContext *ctx, TF_Status *status) {
  atomic_fetch_add(&bodies, 1);
  pass(ctx, status);
}

static int calls_of_two(const char *op) {
  body = count_and_pass;
  atomic_store(&bodies, 0);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node(g, op, "a", x, NONE, NULL)),
            b = OUT(node(g, op, "b", x, NONE, NULL)), sum = OUT(node(g, "TestAdd", "sum", a, b, NULL));
  TF_Session *session = new_session(g, NULL, 0);
  assert_true(run_float(session, x, make_scalar(2), sum) == 4);
  end_session(session);
  TF_DeleteGraph(g);
  return atomic_load(&bodies);
}

static void test_rule_186_only_stateless_nodes_are_merged(void **state) {
  (void)state;
  register_op("TestBodyPure", "x: float -> y: float", false);
  add_kernel("TestBodyPure", NULL, body_compute, NULL);
  assert_int_equal(calls_of_two("TestBodyPure"), 1);
  assert_int_equal(calls_of_two("TestBody"), 2);
}

// ---- alignment ----

static int misaligned;

static void look_at_alignment(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_Tensor *x = input(ctx, 0, status), *y = NULL;
  if ((uintptr_t)TF_TensorData(x) % 64) misaligned++;
  assert_true(first_of(x) == 3);
  y = output(ctx, 0, TF_FLOAT, NULL, 0, status);  // no view of the input
  *(float *)TF_TensorData(y) = 3;
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
}

static void leave(void *data, size_t len, void *arg) {
  (void)data;
  (void)len;
  (void)arg;
}

// The first node gets what the user fed, from memory that no vector instruction could read; the second what
// the runtime made.
static void test_rule_143_inputs_are_aligned(void **state) {
  (void)state;
  static _Alignas(64) float memory[32];
  memory[1] = 3;
  for (int flow = 0; flow < 2; flow++) {
    body = look_at_alignment;
    misaligned = 0;
    setting s = make("TestBody", flow, NULL, 0);
    TF_Output second = OUT(node(s.graph, "TestBody", "second", s.y, NONE, NULL));
    TF_Tensor *x = TF_NewTensor(TF_FLOAT, NULL, 0, &memory[1], sizeof(float), leave, NULL), *y = NULL;
    TF_SessionRun(s.session, NULL, &s.x, &x, 1, &second, &y, 1, NULL, 0, NULL, S);
    assert_ok();
    assert_int_equal(misaligned, 0);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    unmake(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_143_inputs_are_aligned),
      cmocka_unit_test(test_time),
      cmocka_unit_test(test_session_handle_and_metadata),
      cmocka_unit_test(test_step_container_ends_with_the_step),
      cmocka_unit_test(test_asynchronous_kernel_runs_a_closure),
      cmocka_unit_test(test_rule_184_step_waits_for_deferred_closures),
      cmocka_unit_test(test_closures_run_in_place_in_a_session_of_one_thread),
      cmocka_unit_test(test_outputs_that_nobody_reads_are_not_required),
      cmocka_unit_test(test_small_nodes_are_not_expensive),
      cmocka_unit_test(test_failure_so_far),
      cmocka_unit_test(test_rule_181_callers_block_until_done),
      cmocka_unit_test(test_rule_183_helpers_work_in_asynchronous_kernels),
      cmocka_unit_test(test_rule_186_only_stateless_nodes_are_merged),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
