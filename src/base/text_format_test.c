// The text format in both directions. The bytes wanted are those that Google's protobuf library (6.x, Python)
// makes of the same text with TensorFlow's messages.
#include "base/schema_write.h"
#include "base/testing.h"
#include "base/text_lexer.h"

typedef struct sample {
  const dvt_schema *schema;
  const char *text, *hex, *one_line;
} sample;

static const sample samples[] = {
    {&dvt_schema_node_def,
     "name: \"a\" op: 'Const' input: [\"x\",\"^y\"] attr { key: \"T\" value { type: DT_FLOAT } } attr { key: "
     "\"n\" value "
     "{ i: -3 } }",
     "0a01611205436f6e73741a01781a025e792a070a0154120230012a100a016e120b18fdffffffffffffffff01",
     "name: \"a\" op: \"Const\" input: \"x\" input: \"^y\" attr { key: \"T\" value { type: DT_FLOAT } } attr "
     "{ key: "
     "\"n\" value { i: -3 } }"},
    {&dvt_schema_attr_value,
     "list { s: \"a\" \"b\\x00\\377\\n\" i: [1, 2, -1] f: 1.5 f: 0.1 b: true type: [DT_INT32, DT_FLOAT_REF] "
     "shape { dim "
     "{ size: -1 } dim { size: 300 } } }",
     "0a3a1205616200ff0a1a0c0102ffffffffffffffffff0122080000c03fcdcccc3d2a0101320203653a12120b08fffffffffffff"
     "fffff011203"
     "08ac02",
     "list { s: \"ab\\000\\377\\n\" i: 1 i: 2 i: -1 f: 1.5 f: 0.1 b: true type: DT_INT32 type: DT_FLOAT_REF "
     "shape { dim "
     "{ size: -1 } dim { size: 300 } } }"},
    {&dvt_schema_tensor_proto, "dtype: DT_DOUBLE tensor_shape {} double_val: [inf, -inf, 1e-300, 0.1]",
     "080212003220000000000000f07f000000000000f0ff59f3f8c21f6ea5019a9999999999b93f",
     "dtype: DT_DOUBLE tensor_shape { } double_val: inf double_val: -inf double_val: 1e-300 double_val: 0.1"},
    {&dvt_schema_attr_value, "func { name: \"f\" attr { key: \"x\" value { s: \"\\u00e9\" } } }",
     "520e0a016612090a017812041202c3a9",
     "func { name: \"f\" attr { key: \"x\" value { s: \"\\303\\251\" } } }"},
    {&dvt_schema_config_proto,
     "device_count { key: \"CPU\" value: 2 } intra_op_parallelism_threads: 4 gpu_options { "
     "per_process_gpu_memory_fraction: 0.5 } log_device_placement: true",
     "0a070a0343505510021004320909000000000000e03f4001",
     "device_count { key: \"CPU\" value: 2 } intra_op_parallelism_threads: 4 gpu_options { "
     "per_process_gpu_memory_fraction: 0.5 } log_device_placement: true"},
    {&dvt_schema_graph_def,
     "library { function { signature { name: \"f\" } arg_attr { key: 2 value { attr { key: \"k\" value { b: "
     "true } } } } "
     "} } versions { producer: 27 min_consumer: 12 }",
     "12160a140a030a01663a0d080212090a070a016b120228012204081b100c",
     "library { function { signature { name: \"f\" } arg_attr { key: 2 value { attr { key: \"k\" value { b: "
     "true } } } } "
     "} } versions { producer: 27 min_consumer: 12 }"},
    {&dvt_schema_tensor_proto, "dtype: DT_INT8 tensor_shape { dim { size: 1 } } int_val: -5",
     "08061204120208013a0afbffffffffffffffff01",
     "dtype: DT_INT8 tensor_shape { dim { size: 1 } } int_val: -5"},
};

static void expect_hex(dvt_str bytes, const char *hex) {
  char text[1024];
  assert_true(bytes.len * 2 < sizeof text);
  for (size_t i = 0; i < bytes.len; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes.data[i]);
  text[bytes.len * 2] = '\0';
  assert_string_equal(text, hex);
}

static void test_samples_parse_and_print(void **state) {
  (void)state;
  for (size_t i = 0; i < DVT_COUNT_OF(samples); i++) {
    dvt_buf wire = {0}, text = {0}, again = {0};
    dvt_test_expect_ok(dvt_text_parse(samples[i].schema, dvt_str_from(samples[i].text), "sample", &wire));
    expect_hex(dvt_buf_str(&wire), samples[i].hex);
    dvt_test_expect_ok(dvt_text_print(samples[i].schema, dvt_buf_str(&wire), true, &text));
    assert_string_equal(text.data, samples[i].one_line);
    dvt_buf_clear(&text);
    dvt_test_expect_ok(dvt_text_print(samples[i].schema, dvt_buf_str(&wire), false, &text));
    dvt_test_expect_ok(dvt_text_parse(samples[i].schema, dvt_buf_str(&text), "again", &again));
    expect_hex(dvt_buf_str(&again), samples[i].hex);
    dvt_buf_deinit(&wire);
    dvt_buf_deinit(&text);
    dvt_buf_deinit(&again);
  }
}

static void test_layout_of_lines(void **state) {
  (void)state;
  dvt_buf wire = {0}, text = {0};
  dvt_test_expect_ok(dvt_text_parse(&dvt_schema_node_def, dvt_str_from(samples[0].text), "sample", &wire));
  dvt_test_expect_ok(dvt_text_print(&dvt_schema_node_def, dvt_buf_str(&wire), false, &text));
  assert_string_equal(
      text.data,
      "name: \"a\"\nop: \"Const\"\ninput: \"x\"\ninput: \"^y\"\nattr {\n  key: \"T\"\n  value {\n    type: "
      "DT_FLOAT\n  }\n}\nattr {\n  key: \"n\"\n  value {\n    i: -3\n  }\n}\n");
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&text);
}

// One AttrValue a row; NULL: an error is wanted, with this part of a message.
static void test_values_as_protobuf_reads_them(void **state) {
  (void)state;
  static const struct {
    const char *text, *hex, *error;
  } rows[] = {
      {"f: 1.0f", "250000803f", NULL},
      {"f: .5", "250000003f", NULL},
      {"f: 1e400", "250000807f", NULL},
      {"f: -1e400", "25000080ff", NULL},
      {"f: 3.4028236e38", "250000807f", NULL},
      {"f: 1e39", "250000807f", NULL},
      {"f: -0", "2500000080", NULL},
      {"f: 1e-46", "2500000000", NULL},
      {"f: nan", "250000c07f", NULL},
      {"f: -nan", "250000c07f", NULL},
      {"f: 0x10", NULL, "1:4: expected a number for f, found '0x10'"},
      {"f: 1.5.2", NULL, "expected a number"},
      {"f: oops", NULL, "expected a number"},
      {"i: 0x1F", "181f", NULL},
      {"i: 017", "180f", NULL},
      {"i: 019", NULL, "expected a 64-bit integer"},
      {"i: 9223372036854775807", "18ffffffffffffffff7f", NULL},
      {"i: 9223372036854775808", NULL, "expected a 64-bit integer"},
      {"i: -9223372036854775808", "1880808080808080808001", NULL},
      {"i: 1.0", NULL, "expected a 64-bit integer"},
      {"i: 1f", NULL, "expected a 64-bit integer"},
      {"i: 1,", "1801", NULL},
      {"i: 1;", "1801", NULL},
      {"i 1", NULL, "1:3: expected ':' for i, found '1'"},
      {"i: 1 i: 2", NULL, "1:6: i is given twice in AttrValue"},
      {"i: [1]", NULL, "takes one value"},
      {"i:", NULL, "found the end of the text"},
      {"b: 1", "2801", NULL},
      {"b: t", "2801", NULL},
      {"b: False", "2800", NULL},
      {"b: 2", NULL, "expected true or false"},
      {"b: TRUE", NULL, "expected true or false"},
      {"b: -1", NULL, "expected true or false"},
      {"type: 3", "3003", NULL},
      {"type: 55", "3037", NULL},
      {"type: -1", "30ffffffffffffffffff01", NULL},
      {"type: DT_FLOAR", NULL, "type has no value \"DT_FLOAR\"; did you mean \"DT_FLOAT\"?"},
      {"s: \"a\" 'b'", "12026162", NULL},
      {"s: \"\\q\"", NULL, "invalid escape"},
      {"s: \"\\", NULL, "does not end on its line"},
      {"s: \"\\\"", NULL, "does not end on its line"},
      {"s: \"\\U00110000\"", NULL, "invalid escape"},
      {"s: \"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?\"", "120b07080c0a0d090b5c27223f", NULL},
      {"s: \"\\U0001F600\\u20ac\"", "1207f09f9880e282ac", NULL},
      {"s: \"a\nb\"", NULL, "does not end on its line"},
      {"s: 1", NULL, "expected a quoted string"},
      {"list: { i: 1 }", "0a031a0101", NULL},
      {"list < i: 1 >", "0a031a0101", NULL},
      {"list { } # c", "0a00", NULL},
      {"list { i: [] }", "0a00", NULL},
      {"list { shape: [{ dim { size: 1 } }, {}] }", "0a083a04120208013a00", NULL},
      {"list { i: [1 2] }", NULL, "expected ',' or ']'"},
      {"list { i: 1 >", NULL, "expected a field name of AttrValue.ListValue, found '>'"},
      {"list { i: 1", NULL, "a closing brace is missing"},
      {"list 5", NULL, "expected '{'"},
      {"shappe { }", NULL, "1:1: AttrValue has no field \"shappe\"; did you mean \"shape\"?"},
      {"\n  zzzzzz: 1", NULL, "2:3: AttrValue has no field \"zzzzzz\""},
      {"[type.googleapis.com/x] {}", NULL, "expanded Any"},
      {"}", NULL, "expected a field name"},
      {"", "", NULL},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    dvt_buf wire = {0};
    dvt_status status = dvt_text_parse(&dvt_schema_attr_value, dvt_str_from(rows[i].text), "t", &wire);
    if (rows[i].hex) {
      if (status) fail_msg("%s: %s", rows[i].text, dvt_status_message(status));
      expect_hex(dvt_buf_str(&wire), rows[i].hex);
    } else {
      if (!status) fail_msg("%s was accepted", rows[i].text);
      dvt_test_expect_error(status, TF_INVALID_ARGUMENT, rows[i].error);
      assert_int_equal(wire.len, 0);
    }
    dvt_buf_deinit(&wire);
  }
}

static void test_depth_is_limited_in_both_directions(void **state) {
  (void)state;
  dvt_buf text = {0}, wire = {0}, out = {0};
  for (int i = 0; i < 300; i++) dvt_buf_append_str(&text, DVT_STR("list{func{attr{value{"));
  dvt_test_expect_error(dvt_text_parse(&dvt_schema_attr_value, dvt_buf_str(&text), "deep", &wire),
                        TF_INVALID_ARGUMENT, "nest more than 100 deep");
  size_t begins[300];
  dvt_buf_clear(&wire);
  for (int i = 0; i < 300; i++) begins[i] = dvt_wire_begin(&wire, 2);
  for (int i = 299; i >= 0; i--) dvt_wire_end(&wire, begins[i]);
  static dvt_schema_field row = {"self", 2, DVT_KIND_MESSAGE, false, false, NULL, NULL};
  static const dvt_schema recursive = {"Recursive", &row, 1};
  row.message = &recursive;
  dvt_test_expect_error(dvt_text_print(&recursive, dvt_buf_str(&wire), true, &out), TF_INVALID_ARGUMENT,
                        "nests more");
  dvt_buf_deinit(&text);
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&out);
}

static void test_print_shows_what_the_schema_lacks(void **state) {
  (void)state;
  dvt_buf wire = {0}, text = {0};
  dvt_wire_put_varint(&wire, 77, 5);
  dvt_wire_put_bytes(&wire, 78, DVT_STR("x\x01"));
  dvt_wire_put_fixed32(&wire, 79, 16);
  dvt_wire_put_varint(&wire, 1, 3);  // name, but not as a string
  dvt_wire_put_bytes(&wire, 2, DVT_STR("Op"));
  dvt_test_expect_ok(dvt_text_print(&dvt_schema_node_def, dvt_buf_str(&wire), true, &text));
  assert_string_equal(text.data, "77: 5 78: \"x\\001\" 79: 0x10 1: 3 op: \"Op\"");
  dvt_buf_clear(&text);
  dvt_test_expect_error(dvt_text_print(&dvt_schema_node_def, DVT_STR("\x0a\x05x"), true, &text),
                        TF_INVALID_ARGUMENT, "NodeDef is cut off");
  assert_int_equal(text.len, 0);
  dvt_test_expect_error(dvt_text_print(&dvt_schema_tensor_proto, DVT_STR("\x2a\x03xyz"), true, &text),
                        TF_INVALID_ARGUMENT, "float_val are cut off");
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&text);
}

static void test_errors_leave_earlier_bytes_alone(void **state) {
  (void)state;
  dvt_buf out = {0};
  dvt_buf_append_str(&out, DVT_STR("before"));
  dvt_test_expect_error(dvt_text_parse(&dvt_schema_node_def, DVT_STR("name: \"x\" nope: 1"), "t", &out),
                        TF_INVALID_ARGUMENT, "no field");
  assert_int_equal(out.len, 6);
  dvt_buf_deinit(&out);
}

static bool parse_attempt(void *arg) {
  (void)arg;
  bool ok = true;
  for (size_t i = 0; i < DVT_COUNT_OF(samples) && ok; i++) {
    dvt_buf wire = {0}, text = {0};
    dvt_status status = dvt_text_parse(samples[i].schema, dvt_str_from(samples[i].text), "sample", &wire);
    if (!status) status = dvt_text_print(samples[i].schema, dvt_buf_str(&wire), false, &text);
    ok = !status;
    if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
    dvt_status_free(status);
    dvt_buf_deinit(&wire);
    dvt_buf_deinit(&text);
  }
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(parse_attempt, NULL, 20);
}

// Field numbers and names must be unique in every table, and map entries have a key and a value.
static void check_schema(const dvt_schema *schema, int depth) {
  for (size_t i = 0; i < schema->field_count; i++) {
    const dvt_schema_field *field = &schema->fields[i];
    assert_ptr_equal(dvt_schema_field_by_name(schema, dvt_str_from(field->name)), field);
    assert_ptr_equal(dvt_schema_field_by_number(schema, field->number), field);
    assert_int_equal(field->message != NULL, field->kind == DVT_KIND_MESSAGE || field->kind == DVT_KIND_MAP);
    assert_int_equal(field->enum_values != NULL, field->kind == DVT_KIND_ENUM);
    if (field->kind == DVT_KIND_MAP) {
      assert_int_equal(field->message->field_count, 2);
      assert_string_equal(field->message->fields[0].name, "key");
      assert_string_equal(field->message->fields[1].name, "value");
    }
    if (field->message && depth < 6) check_schema(field->message, depth + 1);
  }
}
static void test_schema_tables_are_consistent(void **state) {
  (void)state;
  const dvt_schema *const roots[] = {
      &dvt_schema_graph_def,    &dvt_schema_node_def,       &dvt_schema_attr_value,
      &dvt_schema_tensor_proto, &dvt_schema_tensor_shape,   &dvt_schema_op_def,
      &dvt_schema_op_list,      &dvt_schema_function_def,   &dvt_schema_function_library,
      &dvt_schema_saved_model,  &dvt_schema_meta_graph_def, &dvt_schema_signature_def,
      &dvt_schema_kernel_def,   &dvt_schema_kernel_list,    &dvt_schema_config_proto,
      &dvt_schema_run_options,  &dvt_schema_name_attr_list, &dvt_schema_step_stats,
      &dvt_schema_run_metadata};
  for (size_t i = 0; i < DVT_COUNT_OF(roots); i++) check_schema(roots[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples_parse_and_print),
      cmocka_unit_test(test_layout_of_lines),
      cmocka_unit_test(test_values_as_protobuf_reads_them),
      cmocka_unit_test(test_depth_is_limited_in_both_directions),
      cmocka_unit_test(test_print_shows_what_the_schema_lacks),
      cmocka_unit_test(test_errors_leave_earlier_bytes_alone),
      cmocka_unit_test(test_survives_allocation_failures),
      cmocka_unit_test(test_schema_tables_are_consistent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
