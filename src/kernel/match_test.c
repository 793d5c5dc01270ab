// Choosing a kernel, and telling why: every way in which a candidate is passed over, many constrained attrs,
// kernels in host memory, and that the explanation and the choice agree.
#include "kernel/kernel_test_util.h"

static void compute_a(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static TF_KernelBuilder *builder_for(const char *op, const char *device) {
  return TF_NewKernelBuilder(op, device, NULL, compute_a, NULL);
}

static void constrain(TF_KernelBuilder *builder, const char *attr, TF_DataType type) {
  TF_Status *status = TF_NewStatus();
  TF_KernelBuilder_TypeConstraint(builder, attr, type, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteStatus(status);
}

static void add(const char *op, const char *device, const char *label, int priority, const char *attr,
                TF_DataType type) {
  TF_KernelBuilder *builder = builder_for(op, device);
  if (label) TF_KernelBuilder_Label(builder, label);
  if (priority) TF_KernelBuilder_Priority(builder, priority);
  if (attr) constrain(builder, attr, type);
  test_register(builder);
}

// ---- explaining ----

typedef struct seen {
  dvt_kernel_candidate_fit fits[TEST_MAX];
  int count;
} seen;

static void see(void *arg, const dvt_kernel_candidate_fit *fit) {
  seen *s = arg;
  assert_true(s->count < TEST_MAX);
  s->fits[s->count++] = *fit;
}

static dvt_status explain(test_node *t, seen *s, const dvt_kernel_def **out_def) {
  *s = (seen){0};
  DVT_RETURN_IF_ERROR(dvt_node_resolve(&t->node, &t->arena));
  return dvt_kernel_explain(&t->node, DVT_STR("CPU"), see, s, out_def);
}

static void assert_fits(const seen *s, const dvt_kernel_fit *wanted, int count) {
  assert_int_equal(s->count, count);
  for (int i = 0; i < count; i++) assert_int_equal(s->fits[i].fit, wanted[i]);
}
#define FITS(...) \
  (const dvt_kernel_fit[]){__VA_ARGS__}, (int)(sizeof((const dvt_kernel_fit[]){__VA_ARGS__}) / sizeof(int))

static void test_rules_099_to_103_every_candidate_is_explained(void **state) {
  (void)state;
  test_node t;
  seen s;
  const dvt_kernel_def *def = NULL;
  test_op("All", SPECS("a:T: type", "i:x: T"));
  add("All", "GPU", NULL, 9, "T", TF_FLOAT);
  add("All", "CPU", "slow", 0, "T", TF_FLOAT);
  add("All", "CPU", NULL, 0, "T", TF_INT32);
  add("All", "CPU", NULL, 0, "T", TF_FLOAT);
  add("All", "CPU", NULL, 1, "T", TF_FLOAT);
  add("All", "DEFAULT", NULL, 5, NULL, TF_FLOAT);
  test_node_init(&t, "All", "n");
  test_node_type(&t, "T", TF_FLOAT);
  assert_ok(explain(&t, &s, &def));
  assert_fits(&s, FITS(DVT_KERNEL_OTHER_DEVICE, DVT_KERNEL_OTHER_LABEL, DVT_KERNEL_ATTR_MISMATCH,
                       DVT_KERNEL_LOWER_PRIORITY, DVT_KERNEL_TAKEN, DVT_KERNEL_DEFAULT_UNUSED));
  assert_ptr_equal(s.fits[4].def, def);
  assert_true(dvt_str_is(s.fits[2].constraint->attr, "T"));
  assert_int_equal(s.fits[2].constraint->dtypes[0], TF_INT32);
  assert_memory_equal(s.fits[2].value.data, "\x30\x01", 2);  // AttrValue {6: DT_FLOAT}
  assert_null(s.fits[4].constraint);
  test_node_deinit(&t);
}

static void test_rule_109_mismatch_is_told_from_nothing(void **state) {
  (void)state;
  test_node t;
  seen s;
  const dvt_kernel_def *def = NULL;
  test_op("Some", SPECS("a:T: type", "i:x: T"));
  test_op("NoneAtAll", SPECS("a:T: type", "i:x: T"));
  add("Some", "CPU", NULL, 0, "T", TF_INT32);
  test_node_init(&t, "Some", "n");
  test_node_type(&t, "T", TF_FLOAT);
  assert_status(explain(&t, &s, &def), TF_NOT_FOUND,
                "No registered 'Some' OpKernel for CPU devices compatible with node {{node n}}");
  assert_status(dvt_kernel_find(&t.node, DVT_STR("CPU"), &def), TF_NOT_FOUND,
                " (OpKernel was found, but attributes didn't match)");
  assert_status(dvt_kernel_find(&t.node, DVT_STR("CPU"), &def), TF_NOT_FOUND,
                "device='CPU'; T in [DT_INT32]");
  assert_fits(&s, FITS(DVT_KERNEL_ATTR_MISMATCH));
  assert_null(def);
  test_node_deinit(&t);

  test_node_init(&t, "NoneAtAll", "n");
  test_node_type(&t, "T", TF_FLOAT);
  dvt_status status = explain(&t, &s, &def);
  assert_null(strstr(dvt_status_message(status), "attributes didn't match"));
  assert_status(status, TF_NOT_FOUND, "<no registered kernels>");
  assert_int_equal(s.count, 0);
  test_node_deinit(&t);
}

static void test_rules_101_102_105_errors_are_explained(void **state) {
  (void)state;
  test_node t;
  seen s;
  const dvt_kernel_def *def = NULL;
  test_op("Tied", SPECS("i:x: float"));
  add("Tied", "CPU", NULL, 0, NULL, 0);
  add("Tied", "CPU", NULL, 0, NULL, 0);
  test_node_init(&t, "Tied", "n");
  assert_status(explain(&t, &s, &def), TF_INVALID_ARGUMENT, "at the same priority");
  assert_fits(&s, FITS(DVT_KERNEL_TIED, DVT_KERNEL_TIED));
  test_node_deinit(&t);

  test_op("Defaults", SPECS("i:x: float"));
  add("Defaults", "DEFAULT", NULL, 0, NULL, 0);
  add("Defaults", "DEFAULT", NULL, 7, NULL, 0);
  test_node_init(&t, "Defaults", "n");
  assert_status(explain(&t, &s, &def), TF_INVALID_ARGUMENT, "Multiple Default OpKernel registrations");
  assert_fits(&s, FITS(DVT_KERNEL_TIED, DVT_KERNEL_TIED));
  test_node_deinit(&t);

  test_op("Bad", SPECS("a:N: int", "i:x: float"));
  add("Bad", "CPU", NULL, 0, "Nope", TF_FLOAT);
  add("Bad", "CPU", NULL, 0, "N", TF_FLOAT);
  test_node_init(&t, "Bad", "n");
  test_node_int(&t, "N", 1);
  assert_status(explain(&t, &s, &def), TF_INVALID_ARGUMENT, "not in NodeDef");
  assert_fits(&s, FITS(DVT_KERNEL_BAD_CONSTRAINT, DVT_KERNEL_BAD_CONSTRAINT));
  assert_int_equal(s.fits[0].value.len, 0);
  assert_true(s.fits[1].value.len > 0);
  test_node_deinit(&t);
}

static void test_rule_099_label_that_is_no_string(void **state) {
  (void)state;
  test_node t;
  seen s;
  const dvt_kernel_def *def = NULL;
  test_node_init(&t, "Tied", "n");
  test_node_int(&t, "_kernel", 3);
  assert_status(explain(&t, &s, &def), TF_INVALID_ARGUMENT, "for attr '_kernel'");
  assert_int_equal(s.count, 0);
  test_node_deinit(&t);
}

// ---- many constrained attrs ----

// More constrained attrs than a search remembers at once.
static void test_rule_103_many_constrained_attrs(void **state) {
  (void)state;
  static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
  test_node t;
  test_op("Wide", SPECS("a:A: type", "a:B: type", "a:C: type", "a:D: type", "a:E: type", "a:F: type"));
  for (int odd = 0; odd < 6; odd++) {
    TF_KernelBuilder *builder = builder_for("Wide", "CPU");
    for (int i = 0; i < 6; i++) constrain(builder, names[i], i == odd ? TF_INT32 : TF_FLOAT);
    TF_KernelBuilder_Priority(builder, odd);
    test_register(builder);
  }
  for (int odd = 0; odd < 6; odd++) {
    test_node_init(&t, "Wide", "n");
    for (int i = 0; i < 6; i++) test_node_type(&t, names[i], i == odd ? TF_INT32 : TF_FLOAT);
    assert_ok(test_node_find(&t));
    assert_int_equal(t.def->priority, odd);
    test_node_deinit(&t);
  }
}

// The kernels of one op may each constrain another attr first, or none; an attr that the node lacks is an
// error only where a kernel for the node's device is the first to name it.
static void test_rules_103_105_each_kernel_constrains_another_attr(void **state) {
  (void)state;
  static const int priorities[2][2] = {{2, 3}, {5, 3}};  // of the kernel for float, int32 in T and in U
  static const TF_DataType types[] = {TF_FLOAT, TF_INT32};
  test_node t;
  test_op("Mixed", SPECS("a:T: type", "a:U: type", "i:x: T", "i:y: U"));
  add("Mixed", "CPU", NULL, 1, NULL, 0);
  add("Mixed", "CPU", NULL, 2, "T", TF_FLOAT);
  add("Mixed", "CPU", NULL, 3, "U", TF_INT32);
  add("Mixed", "GPU", NULL, 4, "Nope", TF_FLOAT);
  TF_KernelBuilder *builder = builder_for("Mixed", "CPU");
  constrain(builder, "U", TF_FLOAT);
  constrain(builder, "T", TF_INT32);
  TF_KernelBuilder_Priority(builder, 5);
  test_register(builder);
  for (int i = 0; i < 4; i++) {
    test_node_init(&t, "Mixed", "n");
    test_node_type(&t, "T", types[i / 2]);
    test_node_type(&t, "U", types[i % 2]);
    assert_ok(test_node_find(&t));
    assert_int_equal(t.def->priority, priorities[i / 2][i % 2]);
    test_node_deinit(&t);
  }
  builder = builder_for("Mixed", "CPU");
  constrain(builder, "T", TF_FLOAT);
  constrain(builder, "Nope", TF_FLOAT);
  test_register(builder);
  test_node_init(&t, "Mixed", "n");
  test_node_type(&t, "T", TF_INT32);
  test_node_type(&t, "U", TF_INT32);
  assert_ok(test_node_find(&t));
  assert_int_equal(t.def->priority, 3);
  test_node_deinit(&t);
  test_node_init(&t, "Mixed", "n");
  test_node_type(&t, "T", TF_FLOAT);
  test_node_type(&t, "U", TF_INT32);
  assert_status(test_node_find(&t), TF_INVALID_ARGUMENT, "constraint on attr 'Nope' not in NodeDef");
  test_node_deinit(&t);
}

// A dtype that does not exist is in no kernel's list, whatever its number modulo 64.
static void test_rule_103_dtypes_that_do_not_exist(void **state) {
  (void)state;
  static const int types[] = {34, 63, 65, 101, 127, 128 + TF_FLOAT, 1 << 20};
  const dvt_kernel_def *def = NULL;
  test_node t;
  for (size_t i = 0; i < DVT_COUNT_OF(types); i++) {
    test_node_init(&t, "Some", "n");
    test_node_type(&t, "T", types[i]);
    assert_status(dvt_kernel_find(&t.node, DVT_STR("CPU"), &def), TF_NOT_FOUND, "attributes didn't match");
    test_node_deinit(&t);
  }
}

// ---- int32 on the host ----

// The usual pair of a device with memory of its own: floats there, int32 by a kernel whose ends stay on the
// host. On a CPU, which has neither, the DEFAULT kernel serves.
static void test_rules_102_110_int32_on_the_host(void **state) {
  (void)state;
  test_node t;
  test_op("Paired", SPECS("a:T: type", "i:x: T", "o:y: T"));
  TF_KernelBuilder *host = builder_for("Paired", "DEFAULT");
  constrain(host, "T", TF_INT32);
  TF_KernelBuilder_HostMemory(host, "x");
  TF_KernelBuilder_HostMemory(host, "y");
  test_register(host);
  add("Paired", "CPU", NULL, 0, "T", TF_FLOAT);
  test_node_init(&t, "Paired", "n");
  test_node_type(&t, "T", TF_INT32);
  assert_ok(test_node_create(&t));
  assert_true(dvt_str_is(t.def->device_type, "DEFAULT"));
  assert_true(t.kernel.host_memory_inputs[0] && t.kernel.host_memory_outputs[0]);
  test_node_deinit(&t);
  test_node_init(&t, "Paired", "n");
  test_node_type(&t, "T", TF_FLOAT);
  assert_ok(test_node_create(&t));
  assert_true(dvt_str_is(t.def->device_type, "CPU"));
  assert_null(t.kernel.host_memory_inputs);
  test_node_deinit(&t);
}

// Rule 113: what is registered stays; a kernel registered later is found by the next search.
static void test_rules_112_113_registering_between_searches(void **state) {
  (void)state;
  const dvt_kernel_def *first = NULL, *second = NULL;
  test_node t;
  test_op("Later", SPECS("i:x: float"));
  test_node_init(&t, "Later", "n");
  assert_status(test_node_find(&t), TF_NOT_FOUND, "<no registered kernels>");
  add("Later", "CPU", NULL, 0, NULL, 0);
  assert_ok(dvt_kernel_find(&t.node, DVT_STR("CPU"), &first));
  add("Later", "CPU", NULL, 1, NULL, 0);
  assert_ok(dvt_kernel_find(&t.node, DVT_STR("CPU"), &second));
  assert_ptr_not_equal(first, second);
  assert_true(first->compute == compute_a);
  test_node_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_099_to_103_every_candidate_is_explained),
      cmocka_unit_test(test_rule_109_mismatch_is_told_from_nothing),
      cmocka_unit_test(test_rules_101_102_105_errors_are_explained),
      cmocka_unit_test(test_rule_099_label_that_is_no_string),
      cmocka_unit_test(test_rule_103_many_constrained_attrs),
      cmocka_unit_test(test_rules_103_105_each_kernel_constrains_another_attr),
      cmocka_unit_test(test_rule_103_dtypes_that_do_not_exist),
      cmocka_unit_test(test_rules_102_110_int32_on_the_host),
      cmocka_unit_test(test_rules_112_113_registering_between_searches),
  };
  return cmocka_run_group_tests(tests, test_setup, NULL);
}
