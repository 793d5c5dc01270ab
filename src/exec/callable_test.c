// Functions that kernels call (dovetail/function.h): values, memory that is updated in place, recursion,
// errors, time limits, many threads.
#include "dovetail/function.h"

#include <math.h>

#include "exec/exec_test_util.h"

// TestRepeat(x): applies f n times; counts how often a result lies where the argument lay. n < 0: for ever.
typedef struct repeat {
  const dvt_callable *f;
  int64_t n;
  unsigned char keep;
} repeat;
static atomic_int in_place_calls;

static void *repeat_create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  repeat *r = calloc(1, sizeof *r);
  r->f = dvt_callable_find(ctx, "f", 0, status);
  if (TF_GetCode(status) == TF_OK) TF_OpKernelConstruction_GetAttrInt64(ctx, "n", &r->n, status);
  if (TF_GetCode(status) == TF_OK) TF_OpKernelConstruction_GetAttrBool(ctx, "keep", &r->keep, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return r;
}

static void repeat_compute(void *state, TF_OpKernelContext *ctx) {
  const repeat *r = state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = input(ctx, 0, status), *y = NULL;
  for (int64_t i = 0; i != r->n && TF_GetCode(status) == TF_OK; i++) {
    const void *before = TF_TensorData(x);
    dvt_callable_run(ctx, r->f, r->keep ? DVT_CALLABLE_KEEP_ARGS : DVT_CALLABLE_GIVE_ARGS, &x, 1, &y, 1,
                     status);
    assert_true(r->keep ? x != NULL : x == NULL);
    TF_DeleteTensor(x);
    x = y;
    y = NULL;
    if (x) atomic_fetch_add(&in_place_calls, TF_TensorData(x) == before);
  }
  if (TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
  report(ctx, status);
}

// TestChoose(c, x): f(x) where c, else g(x).
typedef struct choose {
  const dvt_callable *functions[2];
} choose;

static void *choose_create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  choose *c = calloc(1, sizeof *c);
  assert_int_equal(dvt_callable_count(ctx, "f", status), 2);
  for (int i = 0; i < 2; i++) c->functions[i] = dvt_callable_find(ctx, "f", i, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_null(dvt_callable_find(ctx, "f", 2, status));
  assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
  assert_null(dvt_callable_find(ctx, "n", 0, status));
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  TF_DeleteStatus(status);
  return c;
}

static void choose_compute(void *state, TF_OpKernelContext *ctx) {
  const choose *c = state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *condition = input(ctx, 0, status), *x = input(ctx, 1, status), *y = NULL;
  bool first = *(const uint8_t *)TF_TensorData(condition);
  TF_DeleteTensor(condition);
  dvt_callable_run(ctx, c->functions[first ? 0 : 1], DVT_CALLABLE_GIVE_ARGS, &x, 1, &y, 1, status);
  if (y) TF_SetOutput(ctx, 0, y, status);
  TF_DeleteTensor(y);
  report(ctx, status);
}

static int set_up(void **state) {
  set_up_ops(state);
  register_op("TestRepeat", "x: float -> y: float | f: func | n: int = 1 | keep: bool = false", false);
  register_op("TestChoose", "c: bool, x: float -> y: float | f: list(func) | n: int = 0", false);
  add_kernel("TestRepeat", repeat_create, repeat_compute, free);
  add_kernel("TestChoose", choose_create, choose_compute, free);
  return 0;
}

static TF_Operation *repeat_node(TF_Graph *g, TF_Output x, const char *f, int64_t n, bool keep) {
  TF_OperationDescription *d = TF_NewOperation(g, "TestRepeat", "repeat");
  TF_AddInput(d, x);
  TF_SetAttrFuncName(d, "f", f, strlen(f));
  TF_SetAttrInt(d, "n", n);
  TF_SetAttrBool(d, "keep", keep);
  return finish(d);
}

// f(x) = 4 x, by two nodes.
static void add_quadruple(TF_Graph *to) {
  TF_Graph *body = TF_NewGraph();
  TF_Output x = placeholder(body, "x", TF_FLOAT);
  TF_Output twice = OUT(node(body, "TestDouble", "a", x, NONE, NULL));
  TF_Output y = OUT(node(body, "TestDouble", "b", twice, NONE, NULL));
  add_function(to, "quadruple", body, 1, &x, 1, &y, 0, NULL, NULL);
  TF_DeleteGraph(body);
}

static void test_arguments_given_away_are_updated_in_place(void **state) {
  (void)state;
  for (int keep = 0; keep < 2; keep++) {
    TF_Graph *g = TF_NewGraph();
    add_quadruple(g);
    TF_Output x = placeholder(g, "x", TF_FLOAT);
    TF_Output y = OUT(repeat_node(g, x, "quadruple", 3, keep));
    TF_Session *s = new_session(g, NULL, 0);
    for (int i = 0; i < 8; i++) {
      atomic_store(&in_place_calls, 0);
      assert_true(run_float(s, x, make_vector(100, 3), y) == 3 * 64);
      // The first argument is the feed's memory; the second result takes the first one's.
      assert_int_equal(atomic_load(&in_place_calls), keep ? 0 : 2);
    }
    end_session(s);
    TF_DeleteGraph(g);
  }
}

// The same in a body that the dataflow walk runs, because a kernel is asynchronous.
static void test_body_with_an_asynchronous_kernel(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  TF_Output later = OUT(node_ms(body, "TestAsync", "later", float_constant(body, "one", 1), 1));
  TF_Output twice = OUT(node(body, "TestDouble", "twice", bx, NONE, later.oper));
  add_function(g, "slow", body, 1, &bx, 1, &twice, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output y = OUT(repeat_node(g, x, "slow", 5, false));
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&in_place_calls, 0);
  assert_true(run_float(s, x, make_vector(100, 1), y) == 32);
  assert_int_equal(atomic_load(&in_place_calls), 4);
  end_session(s);
  TF_DeleteGraph(g);
}

// f(x) returns x itself and needs no node at all.
static void test_argument_returned(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  add_function(g, "same", body, 1, &bx, 1, &bx, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(5), OUT(repeat_node(g, x, "same", 4, false))) == 5);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_effects_run_with_each_call(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  node(body, "TestEffect", "effect", NONE, NONE, NULL);
  TF_Output y = OUT(node(body, "TestDouble", "y", bx, NONE, NULL));
  add_function(g, "counting", body, 1, &bx, 1, &y, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&effect_calls, 0);
  assert_true(run_float(s, x, make_scalar(1), OUT(repeat_node(g, x, "counting", 3, true))) == 8);
  assert_int_equal(atomic_load(&effect_calls), 3);
  end_session(s);
  TF_DeleteGraph(g);
}

static TF_Operation *choose_node(TF_Graph *g, TF_Output c, TF_Output x, const char *f, const char *h) {
  // AttrValue { list { func { name: f } func { name: h } } }
  char list[64], proto[72];
  int n = snprintf(list, sizeof list, "J%c\n%c%sJ%c\n%c%s", (int)strlen(f) + 2, (int)strlen(f), f,
                   (int)strlen(h) + 2, (int)strlen(h), h);
  int total = snprintf(proto, sizeof proto, "\n%c%s", n, list);
  TF_OperationDescription *d = TF_NewOperation(g, "TestChoose", "choose");
  TF_AddInput(d, c);
  TF_AddInput(d, x);
  TF_SetAttrValueProto(d, "f", proto, (size_t)total, S);
  assert_ok();
  return finish(d);
}

// grow(x) = x < 1000 ? grow(2 x) : x, and forever(x) = forever(2 x).
static void add_recursion(TF_Graph *to, const char *name, float limit) {
  TF_Graph *body = TF_NewGraph(), *stop = TF_NewGraph();
  TF_Output sx = placeholder(stop, "x", TF_FLOAT),
            same = OUT(node(stop, "TestIdentity", "y", sx, NONE, NULL));
  add_function(body, "stop", stop, 1, &sx, 1, &same, 0, NULL, NULL);
  add_function(to, "stop", stop, 1, &sx, 1, &same, 0, NULL, NULL);
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  TF_Output less = OUT(node(body, "TestLess", "less", bx, float_constant(body, "limit", limit), NULL));
  TF_Output twice = OUT(node(body, "TestDouble", "twice", bx, NONE, NULL));
  TF_Output y = OUT(choose_node(body, less, twice, name, "stop"));
  add_function(to, name, body, 1, &bx, 1, &y, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_DeleteGraph(stop);
}

static void test_recursion(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_recursion(g, "grow", 1000);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output y = OUT(repeat_node(g, x, "grow", 1, false));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), y) == 2048);
  assert_true(run_float(s, x, make_scalar(3000), y) == 6000);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_recursion_without_end_is_an_error(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_recursion(g, "forever", INFINITY);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(0), OUT(repeat_node(g, x, "forever", 1, false))));
  assert_error(TF_RESOURCE_EXHAUSTED, "deep, at 'forever'");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_error_names_function_and_node(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT), by = OUT(node(body, "TestFail", "inside", bx, NONE, NULL));
  add_function(g, "failing", body, 1, &bx, 1, &by, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  TF_Output y = OUT(repeat_node(g, x, "failing", 1, false));
  for (int i = 0; i < 2; i++) {
    assert_null(run1(s, x, make_scalar(1), y));
    assert_error(TF_FAILED_PRECONDITION, "{{node failing/inside");
    assert_error(TF_FAILED_PRECONDITION, "{{node repeat}}");
  }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_wrong_calls(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT), by = placeholder(body, "y", TF_FLOAT);
  add_function(g, "two", body, 2, (TF_Output[]){bx, by}, 1, &bx, 0, NULL, NULL);
  TF_DeleteGraph(body);
  body = TF_NewGraph();
  TF_Output bool_arg = placeholder(body, "b", TF_BOOL);
  TF_OperationDescription *d = TF_NewOperation(body, "TestIdentity", "same");
  TF_AddInput(d, bool_arg);
  TF_Output same = OUT(finish(d));
  add_function(g, "of_bool", body, 1, &bool_arg, 1, &same, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Session *s = new_session(g, NULL, 0);
  static const struct {
    const char *function, *part;
    TF_Code code;
  } wrong[] = {{"two", "takes 2 arguments and returns 1 values", TF_INVALID_ARGUMENT},
               {"of_bool", "but that tensor is a bool", TF_INVALID_ARGUMENT},
               {"missing", "function 'missing' is not defined", TF_NOT_FOUND}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (int keep = 0; keep < 2; keep++) {
      char name[32];
      snprintf(name, sizeof name, "%s%d", wrong[i].function, keep);
      d = TF_NewOperation(g, "TestRepeat", name);
      TF_AddInput(d, x);
      TF_SetAttrFuncName(d, "f", wrong[i].function, strlen(wrong[i].function));
      TF_SetAttrBool(d, "keep", (unsigned char)keep);
      TF_Output y = OUT(finish(d));
      assert_null(run1(s, x, make_scalar(1), y));
      assert_error(wrong[i].code, wrong[i].part);
    }
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_time_limit_ends_a_kernel_that_calls_for_ever(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_quadruple(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output y = OUT(repeat_node(g, x, "quadruple", -1, false));
  TF_Session *s = new_session(g, "\x58\x14", 2);  // operation_timeout_in_ms: 20
  assert_null(run1(s, x, make_scalar(1), y));
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  end_session(s);
  TF_DeleteGraph(g);
}

// Constant inputs: the kernel is not evaluated while the plan is made, but it runs.
static void test_of_constants(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_quadruple(g);
  TF_Output y = OUT(repeat_node(g, float_constant(g, "c", 2), "quadruple", 2, false));
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 3; i++) assert_true(run_float(s, NONE, NULL, y) == 32);
  end_session(s);
  TF_DeleteGraph(g);
}

typedef struct runner {
  TF_Session *session;
  TF_Output x, y;
  float start;
} runner;

static void *run_many(void *arg) {
  const runner *r = arg;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 200; i++) {
    TF_Tensor *value = make_vector(10, r->start), *result = NULL;
    TF_SessionRun(r->session, NULL, &r->x, &value, 1, &r->y, &result, 1, NULL, 0, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(first_of(result) == r->start * 1024);
    TF_DeleteTensor(value);
    TF_DeleteTensor(result);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void test_many_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  TF_Graph *g = TF_NewGraph();
  add_quadruple(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output y = OUT(repeat_node(g, x, "quadruple", 5, false));
  TF_Session *s = new_session(g, NULL, 0);
  pthread_t threads[THREADS];
  runner runners[THREADS];
  for (int i = 0; i < THREADS; i++) {
    runners[i] = (runner){s, x, y, (float)(i + 1)};
    pthread_create(&threads[i], NULL, run_many, &runners[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments_given_away_are_updated_in_place),
      cmocka_unit_test(test_body_with_an_asynchronous_kernel),
      cmocka_unit_test(test_argument_returned),
      cmocka_unit_test(test_effects_run_with_each_call),
      cmocka_unit_test(test_recursion),
      cmocka_unit_test(test_recursion_without_end_is_an_error),
      cmocka_unit_test(test_error_names_function_and_node),
      cmocka_unit_test(test_wrong_calls),
      cmocka_unit_test(test_time_limit_ends_a_kernel_that_calls_for_ever),
      cmocka_unit_test(test_of_constants),
      cmocka_unit_test(test_many_threads),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
