// Finding devices by the spellings that graphs and options use.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"

static void test_cpu_is_there(void **state) {
  (void)state;
  const dvt_device *cpu = dvt_device_cpu();
  assert_int_equal(dvt_device_count(), 1);
  assert_ptr_equal(dvt_device_at(0), cpu);
  assert_null(dvt_device_at(1));
  assert_true(dvt_str_is(cpu->type, "CPU"));
  // Rule 176.
  assert_true(dvt_str_is(cpu->name, "/job:localhost/replica:0/task:0/device:CPU:0"));
  assert_int_equal(cpu->ordinal, 0);
  assert_true(cpu->incarnation != 0);
}

static void test_spellings(void **state) {
  (void)state;
  const char *const good[] = {"",
                              "/",
                              "/job:localhost/replica:0/task:0/device:CPU:0",
                              "/device:CPU:0",
                              "/cpu:0",
                              "CPU:0",
                              "/device:CPU",
                              "/job:localhost",
                              "/device:*",
                              "/device:CPU:*",
                              "/task:0"};
  for (size_t i = 0; i < DVT_COUNT_OF(good); i++) {
    const dvt_device *found = NULL;
    dvt_status status = dvt_device_find(dvt_str_from(good[i]), &found);
    if (status) print_error("%s: %s\n", good[i], dvt_status_message(status));
    assert_null(status);
    assert_ptr_equal(found, dvt_device_cpu());
  }
}

static void check_error(const char *spec, TF_Code code) {
  const dvt_device *found = NULL;
  dvt_status status = dvt_device_find(dvt_str_from(spec), &found);
  if (dvt_status_code(status) != code) print_error("%s: %s\n", spec, dvt_status_message(status));
  assert_int_equal(dvt_status_code(status), code);
  assert_null(found);
  dvt_status_free(status);
}

static void test_errors(void **state) {
  (void)state;
  const char *const absent[] = {"/device:GPU:0", "/cpu:1", "/job:worker", "/job:localhost/task:3", "GPU"};
  for (size_t i = 0; i < DVT_COUNT_OF(absent); i++) check_error(absent[i], TF_NOT_FOUND);
  const char *const malformed[] = {"/device:CPU:x",
                                   "/device:",
                                   "/job:",
                                   "/replica:-1",
                                   "//",
                                   "/cpu:0/",
                                   "/device:C U:0",
                                   "/task:99999999999999999999"};
  for (size_t i = 0; i < DVT_COUNT_OF(malformed); i++) check_error(malformed[i], TF_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu_is_there),
      cmocka_unit_test(test_spellings),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
