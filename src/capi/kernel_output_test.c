// Outputs, temporaries and forwarding of running kernels: rules 152 to 170.
#include "capi/kernel_context_test_util.h"

static void set_output_errors(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = input(ctx, 0);
  TF_SetOutput(ctx, 1, tensor, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "output index out of range");
  TF_SetOutput(ctx, -1, tensor, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "output index out of range");
  TF_SetOutput(ctx, 0, tensor, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(tensor);
}

static void test_rule_152_set_output_index(void **state) {
  (void)state;
  assert_ok(run_once("One", set_output_errors));
}

static int deallocated;
static void count_deallocation(void *data, size_t len, void *arg) {
  (void)len, (void)arg;
  deallocated++;
  dvt_free(data);
}

static void set_user_tensor(TF_OpKernelContext *ctx) {
  int64_t dim = 3;
  void *data = dvt_aligned_alloc(64, 12);
  memcpy(data, values, 12);
  TF_Tensor *tensor = TF_NewTensor(TF_FLOAT, &dim, 1, data, 12, count_deallocation, NULL);
  TF_SetOutput(ctx, 0, tensor, status);
  TF_DeleteTensor(tensor);
  assert_int_equal(deallocated, 0);
}

static void test_rule_153_output_keeps_its_reference(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  deallocated = 0;
  assert_ok(run(&t, set_user_tensor));
  assert_int_equal(deallocated, 0);
  assert_true(((float *)t.outputs[0].tensor.data)[2] == 3.0f);
  test_node_reset_outputs(&t);
  assert_int_equal(deallocated, 1);
  test_node_deinit(&t);
}

static void test_rule_154_wrong_dtype(void **state) {
  (void)state;
  assert_status(run_once("Mixed", pass_input), TF_INTERNAL,
                "Output 0 of type float does not match declared output type int32 for node {{node n}}");
}

static void set_twice(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = input(ctx, 0);
  TF_SetOutput(ctx, 0, tensor, status);
  TF_SetOutput(ctx, 0, tensor, status);
  assert_tf_status(status, TF_FAILED_PRECONDITION, "output 0 is set already");
  TF_DeleteTensor(tensor);
}

static void set_after_allocate(TF_OpKernelContext *ctx) {
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, status);
  TF_SetOutput(ctx, 0, out, status);
  assert_tf_status(status, TF_FAILED_PRECONDITION, "output 0 is set already");
  TF_DeleteTensor(out);
}

static void test_rule_155_set_twice(void **state) {
  (void)state;
  assert_status(run_once("One", set_twice), TF_FAILED_PRECONDITION, "output 0 is set already");
  assert_non_null(strstr(test_last_log, "output 0 is set already"));
  assert_status(run_once("One", set_after_allocate), TF_FAILED_PRECONDITION, "output 0 is set already");
}

static void set_null(TF_OpKernelContext *ctx) {
  TF_SetOutput(ctx, 0, NULL, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "no tensor");
}

static void set_oversized_shape(TF_OpKernelContext *ctx) {
  int64_t dim = 1000;
  TF_Tensor *tensor = input(ctx, 0);
  TF_SetShape(tensor, &dim, 1);  // rule 26 lets a shape lie about its buffer
  TF_SetOutput(ctx, 0, tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  TF_DeleteTensor(tensor);
}

static void test_rule_156_no_tensor(void **state) {
  (void)state;
  assert_status(run_once("One", set_null), TF_INVALID_ARGUMENT, "no tensor");
  assert_status(run_once("One", set_oversized_shape), TF_INTERNAL, "Missing 0-th output");
}

static void test_rule_157_missing_output(void **state) {
  (void)state;
  assert_status(run_once("One", NULL), TF_INTERNAL, "Missing 0-th output from {{node n}}");
  test_node t;
  start(&t, "Two");
  body = pass_input;
  dvt_kernel_compute(&t.ctx);
  assert_ok(dvt_context_finish(&t.ctx, true));
  assert_status(dvt_context_finish(&t.ctx, false), TF_INTERNAL, "Missing 1-th output from {{node n}}");
  assert_false(t.outputs[0].is_set);
  test_node_deinit(&t);
}

static void allocate(TF_OpKernelContext *ctx) {
  const int64_t dims[] = {2, 3};
  TF_SetStatus(status, TF_ABORTED, "before");
  TF_Tensor *out =
      TF_AllocateOutput(ctx, 0, TF_STRING, dims, 2, 1, status);  // rule 158: dtype and len are ignored
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorType(out), TF_FLOAT);
  assert_int_equal(TF_TensorByteSize(out), 24);
  assert_int_equal((uintptr_t)TF_TensorData(out) % 64, 0);
  memset(TF_TensorData(out), 0, 24);
  TF_Tensor *again = TF_GetMutableOutput(ctx, 0, status);  // rule 162
  assert_tf_status(status, TF_OK, "");
  assert_ptr_equal(TF_TensorData(again), TF_TensorData(out));
  TF_DeleteTensor(again);
  TF_DeleteTensor(out);
  assert_null(TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, 24, status));  // rule 159
  assert_tf_status(status, TF_INTERNAL, "allocate_output on same index multiple times.");
  assert_null(TF_AllocateOutput(ctx, 1, TF_FLOAT, dims, 2, 24, status));
  assert_tf_status(status, TF_INTERNAL, "allocate_output with bad index=1");
  assert_null(TF_GetMutableOutput(ctx, 1, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
}

static void mutable_before_set(TF_OpKernelContext *ctx) {
  assert_null(TF_GetMutableOutput(ctx, 0, status));
  assert_tf_status(status, TF_FAILED_PRECONDITION, "not set yet");
}

static void test_rules_158_159_162_allocate(void **state) {
  (void)state;
  assert_ok(run_once("One", allocate));
  assert_status(run_once("One", mutable_before_set), TF_FAILED_PRECONDITION, "not set yet");
}

static const int64_t *bad_dims;
static int bad_rank;

static void allocate_badly(TF_OpKernelContext *ctx) {
  TF_AllocatorAttributes attrs = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE};
  assert_null(TF_AllocateOutput(ctx, 0, TF_FLOAT, bad_dims, bad_rank, 4, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_null(TF_AllocateTemp(ctx, TF_FLOAT, bad_dims, bad_rank, &attrs, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  int forwarded = 99;
  assert_null(TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, bad_dims, bad_rank, &forwarded, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_int_equal(forwarded, 99);
}

static void test_rule_160_bad_shapes(void **state) {
  (void)state;
  static const int64_t negative[] = {2, -1}, huge[] = {INT64_MAX, 3}, ones[300] = {1};
  const struct {
    const int64_t *dims;
    int rank;
  } cases[] = {{negative, 2}, {huge, 2}, {ones, 255}, {ones, -1}, {NULL, 1}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    bad_dims = cases[i].dims;
    bad_rank = cases[i].rank;
    assert_status(run_once("One", allocate_badly), TF_INVALID_ARGUMENT, "");
  }
}

static void allocate_too_much(TF_OpKernelContext *ctx) {
  const int64_t dims[] = {1ll << 30, 1ll << 20};
  assert_null(TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, 4, status));
  assert_tf_status(
      status, TF_RESOURCE_EXHAUSTED,
      "OOM when allocating tensor with shape[1073741824,1048576] and type float on /job:localhost");
}

static void test_rule_161_out_of_memory(void **state) {
  (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  assert_status(run_once("One", allocate_too_much), TF_INTERNAL, "Missing 0-th output");
#else
  (void)allocate_too_much;  // the sanitizers' allocators end the process instead of returning NULL
#endif
}

static void temps(TF_OpKernelContext *ctx) {
  const int64_t dim = 3;
  TF_AllocatorAttributes attrs = {.struct_size = 0};
  TF_Tensor *a = TF_AllocateTemp(ctx, TF_INT32, &dim, 1, NULL, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorByteSize(a), 12);
  assert_null(TF_AllocateTemp(ctx, TF_INT32, &dim, 1, &attrs, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE");
  attrs.struct_size = 1;
  attrs.on_host = 1;
  TF_Tensor *b = TF_AllocateTemp(ctx, TF_FLOAT, &dim, 1, &attrs, status);
  assert_tf_status(status, TF_OK, "");
  TF_Tensor *text = TF_AllocateTemp(ctx, TF_STRING, &dim, 1, NULL, status);  // rule 167
  assert_int_equal(TF_TString_GetSize(&((TF_TString *)TF_TensorData(text))[2]), 0);
  memcpy(TF_TensorData(b), values, 12);
  TF_SetOutput(ctx, 0, b, status);  // rule 165
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(text);
}

static void unknown_temp(TF_OpKernelContext *ctx) {
  assert_null(TF_AllocateTemp(ctx, (TF_DataType)77, NULL, 0, NULL, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "unknown type 77");
}

static void test_rules_163_to_165_temps(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  assert_ok(run(&t, temps));
  assert_true(((float *)t.outputs[0].tensor.data)[1] == 2.0f);
  dvt_slot slots[2] = {0};
  t.ctx.temp_slots = slots;
  t.ctx.temp_slot_count = 2;
  assert_ok(run(&t, temps));
  assert_int_equal(atomic_load(&t.ctx.temp_slots_used), 3);
  assert_non_null(slots[0].buffer);
  test_node_deinit(&t);
  dvt_slot_deinit(&slots[0]);
  dvt_slot_deinit(&slots[1]);
  assert_status(run_once("One", unknown_temp), TF_INVALID_ARGUMENT, "unknown type 77");
}

static void scalar_output(TF_OpKernelContext *ctx) {
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorElementCount(out), 1);
  TF_DeleteTensor(out);
}

static void text_output(TF_OpKernelContext *ctx) {
  const int64_t dim = 2;
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_STRING, &dim, 1, 48, status);
  TF_TString *strings = TF_TensorData(out);
  assert_int_equal(TF_TString_GetSize(&strings[1]), 0);
  TF_TString_Copy(&strings[1], "a text that is longer than twenty-two bytes", 43);
  TF_DeleteTensor(out);
}

static void test_rules_166_167_outputs(void **state) {
  (void)state;
  assert_ok(run_once("One", scalar_output));
  assert_ok(run_once("Text", text_output));
}

// ---- forwarding: rules 168 to 170 ----

static int forwarded;
static void *forwarded_data;
static const int64_t *forward_dims;
static int forward_rank;

static void forward(TF_OpKernelContext *ctx) {
  TF_Tensor *out =
      TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, forward_dims, forward_rank, &forwarded, status);
  assert_tf_status(status, TF_OK, "");
  forwarded_data = TF_TensorData(out);
  TF_DeleteTensor(out);
}

static void forward_while_held(TF_OpKernelContext *ctx) {
  TF_Tensor *held = input(ctx, 0);
  forward(ctx);
  TF_DeleteTensor(held);
}

static int forward_case(const char *op, bool last_use, void (*with)(TF_OpKernelContext *),
                        const int64_t *dims, int rank) {
  test_node t;
  start(&t, op);
  t.last_use[0] = last_use;
  forward_dims = dims;
  forward_rank = rank;
  forwarded = 99;
  void *data = t.values[0].data;
  assert_ok(run(&t, with));
  assert_int_equal(forwarded_data == data, forwarded == 0);
  test_node_deinit(&t);
  return forwarded;
}

static void test_rules_168_169_forwarding(void **state) {
  (void)state;
  const int64_t same[] = {3}, reshaped[] = {1, 3, 1}, other[] = {4};
  assert_int_equal(forward_case("One", true, forward, same, 1), 0);
  assert_int_equal(forward_case("One", true, forward, reshaped, 3), 0);
  assert_int_equal(forward_case("One", true, forward, other, 1), -1);
  assert_int_equal(forward_case("One", false, forward, same, 1), -1);
  assert_int_equal(forward_case("One", true, forward_while_held, same, 1), -1);
  assert_int_equal(forward_case("Mixed", true, forward, same, 1), -1);
}

static void forward_both(TF_OpKernelContext *ctx) {
  const int64_t dim = 3;
  const int candidates[] = {0, 1};
  int first = 9, second = 9;
  TF_Tensor *y = TF_ForwardInputOrAllocateOutput(ctx, candidates, 2, 0, &dim, 1, &first, status);
  TF_Tensor *z = TF_ForwardInputOrAllocateOutput(ctx, candidates, 2, 1, &dim, 1, &second, status);
  forwarded = first * 10 + second;
  assert_ptr_not_equal(TF_TensorData(y), TF_TensorData(z));
  TF_DeleteTensor(y);
  TF_DeleteTensor(z);
}

static void test_rule_168_two_outputs(void **state) {
  (void)state;
  test_node t;
  start(&t, "Two");
  t.last_use[0] = t.last_use[1] = true;
  assert_ok(run(&t, forward_both));
  assert_int_equal(forwarded, 1);  // the first took input 0, the second input 1
  test_node_deinit(&t);
  start(&t, "Two");
  t.last_use[0] = t.last_use[1] = true;
  t.inputs[1] = &t.values[0];  // x + x: both inputs are one tensor
  assert_ok(run(&t, forward_both));
  assert_int_equal(forwarded, -11);
  test_node_deinit(&t);
}

static void forward_user_memory(TF_OpKernelContext *ctx) {
  forward_dims = (const int64_t[]){3};
  forward_rank = 1;
  forward(ctx);
}

static void test_rule_168_user_memory_is_not_forwarded(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  t.last_use[0] = true;
  void *data = dvt_aligned_alloc(64, 12);
  dvt_tensor_reset(&t.values[0]);
  assert_ok(dvt_tensor_init_with_buffer(&t.values[0], TF_FLOAT, (int64_t[]){3}, 1,
                                        dvt_buffer_adopt(data, 12, count_deallocation, NULL)));
  assert_ok(run(&t, forward_user_memory));
  assert_int_equal(forwarded, -1);
  test_node_deinit(&t);
}

static void no_candidates(TF_OpKernelContext *ctx) {
  TF_Tensor *out = TF_ForwardInputOrAllocateOutput(ctx, NULL, 0, 0, NULL, 0, NULL, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(out);
}

static void bad_candidate(TF_OpKernelContext *ctx) {
  assert_null(TF_ForwardInputOrAllocateOutput(ctx, (int[]){1}, 1, 0, NULL, 0, &forwarded, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "candidate input index out of range");
}

static void test_rule_170_candidates(void **state) {
  (void)state;
  assert_ok(run_once("One", no_candidates));
  assert_status(run_once("One", bad_candidate), TF_OUT_OF_RANGE, "candidate input");
}

// Steady state: the slot's buffer comes back in every run.
static void test_slots_are_reused(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  forward_dims = (const int64_t[]){3};
  forward_rank = 1;
  assert_ok(run(&t, forward));
  void *first = forwarded_data;
  test_node_reset_outputs(&t);
  dvt_alloc_fail_at(0);
  int64_t before = dvt_alloc_attempts();
  for (int i = 0; i < 10; i++) {
    assert_ok(run(&t, forward));
    assert_ptr_equal(forwarded_data, first);
    test_node_reset_outputs(&t);
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  assert_int_equal(dvt_alloc_attempts(), before);
#else
  (void)before;             // free lists are off under sanitizers
#endif
  test_node_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_152_set_output_index),
      cmocka_unit_test(test_rule_153_output_keeps_its_reference),
      cmocka_unit_test(test_rule_154_wrong_dtype),
      cmocka_unit_test(test_rule_155_set_twice),
      cmocka_unit_test(test_rule_156_no_tensor),
      cmocka_unit_test(test_rule_157_missing_output),
      cmocka_unit_test(test_rules_158_159_162_allocate),
      cmocka_unit_test(test_rule_160_bad_shapes),
      cmocka_unit_test(test_rule_161_out_of_memory),
      cmocka_unit_test(test_rules_163_to_165_temps),
      cmocka_unit_test(test_rules_166_167_outputs),
      cmocka_unit_test(test_rules_168_169_forwarding),
      cmocka_unit_test(test_rule_168_two_outputs),
      cmocka_unit_test(test_rule_168_user_memory_is_not_forwarded),
      cmocka_unit_test(test_rule_170_candidates),
      cmocka_unit_test(test_slots_are_reused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
