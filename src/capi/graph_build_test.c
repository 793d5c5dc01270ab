// Building graphs through the C ABI: operations, inputs, what is inferred from them, edges, shapes, and what
// stock refuses. Facts from stock's c_api_test; attributes are in graph_attr_test.c.
#include <pthread.h>

#include "graph/graph_test_util.h"

static void test_a_small_graph(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *feed = must_add(graph, "TestFeed", "feed", NULL, NULL);
  TF_Operation *scalar = must_add(graph, "TestScalar", "scalar", NULL, NULL);
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestPair", "pair");
  TF_AddInput(desc, output(feed, 0));
  TF_AddInput(desc, output(scalar, 0));
  TF_AddControlInput(desc, scalar);
  TF_AddControlInput(desc, feed);
  TF_AddControlInput(desc, scalar);
  TF_SetDevice(desc, "/device:CPU:1");
  TF_Operation *pair = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_string_equal(TF_OperationName(pair), "pair");
  assert_string_equal(TF_OperationOpType(pair), "TestPair");
  assert_string_equal(TF_OperationDevice(pair), "/device:CPU:1");
  assert_string_equal(TF_OperationDevice(feed), "");
  assert_int_equal(TF_OperationNumInputs(pair), 2);
  assert_int_equal(TF_OperationNumOutputs(pair), 2);
  assert_int_equal(TF_OperationInputType((TF_Input){pair, 1}), TF_FLOAT);
  assert_int_equal(TF_OperationOutputType(output(pair, 1)), TF_FLOAT);
  assert_string_equal(inputs_of(pair), "feed:0 scalar:0 ^scalar ^feed");
  assert_int_equal(TF_OperationNumControlInputs(pair), 2);
  assert_ptr_equal(TF_GraphOperationByName(graph, "pair"), pair);
  assert_null(TF_GraphOperationByName(graph, "nobody"));
  assert_string_equal(names_of(graph), "feed scalar pair");
  TF_Output all[2];
  TF_OperationAllInputs(pair, all, 2);
  assert_ptr_equal(all[1].oper, scalar);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(NULL);
}

static void test_consumers(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *a = must_add(graph, "TestScalar", "a", NULL, NULL);
  TF_Operation *b = must_add(graph, "TestPair", "b", a, a);
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestUnary", "c");
  TF_AddInput(desc, output(b, 1));
  TF_AddControlInput(desc, a);
  TF_Operation *c = TF_FinishOperation(desc, test_status);
  assert_ok();
  TF_Input readers[4];
  assert_int_equal(TF_OperationOutputNumConsumers(output(a, 0)), 2);
  assert_int_equal(TF_OperationOutputConsumers(output(a, 0), readers, 4), 2);
  assert_ptr_equal(readers[0].oper, b);
  assert_int_equal(readers[0].index, 0);
  assert_int_equal(readers[1].index, 1);
  assert_int_equal(TF_OperationOutputConsumers(output(a, 0), readers, 1), 2);
  assert_int_equal(readers[0].index, 0);
  assert_int_equal(TF_OperationOutputNumConsumers(output(b, 0)), 0);
  assert_int_equal(TF_OperationOutputNumConsumers(output(b, 1)), 1);
  TF_Operation *after[2];
  assert_int_equal(TF_OperationNumControlOutputs(a), 1);
  assert_int_equal(TF_OperationGetControlOutputs(a, after, 2), 1);
  assert_ptr_equal(after[0], c);
  TF_DeleteGraph(graph);
}

static void test_types_and_numbers_follow_from_inputs(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
  TF_Operation *i = must_add(graph, "TestInt", "i", NULL, NULL);
  TF_Output floats[] = {{f, 0}, {f, 0}, {f, 0}}, mixed[] = {{f, 0}, {i, 0}};
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestMany", "many");
  TF_AddInputList(desc, floats, 3);
  TF_Operation *many = TF_FinishOperation(desc, test_status);
  assert_ok();
  int64_t n;
  TF_DataType type;
  TF_OperationGetAttrInt(many, "N", &n, test_status);
  assert_int_equal(n, 3);
  TF_OperationGetAttrType(many, "T", &type, test_status);
  assert_int_equal(type, TF_FLOAT);
  assert_int_equal(TF_OperationInputListLength(many, "xs", test_status), 3);
  assert_int_equal(TF_OperationOutputListLength(many, "y", test_status), 1);
  assert_int_equal(TF_OperationInputListLength(many, "zz", test_status), -1);
  assert_error(TF_INVALID_ARGUMENT, "zz");
  desc = TF_NewOperation(graph, "TestList", "list");
  TF_AddInputList(desc, mixed, 2);
  TF_Operation *list = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_int_equal(TF_OperationOutputType(output(list, 1)), TF_INT32);
  assert_int_equal(TF_OperationOutputListLength(list, "ys", test_status), 2);
  desc = TF_NewOperation(graph, "TestList", "empty");
  TF_AddInputList(desc, NULL, 0);
  TF_Operation *empty = TF_FinishOperation(desc, test_status);
  assert_int_equal(TF_OperationNumInputs(empty), 0);
  TF_DeleteGraph(graph);
}

// Every message is followed by what was being built.
static void test_wrong_inputs(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph(), *other = TF_NewGraph();
  TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
  TF_Operation *i = must_add(graph, "TestInt", "i", NULL, NULL);
  TF_Operation *stranger = must_add(other, "TestScalar", "s", NULL, NULL);
  TF_Output mixed[] = {{f, 0}, {i, 0}};
  assert_null(add_node(graph, "TestUnary", "x", NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT,
               "0 inputs specified of 1 inputs in Op while building NodeDef 'x' using Op<name=TestUnary");
  assert_null(add_node(graph, "TestUnary", "x", f, f));
  assert_error(TF_INVALID_ARGUMENT, "More Input() calls than the 1 input_args");
  assert_null(add_node(graph, "TestUnary", "x", i, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Input 'x' passed int32 expected float");
  assert_null(add_node(graph, "TestPair", "x", f, i));
  assert_error(TF_INVALID_ARGUMENT, "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32");
  assert_null(add_node(graph, "TestMany", "x", f, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Single tensor passed to 'xs', expected list");
  assert_null(add_node(graph, "TestAssign", "x", f, f));
  assert_error(TF_INVALID_ARGUMENT, "Input 'ref' passed float expected float_ref");
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestUnary", "x");
  TF_AddInputList(desc, mixed, 1);
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "List provided to input 'x' when single Tensor expected");
  desc = TF_NewOperation(graph, "TestMany", "x");
  TF_AddInputList(desc, mixed, 2);
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "Input 'xs' passed int32 expected float");
  assert_null(add_node(graph, "TestUnary", "x", stranger, NULL));
  assert_error(TF_INVALID_ARGUMENT, "node of another graph");
  desc = TF_NewOperation(graph, "TestUnary", "x");
  TF_AddInput(desc, output(f, 1));
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "Node 'f' (type: 'TestScalar', num of outputs: 1) does not have output 1");
  desc = TF_NewOperation(graph, "TestUnary", "x");
  TF_AddInput(desc, output(NULL, 0));
  TF_AddControlInput(desc, NULL);
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  assert_string_equal(names_of(graph), "f i");
  assert_int_equal(TF_OperationOutputNumConsumers(output(f, 0)), 0);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(other);
}

static void test_names_and_ops(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_add(graph, "TestScalar", "a", NULL, NULL);
  assert_null(add_node(graph, "TestScalar", "a", NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Duplicate node name in graph: 'a'");
  assert_null(add_node(graph, "NoSuchOpAtAll", "b", NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Op type not registered 'NoSuchOpAtAll'");
  must_add(graph, "TestScalar", "_in ternal", NULL, NULL);  // any name will do, as in stock
  assert_null(TF_FinishOperation(NULL, test_status));
  assert_error(TF_INVALID_ARGUMENT, "");
  assert_null(TF_NewOperation(NULL, "TestScalar", "x"));
  assert_string_equal(names_of(graph), "a _in ternal");
  TF_DeleteGraph(graph);
}

// Rule 72.
static void test_rule_072_shape_function_is_required(void **state) {
  (void)state;
  test_op("TestNoShape", NULL, SPECS("o:y: float"));
  TF_Graph *graph = TF_NewGraph();
  assert_null(add_node(graph, "TestNoShape", "n", NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT,
               "No shape inference function exists for op 'TestNoShape', did you forget to define it?");
  TF_SetRequireShapeInferenceFns(graph, false);
  TF_Operation *n = must_add(graph, "TestNoShape", "n", NULL, NULL);
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(n, 0), test_status), -1);
  TF_DeleteGraph(graph);
}

static int shape_calls;
static void counting(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  shape_calls++;
  if (TF_ShapeInferenceContextNumInputs(ctx) == 2) TF_SetStatus(status, TF_DATA_LOSS, "two are too many");
}

// Rules 73, 74, 75.
static void test_rule_073_074_075_shape_function(void **state) {
  (void)state;
  test_op("TestCount", counting, SPECS("a:N: int >= 0", "i:xs: N * float", "o:y: float", "o:z: float"));
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
  TF_Operation *g = must_add(graph, "TestFeed", "g", NULL, NULL);
  TF_Output both[] = {{f, 0}, {g, 0}};
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestCount", "one");
  TF_AddInputList(desc, both, 1);
  TF_Operation *one = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_int_equal(shape_calls, 1);
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(one, 1), test_status), -1);
  desc = TF_NewOperation(graph, "TestCount", "two");
  TF_AddInputList(desc, both, 2);
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_DATA_LOSS,
               "two are too many for '{{node two}} = TestCount[N=2](f, g)' with input shapes: [], ?.");
  must_add(graph, "TestScalar", "two", NULL, NULL);
  TF_DeleteGraph(graph);
}

static void test_shapes(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *feed = must_add(graph, "TestFeed", "feed", NULL, NULL);
  TF_Output out = output(feed, 0);
  int64_t dims[3] = {2, -1, 9};
  assert_int_equal(TF_GraphGetTensorNumDims(graph, out, test_status), -1);
  TF_GraphSetTensorShape(graph, out, NULL, -1, test_status);
  assert_ok();
  assert_int_equal(TF_GraphGetTensorNumDims(graph, out, test_status), -1);
  TF_GraphSetTensorShape(graph, out, dims, 2, test_status);
  assert_ok();
  assert_int_equal(TF_GraphGetTensorNumDims(graph, out, test_status), 2);
  dims[0] = dims[1] = 77;
  TF_GraphGetTensorShape(graph, out, dims, 2, test_status);
  assert_ok();
  assert_int_equal(dims[0], 2);
  assert_int_equal(dims[1], -1);
  TF_GraphSetTensorShape(graph, out, (int64_t[]){-1, 3}, 2, test_status);  // narrows
  assert_ok();
  TF_GraphGetTensorShape(graph, out, dims, 2, test_status);
  assert_int_equal(dims[0], 2);
  assert_int_equal(dims[1], 3);
  TF_GraphSetTensorShape(graph, out, (int64_t[]){-1, -1}, 2, test_status);  // unknown changes nothing
  TF_GraphGetTensorShape(graph, out, dims, 2, test_status);
  assert_int_equal(dims[1], 3);
  TF_GraphGetTensorShape(graph, out, dims, 5, test_status);
  assert_error(TF_INVALID_ARGUMENT, "rank");
  TF_GraphSetTensorShape(graph, out, (int64_t[]){2, 5}, 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Dimension 1");
  TF_GraphSetTensorShape(graph, out, (int64_t[]){2}, 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "rank");
  TF_GraphSetTensorShape(graph, out, (int64_t[]){-2, 3}, 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "-2");
  TF_Operation *next = must_add(graph, "TestUnary", "next", feed, NULL);
  TF_GraphGetTensorShape(graph, output(next, 0), dims, 2, test_status);
  assert_ok();
  assert_int_equal(dims[1], 3);
  TF_Operation *scalar = must_add(graph, "TestScalar", "scalar", NULL, NULL);
  TF_GraphGetTensorShape(graph, output(scalar, 0), NULL, 0, test_status);
  assert_ok();
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(scalar, 1), test_status), -1);
  assert_error(TF_INVALID_ARGUMENT, "");
  TF_GraphGetTensorShape(graph, output(NULL, 0), dims, 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "not found in the graph");
  TF_DeleteGraph(graph);
}

static void test_invalid_questions_are_answered(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
  assert_int_equal(TF_OperationOutputType(output(f, 1)), 0);
  assert_int_equal(TF_OperationOutputType(output(f, -1)), 0);
  assert_int_equal(TF_OperationInputType((TF_Input){f, 0}), 0);
  assert_null(TF_OperationInput((TF_Input){f, 0}).oper);
  assert_int_equal(TF_OperationInput((TF_Input){f, 0}).index, -1);
  assert_int_equal(TF_OperationOutputNumConsumers(output(f, 3)), 0);
  assert_int_equal(TF_OperationNumInputs(NULL), 0);
  assert_null(TF_OperationName(NULL));
  TF_DeleteGraph(graph);
}

static void test_op_def(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GraphGetOpDef(graph, "TestUnary", buffer, test_status);
  assert_ok();
  dvt_buf text = {0};
  assert_status_ok(
      dvt_text_print(&dvt_schema_op_def, dvt_str_make(buffer->data, buffer->length), true, &text));
  assert_non_null(strstr(text.data, "name: \"TestUnary\""));
  dvt_buf_deinit(&text);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  TF_GraphGetOpDef(graph, "NoSuchOpAtAll", buffer, test_status);
  assert_error(TF_NOT_FOUND, "NoSuchOpAtAll");
  TF_DeleteBuffer(buffer);
  TF_DeleteGraph(graph);
}

static void test_node_def_and_debug_string(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestPair", "p");
  TF_AddInput(desc, output(f, 0));
  TF_AddInput(desc, output(f, 0));
  TF_AddControlInput(desc, f);
  TF_Operation *p = TF_FinishOperation(desc, test_status);
  must_add(graph, "TestUnary", "u", p, NULL);
  TF_Buffer *buffer = TF_NewBuffer();
  TF_OperationToNodeDef(p, buffer, test_status);
  assert_ok();
  TF_Buffer *expected = parse_text(&dvt_schema_node_def,
                                   "name: 'p' op: 'TestPair' input: 'f' input: 'f' input: '^f'"
                                   " attr { key: 'T' value { type: DT_FLOAT } }");
  assert_int_equal(buffer->length, expected->length);
  assert_memory_equal(buffer->data, expected->data, expected->length);
  TF_DeleteBuffer(buffer);
  TF_DeleteBuffer(expected);
  TF_DeleteGraph(graph);
}

static void test_colocation(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *a = must_add(graph, "TestScalar", "a", NULL, NULL);
  TF_Operation *b = must_add(graph, "TestScalar", "b", NULL, NULL);
  const void *strings[] = {"loc:@z"};
  size_t lengths[] = {6};
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestUnary", "c");
  TF_AddInput(desc, output(a, 0));
  TF_ColocateWith(desc, b);
  TF_SetAttrStringList(desc, "_class", strings, lengths, 1);  // replaces
  TF_ColocateWith(desc, b);
  TF_ColocateWith(desc, a);
  TF_ColocateWith(desc, b);
  TF_Operation *c = TF_FinishOperation(desc, test_status);
  assert_ok();
  void *values[4];
  size_t got[4];
  char storage[64];
  TF_OperationGetAttrStringList(c, "_class", values, got, 4, storage, sizeof storage, test_status);
  assert_ok();
  assert_int_equal(TF_OperationGetAttrMetadata(c, "_class", test_status).list_size, 3);
  assert_memory_equal(values[0], "loc:@a", 6);
  assert_memory_equal(values[1], "loc:@b", 6);
  assert_memory_equal(values[2], "loc:@z", 6);
  desc = TF_NewOperation(graph, "TestScalar", "d");
  TF_Buffer *number = parse_text(&dvt_schema_attr_value, "i: 3");
  TF_SetAttrValueProto(desc, "_class", number->data, number->length, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Expected \"list\" field for \"_class\" attribute");
  TF_DeleteBuffer(number);
  TF_FinishOperation(desc, test_status);
  assert_ok();
  TF_DeleteGraph(graph);
}

static void test_many_control_inputs(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestEffect", "last");
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    TF_Operation *node = must_add(graph, "TestEffect", name, NULL, NULL);
    TF_AddControlInput(desc, node);
    TF_AddControlInput(desc, node);
  }
  TF_Operation *last = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_int_equal(TF_OperationNumControlInputs(last), COUNT);
  TF_DeleteGraph(graph);
}

typedef struct worker {
  TF_Graph *graph;
  TF_Operation *source;
  int number;
} worker;

static void *build(void *arg) {
  worker *w = arg;
  TF_Status *status = TF_NewStatus();
  TF_Operation *last = w->source;
  for (int i = 0; i < 200; i++) {
    char name[32];
    snprintf(name, sizeof name, "w%d/n%d", w->number, i);
    TF_OperationDescription *desc = TF_NewOperation(w->graph, "TestSame", name);
    TF_AddInput(desc, output(last, 0));
    last = TF_FinishOperation(desc, status);
    TF_OperationOutputNumConsumers(output(w->source, 0));
    TF_GraphOperationByName(w->graph, "source");
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void test_built_from_many_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  worker workers[THREADS];
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *source = must_add(graph, "TestScalar", "source", NULL, NULL);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){graph, source, i};
    pthread_create(&threads[i], NULL, build, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(graph->node_count, 1 + THREADS * 200);
  assert_int_equal(TF_OperationOutputNumConsumers(output(source, 0)), THREADS);
  TF_DeleteGraph(graph);
}

static void test_failed_allocations(void **state) {
  (void)state;
  for (int64_t n = 1;; n++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Operation *f = must_add(graph, "TestScalar", "f", NULL, NULL);
    dvt_alloc_fail_at(n);
    TF_OperationDescription *desc = TF_NewOperation(graph, "TestPair", "p");
    TF_Operation *p = NULL;
    if (desc) {
      TF_AddInput(desc, output(f, 0));
      TF_AddInput(desc, output(f, 0));
      TF_ColocateWith(desc, f);
      p = TF_FinishOperation(desc, test_status);
    }
    dvt_alloc_fail_at(0);
    assert_int_equal(graph->node_count, p ? 2 : 1);
    TF_DeleteGraph(graph);
    if (p) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_small_graph),
      cmocka_unit_test(test_consumers),
      cmocka_unit_test(test_types_and_numbers_follow_from_inputs),
      cmocka_unit_test(test_wrong_inputs),
      cmocka_unit_test(test_names_and_ops),
      cmocka_unit_test(test_rule_072_shape_function_is_required),
      cmocka_unit_test(test_rule_073_074_075_shape_function),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_invalid_questions_are_answered),
      cmocka_unit_test(test_op_def),
      cmocka_unit_test(test_node_def_and_debug_string),
      cmocka_unit_test(test_colocation),
      cmocka_unit_test(test_many_control_inputs),
      cmocka_unit_test(test_built_from_many_threads),
      cmocka_unit_test(test_failed_allocations),
  };
  return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
