// What the tests of graphs share: ops of their own, GraphDefs written as text, and short forms of building
// and asking.
#ifndef DVT_GRAPH_GRAPH_TEST_UTIL_H_
#define DVT_GRAPH_GRAPH_TEST_UTIL_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above.
#include <cmocka.h>

#include "base/schema.h"
#include "graph/function.h"
#include "graph/import.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/ops.h"

static TF_Status *test_status;

// ---- ops ----

__attribute__((unused)) static void shape_of_first(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

__attribute__((unused)) static void shape_scalar(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// Specs, each with a letter before it: "a:T: type", "i:x: T", "o:y: T", "s:" stateful; NULL ends them.
__attribute__((unused)) static void test_op(const char *name,
                                            void (*shape_fn)(TF_ShapeInferenceContext *, TF_Status *),
                                            const char *const *specs) {
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  for (; *specs; specs++) {
    if ((*specs)[0] == 'a') TF_OpDefinitionBuilderAddAttr(builder, *specs + 2);
    if ((*specs)[0] == 'i') TF_OpDefinitionBuilderAddInput(builder, *specs + 2);
    if ((*specs)[0] == 'o') TF_OpDefinitionBuilderAddOutput(builder, *specs + 2);
    if ((*specs)[0] == 's') TF_OpDefinitionBuilderSetIsStateful(builder, true);
  }
  if (shape_fn) TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, shape_fn);
  TF_RegisterOpDefinition(builder, test_status);
  if (TF_GetCode(test_status) != TF_OK) fail_msg("%s: %s", name, TF_Message(test_status));
}
#define SPECS(...) ((const char *const[]){__VA_ARGS__, NULL})

// The ops most tests use; unknown shapes unless it says otherwise.
__attribute__((unused)) static int test_setup(void **state) {
  (void)state;
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_status = TF_NewStatus();
  test_op("TestFeed", unknown,
          SPECS("a:dtype: type = DT_FLOAT", "a:shape: shape = { unknown_rank: true }", "o:y: dtype"));
  test_op("TestScalar", shape_scalar, SPECS("o:y: float"));
  test_op("TestUnary", shape_of_first, SPECS("i:x: float", "o:y: float"));
  test_op("TestSame", shape_of_first, SPECS("a:T: type", "i:x: T", "o:y: T"));
  test_op("TestPair", shape_of_first,
          SPECS("a:T: {float, int32}", "i:a: T", "i:b: T", "o:sum: T", "o:diff: T"));
  test_op("TestMany", unknown, SPECS("a:N: int >= 1", "a:T: type", "i:xs: N * T", "o:y: T"));
  test_op("TestList", unknown, SPECS("a:Ts: list(type)", "i:xs: Ts", "o:ys: Ts"));
  test_op("TestSplit", unknown, SPECS("a:n: int >= 1", "i:x: float", "o:first: float", "o:rest: n * float"));
  test_op("TestVar", unknown, SPECS("o:ref: Ref(float)", "s:"));
  test_op("TestAssign", unknown, SPECS("i:ref: Ref(float)", "i:value: float", "o:out: Ref(float)"));
  test_op("TestEffect", unknown, SPECS("s:"));
  test_op("TestInt", unknown, SPECS("o:y: int32"));
  return 0;
}

__attribute__((unused)) static int test_teardown(void **state) {
  (void)state;
  TF_DeleteStatus(test_status);
  return 0;
}

// ---- checks ----

#define assert_ok()                                                              \
  do {                                                                           \
    if (TF_GetCode(test_status) != TF_OK)                                        \
      fail_msg("code %d: %s", TF_GetCode(test_status), TF_Message(test_status)); \
  } while (0)
// The last call failed with this code, and its message contains the text.
#define assert_error(code, text)                                                                           \
  do {                                                                                                     \
    assert_int_equal(TF_GetCode(test_status), code);                                                       \
    if (!strstr(TF_Message(test_status), text)) fail_msg("no '%s' in: %s", text, TF_Message(test_status)); \
  } while (0)
#define assert_str(s, text) assert_true(dvt_str_is(s, text))
#define assert_status_ok(expr)                                              \
  do {                                                                      \
    dvt_status assert_status_ = (expr);                                     \
    if (assert_status_) fail_msg("%s", dvt_status_message(assert_status_)); \
  } while (0)

// ---- building ----

__attribute__((unused)) static TF_Output output(TF_Operation *node, int index) {
  return (TF_Output){node, index};
}

// A node with single inputs; NULL in the list ends it.
__attribute__((unused)) static TF_Operation *add_node(TF_Graph *graph, const char *op, const char *name,
                                                      TF_Operation *a, TF_Operation *b) {
  TF_OperationDescription *desc = TF_NewOperation(graph, op, name);
  if (a) TF_AddInput(desc, output(a, 0));
  if (b) TF_AddInput(desc, output(b, 0));
  return TF_FinishOperation(desc, test_status);
}

__attribute__((unused)) static TF_Operation *must_add(TF_Graph *graph, const char *op, const char *name,
                                                      TF_Operation *a, TF_Operation *b) {
  TF_Operation *node = add_node(graph, op, name, a, b);
  assert_ok();
  assert_non_null(node);
  return node;
}

// Text to wire bytes; the caller deletes the buffer.
__attribute__((unused)) static TF_Buffer *parse_text(const dvt_schema *schema, const char *text) {
  dvt_buf wire = {0};
  assert_status_ok(dvt_text_parse(schema, dvt_str_from(text), "test", &wire));
  TF_Buffer *buffer = TF_NewBufferFromString(wire.data ? wire.data : "", wire.len);
  dvt_buf_deinit(&wire);
  return buffer;
}

__attribute__((unused)) static TF_ImportGraphDefResults *import_text(
    TF_Graph *graph, const char *text, const TF_ImportGraphDefOptions *options) {
  TF_Buffer *buffer = parse_text(&dvt_schema_graph_def, text);
  TF_ImportGraphDefResults *results = TF_GraphImportGraphDefWithResults(graph, buffer, options, test_status);
  TF_DeleteBuffer(buffer);
  return results;
}

__attribute__((unused)) static void must_import(TF_Graph *graph, const char *text,
                                                const TF_ImportGraphDefOptions *options) {
  TF_ImportGraphDefResults *results = import_text(graph, text, options);
  assert_ok();
  TF_DeleteImportGraphDefResults(results);
}

__attribute__((unused)) static void must_not_import(TF_Graph *graph, const char *text,
                                                    const TF_ImportGraphDefOptions *options) {
  size_t nodes = graph->node_count;
  int functions = TF_GraphNumFunctions(graph);
  assert_null(import_text(graph, text, options));
  assert_int_not_equal(TF_GetCode(test_status), TF_OK);
  assert_int_equal(graph->node_count, nodes);
  assert_int_equal(graph->by_name.count, nodes);
  assert_int_equal(TF_GraphNumFunctions(graph), functions);
}

__attribute__((unused)) static TF_Operation *find(TF_Graph *graph, const char *name) {
  TF_Operation *node = TF_GraphOperationByName(graph, name);
  if (!node) fail_msg("there is no node %s", name);
  return node;
}

// "a:0 b:1 ^c": the inputs of a node.
__attribute__((unused)) static const char *inputs_of(TF_Operation *node) {
  static char text[1024];
  int at = 0;
  text[0] = 0;
  for (int i = 0; i < TF_OperationNumInputs(node); i++) {
    TF_Output source = TF_OperationInput((TF_Input){node, i});
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%s:%d", at ? " " : "",
                   TF_OperationName(source.oper), source.index);
  }
  TF_Operation *controls[16];
  int count = TF_OperationGetControlInputs(node, controls, 16);
  for (int i = 0; i < count; i++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "%s^%s", at ? " " : "", TF_OperationName(controls[i]));
  return text;
}

// The names of all nodes in creation order.
__attribute__((unused)) static const char *names_of(TF_Graph *graph) {
  static char text[4096];
  int at = 0;
  size_t pos = 0;
  TF_Operation *node;
  text[0] = 0;
  while ((node = TF_GraphNextOperation(graph, &pos)))
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", at ? " " : "", TF_OperationName(node));
  return text;
}

#endif  // DVT_GRAPH_GRAPH_TEST_UTIL_H_
