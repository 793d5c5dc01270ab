// Convolutions and products keep a packed copy of a filter or matrix that does not change, scaled by the
// batch normalisation that follows. Whatever changes these between steps must be seen: a new value assigned
// to a variable, an update in place, and a fed tensor that its owner overwrites; also while other steps run.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

#define IN 4
#define OUT 32  // wide enough for oneDNN
#define ROWS 8  // of a product, enough for the packed one

typedef struct fixture {
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output image, filter, value, read, conv, fed_conv, constant_conv;
  TF_Output read_scale, normal, read_matrix, rows, product;
  TF_Operation *assign, *add, *assign_scale, *add_scale, *assign_matrix, *add_matrix;
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

// A variable's value, and the ops that assign to it and add to it.
static TF_Output variable(fixture *f, const char *name, const int64_t *dims, int rank, TF_Operation **assign,
                          TF_Operation **add) {
  char node[64];
  TF_OperationDescription *d = TF_NewOperation(f->graph, "VarHandleOp", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, rank);
  TF_SetAttrString(d, "shared_name", name, strlen(name));
  TF_Output handle = finish(f, d);
  const char *const ops[2] = {"AssignVariableOp", "AssignAddVariableOp"};
  TF_Operation **const writes[2] = {assign, add};
  for (int i = 0; i < 2; i++) {
    snprintf(node, sizeof(node), "%s_%s", name, ops[i]);
    d = TF_NewOperation(f->graph, ops[i], node);
    TF_AddInput(d, handle);
    TF_AddInput(d, f->value);
    *writes[i] = finish(f, d).oper;
  }
  snprintf(node, sizeof(node), "%s_read", name);
  d = TF_NewOperation(f->graph, "ReadVariableOp", node);
  TF_AddInput(d, handle);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  return finish(f, d);
}

static TF_Tensor *filled(int64_t a, int64_t b, int64_t c, int64_t d, float value) {
  int64_t dims[4] = {a, b, c, d};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 4, (size_t)(a * b * c * d) * sizeof(float));
  for (int64_t i = 0; i < a * b * c * d; i++) ((float *)TF_TensorData(t))[i] = value;
  return t;
}
static TF_Tensor *filter_of(float value) { return filled(3, 3, IN, OUT, value); }

static TF_Tensor *vector_of(float value) {
  int64_t dim = OUT;
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &dim, 1, OUT * sizeof(float));
  for (int i = 0; i < OUT; i++) ((float *)TF_TensorData(t))[i] = value;
  return t;
}

static TF_Tensor *matrix_of(int64_t rows, int64_t columns, float value) {
  TF_Tensor *t = filled(rows, columns, 1, 1, value);
  TF_SetShape(t, (const int64_t[2]){rows, columns}, 2);
  return t;
}

static TF_Output constant(fixture *f, const char *name, TF_Tensor *value) {
  TF_OperationDescription *d = TF_NewOperation(f->graph, "Const", name);
  TF_SetAttrTensor(d, "value", value, f->status);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_DeleteTensor(value);
  return finish(f, d);
}

// The convolution by the variable, times a variable scale, plus a half.
static void add_normal(fixture *f) {
  const int64_t dim = OUT;
  f->read_scale = variable(f, "scale", &dim, 1, &f->assign_scale, &f->add_scale);
  TF_Output filtered = conv(f, "conv_before_norm", f->read);
  TF_OperationDescription *d = TF_NewOperation(f->graph, "FusedBatchNormV3", "norm");
  TF_AddInput(d, filtered);
  TF_AddInput(d, f->read_scale);
  TF_AddInput(d, constant(f, "offset", vector_of(0.5f)));
  TF_AddInput(d, constant(f, "mean", vector_of(0)));
  TF_AddInput(d, constant(f, "variance", vector_of(1)));
  TF_SetAttrFloat(d, "epsilon", 0);
  TF_SetAttrBool(d, "is_training", false);
  TF_Output norm = finish(f, d);
  d = TF_NewOperation(f->graph, "Relu", "normal");
  TF_AddInput(d, norm);
  f->normal = finish(f, d);
}

static void add_product(fixture *f) {
  const int64_t dims[2] = {IN, OUT};
  f->read_matrix = variable(f, "matrix", dims, 2, &f->assign_matrix, &f->add_matrix);
  f->rows = placeholder(f, "rows");
  TF_OperationDescription *d = TF_NewOperation(f->graph, "MatMul", "product");
  TF_AddInput(d, f->rows);
  TF_AddInput(d, f->read_matrix);
  f->product = finish(f, d);
}

static int setup(void **state) {
  static fixture f;
  f.status = TF_NewStatus();
  f.graph = TF_NewGraph();
  f.image = placeholder(&f, "image");
  f.filter = placeholder(&f, "filter");
  f.value = placeholder(&f, "value");
  f.read = variable(&f, "variable", (const int64_t[4]){3, 3, IN, OUT}, 4, &f.assign, &f.add);
  f.conv = conv(&f, "conv", f.read);
  f.fed_conv = conv(&f, "fed_conv", f.filter);
  f.constant_conv = conv(&f, "constant_conv", constant(&f, "const", filter_of(2)));
  add_normal(&f);
  add_product(&f);
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

// The middle pixel of what is made of an image of ones. `status` of the caller's own: steps run side by side.
static float middle_pixel(fixture *f, TF_Output fetch, const TF_Output *fed, TF_Tensor *fed_value,
                          TF_Status *status) {
  TF_Output feeds[2] = {f->image};
  TF_Tensor *values[2] = {filled(1, 5, 5, IN, 1), fed_value}, *out = NULL;
  if (fed) feeds[1] = *fed;
  TF_SessionRun(f->session, NULL, feeds, values, fed ? 2 : 1, &fetch, &out, 1, NULL, 0, NULL, status);
  check(status);
  float result = ((float *)TF_TensorData(out))[(2 * 5 + 2) * OUT + 7];
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(out);
  return result;
}

// The filter's value: that pixel is 9 * IN times as much.
static float middle(fixture *f, TF_Output fetch, const TF_Output *fed, TF_Tensor *fed_value) {
  return middle_pixel(f, fetch, fed, fed_value, f->status) / (9 * IN);
}

static void run_write_tensor(fixture *f, TF_Operation *target, TF_Tensor *t) {
  const TF_Operation *targets[1] = {target};
  TF_SessionRun(f->session, NULL, &f->value, &t, 1, NULL, NULL, 0, targets, 1, NULL, f->status);
  check(f->status);
  TF_DeleteTensor(t);
}

static void run_write(fixture *f, TF_Operation *target, float value) {
  run_write_tensor(f, target, filter_of(value));
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

static float normal(fixture *f) { return middle_pixel(f, f->normal, NULL, NULL, f->status); }

static void test_norm(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 4; round++) {
    float filter = (float)round + 0.5f;
    run_write(f, f->assign, filter);
    run_write_tensor(f, f->assign_scale, vector_of(2));
    for (int i = 0; i < 3; i++) assert_true(normal(f) == 9 * IN * filter * 2 + 0.5f);
    run_write_tensor(f, f->add_scale, vector_of(0.25f));
    for (int i = 0; i < 3; i++) assert_true(normal(f) == 9 * IN * filter * 2.25f + 0.5f);
    run_write(f, f->add, 0.25f);
    for (int i = 0; i < 3; i++) assert_true(normal(f) == 9 * IN * (filter + 0.25f) * 2.25f + 0.5f);
  }
}

// What is not finite once it is scaled is scaled after the convolution, as without a packed filter.
static void test_infinite_norm(void **state) {
  fixture *f = *state;
  run_write(f, f->assign, 0);
  run_write_tensor(f, f->assign_scale, vector_of(__builtin_inff()));
  for (int i = 0; i < 2; i++) assert_true(__builtin_isnan(normal(f)));
  run_write(f, f->assign, 2);
  run_write_tensor(f, f->assign_scale, vector_of(3e38f));
  for (int i = 0; i < 2; i++) assert_true(normal(f) == __builtin_inff());
  run_write(f, f->assign, 1);
  run_write_tensor(f, f->assign_scale, vector_of(1));
  for (int i = 0; i < 2; i++) assert_true(normal(f) == 9 * IN + 0.5f);
}

static float product(fixture *f, const TF_Output *fed, TF_Tensor *fed_value) {
  TF_Output feeds[2] = {f->rows};
  TF_Tensor *values[2] = {matrix_of(ROWS, IN, 1), fed_value}, *out = NULL;
  if (fed) feeds[1] = *fed;
  TF_SessionRun(f->session, NULL, feeds, values, fed ? 2 : 1, &f->product, &out, 1, NULL, 0, NULL, f->status);
  check(f->status);
  float result = ((float *)TF_TensorData(out))[ROWS * OUT - 1] / IN;
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(out);
  return result;
}

static void test_product(void **state) {
  fixture *f = *state;
  TF_Tensor *fed = matrix_of(IN, OUT, 0);
  for (int round = 0; round < 4; round++) {
    run_write_tensor(f, f->assign_matrix, matrix_of(IN, OUT, (float)round));
    for (int i = 0; i < 3; i++) assert_true(product(f, NULL, NULL) == (float)round);
    run_write_tensor(f, f->add_matrix, matrix_of(IN, OUT, 0.5f));
    for (int i = 0; i < 3; i++) assert_true(product(f, NULL, NULL) == (float)round + 0.5f);
    for (int k = 0; k < IN * OUT; k++) ((float *)TF_TensorData(fed))[k] = (float)round + 8;
    assert_true(product(f, &f->read_matrix, fed) == (float)round + 8);
  }
  TF_DeleteTensor(fed);
}

// Steps side by side with assignments see one value or another, never a mixture.
enum { READERS = 3, STEPS = 40 };
static void *read_often(void *arg) {
  fixture *f = arg;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < STEPS; i++) {
    float x = (middle_pixel(f, f->normal, NULL, NULL, status) - 0.5f) / (9 * IN);
    if (x != 1 && x != 2 && x != 4 && x != 8) fail_msg("got %g", (double)x);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void test_side_by_side(void **state) {
  fixture *f = *state;
  pthread_t readers[READERS];
  run_write(f, f->assign, 1);
  run_write_tensor(f, f->assign_scale, vector_of(1));
  for (int i = 0; i < READERS; i++) assert_int_equal(pthread_create(&readers[i], NULL, read_often, f), 0);
  for (int i = 0; i < STEPS; i++) {
    run_write(f, f->assign, i % 2 ? 1 : 4);
    run_write_tensor(f, f->assign_scale, vector_of(i % 3 ? 1 : 2));
  }
  for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant),      cmocka_unit_test(test_variable),
      cmocka_unit_test(test_fed),           cmocka_unit_test(test_norm),
      cmocka_unit_test(test_infinite_norm), cmocka_unit_test(test_product),
      cmocka_unit_test(test_side_by_side),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
