// References, temporary variables and handles of resources: rules 141, 144, 147, 187 and 190 to 192 where
// they are about references, and the variable handles of dovetail/plugin.h.
#include "capi/kernel_variables_test_util.h"

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

// ---- temporary variables ----

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
  assert_null(dvt_step_finish(&t.step, NULL));
  assert_false(atomic_load(&t.step.has_temporaries));
  dvt_object *object;
  assert_status(dvt_resource_lookup(t.resources, DVT_STR("__per_step_7"), DVT_STR("tmp/frame:0/iter:3"),
                                    &dvt_variable_type, NULL, NULL, &object),
                TF_NOT_FOUND, "");
  test_node_deinit(&d);
  test_node_deinit(&t);
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
      cmocka_unit_test(test_rules_141_191_references),
      cmocka_unit_test(test_rules_187_190_references),
      cmocka_unit_test(test_rule_192_temporary_variables),
      cmocka_unit_test(test_rule_192_allocators),
      cmocka_unit_test(test_rule_144_resource_proto),
      cmocka_unit_test(test_rule_147_input_by_name),
      cmocka_unit_test(test_variable_handles),
      cmocka_unit_test(test_destroy_a_resource),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
