// What the tests of kernels in sessions share: ops whose kernel runs the function `body` or `async_body` of
// the current test, in a graph that either walker runs.
#ifndef DVT_CAPI_CONTEXT_SESSION_TEST_UTIL_H_
#define DVT_CAPI_CONTEXT_SESSION_TEST_UTIL_H_

#include "dovetail/kernel_context.h"
#include "exec/exec_test_util.h"

static void (*body)(TF_OpKernelContext *ctx, TF_Status *status);
static void (*async_body)(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done);

static void body_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  body(ctx, status);
  report(ctx, status);
}

static void body_compute_async(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  async_body(ctx, done);
}

static inline void pass(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_Tensor *x = input(ctx, 0, status);
  if (x) TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
}

static int set_up(void **state) {
  set_up_ops(state);
  register_op("TestBody", "x: float -> y: float", true);
  register_op("TestBodyTwo", "x: float -> y: float, z: float", true);
  register_op("TestBodyAsync", "x: float -> y: float", true);
  add_kernel("TestBody", NULL, body_compute, NULL);
  add_kernel("TestBodyTwo", NULL, body_compute, NULL);
  add_async_kernel("TestBodyAsync", NULL, body_compute_async, NULL);
  return 0;
}

// x -> TestBody -> y; behind an asynchronous node when `flow`, so that the dataflow walk runs it.
typedef struct setting {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
} setting;

static inline setting make(const char *op, bool flow, const void *config, size_t config_bytes) {
  setting s = {.graph = TF_NewGraph()};
  s.x = placeholder(s.graph, "x", TF_FLOAT);
  TF_Output in = flow ? OUT(node(s.graph, "TestAsyncNow", "before", s.x, NONE, NULL)) : s.x;
  s.y = OUT(node(s.graph, op, "body", in, NONE, NULL));
  s.session = new_session(s.graph, config, config_bytes);
  return s;
}

static inline void unmake(setting *s) {
  TF_CloseSession(s->session, S);
  TF_DeleteSession(s->session, S);
  TF_DeleteGraph(s->graph);
}

static inline void run_once(setting *s) { run_float(s->session, s->x, make_scalar(3), s->y); }

static inline void run_with_limit(setting *s, int ms) {
  const char options[] = {0x10, (char)ms};  // RunOptions.timeout_in_ms
  TF_Buffer *buffer = TF_NewBufferFromString(options, sizeof options);
  TF_Tensor *value = make_scalar(3), *result = NULL;
  TF_SessionRun(s->session, buffer, &s->x, &value, 1, &s->y, &result, 1, NULL, 0, NULL, S);
  TF_DeleteTensor(value);
  TF_DeleteTensor(result);
  TF_DeleteBuffer(buffer);
}

typedef struct async_wait {
  TF_OpKernelContext *ctx;
  TF_AsyncOpKernelDoneCallback *done;
} async_wait;

#endif  // DVT_CAPI_CONTEXT_SESSION_TEST_UTIL_H_
