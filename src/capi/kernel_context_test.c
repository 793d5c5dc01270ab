// What compute functions see, but for outputs: rules 135 to 151 and 172 to 184. A test sets `body`, which
// runs as the kernel's compute function.
#include "capi/kernel_context_test_util.h"

#include <pthread.h>

#include "dovetail/plugin.h"

// ---- inputs ----

static void input_range_errors(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = (TF_Tensor *)&status;
  assert_int_equal(TF_NumInputs(ctx), 1);
  assert_int_equal(TF_NumOutputs(ctx), 1);
  TF_GetInput(ctx, -1, &tensor, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "input index out of range");
  TF_GetInput(ctx, 1, &tensor, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "input index out of range");
  assert_ptr_equal(tensor, &status);
  pass_input(ctx);
}

static void test_rule_137_input_index(void **state) {
  (void)state;
  assert_ok(run_once("One", input_range_errors));
}

static void two_handles(TF_OpKernelContext *ctx) {
  TF_Tensor *a = input(ctx, 0), *b = input(ctx, 0);
  assert_ptr_not_equal(a, b);
  assert_ptr_equal(TF_TensorData(a), TF_TensorData(b));
  assert_null(TF_TensorMaybeMove(a));
  assert_true(TF_TensorIsAligned(a));  // rule 143
  TF_DeleteTensor(b);
  TF_SetOutput(ctx, 0, a, status);
  TF_DeleteTensor(a);
}

static void test_rule_138_handles(void **state) {
  (void)state;
  assert_ok(run_once("One", two_handles));
}

static void missing_input(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = (TF_Tensor *)&status;
  TF_SetStatus(status, TF_ABORTED, "left alone");
  TF_GetInput(ctx, 0, &tensor, status);
  assert_null(tensor);
  assert_tf_status(status, TF_ABORTED, "left alone");
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, status);
  TF_DeleteTensor(out);
}

static void test_rule_139_missing_input(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  dvt_tensor_reset(&t.values[0]);
  assert_ok(run(&t, missing_input));
  t.inputs[0] = NULL;
  assert_ok(run(&t, missing_input));
  test_node_deinit(&t);
}

static void zero_elements(TF_OpKernelContext *ctx) {
  TF_Tensor *tensor = input(ctx, 0);
  assert_int_equal(TF_Dim(tensor, 0), 0);
  assert_int_equal(TF_TensorByteSize(tensor), 0);
  assert_non_null(TF_TensorData(tensor));
  TF_SetOutput(ctx, 0, tensor, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(tensor);
}

static void test_rule_145_zero_elements(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  test_node_floats(&t, 0, NULL, 0);
  assert_ok(run(&t, zero_elements));
  test_node_deinit(&t);
}

static void input_ranges(TF_OpKernelContext *ctx) {
  TF_InputRange_Args args = {.struct_size = 0, .status = status};
  assert_int_equal(TF_NumInputs(ctx), 4);
  TF_InputRange(ctx, "xs", &args);
  assert_tf_status(status, TF_OK, "");
  assert_true(args.start == 1 && args.stop == 4);
  TF_InputRange(ctx, "zz", &args);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Unknown input name: zz");
  assert_true(args.start == -1 && args.stop == -1);
  assert_int_equal(TF_InputDatatype(ctx, 0), TF_INT32);
  assert_int_equal(TF_InputDatatype(ctx, 3), TF_FLOAT);
  assert_int_equal(TF_ExpectedOutputDataType(ctx, 0), TF_FLOAT);
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, status);
  TF_DeleteTensor(out);
}

static void test_rule_146_input_range(void **state) {
  (void)state;
  test_node t;
  test_node_init(&t, "Many", "n");
  test_node_int(&t, "N", 3);
  assert_ok(test_node_create(&t));
  assert_ok(run(&t, input_ranges));
  test_node_deinit(&t);
}

static void bad_input_dtype(TF_OpKernelContext *ctx) { assert_int_equal(TF_InputDatatype(ctx, 1), 0); }
static void bad_output_dtype(TF_OpKernelContext *ctx) {
  assert_int_equal(TF_ExpectedOutputDataType(ctx, -1), 0);
}

static void test_rule_148_dtype_index_fails_the_kernel(void **state) {
  (void)state;
  assert_status(run_once("One", bad_input_dtype), TF_OUT_OF_RANGE, "TF_InputDatatype: input index 1");
  assert_non_null(strstr(test_last_log, "TF_InputDatatype"));
  assert_status(run_once("One", bad_output_dtype), TF_OUT_OF_RANGE, "output index -1");
}

static void host_memory(TF_OpKernelContext *ctx) {
  assert_false(TF_IsHostMemoryInput(ctx, 0, status));
  assert_tf_status(status, TF_OK, "");
  assert_true(TF_IsHostMemoryInput(ctx, 1, status));
  assert_false(TF_IsHostMemoryOutput(ctx, 0, status));
  assert_false(TF_IsHostMemoryInput(ctx, 2, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  assert_false(TF_IsHostMemoryOutput(ctx, -1, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  pass_input(ctx);
}

static void test_rules_149_150_host_memory(void **state) {
  (void)state;
  test_op("Hosted", SPECS("i:x: float", "i:n: float", "o:y: float"));
  TF_KernelBuilder *builder = TF_NewKernelBuilder("Hosted", "CPU", NULL, compute, NULL);
  TF_KernelBuilder_HostMemory(builder, "n");
  test_register(builder);
  assert_ok(run_once("Hosted", host_memory));
}

static bool view_is(TF_StringView view, const char *text) {
  return dvt_str_is(dvt_str_make(view.data, view.len), text);
}

static void surroundings(TF_OpKernelContext *ctx) {
  assert_true(view_is(TF_GetOpKernelRequestedInput(ctx, 0), "producer"));  // rule 151
  assert_int_equal(TF_StepId(ctx), 7);                                     // rule 175
  assert_int_equal(TF_GetStepId(ctx), 7);
  assert_int_equal(TF_GetFrameId(ctx), 0);
  assert_int_equal(TF_GetIterId(ctx), 0);
  assert_int_equal(TF_GetDeviceId(ctx), 0);  // rule 176
  assert_true(view_is(TF_GetDeviceName(ctx), "/job:localhost/replica:0/task:0/device:CPU:0"));
  assert_true(view_is(TF_GetResourceMgrDefaultContainerName(ctx), "localhost"));
  assert_true(view_is(TF_GetOpKernelName(ctx), "n"));
  assert_int_equal(TF_GetGraphDefVersion(ctx), 2474);
  assert_null(TF_GetStream(ctx, status));  // rule 174
  assert_tf_status(status, TF_FAILED_PRECONDITION, "not supported for a CPU device");
  TF_IncNumDeferredOps(ctx);  // rule 184
  TF_DecNumDeferredOps(ctx);
  TF_DecNumDeferredOps(ctx);  // one too many: logged, ignored
  assert_non_null(strstr(test_last_log, "TF_DecNumDeferredOps"));
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GetSerializedFunctionDefLibrary(ctx, buffer, status);  // rule 178
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(buffer->length, 0);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  TF_GetSerializedConfigProto(ctx, buffer, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(buffer->length, 0);
  TF_DeleteBuffer(buffer);
  pass_input(ctx);
}

static void bad_requested_input(TF_OpKernelContext *ctx) {
  assert_int_equal(TF_GetOpKernelRequestedInput(ctx, 5).len, 0);
}

static void test_rules_151_174_to_178_surroundings(void **state) {
  (void)state;
  assert_ok(run_once("One", surroundings));
  assert_status(run_once("One", bad_requested_input), TF_OUT_OF_RANGE, "TF_GetOpKernelRequestedInput");
}

static dvt_status library_bytes(void *arg, dvt_buf *out) {
  dvt_buf_append_str(out, dvt_str_from(arg));
  return NULL;
}

static void full_protos(TF_OpKernelContext *ctx) {
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GetSerializedFunctionDefLibrary(ctx, buffer, status);
  assert_int_equal(buffer->length, 7);
  assert_memory_equal(buffer->data, "library", 7);
  TF_GetSerializedConfigProto(ctx, buffer, status);  // rule 14: not fresh
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  TF_DeleteBuffer(buffer);
  pass_input(ctx);
}

static void test_rule_178_protos(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  t.step.function_library = library_bytes;
  t.step.function_library_arg = "library";
  t.step.config_proto = DVT_STR("config");
  assert_ok(run(&t, full_protos));
  test_node_deinit(&t);
}

static void look_at_memory(TF_OpKernelContext *ctx) {
  TF_Tensor *x = input(ctx, 0);
  assert_ptr_equal(TF_TensorData(x), ctx->inputs[0]->data);
  TF_DeleteTensor(x);
  pass_input(ctx);
}

static void test_rule_142_input_is_the_live_buffer(void **state) {
  (void)state;
  assert_ok(run_once("One", look_at_memory));
}

static void read_without_value(TF_OpKernelContext *ctx) {
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  assert_null(x);
  assert_tf_status(status, TF_FAILED_PRECONDITION, "uninitialized");
  TF_OpKernelContext_Failure(ctx, status);
}

// A value input that is wired to a reference reads the variable, which may not have a value yet.
static void test_rule_140_input_without_value(void **state) {
  (void)state;
  test_node t;
  dvt_object *variable;
  start(&t, "One");
  assert_ok(dvt_variable_create(DVT_STR("localhost/v"), TF_FLOAT, &variable));
  dvt_tensor_reset(&t.values[0]);
  assert_ok(dvt_resource_tensor(variable, &t.values[0]));
  assert_status(run(&t, read_without_value), TF_FAILED_PRECONDITION, "uninitialized");
  dvt_object_release(variable);
  test_node_deinit(&t);
}

static TF_StringView seen_views[4];

static void take_views(TF_OpKernelContext *ctx) {
  seen_views[0] = TF_GetOpKernelName(ctx);
  seen_views[1] = TF_GetOpKernelRequestedInput(ctx, 0);
  seen_views[2] = TF_GetDeviceName(ctx);
  seen_views[3] = TF_GetResourceMgrDefaultContainerName(ctx);
  pass_input(ctx);
}

static void test_rule_177_views_outlast_compute(void **state) {
  (void)state;
  static const char *const wanted[] = {"n", "producer", "/job:localhost/replica:0/task:0/device:CPU:0",
                                       "localhost"};
  test_node t;
  start(&t, "One");
  assert_ok(run(&t, take_views));
  for (int i = 0; i < 4; i++) {
    assert_int_equal(seen_views[i].len, strlen(wanted[i]));
    assert_memory_equal(seen_views[i].data, wanted[i], seen_views[i].len);
  }
  test_node_deinit(&t);
}

// ---- errors and async ----

static void fail_twice(TF_OpKernelContext *ctx) {
  pass_input(ctx);
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_DATA_LOSS, "the first");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_ABORTED, "the second");
  TF_OpKernelContext_Failure(ctx, status);
}

static void test_rule_172_first_error_wins(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  assert_status(run(&t, fail_twice), TF_DATA_LOSS, "the first");
  assert_false(t.outputs[0].is_set);
  assert_ok(run(&t, pass_input));
  test_node_deinit(&t);
}

static void *fail_on_thread(void *arg) {
  dvt_context_fail(arg, dvt_error(TF_INTERNAL, "from a thread"));
  return NULL;
}

static void fail_from_threads(TF_OpKernelContext *ctx) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, fail_on_thread, ctx);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void *set_output_on_thread(void *arg) {
  TF_Status *own = TF_NewStatus();
  TF_Tensor *tensor = NULL;
  TF_GetInput(arg, 0, &tensor, own);
  TF_SetOutput(arg, 0, tensor, own);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(own);
  return NULL;
}

static void use_from_thread(TF_OpKernelContext *ctx) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_output_on_thread, ctx);
  pthread_join(thread, NULL);
}

static void test_rule_136_helper_threads(void **state) {
  (void)state;
  assert_ok(run_once("One", use_from_thread));
  assert_status(run_once("One", fail_from_threads), TF_INTERNAL, "from a thread");
}

static TF_AsyncOpKernelDoneCallback *late_done;
static TF_OpKernelContext *late_ctx;

static void *finish_later(void *arg) {
  (void)arg;
  set_output_on_thread(late_ctx);
  TF_RunAsyncOpKernelDoneCallback(late_done);
  return NULL;
}

static void compute_async(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)kernel;
  late_ctx = ctx;
  late_done = done;
}

static void count_done(void *arg) { atomic_fetch_add((atomic_int *)arg, 1); }

static void test_rules_179_to_182_async(void **state) {
  (void)state;
  test_node t;
  atomic_int done = 0;
  struct TF_AsyncOpKernelDoneCallback object = {.done = count_done, .arg = &done};
  pthread_t thread;
  test_op("Later", SPECS("i:x: float", "o:y: float"));
  test_register(TF_NewAsyncKernelBuilder("Later", "CPU", NULL, compute_async, NULL));
  start(&t, "Later");
  for (int round = 1; round <= 2; round++) {
    test_node_reset_outputs(&t);
    t.ctx.done = &object;
    dvt_kernel_compute(&t.ctx);
    assert_int_equal(atomic_load(&done), round - 1);
    pthread_create(&thread, NULL, finish_later, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&done), round);
    assert_ok(dvt_context_finish(&t.ctx, false));
  }
  TF_RunAsyncOpKernelDoneCallback(late_done);  // rule 180
  assert_int_equal(atomic_load(&done), 2);
  assert_non_null(strstr(test_last_log, "more than once"));
  TF_RunAsyncOpKernelDoneCallback(NULL);
  test_node_deinit(&t);
}

static void defer(TF_OpKernelContext *ctx) {
  TF_IncNumDeferredOps(ctx);
  pass_input(ctx);
}

static void *undefer(void *arg) {
  dvt_step_undefer(arg);
  return NULL;
}

static void test_rule_184_step_waits_for_deferred_ops(void **state) {
  (void)state;
  test_node t;
  pthread_t thread;
  start(&t, "One");
  assert_ok(run(&t, defer));
  assert_int_equal(atomic_load(&t.step.deferred_ops), 1);
  pthread_create(&thread, NULL, undefer, &t.step);
  assert_null(dvt_step_finish(&t.step, NULL));
  assert_int_equal(atomic_load(&t.step.deferred_ops), 0);
  pthread_join(thread, NULL);
  test_node_deinit(&t);
}

// ---- dovetail/plugin.h ----

static void add_range(void *arg, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_llong *)arg, end - begin);
}

static int threads_seen;
static void loop(TF_OpKernelContext *ctx) {
  atomic_llong sum = 0;
  threads_seen = dvt_num_threads(ctx);
  dvt_parallel_for(ctx, 1000, 100000, add_range, &sum);
  assert_int_equal(atomic_load(&sum), 1000);
  pass_input(ctx);
}

static void test_parallel_for(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  assert_ok(run(&t, loop));
  assert_int_equal(threads_seen, 1);
  assert_ok(dvt_pool_create(3, &t.step.pool));
  assert_ok(run(&t, loop));
  assert_int_equal(threads_seen, 3);
  dvt_pool_destroy(t.step.pool);
  test_node_deinit(&t);
}

static bool stable_seen[4];
static void ask_stable(TF_OpKernelContext *ctx) {
  for (int i = 0; i < 4; i++) stable_seen[i] = dvt_input_is_stable(ctx, i - 1);
  pass_input(ctx);
}

static void test_input_is_stable(void **state) {
  (void)state;
  static const bool stable[1] = {true};
  test_node t;
  start(&t, "One");
  assert_ok(run(&t, ask_stable));
  for (int i = 0; i < 4; i++) assert_false(stable_seen[i]);
  t.ctx.stable_inputs = stable;
  assert_ok(run(&t, ask_stable));
  assert_false(stable_seen[0]);  // index -1
  assert_true(stable_seen[1]);
  assert_false(stable_seen[2]);  // beyond the inputs
  t.ctx.stable_inputs = NULL;
  test_node_deinit(&t);
}

static void test_allocate_lasting(void **state) {
  (void)state;
  TF_Tensor *kept = dvt_allocate_lasting(100000);
  assert_int_equal(TF_TensorType(kept), TF_UINT8);
  assert_int_equal(TF_NumDims(kept), 1);
  assert_int_equal(TF_Dim(kept, 0), 100000);
  assert_int_equal((uintptr_t)TF_TensorData(kept) % 64, 0);
  memset(TF_TensorData(kept), 1, TF_TensorByteSize(kept));
  TF_DeleteTensor(kept);
  kept = dvt_allocate_lasting(0);
  assert_non_null(kept);
  TF_DeleteTensor(kept);
  assert_null(dvt_allocate_lasting(SIZE_MAX));
  assert_null(dvt_allocate_lasting(SIZE_MAX / 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_137_input_index),
      cmocka_unit_test(test_rule_138_handles),
      cmocka_unit_test(test_rule_139_missing_input),
      cmocka_unit_test(test_rule_145_zero_elements),
      cmocka_unit_test(test_rule_146_input_range),
      cmocka_unit_test(test_rule_148_dtype_index_fails_the_kernel),
      cmocka_unit_test(test_rules_149_150_host_memory),
      cmocka_unit_test(test_rules_151_174_to_178_surroundings),
      cmocka_unit_test(test_rule_178_protos),
      cmocka_unit_test(test_rule_142_input_is_the_live_buffer),
      cmocka_unit_test(test_rule_140_input_without_value),
      cmocka_unit_test(test_rule_177_views_outlast_compute),
      cmocka_unit_test(test_rule_172_first_error_wins),
      cmocka_unit_test(test_rule_136_helper_threads),
      cmocka_unit_test(test_rules_179_to_182_async),
      cmocka_unit_test(test_rule_184_step_waits_for_deferred_ops),
      cmocka_unit_test(test_parallel_for),
      cmocka_unit_test(test_input_is_stable),
      cmocka_unit_test(test_allocate_lasting),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
