// dovetail/kernel_context.h: inputs and outputs by name, taking outputs back, references, and the checks of
// what a node is given. Each function also in wrong use: the error names node, op and argument.
#include "capi/kernel_context_test_util.h"
#include "dovetail/kernel_context.h"
#include "dovetail/plugin.h"

static int setup_io(void **state) {
  setup(state);
  test_op("Lists",
          SPECS("a:N: int >= 1", "i:one: float", "i:many: N * float", "o:first: float", "o:rest: N * float"));
  test_op("RefIn", SPECS("i:ref: Ref(float)", "i:value: float", "o:y: float"));
  test_op("RefOut", SPECS("i:x: float", "o:ref: Ref(float)", "o:plain: float"));
  test_kernel("Lists", compute);
  test_kernel("RefIn", compute);
  test_kernel("RefOut", compute);
  return 0;
}

static void start_lists(test_node *t) {
  test_node_init(t, "Lists", "node_a");
  test_node_int(t, "N", 2);
  assert_ok(test_node_create(t));
  for (int i = 0; i < 3; i++) test_node_floats(t, i, values, 3);
}

static float first_of(const TF_Tensor *t) { return *(const float *)TF_TensorData(t); }

#define assert_names_node(code, part)          \
  do {                                         \
    assert_tf_status(status, code, part);      \
    assert_tf_status(status, code, "{{node "); \
    assert_tf_status(status, code, "op '");    \
  } while (0)

// ---- by name ----

static void by_name(TF_OpKernelContext *ctx) {
  int start = -7, stop = -7;
  assert_int_equal(TF_OpKernelContext_InputDatatypeByName(ctx, "one", status), TF_FLOAT);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_OpKernelContext_InputDatatypeByName(ctx, "many", status), 0);
  assert_names_node(TF_INVALID_ARGUMENT, "list-valued input name 'many'");
  assert_int_equal(TF_OpKernelContext_InputDatatypeByName(ctx, "zz", status), 0);
  assert_names_node(TF_INVALID_ARGUMENT, "zz");
  assert_int_equal(TF_OpKernelContext_InputDatatypeByName(ctx, NULL, status), 0);
  assert_names_node(TF_INVALID_ARGUMENT, "");

  TF_OpKernelContext_OutputRange(ctx, "zz", &start, &stop, status);
  assert_names_node(TF_INVALID_ARGUMENT, "zz");
  assert_int_equal(start, -7);
  TF_OpKernelContext_OutputRange(ctx, "rest", &start, &stop, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(start, 1);
  assert_int_equal(stop, 3);

  TF_Tensor *x = input(ctx, 0);
  TF_OpKernelContext_SetOutputByName(ctx, "first", x, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(x);
  x = TF_OpKernelContext_GetMutableOutputByName(ctx, "first", status);
  assert_tf_status(status, TF_OK, "");
  assert_true(first_of(x) == 1);
  TF_OpKernelContext_SetOutputByName(ctx, "rest", x, status);
  assert_names_node(TF_INVALID_ARGUMENT, "list-valued output name 'rest'");
  TF_OpKernelContext_SetOutputByName(ctx, "zz", x, status);
  assert_names_node(TF_INVALID_ARGUMENT, "zz");
  assert_null(TF_OpKernelContext_GetMutableOutputByName(ctx, "rest", status));
  assert_names_node(TF_INVALID_ARGUMENT, "'rest'");
  for (int i = start; i < stop; i++) TF_SetOutput(ctx, i, x, status);
  TF_DeleteTensor(x);
}

static void test_rule_146_names_and_ranges(void **state) {
  (void)state;
  test_node t;
  start_lists(&t);
  assert_ok(run(&t, by_name));
  test_node_deinit(&t);
}

static void set_by_name_twice(TF_OpKernelContext *ctx) {
  pass_input(ctx);
  TF_Tensor *x = input(ctx, 0);
  TF_OpKernelContext_SetOutputByName(ctx, "y", x, status);
  assert_names_node(TF_FAILED_PRECONDITION, "output 0 is set already");
  TF_DeleteTensor(x);
}

static void set_by_name_to_nothing(TF_OpKernelContext *ctx) {
  TF_OpKernelContext_SetOutputByName(ctx, "y", NULL, status);
  assert_names_node(TF_INVALID_ARGUMENT, "output 0 was set to no tensor");
}

static void mutable_before_allocation(TF_OpKernelContext *ctx) {
  assert_null(TF_OpKernelContext_GetMutableOutputByName(ctx, "y", status));
  assert_names_node(TF_FAILED_PRECONDITION, "not set yet");
}

static void test_rule_155_156_162_wrong_use_by_name(void **state) {
  (void)state;
  assert_status(run_once("One", set_by_name_twice), TF_FAILED_PRECONDITION, "set already");
  assert_status(run_once("One", set_by_name_to_nothing), TF_INVALID_ARGUMENT, "set to no tensor");
  assert_status(run_once("One", mutable_before_allocation), TF_FAILED_PRECONDITION, "not set yet");
}

static void allocate_by_name(TF_OpKernelContext *ctx) {
  const int64_t dims[] = {2, 2};
  assert_null(TF_OpKernelContext_AllocateOutputByName(ctx, "zz", dims, 2, status));
  assert_names_node(TF_INVALID_ARGUMENT, "zz");
  TF_Tensor *y = TF_OpKernelContext_AllocateOutputByName(ctx, "y", dims, 2, status);
  assert_tf_status(status, TF_OK, "");
  memset(TF_TensorData(y), 0, TF_TensorByteSize(y));
  TF_DeleteTensor(y);
  assert_null(TF_OpKernelContext_AllocateOutputByName(ctx, "y", dims, 2, status));
  assert_names_node(TF_INTERNAL, "on same index multiple times");
}

static void allocate_by_name_badly(TF_OpKernelContext *ctx) {
  const int64_t bad = -1;
  assert_null(TF_OpKernelContext_AllocateOutputByName(ctx, "y", &bad, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "negative dimension");
  assert_null(TF_OpKernelContext_AllocateOutputByName(ctx, "y", NULL, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "without dimensions");
}

static void test_rule_159_160_allocate_by_name(void **state) {
  (void)state;
  assert_ok(run_once("One", allocate_by_name));
  assert_status(run_once("One", allocate_by_name_badly), TF_INVALID_ARGUMENT, "");
}

static bool dead;

static void look_at_inputs(TF_OpKernelContext *ctx) {
  assert_int_equal(TF_OpKernelContext_HasInput(ctx, 0, status), !dead);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_OpKernelContext_IsInputDead(ctx), dead);
  assert_false(TF_OpKernelContext_HasInput(ctx, 1, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 1");
  assert_false(TF_OpKernelContext_HasInput(ctx, -1, status));
  assert_names_node(TF_OUT_OF_RANGE, "-1");
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 0, status);
  *(float *)TF_TensorData(y) = 0;
  TF_DeleteTensor(y);
}

static void test_rule_139_missing_inputs(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  dead = false;
  assert_ok(run(&t, look_at_inputs));
  dead = true;
  dvt_tensor_reset(&t.values[0]);
  assert_ok(run(&t, look_at_inputs));
  t.inputs[0] = NULL;
  assert_ok(run(&t, look_at_inputs));
  test_node_deinit(&t);
}

// ---- taking an output back ----

static void release(TF_OpKernelContext *ctx) {
  assert_null(TF_OpKernelContext_ReleaseOutput(ctx, 0, status));
  assert_names_node(TF_FAILED_PRECONDITION, "output 0 is not set");
  assert_null(TF_OpKernelContext_ReleaseOutput(ctx, 1, status));
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 1");
  const int64_t n = 4;
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, &n, 1, 0, status);
  TF_Tensor *back = TF_OpKernelContext_ReleaseOutput(ctx, 0, status);
  assert_tf_status(status, TF_OK, "");
  assert_ptr_equal(TF_TensorData(back), TF_TensorData(y));
  TF_DeleteTensor(back);
  ((float *)TF_TensorData(y))[3] = 1;  // a handle from before stays good
  TF_DeleteTensor(y);
  pass_input(ctx);
}

static void test_released_output_may_be_set_again(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  assert_ok(run(&t, release));
  assert_ptr_equal(t.outputs[0].tensor.data, t.values[0].data);
  test_node_deinit(&t);
}

static void only_release(TF_OpKernelContext *ctx) {
  pass_input(ctx);
  TF_DeleteTensor(TF_OpKernelContext_ReleaseOutput(ctx, 0, status));
  assert_tf_status(status, TF_OK, "");
}

static void test_rule_157_released_output_is_missing(void **state) {
  (void)state;
  assert_status(run_once("One", only_release), TF_INTERNAL, "Missing 0-th output");
}

// ---- references ----

static dvt_object *variable_object;

static void start_ref_in(test_node *t, float value) {
  const int64_t n = 1;
  TF_Tensor first = {0};
  start(t, "RefIn");
  assert_ok(dvt_variable_create(DVT_STR("localhost/v"), TF_FLOAT, &variable_object));
  assert_ok(dvt_tensor_init_allocate(&first, TF_FLOAT, &n, 1));
  *(float *)first.data = value;
  assert_ok(dvt_variable_assign((dvt_variable *)variable_object, &first, false));
  dvt_tensor_reset(&first);
  assert_ok(dvt_resource_tensor(variable_object, &t->values[0]));
}

static void replace(TF_OpKernelContext *ctx) {
  TF_Tensor *value = input(ctx, 1);
  TF_OpKernelContext_ReplaceRefInput(ctx, 0, value, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelContext_ReplaceRefInput(ctx, 1, value, status);
  assert_names_node(TF_INVALID_ARGUMENT, "input 1 is no reference");
  TF_OpKernelContext_ReplaceRefInput(ctx, 2, value, status);
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 2");
  TF_OpKernelContext_ReplaceRefInput(ctx, 0, NULL, status);
  assert_names_node(TF_INVALID_ARGUMENT, "replaced by no tensor");
  TF_Tensor *wrong = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
  TF_OpKernelContext_ReplaceRefInput(ctx, 0, wrong, status);
  assert_names_node(TF_INVALID_ARGUMENT, "is of type float; got int32");
  TF_DeleteTensor(wrong);
  TF_SetOutput(ctx, 0, value, status);
  TF_DeleteTensor(value);
}

static void test_replace_ref_input_takes_any_shape(void **state) {
  (void)state;
  test_node t;
  TF_Tensor now = {0};
  start_ref_in(&t, 9);
  assert_ok(run(&t, replace));
  assert_ok(dvt_variable_read((dvt_variable *)variable_object, &now));
  assert_int_equal(dvt_tensor_count(&now), 3);
  assert_true(((const float *)now.data)[2] == 3);
  dvt_tensor_reset(&now);
  dvt_object_release(variable_object);
  test_node_deinit(&t);
}

static void delete_ref(TF_OpKernelContext *ctx) {
  TF_OpKernelContext_DeleteRefInput(ctx, 1, status);
  assert_names_node(TF_INVALID_ARGUMENT, "input 1 is no reference");
  TF_OpKernelContext_DeleteRefInput(ctx, -1, status);
  assert_names_node(TF_OUT_OF_RANGE, "-1");
  TF_OpKernelContext_DeleteRefInput(ctx, 0, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelContext_DeleteRefInput(ctx, 0, status);  // it has none any more
  assert_tf_status(status, TF_OK, "");
  TF_Tensor *value = input(ctx, 1);
  TF_SetOutput(ctx, 0, value, status);
  TF_DeleteTensor(value);
}

static void test_delete_ref_input_leaves_no_value(void **state) {
  (void)state;
  test_node t;
  start_ref_in(&t, 9);
  assert_ok(run(&t, delete_ref));
  assert_false(dvt_variable_has_value((dvt_variable *)variable_object));
  dvt_object_release(variable_object);
  test_node_deinit(&t);
}

static void set_ref(TF_OpKernelContext *ctx) {
  TF_Tensor *x = input(ctx, 0);
  TF_Tensor *v = dvt_variable_handle(ctx, "", 0, "made", 4, TF_FLOAT, status);
  assert_tf_status(status, TF_OK, "");
  TF_Tensor *ints = dvt_variable_handle(ctx, "", 0, "ints", 4, TF_INT32, status);
  TF_OpKernelContext_SetOutputRef(ctx, 2, v, status);
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 2");
  TF_OpKernelContext_SetOutputRef(ctx, 1, v, status);
  assert_names_node(TF_INVALID_ARGUMENT, "output 1 is no reference");
  TF_OpKernelContext_SetOutputRef(ctx, 0, x, status);
  assert_names_node(TF_INVALID_ARGUMENT, "for reference output 0");
  TF_OpKernelContext_SetOutputRef(ctx, 0, NULL, status);
  assert_names_node(TF_INVALID_ARGUMENT, "no variable (NULL)");
  TF_OpKernelContext_SetOutputRef(ctx, 0, ints, status);
  assert_names_node(TF_INVALID_ARGUMENT, "is of type int32; got float");
  TF_OpKernelContext_SetOutputRef(ctx, 0, v, status);
  assert_tf_status(status, TF_OK, "");
  TF_SetOutput(ctx, 1, x, status);
  TF_DeleteTensor(ints);
  TF_DeleteTensor(v);
  TF_DeleteTensor(x);
}

static void test_set_output_ref(void **state) {
  (void)state;
  test_node t;
  dvt_object *object;
  start(&t, "RefOut");
  assert_ok(run(&t, set_ref));
  assert_ok(dvt_resource_from_tensor(&t.outputs[0].tensor, &dvt_variable_type, &object));
  assert_string_equal(((dvt_variable *)object)->name, "localhost/made");
  test_node_deinit(&t);
}

// ---- checks ----

static void validate(TF_OpKernelContext *ctx) {
  TF_Tensor *a = input(ctx, 0);
  bool same = TF_OpKernelContext_ValidateInputsAreSameShape(ctx, status);
  assert_int_equal(same, TF_GetCode(status) == TF_OK);
  if (same) {
    TF_SetOutput(ctx, 0, a, status);
    TF_SetOutput(ctx, 1, a, status);
  }
  TF_DeleteTensor(a);
}

static void test_validate_inputs_are_same_shape(void **state) {
  (void)state;
  test_node t;
  const int64_t dims[] = {1, 3};
  start(&t, "Two");
  assert_ok(run(&t, validate));
  test_node_input(&t, 1, TF_FLOAT, dims, 2, values, sizeof values);
  assert_status(
      run(&t, validate), TF_INVALID_ARGUMENT,
      "Inputs to operation n of type Two must have the same size and shape.  Input 0: [3] != input 1: "
      "[1,3]");
  assert_names_node(TF_INVALID_ARGUMENT, "same size and shape");
  test_node_deinit(&t);
}

static void match(TF_OpKernelContext *ctx) {
  const TF_DataType one[] = {TF_FLOAT}, two[] = {TF_FLOAT, TF_FLOAT}, ints[] = {TF_INT32};
  assert_true(TF_OpKernelContext_MatchSignature(ctx, two, 2, one, 1, status));  // the reference as a value
  assert_tf_status(status, TF_OK, "");
  const TF_DataType exact[] = {(TF_DataType)(TF_FLOAT + 100), TF_FLOAT};
  assert_true(TF_OpKernelContext_MatchSignature(ctx, exact, 2, one, 1, status));
  assert_false(TF_OpKernelContext_MatchSignature(ctx, two, 2, ints, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "Signature mismatch, have: ");
  assert_tf_status(status, TF_INVALID_ARGUMENT, "expected: float, float->int32");
  assert_false(TF_OpKernelContext_MatchSignature(ctx, one, 1, one, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "Signature mismatch");
  assert_false(TF_OpKernelContext_MatchSignature(ctx, NULL, 2, one, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "NULL");
  TF_Tensor *value = input(ctx, 1);
  TF_SetOutput(ctx, 0, value, status);
  TF_DeleteTensor(value);
}

static void test_match_signature(void **state) {
  (void)state;
  test_node t;
  start_ref_in(&t, 1);
  assert_ok(run(&t, match));
  dvt_object_release(variable_object);
  test_node_deinit(&t);
}

static void ask_status(TF_OpKernelContext *ctx) {
  TF_OpKernelContext_GetStatus(ctx, status);
  assert_tf_status(status, TF_OK, "");
  TF_SetStatus(status, TF_DATA_LOSS, "the first");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelContext_GetStatus(ctx, status);
  assert_tf_status(status, TF_DATA_LOSS, "the first");
}

static void test_rule_172_status_can_be_asked(void **state) {
  (void)state;
  assert_status(run_once("One", ask_status), TF_DATA_LOSS, "the first");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_146_names_and_ranges),
      cmocka_unit_test(test_rule_155_156_162_wrong_use_by_name),
      cmocka_unit_test(test_rule_159_160_allocate_by_name),
      cmocka_unit_test(test_rule_139_missing_inputs),
      cmocka_unit_test(test_released_output_may_be_set_again),
      cmocka_unit_test(test_rule_157_released_output_is_missing),
      cmocka_unit_test(test_replace_ref_input_takes_any_shape),
      cmocka_unit_test(test_delete_ref_input_leaves_no_value),
      cmocka_unit_test(test_set_output_ref),
      cmocka_unit_test(test_validate_inputs_are_same_shape),
      cmocka_unit_test(test_match_signature),
      cmocka_unit_test(test_rule_172_status_can_be_asked),
  };
  return cmocka_run_group_tests(tests, setup_io, teardown);
}
