// Variables, and resources of kernels: rules 144, 147, 187 to 193, and the variable handles of
// dovetail/plugin.h.
#include "kernel/kernel_test_util.h"

#include <errno.h>
#include <pthread.h>

#include "dovetail/object.h"
#include "dovetail/plugin.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"

static TF_Status *status;
static void (*body)(TF_OpKernelContext *ctx);

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  if (body) body(ctx);
}

static int setup(void **state) {
  status = TF_NewStatus();
  test_op("Assign", SPECS("i:resource: resource", "i:value: float"));
  test_op("TwoVars", SPECS("i:a: resource", "i:b: resource"));
  test_op("RefAssign", SPECS("i:ref: Ref(float)", "i:value: float", "o:out: Ref(float)"));
  test_op("Deref", SPECS("i:x: float", "o:y: float"));
  test_op("Temporary", SPECS("o:ref: Ref(float)"));
  test_op("DestroyTemporary", SPECS("i:ref: Ref(float)", "o:value: float"));
  test_op("Handle", SPECS("o:handle: resource"));
  test_op("ByName", SPECS("a:N: int", "i:x: float", "i:xs: N * float"));
  const char *const ops[] = {"Assign",    "TwoVars",          "RefAssign", "Deref",
                             "Temporary", "DestroyTemporary", "Handle",    "ByName"};
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) test_kernel(ops[i], compute);
  return test_setup(state);
}

static int teardown(void **state) {
  (void)state;
  TF_DeleteStatus(status);
  return 0;
}

static const float values[] = {1, 2, 3};

static dvt_status run(test_node *t, void (*with)(TF_OpKernelContext *ctx)) {
  body = with;
  TF_SetStatus(status, TF_OK, "");
  dvt_status result = test_node_run(t);
  body = NULL;
  return result;
}

static dvt_variable *new_variable(int dtype) {
  dvt_object *object;
  assert_ok(dvt_variable_create(DVT_STR("localhost/v"), dtype, &object));
  return (dvt_variable *)object;
}

static void start(test_node *t, const char *op, dvt_variable *variable) {
  test_node_init(t, op, "n");
  assert_ok(test_node_create(t));
  if (variable) assert_ok(dvt_resource_tensor(&variable->object, &t->values[0]));
  if (t->node.input_count > 1) test_node_floats(t, 1, values, 3);
}

static float first_value(dvt_variable *variable) {
  TF_Tensor value = {0};
  assert_ok(dvt_variable_read(variable, &value));
  float x = *(float *)value.data;
  dvt_tensor_reset(&value);
  return x;
}

// ---- rule 187 ----

static bool validate;
static void assign(TF_OpKernelContext *ctx) {
  TF_SetStatus(status, TF_UNKNOWN, "before");
  TF_AssignVariable(ctx, 0, 1, validate, NULL, status);
}

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

static bool callee_deletes;
static int copies;

static void copy(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  copies++;
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  if (callee_deletes) {
    TF_DeleteTensor(source);
    TF_DeleteTensor(dest);
  }
}

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

// ---- references: rules 141, 191, 192 ----

static void ref_assign(TF_OpKernelContext *ctx) {
  assert_true(TF_IsRefInput(ctx, 0, status));
  assert_false(TF_IsRefInput(ctx, 1, status));
  assert_false(TF_IsRefInput(ctx, 2, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "input index out of range");
  TF_AssignRefVariable(ctx, 0, 0, 1, true, true, copy, status);
  assert_tf_status(status, TF_OK, "");
}

static void get_ref_input(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(ctx, 0, &tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "TF_IsRefInput");
  assert_null(tensor);
}

static void forward_ref(TF_OpKernelContext *ctx) { TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0); }
static void forward_no_ref(TF_OpKernelContext *ctx) {
  TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0);
  TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 9, 0);
}

static void read_value(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(ctx, 0, &tensor, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorType(tensor), TF_FLOAT);
  TF_SetOutput(ctx, 0, tensor, status);
  TF_DeleteTensor(tensor);
}

static void test_rules_141_191_references(void **state) {
  (void)state;
  test_node t, reader;
  dvt_variable *variable = new_variable(TF_FLOAT);
  start(&t, "RefAssign", variable);
  assert_ok(run(&t, ref_assign));
  assert_true(first_value(variable) == 1.0f);
  assert_int_equal(t.outputs[0].tensor.dtype, TF_RESOURCE);
  assert_ok(run(&t, forward_ref));
  // A consumer that is no reference sees the value.
  start(&reader, "Deref", NULL);
  assert_ok(dvt_tensor_init_copy(&reader.values[0], &t.outputs[0].tensor));
  assert_ok(run(&reader, read_value));
  assert_true(((float *)reader.outputs[0].tensor.data)[2] == 3.0f);
  assert_status(run(&t, get_ref_input), TF_INVALID_ARGUMENT, "TF_IsRefInput");
  test_node_deinit(&reader);
  test_node_deinit(&t);

  start(&t, "Assign", variable);
  assert_status(run(&t, forward_no_ref), TF_OUT_OF_RANGE, "input index");  // the first call does nothing
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

// ---- what can go wrong with updates, references and locks ----

static void assign_ref_of_another_shape(TF_OpKernelContext *ctx) {
  TF_AssignRefVariable(ctx, 0, 0, 1, false, true, copy, status);
}

static void get_from_ref(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = NULL;
  TF_GetInputTensorFromVariable(ctx, 0, false, false, false, copy, &tensor, status);
  assert_tf_status(status, TF_OK, "");
  ((float *)TF_TensorData(tensor))[0] = 8;
  TF_DeleteTensor(tensor);
  TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0);
}

static void test_rules_187_190_references(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(TF_FLOAT);
  start(&t, "RefAssign", variable);
  assert_ok(run(&t, ref_assign));
  assert_ok(run(&t, get_from_ref));
  assert_true(first_value(variable) == 8.0f);
  test_node_floats(&t, 1, (float[]){5, 6}, 2);
  assert_status(run(&t, assign_ref_of_another_shape), TF_INVALID_ARGUMENT, "with wrong shape");
  assert_true(first_value(variable) == 8.0f);
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
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

static bool bad_allocator;
static void allocate_temporary(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_DataType dtype,
                               const int64_t *dims, int num_dims, TF_Status *result) {
  if (bad_allocator) return;
  TF_Tensor *fresh = TF_AllocateTemp(ctx, dtype, dims, num_dims, NULL, result);
  memset(TF_TensorData(fresh), 0, TF_TensorByteSize(fresh));
  TF_TensorBitcastFrom(fresh, dtype, tensor, dims, num_dims, result);
  TF_DeleteTensor(fresh);
}

static void temporary(TF_OpKernelContext *ctx) {
  const int64_t dims[] = {2, 2};
  TF_StringView name = {"tmp", 3};
  TF_TemporaryVariable(ctx, TF_FLOAT, dims, 2, &name, allocate_temporary, status);
}

static void temporary_of_no_shape(TF_OpKernelContext *ctx) {
  TF_StringView name = {"shapeless", 9};
  TF_TemporaryVariable(ctx, TF_FLOAT, NULL, 2, &name, allocate_temporary, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "a shape of 2 dimensions is given as NULL");
}

static void make_temporary(TF_OpKernelContext *ctx, TF_DataType dtype, const char *name,
                           void (*allocator)(TF_OpKernelContext *, TF_Tensor *, TF_DataType, const int64_t *,
                                             int, TF_Status *)) {
  const int64_t dims[] = {2, 2};
  TF_StringView view = {name, strlen(name)};
  TF_TemporaryVariable(ctx, dtype, dims, 2, &view, allocator, status);
}
static void refuse_to_allocate(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_DataType dtype,
                               const int64_t *dims, int num_dims, TF_Status *result) {
  (void)ctx, (void)tensor, (void)dtype, (void)dims, (void)num_dims;
  TF_SetStatus(result, TF_RESOURCE_EXHAUSTED, "the device is full");
}
static void allocate_nothing(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_DataType dtype,
                             const int64_t *dims, int num_dims, TF_Status *result) {
  (void)ctx, (void)tensor, (void)dtype, (void)dims, (void)num_dims, (void)result;
}
static void temporary_on_full_device(TF_OpKernelContext *ctx) {
  make_temporary(ctx, TF_FLOAT, "full", refuse_to_allocate);
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "the device is full");
}
static void temporary_of_another_type(TF_OpKernelContext *ctx) {
  make_temporary(ctx, TF_DOUBLE, "other", allocate_nothing);
  assert_tf_status(status, TF_INTERNAL,
                   "made a tensor of type float for a temporary variable of type double");
}
static void temporary_of_the_host(TF_OpKernelContext *ctx) {
  make_temporary(ctx, TF_FLOAT, "host", NULL);
  assert_tf_status(status, TF_OK, "");
}

static void test_rule_192_allocators(void **state) {
  (void)state;
  test_node t;
  start(&t, "Temporary", NULL);
  assert_status(run(&t, temporary_on_full_device), TF_RESOURCE_EXHAUSTED, "the device is full");
  assert_status(run(&t, temporary_of_another_type), TF_INTERNAL, "the plugin's allocator");
  assert_ok(run(&t, temporary_of_the_host));
  test_node_deinit(&t);
}

static void destroy_temporary(TF_OpKernelContext *ctx) {
  TF_StringView name = {"tmp", 3};
  TF_DestroyTemporaryVariable(ctx, 0, &name, status);
}

static void destroy_bad_index(TF_OpKernelContext *ctx) {
  TF_StringView name = {"tmp", 3};
  TF_DestroyTemporaryVariable(ctx, 3, &name, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "needs a reference input");
}

static void test_rule_192_temporary_variables(void **state) {
  (void)state;
  test_node t, d;
  start(&t, "Temporary", NULL);
  assert_ok(run(&t, temporary));
  assert_tf_status(status, TF_OK, "");
  start(&d, "DestroyTemporary", NULL);
  d.ctx.step = &t.step;
  assert_ok(dvt_tensor_init_copy(&d.values[0], &t.outputs[0].tensor));
  assert_status(run(&t, temporary), TF_ALREADY_EXISTS, "temporary variable 'tmp'");
  assert_ok(run(&d, destroy_temporary));
  assert_int_equal(d.outputs[0].tensor.rank, 2);
  assert_status(run(&d, destroy_temporary), TF_NOT_FOUND, "does not exist");
  assert_status(run(&d, destroy_bad_index), TF_INVALID_ARGUMENT, "needs a reference input");
  assert_status(run(&t, temporary_of_no_shape), TF_INVALID_ARGUMENT, "given as NULL");
  bad_allocator = true;
  t.ctx.iteration_id = 3;
  assert_ok(run(&t, temporary));  // the tensor given in is float already
  bad_allocator = false;
  assert_true(atomic_load(&t.step.has_temporaries));
  dvt_step_finish(&t.step);
  assert_false(atomic_load(&t.step.has_temporaries));
  dvt_object *object;
  assert_status(dvt_resource_lookup(t.resources, DVT_STR("__per_step_7"), DVT_STR("tmp/frame:0/iter:3"),
                                    &dvt_variable_type, NULL, NULL, &object),
                TF_NOT_FOUND, "");
  test_node_deinit(&d);
  test_node_deinit(&t);
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

// ---- rules 144, 147 ----

static void resource_proto(TF_OpKernelContext *ctx) {
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GetSerializedResourceHandleProto(ctx, 0, buffer, status);
  assert_tf_status(status, TF_OK, "");
  dvt_field field;
  dvt_str proto = dvt_str_make(buffer->data, buffer->length);
  assert_true(dvt_wire_find(proto, 2, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "localhost"));
  assert_true(dvt_wire_find(proto, 3, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "v"));
  assert_true(dvt_wire_find(proto, 5, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "Variable"));
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  TF_GetSerializedResourceHandleProto(ctx, 1, buffer, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "no resource handle");
  TF_GetSerializedResourceHandleProto(ctx, 2, buffer, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  TF_DeleteBuffer(buffer);
  assert_true(dvt_variable_is_initialized(ctx, 0, status) == false);
  assert_tf_status(status, TF_OK, "");
  dvt_variable_is_initialized(ctx, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "resource handle was expected");
}

static void test_rule_144_resource_proto(void **state) {
  (void)state;
  test_node t;
  dvt_variable *variable = new_variable(TF_FLOAT);
  start(&t, "Assign", variable);
  assert_ok(run(&t, resource_proto));
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

static void by_name(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = NULL;
  TF_GetInputByName(ctx, "x", &tensor, status);
  assert_tf_status(status, TF_OK, "");
  assert_non_null(tensor);
  TF_DeleteTensor(tensor);
  tensor = NULL;
  TF_GetInputByName(ctx, "xs", &tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "OpKernel used list-valued input name");
  TF_GetInputByName(ctx, "zz", &tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Unknown input name: zz");
  assert_null(tensor);
}

static void by_name_ref(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = NULL;
  TF_GetInputByName(ctx, "ref", &tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "OpKernel used ref input name");
  assert_null(tensor);
  forward_ref(ctx);
}

static void test_rule_147_input_by_name(void **state) {
  (void)state;
  test_node t;
  test_node_init(&t, "ByName", "n");
  test_node_int(&t, "N", 2);
  assert_ok(test_node_create(&t));
  test_node_floats(&t, 0, values, 3);
  assert_ok(run(&t, by_name));
  test_node_deinit(&t);
  dvt_variable *variable = new_variable(TF_FLOAT);
  start(&t, "RefAssign", variable);
  assert_ok(run(&t, by_name_ref));
  test_node_deinit(&t);
  dvt_object_release(&variable->object);
}

// ---- dovetail/plugin.h ----

static const char *handle_name;
static TF_DataType handle_dtype;
static void give_handle(TF_OpKernelContext *ctx) {
  TF_Tensor *handle =
      dvt_variable_handle(ctx, NULL, 0, handle_name, strlen(handle_name), handle_dtype, status);
  if (!handle) {
    TF_OpKernelContext_Failure(ctx, status);
    return;
  }
  TF_SetOutput(ctx, 0, handle, status);
  TF_DeleteTensor(handle);
}

static dvt_object *handle_of(test_node *t) {
  dvt_object *object;
  assert_ok(run(t, give_handle));
  assert_ok(dvt_resource_from_tensor(&t->outputs[0].tensor, &dvt_variable_type, &object));
  return object;
}

static void test_variable_handles(void **state) {
  (void)state;
  test_node t;
  start(&t, "Handle", NULL);
  handle_name = "w";
  handle_dtype = TF_FLOAT;
  dvt_object *first = handle_of(&t);
  assert_string_equal(((dvt_variable *)first)->name, "localhost/w");
  assert_ptr_equal(handle_of(&t), first);
  handle_name = "";
  dvt_object *anonymous = handle_of(&t);
  assert_ptr_not_equal(anonymous, first);
  assert_int_equal(atomic_load(&anonymous->refs), 1);  // it lives with its handle
  handle_name = "bad";
  handle_dtype = (TF_DataType)77;
  assert_status(run(&t, give_handle), TF_INVALID_ARGUMENT, "unknown type 77");
  t.step.resources = NULL;
  handle_dtype = TF_FLOAT;
  assert_status(run(&t, give_handle), TF_INTERNAL, "no resource manager");
  test_node_deinit(&t);
}

// ---- dvt_resource_destroy ----

static dvt_status make(void *arg, dvt_object **out_object) {
  ++*(int *)arg;
  return dvt_variable_create(DVT_STR("made"), TF_FLOAT, out_object);
}

static int destroyed_input;
static void destroy(TF_OpKernelContext *ctx) { dvt_resource_destroy(ctx, destroyed_input, status); }

static void test_destroy_a_resource(void **state) {
  (void)state;
  test_node t;
  dvt_object *object, *next;
  int made = 0;
  start(&t, "Assign", NULL);
  assert_ok(
      dvt_resource_lookup(t.resources, DVT_STR(""), DVT_STR("v"), &dvt_variable_type, make, &made, &object));
  assert_ok(dvt_resource_tensor(object, &t.values[0]));
  validate = false;
  assert_ok(run(&t, assign));
  destroyed_input = 1;
  assert_ok(run(&t, destroy));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "input 1 of {{node n}} is no handle of a resource");
  destroyed_input = 2;
  assert_ok(run(&t, destroy));
  assert_tf_status(status, TF_OUT_OF_RANGE, "input 2 was asked for; the node has 2");
  assert_true(dvt_variable_has_value((dvt_variable *)object));
  destroyed_input = 0;
  assert_ok(run(&t, destroy));
  assert_tf_status(status, TF_OK, "");
  assert_false(dvt_variable_has_value((dvt_variable *)object));
  assert_ok(run(&t, destroy));
  assert_tf_status(status, TF_NOT_FOUND, "is in no container");
  assert_ok(
      dvt_resource_lookup(t.resources, DVT_STR(""), DVT_STR("v"), &dvt_variable_type, make, &made, &next));
  assert_ptr_not_equal(next, object);  // the name is free for another
  dvt_object_release(next);
  dvt_object_release(object);
  test_node_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_destroy_a_resource),
      cmocka_unit_test(test_rule_187_assign),
      cmocka_unit_test(test_assign_copies_user_memory),
      cmocka_unit_test(test_rule_188_update),
      cmocka_unit_test(test_rule_188_not_a_variable),
      cmocka_unit_test(test_rules_189_190_locks),
      cmocka_unit_test(test_rule_189_nothing_to_lock),
      cmocka_unit_test(test_rules_141_191_references),
      cmocka_unit_test(test_rules_187_190_references),
      cmocka_unit_test(test_rule_189_not_a_variable),
      cmocka_unit_test(test_rule_188_another_dtype),
      cmocka_unit_test(test_rule_188_variants),
      cmocka_unit_test(test_rule_192_temporary_variables),
      cmocka_unit_test(test_rule_192_allocators),
      cmocka_unit_test(test_variable_value),
      cmocka_unit_test(test_rule_144_resource_proto),
      cmocka_unit_test(test_rule_147_input_by_name),
      cmocka_unit_test(test_variable_handles),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
