// Shapes of whole graphs: symbols, values, feeds, functions, loops, and shape functions that misbehave.
#include "graph/shapes.h"

#include "dovetail/dovetail.h"
#include "dovetail/shape.h"
#include "dovetail/shape_fn.h"
#include "graph/graph_test_util.h"

static TF_Graph *graph;
static dvt_shapes shapes;

static void infer_with(const dvt_fed_shape *feeds, int count, const dvt_shapes_listener *listener) {
  dvt_shapes_deinit(&shapes);
  shapes = (dvt_shapes){0};
  assert_status_ok(dvt_graph_infer_shapes(graph, feeds, count, listener, &shapes));
}
static void infer(void) { infer_with(NULL, 0, NULL); }

static void load(const char *text) {
  TF_DeleteGraph(graph);
  graph = TF_NewGraph();
  must_import(graph, text, NULL);
  infer();
}

static dvt_shape shape_of(const char *node) {
  return dvt_shapes_of(&shapes, (dvt_source){find(graph, node)->id, 0});
}

static void expect(const char *node, const char *expected) {
  dvt_buf text = {0};
  dvt_shape_print(shape_of(node), &text);
  if (!dvt_str_is(dvt_buf_str(&text), expected))
    fail_msg("%s: %.*s, not %s", node, (int)text.len, text.data, expected);
  dvt_buf_deinit(&text);
}

#define PLACEHOLDER(name, type, dims)                                                  \
  "node { name: '" name "' op: 'XPlaceholder' attr { key: 'dtype' value { type: " type \
  " } } "                                                                              \
  "attr { key: 'shape' value { shape { " dims " } } } }"
#define DIM(n) "dim { size: " #n " } "
#define FLOAT_T "attr { key: 'T' value { type: DT_FLOAT } }"
#define INT_T "attr { key: 'T' value { type: DT_INT32 } }"
#define CONST(name, shape, values)                                \
  "node { name: '" name                                           \
  "' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } " \
  "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { " shape " } " values " } } } }"
#define FUNC(attr, name) "attr { key: '" attr "' value { func { name: '" name "' } } }"
#define TYPES(attr, types) "attr { key: '" attr "' value { list { " types " } } }"

static void test_one_unknown_through_a_network(void **state) {
  (void)state;
  load(PLACEHOLDER("x", "DT_FLOAT", DIM(-1) DIM(4))  //
       "node { name: 's' op: 'Shape' input: 'x' " FLOAT_T " }" CONST("m1", DIM(1), "int_val: -1")
           CONST("axis", "",
                 "int_val: 0") "node { name: 'r' op: 'ConcatV2' input: 's' input: 'm1' input: 'axis' " INT_T
                               " attr { key: 'N' value { i: 2 } } }"
                               "node { name: 'y' op: 'Reshape' input: 'x' input: 'r' " FLOAT_T
                               " }"
                               "node { name: 'sum' op: 'AddV2' input: 'x' input: 'x' " FLOAT_T " }");
  expect("y", "[?,4,1]");
  expect("sum", "[?,4]");
  assert_int_equal(shape_of("y")->dims[0], shape_of("x")->dims[0]);
  assert_int_equal(shape_of("sum")->dims[0], shape_of("x")->dims[0]);
}

static void test_a_fed_shape(void **state) {
  (void)state;
  load(PLACEHOLDER("x", "DT_FLOAT", DIM(-1) DIM(4)) "node { name: 's' op: 'Shape' input: 'x' " FLOAT_T
                                                    " }"
                                                    "node { name: 'y' op: 'Fill' input: 's' input: 'v' attr "
                                                    "{ key: 'T' value { type: DT_FLOAT } } }" PLACEHOLDER(
                                                        "v", "DT_FLOAT", ""));
  expect("y", "[?,4]");
  dvt_fed_shape feed = {output(find(graph, "x"), 0), 2, (int64_t[]){3, 4}};
  infer_with(&feed, 1, NULL);
  expect("x", "[3,4]");
  expect("y", "[3,4]");
  feed.dims = (int64_t[]){3, 5};
  dvt_shapes other = {0};
  dvt_status status = dvt_graph_infer_shapes(graph, &feed, 1, NULL, &other);
  assert_int_equal(dvt_status_code(status), TF_INVALID_ARGUMENT);
  assert_non_null(
      strstr(dvt_status_message(status), "'x:0' is fed the shape [3,5], but the graph declares [?,4]"));
  dvt_status_free(status);
  dvt_shapes_deinit(&other);
  feed.output.index = 7;
  other = (dvt_shapes){0};
  status = dvt_graph_infer_shapes(graph, &feed, 1, NULL, &other);
  assert_int_equal(dvt_status_code(status), TF_INVALID_ARGUMENT);
  dvt_status_free(status);
  dvt_shapes_deinit(&other);
}

#define BODY(name, arg_type, nodes, ret)                                          \
  "function { signature { name: '" name "' input_arg { name: 'a' type: " arg_type \
  " } output_arg { name: 'r' type: " arg_type " } } " nodes " ret { key: 'r' value: '" ret "' } }"
#define DOUBLE_NODE "node_def { name: 'c' op: 'XTwice' input: 'a' }"

static void test_calls_know_the_callers_shapes(void **state) {
  (void)state;
  load("library { " BODY("twice", "DT_FLOAT", DOUBLE_NODE, "c:y:0")  //
       BODY("same", "DT_FLOAT", "", "a") "}"                         //
       PLACEHOLDER("x", "DT_FLOAT", DIM(3) DIM(-1))                  //
       PLACEHOLDER("p", "DT_BOOL", "")                               //
       "node { name: 'call' op: 'PartitionedCall' input: 'x' " TYPES("Tin", "type: DT_FLOAT")
           TYPES("Tout", "type: DT_FLOAT") FUNC("f", "twice") " }"
       "node { name: 'direct' op: 'twice' input: 'x' }"
       "node { name: 'if' op: 'StatelessIf' input: 'p' input: 'x' attr { key: 'Tcond' value { type: DT_BOOL } } " TYPES(
           "Tin", "type: DT_FLOAT") TYPES("Tout", "type: DT_FLOAT") FUNC("then_branch", "twice")
           FUNC("else_branch", "same") " }"
       "node { name: 'claim' op: 'PartitionedCall' input: 'x' " TYPES("Tin", "type: DT_FLOAT")
           TYPES("Tout", "type: DT_FLOAT") FUNC("f", "missing")
       "attr { key: 'output_shapes' value { list { shape { dim { size: 5 } } } } } }");
  expect("call", "[6,?]");
  assert_int_equal(shape_of("call")->dims[1], shape_of("x")->dims[1]);
  expect("direct", "[6,?]");
  expect("if", "[?,?]");
  assert_int_equal(shape_of("if")->dims[1], shape_of("x")->dims[1]);
  expect("claim", "[5]");
}

#define WHILE(name, body)                                                                                    \
  "node { name: '" name "' op: 'StatelessWhile' input: 'x' " TYPES("T", "type: DT_FLOAT") FUNC("cond", "go") \
      FUNC("body", body) " }"

static void test_loops_are_widened_to_a_fixed_point(void **state) {
  (void)state;
  load("library { " BODY("grow", "DT_FLOAT", DOUBLE_NODE, "c:y:0")  //
       BODY("same", "DT_FLOAT", "", "a")
       "function { signature { name: 'go' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: "
       "DT_BOOL } } node_def { name: 'b' op: 'XTrue' } ret { key: 'r' value: 'b:y:0' } }"
       BODY("rank", "DT_FLOAT", "node_def { name: 'c' op: 'XRankUp' input: 'a' }", "c:y:0") "}"  //
       PLACEHOLDER("x", "DT_FLOAT", DIM(3) DIM(-1))  //
       WHILE("w", "grow") WHILE("k", "same") WHILE("r", "rank"));
  expect("w", "[?,?]");
  assert_int_equal(shape_of("w")->dims[1], shape_of("x")->dims[1]);
  assert_int_not_equal(shape_of("w")->dims[0], shape_of("w")->dims[1]);
  expect("k", "[3,?]");
  expect("r", "?");
}

static void test_old_loops(void **state) {
  (void)state;
  load(PLACEHOLDER("x", "DT_FLOAT",
                   DIM(3) DIM(-1)) "node { name: 'e' op: 'Enter' input: 'x' " FLOAT_T
                                   " attr { key: 'frame_name' value { s: 'f' } } }"
                                   "node { name: 'e2' op: 'Enter' input: 'x' " FLOAT_T
                                   " attr { key: 'frame_name' value { s: 'f' } } }"
                                   "node { name: 'm' op: 'Merge' input: 'e' input: 'n' " FLOAT_T
                                   " attr { key: 'N' value { i: 2 } } }"
                                   "node { name: 'm2' op: 'Merge' input: 'e2' input: 'n2' " FLOAT_T
                                   " attr { key: 'N' value { i: 2 } } }"
                                   "node { name: 'c' op: 'XTwice' input: 'm' }"
                                   "node { name: 'after' op: 'XTwice' input: 'c' }"
                                   "node { name: 'n' op: 'NextIteration' input: 'c' " FLOAT_T
                                   " }"
                                   "node { name: 'n2' op: 'NextIteration' input: 'm2' " FLOAT_T " }");
  expect("m", "[?,?]");
  expect("after", "[?,?]");
  expect("m2", "[3,?]");
  assert_int_equal(shape_of("m")->dims[1], shape_of("x")->dims[1]);
}

// What one loop leaves open goes through another, which leaves it open anew.
static void test_a_loop_after_a_loop(void **state) {
  (void)state;
#define LOOP(n, from)                                                            \
  "node { name: 'm" n "' op: 'Merge' input: '" from "' input: 'n" n "' " FLOAT_T \
  " attr { key: 'N' value { i: 2 } } }"                                          \
  "node { name: 'c" n "' op: 'XTwice' input: 'm" n                               \
  "' }"                                                                          \
  "node { name: 'n" n "' op: 'NextIteration' input: 'c" n "' " FLOAT_T " }"
  load(PLACEHOLDER("x", "DT_FLOAT", DIM(3)) LOOP("1", "x") LOOP("2", "m1"));
  expect("m1", "[?]");
  expect("m2", "[?]");
  assert_int_not_equal(shape_of("m1")->dims[0], shape_of("m2")->dims[0]);
}

static void test_refining_in_place(void **state) {
  (void)state;
  load(PLACEHOLDER("x", "DT_FLOAT", DIM(-1) DIM(4))  //
       "node { name: 'y' op: 'XTwice' input: 'x' }"
       "library { " BODY("twice", "DT_FLOAT", DOUBLE_NODE, "c:y:0") "}"  //
       "node { name: 'z' op: 'twice' input: 'y' }");
  int64_t dims[2];
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(find(graph, "z"), 0), test_status), -1);
  TF_GraphSetTensorShape(graph, output(find(graph, "x"), 0), (int64_t[]){3, 4}, 2, test_status);
  TF_GraphGetTensorShape(graph, output(find(graph, "y"), 0), dims, 2, test_status);
  assert_int_equal(dims[0], -1);  // as in stock: readers are not inferred anew
  dvt_graph_refine_shapes(graph, test_status);
  assert_ok();
  TF_GraphGetTensorShape(graph, output(find(graph, "y"), 0), dims, 2, test_status);
  assert_int_equal(dims[0], 6);
  TF_GraphGetTensorShape(graph, output(find(graph, "z"), 0), dims, 2, test_status);
  assert_ok();
  assert_int_equal(dims[0], 12);
  assert_int_equal(dims[1], 4);
  dvt_graph_refine_shapes(graph, test_status);
  assert_ok();
}

static void test_functions_that_call_themselves_end(void **state) {
  (void)state;
  load("library { " BODY(
      "f", "DT_FLOAT",
      "node_def { name: 'c' op: 'f' input: 'a' } node_def { name: 'd' op: 'f' input: 'c:r:0' }",
      "d:r:0") "}" PLACEHOLDER("x", "DT_FLOAT", DIM(3)) "node { name: 'y' op: 'f' input: 'x' }");
  expect("y", "?");
}

typedef struct heard {
  int failed, bodies;
  char text[512], function[32];
} heard;

static void hear_failure(void *arg, dvt_str function, const dvt_node_def *node, dvt_status status) {
  heard *h = arg;
  (void)node;
  h->failed++;
  snprintf(h->text, sizeof h->text, "%s", dvt_status_message(status));
  snprintf(h->function, sizeof h->function, DVT_STR_FMT, DVT_STR_ARG(function));
}

static void hear_body(void *arg, dvt_str function, const TF_Graph *body, const dvt_shapes *of_body) {
  heard *h = arg;
  (void)function;
  assert_int_equal(of_body->node_count, body->node_count);
  h->bodies++;
}

static void test_failing_functions_are_told(void **state) {
  (void)state;
  heard h = {0};
  dvt_shapes_listener listener = {hear_failure, hear_body, &h};
  load("library { " BODY("bad", "DT_FLOAT", "node_def { name: 'c' op: 'XWantsTwo' input: 'a' }", "c:y:0")  //
       BODY("outer", "DT_FLOAT", "node_def { name: 'i' op: 'bad' input: 'a' }", "i:r:0") "}"               //
       PLACEHOLDER("x", "DT_FLOAT", DIM(3) DIM(3) DIM(3))                                                  //
       "node { name: 'y' op: 'outer' input: 'x' }");
  expect("y", "?");
  infer_with(NULL, 0, &listener);
  assert_int_equal(h.bodies, 2);
  assert_true(h.failed > 0);
  assert_string_equal(h.function, "bad");
  assert_non_null(strstr(h.text, "Shape must be rank 2 but is rank 3"));
  assert_non_null(strstr(h.text, "{{node c}} = XWantsTwo"));
  assert_non_null(strstr(h.text, "[3,3,3]"));
}

// Another rank every time: in a loop that would go on for ever.
static void shape_restless(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  static int rank;
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextWithRank(ctx, shape, rank++ % 5, shape, status);
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteShapeHandle(shape);
}

static void test_a_restless_function_ends(void **state) {
  (void)state;
  load(PLACEHOLDER("x", "DT_FLOAT", DIM(3)) "node { name: 'm' op: 'Merge' input: 'x' input: 'n' " FLOAT_T
                                            " attr { key: 'N' value { i: 2 } } }"
                                            "node { name: 'c' op: 'XRestless' input: 'm' }"
                                            "node { name: 'n' op: 'NextIteration' input: 'c' " FLOAT_T " }");
  expect("m", "?");
}

static void shape_twice(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_DimensionHandle *dim = TF_NewDimensionHandle(), *two = TF_ShapeInferenceContext_MakeDim(ctx, 2);
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_ShapeInferenceContextRankKnown(ctx, shape)) {
    TF_ShapeInferenceContextDim(ctx, shape, 0, dim);
    TF_ShapeInferenceContext_Multiply(ctx, dim, two, dim, status);
    TF_ShapeInferenceContext_ReplaceDim(ctx, shape, 0, dim, shape, status);
  }
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
  TF_DeleteDimensionHandle(dim);
  TF_DeleteDimensionHandle(two);
}

static void shape_rank_up(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle(), *one = TF_ShapeInferenceContextVectorFromSize(ctx, 1);
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextConcatenateShapes(ctx, shape, one, shape, status);
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
  TF_DeleteShapeHandle(one);
}

static void shape_wants_two(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextWithRank(ctx, shape, 2, shape, status);
  TF_DeleteShapeHandle(shape);
}

static int setup(void **state) {
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_setup(state);
  test_op("XPlaceholder", dvt_shape_fn_placeholder, SPECS("a:dtype: type", "a:shape: shape", "o:y: dtype"));
  test_op("XTwice", shape_twice, SPECS("i:x: float", "o:y: float"));
  test_op("XRankUp", shape_rank_up, SPECS("i:x: float", "o:y: float"));
  test_op("XWantsTwo", shape_wants_two, SPECS("i:x: float", "o:y: float"));
  test_op("XRestless", shape_restless, SPECS("i:x: float", "o:y: float"));
  test_op("XTrue", dvt_shape_fn_scalar, SPECS("o:y: bool"));
  test_op("Const", dvt_shape_fn_const, SPECS("a:value: tensor", "a:dtype: type", "o:output: dtype"));
  test_op("Shape", dvt_shape_fn_shape, SPECS("a:T: type", "i:input: T", "o:output: int32"));
  test_op("ConcatV2", dvt_shape_fn_concat,
          SPECS("a:N: int >= 2", "a:T: type", "i:values: N * T", "i:axis: int32", "o:output: T"));
  test_op("Reshape", dvt_shape_fn_reshape, SPECS("a:T: type", "i:x: T", "i:shape: int32", "o:y: T"));
  test_op("Fill", dvt_shape_fn_fill, SPECS("a:T: type", "i:dims: int32", "i:value: T", "o:y: T"));
  test_op("AddV2", dvt_shape_fn_broadcast_binary, SPECS("a:T: type", "i:x: T", "i:y: T", "o:z: T"));
  test_op("PartitionedCall", unknown,
          SPECS("a:Tin: list(type) >= 0", "a:Tout: list(type) >= 0", "a:f: func", "i:args: Tin",
                "o:output: Tout"));
  test_op("StatelessIf", unknown,
          SPECS("a:Tcond: type", "a:Tin: list(type) >= 0", "a:Tout: list(type) >= 0", "a:then_branch: func",
                "a:else_branch: func", "i:cond: Tcond", "i:input: Tin", "o:output: Tout"));
  test_op("StatelessWhile", unknown,
          SPECS("a:T: list(type) >= 0", "a:cond: func", "a:body: func", "i:input: T", "o:output: T"));
  test_op("Enter", unknown, SPECS("a:T: type", "a:frame_name: string", "i:data: T", "o:output: T"));
  test_op("Merge", unknown,
          SPECS("a:T: type", "a:N: int >= 1", "i:inputs: N * T", "o:output: T", "o:value_index: int32"));
  test_op("NextIteration", dvt_shape_fn_unchanged, SPECS("a:T: type", "i:data: T", "o:output: T"));
  return 0;
}

static int teardown(void **state) {
  dvt_shapes_deinit(&shapes);
  TF_DeleteGraph(graph);
  return test_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_unknown_through_a_network),
      cmocka_unit_test(test_a_fed_shape),
      cmocka_unit_test(test_calls_know_the_callers_shapes),
      cmocka_unit_test(test_loops_are_widened_to_a_fixed_point),
      cmocka_unit_test(test_old_loops),
      cmocka_unit_test(test_a_loop_after_a_loop),
      cmocka_unit_test(test_refining_in_place),
      cmocka_unit_test(test_functions_that_call_themselves_end),
      cmocka_unit_test(test_failing_functions_are_told),
      cmocka_unit_test(test_a_restless_function_ends),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
