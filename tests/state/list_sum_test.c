// TF_AddNVariant and TF_ZerosLikeVariant on the lists and optionals of list.so: a kernel of the test's own
// adds the tensors within and notes that it was asked to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/ops.h"

static TF_Status *status;
static TF_Graph *graph;
static int calls;

static void check(void) {
  if (TF_GetCode(status) != TF_OK) fail_msg("%s", TF_Message(status));
}

// ---- the kernels ----

static void add(TF_OpKernelContext *ctx, TF_Tensor *a, TF_Tensor *b, TF_Tensor *out) {
  (void)ctx;
  const float *x = TF_TensorData(a), *y = TF_TensorData(b);
  for (int64_t i = 0; i < TF_TensorElementCount(a); i++) ((float *)TF_TensorData(out))[i] = x[i] + y[i];
  calls++;
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(out);
}
static void ones(TF_OpKernelContext *ctx, TF_Tensor *in, TF_Tensor *out) {
  (void)ctx;
  for (int64_t i = 0; i < TF_TensorElementCount(out); i++) ((float *)TF_TensorData(out))[i] = 1;
  calls++;
  TF_DeleteTensor(in);
  TF_DeleteTensor(out);
}
static void add_compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *s = TF_NewStatus();
  (void)kernel;
  TF_AddNVariant(ctx, add, s);
  TF_DeleteStatus(s);
}
static void ones_compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *s = TF_NewStatus();
  (void)kernel;
  TF_ZerosLikeVariant(ctx, ones, s);
  TF_DeleteStatus(s);
}

static void define(const char *name, const char *attr, const char *in,
                   void (*compute)(void *, TF_OpKernelContext *)) {
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  if (attr) TF_OpDefinitionBuilderAddAttr(op, attr);
  TF_OpDefinitionBuilderAddInput(op, in);
  TF_OpDefinitionBuilderAddOutput(op, "out: variant");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  check();
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, compute, NULL), status);
  check();
}

static int setup(void **state) {
  (void)state;
  status = TF_NewStatus();
  define("TestAddVariants", "N: int >= 1", "in: N * variant", add_compute);
  define("TestOnesLike", NULL, "in: variant", ones_compute);
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

static TF_Output constant(const char *name, TF_DataType dtype, const int64_t *dims, int rank,
                          const void *data, size_t bytes) {
  TF_Tensor *t = TF_AllocateTensor(dtype, dims, rank, bytes);
  memcpy(TF_TensorData(t), data, bytes);
  TF_OperationDescription *d = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(d, "value", t, status);
  TF_SetAttrType(d, "dtype", dtype);
  TF_DeleteTensor(t);
  return finish(d);
}
static TF_Output matrix(const char *name, const float *values) {
  return constant(name, TF_FLOAT, (const int64_t[]){3, 2}, 2, values, 24);
}

static const int32_t row_shape = 2;

// A list of the matrix' rows.
static TF_Output list_of(const char *name, TF_Output rows, TF_Output shape) {
  TF_OperationDescription *d = TF_NewOperation(graph, "TensorListFromTensor", name);
  TF_AddInput(d, rows);
  TF_AddInput(d, shape);
  TF_SetAttrType(d, "element_dtype", TF_FLOAT);
  return finish(d);
}

static TF_Output optional_of(const char *name, TF_Output value) {
  TF_OperationDescription *d = TF_NewOperation(graph, "OptionalFromValue", name);
  TF_AddInputList(d, &value, 1);
  return finish(d);
}

static TF_Output value_of(const char *name, TF_Output optional, TF_DataType dtype) {
  TF_OperationDescription *d = TF_NewOperation(graph, "OptionalGetValue", name);
  const int unknown = -1;
  const int64_t *no_dims = NULL;
  TF_AddInput(d, optional);
  TF_SetAttrTypeList(d, "output_types", &dtype, 1);
  TF_SetAttrShapeList(d, "output_shapes", &no_dims, &unknown, 1);
  return finish(d);
}

static TF_Output sum_of(const char *name, const TF_Output *variants, int count) {
  TF_OperationDescription *d = TF_NewOperation(graph, "TestAddVariants", name);
  TF_AddInputList(d, variants, count);
  return finish(d);
}

static TF_Output ones_like(const char *name, TF_Output variant) {
  TF_OperationDescription *d = TF_NewOperation(graph, "TestOnesLike", name);
  TF_AddInput(d, variant);
  return finish(d);
}

static TF_Output stack(const char *name, TF_Output list, TF_Output shape) {
  TF_OperationDescription *d = TF_NewOperation(graph, "TensorListStack", name);
  TF_AddInput(d, list);
  TF_AddInput(d, shape);
  TF_SetAttrType(d, "element_dtype", TF_FLOAT);
  return finish(d);
}

static void check_values(TF_Output fetch, const float *wanted, int count) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  check();
  TF_Tensor *got = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &fetch, &got, 1, NULL, 0, NULL, status);
  check();
  assert_int_equal(TF_TensorElementCount(got), count);
  for (int i = 0; i < count; i++) assert_float_equal(((float *)TF_TensorData(got))[i], wanted[i], 0);
  TF_DeleteTensor(got);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
}

static const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60},
                   both[] = {11, 22, 33, 44, 55, 66};

static void test_rule_193_lists(void **state) {
  (void)state;
  graph = TF_NewGraph();
  TF_Output shape = constant("shape", TF_INT32, (const int64_t[]){1}, 1, &row_shape, 4);
  TF_Output lists[] = {list_of("a", matrix("ma", a), shape), list_of("b", matrix("mb", b), shape)};
  calls = 0;
  check_values(stack("sum", sum_of("add", lists, 2), shape), both, 6);
  assert_int_equal(calls, 3);
  const float all_ones[] = {1, 1, 1, 1, 1, 1};
  calls = 0;
  check_values(stack("ones", ones_like("like", lists[0]), shape), all_ones, 6);
  assert_int_equal(calls, 3);
  TF_DeleteGraph(graph);
}

// Lists in optionals: the callback sees the rows.
static void test_rule_193_lists_in_optionals(void **state) {
  (void)state;
  graph = TF_NewGraph();
  TF_Output shape = constant("shape", TF_INT32, (const int64_t[]){1}, 1, &row_shape, 4);
  TF_Output optionals[] = {optional_of("oa", list_of("a", matrix("ma", a), shape)),
                           optional_of("ob", list_of("b", matrix("mb", b), shape))};
  calls = 0;
  TF_Output sum = value_of("list", sum_of("add", optionals, 2), TF_VARIANT);
  check_values(stack("sum", sum, shape), both, 6);
  assert_int_equal(calls, 3);
  TF_DeleteGraph(graph);
}

static void test_rule_193_different_lists(void **state) {
  (void)state;
  graph = TF_NewGraph();
  TF_Output shape = constant("shape", TF_INT32, (const int64_t[]){1}, 1, &row_shape, 4);
  TF_Output shorter = constant("short", TF_FLOAT, (const int64_t[]){2, 2}, 2, b, 16);
  TF_Output lists[] = {list_of("a", matrix("ma", a), shape), list_of("b", shorter, shape)};
  TF_Output sum = stack("sum", sum_of("add", lists, 2), shape);
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  check();
  TF_Tensor *got = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &sum, &got, 1, NULL, 0, NULL, status);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "lengths 3 and 2"));
  assert_non_null(strstr(TF_Message(status), "{{node add}}"));
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_193_lists),
      cmocka_unit_test(test_rule_193_lists_in_optionals),
      cmocka_unit_test(test_rule_193_different_lists),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
