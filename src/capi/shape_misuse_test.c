// Shape functions that do wrong things, as graphs meet them: the node is refused with its name, its op and
// the shapes of its inputs, and the graph goes on.
#include "dovetail/shape.h"
#include "graph/graph_test_util.h"

static void fails(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx;
  TF_SetStatus(status, TF_OUT_OF_RANGE, "not today");
}

static void sets_nothing(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx;
  (void)status;
}

static void sets_output_9(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 9, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void gets_input_minus_1(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, -1, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void makes_rank_255(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  int64_t dims[255] = {0};
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContext_MakeShapeFromDims(ctx, dims, 255, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void joins_ranks_200(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_ShapeInferenceContext_UnknownShapeOfRank(ctx, 200);
  TF_ShapeInferenceContextConcatenateShapes(ctx, shape, shape, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void makes_minus_5(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  assert_null(TF_ShapeInferenceContext_MakeDim(ctx, -5));
  TF_ShapeInferenceContext_MakeShapeFromDims(ctx, (int64_t[]){3, -5}, 2, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void multiplies_too_much(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_DimensionHandle *dim = TF_ShapeInferenceContext_MakeDim(ctx, INT64_MAX / 2);
  TF_ShapeInferenceContext_Multiply(ctx, dim, dim, dim, status);
  TF_DeleteDimensionHandle(dim);
}

static void subtracts_too_much(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_DimensionHandle *a = TF_ShapeInferenceContext_MakeDim(ctx, 2),
                     *b = TF_ShapeInferenceContext_MakeDim(ctx, 3);
  TF_ShapeInferenceContext_Subtract(ctx, a, b, a, status);
  TF_DeleteDimensionHandle(a);
  TF_DeleteDimensionHandle(b);
}

static const struct {
  const char *op;
  void (*fn)(TF_ShapeInferenceContext *, TF_Status *);
  TF_Code code;
  const char *message;  // its beginning
} cases[] = {
    {"BadFails", fails, TF_OUT_OF_RANGE, "not today"},
    {"BadOutput", sets_output_9, TF_INVALID_ARGUMENT, "output index out of range: 9, the node has 1 outputs"},
    {"BadInput", gets_input_minus_1, TF_INVALID_ARGUMENT,
     "input index out of range: -1, the node has 2 inputs"},
    {"BadRank", makes_rank_255, TF_INVALID_ARGUMENT, "a shape of rank 255 was asked for"},
    {"BadJoin", joins_ranks_200, TF_INVALID_ARGUMENT,
     "concatenating shapes of rank 200 and 200 passes the highest rank, 254"},
    {"BadSize", makes_minus_5, TF_INVALID_ARGUMENT,
     "dimension 1 is -5; sizes are 0 or more, or -1 for unknown"},
    {"BadProduct", multiplies_too_much, TF_INVALID_ARGUMENT,
     "Negative dimension size caused by overflow when multiplying"},
    {"BadDifference", subtracts_too_much, TF_INVALID_ARGUMENT,
     "Negative dimension size caused by subtracting 3 from 2"},
};

static TF_Operation *add_feed(TF_Graph *graph, const char *name, const int64_t *dims, int rank) {
  TF_OperationDescription *desc = TF_NewOperation(graph, "TestShaped", name);
  TF_SetAttrShape(desc, "shape", dims, rank);
  TF_Operation *feed = TF_FinishOperation(desc, test_status);
  assert_int_equal(TF_GetCode(test_status), TF_OK);
  return feed;
}

static void test_rules_074_to_077_wrong_functions(void **state) {
  (void)state;
  test_op("TestShaped", dvt_shape_fn_explicit_shape, SPECS("a:shape: shape", "o:y: float"));
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *a = add_feed(graph, "a", (int64_t[]){2, -1}, 2), *b = add_feed(graph, "b", NULL, -1);
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    char wanted[256];
    test_op(cases[i].op, cases[i].fn, SPECS("i:x: float", "i:y: float", "o:z: float"));
    TF_OperationDescription *desc = TF_NewOperation(graph, cases[i].op, "bad");
    TF_AddInput(desc, (TF_Output){a, 0});
    TF_AddInput(desc, (TF_Output){b, 0});
    assert_null(TF_FinishOperation(desc, test_status));
    const char *message = TF_Message(test_status);
    snprintf(wanted, sizeof wanted, " for '{{node bad}} = %s[](a, b)' with input shapes: [2,?], ?.",
             cases[i].op);
    if (TF_GetCode(test_status) != cases[i].code ||
        strncmp(message, cases[i].message, strlen(cases[i].message)) != 0 || !strstr(message, wanted))
      fail_msg("%s: %d %s", cases[i].op, (int)TF_GetCode(test_status), message);
  }
  assert_null(TF_GraphOperationByName(graph, "bad"));
  TF_DeleteGraph(graph);
}

static void test_rule_075_nothing_set_is_unknown(void **state) {
  (void)state;
  test_op("SetsNothing", sets_nothing, SPECS("o:y: float", "o:z: float"));
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *op = TF_FinishOperation(TF_NewOperation(graph, "SetsNothing", "n"), test_status);
  assert_int_equal(TF_GetCode(test_status), TF_OK);
  for (int i = 0; i < 2; i++)
    assert_int_equal(TF_GraphGetTensorNumDims(graph, (TF_Output){op, i}, test_status), -1);
  TF_DeleteGraph(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_074_to_077_wrong_functions),
      cmocka_unit_test(test_rule_075_nothing_set_is_unknown),
  };
  return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
