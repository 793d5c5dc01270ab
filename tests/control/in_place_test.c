// A loop that sets or appends n elements of a list touches each once: the list is one object from the first
// iteration to the last, as a While of functions and as a loop of Switch and Merge. A node of the test's own
// stands in the loop and looks at the object that passes.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "dovetail/object.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/ops.h"

#define COUNT 200

static TF_Status *status;
static void check(void) {
  if (TF_GetCode(status) != TF_OK) fail_msg("%s", TF_Message(status));
}

// ---- the node that watches ----

static const dvt_value_type list_type = {sizeof(dvt_value_type), "tensorflow::TensorList", NULL, NULL, NULL, NULL};
static const void *last_seen;
static int seen, changes, not_alone;

static void watch(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  int from = -1;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *out = TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, NULL, 0, &from, s), *in = NULL;
  if (from < 0) {
    TF_GetInput(ctx, 0, &in, s);
    dvt_object_share(out, 0, in, 0, s);
  }
  const void *list = dvt_object_get(out, 0, &list_type, s);
  seen++;
  changes += list != last_seen;
  not_alone += from < 0 || dvt_object_is_shared(out, 0);
  last_seen = list;
  if (TF_GetCode(s) != TF_OK) TF_OpKernelContext_Failure(ctx, s);
  TF_DeleteTensor(in);
  TF_DeleteTensor(out);
  TF_DeleteStatus(s);
}

static int setup(void **state) {
  (void)state;
  status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("TestWatch");
  TF_OpDefinitionBuilderAddInput(op, "x: variant");
  TF_OpDefinitionBuilderAddOutput(op, "y: variant");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  check();
  TF_RegisterKernelBuilder("TestWatch", TF_NewKernelBuilder("TestWatch", "CPU", NULL, watch, NULL), status);
  check();
  return 0;
}
static int teardown(void **state) {
  (void)state;
  TF_DeleteStatus(status);
  return 0;
}

// ---- graphs ----

static TF_Output finish(TF_OperationDescription *d) {
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check();
  return out;
}

static TF_Output constant(TF_Graph *g, const char *name, TF_DataType dtype, const void *value) {
  TF_Tensor *t = TF_AllocateTensor(dtype, NULL, 0, 4);
  memcpy(TF_TensorData(t), value, 4);
  TF_OperationDescription *d = TF_NewOperation(g, "Const", name);
  TF_SetAttrTensor(d, "value", t, status);
  TF_SetAttrType(d, "dtype", dtype);
  TF_DeleteTensor(t);
  return finish(d);
}
static TF_Output int_constant(TF_Graph *g, const char *name, int32_t value) {
  return constant(g, name, TF_INT32, &value);
}

static TF_Output placeholder(TF_Graph *g, const char *name, TF_DataType dtype) {
  TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", name);
  TF_SetAttrType(d, "dtype", dtype);
  return finish(d);
}

static TF_Output binary(TF_Graph *g, const char *op, const char *name, TF_Output a, TF_Output b) {
  TF_OperationDescription *d = TF_NewOperation(g, op, name);
  TF_AddInput(d, a);
  TF_AddInput(d, b);
  return finish(d);
}

static TF_Output empty_list(TF_Graph *g, const char *op, int32_t count) {
  TF_OperationDescription *d = TF_NewOperation(g, op, "list");
  TF_AddInput(d, int_constant(g, "shape", -1));
  TF_AddInput(d, int_constant(g, "count", count));
  TF_SetAttrType(d, "element_dtype", TF_FLOAT);
  return finish(d);
}

static TF_Output goes_on(TF_Graph *g, TF_Output i) {
  return binary(g, "Less", "more", i, int_constant(g, "limit", COUNT));
}

// i + 1 and the list with i as an element more, or another one.
static void step(TF_Graph *g, bool appends, TF_Output i, TF_Output list, TF_Output out[2]) {
  out[0] = binary(g, "AddV2", "next", i, int_constant(g, "one", 1));
  TF_OperationDescription *d = TF_NewOperation(g, "Cast", "value");
  TF_AddInput(d, i);
  TF_SetAttrType(d, "DstT", TF_FLOAT);
  TF_Output value = finish(d);
  d = TF_NewOperation(g, appends ? "TensorListPushBack" : "TensorListSetItem", "change");
  TF_AddInput(d, list);
  if (!appends) TF_AddInput(d, i);
  TF_AddInput(d, value);
  TF_Output changed = finish(d);
  d = TF_NewOperation(g, "TestWatch", "watch");
  TF_AddInput(d, changed);
  out[1] = finish(d);
}

static TF_Output frames(TF_Graph *g, bool appends, TF_Output list) {
  TF_Output inputs[] = {int_constant(g, "zero", 0), list}, outputs[2];
  TF_WhileParams loop = TF_NewWhile(g, inputs, 2, status);
  check();
  loop.name = "loop";
  loop.cond_output = goes_on(loop.cond_graph, loop.cond_inputs[0]);
  step(loop.body_graph, appends, loop.body_inputs[0], loop.body_inputs[1], loop.body_outputs);
  TF_FinishWhile(&loop, status, outputs);
  check();
  return outputs[1];
}

static void add_function(TF_Graph *g, const char *name, TF_Graph *body, const TF_Output inputs[2], int count,
                         const TF_Output *outputs) {
  TF_Function *f =
      TF_GraphToFunction(body, name, 0, -1, NULL, 2, inputs, count, outputs, NULL, NULL, name, status);
  check();
  TF_GraphCopyFunction(g, f, NULL, status);
  check();
  TF_DeleteFunction(f);
  TF_DeleteGraph(body);
}

static TF_Output functions(TF_Graph *g, bool appends, TF_Output list) {
  TF_Graph *cond = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output c[] = {placeholder(cond, "i", TF_INT32), placeholder(cond, "list_in", TF_VARIANT)};
  TF_Output b[] = {placeholder(body, "i", TF_INT32), placeholder(body, "list_in", TF_VARIANT)}, next[2];
  TF_Output more = goes_on(cond, c[0]);
  step(body, appends, b[0], b[1], next);
  add_function(g, "cond", cond, c, 1, &more);
  add_function(g, "body", body, b, 2, next);
  TF_OperationDescription *d = TF_NewOperation(g, "While", "loop");
  TF_Output inputs[] = {int_constant(g, "zero", 0), list};
  TF_AddInputList(d, inputs, 2);
  TF_SetAttrTypeList(d, "T", (TF_DataType[]){TF_INT32, TF_VARIANT}, 2);
  TF_SetAttrFuncName(d, "cond", "cond", 4);
  TF_SetAttrFuncName(d, "body", "body", 4);
  TF_Output out = finish(d);
  out.index = 1;
  return out;
}

static void run(bool as_functions, bool appends) {
  TF_Graph *g = TF_NewGraph();
  TF_Output list = appends ? empty_list(g, "EmptyTensorList", -1) : empty_list(g, "TensorListReserve", COUNT);
  TF_Output end = as_functions ? functions(g, appends, list) : frames(g, appends, list);
  TF_OperationDescription *d = TF_NewOperation(g, "TensorListStack", "stack");
  TF_AddInput(d, end);
  TF_AddInput(d, int_constant(g, "any", -1));
  TF_SetAttrType(d, "element_dtype", TF_FLOAT);
  TF_Output stack = finish(d);
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(g, options, status);
  TF_DeleteSessionOptions(options);
  for (int k = 0; k < 3; k++) {
    TF_Tensor *result = NULL;
    last_seen = NULL;
    seen = changes = not_alone = 0;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &stack, &result, 1, NULL, 0, NULL, status);
    check();
    assert_int_equal(TF_TensorElementCount(result), COUNT);
    for (int i = 0; i < COUNT; i++) assert_true(((const float *)TF_TensorData(result))[i] == (float)i);
    TF_DeleteTensor(result);
    assert_int_equal(seen, COUNT);
    assert_int_equal(changes, 1);  // the first one
    assert_int_equal(not_alone, 0);
  }
  TF_DeleteSession(session, status);
  TF_DeleteGraph(g);
}

static void test_set_item_in_functions(void **state) {
  (void)state;
  run(true, false);
}
static void test_push_back_in_functions(void **state) {
  (void)state;
  run(true, true);
}
static void test_set_item_in_frames(void **state) {
  (void)state;
  run(false, false);
}
static void test_push_back_in_frames(void **state) {
  (void)state;
  run(false, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_set_item_in_functions),
      cmocka_unit_test(test_push_back_in_functions),
      cmocka_unit_test(test_set_item_in_frames),
      cmocka_unit_test(test_push_back_in_frames),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
