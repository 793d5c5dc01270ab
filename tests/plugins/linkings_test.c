// A program linked to the shared library loads plugins in every linking that stock's users have: without
// needed libraries, and with libtensorflow_framework.so.2 and libtensorflow_cc.so.2 among them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/c_api.h"

static void check_loads(const char *path, const char *op) {
  TF_Status *status = TF_NewStatus();
  TF_Library *library = TF_LoadLibrary(path, status);
  if (!library) print_error("%s\n", TF_Message(status));
  assert_non_null(library);
  assert_true(TF_GetOpList(library).length > 0);
  TF_Buffer *kernels = TF_GetRegisteredKernelsForOp(op, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_true(kernels->length > 0);
  TF_DeleteBuffer(kernels);
  TF_DeleteLibraryHandle(library);
  TF_DeleteStatus(status);
}

#define PLUGIN(name) DVT_BUILD_DIR "/tests/plugins/" name ".so"

static void test_no_needed_library(void **state) {
  (void)state;
  check_loads(PLUGIN("plug_good"), "GoodOne");
}

static void test_framework_needed(void **state) {
  (void)state;
  check_loads(PLUGIN("plug_fw"), "Linked_fwOne");
}

static void test_cc_needed(void **state) {
  (void)state;
  check_loads(PLUGIN("plug_cc"), "Linked_ccOne");
}

static void test_both_needed(void **state) {
  (void)state;
  check_loads(PLUGIN("plug_fwcc"), "Linked_fwccOne");
}

static void test_missing_functions_are_named(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  assert_null(TF_LoadLibrary(PLUGIN("plug_missing"), status));
  assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
  assert_non_null(strstr(TF_Message(status), "TF_FunctionOfTomorrow"));
  assert_non_null(strstr(TF_Message(status), "TF_AnotherOfTomorrow"));
  // Functions that are there are not in the list.
  assert_null(strstr(TF_Message(status), "TF_NewStatus"));
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_needed_library),
      cmocka_unit_test(test_framework_needed),
      cmocka_unit_test(test_cc_needed),
      cmocka_unit_test(test_both_needed),
      cmocka_unit_test(test_missing_functions_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
