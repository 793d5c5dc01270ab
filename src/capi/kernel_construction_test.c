// What create functions read: rules 114 to 134. Each test's create function runs inside dvt_kernel_create.
#include "capi/construction_test_util.h"

#include "base/wire.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"

static int creates, deletes;
static void *last_deleted;

static void *create(TF_OpKernelConstruction *ctx) {
  creates++;
  if (probe) probe(ctx);
  return &creates;
}
static void destroy(void *kernel) {
  deletes++;
  last_deleted = kernel;
}

static int setup(void **state) {
  status = TF_NewStatus();
  test_op("Made",
          SPECS("a:i: int = 5", "a:big: int = 1099511627776", "a:f: float = 1.5", "a:b: bool = true",
                "a:s: string = 'hello'", "a:t: type = DT_INT32",
                "a:sh: shape = { dim { size: 2 } dim { size: 3 } }", "a:ush: shape = { unknown_rank: true }",
                "a:psh: shape = { dim { size: 2 } dim { size: -1 } }", "a:e: string = ''",
                "a:te: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 5 int_val: 6 }",
                "a:fn: func = { name: 'foo' }", "a:required: int"));
  test_op("Lists",
          SPECS("a:i: list(int) = [1, 2, 1099511627777]", "a:f: list(float) = [0.5, 2.0]",
                "a:b: list(bool) = [true, false, true]", "a:s: list(string) = ['ab', '', 'cde']",
                "a:t: list(type) = [DT_FLOAT, DT_STRING]", "a:e: list(int) = []",
                "a:sh: list(shape) = [{ dim { size: 2 } dim { size: 3 } }, { unknown_rank: true }, {}]",
                "a:te: list(tensor) = [{ dtype: DT_FLOAT tensor_shape { } float_val: 7 }]",
                "a:fn: list(func) = [{ name: 'foo' }, { name: 'bar' }]", "a:one: int = 1"));
  test_register(TF_NewKernelBuilder("Made", "CPU", create, compute, destroy));
  test_register(TF_NewKernelBuilder("Lists", "CPU", create, compute, destroy));
  return test_setup(state);
}

static dvt_status run_create(const char *op, void (*with)(TF_OpKernelConstruction *ctx)) {
  return create_node(op, strcmp(op, "Made") == 0 ? "required" : NULL, 1, with);
}

static void test_rule_115_delete_gets_what_create_returned(void **state) {
  (void)state;
  creates = deletes = 0;
  assert_ok(run_create("Made", NULL));
  assert_int_equal(creates, 1);
  assert_int_equal(deletes, 1);
  assert_ptr_equal(last_deleted, &creates);
}

static void fail_three_times(TF_OpKernelConstruction *ctx) {
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_SetStatus(status, TF_ABORTED, "first reason");
  TF_OpKernelConstruction_Failure(ctx, status);
  TF_SetStatus(status, TF_UNKNOWN, "second reason");
  TF_OpKernelConstruction_Failure(ctx, status);
}

static void test_rules_116_117_first_failure_wins(void **state) {
  (void)state;
  creates = deletes = 0;
  assert_status(run_create("Made", fail_three_times), TF_ABORTED, "first reason");
  assert_int_equal(creates, 1);
  assert_int_equal(deletes, 1);
  assert_ptr_equal(last_deleted, &creates);
}

static void test_rule_094_no_create_no_delete(void **state) {
  (void)state;
  test_node t;
  test_op("Bare", SPECS("i:x: float"));
  test_register(TF_NewKernelBuilder("Bare", "CPU", NULL, compute, NULL));
  test_node_init(&t, "Bare", "n");
  assert_ok(test_node_create(&t));
  assert_null(t.kernel.state);
  test_node_deinit(&t);
}

static void scalars(TF_OpKernelConstruction *ctx) {
  int32_t i32 = 0;
  int64_t i64 = 0;
  float f = 0;
  TF_Bool b = 9;
  TF_DataType type = 0;
  TF_SetStatus(status, TF_UNKNOWN, "before");
  TF_OpKernelConstruction_GetAttrInt32(ctx, "i", &i32, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(i32, 5);
  TF_OpKernelConstruction_GetAttrInt64(ctx, "big", &i64, status);
  assert_int_equal(i64, 1099511627776);
  TF_OpKernelConstruction_GetAttrFloat(ctx, "f", &f, status);
  assert_true(f == 1.5f);
  TF_OpKernelConstruction_GetAttrBool(ctx, "b", &b, status);
  assert_int_equal(b, 1);
  TF_OpKernelConstruction_GetAttrType(ctx, "t", &type, status);
  assert_int_equal(type, TF_INT32);
  assert_tf_status(status, TF_OK, "");
}

static void missing_and_wrong(TF_OpKernelConstruction *ctx) {
  int32_t i32 = 77;
  int64_t i64 = 77;
  float f = 77;
  TF_Bool b = 77;
  TF_DataType type = (TF_DataType)77;
  char text[4] = "abc";
  TF_Tensor *tensor = (TF_Tensor *)&i32;
  TF_OpKernelConstruction_GetAttrInt32(ctx, "x", &i32, status);
  assert_tf_status(status, TF_NOT_FOUND, "No attr named 'x' in NodeDef");
  assert_tf_status(status, TF_NOT_FOUND, "{{node n}}");
  TF_OpKernelConstruction_GetAttrInt64(ctx, "s", &i64, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "AttrValue had value with type 'string' when 'int' expected");
  TF_OpKernelConstruction_GetAttrFloat(ctx, "i", &f, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'float' expected");
  TF_OpKernelConstruction_GetAttrBool(ctx, "i", &b, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'bool' expected");
  TF_OpKernelConstruction_GetAttrType(ctx, "i", &type, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'type' expected");
  TF_OpKernelConstruction_GetAttrString(ctx, "i", text, sizeof text, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'string' expected");
  assert_true(i32 == 77 && i64 == 77 && f == 77 && b == 77 && (int)type == 77);
  assert_string_equal(text, "abc");
  TF_OpKernelConstruction_GetAttrTensor(ctx, "i", &tensor, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'tensor' expected");
  assert_null(tensor);
}

static void test_rule_119_scalars(void **state) {
  (void)state;
  assert_ok(run_create("Made", scalars));
  assert_ok(run_create("Made", missing_and_wrong));
}

static void list_errors(TF_OpKernelConstruction *ctx) {
  int32_t n = 77, list = 0, total = 0;
  int64_t n64 = 77;
  float f = 77;
  TF_Bool b = 77;
  TF_DataType type = (TF_DataType)77;
  TF_OpKernelConstruction_GetAttrInt32List(ctx, "x", &n, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Operation 'n' has no attr named 'x'.");
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "one", &n64, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Attribute 'one' is not a list.");
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "i", &f, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  TF_OpKernelConstruction_GetAttrBoolList(ctx, "s", &b, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  TF_OpKernelConstruction_GetAttrTypeList(ctx, "x", &type, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "has no attr named");
  assert_true(n == 77 && n64 == 77 && f == 77 && b == 77 && (int)type == 77);
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrSize(ctx, "x", &list, &total, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Operation 'n' has no attr named 'x'.");
  assert_true(list == -1 && total == -1);
}

static void test_rule_120_list_errors(void **state) {
  (void)state;
  assert_ok(run_create("Lists", list_errors));
}

static void string_and_tensor_list_errors(TF_OpKernelConstruction *ctx) {
  char *values[1], storage[8];
  size_t lengths[1];
  TF_Tensor *tensor = NULL;
  TF_OpKernelConstruction_GetAttrStringList(ctx, "x", values, lengths, 1, storage, sizeof storage, status);
  assert_tf_status(status, TF_NOT_FOUND, "No attr named 'x'");
  TF_OpKernelConstruction_GetAttrTensorList(ctx, "x", &tensor, 1, status);
  assert_tf_status(status, TF_NOT_FOUND, "No attr named 'x'");
  TF_OpKernelConstruction_GetAttrTensorList(ctx, "i", &tensor, 1, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_null(tensor);
}

static void test_rule_121_string_and_tensor_list_errors(void **state) {
  (void)state;
  assert_ok(run_create("Lists", string_and_tensor_list_errors));
}

static void int32_range(TF_OpKernelConstruction *ctx) {
  int32_t n = 77;
  TF_OpKernelConstruction_GetAttrInt32(ctx, "big", &n, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Attr big has value 1099511627776 out of range for an int32");
  assert_int_equal(n, 77);
}

static void lists(TF_OpKernelConstruction *ctx) {
  int32_t i32[4] = {9, 9, 9, 9};
  int64_t i64[3] = {0};
  float f[2] = {0};
  TF_Bool b[3] = {9, 9, 9};
  TF_DataType types[2] = {0};
  TF_OpKernelConstruction_GetAttrInt32List(ctx, "i", i32, 4, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(i32[0] == 1 && i32[1] == 2 && i32[2] == 1 && i32[3] == 9);  // rule 122: truncated silently
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "i", i64, 3, status);
  assert_true(i64[2] == 1099511627777);
  // Rule 123: fewer asked for, or a negative number of them.
  i64[0] = i64[1] = 7;
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "i", i64, 1, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(i64[0] == 1 && i64[1] == 7);
  i64[0] = 7;
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "i", i64, -1, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(i64[0] == 7);
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "f", f, 2, status);
  assert_true(f[0] == 0.5f && f[1] == 2.0f);
  TF_OpKernelConstruction_GetAttrBoolList(ctx, "b", b, 3, status);
  assert_true(b[0] == 1 && b[1] == 0 && b[2] == 1);
  TF_OpKernelConstruction_GetAttrTypeList(ctx, "t", types, 2, status);
  assert_true(types[0] == TF_FLOAT && types[1] == TF_STRING);
  // Rule 124: an empty list is a list of any kind.
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "e", f, 2, status);
  assert_tf_status(status, TF_OK, "");
}

static void test_rules_122_to_124_lists(void **state) {
  (void)state;
  assert_ok(run_create("Made", int32_range));
  assert_ok(run_create("Lists", lists));
}

static void strings(TF_OpKernelConstruction *ctx) {
  char text[8] = "zzzzzzz";
  TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 3, status);
  assert_tf_status(status, TF_OK, "");
  assert_string_equal(text, "helzzzz");
  TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 7, status);
  assert_string_equal(text, "hellozz");
  TF_OpKernelConstruction_GetAttrString(ctx, "s", NULL, 0, status);
  assert_tf_status(status, TF_OK, "");
}

static void string_lists(TF_OpKernelConstruction *ctx) {
  char *values[3], storage[5];
  size_t lengths[3] = {0};
  TF_OpKernelConstruction_GetAttrStringList(ctx, "s", values, lengths, 3, storage, sizeof storage, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(lengths[0] == 2 && lengths[1] == 0 && lengths[2] == 3);
  assert_true(values[0] == storage && values[1] == storage + 2 && values[2] == storage + 2);
  assert_memory_equal(storage, "abcde", 5);
  memset(storage, 'z', sizeof storage);
  TF_OpKernelConstruction_GetAttrStringList(ctx, "s", values, lengths, 3, storage, 4, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Not enough storage");
  assert_memory_equal(storage, "abzzz", 5);
  assert_int_equal(lengths[2], 3);
  TF_OpKernelConstruction_GetAttrStringList(ctx, "s", values, lengths, 1, storage, 2, status);
  assert_tf_status(status, TF_OK, "");
}

static void test_rules_125_126_strings(void **state) {
  (void)state;
  assert_ok(run_create("Made", strings));
  assert_ok(run_create("Lists", string_lists));
}

static void check_size(TF_OpKernelConstruction *ctx, const char *attr, int32_t list, int32_t total) {
  int32_t got_list = 99, got_total = 99;
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrSize(ctx, attr, &got_list, &got_total, status);
  assert_tf_status(status, TF_OK, "");
  if (got_list != list || got_total != total) print_error("%s: %d %d\n", attr, got_list, got_total);
  assert_true(got_list == list && got_total == total);
}

static void scalar_sizes(TF_OpKernelConstruction *ctx) {
  check_size(ctx, "i", -1, -1);
  check_size(ctx, "f", -1, -1);
  check_size(ctx, "b", -1, -1);
  check_size(ctx, "t", -1, -1);
  check_size(ctx, "te", -1, -1);
  check_size(ctx, "fn", -1, -1);
  check_size(ctx, "s", -1, 5);
  check_size(ctx, "sh", -1, 2);
  check_size(ctx, "ush", -1, -1);
}

static void list_sizes(TF_OpKernelConstruction *ctx) {
  check_size(ctx, "i", 3, -1);
  check_size(ctx, "f", 2, -1);
  check_size(ctx, "b", 3, -1);
  check_size(ctx, "t", 2, -1);
  check_size(ctx, "te", 1, -1);
  check_size(ctx, "s", 3, 5);
  check_size(ctx, "sh", 3, 2);
  check_size(ctx, "e", 0, -1);   // rule 128
  check_size(ctx, "fn", 0, -1);  // rule 128
}

static void size_with_error(TF_OpKernelConstruction *ctx) {
  int32_t list = 9, total = 9;
  TF_SetStatus(status, TF_ABORTED, "earlier");
  TF_OpKernelConstruction_GetAttrSize(ctx, "i", &list, &total, status);
  assert_tf_status(status, TF_ABORTED, "earlier");
  assert_true(list == -1 && total == -1);
}

static void test_rules_127_to_129_sizes(void **state) {
  (void)state;
  assert_ok(run_create("Made", scalar_sizes));
  assert_ok(run_create("Lists", list_sizes));
  assert_ok(run_create("Made", size_with_error));
}

static void tensor(TF_OpKernelConstruction *ctx) {
  TF_Tensor *t = NULL;
  TF_OpKernelConstruction_GetAttrTensor(ctx, "te", &t, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorType(t), TF_INT32);
  assert_int_equal(TF_TensorElementCount(t), 2);
  assert_int_equal(((int32_t *)TF_TensorData(t))[1], 6);
  TF_DeleteTensor(t);
}

static void tensor_list(TF_OpKernelConstruction *ctx) {
  TF_Tensor *t[2] = {NULL, (TF_Tensor *)&status};
  TF_OpKernelConstruction_GetAttrTensorList(ctx, "te", t, 2, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(*(float *)TF_TensorData(t[0]) == 7.0f);
  assert_ptr_equal(t[1], &status);
  TF_DeleteTensor(t[0]);
}

static void test_rule_130_tensors(void **state) {
  (void)state;
  assert_ok(run_create("Made", tensor));
  assert_ok(run_create("Lists", tensor_list));
}

static void function(TF_OpKernelConstruction *ctx) {
  TF_Buffer *buffer = TF_OpKernelConstruction_GetAttrFunction(ctx, "fn", status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(buffer->length, 5);  // NameAttrList{1: "foo"}
  assert_memory_equal(buffer->data,
                      "\x0a\x03"
                      "foo",
                      5);
  TF_DeleteBuffer(buffer);
  assert_null(TF_OpKernelConstruction_GetAttrFunction(ctx, "i", status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'func' expected");
}

static void node(TF_OpKernelConstruction *ctx) {
  TF_SetStatus(status, TF_ABORTED, "untouched");
  assert_true(TF_OpKernelConstruction_HasAttr(ctx, "i", status));
  assert_false(TF_OpKernelConstruction_HasAttr(ctx, "x", status));
  assert_tf_status(status, TF_ABORTED, "untouched");
  TF_StringView name = TF_OpKernelConstruction_GetName(ctx);
  assert_int_equal(name.len, 1);
  assert_int_equal(name.data[0], 'n');
  TF_Buffer *def = TF_OpKernelConstruction_GetNodeDef(ctx, status);
  assert_tf_status(status, TF_OK, "");
  // Rule 133: fields 1 name, 2 op; defaults are filled in, so attr "s" is there with its value.
  assert_memory_equal(def->data,
                      "\x0a\x01n\x12\x04"
                      "Made",
                      9);
  assert_non_null(memmem(def->data, def->length, "hello", 5));
  TF_DeleteBuffer(def);
}

static void test_rules_131_to_133_node(void **state) {
  (void)state;
  assert_ok(run_create("Made", function));
  assert_ok(run_create("Made", node));
}

static void shape(TF_OpKernelConstruction *ctx) {
  int64_t dims[3] = {9, 9, 9};
  TF_OpKernelConstruction_GetAttrTensorShape(ctx, "sh", dims, 2, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(dims[0] == 2 && dims[1] == 3);
  dims[0] = 9;
  TF_OpKernelConstruction_GetAttrTensorShape(ctx, "sh", dims, 3, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "Expected rank is 3 but actual rank is 2");
  TF_OpKernelConstruction_GetAttrTensorShape(ctx, "ush", dims, 0, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "unknown rank");
  TF_OpKernelConstruction_GetAttrTensorShape(ctx, "psh", dims, 2, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "dimension 1 is unknown");
  TF_OpKernelConstruction_GetAttrTensorShape(ctx, "i", dims, 2, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "type 'int' when 'shape' expected");
  assert_int_equal(dims[0], 9);
}

static void test_rule_134_shape(void **state) {
  (void)state;
  assert_ok(run_create("Made", shape));
}

static void test_rule_068_deprecated_op(void **state) {
  (void)state;
  test_node t;
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Gone");
  TF_OpDefinitionBuilderDeprecated(builder, 12, "Use another.");
  TF_RegisterOpDefinition(builder, status);
  assert_tf_status(status, TF_OK, "");
  test_register(TF_NewKernelBuilder("Gone", "CPU", NULL, compute, NULL));
  test_node_init(&t, "Gone", "n");
  assert_status(test_node_create(&t), TF_UNIMPLEMENTED, "It has been removed in version 12. Use another.");
  test_node_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_115_delete_gets_what_create_returned),
      cmocka_unit_test(test_rules_116_117_first_failure_wins),
      cmocka_unit_test(test_rule_094_no_create_no_delete),
      cmocka_unit_test(test_rule_119_scalars),
      cmocka_unit_test(test_rule_120_list_errors),
      cmocka_unit_test(test_rule_121_string_and_tensor_list_errors),
      cmocka_unit_test(test_rules_122_to_124_lists),
      cmocka_unit_test(test_rules_125_126_strings),
      cmocka_unit_test(test_rules_127_to_129_sizes),
      cmocka_unit_test(test_rule_130_tensors),
      cmocka_unit_test(test_rules_131_to_133_node),
      cmocka_unit_test(test_rule_134_shape),
      cmocka_unit_test(test_rule_068_deprecated_op),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
