// TF_Function: made from a graph, serialised, copied into graphs, changed. Facts from stock's
// c_api_function_test.
#include "graph/graph_test_util.h"
#include "tensorflow/c/c_api_experimental.h"

// A graph of two feeds, their sum and a node behind it; `f` and `g` feed, `p` is a TestPair, `u` reads p:1.
typedef struct small {
  TF_Graph *graph;
  TF_Operation *f, *g, *p, *u;
} small;

static small make_small(void) {
  small s = {.graph = TF_NewGraph()};
  s.f = must_add(s.graph, "TestFeed", "Feed-1", NULL, NULL);
  s.g = must_add(s.graph, "TestFeed", "feed_1", NULL, NULL);
  s.p = must_add(s.graph, "TestPair", "pair", s.f, s.g);
  TF_OperationDescription *desc = TF_NewOperation(s.graph, "TestUnary", "scope/u");
  TF_AddInput(desc, output(s.p, 1));
  TF_AddControlInput(desc, s.p);
  s.u = TF_FinishOperation(desc, test_status);
  assert_ok();
  return s;
}

static TF_Function *make(const small *s, const char *name, int num_opers, const TF_Operation *const *opers,
                         int ninputs, const TF_Output *inputs, int noutputs, const TF_Output *outputs,
                         const char *const *names) {
  return TF_GraphToFunction(s->graph, name, 0, num_opers, opers, ninputs, inputs, noutputs, outputs, names,
                            NULL, "what it does", test_status);
}

static TF_Function *usual(const small *s) {
  TF_Output inputs[] = {output(s->f, 0), output(s->g, 0)}, outputs[] = {output(s->u, 0), output(s->p, 0)};
  TF_Function *function = make(s, "fun", -1, NULL, 2, inputs, 2, outputs, NULL);
  assert_ok();
  return function;
}

static char *text_of(TF_Function *function) {
  size_t length;
  char *text = TF_FunctionDebugString(function, &length);
  assert_non_null(text);
  assert_int_equal(strlen(text), length);
  return text;
}

static void assert_has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("no '%s' in: %s", part, text);
}

static void test_names_and_references(void **state) {
  (void)state;
  small s = make_small();
  TF_Function *function = usual(&s);
  assert_string_equal(TF_FunctionName(function), "fun");
  const dvt_op_def *op = function->signature;
  assert_int_equal(op->input_count, 2);
  assert_str(op->inputs[0].name, "feed_1");  // normalised
  assert_str(op->inputs[1].name, "feed_1_0");
  assert_int_equal(op->output_count, 2);
  assert_str(op->outputs[0].name, "scope_u");  // outputs are named first
  assert_str(op->outputs[1].name, "pair");
  char *text = text_of(function);
  assert_has(text, "name: \"pair_0\"");  // the node gives way to the output
  assert_has(text, "value: \"scope/u:y:0\"");
  assert_has(text, "value: \"pair_0:sum:0\"");
  assert_has(text, "input: \"pair_0:diff:0\"");
  assert_has(text, "input: \"^pair_0\"");
  assert_has(text, "description: \"what it does\"");
  free(text);
  // The body works.
  dvt_function_body body;
  assert_status_ok(dvt_function_instantiate(function, NULL, 0, NULL, &body));
  assert_string_equal(inputs_of(body.rets[0]), "scope/u:0");
  assert_string_equal(inputs_of(find(body.graph, "scope/u")), "pair_0:1 ^pair_0");
  assert_string_equal(inputs_of(find(body.graph, "pair_0")), "feed_1:0 feed_1_0:0");
  dvt_function_body_deinit(&body);
  TF_DeleteFunction(function);
  TF_DeleteFunction(NULL);
  TF_DeleteGraph(s.graph);
}

static void test_chosen_operations_and_output_names(void **state) {
  (void)state;
  small s = make_small();
  const TF_Operation *const opers[] = {s.p};
  TF_Output inputs[] = {output(s.f, 0), output(s.g, 0)}, outputs[] = {output(s.p, 0), output(s.f, 0)};
  TF_Function *function =
      make(&s, "fun", 1, opers, 2, inputs, 2, outputs, (const char *const[]){"sum", "Feed-1"});
  assert_ok();
  assert_str(function->signature->outputs[0].name, "sum");
  assert_str(function->signature->outputs[1].name, "Feed-1");
  char *text = text_of(function);
  assert_has(text, "value: \"pair:sum:0\"");
  assert_has(text, "value: \"feed_1\"");  // an input returned
  assert_null(strstr(text, "scope/u"));
  free(text);
  TF_DeleteFunction(function);
  assert_null(make(&s, "fun", 1, opers, 2, inputs, 2, outputs, (const char *const[]){"sum", "sum"}));
  assert_error(TF_INVALID_ARGUMENT, "Cannot have duplicate output names. Name 'sum'");
  TF_DeleteGraph(s.graph);
}

static void test_what_is_refused(void **state) {
  (void)state;
  small s = make_small();
  TF_Graph *other = TF_NewGraph();
  TF_Operation *stranger = must_add(other, "TestScalar", "s", NULL, NULL);
  TF_Operation *variable = must_add(s.graph, "TestVar", "v", NULL, NULL);
  const TF_Operation *const only_u[] = {s.u}, *const only_p[] = {s.p};
  TF_Output f = output(s.f, 0), u = output(s.u, 0), p0 = output(s.p, 0);
  assert_null(make(&s, "fun", 1, only_u, 1, &f, 1, &u, NULL));
  assert_error(TF_INVALID_ARGUMENT,
               "Input 0, 'pair:1', of node 'scope/u' in function 'fun' is not available.");
  const TF_Operation *const f_and_p[] = {s.f, s.p};
  TF_Operation *early = must_add(s.graph, "TestEffect", "early", NULL, NULL);
  TF_OperationDescription *desc = TF_NewOperation(s.graph, "TestScalar", "late");
  TF_AddControlInput(desc, early);
  const TF_Operation *const late[] = {TF_FinishOperation(desc, test_status)};
  assert_null(make(&s, "fun", 1, late, 0, NULL, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "The source of control edge early -> late is not in the body");
  assert_null(make(&s, "fun", 1, only_p, 0, NULL, 1, &p0, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Input 0, 'Feed-1:0', of node 'pair'");
  TF_Output both[] = {output(s.f, 0), output(s.g, 0)};
  assert_null(make(&s, "fun", 1, only_p, 2, both, 1, &u, NULL));
  assert_error(TF_INVALID_ARGUMENT,
               "TF_Output scope/u:0 is neither in the function body nor among function inputs");
  TF_Output twice[] = {output(s.f, 0), output(s.f, 0)};
  assert_null(make(&s, "fun", 2, f_and_p, 2, twice, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "TF_Output Feed-1:0 appears more than once in the input list");
  TF_Output bad = output(s.f, 1);
  assert_null(make(&s, "fun", -1, NULL, 1, &bad, 0, NULL, NULL));
  assert_error(TF_OUT_OF_RANGE, "Node 'Feed-1' (type: 'TestFeed', num of outputs: 1) does not have output 1");
  assert_error(TF_OUT_OF_RANGE, "Encountered while processing input 0 into function 'fun'");
  assert_null(make(&s, "fun", -1, NULL, 0, NULL, 1, &bad, NULL));
  assert_error(TF_OUT_OF_RANGE, "Encountered while processing output 0 from function 'fun'");
  TF_Output reference = output(variable, 0);
  assert_null(make(&s, "fun", -1, NULL, 1, &reference, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "Output 0 of node 'v' has a reference type float_ref");
  assert_null(make(&s, "fun", -1, NULL, 1, &p0, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "must have a single output. Node pair has 2 outputs");
  TF_Output foreign = output(stranger, 0);
  assert_null(make(&s, "fun", -1, NULL, 1, &foreign, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "is not a node of the graph");
  assert_null(make(&s, "fun", -2, NULL, 0, NULL, 0, NULL, NULL));
  assert_error(TF_INVALID_ARGUMENT, "not negative");
  TF_DeleteGraph(other);
  TF_DeleteGraph(s.graph);
}

static void test_one_output_of_a_body_node_as_input(void **state) {
  (void)state;
  small s = make_small();
  const TF_Operation *const only_u[] = {s.u, s.p};
  TF_Output inputs[] = {output(s.p, 1), output(s.f, 0), output(s.g, 0)}, u = output(s.u, 0);
  TF_Function *function = make(&s, "fun", 2, only_u, 3, inputs, 1, &u, NULL);
  assert_ok();
  char *text = text_of(function);
  assert_has(text, "input: \"pair\"");  // the argument, not the node, which is pair_0
  assert_has(text, "input: \"^pair_0\"");
  free(text);
  TF_DeleteFunction(function);
  TF_DeleteGraph(s.graph);
}

static void test_stateful_and_hash(void **state) {
  (void)state;
  small s = make_small();
  must_add(s.graph, "TestEffect", "effect", NULL, NULL);
  TF_Output inputs[] = {output(s.f, 0), output(s.g, 0)}, u = output(s.u, 0);
  TF_Function *hashed[2];
  for (int i = 0; i < 2; i++) {
    hashed[i] =
        TF_GraphToFunction(s.graph, "fun", 1, -1, NULL, 2, inputs, 1, &u, NULL, NULL, NULL, test_status);
    assert_ok();
  }
  assert_true(hashed[0]->signature->is_stateful);
  assert_string_equal(TF_FunctionName(hashed[0]), TF_FunctionName(hashed[1]));
  const char *name = TF_FunctionName(hashed[0]);
  assert_int_equal(strlen(name), 4 + 11);
  assert_int_equal(strncmp(name, "fun_", 4), 0);
  assert_int_equal(strspn(name + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"), 11);
  must_add(s.graph, "TestEffect", "another", NULL, NULL);
  TF_Function *other =
      TF_GraphToFunction(s.graph, "fun", 1, -1, NULL, 2, inputs, 1, &u, NULL, NULL, NULL, test_status);
  assert_string_not_equal(TF_FunctionName(other), name);
  TF_DeleteFunction(hashed[0]);
  TF_DeleteFunction(hashed[1]);
  TF_DeleteFunction(other);
  TF_DeleteGraph(s.graph);
}

static TF_Function *with_controls(const small *s, int count, const TF_Operation *const *controls,
                                  const char *const *names) {
  TF_Output inputs[] = {output(s->f, 0), output(s->g, 0)}, u = output(s->u, 0);
  return TF_GraphToFunctionWithControlOutputs(s->graph, "fun", 0, -1, NULL, 2, inputs, 1, &u, NULL, count,
                                              controls, names, NULL, NULL, test_status);
}

static void test_control_outputs(void **state) {
  (void)state;
  small s = make_small();
  const TF_Operation *const controls[] = {s.u, s.p};
  TF_Function *function = with_controls(&s, 2, controls, (const char *const[]){"z", "a"});
  assert_ok();
  char *text = text_of(function);
  assert_has(text, "control_output: \"a\"\n  control_output: \"z\"");
  free(text);
  dvt_function_body body;
  assert_status_ok(dvt_function_instantiate(function, NULL, 0, NULL, &body));
  assert_int_equal(body.control_ret_count, 2);
  dvt_function_body_deinit(&body);
  TF_DeleteFunction(function);
  assert_null(with_controls(&s, 2, controls, (const char *const[]){"a", "a"}));
  assert_error(TF_INVALID_ARGUMENT, "Repeated control output name: a");
  assert_null(with_controls(&s, 2, controls, (const char *const[]){"a", ""}));
  assert_error(TF_INVALID_ARGUMENT, "Control output name must be not empty");
  const TF_Operation *const outside[] = {s.f};
  assert_null(with_controls(&s, 1, outside, NULL));
  assert_error(TF_INVALID_ARGUMENT, "is not a node of its body");
  TF_DeleteGraph(s.graph);
}

static void test_placeholders_become_attrs(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestSplit", "split");
  TF_AddInput(desc, output(must_add(graph, "TestScalar", "s", NULL, NULL), 0));
  TF_SetAttrPlaceholder(desc, "n", "how_many");
  TF_FinishOperation(desc, test_status);
  // The number of outputs is not known, so that stock and we refuse the node.
  assert_error(TF_INVALID_ARGUMENT, "n");
  desc = TF_NewOperation(graph, "TestCall", "call");
  TF_SetAttrPlaceholder(desc, "k", "kay");
  TF_SetAttrPlaceholder(desc, "ks", "kays");
  TF_FinishOperation(desc, test_status);
  assert_ok();
  TF_Function *function =
      TF_GraphToFunction(graph, "fun", 0, -1, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, test_status);
  assert_ok();
  assert_int_equal(function->signature->attr_count, 2);
  assert_str(function->signature->attrs[0].name, "kay");
  assert_int_equal(function->signature->attrs[0].kind, TF_ATTR_INT);
  assert_true(function->signature->attrs[1].is_list);
  TF_DeleteFunction(function);
  TF_DeleteGraph(graph);
}

static void test_proto_and_attrs(void **state) {
  (void)state;
  small s = make_small();
  TF_Function *function = usual(&s);
  TF_Buffer *first = TF_NewBuffer(), *value = TF_NewBuffer();
  TF_FunctionSetAttrValueProto(function, "_x", "\x18\x05", 2, test_status);
  assert_ok();
  TF_FunctionSetAttrValueProto(function, "_x", "\x18\x06", 2, test_status);
  assert_ok();
  TF_FunctionSetAttrValueProto(function, "_y", "\xff", 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
  TF_FunctionGetAttrValueProto(function, "_x", value, test_status);
  assert_ok();
  assert_memory_equal(value->data, "\x18\x06", 2);
  TF_FunctionToFunctionDef(function, first, test_status);
  assert_ok();
  TF_Function *copy = TF_FunctionImportFunctionDef(first->data, first->length, test_status);
  assert_ok();
  assert_true(dvt_function_equal(function, copy));
  assert_string_equal(TF_FunctionName(copy), "fun");
  TF_Buffer *none = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(copy, "_z", none, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Function 'fun' has no attr named '_z'.");
  assert_null(TF_FunctionImportFunctionDef("\xff\xff", 2, test_status));
  assert_error(TF_INVALID_ARGUMENT, "Invalid FunctionDef given to TF_FunctionImportFunctionDef");
  TF_GraphCopyFunction(s.graph, copy, NULL, test_status);
  assert_ok();
  TF_FunctionSetAttrValueProto(copy, "_x", "\x18\x07", 2, test_status);  // not the graph's copy
  assert_ok();
  TF_Function *kept;
  assert_int_equal(TF_GraphGetFunctions(s.graph, &kept, 1, test_status), 1);
  TF_DeleteBuffer(value);
  value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(kept, "_x", value, test_status);
  assert_memory_equal(value->data, "\x18\x06", 2);
  TF_DeleteFunction(kept);
  TF_DeleteFunction(copy);
  TF_DeleteFunction(function);
  TF_DeleteBuffer(none);
  TF_DeleteBuffer(first);
  TF_DeleteBuffer(value);
  TF_DeleteGraph(s.graph);
}

static void test_functions_of_a_graph(void **state) {
  (void)state;
  small s = make_small();
  TF_Graph *graph = TF_NewGraph();
  TF_Function *function = usual(&s);
  TF_Output f = output(s.f, 0);
  TF_Function *gradient = make(&s, "dfun", 0, NULL, 1, &f, 1, &f, NULL);
  assert_ok();
  TF_GraphCopyFunction(graph, NULL, NULL, test_status);
  assert_error(TF_INVALID_ARGUMENT, "'func' argument to TF_GraphCopyFunction cannot be null");
  TF_GraphCopyFunction(graph, function, gradient, test_status);
  assert_ok();
  TF_GraphCopyFunction(graph, function, NULL, test_status);  // again is no error
  assert_ok();
  TF_GraphCopyFunction(graph, function, function, test_status);
  assert_error(TF_INVALID_ARGUMENT, "already has gradient function 'dfun'");
  assert_int_equal(TF_GraphNumFunctions(graph), 2);
  TF_Function *got[3] = {NULL, NULL, NULL};
  assert_int_equal(TF_GraphGetFunctions(graph, got, 1, test_status), 1);
  TF_DeleteFunction(got[0]);
  assert_int_equal(TF_GraphGetFunctions(graph, got, 3, test_status), 2);
  assert_string_equal(TF_FunctionName(got[0]), "fun");
  assert_string_equal(TF_FunctionName(got[1]), "dfun");
  TF_DeleteFunction(got[0]);
  TF_DeleteFunction(got[1]);
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, test_status);
  TF_Graph *copy = TF_NewGraph();
  TF_GraphImportGraphDef(copy, def, NULL, test_status);
  assert_ok();
  assert_int_equal(TF_GraphNumFunctions(copy), 2);
  TF_DeleteBuffer(def);
  TF_GraphRemoveFunction(graph, "fun", test_status);
  assert_ok();
  assert_int_equal(TF_GraphNumFunctions(graph), 1);
  TF_GraphRemoveFunction(graph, "fun", test_status);
  assert_error(TF_INVALID_ARGUMENT, "Tried to remove non-existent function 'fun'.");
  TF_DeleteFunction(function);
  TF_DeleteFunction(gradient);
  TF_DeleteGraph(copy);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(s.graph);
}

static void test_arg_shapes_travel(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestFeed", "x");
  TF_SetAttrShape(desc, "shape", (int64_t[]){4, -1}, 2);
  TF_Operation *x = TF_FinishOperation(desc, test_status);
  TF_Output in = output(x, 0);
  TF_Function *function =
      TF_GraphToFunction(graph, "fun", 0, -1, NULL, 1, &in, 1, &in, NULL, NULL, NULL, test_status);
  assert_ok();
  dvt_function_body body;
  assert_status_ok(dvt_function_instantiate(function, NULL, 0, NULL, &body));
  assert_int_equal(TF_GraphGetTensorNumDims(body.graph, output(body.args[0], 0), test_status), 2);
  dvt_function_body_deinit(&body);
  TF_DeleteFunction(function);
  TF_DeleteGraph(graph);
}

static void test_failed_allocations(void **state) {
  (void)state;
  small s = make_small();
  TF_Output inputs[] = {output(s.f, 0), output(s.g, 0)}, u = output(s.u, 0);
  for (int64_t n = 1;; n++) {
    dvt_alloc_fail_at(n);
    TF_Function *function =
        TF_GraphToFunction(s.graph, "fun", 1, -1, NULL, 2, inputs, 1, &u, NULL, NULL, "text", test_status);
    dvt_alloc_fail_at(0);
    assert_true((function != NULL) == (TF_GetCode(test_status) == TF_OK));
    TF_DeleteFunction(function);
    if (function) break;
  }
  TF_DeleteGraph(s.graph);
}

static int setup(void **state) {
  test_setup(state);
  test_op("TestCall", TF_ShapeInferenceContextSetUnknownShape, SPECS("a:k: int = 1", "a:ks: list(int) = []"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_and_references),
      cmocka_unit_test(test_chosen_operations_and_output_names),
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_one_output_of_a_body_node_as_input),
      cmocka_unit_test(test_stateful_and_hash),
      cmocka_unit_test(test_control_outputs),
      cmocka_unit_test(test_placeholders_become_attrs),
      cmocka_unit_test(test_proto_and_attrs),
      cmocka_unit_test(test_functions_of_a_graph),
      cmocka_unit_test(test_arg_shapes_travel),
      cmocka_unit_test(test_failed_allocations),
  };
  return cmocka_run_group_tests(tests, setup, test_teardown);
}
