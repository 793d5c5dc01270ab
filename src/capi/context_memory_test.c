// dovetail/kernel_context.h: allocation with attributes, the ways of forwarding, aliasing, and what the node
// and its device are called. Each function also in wrong use.
#include "base/wire.h"
#include "capi/kernel_context_test_util.h"
#include "dovetail/kernel_context.h"

#define ATTRIBUTES(...)                       \
  (&(TF_OpKernelContext_AllocatorAttributes){ \
      .struct_size = TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, __VA_ARGS__})

#define assert_names_node(code, part)          \
  do {                                         \
    assert_tf_status(status, code, part);      \
    assert_tf_status(status, code, "{{node "); \
    assert_tf_status(status, code, "op '");    \
  } while (0)

static const int64_t three = 3, four = 4, one_three[] = {1, 3};

static int setup_memory(void **state) {
  setup(state);
  test_op("OnHost", SPECS("i:x: float", "o:y: float", "o:h: float"));
  TF_KernelBuilder *builder = TF_NewKernelBuilder("OnHost", "CPU", NULL, compute, NULL);
  TF_KernelBuilder_HostMemory(builder, "h");
  test_register(builder);
  return 0;
}

// ---- attributes ----

static void attributes(TF_OpKernelContext *ctx) {
  TF_OpKernelContext_AllocatorAttributes a = *ATTRIBUTES(.scope_id = 5, .gpu_compatible = 1);
  TF_OpKernelContext_OutputAllocatorAttributes(ctx, 0, &a, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(!a.on_host && !a.gpu_compatible && a.scope_id == 0);
  TF_OpKernelContext_OutputAllocatorAttributes(ctx, 1, &a, status);
  assert_true(a.on_host);
  TF_OpKernelContext_InputAllocatorAttributes(ctx, 0, &a, status);
  assert_tf_status(status, TF_OK, "");
  assert_false(a.on_host);
  TF_OpKernelContext_InputAllocatorAttributes(ctx, 1, &a, status);
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 1");
  TF_OpKernelContext_OutputAllocatorAttributes(ctx, 2, &a, status);
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 2");
  TF_OpKernelContext_OutputAllocatorAttributes(ctx, 0, NULL, status);
  assert_names_node(TF_INVALID_ARGUMENT, "are NULL");
  a.struct_size = 1;
  TF_OpKernelContext_InputAllocatorAttributes(ctx, 0, &a, status);
  assert_names_node(TF_INVALID_ARGUMENT, "struct_size is 1");

  TF_DeleteTensor(TF_OpKernelContext_AllocateOutput(ctx, 0, &three, 1, ATTRIBUTES(.on_host = 1), status));
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(TF_OpKernelContext_AllocateOutput(ctx, 1, NULL, 0, NULL, status));
  assert_tf_status(status, TF_OK, "");
  assert_null(TF_OpKernelContext_AllocateOutput(ctx, 1, NULL, 0, NULL, status));
  assert_names_node(TF_INTERNAL, "on same index multiple times");
  assert_null(TF_OpKernelContext_AllocateOutput(ctx, 7, NULL, 0, NULL, status));
  assert_names_node(TF_INTERNAL, "bad index=7");
}

static void bad_attributes(TF_OpKernelContext *ctx) {
  assert_null(TF_OpKernelContext_AllocateOutput(ctx, 0, &three, 1, ATTRIBUTES(.scope_id = 3), status));
  assert_names_node(TF_INVALID_ARGUMENT, "scope_id 3");
  assert_null(TF_OpKernelContext_AllocateTemp(ctx, TF_FLOAT, &three, 1, ATTRIBUTES(.scope_id = 3), status));
  assert_names_node(TF_INVALID_ARGUMENT, "scope_id 3");
  TF_OpKernelContext_AllocatorAttributes none = {0};
  assert_null(TF_OpKernelContext_AllocateTemp(ctx, TF_FLOAT, &three, 1, &none, status));
  assert_names_node(TF_INVALID_ARGUMENT, "struct_size is 0");
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &three, 1, &none, status));
  assert_names_node(TF_INVALID_ARGUMENT, "struct_size is 0");
  pass_input(ctx);
}

static void test_rule_163_attributes(void **state) {
  (void)state;
  assert_ok(run_once("OnHost", attributes));
  assert_ok(run_once("One", bad_attributes));
}

static void temp(TF_OpKernelContext *ctx) {
  TF_Tensor *t = TF_OpKernelContext_AllocateTemp(ctx, TF_INT32, &four, 1,
                                                 ATTRIBUTES(.on_host = 1, .nic_compatible = 1), status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorByteSize(t), 16);
  TF_DeleteTensor(t);
  t = TF_OpKernelContext_AllocateTemp(ctx, TF_FLOAT, &four, 1, NULL, status);
  TF_SetOutput(ctx, 0, t, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(t);
}

static void bad_temp(TF_OpKernelContext *ctx) {
  const int64_t bad = -1;
  assert_null(TF_OpKernelContext_AllocateTemp(ctx, (TF_DataType)77, &four, 1, NULL, status));
  assert_names_node(TF_INVALID_ARGUMENT, "unknown type 77");
  assert_null(TF_OpKernelContext_AllocateTemp(ctx, TF_FLOAT, &bad, 1, NULL, status));
  assert_names_node(TF_INVALID_ARGUMENT, "negative dimension");
}

static void test_rule_164_165_temp_with_attributes(void **state) {
  (void)state;
  assert_ok(run_once("One", temp));
  assert_status(run_once("One", bad_temp), TF_INVALID_ARGUMENT, "unknown type 77");
}

static void raw(TF_OpKernelContext *ctx) {
  char *p = TF_OpKernelContext_AllocateRaw(ctx, NULL, 256, 1000, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal((uintptr_t)p % 256, 0);
  memset(p, 1, 1000);
  TF_OpKernelContext_DeallocateRaw(p);
  p = TF_OpKernelContext_AllocateRaw(ctx, ATTRIBUTES(.on_host = 1), 1, 0, status);
  assert_non_null(p);
  assert_int_equal((uintptr_t)p % 64, 0);
  TF_OpKernelContext_DeallocateRaw(p);
  TF_OpKernelContext_DeallocateRaw(NULL);
  assert_null(TF_OpKernelContext_AllocateRaw(ctx, NULL, 24, 8, status));
  assert_names_node(TF_INVALID_ARGUMENT, "24 bytes is no power of two");
  assert_null(TF_OpKernelContext_AllocateRaw(ctx, NULL, 0, 8, status));
  assert_names_node(TF_INVALID_ARGUMENT, "0 bytes");
  dvt_alloc_fail_at(1);
  assert_null(TF_OpKernelContext_AllocateRaw(ctx, NULL, 64, 8, status));
  dvt_alloc_fail_at(0);
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "");
  pass_input(ctx);
}

static void test_raw_memory(void **state) {
  (void)state;
  assert_ok(run_once("One", raw));
}

// ---- forwarding ----

static const void *input_data;

static void forward_to_temp(TF_OpKernelContext *ctx) {
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_INT32, &three, 1, NULL, status));  // another dtype
  assert_tf_status(status, TF_OK, "");
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &four, 1, NULL, status));  // another size
  assert_tf_status(status, TF_OK, "");
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &three, 1, ATTRIBUTES(.on_host = 1), status));
  assert_null(
      TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &three, 1, ATTRIBUTES(.gpu_compatible = 1), status));
  TF_Tensor *t = TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, one_three, 2, NULL, status);
  assert_tf_status(status, TF_OK, "");
  assert_ptr_equal(TF_TensorData(t), input_data);
  assert_int_equal(TF_NumDims(t), 2);
  assert_true(((float *)TF_TensorData(t))[1] == 2);
  // Now two need it: neither a second time nor to an output.
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &three, 1, NULL, status));
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 0, &three, 1, status));
  assert_tf_status(status, TF_OK, "");
  TF_SetOutput(ctx, 0, t, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(TF_OpKernelContext_OutputSharesInput(ctx, 0, 0, status));
  TF_DeleteTensor(t);
}

static void forward_badly(TF_OpKernelContext *ctx) {
  const int64_t bad = -3;
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 1, TF_FLOAT, &three, 1, NULL, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 1");
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &bad, 1, NULL, status));
  assert_names_node(TF_INVALID_ARGUMENT, "negative dimension");
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 4, 0, &three, 1, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 4");
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 4, &three, 1, status));
  assert_names_node(TF_INTERNAL, "bad index=4");
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 0, &bad, 1, status));
  assert_names_node(TF_INVALID_ARGUMENT, "negative dimension");
  pass_input(ctx);
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 0, &three, 1, status));
  assert_names_node(TF_INTERNAL, "on same index multiple times");
}

static void test_rule_168_forward_input_to_temp(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  t.last_use[0] = true;
  input_data = t.values[0].data;
  assert_ok(run(&t, forward_to_temp));
  test_node_deinit(&t);
  assert_ok(run_once("One", forward_badly));
}

static void forward_to_output(TF_OpKernelContext *ctx) {
  TF_Tensor *y = TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 0, one_three, 2, status);
  assert_tf_status(status, TF_OK, "");
  assert_ptr_equal(TF_TensorData(y), input_data);
  assert_int_equal(TF_NumDims(y), 2);
  TF_DeleteTensor(y);
}

static void forward_in_vain(TF_OpKernelContext *ctx) {
  TF_Tensor *x = input(ctx, 0);
  assert_null(TF_OpKernelContext_ForwardInputToOutputWithShape(ctx, 0, 0, &three, 1, status));
  assert_tf_status(status, TF_OK, "");
  assert_null(TF_OpKernelContext_ForwardInput(ctx, 0, TF_FLOAT, &three, 1, NULL, status));
  TF_SetOutput(ctx, 0, x, status);
  assert_tf_status(status, TF_OK, "");  // the output is as before
  TF_DeleteTensor(x);
}

static void test_rule_168_169_forward_input_to_output(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  t.last_use[0] = true;
  input_data = t.values[0].data;
  assert_ok(run(&t, forward_to_output));
  assert_int_equal(t.outputs[0].tensor.rank, 2);
  test_node_reset_outputs(&t);
  assert_ok(run(&t, forward_in_vain));  // a handle is held
  test_node_reset_outputs(&t);
  t.last_use[0] = false;
  assert_ok(run(&t, forward_in_vain));  // somebody reads it later
  test_node_deinit(&t);
}

static void forward_or_temp(TF_OpKernelContext *ctx) {
  int from = -7;
  TF_Tensor *t = TF_OpKernelContext_ForwardInputOrAllocateTemp(ctx, (int[]){0, 1}, 2, TF_FLOAT, &three, 1,
                                                               NULL, &from, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(from, 1);
  assert_ptr_equal(TF_TensorData(t), input_data);
  TF_SetOutput(ctx, 0, t, status);
  TF_DeleteTensor(t);
  t = TF_OpKernelContext_ForwardInputOrAllocateTemp(ctx, (int[]){0, 1}, 2, TF_FLOAT, &three, 1, NULL, &from,
                                                    status);
  assert_int_equal(from, -1);
  memset(TF_TensorData(t), 0, TF_TensorByteSize(t));
  TF_SetOutput(ctx, 1, t, status);
  TF_DeleteTensor(t);
  t = TF_OpKernelContext_ForwardInputOrAllocateTemp(ctx, NULL, 0, TF_INT32, NULL, 0, NULL, NULL, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(t);
  from = -7;
  assert_null(TF_OpKernelContext_ForwardInputOrAllocateTemp(ctx, (int[]){2}, 1, TF_FLOAT, &three, 1, NULL,
                                                            &from, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 2");
  assert_null(
      TF_OpKernelContext_ForwardInputOrAllocateTemp(ctx, NULL, 3, TF_FLOAT, &three, 1, NULL, &from, status));
  assert_names_node(TF_INVALID_ARGUMENT, "3 candidate inputs were given as NULL");
  assert_int_equal(from, -7);
}

static void test_rule_168_170_forward_or_temp(void **state) {
  (void)state;
  test_node t;
  start(&t, "Two");
  t.last_use[1] = true;
  input_data = t.values[1].data;
  assert_ok(run(&t, forward_or_temp));
  test_node_deinit(&t);
}

// ---- what is expected of an output ----

static void required(TF_OpKernelContext *ctx) {
  assert_true(TF_OpKernelContext_OutputRequired(ctx, 0, status));
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_OpKernelContext_OutputRequired(ctx, 1, status), ctx->unread_outputs == NULL);
  assert_true(TF_OpKernelContext_OutputRequired(ctx, 2, status));
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 2");
  pass_input(ctx);
  if (ctx->unread_outputs) return;
  TF_Tensor *x = input(ctx, 0);
  TF_SetOutput(ctx, 1, x, status);
  TF_DeleteTensor(x);
}

static void test_output_required(void **state) {
  (void)state;
  test_node t;
  start(&t, "Two");
  assert_ok(run(&t, required));
  t.ctx.unread_outputs = (const bool[]){false, true};
  assert_ok(run(&t, required));
  test_node_deinit(&t);
}

static bool expected;

static void expects(TF_OpKernelContext *ctx) {
  assert_false(TF_OpKernelContext_OutputExpectsForwarding(ctx, 0, status));
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_OpKernelContext_OutputExpectsForwarding(ctx, 1, status), expected);
  assert_false(TF_OpKernelContext_OutputExpectsForwarding(ctx, 2, status));
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 2");
  TF_Tensor *x = input(ctx, 0);
  TF_SetOutput(ctx, 0, x, status);
  TF_SetOutput(ctx, 1, x, status);
  TF_DeleteTensor(x);
}

static void test_rule_171_wish_to_forward(void **state) {
  (void)state;
  test_node t;
  start(&t, "Two");
  expected = false;
  assert_ok(run(&t, expects));
  dvt_buf value = {0};
  dvt_buf list = {0};
  dvt_wire_put_varint(&list, 3, 0);  // AttrValue.list.i
  dvt_wire_put_varint(&list, 3, 1);
  dvt_wire_put_bytes(&value, 1, dvt_buf_str(&list));
  dvt_buf_deinit(&list);
  test_node_attr(&t, "_forward_input", &value);
  expected = true;
  assert_ok(run(&t, expects));
  test_node_deinit(&t);
}

// ---- aliasing ----

static bool aliased;

static void alias(TF_OpKernelContext *ctx) {
  assert_int_equal(TF_OpKernelContext_InputsShareMemory(ctx, 0, 1, status), aliased);
  assert_tf_status(status, TF_OK, "");
  assert_true(TF_OpKernelContext_InputsShareMemory(ctx, 1, 1, status));
  assert_false(TF_OpKernelContext_InputsShareMemory(ctx, 0, 2, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 2");
  assert_false(TF_OpKernelContext_InputsShareMemory(ctx, -1, 0, status));
  assert_names_node(TF_OUT_OF_RANGE, "-1");
  assert_false(TF_OpKernelContext_OutputSharesInput(ctx, 0, 0, status));
  assert_names_node(TF_FAILED_PRECONDITION, "output 0 is not set yet");
  assert_false(TF_OpKernelContext_OutputSharesInput(ctx, 2, 0, status));
  assert_names_node(TF_OUT_OF_RANGE, "output index out of range: 2");
  pass_input(ctx);
  TF_DeleteTensor(TF_AllocateOutput(ctx, 1, TF_FLOAT, &three, 1, 0, status));
  assert_false(TF_OpKernelContext_OutputSharesInput(ctx, 0, 5, status));
  assert_names_node(TF_OUT_OF_RANGE, "input index out of range: 5");
  assert_true(TF_OpKernelContext_OutputSharesInput(ctx, 0, 0, status));
  assert_int_equal(TF_OpKernelContext_OutputSharesInput(ctx, 0, 1, status), aliased);
  assert_false(TF_OpKernelContext_OutputSharesInput(ctx, 1, 0, status));
}

static void test_aliasing(void **state) {
  (void)state;
  test_node t;
  start(&t, "Two");
  aliased = false;
  assert_ok(run(&t, alias));
  aliased = true;
  t.inputs[1] = &t.values[0];
  assert_ok(run(&t, alias));
  test_node_deinit(&t);
}

// ---- node and device ----

static bool is(TF_StringView view, const char *text) {
  return view.len == strlen(text) && memcmp(view.data, text, view.len) == 0;
}

static void describe(TF_OpKernelContext *ctx) {
  dvt_field field;
  assert_true(is(TF_OpKernelContext_TypeString(ctx), "One"));
  assert_true(is(TF_OpKernelContext_RequestedDevice(ctx), "/device:CPU:0"));
  assert_true(is(TF_OpKernelContext_DeviceType(ctx), "CPU"));
  TF_Buffer *def = TF_OpKernelContext_GetNodeDef(ctx, status);
  assert_tf_status(status, TF_OK, "");
  dvt_str bytes = dvt_str_make(def->data, def->length);
  assert_true(dvt_wire_find(bytes, 1, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "n"));
  assert_true(dvt_wire_find(bytes, 2, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "One"));
  assert_true(dvt_wire_find(bytes, 3, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "producer"));
  TF_DeleteBuffer(def);
  TF_Buffer *device = TF_OpKernelContext_GetDeviceAttributes(ctx, status);
  assert_tf_status(status, TF_OK, "");
  bytes = dvt_str_make(device->data, device->length);
  assert_true(dvt_wire_find(bytes, 1, DVT_WIRE_BYTES, &field));
  assert_true(dvt_str_is(field.bytes, "/job:localhost/replica:0/task:0/device:CPU:0"));
  assert_true(dvt_wire_find(bytes, 2, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "CPU"));
  assert_true(dvt_wire_find(bytes, 4, DVT_WIRE_VARINT, &field));
  assert_int_equal(field.value, (uint64_t)dvt_device_cpu()->memory_bytes);
  assert_true(dvt_wire_find(bytes, 6, DVT_WIRE_FIXED64, &field));
  assert_int_equal(field.value, dvt_device_cpu()->incarnation);
  TF_DeleteBuffer(device);
  dvt_alloc_fail_at(1);
  assert_null(TF_OpKernelContext_GetNodeDef(ctx, status));
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "");
  assert_null(TF_OpKernelContext_GetDeviceAttributes(ctx, status));
  dvt_alloc_fail_at(0);
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "");
  assert_true(TF_OpKernelContext_IsExpensive(ctx));  // nobody has measured it
  pass_input(ctx);
}

static void test_rule_133_176_node_and_device(void **state) {
  (void)state;
  test_node t;
  start(&t, "One");
  t.node.device = DVT_STR("/device:CPU:0");
  assert_ok(run(&t, describe));
  test_node_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_163_attributes),
      cmocka_unit_test(test_rule_164_165_temp_with_attributes),
      cmocka_unit_test(test_raw_memory),
      cmocka_unit_test(test_rule_168_forward_input_to_temp),
      cmocka_unit_test(test_rule_168_169_forward_input_to_output),
      cmocka_unit_test(test_rule_168_170_forward_or_temp),
      cmocka_unit_test(test_output_required),
      cmocka_unit_test(test_rule_171_wish_to_forward),
      cmocka_unit_test(test_aliasing),
      cmocka_unit_test(test_rule_133_176_node_and_device),
  };
  return cmocka_run_group_tests(tests, setup_memory, teardown);
}
