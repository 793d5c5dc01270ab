// Walking a graph, control inputs, and building under the graph's own lock.
#include "graph/graph_test_util.h"

static void test_walk_gives_operations_in_the_order_they_were_added(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  static const char *const names[] = {"first", "second", "third"};
  size_t pos = 0;
  assert_null(TF_GraphNextOperation(graph, &pos));
  for (int i = 0; i < 3; i++) {
    TF_FinishOperation(TF_NewOperation(graph, "TestScalar", names[i]), test_status);
    assert_ok();
  }
  pos = 0;
  for (int i = 0; i < 3; i++)
    assert_string_equal(TF_OperationName(TF_GraphNextOperation(graph, &pos)), names[i]);
  assert_null(TF_GraphNextOperation(graph, &pos));
  assert_null(TF_GraphNextOperation(graph, &pos));
  TF_DeleteGraph(graph);
}

static void test_control_inputs_come_in_order_and_are_cut_at_the_room(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *first = TF_FinishOperation(TF_NewOperation(graph, "TestScalar", "first"), test_status);
  TF_Operation *second = TF_FinishOperation(TF_NewOperation(graph, "TestScalar", "second"), test_status);
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestScalar", "after");
  TF_AddControlInput(desc, first);
  TF_AddControlInput(desc, second);
  TF_Operation *after = TF_FinishOperation(desc, test_status);
  assert_ok();
  TF_Operation *inputs[2] = {NULL, NULL};
  assert_int_equal(TF_OperationNumControlInputs(after), 2);
  assert_int_equal(TF_OperationGetControlInputs(after, inputs, 1), 2);
  assert_null(inputs[1]);
  assert_int_equal(TF_OperationGetControlInputs(after, inputs, 2), 2);
  assert_true((inputs[0] == first && inputs[1] == second) || (inputs[0] == second && inputs[1] == first));
  assert_int_equal(TF_OperationGetControlInputs(first, inputs, 2), 0);
  TF_DeleteGraph(graph);
}

static void test_locked_building_adds_under_a_lock_that_is_held(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  pthread_mutex_lock(&graph->lock);
  TF_Operation *node =
      TF_FinishOperationLocked(TF_NewOperationLocked(graph, "TestScalar", "locked"), test_status);
  TF_Operation *again =
      TF_FinishOperationLocked(TF_NewOperationLocked(graph, "TestScalar", "locked"), test_status);
  pthread_mutex_unlock(&graph->lock);
  assert_error(TF_INVALID_ARGUMENT, "locked");
  assert_non_null(node);
  assert_null(again);
  assert_ptr_equal(TF_GraphOperationByName(graph, "locked"), node);
  TF_DeleteGraph(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walk_gives_operations_in_the_order_they_were_added),
      cmocka_unit_test(test_control_inputs_come_in_order_and_are_cut_at_the_room),
      cmocka_unit_test(test_locked_building_adds_under_a_lock_that_is_held),
  };
  return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
