// Registering kernels and finding the one for a node: rules 94 to 113.
#include "kernel/kernel_test_util.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/wire.h"
#include "kernel/builder.h"
#include "tensorflow/c/c_api.h"

static void compute_a(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }
static void compute_b(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static TF_KernelBuilder *builder_for(const char *op, const char *device,
                                     void (*compute)(void *, TF_OpKernelContext *)) {
  TF_KernelBuilder *builder = TF_NewKernelBuilder(op, device, NULL, compute, NULL);
  assert_non_null(builder);
  return builder;
}

static void constrain(TF_KernelBuilder *builder, const char *attr, TF_DataType type) {
  TF_Status *status = TF_NewStatus();
  TF_KernelBuilder_TypeConstraint(builder, attr, type, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteStatus(status);
}

// The compute function of the kernel found for a node of `op` with attr T (0: none) and label (NULL: none).
static dvt_status find(const char *op, int type, const char *label, const dvt_kernel_def **out_def) {
  test_node t;
  test_node_init(&t, op, "n");
  if (type) test_node_type(&t, "T", type);
  if (label) test_node_label(&t, label);
  dvt_status status = test_node_find(&t);
  if (!status) *out_def = t.def;
  test_node_deinit(&t);
  return status;
}

static void test_rule_010_delete_null_builder(void **state) {
  (void)state;
  TF_DeleteKernelBuilder(NULL);
  TF_DeleteKernelBuilder(builder_for("Unregistered", "CPU", compute_a));
}

static void test_rule_094_names_are_copied(void **state) {
  (void)state;
  char op[] = "R94", device[] = "CPU";
  test_op("R94", SPECS("i:x: float"));
  TF_KernelBuilder *builder = builder_for(op, device, compute_a);
  memset(op, 'z', 3);
  memset(device, 'z', 3);
  test_register(builder);
  const dvt_kernel_def *def = NULL;
  assert_ok(find("R94", 0, NULL, &def));
  assert_true(dvt_str_is(def->op, "R94"));
  assert_true(dvt_str_is(def->device_type, "CPU"));
  assert_true(dvt_str_is(def->class_name, "TestKernel"));
  assert_true(def->compute == compute_a);
}

static void test_rule_095_no_compute_function(void **state) {
  (void)state;
  test_op("R95", SPECS("i:x: float"));
  test_register(builder_for("R95", "CPU", NULL));
  test_node t;
  test_node_init(&t, "R95", "n");
  assert_status(test_node_create(&t), TF_FAILED_PRECONDITION, "no compute function");
  test_node_deinit(&t);
}

// Document 003: with selective registration Name() gives this op to kernels that are not wanted.
static void test_no_register_is_passed_over(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder("Unwanted", builder_for("_no_register", "CPU", compute_a), status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  dvt_buf kernels = {0};
  dvt_kernel_list_text(DVT_STR("_no_register"), &kernels);
  dvt_buf_append_byte(&kernels, '\0');
  assert_non_null(strstr(kernels.data, "no registered kernels"));
  dvt_buf_deinit(&kernels);
  TF_DeleteStatus(status);
}

static void test_rule_096_registration_checks_nothing(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder(NULL, builder_for("R96NoSuchOp", "NoSuchDevice", compute_a), status);
  assert_tf_status(status, TF_OK, "");
  TF_KernelBuilder *builder = builder_for("R96NoSuchOp", "NoSuchDevice", compute_a);
  constrain(builder, "nope", TF_FLOAT);
  TF_RegisterKernelBuilder(NULL, builder, status);
  assert_tf_status(status, TF_OK, "");
  TF_RegisterKernelBuilder("x", NULL, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "NULL builder");
  TF_DeleteStatus(status);
}

static void test_rule_098_kernel_def(void **state) {
  (void)state;
  test_op("R98", SPECS("a:T: type", "i:x: T"));
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilderWithKernelDef(NULL, "R98", builder_for("R98", "GPU", compute_a), status);
  assert_tf_status(status, TF_OK, "");
  TF_RegisterKernelBuilderWithKernelDef("\xff\xff", "R98", builder_for("R98", "CPU", compute_a), status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Error parsing serialized KernelDef.");
  TF_RegisterKernelBuilderWithKernelDef("", "R98", builder_for("R98", "CPU", compute_a), status);
  assert_tf_status(status, TF_OK, "");

  const dvt_kernel_def *def = NULL;
  assert_status(find("R98", TF_FLOAT, NULL, &def), TF_NOT_FOUND, "No registered 'R98' OpKernel for CPU");
  // op "R98", device "CPU", T in [DT_INT32, DT_INT64] as list(type) without packing, label "l", priority 4.
  dvt_buf buf = {0};
  dvt_wire_put_bytes(&buf, 1, DVT_STR("R98"));
  dvt_wire_put_bytes(&buf, 2, DVT_STR("CPU"));
  size_t constraint = dvt_wire_begin(&buf, 3);
  dvt_wire_put_bytes(&buf, 1, DVT_STR("T"));
  size_t value = dvt_wire_begin(&buf, 2), list = dvt_wire_begin(&buf, 1);
  dvt_wire_put_varint(&buf, 6, TF_INT32);
  dvt_wire_put_varint(&buf, 6, TF_INT64);
  dvt_wire_end(&buf, list);
  dvt_wire_end(&buf, value);
  dvt_wire_end(&buf, constraint);
  dvt_wire_put_bytes(&buf, 4, DVT_STR("x"));
  dvt_wire_put_bytes(&buf, 5, DVT_STR("l"));
  dvt_wire_put_varint(&buf, 6, 4);
  TF_RegisterKernelBuilderWithKernelDef(buf.data, "R98", builder_for("ignored", "ignored", compute_b),
                                        status);
  assert_tf_status(status, TF_OK, "");
  dvt_buf_deinit(&buf);
  assert_ok(find("R98", TF_INT64, "l", &def));
  assert_int_equal(def->priority, 4);
  assert_int_equal(def->host_memory_count, 1);
  assert_true(def->compute == compute_b);
  TF_DeleteStatus(status);
}

static void test_rule_099_labels(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R99", SPECS("i:x: float"));
  TF_KernelBuilder *builder = builder_for("R99", "CPU", compute_a);
  TF_KernelBuilder_Label(builder, "fast");
  test_register(builder);
  assert_status(find("R99", 0, NULL, &def), TF_NOT_FOUND, "label='fast'");
  assert_ok(find("R99", 0, "fast", &def));
  assert_true(def->compute == compute_a);
  test_register(builder_for("R99", "CPU", compute_b));
  assert_ok(find("R99", 0, NULL, &def));
  assert_true(def->compute == compute_b);
  assert_status(find("R99", 0, "slow", &def), TF_NOT_FOUND, "label 'slow'");
}

static void register_priority(const char *op, const char *device, int priority,
                              void (*compute)(void *, TF_OpKernelContext *)) {
  TF_KernelBuilder *builder = builder_for(op, device, compute);
  TF_KernelBuilder_Priority(builder, priority);
  test_register(builder);
}

static void test_rule_101_priority(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R101", SPECS("i:x: float"));
  register_priority("R101", "CPU", -3, compute_a);
  assert_ok(find("R101", 0, NULL, &def));
  assert_int_equal(def->priority, -3);
  register_priority("R101", "CPU", 0, compute_b);
  register_priority("R101", "CPU", -3, compute_b);
  assert_ok(find("R101", 0, NULL, &def));
  assert_true(def->compute == compute_b && def->priority == 0);
  register_priority("R101", "CPU", 0, compute_a);
  assert_status(find("R101", 0, NULL, &def), TF_INVALID_ARGUMENT,
                "Multiple OpKernel registrations match NodeDef at the same priority");
  register_priority("R101", "CPU", 1, compute_a);
  assert_ok(find("R101", 0, NULL, &def));
  assert_int_equal(def->priority, 1);
}

static void test_rule_102_default_device(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R102", SPECS("i:x: float"));
  register_priority("R102", "DEFAULT", 5, compute_a);
  assert_ok(find("R102", 0, NULL, &def));
  assert_true(def->compute == compute_a);
  register_priority("R102", "DEFAULT", 6, compute_a);
  assert_status(find("R102", 0, NULL, &def), TF_INVALID_ARGUMENT,
                "Multiple Default OpKernel registrations match NodeDef");
  register_priority("R102", "CPU", 0, compute_b);
  assert_ok(find("R102", 0, NULL, &def));
  assert_true(def->compute == compute_b);
}

static void test_rule_103_type_constraints(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R103", SPECS("a:T: type", "i:x: T"));
  TF_KernelBuilder *builder = builder_for("R103", "CPU", compute_a);
  constrain(builder, "T", TF_FLOAT);
  test_register(builder);
  builder = builder_for("R103", "CPU", compute_b);
  constrain(builder, "T", TF_INT32);
  test_register(builder);
  assert_ok(find("R103", TF_FLOAT, NULL, &def));
  assert_true(def->compute == compute_a);
  assert_ok(find("R103", TF_INT32, NULL, &def));
  assert_true(def->compute == compute_b);
  // Rule 109: attributes did not match, and what is there.
  assert_status(find("R103", TF_DOUBLE, NULL, &def), TF_NOT_FOUND,
                "(OpKernel was found, but attributes didn't match)");
  assert_status(find("R103", TF_DOUBLE, NULL, &def), TF_NOT_FOUND, "  device='CPU'; T in [DT_FLOAT]\n");
}

static dvt_status find_list(const char *op, const int *types, size_t count) {
  test_node t;
  dvt_buf value = {0};
  test_node_init(&t, op, "n");
  dvt_attr_put_type_list(&value, types, count);
  test_node_attr(&t, "L", &value);
  dvt_status status = test_node_find(&t);
  test_node_deinit(&t);
  return status;
}

static void test_rule_103_list_constraints(void **state) {
  (void)state;
  test_op("R103List", SPECS("a:L: list(type) >= 0", "i:x: L"));
  TF_KernelBuilder *builder = builder_for("R103List", "CPU", compute_a);
  constrain(builder, "L", TF_FLOAT);
  test_register(builder);
  assert_ok(find_list("R103List", (int[]){TF_FLOAT, TF_FLOAT}, 2));
  assert_ok(find_list("R103List", (int[]){0}, 0));
  assert_status(find_list("R103List", (int[]){TF_FLOAT, TF_INT32}, 2), TF_NOT_FOUND,
                "attributes didn't match");
}

static void test_rule_104_constraints_do_not_merge(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R104", SPECS("a:T: type", "i:x: T"));
  TF_KernelBuilder *builder = builder_for("R104", "CPU", compute_a);
  constrain(builder, "T", TF_FLOAT);
  constrain(builder, "T", TF_INT32);
  test_register(builder);
  assert_status(find("R104", TF_FLOAT, NULL, &def), TF_NOT_FOUND, "attributes didn't match");
  assert_status(find("R104", TF_INT32, NULL, &def), TF_NOT_FOUND, "attributes didn't match");
}

static void test_rule_105_bad_constraints(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R105", SPECS("a:n: int = 3", "i:x: float"));
  TF_KernelBuilder *builder = builder_for("R105", "CPU", compute_a);
  constrain(builder, "Nope", TF_FLOAT);
  test_register(builder);
  assert_status(find("R105", 0, NULL, &def), TF_INVALID_ARGUMENT,
                "OpKernel 'R105' has constraint on attr 'Nope' not in NodeDef");
  test_op("R105Int", SPECS("a:n: int = 3", "i:x: float"));
  builder = builder_for("R105Int", "CPU", compute_a);
  constrain(builder, "n", TF_FLOAT);
  test_register(builder);
  assert_status(find("R105Int", 0, NULL, &def), TF_INVALID_ARGUMENT,
                "that does not have type 'type' or 'list(type)'");
}

static void test_rule_106_constraint_types(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_KernelBuilder *builder = builder_for("R106", "CPU", compute_a);
  for (int type = 1; type <= 23; type++) {
    TF_SetStatus(status, TF_UNKNOWN, "before");
    TF_KernelBuilder_TypeConstraint(builder, "T", (TF_DataType)type, status);
    assert_tf_status(status, TF_OK, "");
  }
  const int bad[] = {-1, 0, 24, 29, 33, 34, 77, 101};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    TF_KernelBuilder_TypeConstraint(builder, "T", (TF_DataType)bad[i], status);
    assert_tf_status(status, TF_UNIMPLEMENTED, "Unexpected type");
  }
  TF_KernelBuilder_TypeConstraint(builder, NULL, TF_FLOAT, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "NULL");
  TF_DeleteKernelBuilder(builder);
  TF_DeleteStatus(status);
}

static void test_rule_107_no_kernels(void **state) {
  (void)state;
  const dvt_kernel_def *def = NULL;
  test_op("R107", SPECS("i:x: float"));
  assert_status(find("R107", 0, NULL, &def), TF_NOT_FOUND, "  <no registered kernels>");
  test_register(builder_for("R107", "GPU", compute_a));
  assert_status(find("R107", 0, NULL, &def), TF_NOT_FOUND, "  device='GPU'");
}

static void test_rule_110_host_memory(void **state) {
  (void)state;
  test_node t;
  test_op("R110", SPECS("a:N: int", "i:x: float", "i:y: N * float", "o:z: float"));
  TF_KernelBuilder *builder = builder_for("R110", "CPU", compute_a);
  TF_KernelBuilder_HostMemory(builder, "y");
  TF_KernelBuilder_HostMemory(builder, "z");
  test_register(builder);
  test_node_init(&t, "R110", "n");
  test_node_int(&t, "N", 2);
  assert_ok(test_node_create(&t));
  assert_false(t.kernel.host_memory_inputs[0]);
  assert_true(t.kernel.host_memory_inputs[1] && t.kernel.host_memory_inputs[2]);
  assert_true(t.kernel.host_memory_outputs[0]);
  test_node_deinit(&t);

  test_op("R110Bad", SPECS("i:x: float"));
  builder = builder_for("R110Bad", "CPU", compute_a);
  TF_KernelBuilder_HostMemory(builder, "nope");
  test_register(builder);
  test_node_init(&t, "R110Bad", "n");
  assert_status(test_node_create(&t), TF_INVALID_ARGUMENT, "HostMemory args 'nope' not found in OpDef");
  test_node_deinit(&t);
}

static void test_rule_111_kernel_list(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *list = TF_GetRegisteredKernelsForOp("R111Unknown", status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(list->length, 0);
  TF_DeleteBuffer(list);

  TF_KernelBuilder *builder = builder_for("R111", "CPU", compute_a);
  TF_KernelBuilder_HostMemory(builder, "x");
  constrain(builder, "T", TF_FLOAT);
  test_register(builder);
  list = TF_GetRegisteredKernelsForOp("R111", status);
  assert_tf_status(status, TF_OK, "");
  // KernelList{1: KernelDef{1 op, 2 device_type, 3 constraint{1 name, 2 allowed_values{1 list{6 type}}}, 4
  // host memory}}
  static const char wanted[] =
      "\x0a\x1a"
      "\x0a\x04R111"
      "\x12\x03"
      "CPU"
      "\x1a\x0a\x0a\x01T\x12\x05\x0a\x03\x32\x01\x01"
      "\x22\x01x";
  assert_int_equal(list->length, sizeof wanted - 1);
  assert_memory_equal(list->data, wanted, sizeof wanted - 1);
  TF_DeleteBuffer(list);
  list = TF_GetAllRegisteredKernels(status);
  assert_tf_status(status, TF_OK, "");
  assert_true(list->length > 30);
  assert_non_null(memmem(list->data, list->length, wanted, sizeof wanted - 1));
  TF_DeleteBuffer(list);
  list = TF_GetRegisteredKernelsForOp(NULL, status);
  assert_int_equal(list->length, 0);
  TF_DeleteBuffer(list);
  TF_DeleteStatus(status);
}

// ---- rule 112: threads ----

enum { THREADS = 4, KERNELS = 200 };

static void *register_many(void *arg) {
  char op[32];
  int thread = *(int *)arg;
  for (int i = 0; i < KERNELS; i++) {
    snprintf(op, sizeof op, "R112Op%d", i);
    TF_KernelBuilder *builder = TF_NewKernelBuilder(op, "CPU", NULL, compute_a, NULL);
    TF_KernelBuilder_Priority(builder, thread);
    TF_RegisterKernelBuilder(op, builder, NULL);
    dvt_buf text = {0};
    dvt_kernel_list_text(dvt_str_from(op), &text);
    dvt_buf_deinit(&text);
    const dvt_kernel_def *def;
    dvt_node_def node = {.name = DVT_STR("n"), .op = dvt_op_lookup_loaded(DVT_STR("R112"))};
    dvt_status status = dvt_kernel_find(&node, DVT_STR("CPU"), &def);
    if (status) abort();
  }
  return NULL;
}

static void count_r112(void *arg, const dvt_kernel_def *def) {
  if (dvt_str_starts_with(def->op, DVT_STR("R112Op"))) ++*(int *)arg;
}

static void test_rule_112_threads(void **state) {
  (void)state;
  test_op("R112", SPECS("i:x: float"));
  test_register(builder_for("R112", "CPU", compute_a));
  pthread_t threads[THREADS];
  int numbers[THREADS], count = 0;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, register_many, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  dvt_kernel_registry_visit(count_r112, &count);
  assert_int_equal(count, THREADS * KERNELS);
}

// A search beside registrations and a load that fails finds one of the kernels that are there.
static void *search_again_and_again(void *arg) {
  atomic_bool *done = arg;
  dvt_attr type = {DVT_STR("T"), DVT_STR("\x30\x01")};  // AttrValue {6: DT_FLOAT}
  dvt_node_def node = {
      .name = DVT_STR("n"), .op = dvt_op_lookup_loaded(DVT_STR("Growing")), .attrs = &type, .attr_count = 1};
  int32_t priority = 0;
  while (!atomic_load(done)) {
    const dvt_kernel_def *def;
    dvt_status status = dvt_kernel_find(&node, DVT_STR("CPU"), &def);
    if (status || def->priority < priority || def->plugin) abort();
    priority = def->priority;
  }
  return NULL;
}

static void register_growing(const char *attr, TF_DataType type, int priority) {
  TF_KernelBuilder *builder = builder_for("Growing", "CPU", compute_a);
  if (attr) constrain(builder, attr, type);
  TF_KernelBuilder_Priority(builder, priority);
  test_register(builder);
}

static void test_rule_112_searches_beside_registrations(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  atomic_bool done = false;
  char place;  // the address of a plugin
  test_op("Growing", SPECS("a:T: type", "i:x: T"));
  register_growing(NULL, 0, 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, search_again_and_again, &done), 0);
  for (int i = 1; i <= KERNELS; i++) {
    register_growing("T", i % 4 ? TF_INT32 : TF_FLOAT, i);
    if (i % 10) continue;
    dvt_load *load = dvt_load_begin((dvt_plugin *)&place);
    register_growing("T", TF_FLOAT, 2 * KERNELS + i);
    register_growing("T", TF_INT32, 2 * KERNELS + i);
    dvt_kernel_registry_remove_load(load);
    dvt_load_end(load, false);
  }
  atomic_store(&done, true);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  const dvt_kernel_def *def = NULL;
  assert_ok(find("Growing", TF_FLOAT, NULL, &def));
  assert_int_equal(def->priority, KERNELS);
  assert_ok(find("Growing", TF_INT32, NULL, &def));
  assert_int_equal(def->priority, KERNELS - 1);
}

// ---- owners ----

static void count_owned(void *arg, const dvt_kernel_def *def) {
  const void **counter = arg;
  if (def->plugin == counter[0]) ++*(int *)counter[1];
}

static int owned_by(dvt_plugin *plugin) {
  int count = 0;
  const void *counter[] = {plugin, &count};
  dvt_kernel_registry_visit(count_owned, counter);
  return count;
}

// More constraints than a definition can count must not be written past the end of the builder's array.
static void test_too_many_constraints(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_KernelBuilder *many_types = builder_for("TestManyTypes", "CPU", compute_a);
  TF_KernelBuilder *many_names = builder_for("TestManyNames", "CPU", compute_a);
  for (int i = 0; i < INT16_MAX + 10; i++) {
    constrain(many_types, "T", TF_FLOAT);
    TF_KernelBuilder_HostMemory(many_names, "x");
  }
  TF_RegisterKernelBuilder("TestManyTypes", many_types, status);
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "");
  TF_RegisterKernelBuilder("TestManyNames", many_names, status);
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "");
  TF_DeleteStatus(status);
}

static void test_owner_and_removal(void **state) {
  (void)state;
  char places[2];  // owners are told apart by address only
  dvt_plugin *plugin = (dvt_plugin *)&places[0], *other = (dvt_plugin *)&places[1];
  const dvt_kernel_def *def = NULL;
  test_op("Owned", SPECS("i:x: float"));
  test_op("OwnedToo", SPECS("i:x: float"));
  dvt_load *load = dvt_load_begin(plugin), *inner;
  register_priority("Owned", "CPU", 0, compute_a);
  register_priority("Owned", "CPU", 0, compute_a);  // equal: ignored (rules 46, 47)
  register_priority("Owned", "CPU", 1, compute_a);
  register_priority("OwnedToo", "CPU", 0, compute_a);
  inner = dvt_load_begin(other);
  register_priority("Owned", "CPU", 2, compute_b);
  dvt_load_end(inner, true);
  assert_int_equal(owned_by(plugin), 3);
  assert_ok(find("Owned", 0, NULL, &def));
  assert_ptr_equal(def->plugin, other);
  dvt_kernel_registry_remove_load(load);
  dvt_load_end(load, false);
  assert_int_equal(owned_by(plugin), 0);
  assert_int_equal(owned_by(other), 1);
  assert_ok(find("Owned", 0, NULL, &def));
  assert_status(find("OwnedToo", 0, NULL, &def), TF_NOT_FOUND, "<no registered kernels>");
  dvt_kernel_registry_remove_load(inner);
  register_priority("Owned", "CPU", 0, compute_a);
  assert_ok(find("Owned", 0, NULL, &def));
  assert_null(def->plugin);
}

static void *find_hidden(void *arg) {
  const dvt_kernel_def *def = NULL;
  int *visited = arg;
  *visited = owned_by((dvt_plugin *)arg);
  return find("Hidden", 0, NULL, &def);
}

static void *find_elsewhere(int *visited) {
  pthread_t thread;
  void *result;
  assert_int_equal(pthread_create(&thread, NULL, find_hidden, visited), 0);
  pthread_join(thread, &result);
  return result;
}

static void test_kernels_of_a_running_load_are_hidden_from_other_threads(void **state) {
  (void)state;
  int place;  // also the owner's address
  const dvt_kernel_def *def = NULL;
  test_op("Hidden", SPECS("i:x: float"));
  dvt_load *load = dvt_load_begin((dvt_plugin *)&place);
  register_priority("Hidden", "CPU", 0, compute_a);
  assert_ok(find("Hidden", 0, NULL, &def));
  assert_status(find_elsewhere(&place), TF_NOT_FOUND, "<no registered kernels>");
  assert_int_equal(place, 0);
  dvt_load_end(load, true);
  assert_ok(find_elsewhere(&place));
  assert_int_equal(place, 1);
}

static void test_out_of_memory(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  for (int n = 1; n < 12; n++) {
    dvt_alloc_fail_at(n);
    char op[400];
    memset(op, 'x', sizeof op - 1);
    op[0] = 'A';
    op[sizeof op - 1] = '\0';
    TF_KernelBuilder *builder = TF_NewKernelBuilder(op, "CPU", NULL, compute_a, NULL);
    for (int i = 0; builder && i < 40; i++) {
      TF_KernelBuilder_TypeConstraint(builder, op, TF_FLOAT, status);
      TF_KernelBuilder_HostMemory(builder, op);
    }
    if (builder) {
      TF_KernelBuilder_Label(builder, op);
      TF_RegisterKernelBuilder(op, builder, status);
      assert_true(TF_GetCode(status) == TF_OK || TF_GetCode(status) == TF_RESOURCE_EXHAUSTED);
    }
    dvt_alloc_fail_at(0);
  }
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_010_delete_null_builder),
      cmocka_unit_test(test_rule_094_names_are_copied),
      cmocka_unit_test(test_rule_095_no_compute_function),
      cmocka_unit_test(test_no_register_is_passed_over),
      cmocka_unit_test(test_rule_096_registration_checks_nothing),
      cmocka_unit_test(test_rule_098_kernel_def),
      cmocka_unit_test(test_rule_099_labels),
      cmocka_unit_test(test_rule_101_priority),
      cmocka_unit_test(test_rule_102_default_device),
      cmocka_unit_test(test_rule_103_type_constraints),
      cmocka_unit_test(test_rule_103_list_constraints),
      cmocka_unit_test(test_rule_104_constraints_do_not_merge),
      cmocka_unit_test(test_rule_105_bad_constraints),
      cmocka_unit_test(test_rule_106_constraint_types),
      cmocka_unit_test(test_rule_107_no_kernels),
      cmocka_unit_test(test_rule_110_host_memory),
      cmocka_unit_test(test_rule_111_kernel_list),
      cmocka_unit_test(test_rule_112_threads),
      cmocka_unit_test(test_rule_112_searches_beside_registrations),
      cmocka_unit_test(test_too_many_constraints),
      cmocka_unit_test(test_owner_and_removal),
      cmocka_unit_test(test_kernels_of_a_running_load_are_hidden_from_other_threads),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, test_setup, NULL);
}
