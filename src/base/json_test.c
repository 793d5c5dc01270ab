// JSON reading against the bytes that Google's protobuf library makes of the same message, and numbers as
// text.
#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/number.h"
#include "base/schema.h"
#include "base/testing.h"

static void expect_hex(dvt_str bytes, const char *hex) {
  char text[1024];
  assert_true(bytes.len * 2 < sizeof text);
  for (size_t i = 0; i < bytes.len; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes.data[i]);
  text[bytes.len * 2] = '\0';
  assert_string_equal(text, hex);
}

static const struct {
  const dvt_schema *schema;
  const char *json, *hex;
} samples[] = {
    {&dvt_schema_node_def,
     "{\"name\": \"a\", \"op\": \"Const\", \"input\": [\"x\", \"^y\"], \"attr\": {\"T\": {\"type\": "
     "\"DT_FLOAT\"}, \"n\": "
     "{\"i\": \"-3\"}}}",
     "0a01611205436f6e73741a01781a025e792a070a0154120230012a100a016e120b18fdffffffffffffffff01"},
    {&dvt_schema_attr_value,
     "{\"list\": {\"s\": [\"YWIA/wo=\"], \"i\": [\"1\", 2, \"-1\"], \"f\": [1.5, 0.1], \"b\": [true], "
     "\"type\": "
     "[\"DT_INT32\", 101], \"shape\": [{\"dim\": [{\"size\": \"-1\"}, {\"size\": \"300\"}]}]}}",
     "0a3a1205616200ff0a1a0c0102ffffffffffffffffff0122080000c03fcdcccc3d2a0101320203653a12120b08fffffffffffff"
     "fffff011203"
     "08ac02"},
    {&dvt_schema_tensor_proto,
     "{\"dtype\": \"DT_DOUBLE\", \"tensorShape\": {}, \"doubleVal\": [\"Infinity\", \"-Infinity\", 1e-300, "
     "0.1]}",
     "080212003220000000000000f07f000000000000f0ff59f3f8c21f6ea5019a9999999999b93f"},
    {&dvt_schema_attr_value, "{\"func\": {\"name\": \"f\", \"attr\": {\"x\": {\"s\": \"w6k\"}}}}",
     "520e0a016612090a017812041202c3a9"},
    {&dvt_schema_config_proto,
     "{\"deviceCount\": {\"CPU\": 2}, \"intra_op_parallelism_threads\": 4.0, \"gpuOptions\": "
     "{\"perProcessGpuMemoryFraction\": 0.5}, \"logDevicePlacement\": true, \"experimental\": null}",
     "0a070a0343505510021004320909000000000000e03f4001"},
    {&dvt_schema_graph_def,
     "{\"library\": {\"function\": [{\"signature\": {\"name\": \"f\"}, \"argAttr\": {\"2\": {\"attr\": "
     "{\"k\": {\"b\": "
     "true}}}}}]}, \"versions\": {\"producer\": 27, \"minConsumer\": 12}}",
     "12160a140a030a01663a0d080212090a070a016b120228012204081b100c"},
    {&dvt_schema_node_def, " {\"name\" : \"\\u00e9\\ud83d\\ude00\\n\\\"\\/\"}\n", "0a09c3a9f09f98800a222f"},
    {&dvt_schema_node_def, "{}", ""},
    {&dvt_schema_attr_value, "{\"i\": 1e3}", "18e807"},
};

static void test_samples(void **state) {
  (void)state;
  for (size_t i = 0; i < DVT_COUNT_OF(samples); i++) {
    dvt_buf wire = {0};
    dvt_test_expect_ok(dvt_json_parse(samples[i].schema, dvt_str_from(samples[i].json), "sample", &wire));
    expect_hex(dvt_buf_str(&wire), samples[i].hex);
    dvt_buf_deinit(&wire);
  }
}

static void test_errors_say_where_and_what(void **state) {
  (void)state;
  static const struct {
    const char *json, *error;
  } rows[] = {
      {"", "j:1:1: expected an object for AttrValue"},
      {"[]", "expected an object"},
      {"{", "expected a quoted string"},
      {"{\"i\"", "expected ':'"},
      {"{\"i\":", "expected a 64-bit integer for i"},
      {"{\"i\": 1", "expected ',' or '}'"},
      {"{\"i\": 1} x", "j:1:10: text goes on"},
      {"{\"i\": 1.5}", "expected a 64-bit integer"},
      {"{\"i\": 9223372036854775808}", "expected a 64-bit integer"},
      {"{\"i\": true}", "expected a 64-bit integer"},
      {"{\"i\": [1]}", "expected a 64-bit integer"},
      {"{\"b\": 1}", "expected true or false"},
      {"{\"f\": \"x\"}", "expected a number"},
      {"{\"f\": 0x10}", "expected"},
      {"{\"type\": \"DT_FLOTA\"}", "did you mean \"DT_FLOAT\"?"},
      {"{\"s\": \"a\"}", "base64"},
      {"{\"s\": \"a*==\"}", "base64"},
      {"{\"s\": 1}", "expected a quoted string"},
      {"{\"shap\": {}}", "AttrValue has no field \"shap\"; did you mean \"shape\"?"},
      {"{\"list\": {\"i\": 1}}", "expected an array for i"},
      {"{\"list\": {\"i\": [1 2]}}", "expected ',' or ']'"},
      {"{\"func\": {\"attr\": []}}", "expected an object for attr"},
      {"{\"func\": {\"attr\": {\"x\" 1}}}", "expected ':'"},
      {"{\"placeholder\": \"\\x\"}", "invalid escape"},
      {"{\"placeholder\": \"\\u12\"}", "invalid escape"},
      {"{\"placeholder\": \"\\ud800\"}", "invalid escape"},
      {"{\"placeholder\": \"\\udc00\"}", "invalid escape"},
      {"{\"placeholder\": \"\\", "invalid escape"},
      {"{\"placeholder\": \"a", "has no end"},
      {"{\"placeholder\": \"a\nb\"}", "control character"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    dvt_buf wire = {0};
    dvt_status status = dvt_json_parse(&dvt_schema_attr_value, dvt_str_from(rows[i].json), "j", &wire);
    if (!status) fail_msg("%s was accepted", rows[i].json);
    dvt_test_expect_error(status, TF_INVALID_ARGUMENT, rows[i].error);
    assert_int_equal(wire.len, 0);
    dvt_buf_deinit(&wire);
  }
  dvt_buf wire = {0};
  dvt_test_expect_error(dvt_json_parse(&dvt_schema_attr_value, dvt_str_make("{}\0", 3), "j", &wire),
                        TF_INVALID_ARGUMENT, "text goes on");
  dvt_buf_deinit(&wire);
}

static void test_depth_is_limited(void **state) {
  (void)state;
  dvt_buf json = {0}, wire = {0};
  for (int i = 0; i < 300; i++) dvt_buf_append_str(&json, DVT_STR("{\"list\":{\"func\":[{\"attr\":{\"k\":"));
  dvt_test_expect_error(dvt_json_parse(&dvt_schema_attr_value, dvt_buf_str(&json), "deep", &wire),
                        TF_INVALID_ARGUMENT, "nest more than 100 deep");
  dvt_buf_deinit(&json);
  dvt_buf_deinit(&wire);
}

static bool parse_attempt(void *arg) {
  (void)arg;
  bool ok = true;
  for (size_t i = 0; i < DVT_COUNT_OF(samples) && ok; i++) {
    dvt_buf wire = {0};
    dvt_status status = dvt_json_parse(samples[i].schema, dvt_str_from(samples[i].json), "sample", &wire);
    ok = !status;
    if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
    dvt_status_free(status);
    dvt_buf_deinit(&wire);
  }
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(parse_attempt, NULL, 20);
}

static void test_numbers_read(void **state) {
  (void)state;
  uint64_t u;
  double d;
  assert_true(dvt_number_parse_uint64(DVT_STR("18446744073709551615"), &u) && u == UINT64_MAX);
  assert_false(dvt_number_parse_uint64(DVT_STR("18446744073709551616"), &u));
  assert_true(dvt_number_parse_uint64(DVT_STR("0xFf"), &u) && u == 255);
  assert_true(dvt_number_parse_uint64(DVT_STR("0"), &u) && u == 0);
  static const char *const bad[] = {"", "0x", "08", "1a", "-1", "+1", " 1", "1 "};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++)
    assert_false(dvt_number_parse_uint64(dvt_str_from(bad[i]), &u));
  assert_true(dvt_number_parse_double(DVT_STR("-1.5e3"), &d) && d == -1500);
  assert_true(dvt_number_parse_double(DVT_STR("Infinity"), &d) && isinf(d));
  static const char *const bad_reals[] = {"", " 1", "1 ", "0x1p3", "nan(1)", "1,5", "--1", "."};
  for (size_t i = 0; i < DVT_COUNT_OF(bad_reals); i++)
    assert_false(dvt_number_parse_double(dvt_str_from(bad_reals[i]), &d));
}

static void test_numbers_print_shortest_and_read_back(void **state) {
  (void)state;
  char text[DVT_NUMBER_CHARS];
  const double values[] = {0.1,  1.0 / 3,        DBL_MAX, DBL_MIN, 5e-324, -0.0, 123456789012345678.0,
                           1e22, 0x1.fffffep+127};
  for (size_t i = 0; i < DVT_COUNT_OF(values); i++) {
    double back;
    size_t len = dvt_number_format_double(values[i], text);
    assert_true(dvt_number_parse_double(dvt_str_make(text, len), &back) && back == values[i]);
  }
  dvt_number_format_float(0.1f, text);
  assert_string_equal(text, "0.1");
  dvt_number_format_float(16777216.0f, text);
  assert_string_equal(text, "16777216");
  dvt_number_format_double(NAN, text);
  assert_string_equal(text, "nan");
  dvt_number_format_float(-INFINITY, text);
  assert_string_equal(text, "-inf");
}

// A locale with a decimal comma must not matter; skipped silently where none is installed.
static void test_numbers_ignore_the_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++)
    if (setlocale(LC_ALL, names[i])) break;
  double d;
  char text[DVT_NUMBER_CHARS];
  assert_true(dvt_number_parse_double(DVT_STR("1.5"), &d) && d == 1.5);
  dvt_number_format_double(1.5, text);
  assert_string_equal(text, "1.5");
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples),
      cmocka_unit_test(test_errors_say_where_and_what),
      cmocka_unit_test(test_depth_is_limited),
      cmocka_unit_test(test_survives_allocation_failures),
      cmocka_unit_test(test_numbers_read),
      cmocka_unit_test(test_numbers_print_shortest_and_read_back),
      cmocka_unit_test(test_numbers_ignore_the_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
