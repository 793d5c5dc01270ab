// What the tests of this layer share: ops and kernels of their own, registered through the C API as a program
// or plugin would, and short ways to build and run graphs. Ops of stock names that the executor itself runs
// (Const, Switch, ...) are registered here, without kernels, unless the process has them already.
#ifndef DVT_EXEC_EXEC_TEST_UTIL_H_
#define DVT_EXEC_EXEC_TEST_UTIL_H_

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// clang-format off
#include <cmocka.h>
// clang-format on

#include "exec/session.h"
#include "op/registry.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

// ---- statuses ----

static TF_Status *S;  // of the test's main thread

static inline void check_ok_at(const char *file, int line) {
  if (TF_GetCode(S) == TF_OK) return;
  fprintf(stderr, "%s:%d: code %d: %s\n", file, line, TF_GetCode(S), TF_Message(S));
  fail();
}
#define assert_ok() check_ok_at(__FILE__, __LINE__)
static inline void check_error_at(TF_Code code, const char *part, const char *file, int line) {
  if (TF_GetCode(S) == code && strstr(TF_Message(S), part)) return;
  fprintf(stderr, "%s:%d: wanted code %d and '%s', got code %d: %s\n", file, line, code, part, TF_GetCode(S),
          TF_Message(S));
  fail();
}
#define assert_error(code, part) check_error_at(code, part, __FILE__, __LINE__)

// ---- tensors ----

static inline TF_Tensor *make_vector(int64_t count, float first) {
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &count, 1, (size_t)count * sizeof(float));
  for (int64_t i = 0; i < count; i++) ((float *)TF_TensorData(t))[i] = first + (float)i;
  return t;
}
static inline TF_Tensor *make_scalar(float value) {
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof value);
  *(float *)TF_TensorData(t) = value;
  return t;
}
static inline TF_Tensor *make_bool(bool value) {
  TF_Tensor *t = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  *(unsigned char *)TF_TensorData(t) = value;
  return t;
}
static inline float first_of(const TF_Tensor *t) { return *(const float *)TF_TensorData(t); }

// ---- kernels ----

static inline void report(TF_OpKernelContext *ctx, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

static inline int dims_of(const TF_Tensor *t, int64_t *dims) {
  int rank = TF_NumDims(t);
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(t, i);
  return rank;
}

static atomic_int pure_calls, effect_calls, creates, deletes;

// Kernels take memory for status and handles, which tests let fail: then they report what they can and stop.
#define ENTER_KERNEL(ctx)             \
  (void)state;                        \
  TF_Status *status = TF_NewStatus(); \
  if (!status) return
static inline TF_Tensor *input(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  TF_Tensor *x = NULL;
  if (TF_GetCode(status) == TF_OK) TF_GetInput(ctx, i, &x, status);
  return x;
}
static inline TF_Tensor *output(TF_OpKernelContext *ctx, int i, TF_DataType dtype, const int64_t *dims,
                                int rank, TF_Status *status) {
  return TF_GetCode(status) == TF_OK ? TF_AllocateOutput(ctx, i, dtype, dims, rank, 0, status) : NULL;
}
static inline void scalar_output(TF_OpKernelContext *ctx, float value, TF_Status *status) {
  TF_Tensor *y = output(ctx, 0, TF_FLOAT, NULL, 0, status);
  if (y) *(float *)TF_TensorData(y) = value;
  TF_DeleteTensor(y);
}

// z[i] = x[i] + y[0 or i]; forwards either input where it may.
static void add_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status), *y = input(ctx, 1, status), *z = NULL;
  if (x && y) {
    int64_t dims[8], n = TF_TensorElementCount(x), m = TF_TensorElementCount(y);
    int rank = dims_of(x, dims);
    float *sum = malloc((size_t)(n + 1) * sizeof *sum);
    for (int64_t i = 0; i < n; i++)
      sum[i] = ((float *)TF_TensorData(x))[i] + ((float *)TF_TensorData(y))[m == n ? i : 0];
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    x = y = NULL;
    z = TF_ForwardInputOrAllocateOutput(ctx, (int[]){0, 1}, 2, 0, dims, rank, NULL, status);
    if (z) memcpy(TF_TensorData(z), sum, (size_t)n * sizeof *sum);
    free(sum);
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteTensor(z);
  report(ctx, status);
}

// y = 2 x, in place where it may; counts its calls.
static void double_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  atomic_fetch_add(&pure_calls, 1);
  TF_Tensor *x = input(ctx, 0, status), *y = NULL;
  if (x) {
    int64_t dims[8], n = TF_TensorElementCount(x);
    int rank = dims_of(x, dims), from = -1;
    TF_DeleteTensor(x);
    y = TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, dims, rank, &from, status);
    x = y && from < 0 ? input(ctx, 0, status) : NULL;
    bool have = y && (x || from >= 0);
    for (int64_t i = 0; have && i < n; i++)
      ((float *)TF_TensorData(y))[i] = 2 * ((float *)TF_TensorData(x ? x : y))[i];
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  report(ctx, status);
}

static void identity_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status);
  if (x) TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
  report(ctx, status);
}

static void less_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status), *y = input(ctx, 1, status),
            *z = output(ctx, 0, TF_BOOL, NULL, 0, status);
  if (x && y && z) *(unsigned char *)TF_TensorData(z) = first_of(x) < first_of(y);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteTensor(z);
  report(ctx, status);
}

// Stateful: y = number of calls so far, over all kernels.
static void effect_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  scalar_output(ctx, (float)(atomic_fetch_add(&effect_calls, 1) + 1), status);
  report(ctx, status);
}

// Stateful, per kernel: y = number of calls of this kernel.
static void *counter_create(TF_OpKernelConstruction *ctx) {
  (void)ctx;
  atomic_fetch_add(&creates, 1);
  return calloc(1, sizeof(atomic_int));
}
static void counter_delete(void *state) {
  atomic_fetch_add(&deletes, 1);
  free(state);
}
static void counter_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  scalar_output(ctx, (float)(atomic_fetch_add((atomic_int *)state, 1) + 1), status);
  report(ctx, status);
}

static void fail_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_SetStatus(status, TF_FAILED_PRECONDITION, "the test asked for it");
  report(ctx, status);
}
static void nothing_compute(void *state, TF_OpKernelContext *ctx) { (void)state, (void)ctx; }
static void wrong_type_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *t = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
  TF_SetOutput(ctx, 0, t, status);
  TF_DeleteTensor(t);
  report(ctx, status);
}

// a = first half, b = the rest
static void halves_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status);
  int64_t n = x ? TF_TensorElementCount(x) : 0, half = n / 2, rest = n - half;
  TF_Tensor *a = output(ctx, 0, TF_FLOAT, &half, 1, status), *b = output(ctx, 1, TF_FLOAT, &rest, 1, status);
  if (a && b) {
    memcpy(TF_TensorData(a), TF_TensorData(x), (size_t)half * 4);
    memcpy(TF_TensorData(b), (float *)TF_TensorData(x) + half, (size_t)rest * 4);
  }
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(x);
  report(ctx, status);
}

static void sum_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  float sum = 0;
  for (int i = 0; i < TF_NumInputs(ctx); i++) {
    TF_Tensor *x = input(ctx, i, status);
    if (x) sum += first_of(x);
    TF_DeleteTensor(x);
  }
  scalar_output(ctx, sum, status);
  report(ctx, status);
}

// Sleeps for attr `ms`, then y = x.
static void *ms_create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  int64_t *ms = calloc(1, sizeof *ms);
  TF_OpKernelConstruction_GetAttrInt64(ctx, "ms", ms, status);
  TF_DeleteStatus(status);
  return ms;
}
static void sleep_ms(int64_t ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }
static void sleep_compute(void *state, TF_OpKernelContext *ctx) {
  sleep_ms(*(int64_t *)state);
  identity_compute(NULL, ctx);
}

// ---- asynchronous kernels ----

typedef struct async_call {
  TF_OpKernelContext *ctx;
  TF_AsyncOpKernelDoneCallback *done;
  int64_t ms;
} async_call;
static atomic_int async_running;

static void *async_thread(void *arg) {
  async_call call = *(async_call *)arg;
  free(arg);
  sleep_ms(call.ms);
  identity_compute(NULL, call.ctx);
  atomic_fetch_sub(&async_running, 1);
  TF_RunAsyncOpKernelDoneCallback(call.done);
  return NULL;
}
static void spawn(void *(*fn)(void *), async_call call) {
  async_call *copy = malloc(sizeof *copy);
  pthread_t thread;
  *copy = call;
  pthread_create(&thread, NULL, fn, copy);
  pthread_detach(thread);
}
// Done later, from another thread.
static void async_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  atomic_fetch_add(&async_running, 1);
  spawn(async_thread, (async_call){ctx, done, *(int64_t *)state});
}
static void async_now_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  identity_compute(state, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
}
static void async_fail_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  fail_compute(state, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
}
// Reports a failure and does not call done; the test may, later.
static TF_AsyncOpKernelDoneCallback *silent_done;
static void async_fail_silently_compute(void *state, TF_OpKernelContext *ctx,
                                        TF_AsyncOpKernelDoneCallback *done) {
  silent_done = done;
  fail_compute(state, ctx);
}

// ---- registration ----

static void unknown_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

// `spec`: "in: T, in2: N*T -> out: T | attr: type | attr2: int = 3"
static void register_op(const char *name, const char *spec, bool stateful) {
  if (dvt_op_lookup_loaded(dvt_str_from(name))) return;
  TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
  char *copy = strdup(spec), *rest = copy, *part = strsep(&rest, "|");
  char *outputs = strstr(part, "->"), *arg;
  *outputs = 0;
  outputs += 2;
  while ((arg = strsep(&part, ",")))
    if (strspn(arg, " ") != strlen(arg)) TF_OpDefinitionBuilderAddInput(b, arg + strspn(arg, " "));
  while ((arg = strsep(&outputs, ",")))
    if (strspn(arg, " ") != strlen(arg)) TF_OpDefinitionBuilderAddOutput(b, arg + strspn(arg, " "));
  while ((part = strsep(&rest, "|"))) TF_OpDefinitionBuilderAddAttr(b, part + strspn(part, " "));
  free(copy);
  TF_OpDefinitionBuilderSetIsStateful(b, stateful);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(b, unknown_shapes);
  TF_RegisterOpDefinition(b, S);
  assert_ok();
}

static void add_kernel(const char *op, void *(*create)(TF_OpKernelConstruction *),
                       void (*compute)(void *, TF_OpKernelContext *), void (*destroy)(void *)) {
  TF_RegisterKernelBuilder(op, TF_NewKernelBuilder(op, "CPU", create, compute, destroy), S);
  assert_ok();
}
static void add_async_kernel(const char *op, void *(*create)(TF_OpKernelConstruction *),
                             void (*compute)(void *, TF_OpKernelContext *, TF_AsyncOpKernelDoneCallback *),
                             void (*destroy)(void *)) {
  TF_RegisterKernelBuilder(op, TF_NewAsyncKernelBuilder(op, "CPU", create, compute, destroy), S);
  assert_ok();
}

static void register_stock_ops(void) {
  register_op("Placeholder", "-> output: dtype | dtype: type | shape: shape = { unknown_rank: true }", false);
  register_op("Const", "-> output: dtype | value: tensor | dtype: type", false);
  register_op("NoOp", "->", false);
  register_op("ControlTrigger", "->", false);
  register_op("Switch", "data: T, pred: bool -> output_false: T, output_true: T | T: type", false);
  register_op("Merge", "inputs: N * T -> output: T, value_index: int32 | T: type | N: int >= 1", false);
  register_op("Enter",
              "data: T -> output: T | T: type | frame_name: string | is_constant: bool = false | "
              "parallel_iterations: int = 10",
              false);
  register_op("Exit", "data: T -> output: T | T: type", false);
  register_op("NextIteration", "data: T -> output: T | T: type", false);
  register_op("LoopCond", "input: bool -> output: bool", false);
  const char *call = "args: Tin -> output: Tout | Tin: list(type) >= 0 | Tout: list(type) >= 0 | f: func";
  register_op("PartitionedCall", call, false);
  register_op("StatefulPartitionedCall", call, true);
}

static void register_test_ops(void) {
  register_op("TestAdd", "x: float, y: float -> z: float", false);
  register_op("TestDouble", "x: float -> y: float", false);
  register_op("TestIdentity", "x: T -> y: T | T: type = DT_FLOAT", false);
  register_op("TestLess", "x: float, y: float -> z: bool", false);
  register_op("TestEffect", "-> y: float", true);
  register_op("TestCounter", "-> y: float", true);
  register_op("TestFail", "x: float -> y: float", false);
  register_op("TestUnset", "x: float -> y: float", false);
  register_op("TestWrongType", "x: float -> y: float", false);
  register_op("TestHalves", "x: float -> a: float, b: float", false);
  register_op("TestSum", "x: N * float -> y: float | N: int >= 1", false);
  register_op("TestSleep", "x: float -> y: float | ms: int", false);
  register_op("TestAsync", "x: float -> y: float | ms: int", false);
  register_op("TestAsyncNow", "x: float -> y: float", false);
  register_op("TestAsyncFail", "x: float -> y: float", false);
  register_op("TestAsyncFailSilently", "x: float -> y: float", false);
  register_op("TestNoKernel", "x: float -> y: float", false);
  register_op("TestNoKernelEither", "x: float -> y: float", false);
  add_kernel("TestAdd", NULL, add_compute, NULL);
  add_kernel("TestDouble", NULL, double_compute, NULL);
  add_kernel("TestIdentity", NULL, identity_compute, NULL);
  add_kernel("TestLess", NULL, less_compute, NULL);
  add_kernel("TestEffect", NULL, effect_compute, NULL);
  add_kernel("TestCounter", counter_create, counter_compute, counter_delete);
  add_kernel("TestFail", NULL, fail_compute, NULL);
  add_kernel("TestUnset", NULL, nothing_compute, NULL);
  add_kernel("TestWrongType", NULL, wrong_type_compute, NULL);
  add_kernel("TestHalves", NULL, halves_compute, NULL);
  add_kernel("TestSum", NULL, sum_compute, NULL);
  add_kernel("TestSleep", ms_create, sleep_compute, free);
  add_async_kernel("TestAsync", ms_create, async_compute, free);
  add_async_kernel("TestAsyncNow", NULL, async_now_compute, NULL);
  add_async_kernel("TestAsyncFail", NULL, async_fail_compute, NULL);
  add_async_kernel("TestAsyncFailSilently", NULL, async_fail_silently_compute, NULL);
}

static int set_up_ops(void **state) {
  (void)state;
  S = TF_NewStatus();
  register_stock_ops();
  register_test_ops();
  return 0;
}
static int tear_down_ops(void **state) {
  (void)state;
  TF_DeleteStatus(S);
  return 0;
}

// ---- graphs ----

#define OUT(op) ((TF_Output){(op), 0})
#define OUT1(op) ((TF_Output){(op), 1})
#define NONE ((TF_Output){NULL, 0})

static TF_Operation *finish(TF_OperationDescription *d) {
  TF_Operation *op = TF_FinishOperation(d, S);
  assert_ok();
  return op;
}
static inline TF_Output placeholder(TF_Graph *g, const char *name, TF_DataType dtype) {
  TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", name);
  TF_SetAttrType(d, "dtype", dtype);
  return OUT(finish(d));
}
static inline TF_Output constant(TF_Graph *g, const char *name, TF_Tensor *value) {
  TF_OperationDescription *d = TF_NewOperation(g, "Const", name);
  TF_SetAttrTensor(d, "value", value, S);
  assert_ok();
  TF_SetAttrType(d, "dtype", TF_TensorType(value));
  TF_DeleteTensor(value);
  return OUT(finish(d));
}
static inline TF_Output float_constant(TF_Graph *g, const char *name, float value) {
  return constant(g, name, make_scalar(value));
}
// A node with up to two single inputs and an optional control input.
static inline TF_Operation *node(TF_Graph *g, const char *type, const char *name, TF_Output a, TF_Output b,
                                 TF_Operation *control) {
  TF_OperationDescription *d = TF_NewOperation(g, type, name);
  if (a.oper) TF_AddInput(d, a);
  if (b.oper) TF_AddInput(d, b);
  if (control) TF_AddControlInput(d, control);
  return finish(d);
}
static inline TF_Operation *node_ms(TF_Graph *g, const char *type, const char *name, TF_Output a,
                                    int64_t ms) {
  TF_OperationDescription *d = TF_NewOperation(g, type, name);
  TF_AddInput(d, a);
  TF_SetAttrInt(d, "ms", ms);
  return finish(d);
}
static inline TF_Operation *merge(TF_Graph *g, const char *name, TF_Output a, TF_Output b) {
  TF_OperationDescription *d = TF_NewOperation(g, "Merge", name);
  TF_AddInputList(d, (TF_Output[]){a, b}, 2);
  return finish(d);
}
static inline TF_Operation *enter(TF_Graph *g, const char *name, TF_Output x, const char *frame,
                                  bool is_constant, int parallel) {
  TF_OperationDescription *d = TF_NewOperation(g, "Enter", name);
  TF_AddInput(d, x);
  TF_SetAttrString(d, "frame_name", frame, strlen(frame));
  TF_SetAttrBool(d, "is_constant", is_constant);
  TF_SetAttrInt(d, "parallel_iterations", parallel);
  return finish(d);
}

// ---- sessions ----

static inline TF_Session *new_session(TF_Graph *g, const void *config, size_t config_bytes) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (config) TF_SetConfig(options, config, config_bytes, S);
  assert_ok();
  TF_Session *session = TF_NewSession(g, options, S);
  assert_ok();
  TF_DeleteSessionOptions(options);
  return session;
}
static inline void end_session(TF_Session *session) {
  TF_CloseSession(session, S);
  assert_ok();
  TF_DeleteSession(session, S);
  assert_ok();
}
// One feed (or none), one fetch; the caller looks at S. Consumes `value`.
static inline TF_Tensor *run1(TF_Session *session, TF_Output feed, TF_Tensor *value, TF_Output fetch) {
  TF_Tensor *result = NULL;
  TF_SessionRun(session, NULL, &feed, &value, feed.oper != NULL, &fetch, &result, 1, NULL, 0, NULL, S);
  TF_DeleteTensor(value);
  return result;
}
// As run1, must succeed; the first element.
static inline float run_float_at(const char *file, int line, TF_Session *session, TF_Output feed,
                                 TF_Tensor *value, TF_Output fetch) {
  TF_Tensor *result = run1(session, feed, value, fetch);
  check_ok_at(file, line);
  float first = first_of(result);
  TF_DeleteTensor(result);
  return first;
}
#define run_float(session, feed, value, fetch) run_float_at(__FILE__, __LINE__, session, feed, value, fetch)
static inline void run_target(TF_Session *session, TF_Operation *target) {
  const TF_Operation *targets[] = {target};
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, S);
}

// Makes a function of the whole graph and adds it to `to`.
static inline void add_function(TF_Graph *to, const char *name, TF_Graph *body, int input_count,
                                const TF_Output *inputs, int output_count, const TF_Output *outputs,
                                int control_count, const TF_Operation *const *controls,
                                const char *const *control_names) {
  TF_Function *f = TF_GraphToFunctionWithControlOutputs(body, name, 0, -1, NULL, input_count, inputs,
                                                        output_count, outputs, NULL, control_count, controls,
                                                        control_names, NULL, NULL, S);
  assert_ok();
  TF_GraphCopyFunction(to, f, NULL, S);
  assert_ok();
  TF_DeleteFunction(f);
}
static inline TF_Operation *call(TF_Graph *g, const char *type, const char *name, const char *function,
                                 int input_count, const TF_Output *inputs, int output_count,
                                 TF_Operation *control) {
  TF_DataType types[8] = {TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_FLOAT};
  TF_OperationDescription *d = TF_NewOperation(g, type, name);
  TF_AddInputList(d, inputs, input_count);
  TF_SetAttrTypeList(d, "Tin", types, input_count);
  TF_SetAttrTypeList(d, "Tout", types, output_count);
  TF_SetAttrFuncName(d, "f", function, strlen(function));
  if (control) TF_AddControlInput(d, control);
  return finish(d);
}

#endif  // DVT_EXEC_EXEC_TEST_UTIL_H_
