// v1 while loops through TF_NewWhile and TF_FinishWhile: what is built, and what is refused. Facts from
// stock's while_loop_test.
#include "graph/graph_test_util.h"

static TF_Graph *graph;
static TF_Operation *start;

static TF_WhileParams begin(int inputs) {
  graph = TF_NewGraph();
  start = must_add(graph, "TestScalar", "start", NULL, NULL);
  TF_Output list[] = {output(start, 0), output(start, 0)};
  TF_WhileParams params = TF_NewWhile(graph, list, inputs, test_status);
  assert_ok();
  return params;
}

// while (less(x, limit)) x = unary(x), with constants on both sides.
static TF_WhileParams simple(void) {
  TF_WhileParams params = begin(1);
  TF_Operation *limit = must_add(params.cond_graph, "TestScalar", "limit", NULL, NULL);
  TF_OperationDescription *desc = TF_NewOperation(params.cond_graph, "TestLess", "less");
  TF_AddInput(desc, params.cond_inputs[0]);
  TF_AddInput(desc, output(limit, 0));
  params.cond_output = output(TF_FinishOperation(desc, test_status), 0);
  assert_ok();
  TF_Operation *one = must_add(params.body_graph, "TestScalar", "one", NULL, NULL);
  desc = TF_NewOperation(params.body_graph, "TestPair", "add");
  TF_AddInput(desc, params.body_inputs[0]);
  TF_AddInput(desc, output(one, 0));
  params.body_outputs[0] = output(TF_FinishOperation(desc, test_status), 0);
  assert_ok();
  params.name = "loop";
  return params;
}

static void test_basic_loop(void **state) {
  (void)state;
  TF_WhileParams params = simple();
  assert_int_equal(params.ninputs, 1);
  assert_string_equal(TF_OperationOpType(params.cond_inputs[0].oper), "Placeholder");
  TF_Output result = {NULL, -1};
  TF_FinishWhile(&params, test_status, &result);
  assert_ok();
  assert_string_equal(TF_OperationOpType(result.oper), "Exit");
  assert_string_equal(inputs_of(find(graph, "loop/Enter")), "start:0");
  assert_string_equal(inputs_of(find(graph, "loop/Merge")), "loop/Enter:0 loop/NextIteration:0");
  assert_string_equal(inputs_of(find(graph, "loop/cond/limit")), "^loop/Merge");
  assert_string_equal(inputs_of(find(graph, "loop/cond/less")), "loop/Merge:0 loop/cond/limit:0");
  assert_string_equal(inputs_of(find(graph, "loop/LoopCond")), "loop/cond/less:0");
  assert_string_equal(inputs_of(find(graph, "loop/Switch")), "loop/Merge:0 loop/LoopCond:0");
  assert_string_equal(inputs_of(find(graph, "loop/body/one")), "^loop/Switch");
  assert_string_equal(inputs_of(find(graph, "loop/body/add")), "loop/Switch:1 loop/body/one:0");
  assert_string_equal(inputs_of(find(graph, "loop/NextIteration")), "loop/body/add:0");
  assert_string_equal(inputs_of(find(graph, "loop/Exit")), "loop/Switch:0");
  char frame[8] = "";
  TF_OperationGetAttrString(find(graph, "loop/Enter"), "frame_name", frame, 4, test_status);
  assert_ok();
  assert_string_equal(frame, "loop");
  assert_null(TF_GraphOperationByName(graph, "loop/cond/cond_input0"));
  // The loop survives a round trip.
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, test_status);
  TF_Graph *copy = TF_NewGraph();
  TF_GraphImportGraphDef(copy, def, NULL, test_status);
  assert_ok();
  assert_string_equal(inputs_of(find(copy, "loop/Merge")), "loop/Enter:0 loop/NextIteration:0");
  TF_DeleteBuffer(def);
  TF_DeleteGraph(copy);
  TF_DeleteGraph(graph);
}

static void test_two_variables_swapped(void **state) {
  (void)state;
  TF_WhileParams params = begin(2);
  TF_OperationDescription *desc = TF_NewOperation(params.cond_graph, "TestLess", "less");
  TF_AddInput(desc, params.cond_inputs[0]);
  TF_AddInput(desc, params.cond_inputs[1]);
  params.cond_output = output(TF_FinishOperation(desc, test_status), 0);
  params.body_outputs[0] = params.body_inputs[1];
  params.body_outputs[1] = params.body_inputs[0];
  params.name = "swap";
  TF_Output results[2];
  TF_FinishWhile(&params, test_status, results);
  assert_ok();
  assert_string_equal(inputs_of(find(graph, "swap/NextIteration")), "swap/Switch_1:1");
  assert_string_equal(inputs_of(find(graph, "swap/NextIteration_1")), "swap/Switch:1");
  assert_string_equal(inputs_of(results[1].oper), "swap/Switch_1:0");
  TF_DeleteGraph(graph);
}

static void refuse(TF_WhileParams *params, TF_Code code, const char *message) {
  TF_Output result = {NULL, -1};
  TF_FinishWhile(params, test_status, &result);
  assert_error(code, message);
  assert_null(result.oper);
  assert_string_equal(names_of(graph), "start");
  assert_int_equal(TF_OperationOutputNumConsumers(output(start, 0)), 0);
  TF_DeleteGraph(graph);
}

static void test_what_is_refused(void **state) {
  (void)state;
  TF_WhileParams unnamed = simple();
  unnamed.name = NULL;
  refuse(&unnamed, TF_INVALID_ARGUMENT, "TF_WhileParams `name` field is null");
  TF_WhileParams no_condition = simple();
  no_condition.cond_output = (TF_Output){NULL, -1};
  refuse(&no_condition, TF_INVALID_ARGUMENT, "TF_WhileParams `cond_output` field isn't set");
  TF_WhileParams no_result = simple();
  no_result.body_outputs[0] = (TF_Output){NULL, -1};
  refuse(&no_result, TF_INVALID_ARGUMENT, "TF_WhileParams `body_outputs[0]` field isn't set");
  TF_WhileParams wrong_graph = simple();
  wrong_graph.body_outputs[0] = wrong_graph.cond_output;
  refuse(&wrong_graph, TF_INVALID_ARGUMENT, "body_outputs[0]");
  TF_WhileParams no_bool = simple();
  no_bool.cond_output = output(TF_GraphOperationByName(no_bool.cond_graph, "limit"), 0);
  refuse(&no_bool, TF_INVALID_ARGUMENT,
         "BuildWhileLoop: 'cond' argument must return a boolean output, got float");
  TF_WhileParams other_type = simple();
  other_type.body_outputs[0] = output(must_add(other_type.body_graph, "TestInt", "int", NULL, NULL), 0);
  refuse(&other_type, TF_INVALID_ARGUMENT, "was passed int32");
  TF_WhileParams bad_name = simple();
  bad_name.name = "bad name";
  refuse(&bad_name, TF_INVALID_ARGUMENT, "would lead to invalid node names");
  TF_WhileParams empty = {0};
  TF_FinishWhile(&empty, test_status, NULL);
  assert_error(TF_INVALID_ARGUMENT, "not made by TF_NewWhile");
}

static void test_new_while_and_abort(void **state) {
  (void)state;
  graph = TF_NewGraph();
  TF_Graph *other = TF_NewGraph();
  TF_Output stranger = output(must_add(other, "TestScalar", "s", NULL, NULL), 0);
  TF_WhileParams params = TF_NewWhile(graph, &stranger, 0, test_status);
  assert_error(TF_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
  assert_null(params.cond_graph);
  TF_NewWhile(graph, &stranger, 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "input 0 of TF_NewWhile() is not an output in the graph");
  TF_DeleteGraph(graph);
  TF_DeleteGraph(other);
  TF_WhileParams given_up = simple();
  TF_AbortWhile(&given_up);
  TF_AbortWhile(NULL);
  assert_string_equal(names_of(graph), "start");
  TF_DeleteGraph(graph);
}

static void test_name_in_use(void **state) {
  (void)state;
  TF_WhileParams params = simple();
  must_add(graph, "TestScalar", "loop/Enter", NULL, NULL);
  must_add(graph, "TestScalar", "loop/cond/x", NULL, NULL);
  TF_Output result;
  TF_FinishWhile(&params, test_status, &result);
  assert_ok();
  assert_string_equal(inputs_of(find(graph, "loop_1/Merge")), "loop_1/Enter:0 loop_1/NextIteration:0");
  find(graph, "loop_1/cond/less");
  TF_DeleteGraph(graph);
}

static void test_failed_allocations(void **state) {
  (void)state;
  for (int64_t n = 1;; n++) {
    TF_WhileParams params = simple();
    TF_Output result = {NULL, -1};
    dvt_alloc_fail_at(n);
    TF_FinishWhile(&params, test_status, &result);
    dvt_alloc_fail_at(0);
    bool done = TF_GetCode(test_status) == TF_OK;
    if (!done) assert_string_equal(names_of(graph), "start");
    TF_DeleteGraph(graph);
    if (done) break;
  }
}

static void test_gradients_are_unimplemented(void **state) {
  (void)state;
  graph = TF_NewGraph();
  TF_AddGradients(graph, NULL, 0, NULL, 0, NULL, test_status, NULL);
  assert_error(TF_UNIMPLEMENTED, "TF_AddGradients");
  TF_AddGradientsWithPrefix(graph, "p", NULL, 0, NULL, 0, NULL, test_status, NULL);
  assert_error(TF_UNIMPLEMENTED, "TF_AddGradientsWithPrefix");
  TF_DeleteGraph(graph);
}

static int setup(void **state) {
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_setup(state);
  test_op("Placeholder", unknown,
          SPECS("a:dtype: type", "a:shape: shape = { unknown_rank: true }", "o:output: dtype"));
  test_op("Enter", unknown,
          SPECS("a:T: type", "a:frame_name: string", "a:is_constant: bool = false",
                "a:parallel_iterations: int = 10", "i:data: T", "o:output: T"));
  test_op("Merge", unknown,
          SPECS("a:T: type", "a:N: int >= 1", "i:inputs: N * T", "o:output: T", "o:value_index: int32"));
  test_op("LoopCond", unknown, SPECS("i:input: bool", "o:output: bool"));
  test_op("Switch", unknown,
          SPECS("a:T: type", "i:data: T", "i:pred: bool", "o:output_false: T", "o:output_true: T"));
  test_op("NextIteration", unknown, SPECS("a:T: type", "i:data: T", "o:output: T"));
  test_op("Exit", unknown, SPECS("a:T: type", "i:data: T", "o:output: T"));
  test_op("TestLess", unknown, SPECS("i:a: float", "i:b: float", "o:z: bool"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_basic_loop),
      cmocka_unit_test(test_two_variables_swapped),
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_new_while_and_abort),
      cmocka_unit_test(test_name_in_use),
      cmocka_unit_test(test_failed_allocations),
      cmocka_unit_test(test_gradients_are_unimplemented),
  };
  return cmocka_run_group_tests(tests, setup, test_teardown);
}
