// When kernels of a session are found and made: labels of graph nodes, the error of a node without a kernel,
// kernels that are made when they are needed and kept from plan to plan.
#include "exec/exec_test_util.h"

static int labelled_calls;

static void labelled_compute(void *state, TF_OpKernelContext *ctx) {
  labelled_calls++;
  identity_compute(state, ctx);
}

static void test_rules_099_100_label_of_a_graph_node(void **state) {
  (void)state;
  register_op("TestLabelled", "x: float -> y: float", true);
  add_kernel("TestLabelled", NULL, identity_compute, NULL);
  TF_KernelBuilder *builder = TF_NewKernelBuilder("TestLabelled", "CPU", NULL, labelled_compute, NULL);
  TF_KernelBuilder_Label(builder, "special");
  TF_RegisterKernelBuilder("Labelled", builder, S);
  assert_ok();
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), outputs[3];
  static const char *const labels[] = {NULL, "special", "unheard-of"};
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    TF_OperationDescription *d = TF_NewOperation(g, "TestLabelled", name);
    TF_AddInput(d, x);
    if (labels[i]) TF_SetAttrString(d, "_kernel", labels[i], strlen(labels[i]));
    outputs[i] = OUT(finish(d));
  }
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(3), outputs[0]) == 3);
  assert_int_equal(labelled_calls, 0);
  assert_true(run_float(s, x, make_scalar(4), outputs[1]) == 4);
  assert_int_equal(labelled_calls, 1);
  assert_null(run1(s, x, make_scalar(5), outputs[2]));
  assert_error(TF_INVALID_ARGUMENT, "label 'unheard-of'");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_rules_108_109_no_kernel(void **state) {
  (void)state;
  register_op("TestTyped", "x: T -> y: T | T: type", false);
  TF_KernelBuilder *builder = TF_NewKernelBuilder("TestTyped", "CPU", NULL, identity_compute, NULL);
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_INT32, S);
  TF_RegisterKernelBuilder("Typed", builder, S);
  assert_ok();
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestTyped", "y", x, NONE, NULL)),
            z = OUT(node(g, "TestDouble", "z", x, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  assert_true(run_float(s, x, make_scalar(3), z) == 6);  // what needs no such kernel runs
  assert_null(run1(s, x, make_scalar(1), y));
  assert_error(TF_INVALID_ARGUMENT,
               "No OpKernel was registered to support Op 'TestTyped' used by {{node y}}");
  assert_error(TF_INVALID_ARGUMENT, "{{node y}} = TestTyped[T=DT_FLOAT]");
  assert_error(TF_INVALID_ARGUMENT, "(OpKernel was found, but attributes didn't match)");
  assert_error(TF_INVALID_ARGUMENT, "device='CPU'; T in [DT_INT32]");
  assert_error(TF_INVALID_ARGUMENT, "\n\t [[{{node y}}]]");
  // A kernel that is registered now is found by the next step.
  builder = TF_NewKernelBuilder("TestTyped", "CPU", NULL, identity_compute, NULL);
  TF_RegisterKernelBuilder("Typed", builder, S);
  assert_ok();
  assert_true(run_float(s, x, make_scalar(7), y) == 7);
  end_session(s);
  TF_DeleteGraph(g);
}

// Kernels are made for the nodes of a plan, not for those that the graph has besides, and kept for later
// plans.
static void test_rule_114_kernels_are_made_when_needed_and_kept(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output a = OUT(node(g, "TestCounter", "a", NONE, NONE, NULL)),
            b = OUT(node(g, "TestCounter", "b", NONE, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  atomic_store(&creates, 0);
  atomic_store(&deletes, 0);
  for (int i = 1; i <= 3; i++) assert_true(run_float(s, NONE, NULL, a) == (float)i);
  assert_int_equal(atomic_load(&creates), 1);
  TF_Output both[] = {a, b};
  TF_Tensor *values[2] = {NULL, NULL};
  TF_SessionRun(s, NULL, NULL, NULL, 0, both, values, 2, NULL, 0, NULL, S);
  assert_ok();
  assert_true(first_of(values[0]) == 4 && first_of(values[1]) == 1);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(values[1]);
  assert_int_equal(atomic_load(&creates), 2);
  assert_true(run_float(s, NONE, NULL, b) == 2);
  assert_int_equal(atomic_load(&creates), 2);
  end_session(s);
  assert_int_equal(atomic_load(&deletes), 2);
  TF_DeleteGraph(g);
}

static int order_made[64], order_count, order_failing;
static pthread_t order_thread;
static bool order_one_thread;

// The node's number is its attr; the kernel `order_failing` and all after it cannot be made.
static void *order_create(TF_OpKernelConstruction *ctx) {
  int64_t number = -1;
  TF_Status *status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrInt64(ctx, "number", &number, status);
  if (!pthread_equal(pthread_self(), order_thread)) order_one_thread = false;
  order_made[order_count++] = (int)number;
  if (number >= order_failing) {
    char text[32];
    snprintf(text, sizeof text, "number %d", (int)number);
    TF_SetStatus(status, TF_ABORTED, text);
    TF_OpKernelConstruction_Failure(ctx, status);
  }
  TF_DeleteStatus(status);
  return NULL;
}

// One after another in the order of the plan, on the thread that makes it, up to the first that fails; those
// that were made are kept for the next attempt.
static void test_rule_114_kernels_are_made_in_order(void **state) {
  (void)state;
  enum { COUNT = 20, FAILING = 13 };
  register_op("TestOrdered", "x: float -> y: float | number: int", true);
  add_kernel("TestOrdered", order_create, identity_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = x;
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    TF_OperationDescription *d = TF_NewOperation(g, "TestOrdered", name);
    TF_AddInput(d, y);
    TF_SetAttrInt(d, "number", i);
    y = OUT(finish(d));
  }
  TF_Session *s = new_session(g, NULL, 0);
  order_thread = pthread_self();
  order_one_thread = true;
  order_failing = FAILING;
  for (int attempt = 0; attempt < 2; attempt++) {
    assert_null(run1(s, x, make_scalar(1), y));
    assert_error(TF_ABORTED, "number 13");
    assert_error(TF_ABORTED, "{{node n13}}");
  }
  order_failing = COUNT;
  assert_true(run_float(s, x, make_scalar(3), y) == 3);
  assert_true(order_one_thread);
  // 0 to 13, 13 again, 13 to 19
  assert_int_equal(order_count, COUNT + 2);
  for (int i = 0; i < order_count; i++)
    assert_int_equal(order_made[i], i <= FAILING ? i : i - (i < FAILING + 2 ? 1 : 2));
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_099_100_label_of_a_graph_node),
      cmocka_unit_test(test_rules_108_109_no_kernel),
      cmocka_unit_test(test_rule_114_kernels_are_made_when_needed_and_kept),
      cmocka_unit_test(test_rule_114_kernels_are_made_in_order),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
