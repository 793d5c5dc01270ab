// GraphDef import: order, names, options, versions, and input that is wrong. Expectations are those of
// stock's graph_constructor_test and c_api_test.
#include "graph/graph_test_util.h"
#include "tensorflow/c/c_api_experimental.h"

static void test_nodes_in_any_order(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_import(
      graph,
      "node { name: 'c' op: 'TestPair' input: 'a' input: 'b:0' attr { key: 'T' value { type: DT_FLOAT } } }"
      "node { name: 'b' op: 'TestUnary' input: 'a' input: '^d' }"
      "node { name: 'd' op: 'TestEffect' }"
      "node { name: 'a' op: 'TestScalar' }"
      "node { name: 'e' op: 'TestUnary' input: 'c:1' }",
      NULL);
  // The first node of the list that is ready comes next, as in stock.
  assert_string_equal(names_of(graph), "d a b c e");
  assert_string_equal(inputs_of(find(graph, "c")), "a:0 b:0");
  assert_string_equal(inputs_of(find(graph, "b")), "a:0 ^d");
  assert_string_equal(inputs_of(find(graph, "e")), "c:1");
  assert_int_equal(TF_OperationOutputNumConsumers(output(find(graph, "a"), 0)), 2);
  assert_int_equal(TF_OperationNumControlOutputs(find(graph, "d")), 1);
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(find(graph, "b"), 0), test_status), 0);
  TF_DeleteGraph(graph);
}

static void test_round_trip_is_stable(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph(), *copy = TF_NewGraph();
  must_import(
      graph,
      "node { name: 'a' op: 'TestFeed' device: '/cpu:0' attr { key: 'dtype' value { type: DT_INT32 } } }"
      "node { name: 'b' op: 'TestSame' input: 'a' input: '^z' input: '^y' attr { key: 'T' value { type: "
      "DT_INT32 } }"
      "  experimental_debug_info { original_node_names: 'old' } }"
      "node { name: 'z' op: 'TestEffect' } node { name: 'y' op: 'TestEffect' }"
      "library { function { signature { name: 'f' } } } versions { producer: 1000 min_consumer: 3 }",
      NULL);
  TF_Buffer *first = TF_NewBuffer(), *second = TF_NewBuffer();
  TF_GraphToGraphDef(graph, first, test_status);
  assert_ok();
  TF_GraphImportGraphDef(copy, first, NULL, test_status);
  assert_ok();
  TF_GraphToGraphDef(copy, second, test_status);
  assert_int_equal(first->length, second->length);
  assert_memory_equal(first->data, second->data, first->length);
  dvt_buf text = {0};
  assert_status_ok(
      dvt_text_print(&dvt_schema_graph_def, dvt_str_make(first->data, first->length), true, &text));
  assert_non_null(strstr(text.data, "unknown_rank: true"));  // a default is written out
  assert_non_null(strstr(text.data, "producer: 1000"));
  assert_non_null(strstr(text.data, "min_consumer: 12"));  // because of the function
  assert_non_null(strstr(text.data, "original_node_names: \"old\""));
  assert_true(strstr(text.data, "\"^y\"") < strstr(text.data, "\"^z\""));  // control inputs are sorted
  dvt_buf_deinit(&text);
  TF_DeleteBuffer(first);
  TF_DeleteBuffer(second);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(copy);
}

static const char chain[] =
    "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a' input: '^a' }";

static void test_prefix(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  must_import(graph, chain, options);
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "Node name 'a' already exists in the Graph");
  TF_ImportGraphDefOptionsSetPrefix(options, "imported");
  must_import(graph, chain, options);
  assert_string_equal(names_of(graph), "a b imported/a imported/b");
  assert_string_equal(inputs_of(find(graph, "imported/b")), "imported/a:0 ^imported/a");
  TF_ImportGraphDefOptionsSetPrefix(options, "with_slash/");
  must_import(graph, chain, options);
  find(graph, "with_slash/a");
  must_not_import(graph, chain, options);  // the same prefix gives the same names
  TF_ImportGraphDefOptionsSetPrefix(options, "a~b");
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "would lead to invalid node names");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_unique_prefix(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "p");
  TF_ImportGraphDefOptionsSetUniquifyPrefix(options, 1);
  must_import(graph, chain, options);
  must_import(graph, chain, options);
  must_import(graph, chain, options);
  assert_string_equal(names_of(graph), "p/a p/b p_1/a p_1/b p_2/a p_2/b");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_unique_names(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  must_add(graph, "TestScalar", "a", NULL, NULL);
  must_add(graph, "TestScalar", "scope/x", NULL, NULL);
  TF_ImportGraphDefOptionsSetUniquifyNames(options, 1);
  TF_ImportGraphDefOptionsAddReturnOperation(options, "a");
  TF_ImportGraphDefResults *results =
      import_text(graph,
                  "node { name: 'a' op: 'TestScalar' } node { name: 'a_1' op: 'TestScalar' }"
                  "node { name: 'scope' op: 'TestUnary' input: 'a' input: '^a_1'"
                  "  attr { key: '_class' value { list { s: 'loc:@a' s: 'loc:@a_1' s: 'other' } } } }",
                  options);
  assert_ok();
  // a_1 is in the GraphDef, so that a becomes a_2; scope is taken as a scope.
  assert_string_equal(names_of(graph), "a scope/x a_2 a_1 scope_1");
  assert_string_equal(inputs_of(find(graph, "scope_1")), "a_2:0 ^a_1");
  TF_Operation **nodes;
  int count;
  TF_ImportGraphDefResultsReturnOperations(results, &count, &nodes);
  assert_int_equal(count, 1);
  assert_ptr_equal(nodes[0], find(graph, "a_2"));
  TF_DeleteImportGraphDefResults(results);
  void *values[3];
  size_t lengths[3];
  char storage[64];
  TF_OperationGetAttrStringList(find(graph, "scope_1"), "_class", values, lengths, 3, storage, sizeof storage,
                                test_status);
  assert_ok();
  assert_memory_equal(values[0], "loc:@a_2", lengths[0]);
  assert_memory_equal(values[1], "loc:@a_1", lengths[1]);
  assert_memory_equal(values[2], "other", lengths[2]);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_input_mapping(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *feed = must_add(graph, "TestScalar", "feed", NULL, NULL);
  TF_Operation *effect = must_add(graph, "TestEffect", "effect", NULL, NULL);
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "p");
  TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, output(feed, 0));
  TF_ImportGraphDefOptionsAddInputMapping(options, "nowhere", 3, output(feed, 0));
  TF_ImportGraphDefOptionsAddInputMapping(options, "b", 7, output(feed, 0));
  TF_ImportGraphDefOptionsAddInputMapping(options, "b", 0, output(feed, 0));  // not read, but it exists
  TF_ImportGraphDefOptionsRemapControlDependency(options, "a", effect);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "b", 0);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "a", 0);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "c", 0);
  assert_int_equal(TF_ImportGraphDefOptionsNumReturnOutputs(options), 3);
  assert_int_equal(TF_ImportGraphDefOptionsNumReturnOperations(options), 0);
  TF_ImportGraphDefResults *results = import_text(
      graph,
      "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a' input: '^a' }"
      "node { name: 'c' op: 'TestUnary' input: 'a' input: '^b' }",
      options);
  assert_ok();
  assert_string_equal(inputs_of(find(graph, "p/b")), "feed:0 ^effect");
  assert_string_equal(inputs_of(find(graph, "p/c")), "feed:0 ^p/b");
  TF_Output *outputs;
  int count;
  TF_ImportGraphDefResultsReturnOutputs(results, &count, &outputs);
  assert_int_equal(count, 3);
  assert_ptr_equal(outputs[0].oper, feed);  // "b:0" is mapped
  assert_ptr_equal(outputs[1].oper, feed);
  assert_ptr_equal(outputs[2].oper, find(graph, "p/c"));
  const char **missing;
  int *indexes;
  TF_ImportGraphDefResultsMissingUnusedInputMappings(results, &count, &missing, &indexes);
  assert_int_equal(count, 2);
  assert_string_equal(missing[0], "b");
  assert_int_equal(indexes[0], 7);
  assert_string_equal(missing[1], "nowhere");
  assert_int_equal(indexes[1], 3);
  TF_DeleteImportGraphDefResults(results);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_mapping_must_fit(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph(), *other = TF_NewGraph();
  TF_Operation *stranger = must_add(other, "TestScalar", "s", NULL, NULL);
  TF_Operation *number = must_add(graph, "TestInt", "number", NULL, NULL);
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, output(stranger, 0));
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "does not exist in graph");
  TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, output(number, 0));
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "was passed int32 from number:0 incompatible with expected float");
  TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, output(number, 5));
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "Connecting to invalid output 5");
  TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, output(number, -1));
  must_not_import(graph, chain, options);
  assert_error(TF_INVALID_ARGUMENT, "between control edge and non-control edge");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(other);
}

static void test_control_dependencies_and_device(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *first = must_add(graph, "TestEffect", "first", NULL, NULL);
  TF_Operation *feed = must_add(graph, "TestScalar", "feed", NULL, NULL);
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddControlDependency(options, first);
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, output(feed, 0));
  TF_ImportGraphDefOptionsSetDefaultDevice(options, "/device:CPU:7");
  must_import(
      graph,
      "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a' device: '/gpu:1' }"
      "node { name: 'c' op: 'TestUnary' input: 'x' }",
      options);
  assert_string_equal(inputs_of(find(graph, "a")), "^first");
  assert_string_equal(inputs_of(find(graph, "b")), "a:0");  // waits for first through a
  assert_string_equal(inputs_of(find(graph, "c")), "feed:0 ^first");
  assert_string_equal(TF_OperationDevice(find(graph, "a")), "/device:CPU:7");
  assert_string_equal(TF_OperationDevice(find(graph, "b")), "/gpu:1");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_return_outputs(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_Buffer *buffer = parse_text(&dvt_schema_graph_def, chain);
  TF_Output outputs[2] = {{NULL, 9}, {NULL, 9}};
  TF_GraphImportGraphDefWithReturnOutputs(graph, buffer, options, outputs, 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be 0, got 1");
  TF_ImportGraphDefOptionsAddReturnOutput(options, "b", 0);
  TF_GraphImportGraphDef(graph, buffer, options, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be 1, got 0");
  TF_GraphImportGraphDefWithReturnOutputs(graph, buffer, options, NULL, 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "must be preallocated to length 1");
  TF_GraphImportGraphDefWithReturnOutputs(graph, buffer, options, outputs, 1, test_status);
  assert_ok();
  assert_ptr_equal(outputs[0].oper, find(graph, "b"));
  assert_int_equal(outputs[0].index, 0);
  TF_ImportGraphDefOptionsSetPrefix(options, "again");
  TF_ImportGraphDefOptionsAddReturnOutput(options, "b", 1);
  TF_GraphImportGraphDefWithReturnOutputs(graph, buffer, options, outputs, 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Invalid return output 1 of node 'b', which has 1 output(s)");
  assert_ptr_equal(outputs[1].oper, NULL);
  assert_int_equal(outputs[1].index, 9);
  assert_int_equal(graph->node_count, 2);
  TF_DeleteImportGraphDefOptions(options);
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "q");
  TF_ImportGraphDefOptionsAddReturnOperation(options, "nobody");
  assert_null(TF_GraphImportGraphDefWithResults(graph, buffer, options, test_status));
  assert_error(TF_INVALID_ARGUMENT, "Requested return node 'nobody' not found in graph def");
  TF_DeleteBuffer(buffer);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_v1_loop(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  const char *loop =
      "node { name: 'start' op: 'TestScalar' }"
      "node { name: 'merge' op: 'Merge' input: 'start' input: 'next' attr { key: 'T' value { type: DT_FLOAT "
      "} }"
      "  attr { key: 'N' value { i: 2 } } }"
      "node { name: 'body' op: 'TestUnary' input: 'merge' }"
      "node { name: 'next' op: 'NextIteration' input: 'body' attr { key: 'T' value { type: DT_FLOAT } } }";
  must_import(graph, loop, NULL);
  assert_string_equal(names_of(graph), "start merge body next");
  assert_string_equal(inputs_of(find(graph, "merge")), "start:0 next:0");
  assert_int_equal(TF_OperationOutputNumConsumers(output(find(graph, "next"), 0)), 1);
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, test_status);
  TF_Graph *copy = TF_NewGraph();
  TF_GraphImportGraphDef(copy, def, NULL, test_status);
  assert_ok();
  assert_string_equal(inputs_of(find(copy, "merge")), "start:0 next:0");
  TF_DeleteBuffer(def);
  TF_DeleteGraph(copy);
  must_not_import(graph, loop, NULL);  // names are taken; the loop stays whole
  assert_string_equal(inputs_of(find(graph, "merge")), "start:0 next:0");
  TF_DeleteGraph(graph);
}

static void test_cycles(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_not_import(graph, "node { name: 'a' op: 'TestUnary' input: 'a' }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "1 nodes in a cycle: 'a' reads 'a'");
  must_not_import(
      graph,
      "node { name: 's' op: 'TestScalar' } node { name: 'a' op: 'TestUnary' input: 'c' }"
      "node { name: 'b' op: 'TestUnary' input: 'a' } node { name: 'c' op: 'TestUnary' input: 'b' }"
      "node { name: 'd' op: 'TestUnary' input: 'c' }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "4 nodes in a cycle");
  must_not_import(
      graph,
      "node { name: 'a' op: 'TestEffect' input: '^b' } node { name: 'b' op: 'TestEffect' input: '^a' }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "2 nodes in a cycle");
  must_not_import(
      graph,
      "node { name: 'm' op: 'Merge' input: 'n' attr { key: 'T' value { type: DT_FLOAT } }"
      " attr { key: 'N' value { i: 1 } } }"
      "node { name: 'n' op: 'NextIteration' input: 'm' attr { key: 'T' value { type: DT_FLOAT } } }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "nothing but back edges");
  TF_DeleteGraph(graph);
}

static void test_wrong_inputs(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_add(graph, "TestScalar", "outside", NULL, NULL);
  must_not_import(graph, "node { name: 'b' op: 'TestUnary' input: 'a' }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "Node 'b': Unknown input node 'a'");
  must_not_import(graph, "node { name: 'b' op: 'TestUnary' input: 'outside' }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "Unknown input node 'outside'");
  must_not_import(
      graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a:1' }", NULL);
  assert_error(TF_INVALID_ARGUMENT,
               "Node 'b': Connecting to invalid output 1 of source node a which has 1 outputs.");
  must_not_import(
      graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a:2147483648' }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "'a:2147483648'");
  must_not_import(
      graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a:2147483647' }",
      NULL);
  must_not_import(graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: '' }",
                  NULL);
  must_not_import(graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestEffect' input: '^' }",
                  NULL);
  must_not_import(
      graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: '^a' input: 'a' }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "Control dependencies must come after regular dependencies");
  must_not_import(graph, "node { name: 'a' op: 'TestInt' } node { name: 'b' op: 'TestUnary' input: 'a' }",
                  NULL);
  assert_error(TF_INVALID_ARGUMENT,
               "Input 0 of node b was passed int32 from a:0 incompatible with expected float.");
  must_not_import(graph, "node { name: 'b' op: 'TestUnary' }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "NodeDef expected inputs 'float' do not match 0 inputs specified");
  must_not_import(
      graph, "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'TestUnary' input: 'a' input: 'a' }",
      NULL);
  TF_DeleteGraph(graph);
}

static void test_wrong_names(void **state) {
  (void)state;
  static const char *const bad[] = {"",   "_x", "a b",  "a:0",  "^a",     "-a",      "/a",
                                    ">a", "a>", "a>>b", "a>_b", "a\\\\b", "\xc3\xa4"};
  static const char *const good[] = {".x", "0", "A/b.c-d_e", "a>b", "a>.b>C"};
  TF_Graph *graph = TF_NewGraph();
  char text[128];
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    snprintf(text, sizeof text, "node { name: '%s' op: 'TestScalar' }", bad[i]);
    must_not_import(graph, text, NULL);
    assert_error(TF_INVALID_ARGUMENT, "Node name contains invalid characters");
  }
  for (size_t i = 0; i < DVT_COUNT_OF(good); i++) {
    snprintf(text, sizeof text, "node { name: '%s' op: 'TestScalar' }", good[i]);
    must_import(graph, text, NULL);
  }
  must_not_import(graph, "node { name: 'twice' op: 'TestScalar' } node { name: 'twice' op: 'TestScalar' }",
                  NULL);
  assert_error(TF_INVALID_ARGUMENT, "Node 'twice' is not unique");
  must_not_import(graph, "node { name: 'no_op' }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "Node 'no_op' does not specify an operation");
  TF_DeleteGraph(graph);
}

static void test_unknown_ops_are_all_listed(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_not_import(graph,
                  "node { name: 'a' op: 'TestScalar' } node { name: 'b' op: 'NoSuchB' input: 'a' }"
                  "node { name: 'c' op: 'NoSuchA' } node { name: 'd' op: 'NoSuchB' }",
                  NULL);
  assert_error(TF_NOT_FOUND,
               "Op type not registered 'NoSuchB' (2 nodes, first {{node b}}), 'NoSuchA' (1 node");
  must_not_import(graph, "node { name: 'a' op: 'TestScaler' }", NULL);
  assert_error(TF_NOT_FOUND, "Did you mean 'TestScalar'");
  TF_DeleteGraph(graph);
}

// Rule 70, 71.
static void test_rule_070_071_attrs_are_checked(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_import(graph, "node { name: 'a' op: 'TestScalar' attr { key: 'zz' value { i: 1 } } }", NULL);
  must_not_import(graph, "node { name: 'b' op: 'TestInt' } node { name: 'c' op: 'TestSame' input: 'b' }",
                  NULL);
  assert_error(TF_INVALID_ARGUMENT, "NodeDef missing attr 'T'");
  must_not_import(graph,
                  "node { name: 'm' op: 'TestMany' attr { key: 'N' value { i: 0 } }"
                  " attr { key: 'T' value { type: DT_FLOAT } } }",
                  NULL);
  assert_error(TF_INVALID_ARGUMENT, "minimum 1");
  must_not_import(graph,
                  "node { name: 'm' op: 'TestMany' attr { key: 'N' value { i: 9223372036854775807 } }"
                  " attr { key: 'T' value { type: DT_FLOAT } } }",
                  NULL);
  must_not_import(graph, "node { name: 'm' op: 'TestSame' attr { key: 'T' value { i: 3 } } }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "AttrValue had value with type 'int' when 'type' expected");
  TF_DeleteGraph(graph);
}

static void test_versions(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_not_import(graph, "versions { producer: 2474 min_consumer: 99999 }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "GraphDef min consumer version 99999 above current version 2474");
  must_not_import(graph, "versions { producer: -1 }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "GraphDef producer version -1 below min producer 0");
  must_not_import(graph, "versions { producer: 2474 bad_consumers: 5 bad_consumers: 2474 }", NULL);
  assert_error(TF_INVALID_ARGUMENT, "GraphDef disallows consumer version 2474");
  must_import(graph, "versions { producer: 1500 min_consumer: 7 bad_consumers: 9 bad_consumers: 4 }", NULL);
  must_import(graph, "versions { producer: 2000 min_consumer: 2 bad_consumers: 4 bad_consumers: 1 }", NULL);
  must_not_import(
      graph, "node { name: 'x' op: 'NoSuchA' } versions { producer: 3 min_consumer: 8 bad_consumers: 77 }",
      NULL);
  TF_Buffer *versions = TF_NewBuffer();
  TF_GraphVersions(graph, versions, test_status);
  assert_ok();
  // producer 1500, min_consumer 7, bad_consumers [1, 4, 9] packed
  static const uint8_t expected[] = {0x08, 0xdc, 0x0b, 0x10, 7, 0x1a, 3, 1, 4, 9};
  assert_int_equal(versions->length, sizeof expected);
  assert_memory_equal(versions->data, expected, sizeof expected);
  TF_DeleteBuffer(versions);
  must_not_import(graph, "node { name: 'x' op: 'NoSuchA' } versions { producer: 99999 }", NULL);
  assert_error(TF_NOT_FOUND, "made by version 99999");
  TF_DeleteGraph(graph);
}

// Rule 68.
static void test_rule_068_deprecated_op(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("TestOld");
  TF_OpDefinitionBuilderDeprecated(builder, 20, "Use TestNew");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(builder, test_status);
  assert_ok();
  TF_Graph *graph = TF_NewGraph();
  must_not_import(graph, "node { name: 'a' op: 'TestOld' } versions { producer: 21 }", NULL);
  assert_error(TF_UNIMPLEMENTED,
               "Op TestOld is not available in GraphDef version 21. It has been removed in version 20.");
  must_import(graph, "node { name: 'a' op: 'TestOld' } versions { producer: 19 }", NULL);
  TF_DeleteGraph(graph);
}

static void test_output_shapes_attr(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  int64_t dims[2];
  must_import(graph,
              "node { name: 'a' op: 'TestFeed' attr { key: '_output_shapes' value { list {"
              "  shape { dim { size: 37 } dim { size: -1 } } } } } }",
              NULL);
  TF_Operation *a = find(graph, "a");
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(a, 0), test_status), 2);
  TF_GraphGetTensorShape(graph, output(a, 0), dims, 2, test_status);
  assert_ok();
  assert_int_equal(dims[0], 37);
  assert_int_equal(dims[1], -1);
  TF_OperationGetAttrMetadata(a, "_output_shapes", test_status);
  assert_error(TF_INVALID_ARGUMENT, "has no attr named '_output_shapes'");
  must_not_import(graph,
                  "node { name: 'b' op: 'TestScalar' attr { key: '_output_shapes' value { list {"
                  " shape { dim { size: 1 } } } } } }",
                  NULL);
  assert_error(TF_INVALID_ARGUMENT,
               "Node 'b' has an _output_shapes attribute inconsistent with the GraphDef for output #0");
  must_not_import(
      graph, "node { name: 'b' op: 'TestScalar' attr { key: '_output_shapes' value { list { } } } }", NULL);
  assert_error(TF_INVALID_ARGUMENT,
               "has 1 outputs but the _output_shapes attribute specifies shapes for 0 outputs");
  TF_DeleteGraph(graph);
}

static void test_colocation(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  const char *text =
      "node { name: 'a' op: 'TestScalar' attr { key: '_class' value { list { s: 'loc:@b' } } } }"
      "node { name: 'b' op: 'TestScalar' attr { key: '_class' value { list { s: 'loc:@gone' } } } }";
  must_not_import(graph, text, NULL);
  assert_error(TF_INVALID_ARGUMENT, "Node 'b' expects to be colocated with unknown node 'gone'");
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "p");
  TF_ImportGraphDefOptionsSetValidateColocationConstraints(options, 0);
  must_import(graph, text, options);
  void *values[1];
  size_t lengths[1];
  char storage[64];
  TF_OperationGetAttrStringList(find(graph, "p/a"), "_class", values, lengths, 1, storage, 64, test_status);
  assert_memory_equal(values[0], "loc:@p/b", lengths[0]);
  TF_OperationGetAttrStringList(find(graph, "p/b"), "_class", values, lengths, 1, storage, 64, test_status);
  assert_memory_equal(values[0], "loc:@p/gone", lengths[0]);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void test_references(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_import(graph,
              "node { name: 'v' op: 'TestVar' } node { name: 'x' op: 'TestScalar' }"
              "node { name: 'set' op: 'TestAssign' input: 'v' input: 'x' }"
              "node { name: 'read' op: 'TestUnary' input: 'set' }",
              NULL);
  assert_int_equal(TF_OperationOutputType(output(find(graph, "v"), 0)), 101);
  must_not_import(
      graph, "node { name: 'y' op: 'TestScalar' } node { name: 's' op: 'TestAssign' input: 'y' input: 'y' }",
      NULL);
  assert_error(TF_INVALID_ARGUMENT, "incompatible with expected float_ref");
  TF_DeleteGraph(graph);
}

static void test_no_serialization_is_unimplemented(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *buffer = TF_NewBuffer();
  assert_null(TF_GraphImportGraphDefWithResultsNoSerialization(graph, buffer, NULL, test_status));
  assert_error(TF_UNIMPLEMENTED, "TF_GraphImportGraphDefWithResultsNoSerialization");
  TF_DeleteBuffer(buffer);
  TF_DeleteImportGraphDefResults(NULL);
  TF_DeleteImportGraphDefOptions(NULL);
  TF_DeleteGraph(graph);
}

static int setup(void **state) {
  test_setup(state);
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_op("Merge", unknown,
          SPECS("a:T: type", "a:N: int >= 1", "i:inputs: N * T", "o:output: T", "o:value_index: int32"));
  test_op("NextIteration", unknown, SPECS("a:T: type", "i:data: T", "o:output: T"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nodes_in_any_order),
      cmocka_unit_test(test_round_trip_is_stable),
      cmocka_unit_test(test_prefix),
      cmocka_unit_test(test_unique_prefix),
      cmocka_unit_test(test_unique_names),
      cmocka_unit_test(test_input_mapping),
      cmocka_unit_test(test_mapping_must_fit),
      cmocka_unit_test(test_control_dependencies_and_device),
      cmocka_unit_test(test_return_outputs),
      cmocka_unit_test(test_v1_loop),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_wrong_inputs),
      cmocka_unit_test(test_wrong_names),
      cmocka_unit_test(test_unknown_ops_are_all_listed),
      cmocka_unit_test(test_rule_070_071_attrs_are_checked),
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_rule_068_deprecated_op),
      cmocka_unit_test(test_output_shapes_attr),
      cmocka_unit_test(test_colocation),
      cmocka_unit_test(test_references),
      cmocka_unit_test(test_no_serialization_is_unimplemented),
  };
  return cmocka_run_group_tests(tests, setup, test_teardown);
}
