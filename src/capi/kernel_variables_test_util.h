// What the tests of variables share: ops whose kernel runs the function `body` of the current test, and nodes
// of them with a variable behind input 0.
#ifndef DVT_CAPI_KERNEL_VARIABLES_TEST_UTIL_H_
#define DVT_CAPI_KERNEL_VARIABLES_TEST_UTIL_H_

#include "capi/kernel_body_test_util.h"

#include <errno.h>
#include <pthread.h>

#include "dovetail/object.h"
#include "dovetail/plugin.h"
#include "tensorflow/c/kernels_experimental.h"

static int setup(void **state) {
  status = TF_NewStatus();
  test_op("Assign", SPECS("i:resource: resource", "i:value: float"));
  test_op("TwoVars", SPECS("i:a: resource", "i:b: resource"));
  test_op("RefAssign", SPECS("i:ref: Ref(float)", "i:value: float", "o:out: Ref(float)"));
  test_op("Deref", SPECS("i:x: float", "o:y: float"));
  test_op("Temporary", SPECS("o:ref: Ref(float)"));
  test_op("DestroyTemporary", SPECS("i:ref: Ref(float)", "o:value: float"));
  test_op("Handle", SPECS("o:handle: resource"));
  test_op("ByName", SPECS("a:N: int", "i:x: float", "i:xs: N * float"));
  const char *const ops[] = {"Assign",    "TwoVars",          "RefAssign", "Deref",
                             "Temporary", "DestroyTemporary", "Handle",    "ByName"};
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) test_kernel(ops[i], compute);
  return test_setup(state);
}

static dvt_status run(test_node *t, void (*with)(TF_OpKernelContext *ctx)) {
  body = with;
  TF_SetStatus(status, TF_OK, "");
  dvt_status result = test_node_run(t);
  body = NULL;
  return result;
}

static dvt_variable *new_variable(int dtype) {
  dvt_object *object;
  assert_ok(dvt_variable_create(DVT_STR("localhost/v"), dtype, &object));
  return (dvt_variable *)object;
}

static void start(test_node *t, const char *op, dvt_variable *variable) {
  test_node_init(t, op, "n");
  assert_ok(test_node_create(t));
  if (variable) assert_ok(dvt_resource_tensor(&variable->object, &t->values[0]));
  if (t->node.input_count > 1) test_node_floats(t, 1, values, 3);
}

static float first_value(dvt_variable *variable) {
  TF_Tensor value = {0};
  assert_ok(dvt_variable_read(variable, &value));
  float x = *(float *)value.data;
  dvt_tensor_reset(&value);
  return x;
}

static bool validate;
static void assign(TF_OpKernelContext *ctx) {
  TF_SetStatus(status, TF_UNKNOWN, "before");
  TF_AssignVariable(ctx, 0, 1, validate, NULL, status);
}

static bool callee_deletes;
static int copies;

static void copy(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  copies++;
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  if (callee_deletes) {
    TF_DeleteTensor(source);
    TF_DeleteTensor(dest);
  }
}

#endif  // DVT_CAPI_KERNEL_VARIABLES_TEST_UTIL_H_
