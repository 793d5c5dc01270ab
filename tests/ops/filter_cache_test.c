// Conv2D keeps a packed copy of a filter that does not change. Whatever changes it between steps must be
// seen: a new value assigned to the variable, an update in place, and a fed tensor that its owner overwrites.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "tensorflow/c/c_api.h"

#define IN 4
#define OUT 32  // wide enough for oneDNN

typedef struct fixture {
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output image, filter, value, read, conv, fed_conv, constant_conv;
  TF_Operation *assign, *add;
} fixture;

static void check(TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) fail_msg("%s", TF_Message(status));
}

static TF_Output finish(fixture *f, TF_OperationDescription *d) {
  TF_Output out = {TF_FinishOperation(d, f->status), 0};
  check(f->status);
  return out;
}

static TF_Output placeholder(fixture *f, const char *name) {
  TF_OperationDescription *d = TF_NewOperation(f->graph, "Placeholder", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  return finish(f, d);
}

static TF_Output conv(fixture *f, const char *name, TF_Output filter) {
  const int64_t strides[4] = {1, 1, 1, 1};
  TF_OperationDescription *d = TF_NewOperation(f->graph, "Conv2D", name);
  TF_AddInput(d, f->image);
  TF_AddInput(d, filter);
  TF_SetAttrIntList(d, "strides", strides, 4);
  TF_SetAttrString(d, "padding", "SAME", 4);
  return finish(f, d);
}

static TF_Operation *write(fixture *f, const char *op, TF_Output handle) {
  TF_OperationDescription *d = TF_NewOperation(f->graph, op, op);
  TF_AddInput(d, handle);
  TF_AddInput(d, f->value);
  return finish(f, d).oper;
}

static TF_Tensor *filled(int64_t a, int64_t b, int64_t c, int64_t d, float value) {
  int64_t dims[4] = {a, b, c, d};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 4, (size_t)(a * b * c * d) * sizeof(float));
  for (int64_t i = 0; i < a * b * c * d; i++) ((float *)TF_TensorData(t))[i] = value;
  return t;
}
static TF_Tensor *filter_of(float value) { return filled(3, 3, IN, OUT, value); }

static int setup(void **state) {
  static fixture f;
  f.status = TF_NewStatus();
  f.graph = TF_NewGraph();
  f.image = placeholder(&f, "image");
  f.filter = placeholder(&f, "filter");
  f.value = placeholder(&f, "value");
  const int64_t dims[4] = {3, 3, IN, OUT};
  TF_OperationDescription *d = TF_NewOperation(f.graph, "VarHandleOp", "variable");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, 4);
  TF_SetAttrString(d, "shared_name", "filter", 6);
  TF_Output handle = finish(&f, d);
  f.assign = write(&f, "AssignVariableOp", handle);
  f.add = write(&f, "AssignAddVariableOp", handle);
  d = TF_NewOperation(f.graph, "ReadVariableOp", "read");
  TF_AddInput(d, handle);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  f.read = finish(&f, d);
  f.conv = conv(&f, "conv", f.read);
  f.fed_conv = conv(&f, "fed_conv", f.filter);
  TF_Tensor *two = filter_of(2);
  d = TF_NewOperation(f.graph, "Const", "const");
  TF_SetAttrTensor(d, "value", two, f.status);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  f.constant_conv = conv(&f, "constant_conv", finish(&f, d));
  TF_DeleteTensor(two);
  TF_SessionOptions *options = TF_NewSessionOptions();
  f.session = TF_NewSession(f.graph, options, f.status);
  TF_DeleteSessionOptions(options);
  check(f.status);
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

// The middle pixel of the convolution of an image of ones: 9 * IN times the filter's value.
static float middle(fixture *f, TF_Output fetch, const TF_Output *fed, TF_Tensor *fed_value) {
  TF_Output feeds[2] = {f->image};
  TF_Tensor *values[2] = {filled(1, 5, 5, IN, 1), fed_value}, *out = NULL;
  if (fed) feeds[1] = *fed;
  TF_SessionRun(f->session, NULL, feeds, values, fed ? 2 : 1, &fetch, &out, 1, NULL, 0, NULL, f->status);
  check(f->status);
  float result = ((float *)TF_TensorData(out))[(2 * 5 + 2) * OUT + 7] / (9 * IN);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(out);
  return result;
}

static void run_write(fixture *f, TF_Operation *target, float value) {
  TF_Tensor *t = filter_of(value);
  const TF_Operation *targets[1] = {target};
  TF_SessionRun(f->session, NULL, &f->value, &t, 1, NULL, NULL, 0, targets, 1, NULL, f->status);
  check(f->status);
  TF_DeleteTensor(t);
}

static void test_variable(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 4; round++) {
    run_write(f, f->assign, (float)round + 0.5f);
    for (int i = 0; i < 3; i++) assert_true(middle(f, f->conv, NULL, NULL) == (float)round + 0.5f);
    run_write(f, f->add, 0.25f);
    for (int i = 0; i < 3; i++) assert_true(middle(f, f->conv, NULL, NULL) == (float)round + 0.75f);
    run_write(f, f->add, -0.5f);
    assert_true(middle(f, f->conv, NULL, NULL) == (float)round + 0.25f);
  }
}

static void test_constant(void **state) {
  for (int i = 0; i < 5; i++)
    assert_true(middle(*state, ((fixture *)*state)->constant_conv, NULL, NULL) == 2);
}

// A fed filter may be overwritten by its owner between steps, and a constant or variable may be fed instead.
static void test_fed(void **state) {
  fixture *f = *state;
  TF_Tensor *fed = filter_of(1);
  for (int i = 1; i < 5; i++) {
    for (int k = 0; k < 9 * IN * OUT; k++) ((float *)TF_TensorData(fed))[k] = (float)i;
    assert_true(middle(f, f->fed_conv, &f->filter, fed) == (float)i);
    assert_true(middle(f, f->conv, &f->read, fed) == (float)i);
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
