// Which nodes run once for several, and which must not; kernels count their calls.
#include "exec/exec_test_util.h"

static int set_up(void **state) {
  if (set_up_ops(state) != 0) return 1;
  register_op("TestCountingDouble", "x: float -> y: float", true);
  add_kernel("TestCountingDouble", NULL, double_compute, NULL);
  register_op("Identity", "input: T -> output: T | T: type", false);
  add_kernel("Identity", NULL, identity_compute, NULL);
  return 0;
}

static TF_Operation *twice(TF_Graph *g, const char *name, TF_Output x) {
  return node(g, "TestDouble", name, x, NONE, NULL);
}
static TF_Operation *sum(TF_Graph *g, TF_Operation *a, TF_Operation *b) {
  return node(g, "TestAdd", "sum", OUT(a), OUT(b), NULL);
}

// Calls of the doubling kernels in one step that feeds 3 and fetches `y`, which must be `wanted`.
static int calls(TF_Graph *g, TF_Output x, TF_Operation *y, float wanted, const void *config,
                 size_t config_bytes) {
  TF_Session *session = new_session(g, config, config_bytes);
  int before = atomic_load(&pure_calls);
  assert_float_equal(run_float(session, x, make_scalar(3), OUT(y)), wanted, 0);
  int count = atomic_load(&pure_calls) - before;
  end_session(session);
  return count;
}

static void test_equal_nodes_run_once(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  // 4 x by two equal chains, one of them through an Identity.
  TF_Operation *a = twice(g, "a2", OUT(twice(g, "a", x))),
               *b = twice(g, "b2", OUT(node(g, "Identity", "same", OUT(twice(g, "b", x)), NONE, NULL)));
  TF_Operation *y = sum(g, a, b);
  assert_int_equal(calls(g, x, y, 24, NULL, 0), 2);
  // graph_options { rewrite_options { common_subgraph_elimination: OFF } }
  const unsigned char off[] = {0x52, 5, 0x52, 3, 0xc0, 1, 2};
  assert_int_equal(calls(g, x, y, 24, off, sizeof off), 4);
  setenv("DOVETAIL_OPTIMIZE", "fold,fuse", 1);
  assert_int_equal(calls(g, x, y, 24, NULL, 0), 4);
  setenv("DOVETAIL_OPTIMIZE", "share", 1);
  assert_int_equal(calls(g, x, y, 24, NULL, 0), 2);
  unsetenv("DOVETAIL_OPTIMIZE");
  TF_DeleteGraph(g);
}

static void test_constants_are_compared_by_value(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *sums[3];
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%d", i);
    TF_Output c = float_constant(g, name, i < 2 ? 5 : -0.0f);
    name[0] = 's';
    TF_Operation *shifted = node(g, "TestAdd", name, x, c, NULL);
    name[0] = 'd';
    sums[i] = twice(g, name, OUT(shifted));
  }
  TF_Operation *y = node(g, "TestAdd", "most", OUT(sum(g, sums[0], sums[1])), OUT(sums[2]), NULL);
  assert_int_equal(calls(g, x, y, 38, NULL, 0), 2);
  TF_DeleteGraph(g);
}

static void test_effects_and_order_are_kept(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *a = node(g, "TestCountingDouble", "a", x, NONE, NULL),
               *b = node(g, "TestCountingDouble", "b", x, NONE, NULL);
  assert_int_equal(calls(g, x, sum(g, a, b), 12, NULL, 0), 2);
  TF_DeleteGraph(g);

  g = TF_NewGraph();
  x = placeholder(g, "x", TF_FLOAT);
  a = twice(g, "a", x);
  b = node(g, "TestDouble", "b", x, NONE, node(g, "TestEffect", "before", NONE, NONE, NULL));
  assert_int_equal(calls(g, x, sum(g, a, b), 12, NULL, 0), 2);
  TF_DeleteGraph(g);
}

static void test_attributes_and_inputs_tell_apart(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *halves = node(g, "TestHalves", "halves", x, NONE, NULL);
  TF_Operation *first = node(g, "TestDouble", "first", OUT(halves), NONE, NULL),
               *second = node(g, "TestDouble", "second", OUT1(halves), NONE, NULL);
  TF_Operation *y = sum(g, first, second), *slow = node_ms(g, "TestSleep", "slow", x, 1),
               *slower = node_ms(g, "TestSleep", "slower", x, 2),
               *late = node(g, "TestAdd", "late", OUT(slow), OUT(slower), NULL);
  TF_Session *session = new_session(g, NULL, 0);
  assert_float_equal(run_float(session, x, make_vector(2, 1), OUT(y)), 6, 0);
  assert_float_equal(run_float(session, x, make_vector(2, 1), OUT(late)), 2, 0);
  end_session(session);
  TF_DeleteGraph(g);
}

// Every name answers, also those whose readers read another.
static void test_fetched_names_answer(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *a = twice(g, "a", x), *b = twice(g, "b", x),
               *same = node(g, "Identity", "same", OUT(b), NONE, NULL), *y = sum(g, a, same);
  TF_Output fetches[] = {OUT(a), OUT(b), OUT(same), OUT(y)};
  TF_Tensor *value = make_scalar(3), *values[4] = {0};
  TF_Session *session = new_session(g, NULL, 0);
  TF_SessionRun(session, NULL, &x, &value, 1, fetches, values, 4, NULL, 0, NULL, S);
  assert_ok();
  for (int i = 0; i < 4; i++) {
    assert_float_equal(first_of(values[i]), i < 3 ? 6 : 12, 0);
    TF_DeleteTensor(values[i]);
  }
  TF_DeleteTensor(value);
  // What is fed is not what the other computes.
  assert_float_equal(run_float(session, OUT(a), make_scalar(3), OUT(a)), 3, 0);
  end_session(session);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_nodes_run_once),
      cmocka_unit_test(test_constants_are_compared_by_value),
      cmocka_unit_test(test_effects_and_order_are_kept),
      cmocka_unit_test(test_attributes_and_inputs_tell_apart),
      cmocka_unit_test(test_fetched_names_answer),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
