// Changing nodes of a graph that sessions have run: what such a change does is compared with what stock
// TensorFlow does (the old edges stay in the session, one warning at its next step, new sessions follow the
// change).
#include "base/log.h"
#include "exec/exec_test_util.h"
#include "tensorflow/c/c_api_experimental.h"

static int warning_count;
static char last_warning[512];

static void listen(const char *line) {
  if (!strstr(line, "was changed by")) return;
  warning_count++;
  snprintf(last_warning, sizeof last_warning, "%s", line);
}

static int listen_anew(void **state) {
  (void)state;
  warning_count = 0;
  dvt_log_set_listener(listen);
  return 0;
}
static int stop_listening(void **state) {
  (void)state;
  dvt_log_set_listener(NULL);
  return 0;
}

static void test_moved_edge_is_not_followed(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output one = placeholder(g, "one", TF_FLOAT), two = placeholder(g, "two", TF_FLOAT);
  TF_Output y = OUT(node(g, "TestIdentity", "y", one, NONE, NULL));
  TF_Output z = OUT(node(g, "TestDouble", "z", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, one, make_scalar(1), y) == 1);
  TF_UpdateEdge(g, two, (TF_Input){y.oper, 0}, S);
  assert_ok();
  assert_int_equal(warning_count, 0);
  assert_true(run_float(s, one, make_scalar(1), y) == 1);
  assert_int_equal(warning_count, 1);
  assert_non_null(strstr(last_warning, "'y' (TestIdentity) was changed by updating input tensor"));
  // Plans that are made later read the node as the session first saw it, too.
  assert_true(run_float(s, one, make_scalar(1), z) == 2);
  TF_Output w = OUT(node(g, "TestDouble", "w", z, NONE, NULL));
  assert_true(run_float(s, one, make_scalar(1), w) == 4);
  assert_int_equal(warning_count, 1);
  TF_Session *fresh = new_session(g, NULL, 0);
  assert_true(run_float(fresh, two, make_scalar(2), w) == 8);
  assert_int_equal(warning_count, 1);
  end_session(fresh);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_change_in_time_counts(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output one = placeholder(g, "one", TF_FLOAT), two = placeholder(g, "two", TF_FLOAT);
  TF_Output y = OUT(node(g, "TestIdentity", "y", one, NONE, NULL));
  TF_Output z = OUT(node(g, "TestDouble", "z", one, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  TF_UpdateEdge(g, two, (TF_Input){y.oper, 0}, S);
  assert_ok();
  assert_true(run_float(s, two, make_scalar(5), y) == 5);
  TF_UpdateEdge(g, two, (TF_Input){z.oper, 0}, S);  // not run yet
  assert_ok();
  assert_true(run_float(s, two, make_scalar(5), z) == 10);
  assert_int_equal(warning_count, 0);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_other_changes(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Operation *effect = node(g, "TestEffect", "effect", NONE, NONE, NULL);
  TF_Operation *before = node(g, "NoOp", "before", NONE, NONE, NULL);
  TF_Operation *reader = node(g, "TestCounter", "reader", NONE, NONE, before);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, NONE, NULL, OUT(reader)) == 1);
  atomic_store(&effect_calls, 0);
  TF_AddOperationControlInput(g, reader, effect);
  assert_true(run_float(s, NONE, NULL, OUT(reader)) == 2);  // the kernel stays, with its state
  assert_non_null(strstr(last_warning, "adding control input"));
  TF_Output both[] = {OUT(reader), OUT(reader)};
  TF_Tensor *got[2];
  TF_SessionRun(s, NULL, NULL, NULL, 0, both, got, 2, NULL, 0, NULL, S);
  assert_ok();
  TF_DeleteTensor(got[0]);
  TF_DeleteTensor(got[1]);
  assert_int_equal(atomic_load(&effect_calls), 0);
  TF_Buffer value = {"\x18\x05", 2, NULL};  // AttrValue.i = 5
  TF_SetAttr(g, reader, "_x", &value, S);
  assert_ok();
  TF_SetRequestedDevice(g, before, "/cpu:0");
  TF_SetAttr(g, effect, "_x", &value, S);  // newest, but this session never ran it
  assert_ok();
  run_float(s, NONE, NULL, OUT(reader));
  assert_int_equal(warning_count, 2);  // the newest that matters, once
  assert_non_null(strstr(last_warning, "'before' (NoOp) was changed by setting device"));
  TF_RemoveAllControlInputs(g, reader);
  run_float(s, NONE, NULL, OUT(reader));
  assert_int_equal(warning_count, 3);
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_moved_edge_is_not_followed, listen_anew, stop_listening),
      cmocka_unit_test_setup_teardown(test_change_in_time_counts, listen_anew, stop_listening),
      cmocka_unit_test_setup_teardown(test_other_changes, listen_anew, stop_listening),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
