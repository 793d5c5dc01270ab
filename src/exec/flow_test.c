// The dataflow walk: asynchronous kernels, time limits and closing, branches, loops, nested loops, loops on
// branches that are not taken.
#include "exec/exec_test_util.h"
#include "exec/session_state.h"

// ---- asynchronous kernels ----

static void test_rule_179_done_later_from_another_thread(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node_ms(g, "TestAsync", "a", x, 5));
  TF_Output b = OUT(node_ms(g, "TestAsync", "b", x, 1)), c = OUT(node(g, "TestAdd", "c", a, b, NULL));
  TF_Output d = OUT(node(g, "TestAsyncNow", "d", c, NONE, NULL)),
            e = OUT(node(g, "TestDouble", "e", d, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 20; i++) assert_true(run_float(s, x, make_scalar((float)i), e) == 4 * (float)i);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_async_failure_is_reported(void **state) {
  (void)state;
  static const char *const ops[] = {"TestAsyncFail", "TestAsyncFailSilently"};
  for (int k = 0; k < 2; k++) {
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node(g, ops[k], "a", x, NONE, NULL));
    TF_Output b = OUT(node_ms(g, "TestAsync", "b", x, 5)), c = OUT(node(g, "TestAdd", "c", a, b, NULL));
    TF_Session *s = new_session(g, NULL, 0);
    // What a kernel that has not called done may still use is freed when it does, after the session.
    for (int i = 0; i < (k == 0 ? 5 : 1); i++) {
      assert_null(run1(s, x, make_scalar(1), c));
      assert_error(TF_FAILED_PRECONDITION, "the test asked for it\n\t [[{{node a}}]]");
    }
    end_session(s);
    TF_DeleteGraph(g);
    if (k == 1) TF_RunAsyncOpKernelDoneCallback(silent_done);
  }
}

// Reports the call before a second time, while its own is running.
static TF_AsyncOpKernelDoneCallback *stale_done;
static void async_stale_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  if (stale_done) TF_RunAsyncOpKernelDoneCallback(stale_done);
  stale_done = done;
  identity_compute(NULL, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void test_rule_180_second_report_does_not_count_for_another_node(void **state) {
  (void)state;
  register_op("TestAsyncStale", "x: float -> y: float", false);
  add_async_kernel("TestAsyncStale", NULL, async_stale_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node(g, "TestAsyncStale", "a", x, NONE, NULL));
  TF_Output b = OUT(node(g, "TestAsyncStale", "b", a, NONE, NULL)),
            c = OUT(node(g, "TestDouble", "c", b, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 10; i++) assert_true(run_float(s, x, make_scalar((float)i), c) == 2 * (float)i);
  end_session(s);
  stale_done = NULL;
  TF_DeleteGraph(g);
}

static TF_AsyncOpKernelDoneCallback *kept_done;
static TF_OpKernelContext *kept_context;
static void async_kept_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  kept_context = ctx;
  kept_done = done;
}

static TF_Tensor *run_with_timeout(TF_Session *s, TF_Output x, float value, TF_Output y, int64_t ms) {
  unsigned char proto[] = {0x10, (unsigned char)ms};
  TF_Buffer *options = TF_NewBufferFromString(proto, sizeof proto);
  TF_Tensor *feed = make_scalar(value), *got = NULL;
  TF_SessionRun(s, options, &x, &feed, 1, &y, &got, 1, NULL, 0, NULL, S);
  TF_DeleteTensor(feed);
  TF_DeleteBuffer(options);
  return got;
}

// A step that is past its time does not wait for a kernel that never reports; when the kernel reports after
// all, even after the session was deleted, nothing breaks.
static void test_timeout_abandons_async_kernels(void **state) {
  (void)state;
  register_op("TestAsyncKept", "x: float -> y: float", false);
  add_async_kernel("TestAsyncKept", NULL, async_kept_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestAsyncKept", "y", x, NONE, NULL));
  TF_Output z = OUT(node(g, "TestDouble", "z", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run_with_timeout(s, x, 5, z, 30));
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  end_session(s);
  TF_DeleteGraph(g);
  identity_compute(NULL, kept_context);
  TF_RunAsyncOpKernelDoneCallback(kept_done);
}

static void test_timeout_of_plain_kernels(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node_ms(g, "TestSleep", "y", x, 30));
  TF_Output z = OUT(node(g, "TestFail", "z", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run_with_timeout(s, x, 5, y, 5));
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  assert_null(run_with_timeout(s, x, 5, z, 5));
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  assert_true(run_float(s, x, make_scalar(4), y) == 4);
  end_session(s);
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, "\x58\x05", 2, S);  // operation_timeout_in_ms: 5
  s = TF_NewSession(g, options, S);
  assert_ok();
  assert_null(run1(s, x, make_scalar(4), y));
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  end_session(s);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(g);
}

static atomic_bool entered;
static void gate_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  async_kept_compute(state, ctx, done);
  atomic_store(&entered, true);
}

typedef struct close_run {
  TF_Session *session;
  TF_Output x, y;
  TF_Status *status;
} close_run;
static void *run_until_closed(void *arg) {
  close_run *r = arg;
  TF_Tensor *feed = make_scalar(1), *got = NULL;
  TF_SessionRun(r->session, NULL, &r->x, &feed, 1, &r->y, &got, 1, NULL, 0, NULL, r->status);
  TF_DeleteTensor(feed);
  return NULL;
}

static void test_close_cancels_a_running_step(void **state) {
  (void)state;
  register_op("TestGate", "x: float -> y: float", false);
  add_async_kernel("TestGate", NULL, gate_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestGate", "y", x, NONE, NULL));
  close_run r = {.session = new_session(g, NULL, 0), .x = x, .y = y, .status = TF_NewStatus()};
  pthread_t thread;
  pthread_create(&thread, NULL, run_until_closed, &r);
  while (!atomic_load(&entered)) sleep_ms(1);
  TF_CloseSession(r.session, S);
  assert_ok();
  pthread_join(thread, NULL);
  assert_int_equal(TF_GetCode(r.status), TF_CANCELLED);
  identity_compute(NULL, kept_context);
  TF_RunAsyncOpKernelDoneCallback(kept_done);
  TF_DeleteSession(r.session, S);
  TF_DeleteStatus(r.status);
  TF_DeleteGraph(g);
}

// ---- branches ----

// pred ? 2 x : x + x + x, by Switch and Merge; also which branch it was.
static void test_branches(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), pred = placeholder(g, "pred", TF_BOOL);
  TF_Operation *sw = node(g, "Switch", "sw", x, pred, NULL);
  TF_Output yes = OUT(node(g, "TestDouble", "yes", OUT1(sw), NONE, NULL));
  TF_Output twice = OUT(node(g, "TestAdd", "twice", OUT(sw), OUT(sw), NULL));
  TF_Output no = OUT(node(g, "TestAdd", "no", twice, OUT(sw), NULL));
  TF_Operation *m = merge(g, "m", no, yes);
  TF_Operation *effect =
      node(g, "TestEffect", "effect", NONE, NONE, yes.oper);  // only when the branch is taken
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&effect_calls, 0);
  for (int i = 0; i < 6; i++) {
    TF_Output feeds[] = {x, pred}, fetches[] = {OUT(m), OUT1(m)};
    TF_Tensor *values[] = {make_scalar((float)i), make_bool(i & 1)}, *got[2];
    const TF_Operation *target = effect;
    TF_SessionRun(s, NULL, feeds, values, 2, fetches, got, 2, &target, 1, NULL, S);
    assert_ok();
    assert_true(first_of(got[0]) == (float)i * (i & 1 ? 2 : 3));
    assert_int_equal(*(int32_t *)TF_TensorData(got[1]), i & 1);
    for (int k = 0; k < 2; k++) TF_DeleteTensor(values[k]), TF_DeleteTensor(got[k]);
  }
  assert_int_equal(atomic_load(&effect_calls), 3);
  TF_Output feeds[] = {x, pred};
  TF_Tensor *values[] = {make_scalar(1), make_bool(false)}, *got = NULL;
  TF_SessionRun(s, NULL, feeds, values, 2, &yes, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "'yes:0' is on a branch that was not taken");
  TF_DeleteTensor(values[1]);
  values[1] = values[0];
  TF_SessionRun(s, NULL, feeds, values, 2, &yes, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "pred");
  TF_DeleteTensor(values[0]);
  end_session(s);
  TF_DeleteGraph(g);
}

// _SwitchN of three outputs: one is taken, the last one for an index out of range.
static void test_many_branches(void **state) {
  (void)state;
  register_op("_SwitchN",
              "data: T, output_index: int32 -> outputs: num_outs * T | num_outs: int >= 1 | T: type", false);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), index = placeholder(g, "index", TF_INT32);
  TF_OperationDescription *d = TF_NewOperation(g, "_SwitchN", "sw");
  TF_AddInput(d, x);
  TF_AddInput(d, index);
  TF_SetAttrInt(d, "num_outs", 3);
  TF_Operation *sw = finish(d);
  TF_Output ways[] = {OUT(sw), OUT(node(g, "TestDouble", "second", OUT1(sw), NONE, NULL)),
                      OUT(node(g, "TestAdd", "third", (TF_Output){sw, 2}, x, NULL))};
  d = TF_NewOperation(g, "Merge", "m");
  TF_AddInputList(d, ways, 3);
  TF_Operation *m = finish(d);
  TF_Session *s = new_session(g, NULL, 0);
  static const int32_t indices[] = {0, 1, 2, 3, -1}, taken[] = {0, 1, 2, 2, 2};
  for (int i = 0; i < 10; i++) {
    TF_Output feeds[] = {x, index}, fetches[] = {OUT(m), OUT1(m)};
    TF_Tensor *values[] = {make_scalar(5), TF_AllocateTensor(TF_INT32, NULL, 0, 4)}, *got[2];
    *(int32_t *)TF_TensorData(values[1]) = indices[i % 5];
    TF_SessionRun(s, NULL, feeds, values, 2, fetches, got, 2, NULL, 0, NULL, S);
    assert_ok();
    assert_true(first_of(got[0]) == (taken[i % 5] == 0 ? 5.0f : 10.0f));
    assert_int_equal(*(int32_t *)TF_TensorData(got[1]), taken[i % 5]);
    for (int k = 0; k < 2; k++) {
      TF_DeleteTensor(values[k]);
      TF_DeleteTensor(got[k]);
    }
  }
  int64_t two = 2;  // an index must be a scalar
  TF_Tensor *values[] = {make_scalar(5), TF_AllocateTensor(TF_INT32, &two, 1, 8)}, *got = NULL;
  memset(TF_TensorData(values[1]), 0, 8);
  TF_Output feeds[] = {x, index}, fetch = OUT(m);
  TF_SessionRun(s, NULL, feeds, values, 2, &fetch, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "must be a scalar");
  for (int k = 0; k < 2; k++) TF_DeleteTensor(values[k]);
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- loops ----

typedef struct loop {
  TF_Output result, iterations;
} loop;

// while (i < limit) { i = i + 1; v = v + step }: constant Enters for limit and step.
static loop make_loop(TF_Graph *g, const char *name, TF_Output start, TF_Output limit, TF_Output step,
                      int parallel, const char *body_op) {
  char n[64];
#define NAME(part) (snprintf(n, sizeof n, "%s/%s", name, part), n)
  TF_Output zero = OUT(node(g, "TestAdd", NAME("zero_of"), start, start, NULL));
  (void)zero;
  TF_Output i0 = float_constant(g, NAME("i0"), 0), one = float_constant(g, NAME("one"), 1);
  TF_Output ei = OUT(enter(g, NAME("enter_i"), i0, name, false, parallel));
  TF_Output ev = OUT(enter(g, NAME("enter_v"), start, name, false, parallel));
  TF_Output el = OUT(enter(g, NAME("enter_limit"), limit, name, true, parallel));
  TF_Output es = OUT(enter(g, NAME("enter_step"), step, name, true, parallel));
  TF_Output eo = OUT(enter(g, NAME("enter_one"), one, name, true, parallel));
  // The back edges are put in at the end.
  TF_Operation *mi = merge(g, NAME("merge_i"), ei, ei), *mv = merge(g, NAME("merge_v"), ev, ev);
  TF_Output less = OUT(node(g, "TestLess", NAME("less"), OUT(mi), el, NULL));
  TF_Output cond = OUT(node(g, "LoopCond", NAME("cond"), less, NONE, NULL));
  TF_Operation *si = node(g, "Switch", NAME("switch_i"), OUT(mi), cond, NULL);
  TF_Operation *sv = node(g, "Switch", NAME("switch_v"), OUT(mv), cond, NULL);
  TF_Output next_i = OUT(node(g, "TestAdd", NAME("add_i"), OUT1(si), eo, NULL));
  TF_Output body = OUT1(sv);
  if (body_op)
    body = strcmp(body_op, "TestAsync") == 0 ? OUT(node_ms(g, body_op, NAME("body"), body, 0))
                                             : OUT(node(g, body_op, NAME("body"), body, NONE, NULL));
  TF_Output next_v = OUT(node(g, "TestAdd", NAME("add_v"), body, es, NULL));
  TF_Operation *ni = node(g, "NextIteration", NAME("next_i"), next_i, NONE, NULL);
  TF_Operation *nv = node(g, "NextIteration", NAME("next_v"), next_v, NONE, NULL);
  TF_UpdateEdge(g, OUT(ni), (TF_Input){mi, 1}, S);
  assert_ok();
  TF_UpdateEdge(g, OUT(nv), (TF_Input){mv, 1}, S);
  assert_ok();
  loop result = {OUT(node(g, "Exit", NAME("exit_v"), OUT(sv), NONE, NULL)),
                 OUT(node(g, "Exit", NAME("exit_i"), OUT(si), NONE, NULL))};
  return result;
#undef NAME
}

static void test_loop(void **state) {
  (void)state;
  for (int parallel = 1; parallel <= 32; parallel *= 2) {
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT), limit = placeholder(g, "limit", TF_FLOAT);
    loop l = make_loop(g, "loop", x, limit, x, parallel, "TestIdentity");
    TF_Output after = OUT(node(g, "TestDouble", "after", l.result, NONE, NULL));
    TF_Session *s = new_session(g, NULL, 0);
    for (int n = 0; n < 100; n += 7) {
      TF_Output feeds[] = {x, limit}, fetches[] = {after, l.iterations};
      TF_Tensor *values[] = {make_scalar(3), make_scalar((float)n)}, *got[2];
      TF_SessionRun(s, NULL, feeds, values, 2, fetches, got, 2, NULL, 0, NULL, S);
      assert_ok();
      assert_true(first_of(got[0]) == 2 * (3 + 3 * (float)n));
      assert_true(first_of(got[1]) == (float)n);
      for (int k = 0; k < 2; k++) TF_DeleteTensor(values[k]), TF_DeleteTensor(got[k]);
    }
    end_session(s);
    TF_DeleteGraph(g);
  }
}

static void test_loop_with_async_body_and_failure(void **state) {
  (void)state;
  static const char *const bodies[] = {"TestAsync", "TestAsyncNow", "TestFail"};
  for (int k = 0; k < 3; k++) {
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", 20);
    loop l = make_loop(g, "loop", x, limit, x, 4, bodies[k]);
    TF_Session *s = new_session(g, NULL, 0);
    for (int i = 0; i < 3; i++) {
      if (k < 2) {
        assert_true(run_float(s, x, make_scalar(1), l.result) == 21);
      } else {
        assert_null(run1(s, x, make_scalar(1), l.result));
        assert_error(TF_FAILED_PRECONDITION, "{{node loop/body}}");
      }
    }
    end_session(s);
    TF_DeleteGraph(g);
  }
}

// A loop inside a loop: the inner one adds `x` four times to the outer value, five times over.
static void test_nested_loops(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", 5),
            one = float_constant(g, "one", 1);
  TF_Output inner_limit = float_constant(g, "inner_limit", 4), zero = float_constant(g, "zero", 0);
  TF_Output ei = OUT(enter(g, "ei", zero, "outer", false, 3)), ev = OUT(enter(g, "ev", x, "outer", false, 3));
  TF_Output el = OUT(enter(g, "el", limit, "outer", true, 3)),
            eo = OUT(enter(g, "eo", one, "outer", true, 3));
  TF_Output ex = OUT(enter(g, "ex", x, "outer", true, 3)),
            ein = OUT(enter(g, "ein", inner_limit, "outer", true, 3));
  TF_Output ez = OUT(enter(g, "ez", zero, "outer", true, 3));
  TF_Operation *mi = merge(g, "mi", ei, ei), *mv = merge(g, "mv", ev, ev);
  TF_Output cond =
      OUT(node(g, "LoopCond", "cond", OUT(node(g, "TestLess", "less", OUT(mi), el, NULL)), NONE, NULL));
  TF_Operation *si = node(g, "Switch", "si", OUT(mi), cond, NULL),
               *sv = node(g, "Switch", "sv", OUT(mv), cond, NULL);
  // inner
  TF_Output ji = OUT(enter(g, "ji", ez, "inner", false, 2)),
            jv = OUT(enter(g, "jv", OUT1(sv), "inner", false, 2));
  TF_Output jl = OUT(enter(g, "jl", ein, "inner", true, 2)), jo = OUT(enter(g, "jo", eo, "inner", true, 2));
  TF_Output jx = OUT(enter(g, "jx", ex, "inner", true, 2));
  TF_Operation *ki = merge(g, "ki", ji, ji), *kv = merge(g, "kv", jv, jv);
  TF_Output cond2 =
      OUT(node(g, "LoopCond", "cond2", OUT(node(g, "TestLess", "less2", OUT(ki), jl, NULL)), NONE, NULL));
  TF_Operation *ti = node(g, "Switch", "ti", OUT(ki), cond2, NULL),
               *tv = node(g, "Switch", "tv", OUT(kv), cond2, NULL);
  TF_Operation *ui =
      node(g, "NextIteration", "ui", OUT(node(g, "TestAdd", "ai", OUT1(ti), jo, NULL)), NONE, NULL);
  TF_Operation *uv =
      node(g, "NextIteration", "uv", OUT(node(g, "TestAdd", "av", OUT1(tv), jx, NULL)), NONE, NULL);
  TF_UpdateEdge(g, OUT(ui), (TF_Input){ki, 1}, S);
  assert_ok();
  TF_UpdateEdge(g, OUT(uv), (TF_Input){kv, 1}, S);
  assert_ok();
  TF_Output inner = OUT(node(g, "Exit", "inner_exit", OUT(tv), NONE, NULL));
  // outer again
  TF_Operation *ni =
      node(g, "NextIteration", "ni", OUT(node(g, "TestAdd", "bi", OUT1(si), eo, NULL)), NONE, NULL);
  TF_Operation *nv = node(g, "NextIteration", "nv", inner, NONE, NULL);
  TF_UpdateEdge(g, OUT(ni), (TF_Input){mi, 1}, S);
  assert_ok();
  TF_UpdateEdge(g, OUT(nv), (TF_Input){mv, 1}, S);
  assert_ok();
  TF_Output result = OUT(node(g, "Exit", "exit", OUT(sv), NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 5; i++) assert_true(run_float(s, x, make_scalar((float)i), result) == 21 * (float)i);
  end_session(s);
  TF_DeleteGraph(g);
}

// A loop on a branch: when the branch is not taken, the loop is dead and the Merge takes the other side.
static void test_loop_on_a_branch(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), pred = placeholder(g, "pred", TF_BOOL);
  TF_Operation *sw = node(g, "Switch", "sw", x, pred, NULL);
  TF_Output limit = OUT(node(g, "TestAdd", "limit", OUT1(sw), OUT1(sw), NULL));
  loop l = make_loop(g, "loop", OUT1(sw), limit, OUT1(sw), 10, NULL);
  TF_Output used = OUT(node(g, "TestDouble", "used", l.result, NONE, NULL));
  TF_Operation *m = merge(g, "m", OUT(sw), used);
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 8; i++) {
    TF_Output feeds[] = {x, pred}, fetch = OUT(m);
    float v = (float)(i / 2);
    TF_Tensor *values[] = {make_scalar(v), make_bool(i & 1)}, *got;
    TF_SessionRun(s, NULL, feeds, values, 2, &fetch, &got, 1, NULL, 0, NULL, S);
    assert_ok();
    assert_true(first_of(got) == (i & 1 ? 2 * (v + 2 * v * v) : v));
    TF_DeleteTensor(got);
    for (int k = 0; k < 2; k++) TF_DeleteTensor(values[k]);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

// A branch inside a loop: values below 10 double, others grow by the step.
static void test_branch_in_a_loop(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", 1000),
            ten = float_constant(g, "ten", 10);
  TF_Output ev = OUT(enter(g, "ev", x, "f", false, 10)), el = OUT(enter(g, "el", limit, "f", true, 10));
  TF_Output et = OUT(enter(g, "et", ten, "f", true, 10));
  TF_Operation *mv = merge(g, "mv", ev, ev);
  TF_Output cond =
      OUT(node(g, "LoopCond", "cond", OUT(node(g, "TestLess", "less", OUT(mv), el, NULL)), NONE, NULL));
  TF_Operation *sv = node(g, "Switch", "sv", OUT(mv), cond, NULL);
  TF_Output small = OUT(node(g, "TestLess", "small", OUT1(sv), et, NULL));
  TF_Operation *sw = node(g, "Switch", "sw", OUT1(sv), small, NULL);
  TF_Output grown = OUT(node(g, "TestAdd", "grown", OUT(sw), et, NULL));
  TF_Output doubled = OUT(node(g, "TestDouble", "doubled", OUT1(sw), NONE, NULL));
  TF_Operation *joined = merge(g, "joined", grown, doubled);
  TF_Operation *nv = node(g, "NextIteration", "nv", OUT(joined), NONE, NULL);
  TF_UpdateEdge(g, OUT(nv), (TF_Input){mv, 1}, S);
  assert_ok();
  TF_Output result = OUT(node(g, "Exit", "exit", OUT(sv), NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  for (float v = 1; v < 50; v += 1) {
    float wanted = v;
    while (wanted < 1000) wanted = wanted < 10 ? 2 * wanted : wanted + 10;
    assert_true(run_float(s, x, make_scalar(v), result) == wanted);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_endless_loop_ends_by_timeout(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", INFINITY);
  loop l = make_loop(g, "loop", x, limit, x, 10, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 2; i++) {
    assert_null(run_with_timeout(s, x, 0, l.result, 20));
    assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_malformed_control_flow(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), in = OUT(enter(g, "in", x, "f", false, 1));
  TF_Output mixed =
      OUT(node(g, "TestAdd", "mixed", in, OUT(node(g, "TestDouble", "outside", x, NONE, NULL)), NULL));
  TF_Output stray = OUT(node(g, "Exit", "stray", x, NONE, NULL));
  TF_Output back = OUT(node(g, "Exit", "back", mixed, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), back));
  assert_error(TF_INVALID_ARGUMENT, "{{node mixed}}");
  assert_null(run1(s, x, make_scalar(1), stray));
  assert_error(TF_INVALID_ARGUMENT, "{{node stray}}");
  assert_null(run1(s, x, make_scalar(1), in));
  assert_error(TF_INVALID_ARGUMENT, "cannot be fetched");
  for (size_t i = 0; i < DVT_PLAN_BUCKETS; i++) assert_null(atomic_load(&s->buckets[i]));  // nothing is kept
  end_session(s);
  TF_DeleteGraph(g);
}

// A control edge from a loop's NextIteration to a Merge outside it orders the two like any other edge.
static void test_merge_outside_follows_a_loop(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", 20);
  make_loop(g, "loop", x, limit, x, 1, NULL);
  TF_Output a = OUT(node(g, "TestDouble", "a", x, NONE, NULL));
  TF_Output b = OUT(node(g, "TestDouble", "b", x, NONE, NULL));
  TF_Operation *m = merge(g, "m", a, b);
  TF_AddOperationControlInput(g, m, TF_GraphOperationByName(g, "loop/next_v"));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), OUT(m)));
  assert_error(TF_INVALID_ARGUMENT, "{{node m}}");
  end_session(s);
  TF_DeleteGraph(g);
}

// An Exit that does not hang on the loop's condition gives a value in every iteration: its reader gets the
// first input several times and must not run without the second.
static void test_exit_in_every_iteration(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), limit = float_constant(g, "limit", 5);
  loop l = make_loop(g, "loop", x, limit, x, 1, NULL);
  TF_Output each = OUT(node(g, "Exit", "each", OUT(TF_GraphOperationByName(g, "loop/merge_v")), NONE, NULL));
  TF_Output sum = OUT(node(g, "TestAdd", "sum", each, l.result, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), sum));
  assert_error(TF_INVALID_ARGUMENT, "input 1 never came");
  assert_error(TF_INVALID_ARGUMENT, "{{node sum}}");
  end_session(s);
  TF_DeleteGraph(g);
}

// Running frames are walked by recursion, so their nesting is limited.
static void test_loops_nested_too_deep(void **state) {
  (void)state;
  enum { DEPTH = 1100 };
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), at = x;
  for (int i = 0; i < DEPTH; i++) {
    char name[24];
    snprintf(name, sizeof name, "enter%d", i);
    at = OUT(enter(g, name, at, name, false, 1));
  }
  TF_Session *s = new_session(g, NULL, 0);
  TF_Tensor *feed = make_scalar(1);
  const TF_Operation *target = at.oper;
  TF_SessionRun(s, NULL, &x, &feed, 1, NULL, NULL, 0, &target, 1, NULL, S);
  assert_error(TF_RESOURCE_EXHAUSTED, "nested more than");
  TF_DeleteTensor(feed);
  end_session(s);
  TF_DeleteGraph(g);
}

// Every loop is a frame of its own in the root iteration, all of them open at once.
static void test_many_loops_side_by_side(void **state) {
  (void)state;
  enum { LOOPS = 2000 };
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), exits[LOOPS];
  TF_Tensor *feed = make_scalar(7), *got[LOOPS];
  for (int i = 0; i < LOOPS; i++) {
    char name[3][24];
    for (int k = 0; k < 3; k++) snprintf(name[k], sizeof name[k], "%s%d", (char *[]){"in", "out", "f"}[k], i);
    exits[i] = OUT(node(g, "Exit", name[1], OUT(enter(g, name[0], x, name[2], false, 1)), NONE, NULL));
  }
  TF_Session *s = new_session(g, NULL, 0);
  for (int run = 0; run < 3; run++) {
    TF_SessionRun(s, NULL, &x, &feed, 1, exits, got, LOOPS, NULL, 0, NULL, S);
    assert_ok();
    for (int i = 0; i < LOOPS; i++) {
      assert_true(first_of(got[i]) == 7);
      TF_DeleteTensor(got[i]);
    }
  }
  TF_DeleteTensor(feed);
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_179_done_later_from_another_thread),
      cmocka_unit_test(test_async_failure_is_reported),
      cmocka_unit_test(test_rule_180_second_report_does_not_count_for_another_node),
      cmocka_unit_test(test_timeout_abandons_async_kernels),
      cmocka_unit_test(test_timeout_of_plain_kernels),
      cmocka_unit_test(test_close_cancels_a_running_step),
      cmocka_unit_test(test_branches),
      cmocka_unit_test(test_many_branches),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_many_loops_side_by_side),
      cmocka_unit_test(test_loop_with_async_body_and_failure),
      cmocka_unit_test(test_nested_loops),
      cmocka_unit_test(test_loop_on_a_branch),
      cmocka_unit_test(test_branch_in_a_loop),
      cmocka_unit_test(test_endless_loop_ends_by_timeout),
      cmocka_unit_test(test_malformed_control_flow),
      cmocka_unit_test(test_merge_outside_follows_a_loop),
      cmocka_unit_test(test_exit_in_every_iteration),
      cmocka_unit_test(test_loops_nested_too_deep),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
