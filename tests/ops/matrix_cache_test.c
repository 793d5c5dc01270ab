// MatMul keeps a packed copy of a right side that does not change. Whatever changes it between steps must be
// seen: a new value assigned to the variable, an update in place, and a fed tensor that its owner overwrites.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "tensorflow/c/c_api.h"

#define ROWS 7
#define INNER 40
#define COLUMNS 45  // two whole panels and a part of one

typedef struct fixture {
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output left, value, read, by_variable, by_constant;
  TF_Operation *assign, *add;
} fixture;

static TF_Output finish(fixture *f, TF_OperationDescription *d) {
  TF_Output out = {TF_FinishOperation(d, f->status), 0};
  if (TF_GetCode(f->status) != TF_OK) fail_msg("%s", TF_Message(f->status));
  return out;
}

static TF_Output node(fixture *f, const char *op, const char *name, const TF_Output *a, const TF_Output *b) {
  TF_OperationDescription *d = TF_NewOperation(f->graph, op, name);
  if (a) TF_AddInput(d, *a);
  if (b) TF_AddInput(d, *b);
  if (!a || strcmp(op, "ReadVariableOp") == 0) TF_SetAttrType(d, "dtype", TF_FLOAT);
  return finish(f, d);
}

static TF_Tensor *filled(int64_t rows, int64_t columns, float value) {
  int64_t dims[2] = {rows, columns};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 2, (size_t)(rows * columns) * sizeof(float));
  for (int64_t i = 0; i < rows * columns; i++) ((float *)TF_TensorData(t))[i] = value;
  return t;
}

static int setup(void **state) {
  static fixture f;
  const int64_t dims[2] = {INNER, COLUMNS};
  f.status = TF_NewStatus();
  f.graph = TF_NewGraph();
  f.left = node(&f, "Placeholder", "left", NULL, NULL);
  f.value = node(&f, "Placeholder", "value", NULL, NULL);
  TF_OperationDescription *d = TF_NewOperation(f.graph, "VarHandleOp", "variable");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, 2);
  TF_Output handle = finish(&f, d);
  f.assign = node(&f, "AssignVariableOp", "assign", &handle, &f.value).oper;
  f.add = node(&f, "AssignAddVariableOp", "add", &handle, &f.value).oper;
  f.read = node(&f, "ReadVariableOp", "read", &handle, NULL);
  f.by_variable = node(&f, "MatMul", "by_variable", &f.left, &f.read);
  TF_Tensor *two = filled(INNER, COLUMNS, 2);
  d = TF_NewOperation(f.graph, "Const", "const");
  TF_SetAttrTensor(d, "value", two, f.status);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_Output constant = finish(&f, d);
  TF_DeleteTensor(two);
  f.by_constant = node(&f, "MatMul", "by_constant", &f.left, &constant);
  TF_SessionOptions *options = TF_NewSessionOptions();
  f.session = TF_NewSession(f.graph, options, f.status);
  TF_DeleteSessionOptions(options);
  assert_int_equal(TF_GetCode(f.status), TF_OK);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  TF_DeleteSession(f->session, f->status);
  TF_DeleteGraph(f->graph);
  TF_DeleteStatus(f->status);
  return 0;
}

// The value of all elements of the right side, found by a left side of ones.
static float right_side(fixture *f, TF_Output product, TF_Tensor *fed_read) {
  TF_Output feeds[2] = {f->left, f->read};
  TF_Tensor *values[2] = {filled(ROWS, INNER, 1), fed_read}, *out = NULL;
  TF_SessionRun(f->session, NULL, feeds, values, fed_read ? 2 : 1, &product, &out, 1, NULL, 0, NULL,
                f->status);
  if (TF_GetCode(f->status) != TF_OK) fail_msg("%s", TF_Message(f->status));
  const float *data = TF_TensorData(out);
  float result = data[0] / INNER;
  for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(data[i] == data[0]);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(out);
  return result;
}

static void run_write(fixture *f, TF_Operation *target, float value) {
  TF_Tensor *t = filled(INNER, COLUMNS, value);
  const TF_Operation *targets[1] = {target};
  TF_SessionRun(f->session, NULL, &f->value, &t, 1, NULL, NULL, 0, targets, 1, NULL, f->status);
  assert_int_equal(TF_GetCode(f->status), TF_OK);
  TF_DeleteTensor(t);
}

static void test_variable(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 4; round++) {
    run_write(f, f->assign, (float)round + 0.5f);
    for (int i = 0; i < 3; i++) assert_true(right_side(f, f->by_variable, NULL) == (float)round + 0.5f);
    run_write(f, f->add, 0.25f);
    assert_true(right_side(f, f->by_variable, NULL) == (float)round + 0.75f);
  }
}

static void test_constant(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 3; i++) assert_true(right_side(f, f->by_constant, NULL) == 2);
}

static void test_fed(void **state) {
  fixture *f = *state;
  TF_Tensor *fed = filled(INNER, COLUMNS, 1);
  for (int i = 1; i < 5; i++) {
    for (int k = 0; k < INNER * COLUMNS; k++) ((float *)TF_TensorData(fed))[k] = (float)i;
    assert_true(right_side(f, f->by_variable, fed) == (float)i);
  }
  TF_DeleteTensor(fed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant),
      cmocka_unit_test(test_variable),
      cmocka_unit_test(test_fed),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
