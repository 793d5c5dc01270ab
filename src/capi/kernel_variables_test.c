// Resource variables for kernels: assigning, updating, locking (rules 187 to 190), and reading them with
// dovetail/plugin.h. References and handles are in kernel_refs_test.c.
#include "capi/kernel_variables_test_util.h"

// ---- rule 187 ----

static void test_rule_187_assign(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(TF_FLOAT);
  TF_Tensor value = {0};
  start(&t, "Assign", variable);
  assert_status(dvt_variable_read(variable, &value), TF_FAILED_PRECONDITION,
                "variable localhost/v is uninitialized");
  validate = true;
  assert_ok(run(&t, assign));
  assert_tf_status(status, TF_OK, "");
  assert_true(first_value(variable) == 1.0f);
  test_node_floats(&t, 1, (float[]){9, 9}, 2);
  assert_status(run(&t, assign), TF_INVALID_ARGUMENT,
                "Trying to assign to variable with tensor with wrong shape");
  assert_tf_status(status, TF_UNKNOWN, "before");
  validate = false;
  assert_ok(run(&t, assign));
  assert_true(first_value(variable) == 9.0f);
  test_node_input(&t, 1, TF_INT32, (int64_t[]){1}, 1, "\1\0\0\0", 4);
  assert_status(run(&t, assign), TF_INVALID_ARGUMENT, "wrong dtype. Expected float got int32");
  dvt_variable_clear(variable);
  assert_false(dvt_variable_has_value(variable));
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

static void test_assign_copies_user_memory(void **state) {
  (void)state;
  static _Alignas(64) float memory[16] = {5};
  dvt_variable *variable = new_variable(0);
  TF_Tensor user = {0};
  assert_ok(dvt_tensor_init_with_buffer(&user, TF_FLOAT, (int64_t[]){3}, 1,
                                        dvt_buffer_adopt(memory, 12, NULL, NULL)));
  assert_ok(dvt_variable_assign(variable, &user, true));
  memory[0] = 6;
  assert_true(first_value(variable) == 5.0f);
  dvt_tensor_reset(&user);
  dvt_object_release(&variable->object);
}

// ---- rule 188 ----

static void add(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value, int op) {
  (void)ctx;
  float *x = TF_TensorData(tensor), *y = TF_TensorData(value);
  for (int64_t i = 0; i < TF_TensorElementCount(value); i++) x[i] += (float)op * y[i];
  if (callee_deletes) {
    TF_DeleteTensor(tensor);
    TF_DeleteTensor(value);
  }
}

static void update(TF_OpKernelContext *ctx) { TF_AssignUpdateVariable(ctx, 0, 1, -1, 0, copy, add, status); }

static void test_rule_188_update(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    test_node t;
    TF_Tensor reader = {0};
    callee_deletes = round == 1;
    copies = 0;
    dvt_variable *variable = new_variable(TF_FLOAT);
    start(&t, "Assign", variable);
    assert_status(run(&t, update), TF_FAILED_PRECONDITION, "uninitialized");
    assert_ok(dvt_variable_assign(variable, &t.values[1], true));
    test_node_floats(&t, 1, (float[]){10, 10, 10}, 3);
    assert_ok(run(&t, update));  // the variable was the only user: in place
    assert_int_equal(copies, 0);
    assert_true(first_value(variable) == -9.0f);
    assert_ok(dvt_variable_read(variable, &reader));
    assert_ok(run(&t, update));  // a reader holds the buffer: it keeps its value
    assert_int_equal(copies, 1);
    assert_true(*(float *)reader.data == -9.0f);
    assert_true(first_value(variable) == -19.0f);
    dvt_tensor_reset(&reader);
    test_node_floats(&t, 1, (float[]){1, 1}, 2);
    assert_status(run(&t, update), TF_INVALID_ARGUMENT, "Cannot update variable with shape");
    test_node_deinit(&t);
    dvt_object_release(&variable->object);
  }
  callee_deletes = false;
}

static void test_rule_188_not_a_variable(void **state) {
  (void)state;
  test_node t;
  start(&t, "Assign", NULL);
  assert_status(run(&t, update), TF_INVALID_ARGUMENT, "resource handle was expected");
  test_node_deinit(&t);
}

// ---- rules 189, 190 ----

static bool do_lock;
static TF_VariableInputLockHolder *holder;

static void lock_and_write(TF_OpKernelContext *ctx) {
  const int inputs[] = {1, 0, 1};
  TF_MaybeLockVariableInputMutexesInOrder(ctx, do_lock, false, inputs, 3, copy, &holder, status);
  assert_tf_status(status, TF_OK, "");
  for (int i = 0; i < 2; i++) {
    TF_Tensor *tensor = NULL;
    TF_GetInputTensorFromVariable(ctx, i, do_lock, false, false, copy, &tensor, status);
    assert_tf_status(status, TF_OK, "");
    *(float *)TF_TensorData(tensor) += 1;
    TF_DeleteTensor(tensor);
  }
  TF_ReleaseVariableInputLockHolder(holder);
}

// Everything that takes the lock may be called by the kernel that holds it.
static void use_while_locked(TF_OpKernelContext *ctx) {
  TF_VariableInputLockHolder *outer, *inner;
  TF_Tensor *tensor = NULL, value = {0};
  dvt_variable *variable;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, (int[]){0}, 1, copy, &outer, status);
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, (int[]){0, 1}, 2, copy, &inner, status);
  assert_tf_status(status, TF_OK, "");
  TF_GetInputTensorFromVariable(ctx, 0, false, false, false, copy, &tensor, status);
  assert_tf_status(status, TF_OK, "");
  assert_ok(dvt_context_variable(ctx, 0, &variable));
  assert_true(dvt_variable_has_value(variable));
  assert_ok(dvt_variable_assign(variable, tensor, true));
  assert_ok(dvt_variable_read(variable, &value));
  dvt_tensor_reset(&value);
  TF_DeleteTensor(tensor);
  TF_ReleaseVariableInputLockHolder(inner);
  assert_int_equal(pthread_rwlock_tryrdlock(&variable->lock), EBUSY);  // `outer` still has it
  TF_ReleaseVariableInputLockHolder(outer);
  assert_int_equal(pthread_rwlock_trywrlock(&variable->lock), 0);
  pthread_rwlock_unlock(&variable->lock);
}

static void *lock_many(void *arg) {
  test_node *t = arg;
  for (int i = 0; i < 50; i++) {
    dvt_status failed = NULL;
    test_node_reset_outputs(t);
    dvt_kernel_compute(&t->ctx);
    failed = dvt_context_finish(&t->ctx, false);
    if (failed) print_error("%s\n", dvt_status_message(failed));
    dvt_status_free(failed);
  }
  return NULL;
}

static void write_with_own_status(TF_OpKernelContext *ctx) {
  const int inputs[] = {0, 1};
  TF_Status *own = TF_NewStatus();
  TF_VariableInputLockHolder *held;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, true, inputs, 2, NULL, &held, own);
  for (int i = 0; i < 2; i++) {
    TF_Tensor *tensor = NULL;
    TF_GetInputTensorFromVariable(ctx, i, true, false, true, NULL, &tensor, own);
    *(float *)TF_TensorData(tensor) += 1;
    TF_DeleteTensor(tensor);
  }
  TF_ReleaseVariableInputLockHolder(held);
  TF_DeleteStatus(own);
}

static void start_two(test_node *t, dvt_variable *a, dvt_variable *b) {
  start(t, "TwoVars", a);
  dvt_tensor_reset(&t->values[1]);
  assert_ok(dvt_resource_tensor(&b->object, &t->values[1]));
}

static void test_rules_189_190_locks(void **state) {
  (void)state;
  test_node t, u;
  TF_Tensor value = {0};
  pthread_t thread;
  dvt_variable *a = new_variable(0), *b = new_variable(0);
  assert_ok(dvt_tensor_init_allocate(&value, TF_FLOAT, NULL, 0));
  *(float *)value.data = 0;
  assert_ok(dvt_variable_assign(a, &value, true));
  assert_ok(dvt_variable_assign(b, &value, true));
  dvt_tensor_reset(&value);
  start_two(&t, a, b);
  do_lock = true;
  assert_ok(run(&t, lock_and_write));
  do_lock = false;
  assert_ok(run(&t, lock_and_write));
  assert_true(first_value(a) == 2.0f && first_value(b) == 2.0f);
  assert_ok(run(&t, use_while_locked));
  start_two(&u, b, a);  // the other order: no deadlock
  body = write_with_own_status;
  pthread_create(&thread, NULL, lock_many, &u);
  lock_many(&t);
  pthread_join(thread, NULL);
  body = NULL;
  assert_true(first_value(a) == 102.0f && first_value(b) == 102.0f);
  test_node_deinit(&t);
  test_node_deinit(&u);
  dvt_object_release(&a->object);
  dvt_object_release(&b->object);
  TF_ReleaseVariableInputLockHolder(NULL);
}

static void empty_holder(TF_OpKernelContext *ctx) {
  TF_MaybeLockVariableInputMutexesInOrder(ctx, false, false, (int[]){0}, 1, NULL, &holder, status);
  assert_tf_status(status, TF_OK, "");
  assert_non_null(holder);
  TF_ReleaseVariableInputLockHolder(holder);
  TF_Tensor *x = NULL, *out = NULL;
  TF_GetInput(ctx, 0, &x, status);
  TF_SetOutput(ctx, 0, x, status);
  TF_DeleteTensor(x);
  TF_GetInputTensorFromVariable(ctx, 5, false, false, false, NULL, &out, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "input index out of range");
  assert_null(out);
}

static void test_rule_189_nothing_to_lock(void **state) {
  (void)state;
  test_node t;
  start(&t, "Deref", NULL);
  test_node_floats(&t, 0, values, 3);
  assert_status(run(&t, empty_holder), TF_OUT_OF_RANGE, "input index");
  test_node_deinit(&t);
}

static void lock_no_variable(TF_OpKernelContext *ctx) {
  holder = (TF_VariableInputLockHolder *)ctx;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, (int[]){0, 1}, 2, copy, &holder, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "resource handle was expected");
  assert_null(holder);
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, (int[]){0, 7}, 2, copy, &holder, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "index out of range");
  assert_null(holder);
}

// Nothing stays locked behind an error.
static void test_rule_189_not_a_variable(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(TF_FLOAT);
  start(&t, "Assign", variable);
  assert_status(run(&t, lock_no_variable), TF_INVALID_ARGUMENT, "resource handle was expected");
  assert_int_equal(pthread_rwlock_trywrlock(&variable->lock), 0);
  pthread_rwlock_unlock(&variable->lock);
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

static void test_rule_188_another_dtype(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(0);
  start(&t, "Assign", variable);
  assert_ok(dvt_variable_assign(variable, &t.values[1], true));
  test_node_input(&t, 1, TF_INT32, (int64_t[]){3}, 1, "\1\0\0\0\2\0\0\0\3\0\0\0", 12);
  assert_status(run(&t, update), TF_INVALID_ARGUMENT,
                "of type float cannot be updated with a value of type int32");
  dvt_tensor_reset(&t.values[1]);
  assert_status(run(&t, update), TF_INVALID_ARGUMENT,
                "input 1 of {{node n}}, the value to assign, is missing");
  assert_status(run(&t, assign), TF_INVALID_ARGUMENT,
                "input 1 of {{node n}}, the value to assign, is missing");
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

// Variants are copied by reference: the callback that copies memory is not asked, and readers keep what they
// read.
static int destroyed;
static void count_end(void *value) {
  destroyed++;
  free(value);
}
static const dvt_value_type counted_type = {
    sizeof(dvt_value_type), "test::Counted", count_end, NULL, NULL, NULL};

static void replace_variant(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value, int op) {
  (void)ctx, (void)op, (void)value;
  assert_int_equal(TF_TensorType(tensor), TF_VARIANT);
}
static void update_variant(TF_OpKernelContext *ctx) {
  TF_AssignUpdateVariable(ctx, 0, 1, 0, 1, copy, replace_variant, status);
}

static void test_rule_188_variants(void **state) {
  (void)state;
  test_node t;
  TF_Tensor variant = {0}, reader = {0};
  destroyed = copies = 0;
  dvt_variable *variable = new_variable(TF_VARIANT);
  start(&t, "Assign", variable);
  assert_ok(dvt_tensor_init_allocate(&variant, TF_VARIANT, NULL, 0));
  dvt_object_set(&variant, 0, &counted_type, malloc(1), status);
  assert_ok(dvt_variable_assign(variable, &variant, true));
  assert_ok(dvt_variable_read(variable, &reader));
  dvt_tensor_reset(&t.values[1]);
  assert_ok(dvt_tensor_init_copy(&t.values[1], &variant));
  assert_ok(run(&t, update_variant));
  assert_int_equal(copies, 0);
  assert_true(dvt_object_is_shared(&reader, 0));
  dvt_tensor_reset(&reader);
  dvt_tensor_reset(&variant);
  test_node_deinit(&t);
  assert_int_equal(destroyed, 0);
  dvt_object_release(&variable->object);
  assert_int_equal(destroyed, 1);
}

// A value that was read stays as it is, and in its memory, while the variable changes.
static void read_then_write(TF_OpKernelContext *ctx) {
  TF_Tensor *first = dvt_variable_value(ctx, 0, status), *second, *own = NULL;
  assert_tf_status(status, TF_OK, "");
  second = dvt_variable_value(ctx, 0, status);
  assert_tf_status(status, TF_OK, "");
  assert_ptr_equal(TF_TensorData(first), TF_TensorData(second));
  TF_DeleteTensor(second);
  TF_GetInputTensorFromVariable(ctx, 0, false, false, false, NULL, &own, status);
  assert_tf_status(status, TF_OK, "");
  assert_ptr_not_equal(TF_TensorData(first), TF_TensorData(own));
  ((float *)TF_TensorData(own))[0] = 7;
  assert_float_equal(((float *)TF_TensorData(first))[0], 1, 0);
  second = dvt_variable_value(ctx, 0, status);
  assert_float_equal(((float *)TF_TensorData(second))[0], 7, 0);
  TF_DeleteTensor(second);
  TF_DeleteTensor(own);
  TF_DeleteTensor(first);
  assert_null(dvt_variable_value(ctx, 1, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "resource handle was expected");
}

static void value_of_nothing(TF_OpKernelContext *ctx) {
  assert_null(dvt_variable_value(ctx, 0, status));
  assert_tf_status(status, TF_FAILED_PRECONDITION, "uninitialized");
}

static void test_variable_value(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(TF_FLOAT);
  TF_Tensor value = {0};
  start(&t, "Assign", variable);
  assert_ok(run(&t, value_of_nothing));
  assert_ok(dvt_tensor_init_allocate(&value, TF_FLOAT, (const int64_t[]){3}, 1));
  memcpy(value.data, values, sizeof values);
  assert_ok(dvt_variable_assign(variable, &value, false));
  dvt_tensor_reset(&value);
  assert_ok(run(&t, read_then_write));
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_187_assign),         cmocka_unit_test(test_assign_copies_user_memory),
      cmocka_unit_test(test_rule_188_update),         cmocka_unit_test(test_rule_188_not_a_variable),
      cmocka_unit_test(test_rules_189_190_locks),     cmocka_unit_test(test_rule_189_nothing_to_lock),
      cmocka_unit_test(test_rule_189_not_a_variable), cmocka_unit_test(test_rule_188_another_dtype),
      cmocka_unit_test(test_rule_188_variants),       cmocka_unit_test(test_variable_value),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
