// ops.h through its own door: builders, registration, op lists (semantics rules 42-71, 10).
#include "tensorflow/c/ops.h"

#include "base/testing.h"
#include "base/wire.h"
#include "op/registry.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

static void a_shape_function(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static TF_OpDefinitionBuilder *full_builder(const char *name) {
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  assert_non_null(builder);
  TF_OpDefinitionBuilderAddAttr(builder, "T: {float, double} = DT_FLOAT");
  TF_OpDefinitionBuilderAddAttr(builder, "N: int >= 1");
  TF_OpDefinitionBuilderAddInput(builder, "x: N * T");
  TF_OpDefinitionBuilderAddInput(builder, "s: string");
  TF_OpDefinitionBuilderAddOutput(builder, "y: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, a_shape_function);
  return builder;
}

static void expect_registration(TF_OpDefinitionBuilder *builder, TF_Code code, const char *part) {
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_ABORTED, "left from before");
  TF_RegisterOpDefinition(builder, status);
  if (TF_GetCode(status) != code || !strstr(TF_Message(status), part))
    fail_msg("got %d %s", (int)TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
}

static void test_rule_010_null_builders(void **state) {
  (void)state;
  TF_DeleteOpDefinitionBuilder(NULL);
  TF_OpDefinitionBuilderAddAttr(NULL, "a: int");
  TF_OpDefinitionBuilderAddInput(NULL, "x: float");
  TF_OpDefinitionBuilderAddOutput(NULL, "y: float");
  TF_OpDefinitionBuilderSetIsStateful(NULL, true);
  TF_OpDefinitionBuilderSetIsAggregate(NULL, true);
  TF_OpDefinitionBuilderSetIsCommutative(NULL, true);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(NULL, true);
  TF_OpDefinitionBuilderDeprecated(NULL, 1, "x");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(NULL, a_shape_function);
  expect_registration(NULL, TF_INVALID_ARGUMENT, "the builder is NULL");
}

static void test_rule_042_unregistered_builders_are_deleted(void **state) {
  (void)state;
  TF_DeleteOpDefinitionBuilder(full_builder("CapiDeleted"));
  assert_null(dvt_op_lookup(DVT_STR("CapiDeleted")));
}

static void test_rule_043_registration_reports(void **state) {
  (void)state;
  expect_registration(full_builder("CapiFull"), TF_OK, "");
  const dvt_op_def *op = dvt_op_lookup(DVT_STR("CapiFull"));
  assert_non_null(op);
  assert_true(op->shape_fn == a_shape_function);
  assert_int_equal(op->attr_count, 2);
  expect_registration(full_builder("CapiFull"), TF_ALREADY_EXISTS, "Op with name CapiFull");
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("CapiBad");
  TF_OpDefinitionBuilderAddInput(builder, "x: foo");
  expect_registration(builder, TF_INVALID_ARGUMENT,
                      "Reference to unknown attr 'foo' from Input(\"x: foo\") for Op CapiBad");
  // A status is not needed.
  TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder("CapiNoStatus"), NULL);
  assert_non_null(dvt_op_lookup(DVT_STR("CapiNoStatus")));
}

static void test_null_texts_are_errors(void **state) {
  (void)state;
  expect_registration(TF_NewOpDefinitionBuilder(NULL), TF_INVALID_ARGUMENT, "Invalid name");
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("CapiNull");
  TF_OpDefinitionBuilderAddAttr(builder, NULL);
  TF_OpDefinitionBuilderDeprecated(builder, 5, NULL);
  expect_registration(builder, TF_INVALID_ARGUMENT, "Trouble parsing '<name>:' from Attr(\"\")");
}

static void test_rule_067_setters_honour_false(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("CapiFlags");
  TF_OpDefinitionBuilderSetIsStateful(builder, true);
  TF_OpDefinitionBuilderSetIsStateful(builder, false);
  TF_OpDefinitionBuilderSetIsCommutative(builder, false);
  TF_OpDefinitionBuilderSetIsAggregate(builder, true);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, true);
  expect_registration(builder, TF_OK, "");
  const dvt_op_def *op = dvt_op_lookup(DVT_STR("CapiFlags"));
  assert_false(op->is_stateful);
  assert_false(op->is_commutative);
  assert_true(op->is_aggregate);
  assert_true(op->allows_uninitialized_input);
}

static void test_rule_068_deprecation_is_kept(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("CapiOld");
  TF_OpDefinitionBuilderDeprecated(builder, 20, "Use CapiNew");
  expect_registration(builder, TF_OK, "");
  const dvt_op_def *op = dvt_op_lookup(DVT_STR("CapiOld"));
  assert_int_equal(op->deprecated_since, 20);
  assert_true(dvt_str_is(op->deprecation_text, "Use CapiNew"));
}

static bool list_has(const TF_Buffer *list, const char *name) {
  dvt_wire wire = dvt_wire_open(dvt_str_make(list->data, list->length));
  dvt_field op, field;
  bool found = false;
  while (dvt_wire_next(&wire, &op))
    found = found || (dvt_wire_find(op.bytes, 1, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, name));
  assert_false(wire.bad);
  return found;
}

static void test_rule_069_all_op_list(void **state) {
  (void)state;
  expect_registration(full_builder("CapiListed"), TF_OK, "");
  TF_Buffer *list = TF_GetAllOpList();
  assert_non_null(list);
  assert_true(list_has(list, "CapiListed"));
  assert_false(list_has(list, "CapiBad"));
  TF_DeleteBuffer(list);
}

static void test_questions_about_ops(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *builder = full_builder("CapiAsked");
  TF_OpDefinitionBuilderSetIsStateful(builder, true);
  expect_registration(builder, TF_OK, "");
  assert_int_equal(TF_OpIsStateful("CapiAsked", status), 1);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(TF_OpIsStateful("CapiNever", status), 0);
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  assert_string_equal(TF_GetNumberAttrForOpListInput("CapiAsked", 0, status), "N");
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_null(TF_GetNumberAttrForOpListInput("CapiAsked", 1, status));
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  assert_null(TF_GetNumberAttrForOpListInput("CapiAsked", 2, status));
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_null(TF_GetNumberAttrForOpListInput("CapiNever", 0, status));
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_010_null_builders),
      cmocka_unit_test(test_rule_042_unregistered_builders_are_deleted),
      cmocka_unit_test(test_rule_043_registration_reports),
      cmocka_unit_test(test_null_texts_are_errors),
      cmocka_unit_test(test_rule_067_setters_honour_false),
      cmocka_unit_test(test_rule_068_deprecation_is_kept),
      cmocka_unit_test(test_rule_069_all_op_list),
      cmocka_unit_test(test_questions_about_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
