// TensorProto in both directions. Rows marked "stock" give what TF_TensorFromProto of TensorFlow 2.21.0 made
// of the same message; the messages are written as text and read by the text format, which has tests of its
// own.
#include "tensor/tensor_proto.h"
#include "base/schema.h"
#include "base/testing.h"
#include "base/wire.h"
#include "tensor/tstring.h"

static dvt_status from_text(const char *text, TF_Tensor *out) {
  dvt_buf wire = {0};
  dvt_test_expect_ok(dvt_text_parse(&dvt_schema_tensor_proto, dvt_str_from(text), "proto", &wire));
  dvt_status status = dvt_tensor_from_proto(dvt_buf_str(&wire), out);
  dvt_buf_deinit(&wire);
  return status;
}

static void expect_hex(const void *data, size_t bytes, const char *hex) {
  char text[1024];
  assert_true(bytes * 2 < sizeof text);
  for (size_t i = 0; i < bytes; i++) snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)data)[i]);
  text[bytes * 2] = '\0';
  assert_string_equal(text, hex);
}

static void test_values_as_stock_reads_them(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int dtype, rank;
    const char *hex;
  } rows[] = {
      {"dtype: DT_FLOAT float_val: [1,2,3]", 1, 0, "0000803f"},
      {"dtype: DT_FLOAT tensor_shape{dim{size:0}} float_val: [1,2,3]", 1, 1, ""},
      {"dtype: DT_FLOAT tensor_shape{dim{size:0}} tensor_content:\"abcdefgh\"", 1, 1, ""},
      {"dtype: DT_FLOAT tensor_shape{dim{size:2}} tensor_content:\"abcdefgh\" float_val:[1,2]", 1, 1,
       "6162636465666768"},
      {"dtype: DT_FLOAT tensor_shape{dim{size:3}}", 1, 1, "000000000000000000000000"},
      {"dtype: DT_FLOAT tensor_shape{dim{size:3}} double_val:[1]", 1, 1, "000000000000000000000000"},
      {"dtype: DT_FLOAT tensor_shape{unknown_rank:true}", 1, 0, "00000000"},
      {"dtype: DT_COMPLEX64 tensor_shape{dim{size:3}} scomplex_val:[1,2,3]", 8, 1,
       "0000803f000000400000803f000000400000803f00000040"},
      {"dtype: DT_COMPLEX64 tensor_shape{dim{size:3}} scomplex_val:[1]", 8, 1,
       "000000000000000000000000000000000000000000000000"},
      {"dtype: DT_INT8 tensor_shape{dim{size:3}} int_val:[300,-1]", 6, 1, "2cffff"},
      {"dtype: DT_BOOL tensor_shape{dim{size:3}} bool_val:[true,false]", 10, 1, "010000"},
      {"dtype: DT_HALF tensor_shape{dim{size:3}} half_val:[15360]", 19, 1, "003c003c003c"},
      {"dtype: DT_BFLOAT16 tensor_shape{dim{size:3}} half_val:[16256]", 14, 1, "803f803f803f"},
      {"dtype: DT_FLOAT8_E5M2 tensor_shape{dim{size:3}} float8_val:\"\\001\\002\"", 24, 1, "010202"},
      {"dtype: DT_FLOAT4_E2M1FN tensor_shape{dim{size:3}} float8_val:\"\\001\\002\"", 33, 1, "010202"},
      {"dtype: DT_FLOAT4_E2M1FN tensor_shape{dim{size:3}} int_val:[1,2]", 33, 1, "000000"},
      {"dtype: DT_FLOAT4_E2M1FN tensor_shape{dim{size:3}} tensor_content:\"\\001\\002\\003\"", 33, 1,
       "010203"},
      {"dtype: DT_INT4 tensor_shape{dim{size:3}} int_val:[1,-2]", 29, 1, "01fefe"},
      {"dtype: DT_INT4 tensor_shape{dim{size:3}} tensor_content:\"\\001\\002\\003\"", 29, 1, "010203"},
      {"dtype: DT_UINT2 tensor_shape{dim{size:3}} int_val:[1,2]", 32, 1, "010202"},
      {"dtype: DT_QINT32 tensor_shape{dim{size:3}} int_val:[1,2]", 13, 1, "010000000200000002000000"},
      {"dtype: DT_UINT32 tensor_shape{dim{size:3}} uint32_val:[1,2]", 22, 1, "010000000200000002000000"},
      // By the field lists of tensor.proto:
      {"dtype: DT_DOUBLE tensor_shape{dim{size:2}} double_val:[0.5]", 2, 1,
       "000000000000e03f000000000000e03f"},
      {"dtype: DT_COMPLEX128 tensor_shape{} dcomplex_val:[1,0.5]", 18, 0, "000000000000f03f000000000000e03f"},
      {"dtype: DT_INT64 tensor_shape{dim{size:1} dim{size:2}} int64_val:[-1,5]", 9, 2,
       "ffffffffffffffff0500000000000000"},
      {"dtype: DT_UINT64 tensor_shape{} uint64_val:[18446744073709551615]", 23, 0, "ffffffffffffffff"},
      {"dtype: DT_UINT16 tensor_shape{dim{size:2}} int_val:[65535,1]", 17, 1, "ffff0100"},
      {"dtype: DT_UINT8 tensor_shape{dim{size:2}} int_val:[200,1]", 4, 1, "c801"},
      {"dtype: DT_INT16 tensor_shape{dim{size:2}} int_val:[-2,1]", 5, 1, "feff0100"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    TF_Tensor t = {0};
    dvt_test_expect_ok(from_text(rows[i].text, &t));
    assert_int_equal(t.dtype, rows[i].dtype);
    assert_int_equal(t.rank, rows[i].rank);
    expect_hex(t.data, t.buffer->bytes, rows[i].hex);
    dvt_tensor_reset(&t);
  }
}

static void test_what_stock_refuses_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
    TF_Code code;
  } rows[] = {
      {"dtype: DT_FLOAT tensor_shape{dim{size:2}} tensor_content:\"abc\"",
       "3 bytes of tensor_content for 2 elements", TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT tensor_shape{dim{size:1}} tensor_content:\"abcdefgh\"", "8 bytes",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT tensor_shape{dim{size:-1}}", "negative", TF_INVALID_ARGUMENT},
      {"tensor_shape{dim{size:1}}", "dtype 0", TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT_REF tensor_shape{dim{size:1}}", "float_ref", TF_INVALID_ARGUMENT},
      {"dtype: 77 tensor_shape{dim{size:1}}", "dtype 77", TF_INVALID_ARGUMENT},
      {"dtype: -1 tensor_shape{dim{size:1}}", "dtype 0", TF_INVALID_ARGUMENT},
      {"dtype: DT_BOOL tensor_shape{dim{size:3}} tensor_content:\"\\002\\000\\001\"", "bool",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_STRING tensor_shape{dim{size:2}} tensor_content:\"\\001\"", "1 bytes", TF_INVALID_ARGUMENT},
      {"dtype: DT_STRING tensor_shape{dim{size:2}} tensor_content:\"\\001\\200\"", "lengths",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_STRING tensor_shape{dim{size:2}} tensor_content:\"\\001\\002ab\"", "characters",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_STRING tensor_shape{dim{size:1}} tensor_content:\"\\001ab\"", "goes on",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT tensor_shape{dim{size:9223372036854775807} dim{size:2}}", "more elements",
       TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT tensor_shape{dim{size:4611686018427387904}}", "more bytes", TF_INVALID_ARGUMENT},
      {"dtype: DT_FLOAT tensor_shape{dim{size:1152921504606846976}} float_val: 1", "more than this machine",
       TF_RESOURCE_EXHAUSTED},
      {"dtype: DT_RESOURCE tensor_shape{dim{size:1}} resource_handle_val{name:\"x\"}", "resource",
       TF_UNIMPLEMENTED},
      {"dtype: DT_VARIANT tensor_shape{dim{size:1}} variant_val{type_name:\"x\"}", "variant",
       TF_UNIMPLEMENTED},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    TF_Tensor t = {0};
    dvt_test_expect_error(from_text(rows[i].text, &t), rows[i].code, rows[i].error);
    assert_true(dvt_tensor_is_empty(&t));
  }
}

static void test_strings(void **state) {
  (void)state;
  static const struct {
    const char *text, *want[3];
  } rows[] = {
      {"dtype: DT_STRING tensor_shape{dim{size:3}} string_val:[\"ab\",\"c\"]", {"ab", "c", "c"}},
      {"dtype: DT_STRING tensor_shape{dim{size:3}} string_val:[\"\",\"b\",\"c\",\"d\"]", {"", "b", "c"}},
      {"dtype: DT_STRING tensor_shape{dim{size:3}}", {"", "", ""}},
      {"dtype: DT_STRING tensor_shape{dim{size:3}} tensor_content:\"\\001\\000\\002abb\"", {"a", "", "bb"}},
      {"dtype: DT_STRING tensor_shape{dim{size:3}} string_val:\"thirty characters in one string\"",
       {"thirty characters in one string", "thirty characters in one string",
        "thirty characters in one string"}},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    TF_Tensor t = {0};
    dvt_test_expect_ok(from_text(rows[i].text, &t));
    for (int k = 0; k < 3; k++)
      assert_true(dvt_str_is(dvt_tstring_view((const TF_TString *)t.data + k), rows[i].want[k]));
    dvt_tensor_reset(&t);
  }
}

static void test_resources_without_values_are_empty(void **state) {
  (void)state;
  TF_Tensor t = {0};
  dvt_test_expect_ok(from_text("dtype: DT_RESOURCE tensor_shape{dim{size:2}}", &t));
  assert_null(((void **)t.data)[0]);
  assert_null(((void **)t.data)[1]);
  dvt_buf out = {0};
  dvt_test_expect_error(dvt_tensor_to_proto(&t, &out), TF_UNIMPLEMENTED, "resource");
  dvt_tensor_reset(&t);
}

static void expect_equal(const TF_Tensor *a, const TF_Tensor *b) {
  assert_int_equal(a->dtype, b->dtype);
  assert_int_equal(a->rank, b->rank);
  assert_memory_equal(dvt_tensor_dims(a), dvt_tensor_dims(b), (size_t)a->rank * sizeof(int64_t));
  for (int64_t i = 0; a->dtype == TF_STRING && i < dvt_tensor_count(a); i++)
    assert_true(dvt_str_eq(dvt_tstring_view((const TF_TString *)a->data + i),
                           dvt_tstring_view((const TF_TString *)b->data + i)));
  if (a->dtype != TF_STRING)
    assert_memory_equal(a->data, b->data, (size_t)dvt_tensor_count(a) * dvt_dtype_size(a->dtype));
}

// Scalars, vectors and empty tensors of every dtype, with the sign bit set somewhere.
static void test_every_dtype_round_trips(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1}, {2, 3}, {0, 4}};
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++) {
    if (dtype == TF_RESOURCE || dtype == TF_VARIANT) continue;
    for (int variant = 0; variant < 4; variant++) {
      TF_Tensor t = {0}, back = {0};
      dvt_buf proto = {0};
      dvt_test_expect_ok(dvt_tensor_init_allocate(&t, dtype, shapes[variant % 3], variant == 3 ? 0 : 2));
      int64_t count = dvt_tensor_count(&t);
      for (int64_t i = 0; dtype == TF_STRING && i < count; i++)
        TF_TString_Copy((TF_TString *)t.data + i, "abc", (size_t)i % 4);
      if (dtype != TF_STRING)
        memset(t.data, dtype == TF_BOOL ? 1 : 0xa5, (size_t)count * dvt_dtype_size(dtype));
      dvt_test_expect_ok(dvt_tensor_to_proto(&t, &proto));
      assert_true(dvt_wire_valid(dvt_buf_str(&proto)));
      dvt_test_expect_ok(dvt_tensor_from_proto(dvt_buf_str(&proto), &back));
      expect_equal(&t, &back);
      int64_t dims[2];
      int read_dtype, rank;
      dvt_test_expect_ok(dvt_tensor_proto_header(dvt_buf_str(&proto), &read_dtype, dims, 2, &rank));
      assert_int_equal(read_dtype, dtype);
      assert_int_equal(rank, t.rank);
      dvt_tensor_reset(&t);
      dvt_tensor_reset(&back);
      dvt_buf_deinit(&proto);
    }
  }
}

// A single value goes into the field of its dtype: the bytes protobuf's own library writes for this message.
static void test_single_values_are_written_typed(void **state) {
  (void)state;
  TF_Tensor t = {0};
  dvt_buf proto = {0};
  dvt_test_expect_ok(from_text("dtype: DT_INT8 tensor_shape { dim { size: 1 } } int_val: -5", &t));
  dvt_test_expect_ok(dvt_tensor_to_proto(&t, &proto));
  expect_hex(proto.data, proto.len, "08061204120208013a0afbffffffffffffffff01");
  dvt_buf_deinit(&proto);
  dvt_tensor_reset(&t);
}

static void test_malformed_bytes(void **state) {
  (void)state;
  static const struct {
    dvt_str bytes;
    const char *error;
  } rows[] = {
      {DVT_STR("\x08"), "cut off"},
      {DVT_STR("\x08\x01\x12\x05"), "cut off"},
      {DVT_STR("\x08\x01\x12\x02\x12\x05"), "TensorShapeProto"},
      {DVT_STR("\x08\x01\x2a\x03xyz"), "list of values"},
      {DVT_STR("\x08\x03\x3a\x01\x80"), "list of values"},
      {DVT_STR("\x08\x03\x3d\x00\x00\x00\x00"), "wrong wire type"},
      {DVT_STR("\x08\x07\x40\x01"), "string_val"},
      {DVT_STR("\x08\x18\x90\x01\x01"), "float8_val"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    TF_Tensor t = {0};
    dvt_test_expect_error(dvt_tensor_from_proto(rows[i].bytes, &t), TF_INVALID_ARGUMENT, rows[i].error);
  }
}

static dvt_status later_from_text(const char *text, size_t least_bytes, TF_Tensor *out) {
  dvt_buf wire = {0};
  dvt_test_expect_ok(dvt_text_parse(&dvt_schema_tensor_proto, dvt_str_from(text), "proto", &wire));
  dvt_status status = dvt_tensor_from_proto_later(dvt_buf_str(&wire), least_bytes, out);
  dvt_buf_deinit(&wire);
  return status;
}

// Shape and dtype alone, where nothing but memory can be wanting afterwards.
static void test_values_that_come_later(void **state) {
  (void)state;
  const char *two = "dtype: DT_FLOAT tensor_shape{dim{size:2} dim{size:1}} tensor_content: 'abcdefgh'";
  TF_Tensor t = {0};
  dvt_test_expect_ok(later_from_text(two, 8, &t));
  assert_true(t.dtype == TF_FLOAT && t.rank == 2 && dvt_tensor_dims(&t)[0] == 2 && dvt_tensor_count(&t) == 2);
  assert_true(dvt_tensor_is_empty(&t));
  dvt_tensor_reset(&t);
  static const char *const at_once[] = {
      "dtype: DT_FLOAT tensor_shape{dim{size:2}} float_val: [1,2]",
      "dtype: DT_FLOAT tensor_shape{dim{size:0}}",
      "dtype: DT_BOOL tensor_shape{dim{size:8}} tensor_content: 'abcdefgh'",
      "dtype: DT_STRING tensor_shape{dim{size:1}} tensor_content: '\\007abcdefg'"};
  for (size_t i = 0; i < DVT_COUNT_OF(at_once); i++) {
    t = (TF_Tensor){0};
    dvt_test_expect_ok(later_from_text(at_once[i], 8, &t));
    assert_int_equal(t.dtype, 0);
  }
  dvt_test_expect_ok(later_from_text(two, 9, &t));
  assert_int_equal(t.dtype, 0);
  dvt_test_expect_error(
      later_from_text("dtype: DT_FLOAT tensor_shape{dim{size:3}} tensor_content: 'abcdefgh'", 8, &t),
      TF_INVALID_ARGUMENT, "8 bytes of tensor_content for 3 elements");
}

static bool proto_attempt(void *arg) {
  TF_Tensor t = {0}, back = {0};
  dvt_buf wire = {0}, proto = {0};
  dvt_status status = dvt_text_parse(&dvt_schema_tensor_proto, dvt_str_from(arg), "proto", &wire);
  if (!status) status = dvt_tensor_from_proto(dvt_buf_str(&wire), &t);
  if (!status) status = dvt_tensor_to_proto(&t, &proto);
  if (!status) status = dvt_tensor_from_proto(dvt_buf_str(&proto), &back);
  bool ok = !status;
  if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
  dvt_status_free(status);
  dvt_tensor_reset(&t);
  dvt_tensor_reset(&back);
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&proto);
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  char floats[] = "dtype: DT_FLOAT tensor_shape{dim{size:300}} float_val:[1,2,3]";
  char strings[] =
      "dtype: DT_STRING tensor_shape{dim{size:3}} string_val:\"thirty characters in one string\"";
  dvt_test_fail_each_allocation(proto_attempt, floats, 5);
  dvt_test_fail_each_allocation(proto_attempt, strings, 5);
}

// The last string stands for all that are missing: 4 MiB, four million times.
static void test_repeated_strings_must_fit_into_memory(void **state) {
  (void)state;
  enum { LENGTH = 1 << 22 };
  const int64_t dim = 1 << 22;
  dvt_buf proto = {0};
  dvt_wire_put_varint(&proto, 1, TF_STRING);
  size_t shape = dvt_wire_begin(&proto, 2);
  dvt_shape_to_proto(&dim, 1, &proto);
  dvt_wire_end(&proto, shape);
  size_t value = dvt_wire_begin(&proto, 8);
  memset(dvt_buf_extend(&proto, LENGTH), 'x', LENGTH);
  dvt_wire_end(&proto, value);
  TF_Tensor t = {0};
  dvt_test_expect_error(dvt_tensor_from_proto(dvt_buf_str(&proto), &t), TF_RESOURCE_EXHAUSTED,
                        "more than this machine has");
  assert_true(dvt_tensor_is_empty(&t));
  dvt_buf_deinit(&proto);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_as_stock_reads_them),
      cmocka_unit_test(test_what_stock_refuses_is_refused),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_resources_without_values_are_empty),
      cmocka_unit_test(test_every_dtype_round_trips),
      cmocka_unit_test(test_single_values_are_written_typed),
      cmocka_unit_test(test_malformed_bytes),
      cmocka_unit_test(test_values_that_come_later),
      cmocka_unit_test(test_survives_allocation_failures),
      cmocka_unit_test(test_repeated_strings_must_fit_into_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
