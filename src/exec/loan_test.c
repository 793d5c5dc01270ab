// Handles of a kernel's inputs and outputs that are lent (tensor/loan.h): kept past the call, deleted by
// other threads, changed, more than the lender has room for; and references passed on from input to output.
#include "exec/exec_test_util.h"

// What TestLoan does with its input x; its output y has the same elements.
typedef enum mode {
  KEEP_INPUT,
  KEEP_OUTPUT,
  DELETE_ELSEWHERE,
  DELETE_LATER,
  FORWARD_WHILE_LENT,
  FORWARD_TWICE,
  FAIL_AFTER_OUTPUT,
  CHANGE_SHAPE,
  REPLACE_INPUT,
  MANY,
  MOVE
} mode;
static mode now;
static bool by_flow;  // chains have a Switch, so that the dataflow walk runs them

static TF_Tensor *kept;
static pthread_t thread;
static atomic_bool may_delete;

static void *delete_handle(void *handle) {
  TF_DeleteTensor(handle);
  return NULL;
}
static void *delete_when_told(void *handle) {
  while (!atomic_load(&may_delete)) sleep_ms(1);
  return delete_handle(handle);
}

static void copy_out(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Status *status) {
  int64_t dims[8];
  int rank = dims_of(x, dims);
  TF_Tensor *y = output(ctx, 0, TF_FLOAT, dims, rank, status);
  memcpy(TF_TensorData(y), TF_TensorData(x), TF_TensorByteSize(x));
  if (now == KEEP_OUTPUT)
    kept = y;
  else
    TF_DeleteTensor(y);
}

static void forward(TF_OpKernelContext *ctx, int64_t count, int wanted, TF_Status *status) {
  int from = 7;
  TF_DeleteTensor(TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, &count, 1, &from, status));
  assert_int_equal(from, wanted);
}

static void loan_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status), *extra[20];
  int64_t count = TF_TensorElementCount(x), pair[2] = {count / 2, 2};
  switch (now) {
    case KEEP_INPUT:
      TF_SetOutput(ctx, 0, x, status);
      kept = x;
      x = NULL;
      break;
    case KEEP_OUTPUT:
      copy_out(ctx, x, status);
      break;
    case DELETE_ELSEWHERE:
      copy_out(ctx, x, status);
      pthread_create(&thread, NULL, delete_handle, x);
      pthread_join(thread, NULL);
      x = NULL;
      break;
    case DELETE_LATER:
      TF_SetOutput(ctx, 0, x, status);
      pthread_create(&thread, NULL, delete_when_told, x);
      x = NULL;
      break;
    case FORWARD_WHILE_LENT: {
      float first = first_of(x);
      forward(ctx, count, -1, status);
      assert_true(first_of(x) == first);
      TF_Tensor *y = TF_GetMutableOutput(ctx, 0, status);
      memcpy(TF_TensorData(y), TF_TensorData(x), TF_TensorByteSize(x));
      TF_DeleteTensor(y);
      break;
    }
    case FORWARD_TWICE: {  // the input can be read after it was forwarded, but not forwarded again
      TF_DeleteTensor(x);
      forward(ctx, count, 0, status);
      x = input(ctx, 0, status);
      TF_Tensor *y = TF_GetMutableOutput(ctx, 0, status);
      assert_ptr_equal(TF_TensorData(x), TF_TensorData(y));
      TF_DeleteTensor(y);
      break;
    }
    case FAIL_AFTER_OUTPUT:
      TF_SetOutput(ctx, 0, x, status);
      TF_SetStatus(status, TF_ABORTED, "after the output was set");
      break;
    case CHANGE_SHAPE:
      TF_SetShape(x, pair, 2);
      TF_SetOutput(ctx, 0, x, status);
      break;
    case REPLACE_INPUT: {
      TF_Tensor *y = output(ctx, 0, TF_FLOAT, &count, 1, status);
      memcpy(TF_TensorData(y), TF_TensorData(x), TF_TensorByteSize(x));
      TF_TensorBitcastFrom(y, TF_INT32, x, &count, 1, status);
      assert_int_equal(TF_TensorType(x), TF_INT32);
      assert_ptr_equal(TF_TensorData(x), TF_TensorData(y));
      TF_DeleteTensor(y);
      break;
    }
    case MANY:
      for (int i = 0; i < 20; i++) extra[i] = input(ctx, 0, status);
      TF_SetOutput(ctx, 0, extra[19], status);
      for (int i = 0; i < 20; i++) {
        assert_true(first_of(extra[i]) == first_of(x));
        TF_DeleteTensor(extra[i * 7 % 20]);
        extra[i * 7 % 20] = input(ctx, 0, status);
      }
      for (int i = 0; i < 20; i++) TF_DeleteTensor(extra[i]);
      break;
    case MOVE:
      assert_null(TF_TensorMaybeMove(x));
      TF_SetOutput(ctx, 0, x, status);
      break;
  }
  TF_DeleteTensor(x);
  report(ctx, status);
}

// a = b = x
static void twice_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status);
  TF_SetOutput(ctx, 0, x, status);
  TF_SetOutput(ctx, 1, x, status);
  TF_DeleteTensor(x);
  report(ctx, status);
}

static int set_up(void **state) {
  set_up_ops(state);
  register_op("TestLoan", "x: float -> y: float", true);
  register_op("TestTwice", "x: float -> a: float, b: float", true);
  add_kernel("TestLoan", NULL, loan_compute, NULL);
  add_kernel("TestTwice", NULL, twice_compute, NULL);
  return 0;
}

// y = 2 * TestLoan(2 * x)
typedef struct chain {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
} chain;

static chain chain_new(const char *op) {
  chain c = {.graph = TF_NewGraph()};
  c.x = placeholder(c.graph, "x", TF_FLOAT);
  TF_Output from = c.x;
  if (by_flow) from = OUT1(node(c.graph, "Switch", "s", c.x, constant(c.graph, "p", make_bool(true)), NULL));
  TF_Operation *a = node(c.graph, "TestDouble", "a", from, NONE, NULL),
               *b = node(c.graph, op, "b", OUT(a), NONE, NULL);
  c.y = OUT(node(c.graph, "TestDouble", "c", OUT(b), NONE, NULL));
  if (strcmp(op, "TestTwice") == 0) c.y = OUT(node(c.graph, "TestAdd", "d", c.y, OUT1(b), NULL));
  c.session = new_session(c.graph, NULL, 0);
  return c;
}
static void chain_end(chain *c) {
  end_session(c->session);
  TF_DeleteGraph(c->graph);
}
static void run_chain(const chain *c, float first) {
  TF_Tensor *result = run1(c->session, c->x, make_vector(4, first), c->y);
  assert_ok();
  for (int i = 0; i < 4; i++) assert_true(((float *)TF_TensorData(result))[i] == 4 * (first + (float)i));
  TF_DeleteTensor(result);
}

static void test_every_mode_again_and_again(void **state) {
  (void)state;
  const mode modes[] = {
      DELETE_ELSEWHERE, FORWARD_WHILE_LENT, FORWARD_TWICE, CHANGE_SHAPE, REPLACE_INPUT, MANY, MOVE};
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    now = modes[m];
    chain c = chain_new("TestLoan");
    for (int i = 0; i < 8; i++) run_chain(&c, (float)i);
    chain_end(&c);
  }
}

// A handle kept past the call keeps what it showed, whatever runs afterwards.
static void test_kept_handles(void **state) {
  (void)state;
  for (now = KEEP_INPUT; now <= KEEP_OUTPUT; now++) {
    chain c = chain_new("TestLoan");
    TF_Tensor *all[8];
    for (int i = 0; i < 8; i++) {
      run_chain(&c, (float)i);
      all[i] = kept;
    }
    chain_end(&c);
    for (int i = 0; i < 8; i++) {
      assert_true(first_of(all[i]) == 2 * (float)i);
      TF_DeleteTensor(all[i]);
    }
  }
}

// Deleted by another thread at any time: while the call ends, or later.
static void test_deleted_by_another_thread(void **state) {
  (void)state;
  now = DELETE_LATER;
  chain c = chain_new("TestLoan");
  for (int i = 0; i < 20; i++) {
    atomic_store(&may_delete, i % 2);
    run_chain(&c, (float)i);
    atomic_store(&may_delete, true);
    pthread_join(thread, NULL);
  }
  chain_end(&c);
}

static void test_failure_after_an_output_was_set(void **state) {
  (void)state;
  chain c = chain_new("TestLoan");
  for (int i = 0; i < 8; i++) {
    now = i % 2 ? FAIL_AFTER_OUTPUT : MOVE;
    if (now == MOVE) {
      run_chain(&c, 1);
      continue;
    }
    assert_null(run1(c.session, c.x, make_vector(4, 1), c.y));
    assert_error(TF_ABORTED, "after the output was set");
  }
  chain_end(&c);
}

static void test_one_input_as_two_outputs(void **state) {
  (void)state;
  chain c = chain_new("TestTwice");
  for (int i = 0; i < 8; i++) {
    TF_Tensor *result = run1(c.session, c.x, make_vector(4, 3), c.y);
    assert_ok();
    for (int k = 0; k < 4; k++) assert_true(((float *)TF_TensorData(result))[k] == 6 * (3 + (float)k));
    TF_DeleteTensor(result);
  }
  chain_end(&c);
}

static void test_all_by_the_dataflow_walk(void **state) {
  by_flow = true;
  test_every_mode_again_and_again(state);
  test_kept_handles(state);
  test_deleted_by_another_thread(state);
  test_failure_after_an_output_was_set(state);
  test_one_input_as_two_outputs(state);
  by_flow = false;
}

// Several steps at once: an execution and its lender go from thread to thread.
static void *run_many(void *arg) {
  const chain *c = arg;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 50; i++) {
    TF_Tensor *x = make_vector(4, (float)i), *y = NULL;
    TF_SessionRun(c->session, NULL, &c->x, &x, 1, &c->y, &y, 1, NULL, 0, NULL, status);
    if (TF_GetCode(status) != TF_OK || first_of(y) != 4 * (float)i) abort();
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
  }
  TF_DeleteStatus(status);
  return NULL;
}
static void test_steps_at_once_by_the_dataflow_walk(void **state) {
  (void)state;
  pthread_t threads[4];
  by_flow = true;
  now = MANY;
  chain c = chain_new("TestLoan");
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_many, &c), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  chain_end(&c);
  by_flow = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_mode_again_and_again),
                                     cmocka_unit_test(test_kept_handles),
                                     cmocka_unit_test(test_deleted_by_another_thread),
                                     cmocka_unit_test(test_failure_after_an_output_was_set),
                                     cmocka_unit_test(test_one_input_as_two_outputs),
                                     cmocka_unit_test(test_all_by_the_dataflow_walk),
                                     cmocka_unit_test(test_steps_at_once_by_the_dataflow_walk)};
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
