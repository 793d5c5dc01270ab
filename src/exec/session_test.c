// Sessions through the C API: pruning, feeds, fetches, targets, errors, constant folding, kernels' lives,
// closing.
#include "exec/exec_test_util.h"

static void test_feed_fetch(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), two = float_constant(g, "two", 2);
  TF_Output y = OUT(node(g, "TestAdd", "y", x, two, NULL)),
            z = OUT(node(g, "TestDouble", "z", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 10; i++) assert_true(run_float(s, x, make_scalar((float)i), z) == 2 * ((float)i + 2));
  TF_Output fetches[] = {y, z, two, z, x};
  TF_Tensor *feed = make_scalar(5), *got[5];
  TF_SessionRun(s, NULL, &x, &feed, 1, fetches, got, 5, NULL, 0, NULL, S);
  assert_ok();
  float wanted[] = {7, 14, 2, 14, 5};
  for (int i = 0; i < 5; i++) {
    assert_true(first_of(got[i]) == wanted[i]);
    TF_DeleteTensor(got[i]);
  }
  TF_DeleteTensor(feed);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_only_what_is_needed_runs(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), unfed = placeholder(g, "unfed", TF_FLOAT);
  TF_Output y = OUT(node(g, "TestDouble", "y", x, NONE, NULL));
  node(g, "TestFail", "never", x, NONE, NULL);
  TF_Output z = OUT(node(g, "TestAdd", "z", y, unfed, NULL));
  TF_Output w = OUT(node(g, "TestDouble", "w", z, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(3), y) == 6);
  atomic_store(&pure_calls, 0);
  assert_true(run_float(s, z, make_scalar(3), w) == 6);  // feeding z prunes y, x and unfed
  assert_int_equal(atomic_load(&pure_calls), 1);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_targets_and_control_edges(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Operation *a = node(g, "TestEffect", "a", NONE, NONE, NULL),
               *b = node(g, "TestEffect", "b", NONE, NONE, a);
  TF_Operation *join = node(g, "NoOp", "join", NONE, NONE, b),
               *c = node(g, "TestEffect", "c", NONE, NONE, join);
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&effect_calls, 0);
  run_target(s, join);
  assert_ok();
  assert_int_equal(atomic_load(&effect_calls), 2);
  TF_Output fetches[] = {OUT(c), OUT(a), OUT(b)};
  TF_Tensor *got[3];
  TF_SessionRun(s, NULL, NULL, NULL, 0, fetches, got, 3, NULL, 0, NULL, S);
  assert_ok();
  assert_true(first_of(got[1]) == 3 && first_of(got[2]) == 4 && first_of(got[0]) == 5);
  for (int i = 0; i < 3; i++) TF_DeleteTensor(got[i]);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_nodes_added_after_a_run(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestDouble", "y", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), y) == 2);
  TF_Output z = y;
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    z = OUT(node(g, "TestAdd", name, z, y, NULL));
  }
  TF_ExtendSession(s, S);
  assert_ok();
  assert_true(run_float(s, x, make_scalar(1), z) == 202);
  TF_DeleteGraph(g);  // the session keeps what it needs
  assert_true(run_float(s, x, make_scalar(2), z) == 404);
  end_session(s);
}

static void feed_errors(TF_Session *s, TF_Graph *g, TF_Output x, TF_Output y) {
  (void)g;
  assert_null(run1(s, NONE, NULL, y));
  assert_error(TF_INVALID_ARGUMENT,
               "You must feed a value for placeholder tensor 'x' with dtype float and shape [2,?]");
  assert_null(run1(s, x, make_bool(true), y));
  assert_error(TF_INVALID_ARGUMENT,
               "the value fed for 'x:0' is bool[], but that tensor is a float of shape [2,?]");
  assert_null(run1(s, x, make_vector(3, 0), y));
  assert_error(TF_INVALID_ARGUMENT, "float[3]");
  assert_null(run1(s, x, NULL, y));
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  TF_Tensor *value = make_scalar(1), *values[] = {value, value}, *got = value;
  TF_SessionRun(s, NULL, (TF_Output[]){x, x}, values, 2, &y, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "'x:0' is fed more than once");
  assert_null(got);
  TF_SessionRun(s, NULL, NULL, NULL, 1, &y, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  TF_SessionRun(s, NULL, &x, &value, -1, &y, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "negative");
  TF_DeleteTensor(value);
}

static void test_bad_feeds_and_fetches(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *other = TF_NewGraph();
  TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", "x");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", (int64_t[]){2, -1}, 2);
  TF_Output x = OUT(finish(d)), y = OUT(node(g, "TestDouble", "y", x, NONE, NULL));
  TF_Output foreign = placeholder(other, "foreign", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  feed_errors(s, g, x, y);
  assert_null(run1(s, NONE, NULL, (TF_Output){y.oper, 1}));
  assert_error(TF_OUT_OF_RANGE, "output 1 of 'y', which has 1 outputs");
  assert_null(run1(s, NONE, NULL, NONE));
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  assert_null(run1(s, NONE, NULL, foreign));
  assert_error(TF_INVALID_ARGUMENT, "another graph");
  run_target(s, NULL);
  assert_error(TF_INVALID_ARGUMENT, "target 0 is NULL");
  run_target(s, foreign.oper);
  assert_error(TF_INVALID_ARGUMENT, "another graph");
  TF_SessionRun(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "session");
  int64_t dims[] = {2, 3};
  TF_Tensor *good = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  memset(TF_TensorData(good), 0, 24);
  TF_DeleteTensor(run1(s, x, good, y));
  assert_ok();
  end_session(s);
  TF_DeleteGraph(g);
  TF_DeleteGraph(other);
}

static void test_all_missing_placeholders_are_named(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output a = placeholder(g, "a", TF_FLOAT), b = placeholder(g, "b", TF_FLOAT);
  TF_Output c = OUT(node(g, "TestAdd", "c", a, b, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, NONE, NULL, c));
  assert_error(TF_INVALID_ARGUMENT, "'a' with dtype float and shape <unknown>; also for 'b'");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_missing_kernels_are_all_named(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestNoKernel", "y", x, NONE, NULL));
  TF_Output z = OUT(node(g, "TestNoKernelEither", "z", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), z));
  assert_error(TF_INVALID_ARGUMENT, "TestNoKernel");
  assert_error(TF_INVALID_ARGUMENT, "TestNoKernelEither");
  // Each op is named once, however many nodes of it there are.
  for (int i = 0; i < 30; i++) {
    char name[16];
    snprintf(name, sizeof name, "more%d", i);
    z = OUT(node(g, i % 2 ? "TestNoKernel" : "TestNoKernelEither", name, z, NONE, NULL));
  }
  assert_null(run1(s, x, make_scalar(1), z));
  assert_error(TF_INVALID_ARGUMENT, "of the ops: TestNoKernelEither");
  assert_null(
      strstr(strstr(TF_Message(S), "of the ops: ") + strlen("of the ops: TestNoKernelEither"), "TestNo"));
  end_session(s);
  TF_DeleteGraph(g);
}

// Rules 173 and 172: what a kernel reports, with the node; here also op and inputs.
static void test_rule_173_error_names_node(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestFail", "broken", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 3; i++) {
    assert_null(run1(s, x, make_vector(3, 0), y));
    assert_error(TF_FAILED_PRECONDITION, "the test asked for it\n\t [[{{node broken}}]]");
    assert_error(TF_FAILED_PRECONDITION, "op 'TestFail', given float[3]");
  }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_rule_154_rule_157_outputs_are_checked(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestUnset", "unset", x, NONE, NULL));
  TF_Output z = OUT(node(g, "TestWrongType", "wrong", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), y));
  assert_error(TF_INTERNAL, "Missing 0-th output from {{node unset}}");
  TF_Tensor *value = make_scalar(1);
  const TF_Operation *target = y.oper;  // nobody reads its output
  TF_SessionRun(s, NULL, &x, &value, 1, NULL, NULL, 0, &target, 1, NULL, S);
  assert_ok();
  TF_DeleteTensor(value);
  assert_null(run1(s, x, make_scalar(1), z));
  assert_error(TF_INTERNAL,
               "Output 0 of type int32 does not match declared output type float for node {{node wrong}}");
  end_session(s);
  TF_DeleteGraph(g);
}

// Rule 185: const-fed stateless nodes run once in total (stock also merges equal nodes; that is not done
// here, so two nodes run twice), stateful ones in every run.
static void test_rule_185_constants_are_folded(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output c = float_constant(g, "c", 3), a = OUT(node(g, "TestDouble", "a", c, NONE, NULL));
  TF_Output b = OUT(node(g, "TestDouble", "b", c, NONE, NULL)), d = OUT(node(g, "TestAdd", "d", a, b, NULL));
  TF_Operation *e = node(g, "TestEffect", "e", NONE, NONE, NULL);
  TF_Output sum = OUT(node(g, "TestAdd", "sum", d, OUT(e), NULL));
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&pure_calls, 0);
  atomic_store(&effect_calls, 0);
  for (int i = 1; i <= 3; i++) assert_true(run_float(s, NONE, NULL, sum) == 12 + (float)i);
  assert_true(run_float(s, NONE, NULL, d) == 12);
  assert_int_equal(atomic_load(&pure_calls), 2);
  assert_int_equal(atomic_load(&effect_calls), 3);
  // Feeding the constant takes the folded values out of play.
  assert_true(run_float(s, c, make_scalar(1), d) == 4);
  end_session(s);
  TF_DeleteGraph(g);
}

static const unsigned char no_optimizers[] = {0x52, 0x12, 0x1a, 0x0b, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0x01, 0x52, 0x03, 0x98, 0x01, 0x01};

static void test_folding_can_be_switched_off(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output c = float_constant(g, "c", 3), a = OUT(node(g, "TestDouble", "a", c, NONE, NULL));
  TF_Session *s = new_session(g, no_optimizers, sizeof no_optimizers);
  atomic_store(&pure_calls, 0);
  for (int i = 0; i < 3; i++) assert_true(run_float(s, NONE, NULL, a) == 6);
  assert_int_equal(atomic_load(&pure_calls), 3);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_fetched_constant_may_be_written_to(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output c = float_constant(g, "c", 3);
  TF_Session *s = new_session(g, NULL, 0);
  TF_Tensor *t = run1(s, NONE, NULL, c);
  assert_ok();
  *(float *)TF_TensorData(t) = 99;
  TF_DeleteTensor(t);
  assert_true(run_float(s, NONE, NULL, c) == 3);
  end_session(s);
  TF_DeleteGraph(g);
}

// Values of large constants are read when a plan has them as they are: after one that needs their shape only,
// directly and through Identity, and for kernels that are folded.
static void test_large_constants(void **state) {
  (void)state;
  enum { COUNT = 6000 };
  register_op("Identity", "input: T -> output: T | T: type", false);
  add_kernel("Identity", NULL, identity_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output c = constant(g, "c", make_vector(COUNT, 7)),
            first = OUT(node(g, "Identity", "first", c, NONE, NULL)),
            second = OUT(node(g, "Identity", "second", first, NONE, NULL)),
            folded = OUT(node(g, "TestIdentity", "folded", second, NONE, NULL)),
            waits = OUT(node(g, "Identity", "waits", first, NONE, node(g, "NoOp", "wait", NONE, NONE, NULL)));
  const TF_Output orders[][5] = {{second, c, first, folded, waits},
                                 {folded, second, first, c, waits},
                                 {waits, first, c, second, folded}};
  for (size_t i = 0; i < DVT_COUNT_OF(orders); i++) {
    TF_Session *s = new_session(g, NULL, 0);
    for (size_t k = 0; k < DVT_COUNT_OF(orders[i]); k++) {
      TF_Tensor *t = run1(s, NONE, NULL, orders[i][k]);
      assert_ok();
      assert_int_equal(TF_Dim(t, 0), COUNT);
      for (int at = 0; at < COUNT; at++) assert_true(((float *)TF_TensorData(t))[at] == (float)(7 + at));
      TF_DeleteTensor(t);
    }
    end_session(s);
  }
  TF_DeleteGraph(g);
}

// Rules 114 and 115: one kernel a node and session, whatever plans share it; deleted with the session.
static void test_rule_114_one_kernel_per_node_and_session(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output n = OUT(node(g, "TestCounter", "n", NONE, NONE, NULL)),
            m = OUT(node(g, "TestDouble", "m", n, NONE, NULL));
  atomic_store(&creates, 0);
  atomic_store(&deletes, 0);
  TF_Session *s = new_session(g, NULL, 0), *s2 = new_session(g, NULL, 0);
  assert_int_equal(atomic_load(&creates), 0);
  assert_true(run_float(s, NONE, NULL, n) == 1);
  assert_true(run_float(s, NONE, NULL, m) == 4);
  assert_int_equal(atomic_load(&creates), 1);
  assert_true(run_float(s2, NONE, NULL, n) == 1);
  assert_int_equal(atomic_load(&creates), 2);
  end_session(s);
  assert_int_equal(atomic_load(&deletes), 1);
  end_session(s2);
  assert_int_equal(atomic_load(&deletes), 2);
  TF_DeleteGraph(g);
}

static atomic_int failing_creates;
static void *failing_create(TF_OpKernelConstruction *ctx) {
  if (atomic_fetch_add(&failing_creates, 1) >= 2) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_ABORTED, "not yet");
  TF_SetPayload(status, "retry", "soon");
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return NULL;
}

static void note_payload(const char *key, const char *value, void *capture) {
  if (strcmp(key, "retry") == 0) *(const char **)capture = strcmp(value, "soon") == 0 ? "soon" : "changed";
}

static void assert_payload(void) {
  const char *seen = "none";
  TF_ForEachPayload(S, note_payload, &seen);
  assert_string_equal(seen, "soon");
}

static void payload_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_SetStatus(status, TF_UNAVAILABLE, "come back");
  TF_SetPayload(status, "retry", "soon");
  report(ctx, status);
}

static void test_payloads_of_a_failure_reach_the_caller(void **state) {
  (void)state;
  register_op("TestPayload", "x: float -> y: float", false);
  add_kernel("TestPayload", NULL, payload_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestPayload", "y", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), y));
  assert_error(TF_UNAVAILABLE, "come back");
  assert_payload();
  end_session(s);
  TF_DeleteGraph(g);
}

// Rule 116: a failing create is reported by the run and tried again by the next.
static void test_rule_116_create_is_retried(void **state) {
  (void)state;
  register_op("TestFailingCreate", "x: float -> y: float", false);
  add_kernel("TestFailingCreate", failing_create, identity_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestFailingCreate", "y", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 2; i++) {
    assert_null(run1(s, x, make_scalar(1), y));
    assert_error(TF_ABORTED, "not yet\n\t [[{{node y}}]]");
    assert_payload();
  }
  assert_true(run_float(s, x, make_scalar(7), y) == 7);
  assert_int_equal(atomic_load(&failing_creates), 3);
  end_session(s);
  TF_DeleteGraph(g);
}

static void *attr_create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  int64_t value;
  TF_OpKernelConstruction_GetAttrInt64(ctx, "absent", &value, status);
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return NULL;
}

static void test_failing_create_names_its_node_once(void **state) {
  (void)state;
  register_op("TestAttrCreate", "x: float -> y: float", false);
  add_kernel("TestAttrCreate", attr_create, identity_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestAttrCreate", "y", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), y));
  assert_error(TF_NOT_FOUND, "\n\t [[{{node y}}]]\n\t in op 'TestAttrCreate'");
  const char *tag = strstr(TF_Message(S), "[[{{node y}}]]");
  assert_null(strstr(tag + 1, "[[{{node y}}]]"));
  tag = strstr(TF_Message(S), "TestAttrCreate");
  assert_null(strstr(tag + 1, "TestAttrCreate"));
  end_session(s);
  TF_DeleteGraph(g);
}

static int64_t seen_step;
static void step_compute(void *state, TF_OpKernelContext *ctx) {
  seen_step = TF_StepId(ctx);
  effect_compute(state, ctx);
}

// Rule 175: steps of a session count from 1.
static void test_rule_175_steps_count_from_one(void **state) {
  (void)state;
  register_op("TestStep", "-> y: float", true);
  add_kernel("TestStep", NULL, step_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output y = OUT(node(g, "TestStep", "y", NONE, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 1; i <= 3; i++) {
    run_float(s, NONE, NULL, y);
    assert_int_equal(seen_step, i);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

typedef struct fetcher {
  TF_Session *session;
  TF_Output x, *fetches;
  int count;
  pthread_barrier_t *start;
  bool good;
} fetcher;

static void *fetch_each(void *arg) {
  fetcher *f = arg;
  TF_Status *status = TF_NewStatus();
  pthread_barrier_wait(f->start);
  for (int i = 0; i < f->count; i++) {
    TF_Tensor *value = make_scalar(1), *got = NULL;
    TF_SessionRun(f->session, NULL, &f->x, &value, 1, &f->fetches[i], &got, 1, NULL, 0, NULL, status);
    f->good &= TF_GetCode(status) == TF_OK && first_of(got) == (float)(i + 2);
    TF_DeleteTensor(value);
    TF_DeleteTensor(got);
  }
  TF_DeleteStatus(status);
  return NULL;
}

// Steps start in some threads while others make plans.
static void test_plans_are_made_in_many_threads(void **state) {
  (void)state;
  enum { THREADS = 4, FETCHES = 60 };
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), z = x, fetches[FETCHES];
  for (int i = 0; i < FETCHES; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    fetches[i] = z = OUT(node(g, "TestAdd", name, z, x, NULL));
  }
  TF_Session *s = new_session(g, NULL, 0);
  pthread_t threads[THREADS];
  fetcher fetchers[THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    fetchers[i] = (fetcher){s, x, fetches, FETCHES, &start, true};
    assert_int_equal(pthread_create(&threads[i], NULL, fetch_each, &fetchers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&start);
  for (int i = 0; i < THREADS; i++) assert_true(fetchers[i].good);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_closed_session_refuses(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output c = float_constant(g, "c", 3);
  TF_Session *s = new_session(g, NULL, 0);
  TF_CloseSession(s, S);
  assert_ok();
  assert_null(run1(s, NONE, NULL, c));
  assert_error(TF_CANCELLED, "Session has been closed.");
  TF_DeleteSession(s, S);
  assert_ok();
  TF_DeleteGraph(g);
}

// A cycle that no NextIteration closes can be made with TF_UpdateEdge only.
static void test_cycle_is_an_error(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node(g, "TestDouble", "a", x, NONE, NULL));
  TF_Output b = OUT(node(g, "TestDouble", "b", a, NONE, NULL));
  TF_UpdateEdge(g, b, (TF_Input){a.oper, 0}, S);
  if (TF_GetCode(S) == TF_OK) {
    TF_Session *s = new_session(g, NULL, 0);
    assert_null(run1(s, NONE, NULL, b));
    assert_error(TF_INVALID_ARGUMENT, "cycle");
    end_session(s);
  }
  TF_DeleteGraph(g);
}

static void test_long_chain(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = x, one = placeholder(g, "one", TF_FLOAT);
  for (int i = 0; i < 20000; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    y = OUT(node(g, "TestAdd", name, y, one, NULL));
  }
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 6; i++) {
    TF_Tensor *values[] = {make_scalar(1), make_scalar(1)}, *got;
    TF_SessionRun(s, NULL, (TF_Output[]){x, one}, values, 2, &y, &got, 1, NULL, 0, NULL, S);
    assert_ok();
    assert_true(first_of(got) == 20001);
    TF_DeleteTensor(got);
    TF_DeleteTensor(values[0]);
    TF_DeleteTensor(values[1]);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_config_and_options(void **state) {
  (void)state;
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, "\x52\x40garbage", 9, S);
  assert_error(TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
  TF_SetTarget(options, "grpc://nowhere");
  TF_Graph *g = TF_NewGraph();
  assert_null(TF_NewSession(g, options, S));
  assert_error(TF_NOT_FOUND, "grpc://nowhere");
  assert_null(TF_NewSession(NULL, NULL, S));
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  TF_DeleteSessionOptions(options);
  TF_DeleteSessionOptions(NULL);
  TF_DeleteSession(NULL, S);
  assert_ok();
  // intra 3 threads, inter 2, operation timeout 7 ms
  dvt_session_config config;
  assert_null(dvt_session_config_parse(DVT_STR("\x10\x03\x28\x02\x58\x07"), &config));
  assert_int_equal(config.intra_op_threads, 3);
  assert_int_equal(config.inter_op_threads, 2);
  assert_int_equal(config.timeout_ms, 7);
  assert_true(config.fold_constants && !config.single_threaded);
  dvt_run_options run;
  assert_null(
      dvt_run_options_parse(DVT_STR("\x08\x03\x10\x09\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), &run));
  assert_true(run.trace && run.timeout_ms == 9 && run.inter_op_thread_pool == -1);
  TF_DeleteGraph(g);
}

static void test_devices(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Session *s = new_session(g, NULL, 0);
  TF_DeviceList *list = TF_SessionListDevices(s, S);
  assert_ok();
  assert_true(TF_DeviceListCount(list) >= 1);
  assert_string_equal(TF_DeviceListName(list, 0, S), "/job:localhost/replica:0/task:0/device:CPU:0");
  assert_string_equal(TF_DeviceListType(list, 0, S), "CPU");
  assert_true(TF_DeviceListMemoryBytes(list, 0, S) > 0);
  TF_DeviceListIncarnation(list, 0, S);
  assert_ok();
  assert_null(TF_DeviceListName(list, 99, S));
  assert_error(TF_INVALID_ARGUMENT, "99");
  TF_DeleteDeviceList(list);
  TF_DeleteDeviceList(NULL);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_unknown_device_falls_back_malformed_does_not(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_OperationDescription *d = TF_NewOperation(g, "TestDouble", "y");
  TF_AddInput(d, x);
  TF_SetDevice(d, "/device:GPU:0");
  TF_Output y = OUT(finish(d));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), y) == 2);
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_feed_fetch),
      cmocka_unit_test(test_only_what_is_needed_runs),
      cmocka_unit_test(test_targets_and_control_edges),
      cmocka_unit_test(test_nodes_added_after_a_run),
      cmocka_unit_test(test_bad_feeds_and_fetches),
      cmocka_unit_test(test_all_missing_placeholders_are_named),
      cmocka_unit_test(test_missing_kernels_are_all_named),
      cmocka_unit_test(test_rule_173_error_names_node),
      cmocka_unit_test(test_rule_154_rule_157_outputs_are_checked),
      cmocka_unit_test(test_rule_185_constants_are_folded),
      cmocka_unit_test(test_folding_can_be_switched_off),
      cmocka_unit_test(test_fetched_constant_may_be_written_to),
      cmocka_unit_test(test_large_constants),
      cmocka_unit_test(test_rule_114_one_kernel_per_node_and_session),
      cmocka_unit_test(test_rule_116_create_is_retried),
      cmocka_unit_test(test_failing_create_names_its_node_once),
      cmocka_unit_test(test_payloads_of_a_failure_reach_the_caller),
      cmocka_unit_test(test_rule_175_steps_count_from_one),
      cmocka_unit_test(test_plans_are_made_in_many_threads),
      cmocka_unit_test(test_closed_session_refuses),
      cmocka_unit_test(test_cycle_is_an_error),
      cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_config_and_options),
      cmocka_unit_test(test_devices),
      cmocka_unit_test(test_unknown_device_falls_back_malformed_does_not),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
