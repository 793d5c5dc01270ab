// TF_ApiDefMap against what stock TensorFlow 2.21 answered to the same calls.
#include "base/testing.h"
#include "base/wire.h"
#include "tensorflow/c/c_api.h"

// OpList { op { name "Foo" input a (float, description "da"), input b (T), output y, attr T (default
// DT_INT32), summary, description } } in wire format, field numbers of op_def.proto.
static TF_Buffer *op_list(void) {
  dvt_buf b = {0};
  size_t op = dvt_wire_begin(&b, 1), inner;
  dvt_wire_put_bytes(&b, 1, DVT_STR("Foo"));
  inner = dvt_wire_begin(&b, 2);
  dvt_wire_put_bytes(&b, 1, DVT_STR("a"));
  dvt_wire_put_bytes(&b, 2, DVT_STR("da"));
  dvt_wire_put_varint(&b, 3, TF_FLOAT);
  dvt_wire_end(&b, inner);
  inner = dvt_wire_begin(&b, 2);
  dvt_wire_put_bytes(&b, 1, DVT_STR("b"));
  dvt_wire_put_bytes(&b, 4, DVT_STR("T"));
  dvt_wire_end(&b, inner);
  inner = dvt_wire_begin(&b, 3);
  dvt_wire_put_bytes(&b, 1, DVT_STR("y"));
  dvt_wire_put_varint(&b, 3, TF_FLOAT);
  dvt_wire_end(&b, inner);
  inner = dvt_wire_begin(&b, 4);
  dvt_wire_put_bytes(&b, 1, DVT_STR("T"));
  dvt_wire_put_bytes(&b, 2, DVT_STR("type"));
  dvt_wire_put_bytes(&b, 3, DVT_STR("\x30\x03"));
  dvt_wire_put_bytes(&b, 4, DVT_STR("dT"));
  dvt_wire_end(&b, inner);
  dvt_wire_put_bytes(&b, 5, DVT_STR("sum"));
  dvt_wire_put_bytes(&b, 6, DVT_STR("desc"));
  dvt_wire_end(&b, op);
  TF_Buffer *buffer = TF_NewBufferFromString(b.data, b.len);
  dvt_buf_deinit(&b);
  return buffer;
}

static TF_ApiDefMap *new_map(TF_Status *status) {
  TF_Buffer *list = op_list();
  TF_ApiDefMap *map = TF_NewApiDefMap(list, status);
  TF_DeleteBuffer(list);
  assert_int_equal(TF_GetCode(status), TF_OK);
  return map;
}

// The text of field `number` (its last occurrence) in an ApiDef.
static void assert_field(const TF_Buffer *api_def, uint32_t number, const char *want) {
  dvt_field field;
  assert_true(dvt_wire_find(dvt_str_make(api_def->data, api_def->length), number, DVT_WIRE_BYTES, &field));
  assert_int_equal(field.bytes.len, strlen(want));
  assert_memory_equal(field.bytes.data, want, field.bytes.len);
}

static int put(TF_ApiDefMap *map, const char *text, TF_Status *status) {
  TF_ApiDefMapPut(map, text, strlen(text), status);
  return TF_GetCode(status);
}

static void test_base_api_comes_from_the_op_def(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_ApiDefMap *map = new_map(status);
  TF_Buffer *api = TF_ApiDefMapGet(map, "Foo", 3, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_field(api, 1, "Foo");
  assert_field(api, 3, "\n\003Foo");                                 // endpoint { name }
  assert_field(api, 4, "\n\001b\022\001b");                          // last in_arg { name rename_to }
  assert_field(api, 6, "\n\001T\022\001T\032\002\060\003\"\002dT");  // attr with default and description
  assert_field(api, 7, "sum");
  assert_field(api, 8, "desc");
  assert_field(api, 11, "b");
  TF_DeleteBuffer(api);
  assert_null(TF_ApiDefMapGet(map, "Bar", 3, status));  // stock: NULL with OK
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(put(map, "op{graph_op_name:'Foo'}", status), TF_FAILED_PRECONDITION);
  TF_DeleteApiDefMap(map);
  TF_DeleteApiDefMap(NULL);
  TF_DeleteStatus(status);
}

static void test_overrides(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_ApiDefMap *map = new_map(status);
  assert_int_equal(
      put(map,
          "op{graph_op_name:\"Foo\" endpoint{name:\"foo.x\"} in_arg{name:\"b\" rename_to:\"bb\"} "
          "summary:\"s2\" description_prefix:\"P\" description_suffix:\"S\" arg_order:\"b\" "
          "arg_order:\"a\" visibility:SKIP}",
          status),
      TF_OK);
  assert_int_equal(put(map, "op{graph_op_name:\"Nope\" summary:\"ignored\"}", status), TF_OK);
  TF_Buffer *api = TF_ApiDefMapGet(map, "Foo", 3, status);
  dvt_field visibility;
  assert_true(dvt_wire_find(dvt_str_make(api->data, api->length), 2, DVT_WIRE_VARINT, &visibility));
  assert_int_equal(visibility.value, 2);
  assert_field(api, 3, "\n\005foo.x");
  assert_field(api, 4, "\n\001b\022\002bb");
  assert_field(api, 7, "s2");
  assert_field(api, 8, "P\ndesc\nS");
  assert_field(api, 11, "a");
  TF_DeleteBuffer(api);
  TF_DeleteApiDefMap(map);
  TF_DeleteStatus(status);
}

static void test_bad_overrides_change_nothing(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_ApiDefMap *map = new_map(status);
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" summary:\"x\" in_arg{name:\"zz\"}}", status),
                   TF_FAILED_PRECONDITION);
  assert_string_equal(TF_Message(status), "Argument zz not defined in base api for Foo");
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" out_arg{name:\"zz\"}}", status),
                   TF_FAILED_PRECONDITION);
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" attr{name:\"zz\"}}", status), TF_FAILED_PRECONDITION);
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" arg_order:\"a\"}", status), TF_FAILED_PRECONDITION);
  assert_string_equal(TF_Message(status), "Invalid number of arguments 1 for Foo. Expected: 2");
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" arg_order:\"a\" arg_order:\"zz\"}", status),
                   TF_FAILED_PRECONDITION);
  assert_non_null(strstr(TF_Message(status), "Invalid arg_order: a, zz for Foo"));
  assert_int_equal(put(map, "op{grap", status), TF_INVALID_ARGUMENT);
  assert_int_equal(put(map, "op{graph_op_name:\"Foo\" description:<<END\n}", status), TF_INVALID_ARGUMENT);
  TF_Buffer *api = TF_ApiDefMapGet(map, "Foo", 3, status);
  assert_field(api, 7, "sum");
  TF_DeleteBuffer(api);
  TF_DeleteApiDefMap(map);
  TF_DeleteStatus(status);
}

static void test_malformed_op_list(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *bad = TF_NewBufferFromString("\x0a\x05Foo", 5);  // a length that goes past the end
  assert_null(TF_NewApiDefMap(bad, status));
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  TF_DeleteBuffer(bad);
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_base_api_comes_from_the_op_def),
      cmocka_unit_test(test_overrides),
      cmocka_unit_test(test_bad_overrides_change_nothing),
      cmocka_unit_test(test_malformed_op_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
