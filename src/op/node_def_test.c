// Nodes: attrs with defaults, validation (rules 70, 71), list arguments, ranges, deprecation, printing.
#include "op/node_def.h"

#include "base/testing.h"
#include "op/op_def_builder.h"
#include "tensor/dtype.h"

typedef struct fixture {
  dvt_arena arena;
  dvt_buf errors, scratch, values[6];
  dvt_attr attrs[6];
  TF_OpDefinitionBuilder *builder;
  dvt_node_def node;
} fixture;

static void add_specs(TF_OpDefinitionBuilder *builder, dvt_spec_kind kind, const char *const *specs) {
  for (; specs && *specs; specs++) dvt_op_builder_add(builder, kind, dvt_str_from(*specs));
}
#define SPECS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void start(fixture *f, const char *const *attrs, const char *const *inputs,
                  const char *const *outputs) {
  *f = (fixture){.builder = dvt_op_builder_new(DVT_STR("Op"))};
  add_specs(f->builder, DVT_SPEC_ATTR, attrs);
  add_specs(f->builder, DVT_SPEC_INPUT, inputs);
  add_specs(f->builder, DVT_SPEC_OUTPUT, outputs);
  const dvt_op_def *op;
  assert_null(dvt_op_builder_finish(f->builder, &f->arena, &f->errors, &f->scratch, &op));
  f->node = (dvt_node_def){.name = DVT_STR("n"), .op = op, .attrs = f->attrs};
}

static dvt_buf *attr(fixture *f, const char *name) {
  int i = f->node.attr_count++;
  f->attrs[i].name = dvt_str_from(name);
  return &f->values[i];
}

static dvt_status resolve(fixture *f) {
  for (int i = 0; i < f->node.attr_count; i++) f->attrs[i].value = dvt_buf_str(&f->values[i]);
  return dvt_node_resolve(&f->node, &f->arena);
}

static void finish(fixture *f) {
  for (size_t i = 0; i < DVT_COUNT_OF(f->values); i++) dvt_buf_deinit(&f->values[i]);
  dvt_buf_deinit(&f->errors);
  dvt_buf_deinit(&f->scratch);
  dvt_arena_deinit(&f->arena);
  dvt_op_builder_delete(f->builder);
}

static void test_lists_are_flattened(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("N: int", "T: type", "L: list(type)", "U: type = DT_INT64"),
        SPECS("a: N*T", "b: L", "c: float", "d: Ref(U)"), SPECS("y: L", "z: U"));
  dvt_attr_put_int(attr(&f, "N"), 2);
  dvt_attr_put_type(attr(&f, "T"), TF_HALF);
  dvt_attr_put_type_list(attr(&f, "L"), (int[]){TF_BOOL, TF_STRING, TF_INT8}, 3);
  assert_null(resolve(&f));
  assert_int_equal(f.node.input_count, 7);
  const int16_t inputs[] = {
      TF_HALF, TF_HALF, TF_BOOL, TF_STRING, TF_INT8, TF_FLOAT, TF_INT64 + DVT_DTYPE_REF_OFFSET};
  assert_memory_equal(f.node.input_types, inputs, sizeof inputs);
  assert_int_equal(f.node.output_count, 4);
  const int16_t outputs[] = {TF_BOOL, TF_STRING, TF_INT8, TF_INT64};
  assert_memory_equal(f.node.output_types, outputs, sizeof outputs);
  int begin, end;
  assert_null(dvt_node_input_range(&f.node, DVT_STR("b"), &begin, &end));
  assert_int_equal(begin, 2);
  assert_int_equal(end, 5);
  assert_null(dvt_node_output_range(&f.node, DVT_STR("z"), &begin, &end));
  assert_int_equal(begin, 3);
  assert_int_equal(end, 4);
  dvt_test_expect_error(dvt_node_input_range(&f.node, DVT_STR("zz"), &begin, &end), TF_INVALID_ARGUMENT,
                        "Unknown input name: zz");
  finish(&f);
}

static void expect_resolve_error(fixture *f, const char *part) {
  dvt_status status = resolve(f);
  assert_non_null(status);
  assert_non_null(strstr(dvt_status_message(status), "; NodeDef: {{node n}}; Op<name=Op; signature="));
  dvt_test_expect_error(status, TF_INVALID_ARGUMENT, part);
  finish(f);
}

static void test_rule_071_missing_attr(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("r: int", "d: int = 3"), NULL, NULL);
  expect_resolve_error(&f, "NodeDef missing attr 'r'");
  start(&f, SPECS("r: int", "q: type"), NULL, NULL);
  expect_resolve_error(&f, "NodeDef missing attrs 'r', 'q'");
}

static void test_rule_071_values(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("a: int >= 5"), NULL, NULL);
  dvt_attr_put_int(attr(&f, "a"), 3);
  expect_resolve_error(&f, "Value for attr 'a' of 3 must be at least minimum 5");
  start(&f, SPECS("a: {'x', 'y'}"), NULL, NULL);
  dvt_attr_put_string(attr(&f, "a"), DVT_STR("z"));
  expect_resolve_error(&f, "Value for attr 'a' of \"z\" is not in the list of allowed values: \"x\", \"y\"");
  start(&f, SPECS("a: {float, int32}"), NULL, NULL);
  dvt_attr_put_type(attr(&f, "a"), TF_BOOL);
  expect_resolve_error(&f, "Value for attr 'a' of bool is not in the list of allowed values: float, int32");
  start(&f, SPECS("a: list({float, int32})"), NULL, NULL);
  dvt_attr_put_type_list(attr(&f, "a"), (int[]){TF_FLOAT, TF_BOOL}, 2);
  expect_resolve_error(&f, "Value for attr 'a' of bool");
  start(&f, SPECS("a: list(int) >= 2"), NULL, NULL);
  dvt_attr_put_int_list(attr(&f, "a"), (int64_t[]){1}, 1);
  expect_resolve_error(&f, "Length for attr 'a' of 1 must be at least minimum 2");
  start(&f, SPECS("a: type"), NULL, NULL);
  dvt_attr_put_int(attr(&f, "a"), 1);
  expect_resolve_error(&f, "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'a'");
  start(&f, SPECS("a: type"), NULL, NULL);
  dvt_attr_put_type(attr(&f, "a"), TF_FLOAT + DVT_DTYPE_REF_OFFSET);
  expect_resolve_error(&f, "AttrValue must not have reference type value of float_ref");
  start(&f, SPECS("a: type"), NULL, NULL);
  dvt_attr_put_type(attr(&f, "a"), 77);
  expect_resolve_error(&f, "AttrValue has invalid DataType enum: 77");
}

static void test_rule_070_unknown_attrs_are_logged(void **state) {
  (void)state;
  fixture f;
  dvt_test_log log;
  start(&f, SPECS("a: int"), NULL, NULL);
  dvt_attr_put_int(attr(&f, "_class"), 1);
  dvt_attr_put_int(attr(&f, "a"), 1);
  dvt_test_log_start(&log);
  assert_null(resolve(&f));
  assert_int_equal(log.lines, 0);
  dvt_attr_put_int(attr(&f, "zz"), 1);
  assert_null(resolve(&f));
  assert_int_equal(log.lines, 1);
  dvt_attr_put_int(attr(&f, "zy"), 1);
  assert_null(resolve(&f));
  dvt_test_log_stop();
  assert_int_equal(log.lines, 2);
  assert_non_null(
      strstr(log.last, "NodeDef mentions attribute zz and 1 more which is not in the op definition"));
  dvt_str value;
  assert_true(dvt_node_attr(&f.node, DVT_STR("_class"), &value));
  finish(&f);
}

static void test_rule_090_absent_attr(void **state) {
  (void)state;
  fixture f;
  dvt_str value;
  start(&f, SPECS("a: int = 7"), NULL, NULL);
  dvt_test_expect_error(dvt_node_attr_or_error(&f.node, DVT_STR("zz"), &value), TF_NOT_FOUND,
                        "No attr named 'zz' in NodeDef:\n\t [[{{node n}}]]");
  int64_t a;
  assert_null(dvt_node_attr_or_error(&f.node, DVT_STR("a"), &value));
  assert_null(dvt_attr_get_int(value, &a));
  assert_int_equal(a, 7);
  finish(&f);
}

static void test_hostile_lengths_are_refused(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("N: int"), SPECS("a: N*float", "b: N*float"), NULL);
  dvt_attr_put_int(attr(&f, "N"), INT64_MAX);
  expect_resolve_error(&f, "would have 9223372036854775807 elements");
  start(&f, SPECS("N: int"), SPECS("a: N*float", "b: N*float"), NULL);
  dvt_attr_put_int(attr(&f, "N"), 200000);
  expect_resolve_error(&f, "would have 400000 inputs or outputs");
}

// In function bodies "$T" stands for an attr of the function: nothing to check yet.
static void test_placeholder_values_are_not_checked(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("a: {float, int32}"), NULL, NULL);
  dvt_attr_put_placeholder(attr(&f, "a"), DVT_STR("T"));
  assert_null(resolve(&f));
  finish(&f);
}

static void test_rule_068_deprecation(void **state) {
  (void)state;
  dvt_op_def op = {.name = DVT_STR("Old"), .deprecated_since = 30, .deprecation_text = DVT_STR("Use New")};
  assert_null(dvt_op_check_deprecation(&op, 29));
  dvt_status status = dvt_op_check_deprecation(&op, 30);
  assert_int_equal(dvt_status_code(status), TF_UNIMPLEMENTED);
  assert_string_equal(
      dvt_status_message(status),
      "Op Old is not available in GraphDef version 30. It has been removed in version 30. Use New.");
  dvt_status_free(status);
  op.deprecated_since = 0;
  assert_null(dvt_op_check_deprecation(&op, 30));
}

static void test_rule_133_defaults_are_written(void **state) {
  (void)state;
  fixture f;
  start(&f, SPECS("a: int = 7", "b: int", "T: type"), NULL, NULL);
  dvt_attr_put_int(attr(&f, "b"), 1);
  dvt_attr_put_type(attr(&f, "T"), TF_FLOAT);
  assert_null(resolve(&f));
  f.node.device = DVT_STR("/cpu:0");
  dvt_buf out = {0};
  dvt_node_to_proto(&f.node, NULL, f.node.device, &out);
  static const char expected[] =
      "\x0a\x01n\x12\x02Op\x22\x06/cpu:0"
      "\x2a\x07\x0a\x01"
      "b\x12\x02\x18\x01"
      "\x2a\x07\x0a\x01T\x12\x02\x30\x01"
      "\x2a\x07\x0a\x01"
      "a\x12\x02\x18\x07";
  assert_int_equal(out.len, sizeof expected - 1);
  assert_memory_equal(out.data, expected, out.len);
  dvt_buf_clear(&out);
  dvt_node_describe(&f.node, &out);
  assert_string_equal(out.data, "{{node n}} = Op[a=7, b=1, T=DT_FLOAT]");
  dvt_buf_deinit(&out);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists_are_flattened),
      cmocka_unit_test(test_rule_071_missing_attr),
      cmocka_unit_test(test_rule_071_values),
      cmocka_unit_test(test_rule_070_unknown_attrs_are_logged),
      cmocka_unit_test(test_rule_090_absent_attr),
      cmocka_unit_test(test_hostile_lengths_are_refused),
      cmocka_unit_test(test_placeholder_values_are_not_checked),
      cmocka_unit_test(test_rule_068_deprecation),
      cmocka_unit_test(test_rule_133_defaults_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
