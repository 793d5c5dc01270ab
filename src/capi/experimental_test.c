// The entry points of c_api_experimental.h that need no graph: XLA switches, shape lists, attribute builders,
// the process.
#include "base/testing.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void test_xla_switches_return_what_they_were(void **state) {
  (void)state;
  assert_int_equal(TF_SetXlaEnableLazyCompilation(1), 1);
  assert_int_equal(TF_SetXlaEnableLazyCompilation(0), 1);
  assert_int_equal(TF_SetTfXlaCpuGlobalJit(7), 0);
  assert_int_equal(TF_SetTfXlaCpuGlobalJit(0), 1);
  assert_int_equal(TF_GetXlaConstantFoldingDisabled(), 0);
  TF_SetXlaConstantFoldingDisabled(1);
  assert_int_equal(TF_GetXlaConstantFoldingDisabled(), 1);
  TF_SetXlaConstantFoldingDisabled(0);
  TF_SetXlaAutoJitMode("fusible");
  assert_int_equal(TF_GetXlaAutoJitEnabled(), 1);
  TF_SetXlaAutoJitMode("0");
  assert_int_equal(TF_GetXlaAutoJitEnabled(), 0);
  TF_SetXlaMinClusterSize(4);
  TF_InitMain("usage", NULL, NULL);
}

static void test_unused_port_is_a_port(void **state) {
  (void)state;
  int port = TF_PickUnusedPortOrDie();
  assert_in_range(port, 1, 65535);
}

static void test_internal_error_status(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_MakeInternalErrorStatus(status, "the reason");
  assert_int_equal(TF_GetCode(status), TF_INTERNAL);
  assert_string_equal(TF_Message(status), "the reason");
  TF_DeleteStatus(status);
}

static void test_shape_list_items(void **state) {
  (void)state;
  assert_null(TF_NewShapeAndTypeList(-1));
  TF_ShapeAndTypeList *list = TF_NewShapeAndTypeList(2);
  assert_int_equal(list->num_items, 2);
  assert_int_equal(list->items[1].num_dims, -1);
  int64_t dims[] = {2, -1};
  TF_ShapeAndTypeListSetShape(list, 0, dims, 2);
  dims[0] = 9;  // the list holds a copy
  TF_ShapeAndTypeListSetDtype(list, 0, TF_FLOAT);
  assert_int_equal(list->items[0].num_dims, 2);
  assert_int_equal(list->items[0].dims[0], 2);
  assert_int_equal(list->items[0].dims[1], -1);
  assert_int_equal(list->items[0].dtype, TF_FLOAT);
  TF_ShapeAndTypeListSetShape(list, 2, dims, 2);    // bad index: logged, ignored
  TF_ShapeAndTypeListSetShape(list, 0, dims, 255);  // bad rank: logged, ignored
  TF_ShapeAndTypeListSetShape(NULL, 0, dims, 2);
  TF_ShapeAndTypeListSetDtype(list, -1, TF_INT32);
  assert_int_equal(list->items[0].num_dims, 2);
  TF_ShapeAndTypeListSetUnknownShape(list, 0);
  TF_ShapeAndTypeListSetUnknownShape(list, 5);
  assert_int_equal(list->items[0].num_dims, -1);
  assert_null(list->items[0].dims);
  TF_DeleteShapeAndTypeList(list);
  TF_DeleteShapeAndTypeList(NULL);
  TF_DeleteShapeAndTypeListArray(NULL, 3);
}

static void no_compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static void register_sum_op(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("ExperimentalSum");
  TF_OpDefinitionBuilderAddInput(op, "first: T");
  TF_OpDefinitionBuilderAddInput(op, "rest: N * T");
  TF_OpDefinitionBuilderAddOutput(op, "sum: T");
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32}");
  TF_OpDefinitionBuilderAddAttr(op, "N: int >= 1");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_KernelBuilder *kernel = TF_NewKernelBuilder("ExperimentalSum", "CPU", NULL, no_compute, NULL);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
  TF_RegisterKernelBuilder("ExperimentalSum", kernel, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_DeleteStatus(status);
}

static void test_number_attr_of_a_list_input(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  assert_string_equal(TF_GetNumberAttrForOpListInput("ExperimentalSum", 1, status), "N");
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_null(TF_GetNumberAttrForOpListInput("ExperimentalSum", 0, status));
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  assert_null(TF_GetNumberAttrForOpListInput("ExperimentalSum", 2, status));
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_null(TF_GetNumberAttrForOpListInput("NoSuchOpAtAll", 0, status));
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  TF_DeleteStatus(status);
}

static void test_attr_builder_asks_for_a_kernel(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_AttrBuilder *builder = TF_NewAttrBuilder("ExperimentalSum");
  TF_AttrBuilderSetType(builder, "T", TF_INT32);
  TF_AttrBuilderCheckCanRunOnDevice(builder, "CPU", status);
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  TF_AttrBuilderSetType(builder, "T", TF_FLOAT);  // over the earlier value
  TF_AttrBuilderCheckCanRunOnDevice(builder, "CPU", status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_AttrBuilderCheckCanRunOnDevice(builder, "GPU", status);
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  TF_DataType types[] = {TF_FLOAT, TF_INT32};
  TF_AttrBuilderSetTypeList(builder, "Tlist", types, 2);
  TF_DeleteAttrBuilder(builder);
  TF_DeleteAttrBuilder(NULL);
  TF_DeleteStatus(status);
}

int main(void) {
  register_sum_op();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_xla_switches_return_what_they_were),
      cmocka_unit_test(test_unused_port_is_a_port),
      cmocka_unit_test(test_internal_error_status),
      cmocka_unit_test(test_shape_list_items),
      cmocka_unit_test(test_number_attr_of_a_list_input),
      cmocka_unit_test(test_attr_builder_asks_for_a_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
