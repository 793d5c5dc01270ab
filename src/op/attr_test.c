// Attribute values: writing, reading, lists in both encodings, comparing, printing.
#include "op/attr.h"

#include "base/testing.h"
#include "tensor/dtype.h"

static dvt_str bytes_of(dvt_buf *buf) { return dvt_buf_str(buf); }

static void expect_text(dvt_buf *value, const char *wanted) {
  dvt_buf text = {0};
  dvt_attr_describe(bytes_of(value), &text);
  assert_string_equal(text.data, wanted);
  dvt_buf_deinit(&text);
  dvt_buf_deinit(value);
}

static void test_scalars_read_back(void **state) {
  (void)state;
  dvt_buf b = {0};
  dvt_str s;
  int64_t i;
  float f;
  bool flag;
  int type;
  dvt_attr_put_string(&b, DVT_STR("hello"));
  assert_null(dvt_attr_get_string(bytes_of(&b), &s));
  assert_true(dvt_str_is(s, "hello"));
  dvt_buf_clear(&b);
  dvt_attr_put_int(&b, INT64_MIN);
  assert_null(dvt_attr_get_int(bytes_of(&b), &i));
  assert_true(i == INT64_MIN);
  dvt_buf_clear(&b);
  dvt_attr_put_float(&b, -0.5f);
  assert_null(dvt_attr_get_float(bytes_of(&b), &f));
  assert_true(f == -0.5f);
  dvt_buf_clear(&b);
  dvt_attr_put_bool(&b, true);
  assert_null(dvt_attr_get_bool(bytes_of(&b), &flag));
  assert_true(flag);
  dvt_buf_clear(&b);
  dvt_attr_put_type(&b, TF_INT64);
  assert_null(dvt_attr_get_type(bytes_of(&b), &type));
  assert_int_equal(type, TF_INT64);
  dvt_buf_clear(&b);
  dvt_attr_put_placeholder(&b, DVT_STR("T"));
  assert_null(dvt_attr_get_placeholder(bytes_of(&b), &s));
  assert_true(dvt_str_is(s, "T"));
  dvt_buf_clear(&b);
  dvt_attr_put_func_name(&b, DVT_STR("f"));
  dvt_str whole;
  assert_null(dvt_attr_get_func(bytes_of(&b), &s, &whole));
  assert_true(dvt_str_is(s, "f"));
  assert_int_equal(whole.len, 3);
  dvt_buf_deinit(&b);
}

static void test_zero_values_are_present(void **state) {
  (void)state;
  dvt_buf b = {0};
  int64_t i = 5;
  dvt_attr_info info;
  dvt_attr_put_int(&b, 0);
  assert_null(dvt_attr_get_int(bytes_of(&b), &i));
  assert_true(i == 0);
  assert_null(dvt_attr_inspect(DVT_STR(""), &info));
  assert_int_equal(info.kind, -1);
  assert_false(info.is_list);
  dvt_buf_deinit(&b);
}

// Rule 90, 124: wording of a wrong kind; an empty list is of every kind.
static void test_rule_090_wrong_kind(void **state) {
  (void)state;
  dvt_buf b = {0};
  int type = 77;
  dvt_attr_put_int(&b, 3);
  dvt_test_expect_error(dvt_attr_get_type(bytes_of(&b), &type), TF_INVALID_ARGUMENT,
                        "AttrValue had value with type 'int' when 'type' expected");
  assert_int_equal(type, 77);
  dvt_attr_list list;
  dvt_test_expect_error(dvt_attr_list_open(bytes_of(&b), TF_ATTR_TYPE, &list), TF_INVALID_ARGUMENT,
                        "AttrValue had value with type 'int' when 'list(type)' expected");
  dvt_buf_clear(&b);
  dvt_attr_put_int_list(&b, (int64_t[]){1}, 1);
  dvt_test_expect_error(dvt_attr_get_int(bytes_of(&b), &(int64_t){0}), TF_INVALID_ARGUMENT,
                        "AttrValue had value with type 'list(int)' when 'int' expected");
  dvt_buf_clear(&b);
  dvt_attr_put_int_list(&b, NULL, 0);
  for (int kind = TF_ATTR_STRING; kind <= TF_ATTR_FUNC; kind++) {
    if (kind == TF_ATTR_PLACEHOLDER) continue;
    assert_null(dvt_attr_list_open(bytes_of(&b), kind, &list));
    assert_false(dvt_attr_list_next(&list, NULL, NULL));
  }
  dvt_buf_deinit(&b);
}

static void test_lists(void **state) {
  (void)state;
  dvt_buf b = {0};
  dvt_attr_list list;
  dvt_attr_info info;
  uint64_t bits;
  dvt_str text;
  dvt_attr_put_int_list(&b, (int64_t[]){1, -2, INT64_MAX}, 3);
  assert_null(dvt_attr_inspect(bytes_of(&b), &info));
  assert_int_equal(info.list_size, 3);
  assert_int_equal(info.total_size, -1);
  assert_null(dvt_attr_list_open(bytes_of(&b), TF_ATTR_INT, &list));
  assert_true(dvt_attr_list_next(&list, &bits, NULL) && (int64_t)bits == 1);
  assert_true(dvt_attr_list_next(&list, &bits, NULL) && (int64_t)bits == -2);
  assert_true(dvt_attr_list_next(&list, &bits, NULL) && (int64_t)bits == INT64_MAX);
  assert_false(dvt_attr_list_next(&list, &bits, NULL));
  dvt_buf_clear(&b);
  dvt_attr_put_string_list(&b, (dvt_str[]){DVT_STR("a"), DVT_STR(""), DVT_STR("ccc")}, 3);
  assert_null(dvt_attr_inspect(bytes_of(&b), &info));
  assert_int_equal(info.list_size, 3);
  assert_int_equal(info.total_size, 4);
  assert_null(dvt_attr_list_open(bytes_of(&b), TF_ATTR_STRING, &list));
  assert_true(dvt_attr_list_next(&list, NULL, &text) && dvt_str_is(text, "a"));
  assert_true(dvt_attr_list_next(&list, NULL, &text) && text.len == 0);
  assert_true(dvt_attr_list_next(&list, NULL, &text) && dvt_str_is(text, "ccc"));
  dvt_buf_clear(&b);
  int64_t d0[] = {2, -1}, d1[] = {7};
  dvt_attr_put_shape_list(&b, (const int64_t *const[]){d0, NULL, d1}, (int[]){2, -1, 1}, 3);
  assert_null(dvt_attr_inspect(bytes_of(&b), &info));
  assert_int_equal(info.list_size, 3);
  assert_int_equal(info.total_size, 3);
  dvt_buf_deinit(&b);
}

// The same list as separate fields, as proto2 writers give it, and packed.
static void test_unpacked_lists_are_equal_to_packed(void **state) {
  (void)state;
  dvt_buf packed = {0}, plain = {0}, other = {0};
  dvt_attr_put_int_list(&packed, (int64_t[]){300, 4}, 2);
  size_t list = dvt_wire_begin(&plain, 1);
  dvt_wire_put_varint(&plain, 3, 300);
  dvt_wire_put_varint(&plain, 3, 4);
  dvt_wire_end(&plain, list);
  dvt_attr_put_int_list(&other, (int64_t[]){300, 5}, 2);
  assert_true(dvt_attr_equal(bytes_of(&packed), bytes_of(&plain)));
  assert_false(dvt_attr_equal(bytes_of(&packed), bytes_of(&other)));
  dvt_buf_clear(&other);
  dvt_attr_put_type_list(&other, (int[]){300, 4}, 2);
  assert_false(dvt_attr_equal(bytes_of(&packed), bytes_of(&other)));
  dvt_buf_deinit(&packed);
  dvt_buf_deinit(&plain);
  dvt_buf_deinit(&other);
}

static void test_malformed_values_are_errors(void **state) {
  (void)state;
  static const char *const bad[] = {
      "\x12\x05hi", "\x18", "\x0a\x02\x1a\x05", "\x0a\x04\x12\x01x\x1a", "\x0b", "\x52\x02\x0a\x09"};
  static const size_t sizes[] = {4, 1, 4, 6, 1, 4};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    dvt_attr_info info;
    dvt_str value = dvt_str_make(bad[i], sizes[i]), name;
    dvt_status status = dvt_attr_inspect(value, &info);
    if (!status) status = dvt_attr_get_func(value, &name, NULL);
    dvt_test_expect_error(status, TF_INVALID_ARGUMENT, "malformed AttrValue");
  }
  // Two kinds in one list.
  dvt_attr_info info;
  dvt_test_expect_error(dvt_attr_inspect(dvt_str_make("\x0a\x05\x12\x01x\x18\x01", 7), &info),
                        TF_INVALID_ARGUMENT, "'string' and of type 'int'");
}

static void test_describe(void **state) {
  (void)state;
  dvt_buf b = {0};
  dvt_attr_put_string(&b, DVT_STR("a\"b\n\x01"));
  expect_text(&b, "\"a\\\"b\\n\\001\"");
  dvt_attr_put_float(&b, 0.1f);
  expect_text(&b, "0.1");
  dvt_attr_put_float(&b, 16777217.0f);
  expect_text(&b, "16777216");
  dvt_attr_put_type(&b, TF_FLOAT);
  expect_text(&b, "DT_FLOAT");
  dvt_attr_put_shape(&b, (int64_t[]){2, -1}, 2);
  expect_text(&b, "[2,?]");
  dvt_attr_put_shape(&b, NULL, -1);
  expect_text(&b, "<unknown>");
  dvt_attr_put_int_list(&b, (int64_t[]){1, 2}, 2);
  expect_text(&b, "[1, 2]");
  dvt_attr_put_int_list(&b, NULL, 0);
  expect_text(&b, "[]");
  dvt_attr_put_bool_list(&b, (unsigned char[]){1, 0}, 2);
  expect_text(&b, "[true, false]");
  dvt_attr_put_float_list(&b, (float[]){1.5f, -2}, 2);
  expect_text(&b, "[1.5, -2]");
  dvt_attr_put_func_name(&b, DVT_STR("f"));
  expect_text(&b, "f[]");
  dvt_attr_put_placeholder(&b, DVT_STR("T"));
  expect_text(&b, "$T");
  dvt_attr_put_tensor_proto(&b, DVT_STR("\x08\x01\x12\x04\x12\x02\x08\x02"));
  expect_text(&b, "Tensor<type: float shape: [2]>");
}

// Functions may nest in their own attrs without end; comparing and printing must not.
static void test_nested_functions_are_bounded(void **state) {
  (void)state;
  dvt_buf value = {0}, next = {0};
  dvt_attr_put_func_name(&value, DVT_STR("f"));
  for (int depth = 0; depth < 200; depth++) {
    dvt_buf_clear(&next);
    size_t func = dvt_wire_begin(&next, 10);
    dvt_wire_put_bytes(&next, 1, DVT_STR("f"));
    size_t entry = dvt_wire_begin(&next, 2);
    dvt_wire_put_bytes(&next, 1, DVT_STR("a"));
    dvt_wire_put_bytes(&next, 2, bytes_of(&value));
    dvt_wire_end(&next, entry);
    dvt_wire_end(&next, func);
    dvt_buf swap = value;
    value = next;
    next = swap;
  }
  dvt_buf text = {0};
  dvt_attr_describe(bytes_of(&value), &text);
  assert_non_null(strstr(text.data, "..."));
  assert_true(dvt_attr_equal(bytes_of(&value), bytes_of(&value)));
  assert_false(dvt_attr_equal(bytes_of(&value), bytes_of(&next)));
  dvt_buf_deinit(&text);
  dvt_buf_deinit(&value);
  dvt_buf_deinit(&next);
}

static void test_equal_by_meaning(void **state) {
  (void)state;
  // func f with attrs in two orders
  static const char ab[] =
      "\x52\x15\x0a\x01\x66\x12\x07\x0a\x01\x61\x12\x02\x18\x01\x12\x07\x0a\x01\x62\x12\x02\x18\x02";
  static const char ba[] =
      "\x52\x15\x0a\x01\x66\x12\x07\x0a\x01\x62\x12\x02\x18\x02\x12\x07\x0a\x01\x61\x12\x02\x18\x01";
  assert_true(dvt_attr_equal(dvt_str_make(ab, sizeof ab - 1), dvt_str_make(ba, sizeof ba - 1)));
  // float [2] as content and as values
  static const char content[] = "\x42\x12\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\0\0\x80?\0\0\0@";
  static const char values[] = "\x42\x12\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x08\0\0\x80?\0\0\0@";
  assert_true(
      dvt_attr_equal(dvt_str_make(content, sizeof content - 1), dvt_str_make(values, sizeof values - 1)));
}

// 'f' with attr "a" twice at every level, the innermost a string: without the last value of a key counting,
// each level would be compared four times as often as the one around it.
static void put_doubled(dvt_buf *out, int depth, const char *leaf) {
  dvt_buf inner = {0};
  if (depth == 0) {
    dvt_attr_put_string(out, dvt_str_from(leaf));
    return;
  }
  put_doubled(&inner, depth - 1, leaf);
  size_t func = dvt_wire_begin(out, 10);
  dvt_wire_put_bytes(out, 1, DVT_STR("f"));
  for (int i = 0; i < 2; i++) {
    size_t entry = dvt_wire_begin(out, 2);
    dvt_wire_put_bytes(out, 1, DVT_STR("a"));
    dvt_wire_put_bytes(out, 2, bytes_of(&inner));
    dvt_wire_end(out, entry);
  }
  dvt_wire_end(out, func);
  dvt_buf_deinit(&inner);
}

static void test_repeated_keys_of_functions(void **state) {
  (void)state;
  dvt_buf x = {0}, y = {0};
  put_doubled(&x, 14, "x");
  put_doubled(&y, 14, "y");
  assert_false(dvt_attr_equal(bytes_of(&x), bytes_of(&y)));
  dvt_buf_deinit(&x);
  dvt_buf_deinit(&y);
  // {a: 2, a: 1} means {a: 1}.
  static const char twice[] =
      "\x52\x15\x0a\x01\x66\x12\x07\x0a\x01\x61\x12\x02\x18\x02\x12\x07\x0a\x01\x61\x12\x02\x18\x01";
  static const char once[] = "\x52\x0c\x0a\x01\x66\x12\x07\x0a\x01\x61\x12\x02\x18\x01";
  assert_true(dvt_attr_equal(dvt_str_make(twice, sizeof twice - 1), dvt_str_make(once, sizeof once - 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalars_read_back),
      cmocka_unit_test(test_zero_values_are_present),
      cmocka_unit_test(test_rule_090_wrong_kind),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_unpacked_lists_are_equal_to_packed),
      cmocka_unit_test(test_malformed_values_are_errors),
      cmocka_unit_test(test_describe),
      cmocka_unit_test(test_nested_functions_are_bounded),
      cmocka_unit_test(test_equal_by_meaning),
      cmocka_unit_test(test_repeated_keys_of_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
