// Functions: calls by PartitionedCall, StatefulPartitionedCall and by an op of the function's name, nested
// calls, effects, order by control edges, calls inside branches and loops, recursion and other errors.
#include "exec/exec_test_util.h"
#include "exec/session_state.h"

// f(x, y) = 2 (x + y), x
static void add_double_sum(TF_Graph *to) {
  TF_Graph *body = TF_NewGraph();
  TF_Output x = placeholder(body, "x", TF_FLOAT), y = placeholder(body, "y", TF_FLOAT);
  TF_Output sum = OUT(node(body, "TestAdd", "sum", x, y, NULL)),
            twice = OUT(node(body, "TestDouble", "twice", sum, NONE, NULL));
  add_function(to, "double_sum", body, 2, (TF_Output[]){x, y}, 2, (TF_Output[]){twice, x}, 0, NULL, NULL);
  TF_DeleteGraph(body);
}

static void test_call(void **state) {
  (void)state;
  static const char *const ops[] = {"PartitionedCall", "StatefulPartitionedCall"};
  for (int k = 0; k < 2; k++) {
    TF_Graph *g = TF_NewGraph();
    add_double_sum(g);
    TF_Output x = placeholder(g, "x", TF_FLOAT), three = float_constant(g, "three", 3);
    TF_Operation *c = call(g, ops[k], "call", "double_sum", 2, (TF_Output[]){x, three}, 2, NULL);
    TF_Output z = OUT(node(g, "TestAdd", "z", OUT(c), OUT1(c), NULL));
    TF_Session *s = new_session(g, NULL, 0);
    for (int i = 0; i < 5; i++) {
      assert_true(run_float(s, x, make_scalar((float)i), z) == 2 * ((float)i + 3) + (float)i);
      assert_true(run_float(s, x, make_scalar((float)i), OUT1(c)) == (float)i);
      assert_true(run_float(s, OUT(c), make_scalar(1), OUT(c)) == 1);  // fed, not called
    }
    end_session(s);
    TF_DeleteGraph(g);
  }
}

static void test_call_by_name(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_double_sum(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_OperationDescription *d = TF_NewOperation(g, "double_sum", "c");
  TF_AddInput(d, x);
  TF_AddInput(d, x);
  TF_Operation *c = finish(d);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(5), OUT(c)) == 20);
  end_session(s);
  TF_DeleteGraph(g);
}

// Two levels: outer(x) = inner(inner(x, x), x), three calls of one function in one plan.
static void test_nested_calls(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  add_double_sum(g);
  add_double_sum(body);
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  TF_Operation *c1 = call(body, "PartitionedCall", "c1", "double_sum", 2, (TF_Output[]){bx, bx}, 2, NULL);
  TF_Operation *c2 =
      call(body, "PartitionedCall", "c2", "double_sum", 2, (TF_Output[]){OUT(c1), bx}, 2, NULL);
  add_function(g, "outer", body, 1, &bx, 1, (TF_Output[]){OUT(c2)}, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *a = call(g, "PartitionedCall", "a", "outer", 1, &x, 1, NULL);
  TF_Operation *b = call(g, "PartitionedCall", "b", "outer", 1, (TF_Output[]){OUT(a)}, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), OUT(a)) == 10);
  assert_true(run_float(s, x, make_scalar(1), OUT(b)) == 100);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_error_in_a_body_names_the_call(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT), by = OUT(node(body, "TestFail", "inside", bx, NONE, NULL));
  add_function(g, "failing", body, 1, &bx, 1, &by, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *c = call(g, "PartitionedCall", "the_call", "failing", 1, &x, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), OUT(c)));
  assert_error(TF_FAILED_PRECONDITION, "{{node the_call/inside");
  end_session(s);
  TF_DeleteGraph(g);
}

// effectful(x) returns x and, besides, counts; the count is a control output.
static void add_effectful(TF_Graph *to) {
  TF_Graph *body = TF_NewGraph();
  TF_Output x = placeholder(body, "x", TF_FLOAT);
  TF_Operation *effect = node(body, "TestEffect", "effect", NONE, NONE, NULL);
  TF_Output y = OUT(node(body, "TestIdentity", "y", x, NONE, NULL));
  const TF_Operation *controls[] = {effect};
  const char *names[] = {"effect"};
  add_function(to, "effectful", body, 1, &x, 1, &y, 1, controls, names);
  TF_DeleteGraph(body);
}

static void test_effects_run_once_a_step(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_effectful(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *c = call(g, "StatefulPartitionedCall", "c", "effectful", 1, &x, 1, NULL);
  TF_Operation *after = node(g, "TestEffect", "after", NONE, NONE, c);
  TF_Operation *c2 = call(g, "StatefulPartitionedCall", "c2", "effectful", 1, &x, 1, after);
  TF_Output last = OUT(node(g, "TestEffect", "last", NONE, NONE, c2));
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&effect_calls, 0);
  assert_true(run_float(s, x, make_scalar(7), OUT(c)) == 7);  // the value alone: the effect runs, too
  assert_int_equal(atomic_load(&effect_calls), 1);
  const TF_Operation *target = c;
  TF_Tensor *value = make_scalar(1);
  TF_SessionRun(s, NULL, &x, &value, 1, NULL, NULL, 0, &target, 1, NULL, S);
  assert_ok();
  assert_int_equal(atomic_load(&effect_calls), 2);
  // effect, after, effect of c2, last: in the order of the control edges
  TF_Output fetches[] = {last, OUT(after)};
  TF_Tensor *got[2];
  TF_SessionRun(s, NULL, &x, &value, 1, fetches, got, 2, NULL, 0, NULL, S);
  assert_ok();
  assert_true(first_of(got[0]) == 6 && first_of(got[1]) == 4);
  TF_DeleteTensor(got[0]);
  TF_DeleteTensor(got[1]);
  TF_DeleteTensor(value);
  end_session(s);
  TF_DeleteGraph(g);
}

// A call on a branch: its body, constants and effects included, runs only when the branch is taken.
static void test_call_on_a_branch(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT), five = float_constant(body, "five", 5);
  TF_Operation *effect = node(body, "TestEffect", "effect", NONE, NONE, NULL);
  const TF_Operation *controls[] = {effect};
  const char *names[] = {"effect"};
  add_function(g, "five_of", body, 1, &bx, 1, &five, 1, controls, names);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT), pred = placeholder(g, "pred", TF_BOOL);
  TF_Operation *sw = node(g, "Switch", "sw", x, pred, NULL);
  TF_Operation *c = call(g, "StatefulPartitionedCall", "c", "five_of", 1, (TF_Output[]){OUT1(sw)}, 1, NULL);
  TF_Operation *m = merge(g, "m", OUT(sw), OUT(c));
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&effect_calls, 0);
  for (int i = 0; i < 6; i++) {
    TF_Output feeds[] = {x, pred}, fetch = OUT(m);
    TF_Tensor *values[] = {make_scalar(9), make_bool(i & 1)}, *got;
    TF_SessionRun(s, NULL, feeds, values, 2, &fetch, &got, 1, NULL, 0, NULL, S);
    assert_ok();
    assert_true(first_of(got) == (i & 1 ? 5 : 9));
    TF_DeleteTensor(got);
    TF_DeleteTensor(values[0]);
    TF_DeleteTensor(values[1]);
    assert_int_equal(atomic_load(&effect_calls), (i + 1) / 2);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

// A loop whose body is a call, in a function that is itself called twice: frames of the two are kept apart.
static void test_loop_in_a_function(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  add_double_sum(body);
  add_double_sum(g);
  TF_Output bx = placeholder(body, "x", TF_FLOAT), limit = float_constant(body, "limit", 100);
  TF_Output ev = OUT(enter(body, "ev", bx, "f", false, 4)), el = OUT(enter(body, "el", limit, "f", true, 4));
  TF_Operation *mv = merge(body, "mv", ev, ev);
  TF_Output cond =
      OUT(node(body, "LoopCond", "cond", OUT(node(body, "TestLess", "less", OUT(mv), el, NULL)), NONE, NULL));
  TF_Operation *sv = node(body, "Switch", "sv", OUT(mv), cond, NULL);
  TF_Operation *c =
      call(body, "PartitionedCall", "c", "double_sum", 2, (TF_Output[]){OUT1(sv), OUT1(sv)}, 2, NULL);
  TF_Operation *nv = node(body, "NextIteration", "nv", OUT(c), NONE, NULL);
  TF_UpdateEdge(body, OUT(nv), (TF_Input){mv, 1}, S);
  assert_ok();
  TF_Output result = OUT(node(body, "Exit", "exit", OUT(sv), NONE, NULL));
  TF_Function *f = TF_GraphToFunction(body, "grow", 0, -1, NULL, 1, &bx, 1, &result, NULL, NULL, NULL, S);
  if (TF_GetCode(S) == TF_OK) {
    TF_GraphCopyFunction(g, f, NULL, S);
    assert_ok();
    TF_DeleteFunction(f);
    TF_Output x = placeholder(g, "x", TF_FLOAT);
    TF_Operation *a = call(g, "PartitionedCall", "a", "grow", 1, &x, 1, NULL);
    TF_Output more = OUT(node(g, "TestDouble", "more", x, NONE, NULL));
    TF_Operation *b = call(g, "PartitionedCall", "b", "grow", 1, &more, 1, NULL);
    TF_Output sum = OUT(node(g, "TestAdd", "sum", OUT(a), OUT(b), NULL));
    TF_Session *s = new_session(g, NULL, 0);
    assert_true(run_float(s, x, make_scalar(1), sum) == 256 + 128);
    assert_true(run_float(s, x, make_scalar(3), sum) == 192 + 384);
    end_session(s);
  }
  TF_DeleteGraph(body);
  TF_DeleteGraph(g);
}

static void test_recursion_is_an_error(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "x", TF_FLOAT);
  TF_Operation *c = call(body, "PartitionedCall", "again", "endless", 1, &bx, 1, NULL);
  add_function(g, "endless", body, 1, &bx, 1, (TF_Output[]){OUT(c)}, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *top = call(g, "PartitionedCall", "top", "endless", 1, &x, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  for (int i = 0; i < 2; i++) {
    assert_null(run1(s, x, make_scalar(1), OUT(top)));
    assert_error(TF_UNIMPLEMENTED,
                 "function 'endless' is called again inside its own body (endless -> endless)");
  }
  end_session(s);
  TF_DeleteGraph(g);
}

// Functions that double the number of calls at each level end in an error, not in all of the memory.
static void test_exploding_calls_are_bounded(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  char name[16], below[16];
  for (int level = 0; level < 24; level++) {
    TF_Graph *body = TF_NewGraph();
    TF_Output x = placeholder(body, "x", TF_FLOAT), y;
    snprintf(name, sizeof name, "f%d", level);
    snprintf(below, sizeof below, "f%d", level - 1);
    if (level == 0) {
      y = OUT(node(body, "TestDouble", "y", x, NONE, NULL));
    } else {
      TF_Operation *a = call(body, "PartitionedCall", "a", below, 1, &x, 1, NULL);
      TF_Operation *b = call(body, "PartitionedCall", "b", below, 1, (TF_Output[]){OUT(a)}, 1, NULL);
      y = OUT(b);
    }
    add_function(g, name, body, 1, &x, 1, &y, 0, NULL, NULL);
    TF_DeleteGraph(body);
  }
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *ten = call(g, "PartitionedCall", "ten", "f4", 1, &x, 1, NULL);
  TF_Operation *top = call(g, "PartitionedCall", "top", name, 1, &x, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), OUT(ten)) == 65536);
  assert_null(run1(s, x, make_scalar(1), OUT(top)));
  assert_error(TF_RESOURCE_EXHAUSTED, "calls functions more than");
  end_session(s);
  TF_DeleteGraph(g);
}

// Few calls of large bodies can ask for as much memory as many calls.
static void test_nodes_of_called_bodies_are_bounded(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_double_sum(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *a = call(g, "PartitionedCall", "a", "double_sum", 2, (TF_Output[]){x, x}, 2, NULL);
  TF_Operation *b = call(g, "PartitionedCall", "b", "double_sum", 2, (TF_Output[]){x, x}, 2, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(1), OUT(a)) == 4);
  assert_true(s->inlined_nodes >= 4);
  s->inlined_nodes = ((size_t)1 << 21) - 2;
  assert_null(run1(s, x, make_scalar(1), OUT(b)));
  assert_error(TF_RESOURCE_EXHAUSTED, "the call of 'double_sum' with");
  assert_true(run_float(s, x, make_scalar(2), OUT(a)) == 8);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_unknown_function(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *c = call(g, "PartitionedCall", "c", "nowhere", 1, &x, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), OUT(c)));
  assert_error(TF_NOT_FOUND, "function 'nowhere' is not defined");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_wrong_number_of_arguments(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  add_double_sum(g);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *c = call(g, "PartitionedCall", "c", "double_sum", 1, &x, 1, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, x, make_scalar(1), OUT(c)));
  assert_error(TF_INVALID_ARGUMENT, "1 inputs and 1 outputs, but function 'double_sum' has 2 and 2");
  end_session(s);
  TF_DeleteGraph(g);
}

// call(type "f") with inputs and outputs of any types
static TF_Operation *call_typed(TF_Graph *g, const char *name, const char *function, TF_Output input,
                                TF_DataType in, TF_DataType out, int outputs) {
  TF_OperationDescription *d = TF_NewOperation(g, "PartitionedCall", name);
  TF_DataType types[] = {out, out};
  TF_AddInputList(d, &input, 1);
  TF_SetAttrTypeList(d, "Tin", &in, 1);
  TF_SetAttrTypeList(d, "Tout", types, outputs);
  TF_SetAttrFuncName(d, "f", function, strlen(function));
  return finish(d);
}

static TF_Tensor *make_bools(int64_t count) {
  TF_Tensor *t = TF_AllocateTensor(TF_BOOL, &count, 1, (size_t)count);
  memset(TF_TensorData(t), 0, (size_t)count);
  return t;
}

// A call's types come from a graph file and need not be the function's.
static void test_wrong_types_of_arguments(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output x = placeholder(body, "x", TF_FLOAT);
  TF_Output twice = OUT(node(body, "TestDouble", "twice", x, NONE, NULL));
  add_function(g, "twice", body, 1, &x, 1, &twice, 0, NULL, NULL);
  TF_Output flags = placeholder(g, "flags", TF_BOOL), floats = placeholder(g, "floats", TF_FLOAT);
  TF_Operation *bad_input = call_typed(g, "bad_input", "twice", flags, TF_BOOL, TF_FLOAT, 1),
               *bad_output = call_typed(g, "bad_output", "twice", floats, TF_FLOAT, TF_DOUBLE, 1);
  TF_Session *s = new_session(g, NULL, 0);
  assert_null(run1(s, flags, make_bools(1000), OUT(bad_input)));
  assert_error(TF_INVALID_ARGUMENT, "input 0 of the call is a bool, but function 'twice' takes a float");
  assert_null(run1(s, floats, make_scalar(1), OUT(bad_output)));
  assert_error(TF_INVALID_ARGUMENT, "output 0 of the call is a double, but function 'twice' gives a float");
  end_session(s);
  TF_DeleteGraph(body);
  TF_DeleteGraph(g);
}

// A function may have the name of an op that the executor runs itself and that nobody registered.
static void test_function_named_like_a_native_op(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output in[] = {placeholder(body, "x", TF_BOOL), placeholder(body, "p", TF_BOOL)};
  TF_Output out[] = {float_constant(body, "a", 3), float_constant(body, "b", 4)};
  add_function(g, "RefSwitch", body, 2, in, 2, out, 0, NULL, NULL);
  TF_Output flags = placeholder(g, "flags", TF_BOOL), pred = constant(g, "pred", make_bool(true));
  TF_OperationDescription *d = TF_NewOperation(g, "RefSwitch", "c");
  TF_AddInput(d, flags);
  TF_AddInput(d, pred);
  TF_Operation *c = finish(d);
  TF_Output y = OUT(node(g, "TestDouble", "y", OUT1(c), NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, flags, make_bools(1000), y) == 8);
  end_session(s);
  TF_DeleteGraph(body);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_call),
      cmocka_unit_test(test_call_by_name),
      cmocka_unit_test(test_nested_calls),
      cmocka_unit_test(test_error_in_a_body_names_the_call),
      cmocka_unit_test(test_effects_run_once_a_step),
      cmocka_unit_test(test_call_on_a_branch),
      cmocka_unit_test(test_loop_in_a_function),
      cmocka_unit_test(test_recursion_is_an_error),
      cmocka_unit_test(test_exploding_calls_are_bounded),
      cmocka_unit_test(test_nodes_of_called_bodies_are_bounded),
      cmocka_unit_test(test_unknown_function),
      cmocka_unit_test(test_wrong_number_of_arguments),
      cmocka_unit_test(test_wrong_types_of_arguments),
      cmocka_unit_test(test_function_named_like_a_native_op),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
