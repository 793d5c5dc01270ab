// What the tests of create functions share: kernels whose create function does what the current test asks.
#ifndef DVT_CAPI_CONSTRUCTION_TEST_UTIL_H_
#define DVT_CAPI_CONSTRUCTION_TEST_UTIL_H_

#include "kernel/kernel_test_util.h"

static TF_Status *status;
static void (*probe)(TF_OpKernelConstruction *ctx);  // what the current test does in create

static void compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static int teardown(void **state) {
  (void)state;
  TF_DeleteStatus(status);
  return 0;
}

// Makes the kernel of a node "n"; its attr `attr` (NULL: none) is `value`.
static dvt_status create_node(const char *op, const char *attr, int64_t value,
                              void (*with)(TF_OpKernelConstruction *ctx)) {
  test_node t;
  probe = with;
  test_node_init(&t, op, "n");
  if (attr) test_node_int(&t, attr, value);
  dvt_status result = test_node_create(&t);
  test_node_deinit(&t);
  probe = NULL;
  return result;
}

#endif  // DVT_CAPI_CONSTRUCTION_TEST_UTIL_H_
