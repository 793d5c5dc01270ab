// The dtype table, shapes, 16-bit floats and tensors as text.
#include <math.h>

#include "base/testing.h"
#include "tensor/half.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

// Sizes as measured on stock 2.21.0.
static void test_rule_034_sizes(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 4, 8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2, 2, 16, 2, 0, 0, 4, 8};
  for (int dtype = 0; dtype < (int)DVT_COUNT_OF(sizes); dtype++) {
    assert_int_equal(TF_DataTypeSize((TF_DataType)dtype), sizes[dtype]);
    assert_int_equal(dvt_dtype_size(dtype), sizes[dtype]);
  }
  for (int dtype = 24; dtype <= 33; dtype++) assert_int_equal(TF_DataTypeSize((TF_DataType)dtype), 1);
  static const int invalid[] = {-1, 34, 77, 101, 133, 200, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < DVT_COUNT_OF(invalid); i++) {
    assert_int_equal(TF_DataTypeSize((TF_DataType)invalid[i]), 0);
    assert_false(dvt_dtype_is_valid(invalid[i]));
    assert_int_equal(dvt_dtype_stride(invalid[i]), 0);
  }
  assert_int_equal(dvt_dtype_stride(TF_STRING), 24);
  assert_int_equal(dvt_dtype_stride(TF_RESOURCE), sizeof(void *));
}

static void test_rule_062_names(void **state) {
  (void)state;
  int dtype = 0;
  for (int want = 1; want <= DVT_DTYPE_MAX; want++) {
    assert_true(dvt_dtype_from_name(dvt_str_from(dvt_dtype_name(want)), &dtype));
    assert_int_equal(dtype, want);
  }
  assert_true(dvt_dtype_from_name(DVT_STR("float32"), &dtype) && dtype == TF_FLOAT);
  assert_true(dvt_dtype_from_name(DVT_STR("float64"), &dtype) && dtype == TF_DOUBLE);
  assert_true(dvt_dtype_from_name(DVT_STR("float16"), &dtype) && dtype == TF_HALF);
  static const char *const bad[] = {"", "int", "str", "DT_FLOAT", "float_ref", "floa", "float "};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++)
    assert_false(dvt_dtype_from_name(dvt_str_from(bad[i]), &dtype));
  assert_string_equal(dvt_dtype_name(101), "float_ref");
  assert_string_equal(dvt_dtype_name(77), "unknown dtype");
  assert_string_equal(dvt_dtype_proto_name(19), "DT_HALF");
  assert_string_equal(dvt_dtype_proto_name(119), "DT_HALF_REF");
  assert_string_equal(dvt_dtype_proto_name(0), "DT_INVALID");
}

static void test_rule_053_groups(void **state) {
  (void)state;
  static const struct {
    const char *group, *members;
  } rows[] = {
      {"numbertype",
       "float double int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 qint16 quint16 "
       "uint16 complex128 "
       "half uint32 uint64 "},
      {"realnumbertype", "float double int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64 "},
      {"quantizedtype", "qint8 quint8 qint32 qint16 quint16 "},
  };
  const int *dtypes, *same;
  size_t count, same_count;
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    dvt_buf text = {0};
    assert_true(dvt_dtype_group(dvt_str_from(rows[i].group), &dtypes, &count));
    for (size_t k = 0; k < count; k++) dvt_buf_printf(&text, "%s ", dvt_dtype_name(dtypes[k]));
    assert_string_equal(text.data, rows[i].members);
    dvt_buf_deinit(&text);
  }
  dvt_dtype_group(DVT_STR("numbertype"), &dtypes, &count);
  assert_true(dvt_dtype_group(DVT_STR("numerictype"), &same, &same_count) && same == dtypes &&
              same_count == count);
  assert_true(dvt_dtype_group(DVT_STR("realnumerictype"), &same, &same_count) && same_count == 12);
  assert_false(dvt_dtype_group(DVT_STR("realnumberictype"), &dtypes, &count));
}

static void test_shape_sizes_are_checked(void **state) {
  (void)state;
  int64_t count = -7, many[300] = {0};
  size_t bytes = 7;
  dvt_test_expect_ok(dvt_shape_count(NULL, 0, &count));
  assert_int_equal(count, 1);
  dvt_test_expect_ok(dvt_shape_count((int64_t[]){2, 0, 3}, 3, &count));
  assert_int_equal(count, 0);
  dvt_test_expect_ok(dvt_shape_count(many, 254, &count));
  count = -7;
  dvt_test_expect_error(dvt_shape_count(many, 255, &count), TF_INVALID_ARGUMENT, "rank 255");
  dvt_test_expect_error(dvt_shape_count(many, -1, &count), TF_INVALID_ARGUMENT, "rank -1");
  dvt_test_expect_error(dvt_shape_count(NULL, 2, &count), TF_INVALID_ARGUMENT, "NULL");
  dvt_test_expect_error(dvt_shape_count((int64_t[]){2, -3}, 2, &count), TF_INVALID_ARGUMENT,
                        "[2,-3] has a negative");
  dvt_test_expect_error(dvt_shape_count((int64_t[]){INT64_MAX, 2}, 2, &count), TF_INVALID_ARGUMENT,
                        "more elements");
  assert_int_equal(count, -7);
  dvt_test_expect_error(dvt_shape_bytes(TF_DOUBLE, (int64_t[]){INT64_MAX}, 1, &bytes), TF_INVALID_ARGUMENT,
                        "more bytes");
  dvt_test_expect_error(dvt_shape_bytes(TF_DOUBLE, (int64_t[]){INT64_MAX / 8 + 1}, 1, &bytes),
                        TF_INVALID_ARGUMENT, "more bytes");
  dvt_test_expect_error(dvt_shape_bytes(77, NULL, 0, &bytes), TF_INVALID_ARGUMENT, "dtype number 77");
  assert_int_equal(bytes, 7);
  dvt_test_expect_ok(dvt_shape_bytes(TF_STRING, (int64_t[]){5}, 1, &bytes));
  assert_int_equal(bytes, 120);
}

static void test_shape_protos(void **state) {
  (void)state;
  const int64_t dims[] = {2, -1, 0, 300};
  int64_t back[4];
  int rank;
  dvt_buf proto = {0}, text = {0};
  dvt_shape_to_proto(dims, 4, &proto);
  assert_int_equal(proto.len, 4 + 13 + 2 + 5);
  dvt_test_expect_ok(dvt_shape_from_proto(dvt_buf_str(&proto), back, 4, &rank));
  assert_int_equal(rank, 4);
  assert_memory_equal(back, dims, sizeof dims);
  dvt_test_expect_ok(dvt_shape_from_proto(dvt_buf_str(&proto), back, 1, &rank));
  assert_int_equal(rank, 4);
  dvt_shape_describe(dims, 4, &text);
  assert_string_equal(text.data, "[2,?,0,300]");
  dvt_buf_clear(&proto);
  dvt_buf_clear(&text);
  dvt_shape_to_proto(NULL, -1, &proto);
  dvt_test_expect_ok(dvt_shape_from_proto(dvt_buf_str(&proto), back, 4, &rank));
  assert_int_equal(rank, -1);
  dvt_shape_describe(NULL, -1, &text);
  assert_string_equal(text.data, "<unknown>");
  dvt_test_expect_error(
      dvt_shape_from_proto(DVT_STR("\x12\x0b\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"), back, 4, &rank),
      TF_INVALID_ARGUMENT, "dimension -2");
  dvt_test_expect_error(dvt_shape_from_proto(DVT_STR("\x12\x02\x08\x01\x18\x01"), back, 4, &rank),
                        TF_INVALID_ARGUMENT, "unknown_rank");
  dvt_test_expect_error(dvt_shape_from_proto(DVT_STR("\x12\x05"), back, 4, &rank), TF_INVALID_ARGUMENT,
                        "cut off");
  dvt_test_expect_error(dvt_shape_from_proto(DVT_STR("\x12\x01\x08"), back, 4, &rank), TF_INVALID_ARGUMENT,
                        "cut off");
  dvt_buf_clear(&proto);
  for (int i = 0; i < 255; i++) dvt_buf_append(&proto, "\x12\x02\x08\x01", 4);
  dvt_test_expect_error(dvt_shape_from_proto(dvt_buf_str(&proto), back, 4, &rank), TF_INVALID_ARGUMENT,
                        "254 dimensions");
  dvt_buf_deinit(&proto);
  dvt_buf_deinit(&text);
}

// Every half goes to float and back; values between two halves go to the nearer, ties to the even one (IEEE
// 754).
static void test_half_conversions(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000; h++) {
    float value = dvt_half_to_float((uint16_t)h);
    uint16_t back = dvt_float_to_half(value);
    if (isnan(value))
      assert_true(isnan(dvt_half_to_float(back)));
    else
      assert_int_equal(back, h);
  }
  assert_true(dvt_half_to_float(0x3c00) == 1.0f);
  assert_true(dvt_half_to_float(0x7bff) == 65504.0f);
  assert_true(dvt_half_to_float(0x0001) == 0x1p-24f);
  assert_true(dvt_half_to_float(0xc500) == -5.0f);
  for (uint16_t h = 0; h < 0x7bff; h++) {
    float low = dvt_half_to_float(h), high = dvt_half_to_float((uint16_t)(h + 1));
    float middle = low + (high - low) / 2;
    assert_int_equal(dvt_float_to_half(middle), h & 1 ? h + 1 : h);
    assert_int_equal(dvt_float_to_half(nextafterf(middle, 0)), h);
    assert_int_equal(dvt_float_to_half(-nextafterf(middle, 1e9f)), 0x8000 | (h + 1));
  }
  assert_int_equal(dvt_float_to_half(65519.9f), 0x7bff);
  assert_int_equal(dvt_float_to_half(65520.0f), 0x7c00);
  assert_int_equal(dvt_float_to_half(1e30f), 0x7c00);
  assert_int_equal(dvt_float_to_half(-INFINITY), 0xfc00);
  assert_int_equal(dvt_float_to_half(0x1p-25f), 0);
}

static void test_bfloat16_conversions(void **state) {
  (void)state;
  assert_true(dvt_bfloat16_to_float(0x3f80) == 1.0f);
  assert_int_equal(dvt_float_to_bfloat16(1.0f), 0x3f80);
  assert_int_equal(dvt_float_to_bfloat16(1.0f + 0x1p-8f), 0x3f80);    // tie to even
  assert_int_equal(dvt_float_to_bfloat16(1.0f + 0x1.8p-7f), 0x3f82);  // tie to even, upwards
  assert_int_equal(dvt_float_to_bfloat16(3.4e38f), 0x7f80);
  assert_true(isnan(dvt_bfloat16_to_float(dvt_float_to_bfloat16(NAN))));
}

static void expect_text(int dtype, const int64_t *dims, int rank, const void *data, size_t bytes, int max,
                        const char *want) {
  TF_Tensor t = {0};
  dvt_buf text = {0};
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, dtype, dims, rank));
  memcpy(t.data, data, bytes);
  dvt_tensor_describe(&t, max, &text);
  assert_string_equal(text.data, want);
  dvt_buf_deinit(&text);
  dvt_tensor_reset(&t);
}

static void test_tensors_as_text(void **state) {
  (void)state;
  const int64_t three[] = {3}, matrix[] = {2, 3};
  expect_text(TF_FLOAT, matrix, 2, (float[6]){0}, 24, 0, "float[2,3]");
  expect_text(TF_FLOAT, three, 1, (float[]){1, 2.5f, -0.1f}, 12, 5, "float[3]{1, 2.5, -0.1}");
  expect_text(TF_DOUBLE, three, 1, (double[]){1e300, NAN, -INFINITY}, 24, 5, "double[3]{1e+300, nan, -inf}");
  expect_text(TF_INT64, three, 1, (int64_t[]){INT64_MIN, 0, 7}, 24, 2,
              "int64[3]{-9223372036854775808, 0, ...}");
  expect_text(TF_UINT64, NULL, 0, (uint64_t[]){UINT64_MAX}, 8, 1, "uint64[]{18446744073709551615}");
  expect_text(TF_INT32, NULL, 0, (int32_t[]){-5}, 4, 1, "int32[]{-5}");
  expect_text(TF_UINT32, NULL, 0, (uint32_t[]){4000000000u}, 4, 1, "uint32[]{4000000000}");
  expect_text(TF_INT16, NULL, 0, (int16_t[]){-5}, 2, 1, "int16[]{-5}");
  expect_text(TF_QUINT16, NULL, 0, (uint16_t[]){65535}, 2, 1, "quint16[]{65535}");
  expect_text(TF_INT4, NULL, 0, (int8_t[]){-8}, 1, 1, "int4[]{-8}");
  expect_text(TF_UINT8, three, 1, (uint8_t[]){1, 2, 255}, 3, 9, "uint8[3]{1, 2, 255}");
  expect_text(TF_BOOL, three, 1, (uint8_t[]){1, 0, 1}, 3, 9, "bool[3]{true, false, true}");
  expect_text(TF_HALF, NULL, 0, (uint16_t[]){0x3e00}, 2, 1, "half[]{1.5}");
  expect_text(TF_BFLOAT16, NULL, 0, (uint16_t[]){0xbf80}, 2, 1, "bfloat16[]{-1}");
  expect_text(TF_COMPLEX64, NULL, 0, (float[]){3, -4.5f}, 8, 1, "complex64[]{(3,-4.5)}");
  expect_text(TF_COMPLEX128, NULL, 0, (double[]){0.1, 0}, 16, 1, "complex128[]{(0.1,0)}");
  expect_text(TF_FLOAT8_E5M2, NULL, 0, (uint8_t[]){0x3c}, 1, 1, "float8_e5m2[]{0x3c}");
  expect_text(TF_RESOURCE, NULL, 0, (void *[]){NULL}, sizeof(void *), 1, "resource[]{<resource>}");
}

static void test_strings_as_text(void **state) {
  (void)state;
  const int64_t two[] = {2};
  TF_Tensor t = {0};
  dvt_buf text = {0};
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, TF_STRING, two, 1));
  char longer[100];
  memset(longer, 'x', sizeof longer);
  TF_TString_Copy(t.data, "a\"\\\n", 4);
  TF_TString_Copy((TF_TString *)t.data + 1, longer, sizeof longer);
  dvt_tensor_describe(&t, 9, &text);
  assert_string_equal(text.data,
                      "string[2]{\"a\\\"\\\\\\x0a\", "
                      "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"}");
  dvt_buf_deinit(&text);
  dvt_tensor_reset(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_034_sizes),       cmocka_unit_test(test_rule_062_names),
      cmocka_unit_test(test_rule_053_groups),      cmocka_unit_test(test_shape_sizes_are_checked),
      cmocka_unit_test(test_shape_protos),         cmocka_unit_test(test_half_conversions),
      cmocka_unit_test(test_bfloat16_conversions), cmocka_unit_test(test_tensors_as_text),
      cmocka_unit_test(test_strings_as_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
