// Every allocation of session creation and of the first runs fails once: the call reports RESOURCE_EXHAUSTED,
// or succeeds without what it could not have, and nothing leaks or breaks; the same session then works.
#include "base/thread_cache.h"
#include "exec/exec_test_util.h"

static TF_Graph *graph;
static TF_Output x, pred, plain, branched, called, looped;

static void build_graph(void) {
  graph = TF_NewGraph();
  TF_Graph *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT), by = OUT(node(body, "TestDouble", "by", bx, NONE, NULL));
  add_function(graph, "twice", body, 1, &bx, 1, &by, 0, NULL, NULL);
  TF_DeleteGraph(body);
  x = placeholder(graph, "x", TF_FLOAT);
  pred = placeholder(graph, "pred", TF_BOOL);
  TF_Output c = float_constant(graph, "c", 3),
            folded = OUT(node(graph, "TestDouble", "folded", c, NONE, NULL));
  plain =
      OUT(node(graph, "TestAdd", "plain", OUT(node(graph, "TestDouble", "d", x, NONE, NULL)), folded, NULL));
  called = OUT(call(graph, "PartitionedCall", "called", "twice", 1, &plain, 1, NULL));
  TF_Operation *sw = node(graph, "Switch", "sw", plain, pred, NULL);
  branched = OUT(merge(graph, "m", OUT(sw), OUT(node_ms(graph, "TestAsync", "a", OUT1(sw), 0))));
  TF_Output ev = OUT(enter(graph, "ev", x, "f", false, 2)),
            el = OUT(enter(graph, "el", folded, "f", true, 2));
  TF_Operation *mv = merge(graph, "mv", ev, ev);
  TF_Output cond = OUT(
      node(graph, "LoopCond", "cond", OUT(node(graph, "TestLess", "less", OUT(mv), el, NULL)), NONE, NULL));
  TF_Operation *sv = node(graph, "Switch", "sv", OUT(mv), cond, NULL);
  TF_Output grown = OUT(node(graph, "TestAdd", "grown", OUT1(sv), OUT1(sv), NULL));
  TF_UpdateEdge(graph, OUT(node(graph, "NextIteration", "nv", grown, NONE, NULL)), (TF_Input){mv, 1}, S);
  assert_ok();
  looped = OUT(node(graph, "Exit", "looped", OUT(sv), NONE, NULL));
}

static const struct {
  TF_Output *fetch;
  float wanted;
} fetches[] = {{&plain, 8}, {&called, 16}, {&branched, 8}, {&looped, 8}};

// One step with the nth allocation failing. True when it got through.
static bool run_with_failure(TF_Session *session, int which, int64_t nth, bool trace) {
  TF_Output feeds[] = {x, pred};
  TF_Tensor *values[] = {make_scalar(1), make_bool(true)}, *got = NULL;
  dvt_run_options options = {.trace = trace};
  dvt_buf metadata = {0};
  dvt_cache_drain();
  dvt_alloc_fail_at(nth);
  dvt_status status = dvt_session_run(session, &options, feeds, values, 2, fetches[which].fetch, &got, 1,
                                      NULL, 0, trace ? &metadata : NULL);
  dvt_alloc_fail_at(0);
  if (status)
    assert_null(got);
  else
    assert_true(first_of(got) == fetches[which].wanted);
  bool ok = !status;
  if (status && dvt_status_code(status) != TF_RESOURCE_EXHAUSTED && dvt_status_code(status) != TF_INTERNAL)
    fail_msg("code %d: %s", dvt_status_code(status), dvt_status_message(status));
  dvt_status_free(status);
  dvt_buf_deinit(&metadata);
  TF_DeleteTensor(got);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(values[1]);
  return ok;
}

static void test_session_creation(void **state) {
  (void)state;
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, "\x10\x03", 2, S);
  assert_ok();
  bool done = false;
  for (int64_t nth = 1; !done; nth++) {
    TF_Session *session = NULL;
    dvt_alloc_fail_at(nth);
    dvt_status status = dvt_session_create(graph, options, &session);
    done = dvt_alloc_attempts() < nth;
    dvt_alloc_fail_at(0);
    assert_true((status != NULL) == (session == NULL));
    if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
    dvt_status_free(status);
    dvt_session_destroy(session);
  }
  TF_DeleteSessionOptions(options);
}

// Kernels see failed allocations too, and report them or leave an output unset; what matters is that each run
// ends, and that the session recovers.
static void test_first_runs(void **state) {
  (void)state;
  for (int which = 0; which < (int)DVT_COUNT_OF(fetches); which++)
    for (int trace = 0; trace < 2; trace++) {
      int in_a_row = 0;
      for (int64_t nth = 1; in_a_row < 40 && nth < 2000; nth++) {
        TF_Session *session = new_session(graph, NULL, 0);
        in_a_row = run_with_failure(session, which, nth, trace) ? in_a_row + 1 : 0;
        assert_true(run_with_failure(session, which, 0, trace));
        end_session(session);
      }
      assert_true(in_a_row >= 40);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_session_creation),
      cmocka_unit_test(test_first_runs),
  };
  void *none = NULL;
  set_up_ops(&none);
  build_graph();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  TF_DeleteGraph(graph);
  return failed + tear_down_ops(&none);
}
