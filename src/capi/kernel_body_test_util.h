// A kernel that runs the function `body` of the current test, for the utilities that register ops with it.
#ifndef DVT_CAPI_KERNEL_BODY_TEST_UTIL_H_
#define DVT_CAPI_KERNEL_BODY_TEST_UTIL_H_

#include "kernel/kernel_test_util.h"
#include "tensorflow/c/kernels.h"

static TF_Status *status;
static void (*body)(TF_OpKernelContext *ctx);

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  if (body) body(ctx);
}

static int teardown(void **state) {
  (void)state;
  TF_DeleteStatus(status);
  return 0;
}

static const float values[] = {1, 2, 3};

#endif  // DVT_CAPI_KERNEL_BODY_TEST_UTIL_H_
