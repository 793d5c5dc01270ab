// Suggestions in error messages: distances, order, what is too far.
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint32_t distance(const char *a, const char *b, uint32_t limit) {
  return dvt_str_distance(dvt_str_from(a), dvt_str_from(b), limit);
}

static void test_distance(void **state) {
  (void)state;
  assert_int_equal(distance("", "", 5), 0);
  assert_int_equal(distance("kitten", "sitting", 5), 3);
  assert_int_equal(distance("MatMul", "Matmul", 5), 1);
  assert_int_equal(distance("", "abc", 3), 3);
  assert_true(distance("kitten", "sitting", 2) == UINT32_MAX);
  assert_true(distance("abc", "abcdefgh", 2) == UINT32_MAX);
}

static void test_keeps_the_three_closest_in_order(void **state) {
  (void)state;
  dvt_nearest nearest = {.wanted = DVT_STR("BatchMatMul")};
  const char *names[] = {"Conv2D",        "BatchMatMulV3", "BatchMatMulV2",
                         "batchMatMulV2", "BatchMatMu",    "BatchMatMulX"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); ++i) dvt_nearest_offer(&nearest, dvt_str_from(names[i]));
  dvt_buf text = {0};
  dvt_nearest_print(&nearest, &text);
  assert_string_equal(text.data, " Did you mean 'BatchMatMu', 'BatchMatMulX' or 'BatchMatMulV3'?");
  dvt_buf_deinit(&text);
}

static void test_says_nothing_when_nothing_is_close(void **state) {
  (void)state;
  dvt_nearest nearest = {.wanted = DVT_STR("Foo")};
  dvt_nearest_offer(&nearest, DVT_STR("ResourceGather"));
  dvt_buf text = {0};
  dvt_nearest_print(&nearest, &text);
  assert_int_equal(text.len, 0);
  dvt_buf_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_keeps_the_three_closest_in_order),
      cmocka_unit_test(test_says_nothing_when_nothing_is_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
