// GraphDefs that are cut short, damaged, very large or very odd, and a shortage of memory: an import works or
// leaves the graph as it was.
#include "graph/graph_test_util.h"

static const char everything[] =
    "node { name: 'e' op: 'TestList' input: 'd' input: 'f:0' input: '^s' attr { key: 'Ts' value { list { "
    "type: DT_FLOAT type: DT_INT32 } } } }"
    "node { name: 'd' op: 'TestUnary' input: 'a' device: '/cpu:0' }"
    "node { name: 'a' op: 'TestScalar' attr { key: '_class' value { list { s: 'loc:@d' } } } }"
    "node { name: 'f' op: 'TestInt' } node { name: 's' op: 'TestEffect' }"
    "node { name: 'p' op: 'TestSplit' input: 'd' attr { key: 'n' value { i: 3 } } experimental_type { "
    "type_id: TFT_ANY } }"
    "node { name: 'm' op: 'Merge' input: 'a' input: 'n' attr { key: 'T' value { type: DT_FLOAT } } attr { "
    "key: 'N' value { i: 2 } } }"
    "node { name: 'n' op: 'NextIteration' input: 'm' attr { key: 'T' value { type: DT_FLOAT } } }"
    "library { function { signature { name: 'fun' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: "
    "'y' type: DT_FLOAT } }"
    "  node_def { name: 'i' op: 'TestUnary' input: 'x' } ret { key: 'y' value: 'i:y:0' } } }"
    "versions { producer: 100 bad_consumers: 3 }";

// Whatever part of the bytes is there, an import works or leaves the graph alone.
static void test_cut_short_at_every_byte(void **state) {
  (void)state;
  TF_Buffer *whole = parse_text(&dvt_schema_graph_def, everything);
  TF_Graph *graph = TF_NewGraph();
  for (size_t length = 0; length <= whole->length; length++) {
    void *exact = malloc(length ? length : 1);  // so that a sanitizer sees a read past the end
    memcpy(exact, whole->data, length);
    TF_Buffer part = {exact, length, NULL};
    TF_Graph *fresh = TF_NewGraph();
    TF_GraphImportGraphDef(fresh, &part, NULL, test_status);
    if (TF_GetCode(test_status) != TF_OK) assert_int_equal(fresh->node_count, 0);
    TF_DeleteGraph(fresh);
    free(exact);
  }
  TF_GraphImportGraphDef(graph, whole, NULL, test_status);
  assert_ok();
  TF_DeleteGraph(graph);
  TF_DeleteBuffer(whole);
}

static void test_every_byte_changed(void **state) {
  (void)state;
  TF_Buffer *whole = parse_text(&dvt_schema_graph_def, everything);
  static const uint8_t flips[] = {0x01, 0x02, 0x08, 0x80, 0xff};
  uint8_t *bytes = malloc(whole->length);
  for (size_t at = 0; at < whole->length; at++) {
    for (size_t k = 0; k < DVT_COUNT_OF(flips); k++) {
      memcpy(bytes, whole->data, whole->length);
      bytes[at] ^= flips[k];
      TF_Buffer changed = {bytes, whole->length, NULL};
      TF_Graph *graph = TF_NewGraph();
      TF_GraphImportGraphDef(graph, &changed, NULL, test_status);
      if (TF_GetCode(test_status) == TF_OK) {
        TF_Buffer *out = TF_NewBuffer();
        TF_GraphToGraphDef(graph, out, test_status);
        assert_ok();
        TF_DeleteBuffer(out);
      } else {
        assert_int_equal(graph->node_count, 0);
      }
      TF_DeleteGraph(graph);
    }
  }
  free(bytes);
  TF_DeleteBuffer(whole);
}

static void test_failed_allocation_leaves_the_graph(void **state) {
  (void)state;
  TF_Buffer *whole = parse_text(&dvt_schema_graph_def, everything);
  TF_Graph *graph = TF_NewGraph();
  must_add(graph, "TestScalar", "before", NULL, NULL);
  bool done = false;
  for (int64_t n = 1; !done; n++) {
    dvt_alloc_fail_at(n);
    TF_GraphImportGraphDef(graph, whole, NULL, test_status);
    dvt_alloc_fail_at(0);
    done = TF_GetCode(test_status) == TF_OK;
    if (done) break;
    assert_int_equal(graph->node_count, 1);
    assert_int_equal(graph->by_name.count, 1);
    assert_int_equal(TF_GraphNumFunctions(graph), 0);
    assert_int_equal(graph->producer_version, 2474);
  }
  assert_int_equal(graph->node_count, 9);
  TF_DeleteGraph(graph);
  TF_DeleteBuffer(whole);
}

static void test_large_graph_in_reverse(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  dvt_buf def = {0};
  for (int i = COUNT - 1; i >= 0; i--) {
    char name[32], input[32];
    snprintf(name, sizeof name, "n%d", i);
    snprintf(input, sizeof input, "n%d", i - 1);
    size_t begin = dvt_wire_begin(&def, 1);
    dvt_wire_put_bytes(&def, 1, dvt_str_from(name));
    dvt_wire_put_bytes(&def, 2, dvt_str_from(i ? "TestUnary" : "TestScalar"));
    if (i) dvt_wire_put_bytes(&def, 3, dvt_str_from(input));
    dvt_wire_end(&def, begin);
  }
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer buffer = {def.data, def.len, NULL};
  TF_GraphImportGraphDef(graph, &buffer, NULL, test_status);
  assert_ok();
  assert_int_equal(graph->node_count, COUNT);
  assert_string_equal(graph->nodes[COUNT - 1]->def.name.data, "n19999");
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(graph->nodes[COUNT - 1], 0), test_status), 0);
  TF_DeleteGraph(graph);
  dvt_buf_deinit(&def);
}

static void test_deep_and_long_names(void **state) {
  (void)state;
  enum { LENGTH = 100000 };
  char *name = malloc(LENGTH + 1);
  for (int i = 0; i < LENGTH; i++) name[i] = i % 2 ? '/' : 'a';
  name[LENGTH] = 0;
  dvt_buf def = {0};
  size_t begin = dvt_wire_begin(&def, 1);
  dvt_wire_put_bytes(&def, 1, dvt_str_from(name));
  dvt_wire_put_bytes(&def, 2, dvt_str_from("TestScalar"));
  dvt_wire_end(&def, begin);
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer buffer = {def.data, def.len, NULL};
  TF_GraphImportGraphDef(graph, &buffer, NULL, test_status);
  assert_ok();
  assert_string_equal(TF_OperationName(graph->nodes[0]), name);
  TF_GraphImportGraphDef(graph, &buffer, NULL, test_status);
  assert_error(TF_INVALID_ARGUMENT, "already exists");
  TF_DeleteGraph(graph);
  dvt_buf_deinit(&def);
  free(name);
}

static TF_Code import_bytes(TF_Graph *graph, const dvt_buf *def) {
  TF_Buffer buffer = {def->data, def->len, NULL};
  TF_GraphImportGraphDef(graph, &buffer, NULL, test_status);
  return TF_GetCode(test_status);
}

// Fields that are kept unread may come in any number; memory grows with their bytes, not with their square.
static void test_many_fields_that_are_kept(void **state) {
  (void)state;
  enum { COUNT = 50000 };
  dvt_buf def = {0};
  size_t begin = dvt_wire_begin(&def, 1);
  dvt_wire_put_bytes(&def, 1, DVT_STR("a"));
  dvt_wire_put_bytes(&def, 2, DVT_STR("TestScalar"));
  for (int i = 0; i < COUNT; i++) dvt_wire_put_bytes(&def, 6, DVT_STR(""));
  dvt_wire_end(&def, begin);
  TF_Graph *graph = TF_NewGraph();
  dvt_alloc_fail_at(0);
  assert_int_equal(import_bytes(graph, &def), TF_OK);
  assert_true(dvt_alloc_attempts() < 200);
  assert_int_equal(graph->nodes[0]->extra.len, 2 * COUNT);
  TF_DeleteGraph(graph);
  dvt_buf_deinit(&def);
}

static void put_gradient(dvt_buf *def, const char *function) {
  size_t library = dvt_wire_begin(def, 2), gradient = dvt_wire_begin(def, 2);
  dvt_wire_put_bytes(def, 1, dvt_str_from(function));
  dvt_wire_put_bytes(def, 2, DVT_STR("d"));
  dvt_wire_end(def, gradient);
  dvt_wire_end(def, library);
}

// Gradients may name functions that are not there; those of a failed import go all the same.
static void test_gradients_go_with_a_failed_import(void **state) {
  (void)state;
  dvt_buf good = {0}, bad = {0};
  put_gradient(&good, "kept");
  put_gradient(&bad, "kept");
  put_gradient(&bad, "lost");
  size_t node = dvt_wire_begin(&bad, 1);
  dvt_wire_put_bytes(&bad, 1, DVT_STR("a"));
  dvt_wire_put_bytes(&bad, 2, DVT_STR("NoSuchOp"));
  dvt_wire_end(&bad, node);
  TF_Graph *graph = TF_NewGraph();
  assert_int_equal(import_bytes(graph, &good), TF_OK);
  TF_Buffer *before = TF_NewBuffer(), *after = TF_NewBuffer();
  TF_GraphToGraphDef(graph, before, test_status);
  assert_int_equal(import_bytes(graph, &bad), TF_NOT_FOUND);
  TF_GraphToGraphDef(graph, after, test_status);
  assert_int_equal(after->length, before->length);
  assert_memory_equal(after->data, before->data, before->length);
  TF_DeleteBuffer(before);
  TF_DeleteBuffer(after);
  TF_DeleteGraph(graph);
  dvt_buf_deinit(&good);
  dvt_buf_deinit(&bad);
}

static void test_many_gradients(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  dvt_buf def = {0};
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    put_gradient(&def, name);
  }
  TF_Graph *graph = TF_NewGraph();
  assert_int_equal(import_bytes(graph, &def), TF_OK);
  assert_int_equal(graph->functions->gradient_count, COUNT);
  TF_DeleteGraph(graph);
  dvt_buf_deinit(&def);
}

static void test_tensor_names(void **state) {
  (void)state;
  static const struct {
    const char *text, *node;
    int index;
    bool control;
  } cases[] = {{"a", "a", 0, false},
               {"a:0", "a", 0, false},
               {"a:17", "a", 17, false},
               {"^a", "a", -1, true},
               {"a/b:2147483647", "a/b", 2147483647, false},
               {"a:b", "a:b", 0, false},
               {"12", "12", 0, false},
               {"a:", "a:", 0, false},
               {"a12", "a12", 0, false},
               {":1", ":1", 0, false}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    dvt_str node;
    int index;
    bool control;
    assert_true(dvt_parse_tensor_name(dvt_str_from(cases[i].text), &node, &index, &control));
    assert_str(node, cases[i].node);
    assert_int_equal(index, cases[i].index);
    assert_int_equal(control, cases[i].control);
  }
  dvt_str node;
  int index;
  bool control;
  assert_false(dvt_parse_tensor_name(DVT_STR(""), &node, &index, &control));
  assert_false(dvt_parse_tensor_name(DVT_STR("^"), &node, &index, &control));
  assert_false(dvt_parse_tensor_name(DVT_STR("a:2147483648"), &node, &index, &control));
  assert_false(dvt_parse_tensor_name(DVT_STR("a:99999999999999999999999"), &node, &index, &control));
}

static int setup(void **state) {
  test_setup(state);
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_op("Merge", unknown,
          SPECS("a:T: type", "a:N: int >= 1", "i:inputs: N * T", "o:output: T", "o:value_index: int32"));
  test_op("NextIteration", unknown, SPECS("a:T: type", "i:data: T", "o:output: T"));
  return 0;
}

// A scope for every second byte of a long name.
static void test_name_of_very_many_scopes(void **state) {
  (void)state;
  enum { SCOPES = 200000 };
  dvt_buf text = {0};
  dvt_buf_append_str(&text, DVT_STR("node { name: '"));
  for (int i = 0; i < SCOPES; i++) dvt_buf_append(&text, "a/", 2);
  dvt_buf_append_str(&text, DVT_STR("a' op: 'TestScalar' } node { name: 'b' op: 'TestScalar' }"));
  dvt_buf_append_byte(&text, '\0');
  TF_Buffer *def = parse_text(&dvt_schema_graph_def, text.data);
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetUniquifyNames(options, 1);
  for (int i = 0; i < 2; i++) {
    TF_GraphImportGraphDef(graph, def, options, test_status);
    assert_ok();
  }
  assert_non_null(TF_GraphOperationByName(graph, "b_1"));
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteBuffer(def);
  dvt_buf_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_short_at_every_byte),
      cmocka_unit_test(test_every_byte_changed),
      cmocka_unit_test(test_failed_allocation_leaves_the_graph),
      cmocka_unit_test(test_large_graph_in_reverse),
      cmocka_unit_test(test_deep_and_long_names),
      cmocka_unit_test(test_name_of_very_many_scopes),
      cmocka_unit_test(test_many_fields_that_are_kept),
      cmocka_unit_test(test_gradients_go_with_a_failed_import),
      cmocka_unit_test(test_many_gradients),
      cmocka_unit_test(test_tensor_names),
  };
  return cmocka_run_group_tests(tests, setup, test_teardown);
}
