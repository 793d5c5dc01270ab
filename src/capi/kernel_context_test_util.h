// Shared by the tests of running kernels: a few ops whose kernel runs the function `body` of the current
// test.
#ifndef DVT_CAPI_KERNEL_CONTEXT_TEST_UTIL_H_
#define DVT_CAPI_KERNEL_CONTEXT_TEST_UTIL_H_

#include "capi/kernel_body_test_util.h"

static int setup(void **state) {
  status = TF_NewStatus();
  test_op("One", SPECS("i:x: float", "o:y: float"));
  test_op("Two", SPECS("i:a: float", "i:b: float", "o:y: float", "o:z: float"));
  test_op("Text", SPECS("i:x: string", "o:y: string"));
  test_op("Many", SPECS("a:N: int", "i:head: int32", "i:xs: N * float", "o:y: float"));
  test_op("Mixed", SPECS("i:x: float", "o:y: int32"));
  test_kernel("One", compute);
  test_kernel("Two", compute);
  test_kernel("Text", compute);
  test_kernel("Many", compute);
  test_kernel("Mixed", compute);
  return test_setup(state);
}

static void start(test_node *t, const char *op) {
  test_node_init(t, op, "n");
  assert_ok(test_node_create(t));
  for (int i = 0; i < t->node.input_count; i++)
    if (t->node.input_types[i] == TF_FLOAT) test_node_floats(t, i, values, 3);
}

static dvt_status run(test_node *t, void (*with)(TF_OpKernelContext *ctx)) {
  body = with;
  dvt_status result = test_node_run(t);
  body = NULL;
  return result;
}

static inline dvt_status run_once(const char *op, void (*with)(TF_OpKernelContext *ctx)) {
  test_node t;
  start(&t, op);
  dvt_status result = run(&t, with);
  test_node_deinit(&t);
  return result;
}

static TF_Tensor *input(TF_OpKernelContext *ctx, int i) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(ctx, i, &tensor, status);
  assert_tf_status(status, TF_OK, "");
  return tensor;
}

static inline void pass_input(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = input(ctx, 0);
  TF_SetOutput(ctx, 0, tensor, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(tensor);
}

#endif  // DVT_CAPI_KERNEL_CONTEXT_TEST_UTIL_H_
